"""What every lint promises: a page, an example, a warning; and a quick check leaves it out."""

from __future__ import annotations

from pathlib import Path

import pytest
from diagnostics import BASE, MAIN, diagnose
from workplace import Workplace

from sgl.cache import Cache, using
from sgl.diagnostics import CODES, Diagnostics, Severity, SourceMap
from sgl.engine import Workspace
from sgl.lint import DATASET_LINTS, GRAMMAR_LINTS
from sgl.pipeline.grammar import check_grammar

GOLDEN = (Path(__file__).parents[1] / "golden" / "lint.md").read_text("utf-8")
LINTS = sorted({code for code, _ in (*GRAMMAR_LINTS, *DATASET_LINTS)})

#: A twin, a column without a lexicon, a category without a use.
SLIPS = """
category Adverb
rule np_again: NP -> "the" N
  ja  N
  syn N -[det]-> "the"(upos=DET)
lexicon animals from "animals.yaml"
  N
    en $en
    ja $ja
    syn node(upos=NOUN)
"""
TABLE = "- {en: horse, ja: 馬, plural: horses}\n"
EXPECTED = ["SGL0204", "SGL0406", "SGL0612"]


def checked(*, fast: bool, cache: Cache | None = None) -> list[str]:
    """The codes of what a check says."""
    found = Diagnostics()
    with using(cache):
        assert check_grammar(Path(MAIN), {}, SourceMap(), found, fast=fast) is not None
    return sorted(diagnostic.code for diagnostic in found)


@pytest.fixture
def slips(work: Workplace) -> Workplace:
    work.write(MAIN, BASE + SLIPS)
    work.write("animals.yaml", TABLE)
    return work


@pytest.mark.parametrize("code", LINTS)
def test_a_lint_has_a_page_and_an_example_that_shows_a_warning(code: str) -> None:
    assert code in CODES
    assert f"warning[{code}]" in GOLDEN
    assert f"error[{code}]" not in GOLDEN


@pytest.mark.usefixtures("slips")
def test_a_quick_check_leaves_lints_out() -> None:
    assert checked(fast=False) == EXPECTED
    assert checked(fast=True) == []


@pytest.mark.usefixtures("slips")
@pytest.mark.parametrize("order", [(True, False, True), (False, True, False)])
def test_what_is_kept_of_one_check_is_no_answer_to_the_other(order: tuple[bool, ...], cache: Cache) -> None:
    for fast in order:
        assert checked(fast=fast, cache=cache) == ([] if fast else EXPECTED)


@pytest.mark.usefixtures("slips")
def test_editors_show_lints() -> None:
    found = Workspace().open(Path(MAIN)).diagnostics
    assert sorted(one.code for one in found) == EXPECTED
    assert {one.severity for one in found} == {Severity.WARNING}


def test_lints_of_rules_speak_beside_errors_of_patterns(tmp_path: Path) -> None:
    pattern = "pattern p\n  forbid { V -[nsub]-> N }\n"
    codes = diagnose({MAIN: BASE + SLIPS + pattern, "animals.yaml": TABLE}, tmp_path).codes
    assert sorted(codes) == ["SGL0406", "SGL0612", "SGL0807"]
