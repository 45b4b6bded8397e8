"""`use … without (…)`: a used grammar without some of what it declares, or with something else in its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from diagnostics import BASE, MAIN, diagnose

from sgl.diagnostics import Diagnostics, SourceMap
from sgl.frontend import Compiled
from sgl.pipeline.grammar import open_grammar

USED = f"""
{BASE}
quota few = 5

part modified "sentences with a modifier"
  only {{ N -[nmod]-> M }}
  size 5

pattern pp_in_subject "PP in object → subject"
  forbid {{ V -[nsubj]-> N; N -[nmod]-> M }}
  size few
"""


def opened(text: str, place: Path) -> Compiled:
    (place / "base.sgl").write_text(USED, "utf-8")
    (place / "middle.sgl").write_text("use base\n", "utf-8")
    (place / MAIN).write_text(text, "utf-8")
    diagnostics = Diagnostics()
    compiled = open_grammar(place / MAIN, {}, SourceMap(), diagnostics)
    assert compiled is not None, diagnostics.found
    return compiled


def names(compiled: Compiled) -> tuple[list[str], list[str]]:
    return [p.name for p in compiled.plan.patterns], [p.name for p in compiled.plan.parts]


@pytest.mark.parametrize("used", ["base", "middle"])
def test_a_pattern_and_a_part_are_left_out(used: str, tmp_path: Path) -> None:
    assert names(opened(f"use {used}\n", tmp_path)) == (["pp_in_subject"], ["modified"])
    assert names(opened(f"use {used} without (pp_in_subject)\n", tmp_path)) == ([], ["modified"])
    assert names(opened(f"use {used} without (part modified, pp_in_subject)\n", tmp_path)) == ([], [])


def test_what_is_left_out_is_declared_in_another_way(tmp_path: Path) -> None:
    """A quota of the used file is replaced for the pattern there that mentions it."""
    compiled = opened("use middle without (quota few)\nquota few = 7\n", tmp_path)
    assert [quota.extent.count for quota in compiled.plan.patterns[0].quotas] == [7]
    mine = "pattern pp_in_subject\n  forbid { V -[nsubj]-> N; N -[nmod]-> M }\n  size 9\n"
    compiled = opened(f"use base without (pp_in_subject)\n{mine}", tmp_path)
    assert [quota.extent.count for quota in compiled.plan.patterns[0].quotas] == [9]


def test_files_that_are_used_in_many_ways_are_looked_at_once(tmp_path: Path) -> None:
    """Forty files, each of which uses the next one twice: there are 2^40 ways to the last."""
    for number in range(40):
        used = f"f{number + 1}" if number < 39 else "base"
        (tmp_path / f"f{number}.sgl").write_text(f"use {used}\nuse {used}\n", "utf-8")
    assert names(opened("use f0 without (pp_in_subject)\n", tmp_path)) == ([], ["modified"])


@pytest.mark.parametrize(
    ("left", "place"), [("pp_in_subjct", "pp_in_subjct"), ("part pp_in_subject", "pp_in_subject"), ("few, x", "x")]
)
def test_what_is_not_there_cannot_be_left_out(left: str, place: str, tmp_path: Path) -> None:
    files = {"base.sgl": USED, MAIN: f"use base without ({left})\n"}
    assert ("SGL0006", place) in diagnose(files, tmp_path, prove=False).places()


def test_a_grammar_that_comes_with_sgl_is_found_by_its_name(tmp_path: Path) -> None:
    (tmp_path / MAIN).write_text("use sget without (part concatenation)\n", "utf-8")
    compiled = open_grammar(tmp_path / MAIN, {}, SourceMap(), Diagnostics())
    assert compiled is not None
    assert len(compiled.plan.patterns) == 42
    (tmp_path / "sget.sgl").write_text(USED, "utf-8")
    (tmp_path / MAIN).write_text("use sget\n", "utf-8")
    compiled = open_grammar(tmp_path / MAIN, {}, SourceMap(), Diagnostics())
    assert compiled is not None
    assert names(compiled) == (["pp_in_subject"], ["modified"])
