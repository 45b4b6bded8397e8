"""Embeddings of a small graph in a larger one, by networkx, within a budget of steps.

Matches are found by VF2 (Cordella et al. 2004; networkx ``DiGraphMatcher``, monomorphism): the
body of a structure is a small digraph, what is left of a sentence another, and every variable
has a *domain*, the nodes that it may stand for.  Sets of nodes are integers with a bit for each.
"""

from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache, reduce
from itertools import tee
from math import inf
from operator import or_
from typing import Any

import networkx as nx
from networkx.algorithms.isomorphism import DiGraphMatcher

#: Steps that led to an embedding, and the node of each variable; none after the last embedding.
Embedding = tuple[float, tuple[int, ...] | None]

#: Steps that the search of some hundred shapes may take, and how many more for each pair of
#: nodes: a step is a pair that is looked at, or a node that networkx tries for a variable.
STEPS, STEPS_FOR_A_PAIR = 1_500_000, 10


class BudgetError(Exception):
    """The budget is used up."""


@lru_cache(maxsize=1 << 16)
def members(bits: int) -> tuple[int, ...]:
    """Return the numbers in a set that is written as an integer with a bit for each, in order."""
    return tuple(number for number in range(bits.bit_length()) if bits >> number & 1)


@lru_cache(maxsize=1 << 14)
def embeddings(
    links: tuple[tuple[int, int], ...], domains: tuple[int, ...], fitting: tuple[tuple[tuple[int, int], ...], ...]
) -> Iterator[Embedding]:
    """Return the embeddings that networkx finds, lazily and remembered, each with its steps so far; last, none."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    for node in members(reduce(or_, domains)):
        graph.add_node(node, number=node)
    pattern: nx.DiGraph[int] = nx.DiGraph()
    for variable, domain in enumerate(domains):
        pattern.add_node(variable, domain=domain)
    for (first, second), pairs in zip(links, fitting, strict=True):
        pattern.add_edge(first, second, pairs={*pairs})
        for pair in pairs:
            graph.add_edge(*pair, pair=pair)

    def node_fits(node: dict[str, Any], variable: dict[str, Any]) -> bool:
        return bool(variable["domain"] >> node["number"] & 1)

    def edge_fits(edge: dict[str, Any], link: dict[str, Any]) -> bool:
        return edge["pair"] in link["pairs"]

    (found,) = tee(_found(_Matcher(graph, pattern, node_fits, edge_fits)), 1)
    return found


class _Matcher(DiGraphMatcher):
    """Counts the pairs of a node and a variable that it tries."""

    steps = 0

    def syntactic_feasibility(self, node: int, variable: int) -> bool:
        self.steps += 1
        if self.steps > STEPS:
            raise BudgetError
        return bool(super().syntactic_feasibility(node, variable))  # type: ignore[no-untyped-call]


def _found(matcher: _Matcher) -> Iterator[Embedding]:
    before = 0
    with suppress(BudgetError):
        for found in matcher.subgraph_monomorphisms_iter():
            yield matcher.steps - before, tuple(sorted(found, key=found.__getitem__))
            before = matcher.steps
        yield matcher.steps - before, None
        return
    yield inf, None
