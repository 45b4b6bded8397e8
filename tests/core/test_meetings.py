"""Edges that never meet in one node: what is left out for this reason occurs in no sentence."""

from __future__ import annotations

from functools import cache, partial
from itertools import product
from pathlib import Path

import pytest

from sgl.automata import StructureCompiler
from sgl.core.meetings import meetings
from sgl.core.relatives import relatives_of
from sgl.core.structure import Body, LabelTest, Link, Structure, Variable
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.frontend import Compiled
from sgl.pipeline.grammar import open_grammar

ROOT = Path(__file__).parents[2]


@cache
def compiled(path: str) -> Compiled:
    found = open_grammar(ROOT / path, {}, SourceMap(), Diagnostics())
    assert found is not None
    return found


@pytest.mark.parametrize("path", ["grammars/cogs.sgl", "grammars/slog_roles.sgl", "docs/examples/layers.sgl"])
def test_a_relative_that_is_left_out_occurs_nowhere(path: str) -> None:
    grammar, plan = compiled(path).grammar, compiled(path).plan
    compiler, known = StructureCompiler(grammar), cache(partial(meetings, grammar))
    structures = {structure for pattern in plan.patterns for structure in (*pattern.held_out, *pattern.gen)}
    relatives = [r.structure for s in structures for r in relatives_of(s, grammar, known(s.layer).labels)]
    left_out = [r for r in relatives if not known(r.layer).allow(r.body)]
    assert all(compiler.disjunction((structure,)).empty for structure in left_out)


@pytest.mark.parametrize("layer", ["syn", "derivation"])
def test_every_two_edges_that_meet_in_some_sentence_may_meet(layer: str) -> None:
    """All pairs of labels of the tutorial, one behind the other and side by side."""
    grammar = compiled("docs/examples/farm.sgl").grammar
    compiler, known = StructureCompiler(grammar), meetings(grammar, layer)
    for first, second, ends in product(sorted(known.labels), sorted(known.labels), [(1, 2), (0, 2), (2, 1)]):
        links = (Link(0, LabelTest(frozenset({first})), 1), Link(ends[0], LabelTest(frozenset({second})), ends[1]))
        body = Body((Variable("A"), Variable("B"), Variable("C")), links)
        if not known.allow(body):
            assert compiler.disjunction((Structure(layer, body, named=True),)).empty, body
