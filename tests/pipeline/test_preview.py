"""What is seen of a dataset before it is drawn: ambiguity, and sentences that cannot do without a repeated lemma."""

from __future__ import annotations

from pathlib import Path

import pytest
from diagnostics import MAIN, PIECES, diagnose

import sgl
from sgl.automata import StructureCompiler
from sgl.pipeline.preview import look

PATTERN = """
pattern pp_in_pp
  forbid { N -[nmod]-> M; M -[nmod]-> L }
  size   5
"""
IN_VP = "rule verb_phrase_with: VP[form=f] -> VP[form=f] PP\n  syn VP -[obl]-> PP\n  ja "
#: What the Japanese of a verb phrase with a PP is, and how its readings then differ.
SAME, OTHER = "PP VP", "VP PP"


def codes(ja: str, more: str, directory: Path, dataset: str = PIECES["dataset"]) -> list[str]:
    pieces = [text for name, text in PIECES.items() if name != "dataset"]
    text = "\n".join([*pieces, dataset + more, f"{IN_VP}{ja}" if ja else "", PATTERN])
    return diagnose({MAIN: text}, directory).codes


@pytest.mark.parametrize("ja", [SAME, OTHER])
def test_ambiguity_is_told_before_anything_is_drawn(ja: str, tmp_path: Path) -> None:
    assert codes(ja, "", tmp_path) == ["SGL0857"]
    assert codes(ja, "  ambiguous report\n", tmp_path) == ["SGL0857"]


def test_who_ignores_ambiguity_is_told_nothing(tmp_path: Path) -> None:
    assert codes(OTHER, "  ambiguous ignore\n", tmp_path) == []


def test_a_grammar_with_one_reading_is_told_nothing(tmp_path: Path) -> None:
    assert codes("", "", tmp_path) == []


def test_a_lexicon_that_is_too_small_is_told(tmp_path: Path) -> None:
    assert codes("", "  distinct lemmas NOUN\n", tmp_path) == ["SGL0858"]


def test_weights_do_not_matter(tmp_path: Path) -> None:
    seen = []
    for weight in ("6", "60"):
        pieces = {**PIECES, "np": PIECES["np"].replace("~ 6", f"~ {weight}")}
        (tmp_path / MAIN).write_text("\n".join([*pieces.values(), IN_VP + OTHER, PATTERN]), "utf-8")
        compiled = sgl.load(tmp_path / MAIN).compiled
        seen.append(look(compiled, StructureCompiler(compiled.grammar)))
    assert seen[0] == seen[1]
    assert seen[0].matters
