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
from functools import cache, lru_cache, reduce
from operator import or_
from typing import Any

import networkx as nx
from networkx.algorithms.isomorphism import DiGraphMatcher

from sgl.verify.shape import Columns, CompiledBody, CompiledStructure, Frame, GraphShape, members
from sgl.verify.structure import Walk

#: A match: for every variable of the body, the 0-based position of its token.
Match = dict[str, int]

#: For each variable of a body, the set of nodes that it may stand for.
Domains = list[int]

#: Connected pairs of nodes, each as a set of one node.
Pairs = tuple[tuple[int, int], ...]

#: Connected pairs of nodes with the bits of what connects them.
MaskedPairs = tuple[tuple[int, int, int], ...]

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
        self._possible = cache(self._with_edges)
        self._able = cache(self._with_nodes)

    def occurs(self, shape: GraphShape, number: int) -> bool:
        """Return whether the structure with this number occurs in ``shape``."""
        return bool(self.among(shape, 1 << number))

    def among(self, shape: GraphShape, wanted: int) -> int:
        """Return which of the structures in a set, written as bits, occur in ``shape``."""
        known = self._known.get(shape.number, 0)
        if wanted & ~known:
            found = self._found.get(shape.number, 0) | self._search(shape, wanted & ~known)
            self._known[shape.number] = known | wanted
            self._found[shape.number] = found
        return self._found.get(shape.number, 0) & wanted

    def learn(self, shape: GraphShape, searched: int, found: int) -> None:
        """Take over what somebody else has found in a shape."""
        self._known[shape.number] = self._known.get(shape.number, 0) | searched
        self._found[shape.number] = self._found.get(shape.number, 0) | found

    def match(self, shape: GraphShape, number: int) -> Match | None:
        """Return the first match in ``shape`` of the structure with this number, or ``None``."""
        return self._host_of(shape.frame).match(shape.columns(), self._structures[number])

    def _search(self, shape: GraphShape, wanted: int) -> int:
        """Return which of some structures occur, by what is known of shapes of the same frame."""
        host = self._host_of(shape.frame)
        columns = shape.columns()
        answered = sum([1 << bit for bit in columns])
        possible = self._possible(host.has_pair, shape.frame.size) & self._able(answered)
        found = 0
        for number in members(wanted & possible):
            structure = self._structures[number]
            key = (number, *[columns.get(bit, 0) for bit in structure.questions])
            verdict = host.verdicts.get(key)
            if verdict is None:
                verdict = host.verdicts[key] = host.match(columns, structure) is not None
            found |= verdict << number
        return found

    def _host_of(self, frame: Frame) -> _Host:
        if self._host is None or self._host.frame is not frame:
            self._host = _Host(frame)
        return self._host

    def _with_edges(self, has_pair: int, size: int) -> int:
        """Return the structures with no more nodes, and no other labels, than a frame has."""
        return sum(
            1 << number
            for number, structure in enumerate(self._structures)
            if not structure.body.edge_bits & ~has_pair and len(structure.body.variables) <= size
        )

    def _with_nodes(self, answered: int) -> int:
        """Return the structures whose tests words pass, given the questions answered yes."""
        return sum(
            1 << number
            for number, structure in enumerate(self._structures)
            if not structure.body.node_bits & ~answered
        )


class _Host:
    """A frame prepared for searching, and what has been found in shapes of it.

    ``masks`` are the connected pairs of nodes with the bits of all their parallel edges.
    """

    def __init__(self, frame: Frame) -> None:
        self.masks: dict[tuple[int, int], int] = {}
        for source, target, mask in frame.edges:
            self.masks[source, target] = self.masks.get((source, target), 0) | mask
        self.frame = frame
        self.every = (1 << frame.size) - 1
        self.has_pair = reduce(or_, self.masks.values(), 0)
        self.verdicts: dict[tuple[int, ...], bool] = {}
        self._fitting: dict[tuple[int, bool], Pairs] = {}

    def match(self, columns: Columns, structure: CompiledStructure) -> Match | None:
        """Return the first match of a structure, given the nodes that say yes to each question."""
        if not structure.without:
            return _first(self, columns, structure.body, _NOTHING)
        for match in _matches(self, columns, structure.body, _NOTHING):
            if all(_first(self, columns, body, match) is None for body in structure.without):
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


def _first(
    host: _Host, columns: Columns, body: CompiledBody, held: Mapping[str, int]
) -> Match | None:
    """Return the first match of ``body`` that agrees with ``held`` and is injective with it."""
    domains = _domains(host, columns, body, held)
    if domains is None:
        return None
    if _is_decided(body):
        return next(_simple(host, body, domains))
    nodes, ranked, edges = _left(host, body, domains)
    places = _embedding(body, ranked, edges)
    return None if places is None else _named(body, [nodes[place] for place in places])


def _matches(
    host: _Host, columns: Columns, body: CompiledBody, held: Mapping[str, int]
) -> Iterator[Match]:
    """Yield all matches of ``body`` that agree with ``held`` and are injective with it."""
    domains = _domains(host, columns, body, held)
    if domains is None:
        return
    if _is_decided(body):
        yield from _simple(host, body, domains)
        return
    nodes, ranked, edges = _left(host, body, domains)
    for places in _embeddings(body, ranked, edges):
        yield _named(body, [nodes[place] for place in places])


def _is_decided(body: CompiledBody) -> bool:
    """Return whether a body is one node, or one edge between two."""
    if len(body.links) == 1 and len(body.variables) == 2:
        return body.links[0][0] != body.links[0][1]
    return not body.links and len(body.variables) == 1


def _simple(host: _Host, body: CompiledBody, domains: Domains) -> Iterator[Match]:
    """Yield the matches of a body that is one node, or one edge between two."""
    for first, second, bits in body.links:
        for source, target in host.fitting((first, second, bits), body.walks):
            if source & domains[first] and target & domains[second]:
                nodes = sorted([(first, source), (second, target)])
                yield _named(body, [node.bit_length() - 1 for _, node in nodes])
    if not body.links:
        yield from (_named(body, [node]) for node in members(domains[0]))


def _named(body: CompiledBody, nodes: Iterable[int]) -> Match:
    return {v.name: node for v, node in zip(body.variables, nodes, strict=True)}


def _left(
    host: _Host, body: CompiledBody, domains: Domains
) -> tuple[list[int], tuple[int, ...], MaskedPairs]:
    """Return what is left of a sentence: its nodes; domains and fitting edges by rank."""
    nodes = list(members(reduce(or_, domains)))
    rank = {node: place for place, node in enumerate(nodes)}
    masks: dict[tuple[int, int], int] = {}
    for first, second, bits in body.links:
        for source, target in host.fitting((first, second, bits), body.walks):
            if source & domains[first] and target & domains[second]:
                pair = (rank[source.bit_length() - 1], rank[target.bit_length() - 1])
                masks[pair] = masks.get(pair, 0) | bits
    ranked = [sum(1 << rank[node] for node in members(domain)) for domain in domains]
    return nodes, tuple(ranked), tuple(sorted((*pair, mask) for pair, mask in masks.items()))


@lru_cache(maxsize=1 << 14)
def _embedding(
    body: CompiledBody, domains: tuple[int, ...], edges: MaskedPairs
) -> tuple[int, ...] | None:
    """Return the first embedding, if there is one."""
    return next(_embeddings(body, domains, edges), None)


def _embeddings(
    body: CompiledBody, domains: tuple[int, ...], edges: MaskedPairs
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
    free = every
    for node in held.values():
        free &= ~(1 << node)
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
