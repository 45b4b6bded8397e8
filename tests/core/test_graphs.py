"""The questions about graphs have the answers of NetworkX, in its order."""

from __future__ import annotations

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st
from networkx.utils import UnionFind

from sgl.core.graphs import United, circles, components, reachable

numbers = st.integers(0, 6)
graphs = st.dictionaries(numbers, st.lists(numbers, max_size=4))


def as_library(below: dict[int, list[int]]) -> nx.DiGraph[int]:
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(below)
    graph.add_edges_from((node, child) for node, own in below.items() for child in own)
    return graph


@given(graphs)
def test_components_are_in_the_order_of_the_library(below: dict[int, list[int]]) -> None:
    whole = {**{node: [] for node in range(7)}, **below}
    assert [*components(whole)] == [*nx.strongly_connected_components(as_library(whole))]
    assert {*map(frozenset, components(below))} == {
        *map(frozenset, nx.strongly_connected_components(as_library(below)))
    }


@given(graphs)
def test_a_circle_leads_back(below: dict[int, list[int]]) -> None:
    assert {node for circle in circles(below) for node in circle} == {
        node for cycle in nx.simple_cycles(as_library(below)) for node in cycle
    }


@given(graphs, st.sets(numbers))
def test_what_is_reachable(below: dict[int, list[int]], starts: set[int]) -> None:
    graph = as_library(below)
    graph.add_nodes_from(starts)
    assert reachable(starts, below) == starts.union(*(nx.descendants(graph, start) for start in starts))


@given(st.lists(st.tuples(numbers, numbers)))
def test_what_is_united_has_one_representative(pairs: list[tuple[int, int]]) -> None:
    own, other = United[int](), UnionFind(range(7))
    for pair in pairs:
        own.union(*pair)
        other.union(*pair)
    for one in range(7):
        assert [own[one] == own[x] for x in range(7)] == [other[one] == other[x] for x in range(7)]
