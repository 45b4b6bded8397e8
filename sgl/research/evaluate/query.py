"""What a pattern asks for in an item: these words or phrases, in this position.

A generalization item of *PP in direct object → subject* is right as far as the pattern goes
if the phrase with the PP is the subject, whatever became of the rest.  What counts follows
from the structure that the items contain, by two rules:

* A pattern with ``targets`` is about words.  Asked for are the words that the structure puts
  a test on (``N[lemma in @targets]``), each in the position that the structure gives it.
* Any other pattern is about phrases.  Asked for are the words with tests as well, and the
  whole phrase of every other variable that an edge leads to or whose dependents are counted.

A variable without tests that no edge leads to is where the structure hangs; its word is not
asked for.  ::

    { V -[obj]-> N[lemma=panda] }             the word パンダ, as an object
    { V -[nsubj]-> N; N -[nmod]-> M }         the phrases 箱の中の猫 and 箱の中の, so connected
    { V[lemma=destroy, VerbForm=Part] }       the word 破壊された

In a prediction, tests on lemmas are not made again: that the Japanese word is the same says
as much, and two English words may have one Japanese one.

The automata say *whether* a derivation contains a structure; here the words that are there are
scored, so that the nodes have to be known.  ::

    { V -[nsubj]-> N; N -[nmod]-> M }      in "A cat in a box slept."
    V = slept, N = cat, M = box

The search binds the variables one after the other, those with a neighbour that is bound
already first, so that it follows edges instead of trying all nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from sgl.core.grammar import EXTRACTED
from sgl.core.graph import Graph
from sgl.core.plan import Pattern
from sgl.core.structure import Body, EdgeAtom, LabelTest, PathAtom, Structure, Variable
from sgl.research.evaluate.realization import Realization

_LEMMA = "lemma"


class Extent(Enum):
    """How much of what a variable is the head of is compared."""

    WORD = "word"
    PHRASE = "phrase"
    NOTHING = "nothing"


class TargetSpan(NamedTuple):
    """A word or phrase that is asked for, and the label of the edge that leads to it.

    The label is empty where the structure has no edge to it.
    """

    extent: Extent
    text: str
    label: str


#: One place where a structure is: its number, and what is there.
QueryMatch = tuple[int, tuple[TargetSpan, ...]]


@dataclass(frozen=True)
class PatternQuery:
    """What one pattern asks for, in any item."""

    structures: tuple[Structure, ...]
    words: bool

    @classmethod
    def of(cls, pattern: Pattern) -> PatternQuery:
        """Return the query of a pattern."""
        return cls(pattern.gen or pattern.held_out, bool(pattern.targets))

    @cached_property
    def extents(self) -> tuple[tuple[Extent, ...], ...]:
        """For each structure how much of each variable is compared."""
        return tuple(_extents(structure, words=self.words) for structure in self.structures)

    @cached_property
    def without_lemmas(self) -> tuple[Structure, ...]:
        """The structures as they are looked for in predictions."""
        return tuple(_without_lemmas(structure) for structure in self.structures)

    def in_gold(self, said: Realization) -> frozenset[QueryMatch]:
        """Return what the query asks for in an item."""
        return self._instances(said, self.structures)

    def in_prediction(self, said: Realization) -> frozenset[QueryMatch]:
        """Return what a prediction has to offer."""
        return self._instances(said, self.without_lemmas)

    def _instances(
        self, said: Realization, structures: Sequence[Structure]
    ) -> frozenset[QueryMatch]:
        scene = GraphMatcher(said.graph)
        found: set[QueryMatch] = set()
        for number, structure in enumerate(structures):
            for binding in scene.bindings(structure):
                wanted = tuple(
                    TargetSpan(
                        extent, _text(said, node, extent), _label(scene, structure, binding, place)
                    )
                    for place, (node, extent) in enumerate(
                        zip(binding, self.extents[number], strict=True)
                    )
                    if extent is not Extent.NOTHING
                )
                found.add((number, wanted))
        return frozenset(found)


def _text(said: Realization, node: int, extent: Extent) -> str:
    return said.words[node] if extent is Extent.WORD else said.phrases[node]


def _label(scene: GraphMatcher, structure: Structure, binding: tuple[int, ...], place: int) -> str:
    """Return the label of the edge of the structure that leads to a variable.

    A question word has the role that it would have in its place.  A noun with a relative
    clause has a role in the clause as well, but does not stand there: none is given.
    """
    edges = structure.body.edges
    for edge in edges:
        if edge.target == place:
            label = min(scene.labels(binding[edge.source], edge.labels, binding[place]))
            if not label.startswith(EXTRACTED):
                return label
            if all((above.source, above.target) != (place, edge.source) for above in edges):
                return label.removeprefix(EXTRACTED)
    return ""


def _extents(structure: Structure, *, words: bool) -> tuple[Extent, ...]:
    led_to = {link.target for link in structure.body.links}
    found: list[Extent] = []
    for number, variable in enumerate(structure.body.variables):
        if variable.tests:
            found.append(Extent.WORD)
        elif not words and (number in led_to or variable.degrees):
            found.append(Extent.PHRASE)
        else:
            found.append(Extent.NOTHING)
    if all(extent is Extent.NOTHING for extent in found):
        # A structure of one bare variable asks for its phrase.
        found = [Extent.PHRASE] * len(found)
    return tuple(found)


def _without_lemmas(structure: Structure) -> Structure:
    variables = tuple(
        replace(variable, tests=tuple(test for test in variable.tests if test.attribute != _LEMMA))
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

    @cached_property
    def attributes(self) -> list[dict[str, str]]:
        """The attributes of each node."""
        return [dict(node.attributes) for node in self.graph.nodes]

    def bindings(self, structure: Structure) -> list[Binding]:
        """Every injective match of the body that no ``without`` body extends."""
        body = structure.body
        return [
            binding
            for binding in self._matches(body, {})
            if not any(self._extends(body, binding, other) for other in structure.without)
        ]

    def labels(self, source: int, test: LabelTest, target: int) -> list[str]:
        """Return the labels of the edges between two nodes that pass a test."""
        return [label for label, node in self.out[source] if node == target and test.accepts(label)]

    def _extends(self, body: Body, binding: Binding, other: Body) -> bool:
        by_name = {
            variable.name: node for variable, node in zip(body.variables, binding, strict=True)
        }
        shared = {
            number: by_name[variable.name]
            for number, variable in enumerate(other.variables)
            if variable.name in by_name
        }
        # Also the nodes that the other body does not name are taken: different variables
        # of the whole structure are different nodes.
        return next(self._matches(other, shared, set(binding)), None) is not None

    def _matches(
        self, body: Body, fixed: Mapping[int, int], taken: set[int] | None = None
    ) -> Iterator[Binding]:
        bound = dict(fixed)
        if all(self._fits(body, bound, number) for number in bound):
            yield from self._bind(body, bound, {*bound.values(), *(taken or ())})

    def _bind(self, body: Body, bound: dict[int, int], taken: set[int]) -> Iterator[Binding]:
        if len(bound) == len(body.variables):
            yield tuple(bound[number] for number in range(len(bound)))
            return
        number, candidates = self._next(body, bound)
        for node in candidates:
            if node in taken:
                continue
            bound[number] = node
            if self._fits(body, bound, number):
                yield from self._bind(body, bound, {*taken, node})
            del bound[number]

    def _next(self, body: Body, bound: Mapping[int, int]) -> tuple[int, Sequence[int]]:
        """Return a variable that is not bound, and the nodes that it can be."""
        for link in body.edges:
            if link.source in bound and link.target not in bound:
                near = self.out[bound[link.source]]
                return link.target, list(dict.fromkeys(node for _, node in near))
            if link.target in bound and link.source not in bound:
                near = self.into[bound[link.target]]
                return link.source, list(dict.fromkeys(node for _, node in near))
        for path in body.paths:
            if path.source in bound and path.target not in bound:
                return path.target, sorted(self._reached(path, bound[path.source]))
        free = [number for number in range(len(body.variables)) if number not in bound]
        # What is tested on most is tried first.
        chosen = max(free, key=lambda number: (_tests(body.variables[number]), -number))
        return chosen, range(len(self.graph.nodes))

    def _fits(self, body: Body, bound: Mapping[int, int], number: int) -> bool:
        """Tell whether a bound variable passes its tests and agrees with those bound before."""
        return self._passes(body.variables[number], bound[number]) and all(
            self._holds(link, bound)
            for link in body.links
            if number in (link.source, link.target)
            and link.source in bound
            and link.target in bound
        )

    def _holds(self, link: EdgeAtom | PathAtom, bound: Mapping[int, int]) -> bool:
        source, target = bound[link.source], bound[link.target]
        if isinstance(link, EdgeAtom):
            return bool(self.labels(source, link.labels, target))
        return target in self._reached(link, source)

    def _passes(self, variable: Variable, node: int) -> bool:
        attributes = self.attributes[node]
        return all(
            test.accepts(attributes.get(test.attribute, "")) for test in variable.tests
        ) and all(
            degree.accepts(sum(degree.labels.accepts(label) for label, _ in self.out[node]))
            for degree in variable.degrees
        )

    def _reached(self, path: PathAtom, start: int) -> set[int]:
        """Return the nodes at the ends of the walks of a path from a node."""
        found: set[int] = set()
        layer = {start}
        # A walk longer than this repeats itself.
        most = path.low + len(self.graph.nodes) if path.high is None else path.high
        for length in range(most + 1):
            if length >= path.low:
                found |= layer
            layer = {
                target
                for node in layer
                for label, target in self.out[node]
                if path.labels.accepts(label)
            }
            if not layer:
                break
        return found


def _tests(variable: Variable) -> int:
    return len(variable.tests) + len(variable.degrees)
