"""Where structures are: in the graphs of derivations, and in the written graphs of a dataset."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from sget import compile_file
from toy_notation import structure

import agreement
from definition import matches
from sgl import load
from sgl.core.graph import Graph
from sgl.core.structure import Structure
from sgl.frontend import Compiled
from sgl.pipeline.matches import GraphFinder, NoStructureError, OccurrenceError, occurring

FARM = Path(__file__).parents[2] / "docs" / "examples" / "farm.sgl"


@cache
def farm() -> Compiled:
    return compile_file(FARM)


def test_all_matches_are_found_that_the_definition_gives() -> None:
    compiled = farm()
    sample = agreement.sample_of(compiled, items=8, seed=3, limit=30)
    structures = agreement.random_structures(compiled, 60, seed=5, graphs=sample.graphs)
    number = 0
    for found in structures:
        finder = GraphFinder(found)
        for graph in sample.graphs:
            number += len(expected := defined(graph, found))
            assert set(finder.bindings(graph)) == expected
    assert number > 100


def defined(graph: Graph, found: Structure) -> set[tuple[int, ...]]:
    """The matches of a structure by its definition, as benchmarks/definition.py has it."""
    names = [variable.name for variable in found.body.variables]
    return {
        tuple(match[name] for name in names)
        for match in matches(graph, found.body, {})
        if not any(next(matches(graph, other, match), None) is not None for other in found.without)
    }


def test_an_adjective_bearing_noun_is_bound_to_its_node() -> None:
    sample = agreement.sample_of(farm(), items=8, seed=3, limit=5)
    for graph in sample.graphs:
        for verb, noun in GraphFinder(structure("{ V -[obj]-> N }")).bindings(graph):
            assert (verb, "obj", noun) in graph.edges


def test_what_a_dataset_holds_out_is_in_its_items_alone(tmp_path: Path) -> None:
    data = load(FARM).compile(tmp_path / "farm")
    held_out = "{ V -[nsubj]-> N; N -[nmod]-> M }"
    assert occurring(data.directory, "gen", held_out) == [True] * data.splits["gen"]
    assert occurring(data.directory, "train", held_out) == [False] * data.splits["train"]
    with pytest.raises(NoStructureError):
        occurring(data.directory, "gen", "{ V -[nsubj] }")
    (data.directory / "conllu" / "gen.conllu").write_text("no graph\n", "utf-8")
    with pytest.raises(OccurrenceError, match="line 1"):
        occurring(data.directory, "gen", held_out)
