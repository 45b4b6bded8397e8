"""Random structures over the labels, attributes and words of a grammar.

Half of them are made at random and half after a part of a real graph, with its
labels and values widened or changed, so that many of them occur somewhere and
many fail by little::

    saw -nsubj-> dog -amod-> old      { A -[nsubj|obj]-> B[upos=NOUN]; B -[^det]-> C }

All kinds of statements take part: sets of labels and their complements, any label,
tests on attributes and degrees, bounded and unbounded paths, chains as `repeat`
writes them, and up to two ``without`` bodies.

``random_structure`` asks nothing of its source of randomness but the methods of
``random.Random``; the property tests give it one that hypothesis controls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from sgl.core.grammar import CoreGrammar
from sgl.core.graph import Graph
from sgl.core.structure import Body, Comparison, DegreeTest, LabelTest, Link, NodeTest, Structure, Variable

COMPARISONS: tuple[Comparison, ...] = ("=", ">=", "<=")


@dataclass(frozen=True, slots=True)
class Words:
    """What structures can mention: labels, and the values of each attribute."""

    labels: tuple[str, ...]
    values: Mapping[str, tuple[str, ...]]


def words_of(grammar: CoreGrammar, layer: int = 0) -> Words:
    """The labels and values of a graph layer, sorted."""
    labels: set[str] = set()
    values: dict[str, set[str]] = {}
    for rule in grammar.rules:
        fragment = rule.fragments[layer]
        labels.update(edge.label for edge in fragment.edges)
        for node in fragment.nodes:
            for name, value in node.attributes or ():
                values.setdefault(name, {""}).add(value)
    return Words(tuple(sorted(labels)), {name: tuple(sorted(values[name])) for name in sorted(values)})


def random_structure(random: Random, words: Words, graphs: Sequence[Graph] = (), layer: str = "syn") -> Structure:
    """A structure; every second one is made after one of ``graphs``, if there are any."""
    maker = _Maker(random, words)
    kind = random.randrange(10)
    if kind == 0:
        body = maker.chain()
    elif kind <= 5 and graphs:
        body = maker.like(graphs[random.randrange(len(graphs))])
    else:
        body = maker.body((), "V", random.randint(1, 4))
    outer = tuple(variable.name for variable in body.variables)
    without = tuple(
        maker.body(_some(random, outer), f"W{number}", random.randint(0, 2))
        for number in range(random.choice((0, 0, 0, 1, 1, 2)))
    )
    return Structure(layer, body, tuple(other for other in without if other.variables))


def _some(random: Random, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in names if random.randrange(2))


class _Maker:
    """Makes the parts of structures."""

    def __init__(self, random: Random, words: Words) -> None:
        self.random = random
        self.words = words

    def body(self, outer: Sequence[str], prefix: str, new: int) -> Body:
        """A body over the variables ``outer`` and some new ones."""
        names = (*outer, *(f"{prefix}{number}" for number in range(new)))
        variables = tuple(self.variable(name) for name in names)
        links: list[Link] = []
        # Mostly each variable is tied to an earlier one; a body may also fall apart.
        for target in range(1, len(names)):
            if self.random.randrange(6):
                self.tie(self.random.randrange(target), target, links)
        if len(names) > 1 and not self.random.randrange(4):
            first, second = self.random.sample(range(len(names)), 2)
            self.tie(first, second, links)
        return Body(variables, tuple(links))

    def tie(self, first: int, second: int, links: list[Link]) -> None:
        """An edge or a path between two variables, in either direction."""
        source, target = (first, second) if self.random.randrange(3) else (second, first)
        if self.random.randrange(4):
            links.append(Link(source, self.labels(), target))
            return
        low = self.random.choice((0, 1, 1, 1, 2, 3))
        high = None if self.random.randrange(2) else low + self.random.randrange(3)
        links.append(Link(source, self.labels(), target, low, high))

    def variable(self, name: str) -> Variable:
        """A variable with at most one test of each kind."""
        tests = (self.test(),) if not self.random.randrange(3) else ()
        degrees = (self.degree(),) if not self.random.randrange(6) else ()
        return Variable(name, tests, degrees)

    def test(self) -> NodeTest:
        """A test on an attribute, with values that it has somewhere."""
        attribute = self.random.choice(sorted(self.words.values))
        values = self.words.values[attribute]
        chosen = {self.random.choice(values) for _ in range(self.random.randint(1, 3))}
        return NodeTest(attribute, frozenset(chosen), not self.random.randrange(3))

    def degree(self) -> DegreeTest:
        """A test on the number of outgoing edges."""
        return DegreeTest(self.labels(), self.random.choice(COMPARISONS), self.random.randint(0, 3))

    def labels(self, around: str | None = None) -> LabelTest:
        """A set of labels, its complement, or any label; ``around`` one that passes."""
        random = self.random
        if not random.randrange(6):
            return LabelTest(frozenset(), negated=True)
        chosen = {random.choice(self.words.labels) for _ in range(random.randint(1, 4))}
        negated = not random.randrange(4)
        if around is not None:
            chosen = chosen - {around} if negated else chosen | {around}
        return LabelTest(frozenset(chosen), negated)

    def chain(self) -> Body:
        """What ``repeat`` abbreviates: links of one or two edges, one after the other."""
        random = self.random
        link = [(self.labels(), random.randrange(3) > 0) for _ in range(random.randint(1, 2))]
        edges = []
        last = 0
        for labels, forwards in link * random.randint(2, 4 // len(link)):
            ends = (last, last + 1) if forwards else (last + 1, last)
            edges.append(Link(ends[0], labels, ends[1]))
            last += 1
        variables = tuple(self.variable(f"V{number}") for number in range(last + 1))
        return Body(variables, tuple(edges))

    def like(self, graph: Graph) -> Body:
        """A connected part of a graph with its labels and values widened."""
        nodes = self.part(graph, self.random.randint(1, 4))
        place = {node: number for number, node in enumerate(nodes)}
        variables = tuple(
            Variable(f"V{number}", self.tests_of(graph, node), self.degrees_of(graph, node))
            for number, node in enumerate(nodes)
        )
        links: list[Link] = []
        for source, label, target in graph.edges:
            if source in place and target in place and self.random.randrange(8):
                ends = place[source], place[target]
                if self.random.randrange(6):
                    links.append(Link(ends[0], self.labels(label), ends[1]))
                else:
                    high = self.random.choice((None, 2))
                    links.append(Link(ends[0], self.labels(label), ends[1], 1, high))
        return Body(variables, tuple(links))

    def part(self, graph: Graph, size: int) -> list[int]:
        """Up to ``size`` nodes, each joined to an earlier one."""
        nodes = [self.random.randrange(len(graph.nodes))]
        while len(nodes) < size:
            near = sorted({t for s, _, t in graph.edges if s in nodes} | {s for s, _, t in graph.edges if t in nodes})
            near = [node for node in near if node not in nodes]
            if not near:
                break
            nodes.append(self.random.choice(near))
        return nodes

    def tests_of(self, graph: Graph, node: int) -> tuple[NodeTest, ...]:
        """Sometimes a test that the node passes, rarely one that it may fail."""
        chance = self.random.randrange(8)
        if chance > 3:
            return ()
        if chance == 0:
            return (self.test(),)
        attribute = self.random.choice(sorted(self.words.values))
        value = graph.nodes[node].get(attribute)
        return (NodeTest(attribute, frozenset((value, *self.test().values))),)

    def degrees_of(self, graph: Graph, node: int) -> tuple[DegreeTest, ...]:
        """Sometimes a test on the node's degree, right or off by one."""
        if self.random.randrange(6):
            return ()
        labels = self.labels()
        degree = sum(labels.accepts(label) for source, label, _ in graph.edges if source == node)
        number = max(0, degree + self.random.choice((0, 0, 0, 1, -1)))
        return (DegreeTest(labels, self.random.choice(COMPARISONS), number),)
