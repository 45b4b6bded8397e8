"""Find structures in shapes: subgraph matching by networkx (VF2, Cordella et al. 2004).

A structure occurs where its body has an injective match that no ``without`` body extends.  Every variable has a
*domain*, the nodes that it may match, and a longer walk counts as one edge.  At first a domain has the nodes that pass
the tests of its variable; then every edge of the body removes the nodes at which no edge of the sentence fits it, until
nothing changes.  This is sound: a match never uses a removed node.  If one node is left for each variable, or the body
is one edge, the remaining nodes are the matches, and networkx is not needed.

Three things save searches.  A structure is searched only where all words and labels that it needs occur. Its occurrence
depends only on the frame of a shape and on the answers to its questions, so each such combination is searched once.
And sentences with the same domains and fitting edges, in the same order, are one case for networkx.  The search has a
budget of steps that grows with the sizes of the shapes, as there can be very many matches. Sets of nodes are integers
with a bit for each.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from functools import lru_cache, reduce
from itertools import tee
from math import inf
from operator import or_
from typing import NamedTuple

import networkx as nx
from networkx.algorithms.isomorphism import DiGraphMatcher

from sgl.verify.items import Frame, GraphShape, ShapeTable
from sgl.verify.structure import GraphPattern, LengthComparison, StructureBody, passes

#: Budget of steps for the search of some hundred shapes, and its increase per pair of nodes: a step examines a pair, or
#: a node that networkx tries for a variable.
STEPS, STEPS_FOR_A_PAIR = 1_500_000, 10

#: Steps that led to an embedding, and each variable's node; None after the last embedding.
Embedding = tuple[float, tuple[int, ...] | None]

#: Connected pairs of nodes, each node as a one-element set.
Pairs = tuple[tuple[int, int], ...]

#: Lengths of walks, each with the bit of its labels.
LabelledWalks = tuple[tuple[int, tuple[int, int | None]], ...]

#: For each question, or each variable of a body, a set of nodes.
NodeSets = list[int]

#: A match: for every variable of the body, the 0-based position of its token.
Match = dict[str, int]


class BudgetError(Exception):
    """The budget is exhausted."""


class SearchError(Exception):
    """The structure with this ``number`` exhausted the budget."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@lru_cache(maxsize=1 << 16)
def members(bits: int) -> tuple[int, ...]:
    """Return the members of a set of numbers, given as a bit set, in order."""
    return tuple(number for number in range(bits.bit_length()) if bits >> number & 1)


@lru_cache(maxsize=1 << 14)
def embeddings(links: Pairs, domains: tuple[int, ...], fitting: tuple[Pairs, ...]) -> Iterator[Embedding]:
    """Return the embeddings that networkx finds, cached: iterate over a copy."""
    (found,) = tee(_embeddings(links, domains, fitting), 1)
    return found


def _embeddings(links: Pairs, domains: tuple[int, ...], fitting: tuple[Pairs, ...]) -> Iterator[Embedding]:
    graph: nx.DiGraph[int] = nx.DiGraph()
    pattern: nx.DiGraph[int] = nx.DiGraph()
    for node in members(reduce(or_, domains)):
        graph.add_node(node, number=node)
    for variable, domain in enumerate(domains):
        pattern.add_node(variable, domain=domain)
    for (first, second), pairs in zip(links, fitting, strict=True):
        pattern.add_edge(first, second, pairs={*pairs})
        for pair in pairs:
            graph.add_edge(*pair, pair=pair)
    matcher = _Matcher(
        graph,
        pattern,
        node_match=lambda node, variable: variable["domain"] >> node["number"] & 1,
        edge_match=lambda edge, link: edge["pair"] in link["pairs"],
    )
    before = 0
    with suppress(BudgetError):
        for found in matcher.subgraph_monomorphisms_iter():
            yield matcher.steps - before, tuple(sorted(found, key=found.__getitem__))
            before = matcher.steps
        yield matcher.steps - before, None
        return
    yield inf, None


class _Matcher(DiGraphMatcher):
    """Counts the pairs of a node and a variable that networkx tries."""

    steps = 0

    def syntactic_feasibility(self, node: int, variable: int) -> bool:
        self.steps += 1
        if self.steps > STEPS:
            raise BudgetError
        return bool(super().syntactic_feasibility(node, variable))  # type: ignore[no-untyped-call]


class SearchBody(NamedTuple):
    """A body prepared for the search.

    ``variables`` have a name, the questions that their node must answer with yes, and those with no.  ``links`` are
    pairs of variables, ``connections`` the numbers of their connections.
    """

    variables: tuple[tuple[str, tuple[int, ...], tuple[int, ...]], ...]
    links: tuple[tuple[int, int], ...]
    connections: tuple[int, ...]


class SearchStructure(NamedTuple):
    """A structure prepared for the search: its bodies, the positive one first.

    ``asked`` are its questions about words, ``needed`` the answers that some words and edges must give: bits for words,
    followed by bits for labels.  ``lengths`` are its tests on lengths, each with the index of its layer.
    """

    bodies: tuple[SearchBody, ...]
    asked: tuple[int, ...]
    needed: int
    lengths: tuple[tuple[int, LengthComparison], ...]


class Searcher:
    """Searches shapes for structures; pass shapes frame by frame, as only the last frame is cached."""

    def __init__(self, questions: ShapeTable) -> None:
        self.questions = questions
        self._numbers: dict[tuple[LabelledWalks, bool], int] = {}
        self._structures = tuple(map(self._prepared, questions.structures))
        #: Connections between two variables: walks, and whether the variables are the same.
        self.connections = [*self._numbers]
        self._host: _Host | None = None
        #: The structures that may occur with these answers of words and edges, and their numbers.
        self._possible = lru_cache(1 << 12)(self._having)
        #: The number of steps left.
        self.left: float = inf

    def allow(self, shapes: Iterable[GraphShape]) -> None:
        """Reset the budget for these shapes."""
        self.left = STEPS + STEPS_FOR_A_PAIR * sum(shape.frame.size**2 for shape in shapes)

    def occurring(self, shape: GraphShape) -> int:
        """Return the structures that occur, as a bit set; raises ``SearchError`` if it takes too long."""
        host, columns = self._look(shape)
        answered = reduce(or_, shape.nodes, host.labels << len(self.questions.values))
        found = 0
        for number, structure in self._possible(answered):
            key = (number, *[columns[bit] for bit in structure.asked])
            verdict = host.verdicts.get(key)
            if verdict is None:
                try:
                    verdict = host.verdicts[key] = next(host.found(columns, structure), None) is not None
                except BudgetError:
                    raise SearchError(number) from None
            found |= verdict << number
        return found

    def _having(self, known: int) -> list[tuple[int, SearchStructure]]:
        return [(number, own) for number, own in enumerate(self._structures) if not own.needed & ~known]

    def matches(self, shape: GraphShape, number: int) -> Iterator[Match]:
        """Yield the matches in a shape of the structure with this number, while the budget lasts."""
        self.allow([shape])
        host, columns = self._look(shape)
        with suppress(BudgetError):
            yield from host.found(columns, self._structures[number])

    def _look(self, shape: GraphShape) -> "tuple[_Host, NodeSets]":
        if self._host is None or self._host.frame != shape.frame:
            self._host = _Host(shape.frame, self)
        columns = [0] * len(self.questions.values)
        for node, mask in enumerate(shape.nodes):
            for bit in members(mask):
                columns[bit] |= 1 << node
        return self._host, columns + self._host.degrees

    def _prepared(self, structure: GraphPattern) -> SearchStructure:
        values, labels = self.questions.values, self.questions.labels
        bodies = tuple(map(self._prepared_body, structure.bodies))
        variables = [variable for body in structure.bodies for variable in body.variables]
        asked = {values[test.attribute, test.values] for v in variables for test in v.tests}
        needed = {bit for _, true, _ in bodies[0].variables for bit in true if bit < len(values)}
        needed |= {len(values) + labels[link.labels] for link in structure.body.links if link.low}
        places = [*self.questions.lengths]
        lengths = tuple((places.index(test.layer), test) for test in structure.body.lengths)
        return SearchStructure(bodies, tuple(sorted(asked)), sum(1 << bit for bit in needed), lengths)

    def _prepared_body(self, body: StructureBody) -> SearchBody:
        values, degrees = self.questions.values, self.questions.degrees
        variables = []
        for variable in body.variables:
            asked = {(values[t.attribute, t.values], t.negated) for t in variable.tests}
            asked |= {(len(values) + degrees[test], False) for test in variable.degrees}
            true = tuple(bit for bit, negated in asked if not negated)
            false = tuple(bit for bit, negated in asked if negated)
            variables.append((variable.name, true, false))
        walks: dict[tuple[int, int], LabelledWalks] = {}
        for link in body.links:
            pair = link.source, link.target
            own = 1 << self.questions.labels[link.labels], (link.low, link.high)
            walks[pair] = (*walks.get(pair, ()), own)
        connections = [(between, first == second) for (first, second), between in walks.items()]
        numbers = [self._numbers.setdefault(own, len(self._numbers)) for own in connections]
        return SearchBody(tuple(variables), tuple(walks), tuple(numbers))


class _Host:
    """A frame prepared for searching, with the results for its shapes.

    ``labels`` are the answers of all its edges, ``degrees`` the nodes that pass each test on degrees; ``verdicts``
    tells by number and answers whether a structure occurs.
    """

    def __init__(self, frame: Frame, searcher: Searcher) -> None:
        self.frame, self._searcher = frame, searcher
        self.labels = reduce(or_, [mask for _, _, mask in frame.edges], 0)
        self.verdicts: dict[tuple[int, ...], bool] = {}
        self.degrees: NodeSets = []
        self._fitting: dict[int, tuple[int, int, Pairs]] = {}
        for test in searcher.questions.degrees:
            label = 1 << searcher.questions.labels[test.labels]
            degrees = Counter([source for source, _, mask in frame.edges if mask & label])
            usual = passes(0, test)
            passing = (passes(degrees[node], test) if node in degrees else usual for node in range(frame.size))
            self.degrees.append(sum(own << node for node, own in enumerate(passing)))

    def spend(self, steps: float) -> None:
        """Take steps from the budget, more if sets of nodes are large."""
        self._searcher.left -= steps * (1 + self.frame.size // 256)
        if self._searcher.left < 0:
            raise BudgetError

    def found(self, columns: NodeSets, structure: SearchStructure) -> Iterator[Match]:
        """Yield the matches of a structure; ``columns`` are the nodes that answer each question with yes."""
        body, *without = structure.bodies
        if all(passes(self.frame.lengths[place], test) for place, test in structure.lengths):
            for match in self._matches(columns, body, {}):
                if not any(any(self._matches(columns, other, match)) for other in without):
                    yield match

    def _matches(self, columns: NodeSets, body: SearchBody, held: Mapping[str, int]) -> Iterator[Match]:
        domains = self._domains(columns, body, held)
        fitting = self._narrow(body, domains) if len(domains) <= self.frame.size else None
        for match in self._placed(body, domains, fitting) if fitting is not None else ():
            yield {name: node for (name, _, _), node in zip(body.variables, match, strict=True)}

    def _domains(self, columns: NodeSets, body: SearchBody, held: Mapping[str, int]) -> NodeSets:
        """Return for each variable the nodes that pass its tests: the one it holds, or any that no variable holds."""
        free = (1 << self.frame.size) - 1 & ~sum([1 << node for node in held.values()])
        domains: NodeSets = []
        for name, true, false in body.variables:
            nodes = 1 << held[name] if name in held else free
            for bit in true:
                nodes &= columns[bit]
            for bit in false:
                nodes &= ~columns[bit]
            domains.append(nodes)
        return domains

    def _narrow(self, body: SearchBody, domains: NodeSets) -> list[Pairs] | None:
        """Remove nodes that no edge fits from the domains; return the pairs left, or None if a domain is empty."""
        fitting: list[Pairs] = []
        for (first, second), connection in zip(body.links, body.connections, strict=True):
            starts, ends, pairs = self._connected(connection)
            domains[first] &= starts
            domains[second] &= ends
            fitting.append(pairs)
        self.spend(1 + len(domains))
        changed = all(domains)
        if not changed:
            return None
        while changed:
            changed = False
            self.spend(sum(map(len, fitting)))
            for rank, (first, second) in enumerate(body.links):
                one, two = domains[first], domains[second]
                left = tuple([pair for pair in fitting[rank] if pair[0] & one and pair[1] & two])
                if not left:
                    return None
                if len(left) < len(fitting[rank]):
                    fitting[rank] = left
                    domains[first] = reduce(or_, [start for start, _ in left])
                    domains[second] = reduce(or_, [end for _, end in left])
                    changed = len(fitting) > 1
        return fitting

    def _connected(self, number: int) -> tuple[int, int, Pairs]:
        """Return all nodes at which a connection starts and ends, and the connected pairs."""
        if number in self._fitting:
            return self._fitting[number]
        walks, loop = self._searcher.connections[number]
        connected: Iterable[tuple[int, int]] = ()
        for rank, (label, lengths) in enumerate(walks):
            walked = {edge[:2]: None for edge in self.frame.edges if edge[2] & label}
            if lengths != (1, 1):
                steps, walked = _walked(self.frame.size, tuple(walked), *lengths)
                self.spend(steps)
            connected = [pair for pair in connected if pair in walked] if rank else walked
            self.spend(len(walked))
        # Different variables match different nodes.
        pairs = tuple([(1 << start, 1 << end) for start, end in connected if (start == end) == loop])
        starts = reduce(or_, [start for start, _ in pairs], 0)
        ends = reduce(or_, [end for _, end in pairs], 0)
        self._fitting[number] = starts, ends, pairs
        return starts, ends, pairs

    def _placed(self, body: SearchBody, domains: NodeSets, fitting: list[Pairs]) -> Iterator[Sequence[int]]:
        """Yield the node of each variable, for each match."""
        places = [node.bit_length() - 1 for node in domains]
        if domains == [1 << place for place in places]:
            yield from [places] if len({*places}) == len(places) else ()
        elif len(domains) == 2 and body.links == ((0, 1),):
            yield from ([node.bit_length() - 1 for node in pair] for pair in fitting[0])
        else:
            yield from self._embedded(body, domains, fitting)

    def _embedded(self, body: SearchBody, domains: NodeSets, fitting: list[Pairs]) -> Iterator[list[int]]:
        nodes = members(reduce(or_, domains))
        rank = {1 << node: place for place, node in enumerate(nodes)}
        ranked = tuple([sum(1 << rank[1 << n] for n in members(domain)) for domain in domains])
        edges = tuple([tuple([(rank[s], rank[t]) for s, t in pairs]) for pairs in fitting])
        # A copy starts from the first embedding.
        for steps, places in copy(embeddings(body.links, ranked, edges)):
            self.spend(steps)
            if places is not None:
                yield [nodes[place] for place in places]


@lru_cache(maxsize=1 << 12)
def _walked(
    size: int, edges: tuple[tuple[int, int], ...], low: int, high: int | None
) -> tuple[float, dict[tuple[int, int], None]]:
    successors = [0] * size
    for source, target in edges:
        successors[source] |= 1 << target
    pairs: list[tuple[int, int]] = []
    steps = 0
    # A node without outgoing edges starts only the walk of length zero.
    for start in sorted({source for source, _ in edges}) if low else range(size):
        reached, frontier = 0, 1 << start
        # A walk with more edges than nodes reaches nothing new.
        for length in range(1 + (low + size if high is None else high)):
            if length > low:
                frontier &= ~reached
            if not frontier:
                break
            if length >= low:
                reached |= frontier
            steps += 1 + frontier.bit_count()
            if steps > STEPS + STEPS_FOR_A_PAIR * size**2:
                return inf, {}
            frontier = reduce(or_, [successors[node] for node in members(frontier)])
        pairs.extend((start, end) for end in members(reached))
        steps += reached.bit_count()
    return steps, dict.fromkeys(pairs)
