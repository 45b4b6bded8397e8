"""Reduce graphs of phrases to what a structure sees of them: the types of lemma A.

A ``Sight`` distinguishes graphs of phrases as far as a structure does; tests/verify/soundness.md shows why it suffices.
Nodes of a graph are numbers, the ports first; ``None`` stands for a node outside.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import chain, count, product
from operator import attrgetter
from typing import Any, NamedTuple

from sgl.verify.certificate_rules import SAME, Edge, RuleFrame
from sgl.verify.schema_grammar import Flaw
from sgl.verify.structure import DegreeComparison, Labels, Link, StructureBody, passes

Node = int | None
Match = dict[int, Node]  # the nodes of variables
Shape = tuple[Any, ...]  # the relevant part of a match
Type = tuple[Any, ...]  # the relevant part of a graph
Spend = Callable[[int], None]  # takes steps from the budget
FOUND, LABEL, FREE, NONE = "found", "label", "free", "none"


class SeenLink(NamedTuple):
    """A link between two variables of a body, by number."""

    source: int
    relation: int  # its number in the sight
    target: int


class SeenBody(NamedTuple):
    """A body prepared for the search; a variable without a link gets a walk of no edges to itself."""

    rank: int
    variables: tuple[int, ...]
    links: tuple[SeenLink, ...]
    degrees: tuple[tuple[int, DegreeComparison], ...]


def names_of(tests: Sequence[Labels], frames: Sequence[RuleFrame], spend: Spend) -> dict[str, str]:
    """Return new names for the labels that pass a test: the results of all tests, and a number."""
    names, found = dict[str, str](), Counter[str]()
    labels = [edge.label for frame in frames for edge in frame.edges]
    spend(len(labels) * (1 + len(tests)))
    for label in sorted({*labels}):
        passed = "".join("01"[test.passes(label)] for test in tests)
        if "1" in passed:
            names[label] = SAME if label == SAME else f"{passed} {found[passed]}"
            found[passed] += 1
    return names


class Likeness:
    """The bodies of a structure with new names, so that structures which differ only in names have one sight.

    ``numbers`` and ``labels`` map names to new ones; each of ``variables`` has the number of its body and its own.
    """

    def __init__(self, bodies: Sequence[StructureBody], frames: Sequence[RuleFrame], spend: Spend) -> None:
        self.numbers = dict(zip(dict.fromkeys(chain(*(body.names for body in bodies))), count(), strict=False))
        self.variables = [((rank, self.numbers[x.name]), x) for rank, own in enumerate(bodies) for x in own.variables]
        tests = [link.labels for body in bodies for link in body.links]
        tests += [degree.labels for _, variable in self.variables for degree in variable.degrees]
        self.labels, self.relations = names_of(tests, frames, spend), dict[Link, int]()
        self.bodies = tuple(map(self._seen, count(), bodies))

    def _seen(self, rank: int, body: StructureBody) -> SeenBody:
        own, links = [*map(self.numbers.__getitem__, body.names)], list[SeenLink]()
        linked = {*chain(*map(attrgetter("source", "target"), body.links))}
        alone = [Link(end, Labels(frozenset()), end, 0, 0) for end in range(len(own)) if end not in linked]
        for link in (*body.links, *alone):
            relation = replace(link, source=0, target=0, labels=self._named(link.labels))
            number = self.relations.setdefault(relation, len(self.relations))
            links.append(SeenLink(own[link.source], number, own[link.target]))
        variables = dict.fromkeys(chain.from_iterable((link.source, link.target) for link in links))
        tests = [(number, test) for number, x in zip(own, body.variables, strict=True) for test in x.degrees]
        degrees = tuple((number, replace(test, labels=self._named(test.labels))) for number, test in tests)
        return SeenBody(rank, tuple(variables), tuple(links), degrees)

    def of(self, frame: RuleFrame) -> RuleFrame:
        """Return a frame with the names of its labels, without edges of other labels."""
        own = (edge._replace(label=self.labels[edge.label]) for edge in frame.edges if edge.label in self.labels)
        return frame._replace(edges=tuple(own))

    def _named(self, test: Labels) -> Labels:
        return Labels(frozenset(name for label, name in self.labels.items() if test.passes(label)))


class WalkEnd(NamedTuple):
    """A partial walk: its ends, and its number of edges so far."""

    source: int
    target: int
    length: int


class Walks(NamedTuple):
    """The walks of a relation in a graph.

    ``longer`` walks may continue outside; ``held`` are the ends of complete walks; ``near`` maps two ends, each
    possibly ``FREE``, to the matching pairs with an end in the core.
    """

    longer: frozenset[WalkEnd]
    held: set[tuple[Node, Node]]
    near: dict[tuple[Any, Any], list[tuple[Node, Node]]]


class Effect(NamedTuple):
    """A frame with the number of its nodes."""

    ports: int
    nodes: int
    edges: frozenset[Edge] | tuple[Edge, ...]
    rows: tuple[tuple[int, ...], ...]


class Phrase:
    """The graph of a phrase as a structure sees it; ``barred`` is what each node cannot be."""

    def __init__(self, sight: "Sight", effect: Effect, parts: Sequence["Phrase"], bars: frozenset[Any]) -> None:
        self.bodies, self.spend = sight.bodies, sight.spend
        self.ports: range = range(effect.ports)
        self.ends: set[Node] = {None, *self.ports}
        self.edges, self.barred = {*effect.edges}, [bars] * effect.nodes
        for row, part in zip(effect.rows, parts, strict=True):
            self._take(row, part)
        self.spend(len(self.edges) + len(self.barred))
        self._check_ends()
        self._forget(range(effect.ports, effect.nodes))
        #: The nodes that no context reaches; with `without` bodies also the ports and the outside.
        self.core: set[Node] = {*range(effect.ports, len(self.barred))}
        if len(self.bodies) > 1:
            self.core |= self.ends
        self.walks = [*map(self._walks, sight.relations)]
        self.size = sum(1 + len(self.walks[link.relation].longer) for body in self.bodies for link in body.links)

    def _check_ends(self) -> None:
        wrong = {edge for edge in self.edges if NONE in self.barred[edge.source] | self.barred[edge.target]}
        # A phrase of the derivation may have a head that is no node of the other layer.
        if any(edge.label != SAME for edge in wrong):
            raise Flaw("an edge leads to a phrase that is not a node")
        self.edges -= wrong

    def _take(self, row: Sequence[int], part: "Phrase") -> None:
        """Add a part whose ports are the nodes of a row."""
        inner = range(len(self.barred), len(self.barred) + len(part.barred) - len(row))
        name = [*row, *inner]
        for node, barred in zip(row, part.barred[: len(part.ports)], strict=True):
            if LABEL in self.barred[node] & barred or row.count(node) > 1:
                raise Flaw("a node gets two labels, or is two ports of one part")
            self.barred[node] |= barred
        self.barred += part.barred[len(row) :]
        self.edges |= {Edge(name[edge.source], edge.label, name[edge.target]) for edge in part.edges}

    def _forget(self, nodes: Iterable[int]) -> None:
        """Finish nodes that are no longer visible: their numbers of edges are final."""
        for node, body in product(nodes, self.bodies):
            if LABEL not in self.barred[node]:
                raise Flaw("a node is forgotten without a label")
            failed = [name for name, test in body.degrees if not passes(self.degree(node, test.labels), test)]
            self.barred[node] |= {(body.rank, name) for name in failed}

    def degree(self, node: int, labels: Labels) -> int:
        """Return the number of a node's outgoing edges with these labels."""
        self.spend(len(self.edges))
        return sum(edge.source == node and labels.passes(edge.label) for edge in self.edges)

    def _walks(self, relation: Link) -> Walks:
        begun = self._begun(relation)
        held: set[tuple[Node, Node]] = {(walk.source, walk.target) for walk in begun if walk.length >= relation.low}
        sources, targets = {*self.ends}, {*self.ends}
        for walk in begun:
            if walk.length != relation.high:
                sources |= {walk.source} if walk.target in self.ports else set()
                targets |= {walk.target} if walk.source in self.ports else set()
        near = self._near(held.union(product(sources, targets)))
        return Walks(begun if relation.high not in (0, 1) else frozenset(), held, near)

    def _near(self, pairs: set[tuple[Node, Node]]) -> dict[tuple[Any, Any], list[tuple[Node, Node]]]:
        """Return the pairs with an end in the core, indexed by each combination of known ends."""
        near = dict[tuple[Any, Any], list[tuple[Node, Node]]]()
        self.spend(len(pairs))
        for pair in pairs:
            if not self.core.isdisjoint(pair):
                for key in product((pair[0], FREE), (pair[1], FREE)):
                    near.setdefault(key, []).append(pair)
        return near

    def _begun(self, relation: Link) -> frozenset[WalkEnd]:
        """Return the walks within the graph that can begin, or be, a complete walk."""
        steps = [edge for edge in self.edges if relation.labels.passes(edge.label)]
        found = {WalkEnd(node, node, 0) for node in range(len(self.barred))}
        news = {*found} if relation.high != 0 else set[WalkEnd]()
        while news:
            self.spend(len(news) * len(steps) + len(found))
            longer = _longer_walks(news, steps, relation) - found
            found |= longer
            news = {walk for walk in longer if walk.length != relation.high}
        return frozenset(found)

    def matches(self, body: SeenBody, outer: Match) -> list[Match]:
        """Return the partial matches that extend a match along all links with an end in the core."""
        if any(node is not None and (body.rank, name) in self.barred[node] for name, node in outer.items()):
            return []
        found, earlier = [outer], set[int]()
        for link in body.links:
            u, _, w = link
            longer = [*chain.from_iterable(self._longer(body, link, match, earlier) for match in found)]
            self.spend(1 + len(found) + len(longer))
            found = [match for match in found if self.core.isdisjoint((match.get(u), match.get(w)))] + longer
            earlier |= {u, w}
        return found

    def _longer(self, body: SeenBody, link: SeenLink, match: Match, earlier: set[int]) -> Iterator[Match]:
        """Yield extensions of a match with all possible ends of a link, after earlier links of these variables."""
        u, relation, w = link
        for source, target in self.walks[relation].near.get((match.get(u, FREE), match.get(w, FREE)), ()):
            if (u == w) == (source == target) or source is target is None:
                ends = [(name, node) for name, node in ((u, source), (w, target)) if name not in match]
                if all(self._fits(body.rank, name, node, match, earlier) for name, node in ends):
                    yield match | {u: source, w: target}

    def _fits(self, rank: int, name: int, node: Node, match: Match, earlier: set[int]) -> bool:
        """Return whether a variable without a place can be at a node: not in the core if an earlier link has it."""
        if node is None:
            return True
        used = node in match.values() or (name in earlier and node in self.core)
        return not used and (rank, name) not in self.barred[node]

    def shape(self, body: SeenBody, match: Match) -> Shape:
        """Return the relevant part of a match: whether it is complete, its places, walks that may continue."""
        self.spend(self.size)
        given = [match.get(name) for name in body.variables]
        places = [place if place in self.ends else -1 for place in given]
        ahead, back, held = list[frozenset[Any]](), list[frozenset[Any]](), list[bool]()
        for link in body.links:
            walks, source, target = self.walks[link.relation], match.get(link.source), match.get(link.target)
            held.append((source, target) in walks.held)
            if walks.longer:
                ahead.append(self._open(walks.longer, source))
                back.append(self._open([(end, start, length) for start, end, length in walks.longer], target))
        return {*places} == {-1} and all(held), *places, *held, *ahead, *back

    def _open(self, walks: Iterable[tuple[int, int, int]], node: Node) -> frozenset[Any]:
        """Return the ports at the other ends of walks from a node, with their lengths."""
        return frozenset((end, length) for start, end, length in walks if start == node and end in self.ports)

    def type(self) -> Type:
        """Return the relevant part of the graph: its ports, and its partial matches or FOUND."""
        kept = set[Shape]()
        for match in self.matches(self.bodies[0], {}):
            own, more = self.shape(self.bodies[0], match), self._exceptions(match)
            complete = [shape[0] for shapes in more for shape in shapes]
            if own[0] and not complete:
                return FOUND, *(bars & {LABEL, NONE} for bars in self._visible)
            if not any(complete):
                kept.add((own, *map(frozenset, more)))
        return *self._visible, *self._degrees(), *self._surroundings(), frozenset(kept)

    def _exceptions(self, match: Match) -> list[list[Shape]]:
        """Return for each `without` body the shapes of the extensions of a match."""
        return [[self.shape(body, longer) for longer in self.matches(body, match)] for body in self.bodies[1:]]

    @property
    def _visible(self) -> list[frozenset[Any]]:
        return self.barred[: len(self.ports)]

    def _degrees(self) -> list[int]:
        """Return the degrees of the ports, capped at one more than the number in each test."""
        tests = [test for body in self.bodies for _, test in body.degrees]
        return [min(self.degree(port, test.labels), test.number + 1) for port in self.ports for test in tests]

    def _surroundings(self) -> tuple[frozenset[Edge], frozenset[Any]]:
        """Return the edges and the walks between ports."""
        walks = [(number, walk) for number, own in enumerate(self.walks) for walk in own.longer]
        between = frozenset(own for own in walks if self.ends.issuperset(own[1][:2]))
        return frozenset(edge for edge in self.edges if self.ends.issuperset((edge.source, edge.target))), between


def _longer_walks(walks: set[WalkEnd], steps: list[Edge], relation: Link) -> set[WalkEnd]:
    """Return walks extended by each possible step; without an upper bound, lengths from ``low`` on are one."""
    most = relation.high or max(relation.low, 1)
    ways = ((walk, edge.target) for walk in walks for edge in steps if walk.target == edge.source)
    return {WalkEnd(walk.source, end, min(walk.length + 1, most)) for walk, end in ways}


class Sight:
    """The phrases as seen by structures with these bodies and relations; examples represent types."""

    def __init__(self, bodies: tuple[SeenBody, ...], relations: tuple[Link, ...], spend: Spend) -> None:
        self.bodies, self.relations, self.spend = bodies, relations, spend
        self.examples = dict[Type, Phrase]()
        self.example = cache(self._example)
        self.whole = cache(lambda frame: cache(partial(self._whole, frame)))

    def _example(self, effect: Effect, parts: tuple[Phrase, ...] = (), bars: frozenset[Any] = frozenset()) -> Phrase:
        """Return the example for the result of applying an effect to parts."""
        phrase = Phrase(self, effect, parts, bars)
        return self.examples.setdefault(phrase.type(), phrase)

    def _whole(self, frame: RuleFrame, parts: tuple[Phrase, ...]) -> Phrase:
        """Return the example for the result of applying a frame to parts.

        The ports of a part that meets nothing are forgotten first; a part that then looks empty is left out.
        """
        self.spend(1 + len(frame.edges) + len(frame.rows))
        ends = [*range(frame.ports), *chain.from_iterable((edge.source, edge.target) for edge in frame.edges)]
        pairs = [*self._kept(frame, parts, Counter([*ends, *ends, *chain(*frame.rows)]))]
        nodes = dict.fromkeys([*ends, *chain(*(row for row, _ in pairs))])
        number = {node: place for place, node in enumerate(nodes)}
        edges = frozenset(Edge(number[s], label, number[t]) for s, label, t in frame.edges)
        rows = tuple(tuple(map(number.__getitem__, row)) for row, _ in pairs)
        return self.example(Effect(frame.ports, len(number), edges, rows), tuple(part for _, part in pairs))

    def _kept(
        self, frame: RuleFrame, parts: tuple[Phrase, ...], met: Counter[int]
    ) -> Iterator[tuple[tuple[int, ...], Phrase]]:
        """Yield the parts with their rows; close parts that meet nothing, and drop them if they then look empty."""
        for row, part in zip(frame.rows, parts, strict=True):
            if any(met[node] > 1 for node in row):
                yield row, part
                continue
            closed = self.example(Effect(0, len(row), (), (tuple(range(len(row))),)), (part,))
            if closed is not self.example(Effect(0, 0, (), ())):
                yield (), closed

    def contained(self, phrase: Phrase) -> bool:
        """Return whether a text whose graph is this phrase contains the structure."""
        *_, matches = self.whole(RuleFrame(0, (), (tuple(phrase.ports),)))((phrase,)).type()
        return matches == FOUND or any(own[0] for own, *_ in matches)

    def word(self, bars: frozenset[Any]) -> Phrase:
        """Return the example for a single node with a label."""
        return self.example(Effect(1, 1, (), ()), (), frozenset({LABEL, *bars}))
