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

No search is made twice.  Whether a structure occurs depends on the frame of a shape
and on the answers to the questions that the structure asks, and on nothing else, so
that it is searched once for each frame and each such answers::

    { V -[obj]-> N[lemma=cat] }      asks one question: which words are cat?
    The cat saw a dog.    {2}        searched
    The cat saw a bird.   {2}        the same frame and answer: known

What networkx sees in the end are the domains and the edges that fit between them.
Sentences of which these are left in the same order are one case for it.  Sets of
nodes are integers with a bit for each node.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, reduce
from itertools import islice
from operator import or_
from typing import Any

import networkx as nx
from networkx.algorithms.isomorphism import DiGraphMatcher

from sgl.verify.shape import (
    Columns,
    CompiledBody,
    CompiledStructure,
    Frame,
    GraphShape,
    MaskedEdges,
    members,
)
from sgl.verify.structure import Walk

#: A match: for every variable of the body, the 0-based position of its token.
Match = dict[str, int]

#: For each variable of a body, the set of nodes that it may stand for.
Domains = list[int]

#: Connected pairs of nodes, each as a set of one node.
Pairs = tuple[tuple[int, int], ...]

#: Kinds of walks: the bit that stands for one, the bit of its labels, its bounds.
Walks = tuple[tuple[int, int, Walk], ...]


class Searcher:
    """Searches shapes for all structures it is made of; no shape is searched twice.

    What is known of a frame is forgotten when a shape of another one is searched, so that
    shapes are best searched frame by frame.
    """

    def __init__(self, structures: tuple[CompiledStructure, ...]) -> None:
        self._structures = structures
        self._occurring: dict[int, int] = {}
        self._host: _Host | None = None

    def occurring(self, shape: GraphShape) -> int:
        """Return the structures that occur in ``shape``, with a bit for each."""
        found = self._occurring.get(shape.number)
        if found is None:
            found = self._occurring[shape.number] = self._host_of(shape.frame).search(shape)
        return found

    def occurs(self, shape: GraphShape, number: int) -> bool:
        """Return whether the structure with this number occurs in ``shape``."""
        return bool(self.occurring(shape) >> number & 1)

    def learn(self, shape: GraphShape, found: int) -> None:
        """Take over what another process has found in a shape."""
        self._occurring[shape.number] = found

    def match(self, shape: GraphShape, number: int) -> Match | None:
        """Return the first match in ``shape`` of the structure with this number, or ``None``."""
        return self._host_of(shape.frame).match(shape.columns(), self._structures[number])

    def _host_of(self, frame: Frame) -> _Host:
        if self._host is None or self._host.frame is not frame:
            self._host = _Host(frame, self._structures)
        return self._host


class _Host:
    """A frame prepared for searching, and what has been found in shapes of it.

    ``masks`` are the connected pairs of nodes with the bits of all their parallel edges;
    ``possible`` are the structures with no more nodes, and no other labels, than the frame has.
    """

    def __init__(self, frame: Frame, structures: tuple[CompiledStructure, ...]) -> None:
        self.masks: dict[tuple[int, int], int] = {}
        for source, target, mask in frame.edges:
            self.masks[source, target] = self.masks.get((source, target), 0) | mask
        self.frame = frame
        self.every = (1 << frame.size) - 1
        lacking = ~reduce(or_, self.masks.values(), 0)
        self.possible = [
            (number, structure)
            for number, structure in enumerate(structures)
            if not structure.body.edge_bits & lacking
            and len(structure.body.variables) <= frame.size
        ]
        self._verdicts: dict[tuple[int, ...], bool] = {}
        self._fitting: dict[tuple[int, bool], Pairs] = {}

    def search(self, shape: GraphShape) -> int:
        """Return which structures occur in a shape of the frame, with a bit for each."""
        columns = shape.columns()
        lacking = ~sum([1 << bit for bit in columns])
        found = 0
        for number, structure in self.possible:
            if structure.body.node_bits & lacking:
                continue
            key = (number, *[columns.get(bit, 0) for bit in structure.questions])
            verdict = self._verdicts.get(key)
            if verdict is None:
                verdict = self._verdicts[key] = self.match(columns, structure) is not None
            found |= verdict << number
        return found

    def match(self, columns: Columns, structure: CompiledStructure) -> Match | None:
        """Return the first match of a structure, given the nodes that say yes to each question."""
        for match in _matches(self, columns, structure.body, {}):
            extended = (any(_matches(self, columns, body, match)) for body in structure.without)
            if not any(extended):
                return match
        return None

    def fitting(self, link: tuple[int, int, int], walks: Walks) -> Pairs:
        """Return the pairs that fit a link, whatever their words; ``walks`` are those of its body.

        Different variables stand for different nodes.
        """
        first, second, bits = link
        known = self._fitting.get((bits, first == second))
        if known is None:
            known = self._fitting[bits, first == second] = tuple(
                [
                    (1 << source, 1 << target)
                    for (source, target), mask in self._connected(bits, walks).items()
                    if mask & bits == bits and (source == target) == (first == second)
                ]
            )
        return known

    def _connected(self, bits: int, walks: Walks) -> dict[tuple[int, int], int]:
        """Return the pairs that an edge, or one of ``walks``, with one of some bits connects."""
        asked = [walk for walk in walks if bits >> walk[0] & 1]
        masks = dict(self.masks) if asked else self.masks
        for bit, label_bit, walk in asked:
            for pair in self._walks(label_bit, walk):
                masks[pair] = masks.get(pair, 0) | 1 << bit
        return masks

    def _walks(self, label_bit: int, walk: Walk) -> Iterator[tuple[int, int]]:
        """Yield the pairs of nodes that a walk of this kind connects."""
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
    """Return the nodes where a walk from ``start`` with a length in the bounds can end."""

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
    """Yield all matches of ``body`` that agree with ``held`` and are injective with it."""
    domains = _domains(host, columns, body, held)
    if domains is None:
        return
    fitting: dict[tuple[int, int], int] = {}
    for first, second, bits in body.links:
        for source, target in host.fitting((first, second, bits), body.walks):
            if source & domains[first] and target & domains[second]:
                pair = (source.bit_length() - 1, target.bit_length() - 1)
                fitting[pair] = fitting.get(pair, 0) | bits
    found: Iterable[Iterable[int]]
    if len(body.variables) == 1 and not body.links:
        found = ((node,) for node in members(domains[0]))
    elif len(body.variables) == 2 and [link[:2] for link in body.links] == [(0, 1)]:
        found = fitting
    else:
        nodes = list(members(reduce(or_, domains)))
        rank = {node: place for place, node in enumerate(nodes)}
        ranked = [sum(1 << rank[node] for node in members(domain)) for domain in domains]
        edges = sorted((rank[one], rank[two], bits) for (one, two), bits in fitting.items())
        places = _embeddings(body, tuple(ranked), tuple(edges))
        found = ([nodes[place] for place in embedding] for embedding in places)
    for match in found:
        yield {v.name: node for v, node in zip(body.variables, match, strict=True)}


def _embeddings(
    body: CompiledBody, domains: tuple[int, ...], edges: MaskedEdges
) -> Iterator[tuple[int, ...]]:
    """Yield the embeddings of a body; most often only the first is asked for, or there is none."""
    first = _first_embedding(body, domains, edges)
    if first is not None:
        yield first
        yield from islice(_search(body, domains, edges), 1, None)


@lru_cache(maxsize=1 << 14)
def _first_embedding(
    body: CompiledBody, domains: tuple[int, ...], edges: MaskedEdges
) -> tuple[int, ...] | None:
    return next(_search(body, domains, edges), None)


def _search(
    body: CompiledBody, domains: tuple[int, ...], edges: MaskedEdges
) -> Iterator[tuple[int, ...]]:
    """Yield the embeddings of a body that networkx finds: a node for each variable."""

    def node_fits(node: dict[str, Any], variable: dict[str, Any]) -> bool:
        return bool(domains[variable["variable"]] >> node["node"] & 1)

    graph: nx.DiGraph[int] = nx.DiGraph()
    for node in members(reduce(or_, domains)):
        graph.add_node(node, node=node)
    for source, target, mask in edges:
        graph.add_edge(source, target, mask=mask)
    matcher = DiGraphMatcher(graph, _pattern(body), node_fits, _edge_fits)
    for mapping in matcher.subgraph_monomorphisms_iter():
        yield tuple(sorted(mapping, key=mapping.__getitem__))


def _domains(
    host: _Host, columns: Columns, body: CompiledBody, held: Mapping[str, int]
) -> Domains | None:
    """Return the nodes that each variable may stand for, as far as tests and edges tell.

    None if a variable has no such node.
    """
    domains = _passing(host.every, columns, body, held)
    if not all(domains):
        return None
    links = [(*link[:2], host.fitting(link, body.walks)) for link in body.links]
    changed = True
    while changed:
        changed = False
        for first, second, pairs in links:
            starts = ends = 0
            for source, target in pairs:
                if source & domains[first] and target & domains[second]:
                    starts |= source
                    ends |= target
            if not starts:
                return None
            if starts != domains[first] or ends != domains[second]:
                domains[first], domains[second] = starts, ends
                changed = len(links) > 1
    return domains


def _passing(every: int, columns: Columns, body: CompiledBody, held: Mapping[str, int]) -> Domains:
    """Return the nodes that pass the tests of each variable; those that are held are not free."""
    free = every & ~sum(1 << node for node in held.values())
    domains: Domains = []
    for variable in body.variables:
        nodes = 1 << held[variable.name] if variable.name in held else free
        for bit in variable.true:
            nodes &= columns.get(bit, 0)
        for bit in variable.false:
            nodes &= ~columns.get(bit, 0)
        domains.append(nodes)
    return domains


def _edge_fits(edge: dict[str, Any], link: dict[str, Any]) -> bool:
    return bool(edge["mask"] & link["mask"] == link["mask"])


@lru_cache(maxsize=1 << 12)
def _pattern(body: CompiledBody) -> nx.DiGraph[int]:
    """Return a body for networkx."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    for variable in range(len(body.variables)):
        graph.add_node(variable, variable=variable)
    for source, target, bits in body.links:
        graph.add_edge(source, target, mask=bits)
    return graph
