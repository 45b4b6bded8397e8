"""What a pattern asks for in an item: these words or phrases, in this position.

Asked for are the words that the structure puts a test on, each in its position.  A pattern without
``targets`` is about phrases: asked for is also the whole phrase of every other variable that an
edge leads to or whose dependents are counted.  ::

    { V -[obj]-> N[lemma=panda] }             the word パンダ, as an object
    { V -[nsubj]-> N; N -[nmod]-> M }         the phrases 箱の中の猫 and 箱の中の, so connected

In a prediction tests on lemmas are not made again: two English words may have one Japanese one. The
search binds variables one after the other, those with a bound neighbour first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from sgl.core.grammar import EXTRACTED
from sgl.core.graph import Attributes, Graph
from sgl.core.plan import Pattern
from sgl.core.structure import Body, Link, Structure
from sgl.research.evaluate.realization import Realization


class Extent(Enum):
    """How much of what a variable is the head of is compared."""

    WORD = "word"
    PHRASE = "phrase"
    NOTHING = "nothing"


class TargetSpan(NamedTuple):
    """A word or phrase that is asked for, and the label of the structure's edge to it, if any."""

    extent: Extent
    text: str
    label: str


#: One place where a structure is: its number, and what is there.
QueryMatch = tuple[int, tuple[TargetSpan, ...]]


@dataclass(frozen=True)
class PatternQuery:
    """What one pattern asks for, in any item.

    In predictions the structures are looked for ``without_lemmas``.  ``extents`` say of each how
    much of each variable is compared.
    """

    structures: tuple[Structure, ...]
    without_lemmas: tuple[Structure, ...]
    extents: tuple[tuple[Extent, ...], ...]

    @classmethod
    def of(cls, pattern: Pattern) -> PatternQuery:
        """Return the query of a pattern."""
        structures = pattern.gen or pattern.held_out
        extents = tuple([_extents(found, words=bool(pattern.targets)) for found in structures])
        return cls(structures, tuple(map(_without_lemmas, structures)), extents)

    def matches(self, said: Realization, *, lemmas: bool = True) -> frozenset[QueryMatch]:
        """Return what is asked for in an item, or, without tests on ``lemmas``, what a prediction offers."""
        written = {Extent.WORD: said.words, Extent.PHRASE: said.phrases}
        return frozenset(
            (number, tuple([TargetSpan(extent, written[extent][node], label) for extent, node, label in places]))
            for number, places_of in enumerate(self._places[not lemmas])
            for places in places_of(said.graph)
        )

    @cached_property
    def _places(self) -> list[list[_Places]]:
        return [list(map(_Places, of, self.extents)) for of in (self.structures, self.without_lemmas)]


#: Answers about graphs that are kept at most.
_MOST_KNOWN = 1 << 14


class _Places:
    """Find a structure: each time the extent, the node and the label of all that is asked for.

    Graphs are equal to it that have the same edges, and nodes that pass the same tests.
    """

    def __init__(self, structure: Structure, extents: Sequence[Extent]) -> None:
        self._structure = structure
        self._extents = extents
        bodies = structure.body, *structure.without
        self._tests = {test for body in bodies for variable in body.variables for test in variable.tests}
        self._passed: dict[Attributes, tuple[bool, ...]] = {}
        self._known: dict[object, list[tuple[tuple[Extent, int, str], ...]]] = {}

    def __call__(self, graph: Graph) -> list[tuple[tuple[Extent, int, str], ...]]:
        passed = self._passed
        for attributes, _ in graph.nodes if self._tests else ():
            if attributes not in passed:
                value = dict(attributes).get
                passed[attributes] = tuple([test.accepts(value(test.attribute, "")) for test in self._tests])
        key = graph.edges, tuple([passed.get(attributes) for attributes, _ in graph.nodes])
        if key not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = self._found(GraphMatcher(graph))
        return self._known[key]

    def _found(self, scene: GraphMatcher) -> list[tuple[tuple[Extent, int, str], ...]]:
        structure = self._structure
        return [
            tuple(
                (extent, node, _label(scene, structure, binding, at))
                for at, (node, extent) in enumerate(zip(binding, self._extents, strict=True))
                if extent is not Extent.NOTHING
            )
            for binding in scene.bindings(structure)
        ]


def _label(scene: GraphMatcher, structure: Structure, binding: Binding, place: int) -> str:
    """Return the label of the edge of the structure that leads to a variable.

    A question word has the role that it would have in its place.  A noun with a relative
    clause has a role in the clause as well, but does not stand there: none is given.
    """
    edges = structure.body.edges
    for edge in (edge for edge in edges if edge.target == place):
        out = scene.out[binding[edge.source]]
        label = min(label for label, node in out if node == binding[place] and edge.labels.accepts(label))
        if not label.startswith(EXTRACTED) or all((e.source, e.target) != (place, edge.source) for e in edges):
            return label.removeprefix(EXTRACTED)
    return ""


def _extents(structure: Structure, *, words: bool) -> tuple[Extent, ...]:
    led_to = {link.target for link in structure.body.links}
    found = []
    for number, variable in enumerate(structure.body.variables):
        phrase = not words and (number in led_to or variable.degrees)
        found.append(Extent.WORD if variable.tests else Extent.PHRASE if phrase else Extent.NOTHING)
    # A structure of one bare variable asks for its phrase.
    return tuple([Extent.PHRASE] * len(found) if {*found} <= {Extent.NOTHING} else found)


def _without_lemmas(structure: Structure) -> Structure:
    variables = tuple(
        replace(variable, tests=tuple(test for test in variable.tests if test.attribute != "lemma"))
        for variable in structure.body.variables
    )
    return replace(structure, body=replace(structure.body, variables=variables))


#: A node for each variable of a body, by index.
Binding = tuple[int, ...]


class GraphMatcher:
    """A graph with what the search asks of it."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.out: list[list[tuple[str, int]]] = [[] for _ in graph.nodes]
        self.into: list[list[tuple[str, int]]] = [[] for _ in graph.nodes]
        for source, label, target in graph.edges:
            self.out[source].append((label, target))
            self.into[target].append((label, source))
        self._attributes = [dict(node.attributes) for node in graph.nodes]

    def bindings(self, structure: Structure) -> list[Binding]:
        """Return every injective match of the body that no ``without`` body extends."""
        found = self._bind(structure.body, {}, set())
        return [b for b in found if not any(self._extends(structure.body, b, other) for other in structure.without)]

    def _extends(self, body: Body, binding: Binding, other: Body) -> bool:
        nodes = {variable.name: node for variable, node in zip(body.variables, binding, strict=True)}
        names = [variable.name for variable in other.variables]
        shared = {number: nodes[name] for number, name in enumerate(names) if name in nodes}
        # Also the nodes that the other body does not name are taken: different variables
        # of the whole structure are different nodes.
        return (
            all(self._fits(other, shared, number) for number in shared)
            and next(self._bind(other, shared, set(binding)), None) is not None
        )

    def _bind(self, body: Body, bound: Mapping[int, int], taken: set[int]) -> Iterator[Binding]:
        if len(bound) == len(body.variables):
            yield tuple(bound[number] for number in range(len(bound)))
            return
        number, candidates = self._next(body, bound)
        for node in candidates:
            extended = {**bound, number: node}
            if node not in taken and self._fits(body, extended, number):
                yield from self._bind(body, extended, {*taken, node})

    def _next(self, body: Body, bound: Mapping[int, int]) -> tuple[int, Iterable[int]]:
        """Return a variable that is not bound, and the nodes that it can be."""
        for link in body.links:
            if link.source in bound and link.target not in bound:
                return link.target, self._ends(link, bound[link.source])
            if link.is_edge and link.target in bound and link.source not in bound:
                return link.source, dict.fromkeys(node for _, node in self.into[bound[link.target]])
        # What is tested on most is tried first.
        tests = [
            (-len(v.tests) - len(v.degrees), number) for number, v in enumerate(body.variables) if number not in bound
        ]
        return min(tests)[1], range(len(self.out))

    def _fits(self, body: Body, bound: Mapping[int, int], number: int) -> bool:
        """Tell whether a bound variable passes its tests and agrees with those bound before."""
        variable, node = body.variables[number], bound[number]
        attributes, labels = self._attributes[node], [label for label, _ in self.out[node]]
        links = (link for link in body.links if number in (link.source, link.target))
        return (
            all(test.accepts(attributes.get(test.attribute, "")) for test in variable.tests)
            and all(degree.accepts(sum(map(degree.labels.accepts, labels))) for degree in variable.degrees)
            and all(
                bound[link.target] in self._ends(link, bound[link.source])
                for link in links
                if link.source in bound and link.target in bound
            )
        )

    def _ends(self, link: Link, start: int) -> list[int]:
        """Return the nodes at the ends of an edge, or of the walks of a path, from a node."""
        # A walk longer than this repeats itself.
        most = link.low + len(self.out) if link.high is None else link.high
        found: dict[int, None] = {}
        layer = {start: None}
        for length in range(most + 1):
            if length >= link.low:
                found |= layer
            layer = {target: None for node in layer for label, target in self.out[node] if link.labels.accepts(label)}
        return list(found)
