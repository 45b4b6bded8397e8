"""The splits of the page on two rules: what is said of derivations is what is said of graphs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sgl.automata import StructureCompiler
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.frontend import Compiled
from sgl.frontend.passes import read_structure
from sgl.pipeline.grammar import open_grammar

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "howto" / "two-rules.md").read_text("utf-8")
ROWS = re.findall(r"^\| `(\{.*\})` \| (?:`(\{.*\})`|–) \|$", PAGE, re.MULTILINE)


@pytest.fixture(scope="module")
def scan() -> Compiled:
    compiled = open_grammar(ROOT / "grammars" / "gallery" / "scan.sgl", {}, SourceMap(), Diagnostics())
    assert compiled is not None
    return compiled


def test_the_page_has_ten() -> None:
    assert len(ROWS) == 10
    assert sum(not graph for _, graph in ROWS) == 1


@pytest.mark.parametrize(("derivation", "graph"), ROWS)
def test_both_hold_out_the_same_commands(derivation: str, graph: str, scan: Compiled) -> None:
    diagnostics = Diagnostics()
    first = read_structure(scan, f"derivation {derivation}", SourceMap(), diagnostics)
    assert first is not None, diagnostics.found
    compiler = StructureCompiler(scan.grammar)
    assert not compiler.disjunction((first,)).empty
    if graph:
        second = read_structure(scan, graph, SourceMap(), diagnostics)
        assert second is not None, diagnostics.found
        assert compiler.both(compiler.disjunction((first,)), compiler.absence(second)).empty
        assert compiler.both(compiler.disjunction((second,)), compiler.absence(first)).empty
