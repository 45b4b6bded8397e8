"""Find structures in shapes: subgraph matching by networkx.

A structure occurs where its body has an injective match that no ``without`` body
extends.  Matches are found by VF2 (Cordella et al. 2004; networkx
``DiGraphMatcher``, monomorphism): the body is a small digraph, the sentence
another, and every variable has a *domain*, the nodes that it may stand for.  A
longer walk counts as one edge of the sentence's digraph.  A ``without`` body is
matched in the same way, with the variables that it shares held in place and the
other nodes of the match taken.

Domains make this quick.  At first a domain holds the nodes that pass the tests
of its variable; then every edge of the body throws out the nodes at which no
edge of the sentence fits it, until nothing changes::

    { V -[nsubj]-> N; N -[nmod]-> M }     V: saw  N: dog  M: park
    The dog in the park saw a cat.        domains leave 3 of 9 nodes

This is sound: a match never uses a node that is thrown out.  An empty domain
rules a match out; otherwise networkx searches the nodes that are left.  For a
body that is one node or one edge, what is left is the definition of a match, so
that networkx is not asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache, reduce
from operator import or_
from typing import Any

import networkx as nx
from networkx.algorithms.isomorphism import DiGraphMatcher

from sgl.verify.shape import CompiledBody, CompiledStructure, Shape
from sgl.verify.structure import Walk

#: A match: for every variable of the body, the 0-based position of its token.
Match = dict[str, int]

#: For each variable of a body, the nodes that it may stand for.
Domains = list[set[int]]

#: Connected pairs of nodes with the bits of what connects them.
Pairs = tuple[tuple[int, int, int], ...]

#: Kinds of walks: the bit that stands for one, the bit of its labels, its bounds.
Walks = tuple[tuple[int, int, Walk], ...]

_NOTHING: Match = {}


class Searcher:
    """Searches shapes for the structures it is made of; no pair is searched twice.

    Verdicts are bits: bit ``n`` of ``_known`` says whether the shape has been
    searched for structure ``n``, bit ``n`` of ``_found`` whether it occurs.
    """

    def __init__(self, structures: tuple[CompiledStructure, ...]) -> None:
        self._structures = structures
        self._known: dict[int, int] = {}
        self._found: dict[int, int] = {}
        self._hosts: dict[int, _Host] = {}

    def occurs(self, shape: Shape, number: int) -> bool:
        """Whether the structure with this number occurs in ``shape``."""
        bit = 1 << number
        if not self._known.get(shape.number, 0) & bit:
            self._known[shape.number] = self._known.get(shape.number, 0) | bit
            if self.match(shape, number) is not None:
                self._found[shape.number] = self._found.get(shape.number, 0) | bit
        return bool(self._found.get(shape.number, 0) & bit)

    def match(self, shape: Shape, number: int) -> Match | None:
        """The first match in ``shape`` of the structure with this number, or ``None``."""
        host = self._hosts.get(shape.number)
        if host is None:
            host = self._hosts[shape.number] = _Host(shape)
        structure = self._structures[number]
        for match in _matches(host, structure.body, _NOTHING):
            if not any(_extends(host, body, match) for body in structure.without):
                return match
        return None


class _Host:
    """A shape prepared for searching.

    ``pairs`` are the connected pairs of different nodes with the bits of all
    their parallel edges; ``has_node`` and ``has_pair`` the bits that at least one
    node or pair has.
    """

    def __init__(self, shape: Shape) -> None:
        masks: dict[tuple[int, int], int] = {}
        for source, target, mask in shape.edges:
            masks[source, target] = masks.get((source, target), 0) | mask
        self.nodes = shape.nodes
        self.edges = shape.edges
        self.pairs = tuple([(source, target, mask) for (source, target), mask in masks.items()])
        self.has_node = reduce(or_, shape.nodes, 0)
        self.has_pair = reduce(or_, masks.values(), 0)
        self._connected: dict[Walks, Pairs] = {(): self.pairs}

    def connected(self, walks: Walks) -> Pairs:
        """The pairs that an edge or a walk of one of the given kinds connects."""
        known = self._connected.get(walks)
        if known is None:
            masks = {(source, target): mask for source, target, mask in self.pairs}
            for bit, label_bit, walk in walks:
                for pair in self._walks(label_bit, walk):
                    masks[pair] = masks.get(pair, 0) | 1 << bit
            known = tuple([(source, target, mask) for (source, target), mask in masks.items()])
            self._connected[walks] = known
        return known

    def digraph(self, nodes: set[int], walks: Walks) -> nx.DiGraph[int]:
        """The sentence on some nodes, with an edge for every walk of the given kinds."""
        graph: nx.DiGraph[int] = nx.DiGraph()
        for node in sorted(nodes):
            graph.add_node(node, node=node)
        for source, target, mask in self.connected(walks):
            if source in nodes and target in nodes:
                graph.add_edge(source, target, mask=mask)
        return graph

    def _walks(self, label_bit: int, walk: Walk) -> Iterator[tuple[int, int]]:
        """The pairs of nodes that a walk of this kind connects."""
        successors: list[set[int]] = [set() for _ in self.nodes]
        for source, target, mask in self.edges:
            if mask >> label_bit & 1:
                successors[source].add(target)
        for start, following in enumerate(successors):
            # Where no edge goes out only the walk without edges starts.
            if following or not walk.low:
                for end in sorted(_ends(start, successors, walk)):
                    yield start, end


def _ends(start: int, successors: list[set[int]], walk: Walk) -> set[int]:
    """The nodes where a walk from ``start`` with a length in the bounds can end."""

    def step(nodes: set[int]) -> set[int]:
        return {target for node in nodes for target in successors[node]}

    frontier = {start}
    for _ in range(walk.low):
        frontier = step(frontier)
    ends = set(frontier)
    spare = walk.high - walk.low if walk.high is not None else len(successors)
    while frontier and spare > 0:
        frontier = step(frontier) - ends
        ends |= frontier
        spare -= 1
    return ends


def _extends(host: _Host, body: CompiledBody, match: Match) -> bool:
    """Whether a match of the positive body extends to one of ``body`` as well."""
    return next(_matches(host, body, match), None) is not None


def _matches(host: _Host, body: CompiledBody, held: Mapping[str, int]) -> Iterator[Match]:
    """The matches of ``body`` that agree with ``held`` and are injective with it."""
    if body.node_bits & ~host.has_node or body.edge_bits & ~host.has_pair:
        return
    domains = _domains(host, body, held)
    if not all(domains):
        return
    names = [variable.name for variable in body.variables]
    if len(names) == 1 and not body.links:
        yield from ({names[0]: node} for node in sorted(domains[0]))
        return
    if len(names) == 2 and len(body.links) == 1:
        first, second, _ = body.links[0]
        if first != second:
            pairs = _fitting_pairs(host.connected(body.walks), domains, body.links[0])
            yield from ({names[first]: start, names[second]: end} for start, end in pairs)
            return

    def node_fits(node: dict[str, Any], variable: dict[str, Any]) -> bool:
        return node["node"] in domains[variable["variable"]]

    graph = host.digraph(set().union(*domains), body.walks)
    matcher = DiGraphMatcher(graph, _pattern(body), node_fits, _edge_fits)
    for mapping in matcher.subgraph_monomorphisms_iter():
        yield {names[variable]: node for node, variable in mapping.items()}


def _domains(host: _Host, body: CompiledBody, held: Mapping[str, int]) -> Domains:
    """The nodes that each variable may stand for, as far as tests and edges tell."""
    free = set(range(len(host.nodes))).difference(held.values())
    domains: Domains = []
    for variable in body.variables:
        candidates = (held[variable.name],) if variable.name in held else free
        care, want = variable.care, variable.want
        domains.append({node for node in candidates if host.nodes[node] & care == want})
    pairs = host.connected(body.walks) if all(domains) else ()
    changed = True
    while changed and all(domains):
        changed = False
        for link in body.links:
            fitting = _fitting_pairs(pairs, domains, link)
            left = ({start for start, _ in fitting}, {end for _, end in fitting})
            for end, kept in zip(link[:2], left, strict=True):
                if len(kept) < len(domains[end]):
                    domains[end] = kept
                    changed = True
    return domains


def _fitting_pairs(
    pairs: Pairs, domains: Domains, link: tuple[int, int, int]
) -> list[tuple[int, int]]:
    """The connected pairs of nodes that fit a link of a body, taken by itself.

    Different variables stand for different nodes.
    """
    source, target, bits = link
    starts, ends = domains[source], domains[target]
    loop = source == target
    return [
        (start, end)
        for start, end, mask in pairs
        if mask & bits == bits and start in starts and end in ends and (start == end) == loop
    ]


def _edge_fits(edge: dict[str, Any], link: dict[str, Any]) -> bool:
    return bool(edge["mask"] & link["mask"] == link["mask"])


@lru_cache(maxsize=1 << 12)
def _pattern(body: CompiledBody) -> nx.DiGraph[int]:
    """A body for networkx."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    for variable in range(len(body.variables)):
        graph.add_node(variable, variable=variable)
    for source, target, bits in body.links:
        graph.add_edge(source, target, mask=bits)
    return graph
