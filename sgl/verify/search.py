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

Whether a structure occurs depends on the frame of a shape and on the answers to the
questions that the structure asks, and on nothing else.  So it is searched once for
each frame and each such answers; sets of nodes are integers with a bit for each node::

    { V -[obj]-> N[lemma=cat] }      asks one question: which words are cat?
    The cat saw a dog.    {2}        searched
    The cat saw a bird.   {2}        the same frame and answer: known
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache, reduce
from operator import and_, or_
from typing import Any

import networkx as nx
from networkx.algorithms.isomorphism import DiGraphMatcher

from sgl.verify.shape import Columns, CompiledBody, CompiledStructure, Frame, Shape, members
from sgl.verify.structure import Walk

#: A match: for every variable of the body, the 0-based position of its token.
Match = dict[str, int]

#: For each variable of a body, the set of nodes that it may stand for.
Domains = list[int]

#: Connected pairs of nodes with the bits of what connects them.
Pairs = tuple[tuple[int, int, int], ...]

#: Kinds of walks: the bit that stands for one, the bit of its labels, its bounds.
Walks = tuple[tuple[int, int, Walk], ...]

_NOTHING: Match = {}


class Searcher:
    """Searches shapes for the structures it is made of; no pair is searched twice.

    Verdicts are bits: bit ``n`` of ``_known`` says whether the shape has been
    searched for structure ``n``, bit ``n`` of ``_found`` whether it occurs.  What is
    known of a frame is forgotten when a shape of another one is searched, so that
    shapes are best searched frame by frame.
    """

    def __init__(self, structures: tuple[CompiledStructure, ...]) -> None:
        self._structures = structures
        self._known: dict[int, int] = {}
        self._found: dict[int, int] = {}
        self._host: _Host | None = None

    def occurs(self, shape: Shape, number: int) -> bool:
        """Whether the structure with this number occurs in ``shape``."""
        return bool(self.among(shape, 1 << number))

    def among(self, shape: Shape, wanted: int) -> int:
        """Which of the structures in a set, written as bits, occur in ``shape``."""
        unknown = wanted & ~self._known.get(shape.number, 0)
        if unknown:
            self._known[shape.number] = self._known.get(shape.number, 0) | wanted
            found = self._found.get(shape.number, 0) | self._search(shape, unknown)
            self._found[shape.number] = found
        return self._found[shape.number] & wanted if wanted else 0

    def match(self, shape: Shape, number: int) -> Match | None:
        """The first match in ``shape`` of the structure with this number, or ``None``."""
        return self._host_of(shape.frame).match(shape.columns(), self._structures[number])

    def _search(self, shape: Shape, wanted: int) -> int:
        """Which of some structures occur, by what is known of shapes of the same frame."""
        host = self._host_of(shape.frame)
        columns = shape.columns()
        found = 0
        for number in members(wanted & host.possible):
            structure = self._structures[number]
            if not columns.keys() >= structure.body.node_bits:
                continue
            key = (number, *[columns.get(bit, 0) for bit in structure.questions])
            verdict = host.verdicts.get(key)
            if verdict is None:
                verdict = host.verdicts[key] = host.match(columns, structure) is not None
            found |= verdict << number
        return found

    def _host_of(self, frame: Frame) -> _Host:
        if self._host is None or self._host.frame is not frame:
            self._host = _Host(frame, self._structures)
        return self._host


class _Host:
    """A frame prepared for searching, and what has been found in shapes of it.

    ``pairs`` are the connected pairs of nodes with the bits of all their parallel
    edges; ``possible`` are the structures that have nodes enough and all of their labels.
    """

    def __init__(self, frame: Frame, structures: tuple[CompiledStructure, ...]) -> None:
        masks: dict[tuple[int, int], int] = {}
        for source, target, mask in frame.edges:
            masks[source, target] = masks.get((source, target), 0) | mask
        self.frame = frame
        self.every = (1 << frame.size) - 1
        self.pairs = tuple([(source, target, mask) for (source, target), mask in masks.items()])
        self.has_pair = reduce(or_, masks.values(), 0)
        self.possible = sum(
            1 << number
            for number, structure in enumerate(structures)
            if self.admits(structure.body)
        )
        self.verdicts: dict[tuple[int, ...], bool] = {}
        self._connected: dict[Walks, Pairs] = {(): self.pairs}
        self._fitting: dict[tuple[tuple[int, int, int], Walks], Pairs] = {}

    def admits(self, body: CompiledBody) -> bool:
        """Whether there are nodes enough for a body, and edges with the labels it asks for."""
        return not body.edge_bits & ~self.has_pair and len(body.variables) <= self.frame.size

    def match(self, columns: Columns, structure: CompiledStructure) -> Match | None:
        """The first match of a structure, given the nodes that say yes to each question."""
        for match in _matches(self, columns, structure.body, _NOTHING):
            extensions = (_matches(self, columns, body, match) for body in structure.without)
            if all(next(found, None) is None for found in extensions):
                return match
        return None

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

    def fitting(self, link: tuple[int, int, int], walks: Walks) -> Pairs:
        """The pairs that fit a link, whatever their words: as sets of one node, and the mask.

        Different variables stand for different nodes.
        """
        known = self._fitting.get((link, walks))
        if known is None:
            first, second, bits = link
            known = self._fitting[link, walks] = tuple(
                [
                    (1 << source, 1 << target, mask)
                    for source, target, mask in self.connected(walks)
                    if mask & bits == bits and (source == target) == (first == second)
                ]
            )
        return known

    def digraph(self, nodes: int, walks: Walks) -> nx.DiGraph[int]:
        """The sentence on some nodes, with an edge for every walk of the given kinds."""
        graph: nx.DiGraph[int] = nx.DiGraph()
        for node in members(nodes):
            graph.add_node(node, node=node)
        for source, target, mask in self.connected(walks):
            if nodes >> source & nodes >> target & 1:
                graph.add_edge(source, target, mask=mask)
        return graph

    def _walks(self, label_bit: int, walk: Walk) -> Iterator[tuple[int, int]]:
        """The pairs of nodes that a walk of this kind connects."""
        successors: list[set[int]] = [set() for _ in range(self.frame.size)]
        for source, target, mask in self.frame.edges:
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


def _matches(
    host: _Host, columns: Columns, body: CompiledBody, held: Mapping[str, int]
) -> Iterator[Match]:
    """The matches of ``body`` that agree with ``held`` and are injective with it."""
    if not (host.admits(body) and columns.keys() >= body.node_bits):
        return
    domains = _domains(host, columns, body, held)
    if not all(domains):
        return
    names = [variable.name for variable in body.variables]
    if len(names) == 1 and not body.links:
        yield from ({names[0]: node} for node in members(domains[0]))
        return
    if len(names) == 2 and len(body.links) == 1:
        first, second, _ = body.links[0]
        if first != second:
            for source, target, _ in host.fitting(body.links[0], body.walks):
                if source & domains[first] and target & domains[second]:
                    start, end = source.bit_length() - 1, target.bit_length() - 1
                    yield {names[first]: start, names[second]: end}
            return

    def node_fits(node: dict[str, Any], variable: dict[str, Any]) -> bool:
        return bool(domains[variable["variable"]] >> node["node"] & 1)

    graph = host.digraph(reduce(or_, domains), body.walks)
    matcher = DiGraphMatcher(graph, _pattern(body), node_fits, _edge_fits)
    for mapping in matcher.subgraph_monomorphisms_iter():
        yield {names[variable]: node for node, variable in mapping.items()}


def _domains(host: _Host, columns: Columns, body: CompiledBody, held: Mapping[str, int]) -> Domains:
    """The nodes that each variable may stand for, as far as tests and edges tell."""
    free = host.every & ~sum(1 << node for node in held.values())
    domains: Domains = []
    for variable in body.variables:
        nodes = 1 << held[variable.name] if variable.name in held else free
        nodes = reduce(and_, [columns.get(bit, 0) for bit in variable.true], nodes)
        domains.append(nodes & ~reduce(or_, [columns.get(bit, 0) for bit in variable.false], 0))
    changed = True
    while changed and all(domains):
        changed = False
        for link in body.links:
            first, second, _ = link
            starts = ends = 0
            for source, target, _ in host.fitting(link, body.walks):
                if source & domains[first] and target & domains[second]:
                    starts |= source
                    ends |= target
            for end, kept in ((first, starts), (second, ends)):
                if kept != domains[end]:
                    domains[end] = kept
                    changed = True
    return domains


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
