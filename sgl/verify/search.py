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
body that is one node or one edge, or where one node is left for each variable, what
is left is the definition of a match, so that networkx is not asked.

Three things spare searches.  A structure is looked for only where all words and labels
that it needs are found.  Whether it occurs depends on the frame of a shape and on the
answers to the questions that it asks, so that it is searched once for each of these::

    { V -[obj]-> N[lemma=cat] }      asks one question: which words are cat?
    The cat saw a dog.    {2}        searched
    The cat saw a bird.   {2}        the same frame and answer: known

And what networkx sees in the end are the domains and the edges that fit between them:
sentences of which these are left in the same order are one case for it.  Sets of
nodes are integers with a bit for each node.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, reduce
from itertools import chain, islice
from operator import or_
from typing import Any

import networkx as nx
from networkx.algorithms.isomorphism import DiGraphMatcher

from sgl.verify.shape import (
    CompiledBody,
    CompiledStructure,
    Frame,
    GraphShape,
    MaskedEdges,
    QuestionTable,
    members,
)
from sgl.verify.structure import Walk

#: A match: for every variable of the body, the 0-based position of its token.
Match = dict[str, int]

#: Connected pairs of nodes, each as a set of one node.
Pairs = Sequence[tuple[int, int]]

#: For each question, or each variable of a body, a set of nodes.
NodeSets = list[int]

#: So many embeddings of a case are remembered.
_FIRST = 16


class Searcher:
    """Searches shapes for structures.

    What is known of a frame is forgotten when a shape of another one is searched, so that
    shapes are best searched frame by frame.
    """

    def __init__(self, questions: QuestionTable) -> None:
        self._questions = questions
        self._host: _Host | None = None
        structures = questions.structures

        @cache
        def with_labels(labels: int, size: int) -> int:
            """Return the structures that need no other labels, and no more nodes."""
            return sum(
                (not s.body.labels & ~labels and len(s.body.variables) <= size) << number
                for number, s in enumerate(structures)
            )

        @cache
        def with_words(answered: int) -> int:
            """Return the structures whose tests all pass somewhere, by the questions answered."""
            return sum((not s.body.words & ~answered) << n for n, s in enumerate(structures))

        self._with_labels, self._with_words = with_labels, with_words

    def occurring(self, shape: GraphShape) -> int:
        """Return the structures that occur in a shape, with a bit for each."""
        host = self._host_of(shape.frame)
        columns = host.columns(shape)
        answered = sum([1 << bit for bit, nodes in enumerate(columns) if nodes])
        possible = self._with_labels(host.labels, shape.frame.size) & self._with_words(answered)
        found = 0
        for number in members(possible):
            structure = self._questions.structures[number]
            key = (number, *[columns[bit] for bit in structure.questions])
            verdict = host.verdicts.get(key)
            if verdict is None:
                verdict = host.verdicts[key] = _match(host, columns, structure) is not None
            found |= verdict << number
        return found

    def match(self, shape: GraphShape, number: int) -> Match | None:
        """Return the first match in a shape of the structure with this number, or ``None``."""
        host = self._host_of(shape.frame)
        return _match(host, host.columns(shape), self._questions.structures[number])

    def _host_of(self, frame: Frame) -> _Host:
        if self._host is None or self._host.frame is not frame:
            self._host = _Host(frame, self._questions)
        return self._host


class _Host:
    """A frame prepared for searching, and what has been found in shapes of it.

    ``labels`` are the bits of all its edges; ``verdicts`` say by number and answers whether a
    structure occurs.
    """

    def __init__(self, frame: Frame, questions: QuestionTable) -> None:
        self.frame = frame
        self._values = len(questions.values)
        self._masks: dict[tuple[int, int], int] = {}
        for source, target, mask in frame.edges:
            self._masks[source, target] = self._masks.get((source, target), 0) | mask
        self.labels = reduce(or_, self._masks.values(), 0)
        self.verdicts: dict[tuple[int, ...], bool] = {}
        self._fitting: dict[tuple[int, bool], tuple[int, int, Pairs]] = {}
        self._degrees: NodeSets = []
        for test in questions.degrees:
            bit = 1 << questions.labels[test.labels]
            degrees = Counter([source for source, _, mask in frame.edges if mask & bit])
            # Most nodes have no such edge.
            without = test.accept(0)
            nodes = (1 << frame.size) - 1 if without else 0
            for node, degree in degrees.items():
                nodes ^= (test.accept(degree) != without) << node
            self._degrees.append(nodes)

    def columns(self, shape: GraphShape) -> NodeSets:
        """Return for each question about nodes those of a shape that say yes."""
        columns = [0] * self._values
        for node, mask in enumerate(shape.nodes):
            for bit in members(mask):
                columns[bit] |= 1 << node
        return columns + self._degrees

    def fitting(self, link: tuple[int, int, int], body: CompiledBody) -> tuple[int, int, Pairs]:
        """Return where a link of a body can start and end, and its pairs, whatever their words.

        Different variables stand for different nodes.
        """
        first, second, bits = link
        key = (bits, first == second)
        known = self._fitting.get(key)
        if known is not None:
            return known
        masks = self._masks
        for bit, label_bit, walk in body.walks:
            if bits >> bit & 1:
                edges = [edge[:2] for edge in self.frame.edges if edge[2] >> label_bit & 1]
                masks = dict(masks)
                for pair in _walked(range(self.frame.size), tuple(edges), walk):
                    masks[pair] = masks.get(pair, 0) | 1 << bit
        connected = [pair for pair, mask in masks.items() if mask & bits == bits]
        pairs = [(1 << s, 1 << t) for s, t in connected if (s == t) == (first == second)]
        starts = reduce(or_, [start for start, _ in pairs], 0)
        ends = reduce(or_, [end for _, end in pairs], 0)
        self._fitting[key] = starts, ends, pairs
        return starts, ends, pairs


@lru_cache(maxsize=1 << 12)
def _walked(nodes: range, edges: tuple[tuple[int, int], ...], walk: Walk) -> list[tuple[int, int]]:
    """Return the pairs of nodes that a walk over these edges connects."""
    successors: dict[int, set[int]] = {}
    for source, target in edges:
        successors.setdefault(source, set()).add(target)

    def step(nodes: set[int]) -> set[int]:
        return {target for node in nodes for target in successors.get(node, ())}

    pairs: list[tuple[int, int]] = []
    # Where no edge goes out only the walk without edges starts.
    for start in sorted(successors) if walk.low else nodes:
        frontier = {start}
        for _ in range(walk.low):
            frontier = step(frontier)
        ends = set(frontier)
        spare = walk.high - walk.low if walk.high is not None else len(nodes)
        while frontier and spare > 0:
            frontier = step(frontier) - ends
            ends |= frontier
            spare -= 1
        pairs.extend((start, end) for end in sorted(ends))
    return pairs


def _match(host: _Host, columns: NodeSets, structure: CompiledStructure) -> Match | None:
    """Return the first match of a structure, given the nodes that say yes to each question."""
    for match in _matches(host, columns, structure.body, {}):
        extended = (any(_matches(host, columns, body, match)) for body in structure.without)
        if not any(extended):
            return match
    return None


def _matches(
    host: _Host, columns: NodeSets, body: CompiledBody, held: Mapping[str, int]
) -> Iterator[Match]:
    """Yield all matches of ``body`` that agree with ``held`` and are injective with it."""
    free = (1 << host.frame.size) - 1 & ~sum([1 << node for node in held.values()])
    domains: NodeSets = []
    for name, true, false in body.variables:
        nodes = 1 << held[name] if name in held else free
        for bit in true:
            nodes &= columns[bit]
        for bit in false:
            nodes &= ~columns[bit]
        domains.append(nodes)
    fitting = _narrow(host, body, domains)
    if fitting is None:
        return
    found: Iterable[Iterable[int]]
    places = [node.bit_length() - 1 for node in domains]
    if domains == [1 << place for place in places]:
        found = [places] if len({*places}) == len(places) else []
    elif len(domains) == 1 and not body.links:
        found = ((node,) for node in members(domains[0]))
    elif len(domains) == 2 and [link[:2] for link in body.links] == [(0, 1)]:
        found = ([node.bit_length() - 1 for node in pair] for pair in fitting[0])
    else:
        found = _embeddings(body, domains, fitting)
    for match in found:
        yield {v.name: node for v, node in zip(body.variables, match, strict=True)}


def _narrow(host: _Host, body: CompiledBody, domains: NodeSets) -> list[Pairs] | None:
    """Throw out of the domains what no edge fits; return for each link the pairs that are left.

    None if a domain becomes empty.
    """
    fitting: list[Pairs] = []
    for first, second, bits in body.links:
        starts, ends, pairs = host.fitting((first, second, bits), body)
        domains[first] &= starts
        domains[second] &= ends
        fitting.append(pairs)
    if not all(domains):
        return None
    changed = True
    while changed:
        changed = False
        for rank, (first, second, _) in enumerate(body.links):
            one, two = domains[first], domains[second]
            left = [pair for pair in fitting[rank] if pair[0] & one and pair[1] & two]
            if not left:
                return None
            if len(left) < len(fitting[rank]):
                fitting[rank] = left
                domains[first] = reduce(or_, [start for start, _ in left])
                domains[second] = reduce(or_, [end for _, end in left])
                changed = len(fitting) > 1
    return fitting


def _embeddings(body: CompiledBody, domains: NodeSets, fitting: list[Pairs]) -> Iterator[list[int]]:
    """Yield the embeddings of a body, of which seldom more than some are asked for."""
    nodes = members(reduce(or_, domains))
    rank = {1 << node: place for place, node in enumerate(nodes)}
    edges: dict[tuple[int, int], int] = {}
    for (_, _, bits), pairs in zip(body.links, fitting, strict=True):
        for start, end in pairs:
            edges[rank[start], rank[end]] = edges.get((rank[start], rank[end]), 0) | bits
    ranked = [sum(1 << rank[1 << node] for node in members(domain)) for domain in domains]
    case = (body, tuple(ranked), tuple(sorted((*pair, mask) for pair, mask in edges.items())))
    first = _first_embeddings(*case)
    rest = islice(_search(*case), _FIRST, None) if len(first) == _FIRST else ()
    for places in chain(first, rest):
        yield [nodes[place] for place in places]


@lru_cache(maxsize=1 << 14)
def _first_embeddings(
    body: CompiledBody, domains: tuple[int, ...], edges: MaskedEdges
) -> tuple[tuple[int, ...], ...]:
    return tuple(islice(_search(body, domains, edges), _FIRST))


def _search(
    body: CompiledBody, domains: tuple[int, ...], edges: MaskedEdges
) -> Iterator[tuple[int, ...]]:
    """Yield the embeddings of a body that networkx finds: a node for each variable."""

    def node_fits(node: dict[str, Any], variable: dict[str, Any]) -> bool:
        return bool(domains[variable["number"]] >> node["number"] & 1)

    def edge_fits(edge: dict[str, Any], link: dict[str, Any]) -> bool:
        return bool(edge["mask"] & link["mask"] == link["mask"])

    graph = _digraph(members(reduce(or_, domains)), edges)
    matcher = DiGraphMatcher(graph, _pattern(body), node_fits, edge_fits)
    for mapping in matcher.subgraph_monomorphisms_iter():
        yield tuple(sorted(mapping, key=mapping.__getitem__))


@lru_cache(maxsize=1 << 12)
def _pattern(body: CompiledBody) -> nx.DiGraph[int]:
    """Return a body for networkx."""
    return _digraph(range(len(body.variables)), body.links)


def _digraph(nodes: Iterable[int], edges: Iterable[tuple[int, int, int]]) -> nx.DiGraph[int]:
    graph: nx.DiGraph[int] = nx.DiGraph()
    for node in nodes:
        graph.add_node(node, number=node)
    for source, target, mask in edges:
        graph.add_edge(source, target, mask=mask)
    return graph
