"""Find structures in shapes: subgraph matching by networkx (VF2, Cordella et al. 2004).

A structure occurs where its body has an injective match that no ``without`` body extends.  Every variable has a
*domain*, the nodes that it may match, and a longer walk counts as one edge.  At first a domain has the nodes that pass
the tests of its variable; then every edge of the body removes the nodes at which no edge of the sentence fits it, until
nothing changes.  This is sound: a match never uses a removed node.  Where the body is one edge, the rest are matches.

Two things save searches.  A structure is searched only where each of its parts, a node or a link, has a word or an edge
that fits it by itself; if it has one part, it occurs there.  And its occurrence depends only on what it *sees* of a
shape, the edges with its labels and the answers to its questions at their ends, so each such view is searched once.
The search has a budget of steps that grows with the sizes of the shapes, as there can be very many matches.  With each
budget it begins anew, so that the result does not depend on how shapes are shared out among processes.  Sets of nodes
are integers with a bit for each.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial, reduce
from itertools import count, starmap
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

#: Connected pairs of nodes, each node as a one-element set.
Pairs = tuple[tuple[int, int], ...]

#: The walks between two variables, each as the bit of its labels and its lengths, and whether these are the same.
Connection = tuple[tuple[tuple[int, tuple[int, int | None]], ...], bool]

#: A match: for every variable of the body, the 0-based position of its token.
Match = dict[str, int]


class SearchError(Exception):
    """The budget is exhausted; ``number`` is the structure that was searched last."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@lru_cache(maxsize=1 << 16)
def members(bits: int) -> tuple[int, ...]:
    """Return the members of a set of numbers, given as a bit set, in order."""
    return tuple(number for number in range(bits.bit_length()) if bits >> number & 1)


class _Matcher(DiGraphMatcher):
    """Counts the pairs of a node and a variable that networkx tries; ``spend`` takes steps from the budget."""

    steps = 0
    spend: Callable[[float], None]

    def syntactic_feasibility(self, node: int, variable: int) -> bool:
        self.steps += 1
        self.spend(1 if self.steps <= STEPS else inf)
        return bool(super().syntactic_feasibility(node, variable))  # type: ignore[no-untyped-call]


class Answers(NamedTuple):
    """Questions that must be answered with yes, and with no, as bit sets."""

    yes: int = 0
    no: int = 0

    def given(self, answers: int) -> bool:
        """Return whether some answers are these."""
        return not (self.yes & ~answers or self.no & answers)


class Part(NamedTuple):
    """What the ends of an edge must answer, and the bit of its labels; of words, which lead to themselves, none."""

    source: Answers
    label: int
    target: Answers


class SearchBody(NamedTuple):
    """A body prepared for the search: its variables, with what their nodes must answer, and its connected pairs."""

    variables: dict[str, Answers]
    links: dict[tuple[int, int], Connection]


class Sees(NamedTuple):
    """What a structure sees of a shape: edges with its labels, and of their ends, or all words, what it asks for."""

    labels: int
    asked: int
    all_words: bool

    def view(self, frame: Frame, nodes: Sequence[int]) -> tuple[Frame, tuple[int, ...]]:
        """Return what is seen of a frame with these answers of its nodes; nodes get new numbers."""
        place = {node: node for node in range(frame.size if self.all_words else 0)}
        edges = []
        for source, end, mask in frame.edges:
            if mask & self.labels:
                ends = place.setdefault(source, len(place)), place.setdefault(end, len(place))
                edges.append((*ends, mask & self.labels))
        return Frame(len(place), tuple(edges), frame.lengths), tuple([nodes[node] & self.asked for node in place])


class SearchStructure(NamedTuple):
    """A structure prepared for the search: its bodies, the positive one first.

    ``parts`` is the set of its parts, and ``whole`` if it occurs where they have words and edges.  ``lengths`` are its
    tests on lengths, each with the index of its layer.
    """

    bodies: tuple[SearchBody, ...]
    sees: Sees
    parts: int
    whole: bool
    lengths: tuple[tuple[int, LengthComparison], ...]


class Searcher:
    """Searches shapes for structures; pass shapes frame by frame, as only the last frame's degrees are cached."""

    def __init__(self, questions: ShapeTable) -> None:
        self.questions = questions
        self._parts, self._number = defaultdict[int, dict[Part, int]](dict), count()  # by label
        self._structures = tuple(map(self._prepared, questions.structures))
        self._fitting, self._possible = lru_cache(1 << 16)(self._fitted), lru_cache(1 << 12)(self._having)
        self._degrees, self._host = lru_cache(1)(self._counted), lru_cache(1 << 14)(partial(_Host, self))
        self.connected = lru_cache(1 << 10)(self._connected)
        self.left, self.now = inf, 0  # steps; the number of the structure that is being searched

    def allow(self, shapes: Iterable[GraphShape]) -> None:
        """Reset the budget for these shapes, and forget all others."""
        for known in (self._fitting, self._host, self.connected):
            known.cache_clear()
        self.left, self.now = STEPS + STEPS_FOR_A_PAIR * sum(shape.frame.size**2 for shape in shapes), 0

    def occurring(self, shape: GraphShape) -> int:
        """Return the structures that occur, as a bit set; raises ``SearchError`` if it takes too long."""
        frame, nodes = shape.frame, self._nodes(shape)
        edges = [(nodes[source], labels, nodes[end]) for source, end, labels in frame.edges if source != end]
        edges += [(node, 0, node) for node in nodes]
        found, possible = self._possible(reduce(or_, starmap(self._fitting, edges), 0))
        for sees, numbers in possible.items():
            self.spend(1, (frame.size + len(frame.edges)) / 16)
            host = self._host(*sees.view(frame, nodes))
            for number in numbers:
                found |= host.has(number, self._structures[number]) << number
        return found

    def _fitted(self, source: int, labels: int, target: int) -> int:
        """Return the parts that an edge with these labels fits, between words with these answers."""
        own = [1 << bit for bit in members(labels)] or [0]
        parts = [part for label in own for part in self._parts[label].items()]
        self.spend(1, len(parts) / 16)
        return _bits(number for part, number in parts if part.source.given(source) and part.target.given(target))

    def _having(self, parts: int) -> tuple[int, dict[Sees, list[int]]]:
        """Return the structures that occur where these parts do and, by what they see, those that may."""
        having = [(number, own) for number, own in enumerate(self._structures) if not own.parts & ~parts]
        possible = dict[Sees, list[int]]()
        for number, own in having:
            if not own.whole:
                possible.setdefault(own.sees, []).append(number)
        return _bits(number for number, own in having if own.whole), possible

    def spend(self, size: int, steps: float) -> None:
        """Take steps from the budget, more if sets of nodes, of which there are ``size``, are large."""
        self.left -= steps * (1 + size // 256)
        if self.left < 0:
            raise SearchError(self.now)

    def _connected(self, frame: Frame, connection: Connection) -> tuple[int, int, Pairs]:
        """Return all nodes at which a connection starts and ends, and the connected pairs."""
        walks, loop = connection
        connected: Iterable[tuple[int, int]] = ()
        for rank, (label, lengths) in enumerate(walks):
            walked = {edge[:2]: None for edge in frame.edges if edge[2] & label}
            if lengths != (1, 1):
                steps, walked = _walked(frame.size, walked, *lengths)
                self.spend(frame.size, steps)
            connected = [pair for pair in connected if pair in walked] if rank else walked
            self.spend(frame.size, len(walked))
        # Different variables match different nodes.
        node = [1 << place for place in range(frame.size)]
        pairs = tuple([(node[start], node[end]) for start, end in connected if (start == end) == loop])
        starts, ends = (reduce(or_, [pair[side] for pair in pairs], 0) for side in (0, 1))
        return starts, ends, pairs

    def matches(self, shape: GraphShape, number: int) -> Iterator[Match]:
        """Yield the matches in a shape of the structure with this number, while the budget lasts."""
        self.allow([shape])
        with suppress(SearchError):
            yield from _Host(self, shape.frame, self._nodes(shape)).found(self._structures[number])

    def _nodes(self, shape: GraphShape) -> list[int]:
        """Return the answers of the nodes of a shape: about its word, then about numbers of edges."""
        return [*map(or_, shape.nodes, self._degrees(shape.frame))]

    def _counted(self, frame: Frame) -> list[int]:
        tests = [*enumerate(self.questions.degrees, len(self.questions.values))]
        answers = [_bits(bit for bit, test in tests if passes(0, test))] * frame.size
        for bit, test in tests:
            label = 1 << self.questions.labels[test.labels]
            for node, number in Counter([source for source, _, mask in frame.edges if mask & label]).items():
                answers[node] = answers[node] & ~(1 << bit) | passes(number, test) << bit
        return answers

    def _prepared(self, structure: GraphPattern) -> SearchStructure:
        body, bodies = structure.body, tuple(map(self._prepared_body, structure.bodies))
        asked = reduce(or_, [bits for own in bodies for answers in own.variables.values() for bits in answers], 0)
        labels = _bits(self.questions.labels[link.labels] for own in structure.bodies for link in own.links)
        parts = [*self._parts_of(body, [*bodies[0].variables.values()])]
        numbers = _bits(self._parts[part.label].setdefault(part, next(self._number)) for part in parts)
        lengths = tuple(([*self.questions.lengths].index(test.layer), test) for test in body.lengths)
        whole = len(parts) == 1 and len(body.links) == bool(parts[0].label) and not (lengths or structure.without)
        linked = [{end for x in own.links if x.low for end in (x.source, x.target)} for own in structure.bodies]
        all_words = any(len(ends) < len(own.variables) for ends, own in zip(linked, structure.bodies, strict=True))
        return SearchStructure(bodies, Sees(labels, asked, all_words), numbers, whole, lengths)

    def _parts_of(self, body: StructureBody, nodes: Sequence[Answers]) -> Iterator[Part]:
        """Yield the parts of a body; a longer walk to another node begins with an edge, and ends with one."""
        alone, apart = {*range(len(nodes))}, [link for link in body.links if link.source != link.target]
        for link in apart:
            label, source, target = 1 << self.questions.labels[link.labels], nodes[link.source], nodes[link.target]
            if link.low == link.high == 1:
                yield Part(source, label, target)
                alone -= {link.source, link.target}
            elif link.low:
                yield from (Part(source, label, Answers()), Part(Answers(), label, target))
        yield from (Part(nodes[number], 0, Answers()) for number in alone)

    def _prepared_body(self, body: StructureBody) -> SearchBody:
        values, degrees = self.questions.values, self.questions.degrees
        variables, links = dict[str, Answers](), dict[tuple[int, int], Connection]()
        for variable in body.variables:
            tests = [(values[test.attribute, test.values], test.negated) for test in variable.tests]
            tests += [(len(values) + degrees[test], False) for test in variable.degrees]
            yes, no = (_bits(bit for bit, negated in tests if negated == wrong) for wrong in (False, True))
            variables[variable.name] = Answers(yes, no)
        for link in body.links:
            own = 1 << self.questions.labels[link.labels], (link.low, link.high)
            walks, same = links.get((link.source, link.target), ((), link.source == link.target))
            links[link.source, link.target] = (*walks, own), same
        return SearchBody(variables, links)


def _bits(numbers: Iterable[int]) -> int:
    """Return a set of numbers as a bit set."""
    return sum(1 << number for number in {*numbers})


class _Host:
    """A view of a shape, prepared for searching; ``verdicts`` tells by number whether a structure occurs."""

    def __init__(self, searcher: Searcher, frame: Frame, nodes: Sequence[int]) -> None:
        self.frame, self.nodes, self._searcher = frame, nodes, searcher
        self.spend = partial(searcher.spend, frame.size)
        self.verdicts, self._passing = dict[int, bool](), dict[Answers, int]()

    def has(self, number: int, structure: SearchStructure) -> bool:
        """Return whether a structure occurs; raises ``SearchError`` if that takes too long."""
        self._searcher.now = number
        self.spend(1)
        if number not in self.verdicts:
            self.verdicts[number] = next(self.found(structure), None) is not None
        return self.verdicts[number]

    def found(self, structure: SearchStructure) -> Iterator[Match]:
        """Yield the matches of a structure."""
        body, *without = structure.bodies
        if all(passes(self.frame.lengths[place], test) for place, test in structure.lengths):
            for match in self._matches(body, {}):
                if not any(any(self._matches(other, match)) for other in without):
                    yield match

    def _matches(self, body: SearchBody, held: Mapping[str, int]) -> Iterator[Match]:
        domains = self._domains(body, held)
        fitting = self._narrow(body, domains) if len(domains) <= self.frame.size else None
        for match in self._placed(body, domains, fitting) if fitting is not None else ():
            yield dict(zip(body.variables, match, strict=True))

    def _domains(self, body: SearchBody, held: Mapping[str, int]) -> list[int]:
        """Return for each variable the nodes that pass its tests: the one it holds, or any that no variable holds."""
        free = (1 << self.frame.size) - 1 & ~sum([1 << node for node in held.values()])
        domains: list[int] = []
        for name, answers in body.variables.items():
            if answers not in self._passing:
                self._passing[answers] = _bits(node for node, own in enumerate(self.nodes) if answers.given(own))
            domains.append(self._passing[answers] & (1 << held[name] if name in held else free))
        return domains

    def _narrow(self, body: SearchBody, domains: list[int]) -> list[Pairs] | None:
        """Remove nodes that no edge fits from the domains; return the pairs left, or None if a domain is empty."""
        fitting: list[Pairs] = []
        for (first, second), connection in body.links.items():
            starts, ends, pairs = self._searcher.connected(self.frame, connection)
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

    def _placed(self, body: SearchBody, domains: list[int], fitting: list[Pairs]) -> Iterator[Sequence[int]]:
        """Yield the node of each variable, for each match."""
        if len(domains) == 2 and [*body.links] == [(0, 1)]:
            yield from ([node.bit_length() - 1 for node in pair] for pair in fitting[0])
            return
        nodes = members(reduce(or_, domains, 0))
        place = {1 << node: number for number, node in enumerate(nodes)}
        graph: nx.DiGraph[int] = nx.DiGraph()
        pattern: nx.DiGraph[int] = nx.DiGraph()
        graph.add_nodes_from((number, {"node": node}) for node, number in place.items())
        pattern.add_nodes_from((variable, {"domain": domain}) for variable, domain in enumerate(domains))
        for link, pairs in zip(body.links, fitting, strict=True):
            pattern.add_edge(*link, pairs={*pairs})
            for start, end in pairs:
                graph.add_edge(place[start], place[end], pair=(start, end))
        matcher = _Matcher(
            graph,
            pattern,
            node_match=lambda node, variable: variable["domain"] & node["node"],
            edge_match=lambda edge, link: edge["pair"] in link["pairs"],
        )
        matcher.spend = self.spend
        for found in matcher.subgraph_monomorphisms_iter():
            yield [nodes[number] for number in sorted(found, key=found.__getitem__)]


def _walked(
    size: int, edges: Iterable[tuple[int, int]], low: int, high: int | None
) -> tuple[float, dict[tuple[int, int], None]]:
    successors = [0] * size
    for source, target in edges:
        successors[source] |= 1 << target
    pairs, steps = list[tuple[int, int]](), 0
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
