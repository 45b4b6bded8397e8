"""What a pattern asks for in an item: these words or phrases, in this position.

Asked for are the words that the structure puts a test on, each in its position.  A pattern without
``targets`` is about phrases: asked for is also the whole phrase of every other variable that an
edge leads to or whose dependents are counted.  ::

    { V -[obj]-> N[lemma=panda] }             the word パンダ, as an object
    { V -[nsubj]-> N; N -[nmod]-> M }         the phrases 箱の中の猫 and 箱の中の, so connected

In a prediction tests on lemmas are not made again: two English words may have one Japanese one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from sgl.core.grammar import EXTRACTED
from sgl.core.graph import Attributes, Graph
from sgl.core.plan import Pattern
from sgl.core.structure import Body, Structure
from sgl.research.evaluate.realization import Realization
from sgl.verify.conllu import Sentence, WordForm
from sgl.verify.items import GraphShape, ShapeTable
from sgl.verify.search import Searcher
from sgl.verify.structure import read_structure


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
    """What one pattern asks for, in any item: its structures, and how each is found, also without tests on lemmas."""

    structures: tuple[Structure, ...]
    _places: tuple[list[_Places], list[_Places]]

    @classmethod
    def of(cls, pattern: Pattern) -> PatternQuery:
        """Return the query of a pattern."""
        structures = pattern.gen or pattern.held_out
        extents = [_extents(found, words=bool(pattern.targets)) for found in structures]
        without_lemmas = map(_without_lemmas, structures)
        return cls(structures, (list(map(_Places, structures, extents)), list(map(_Places, without_lemmas, extents))))

    def matches(self, said: Realization, *, lemmas: bool = True) -> frozenset[QueryMatch]:
        """Return what is asked for in an item, or, without tests on ``lemmas``, what a prediction offers."""
        written = {Extent.WORD: said.words, Extent.PHRASE: said.phrases}
        return frozenset(
            (number, tuple([TargetSpan(extent, written[extent][node], label) for extent, node, label in places]))
            for number, places_of in enumerate(self._places[not lemmas])
            for places in places_of(said.graph)
        )


#: Answers about graphs that are kept at most.
_MOST_KNOWN = 1 << 14


#: A node for each variable of a body, by index.
Binding = tuple[int, ...]


class _Places:
    """Find a structure: each time the extent, the node and the label of all that is asked for.

    Graphs are equal to it that have the same edges, and nodes that pass the same tests.
    """

    def __init__(self, structure: Structure, extents: Sequence[Extent]) -> None:
        self._finder = StructureFinder(structure)
        self._extents = extents
        self._known: dict[object, list[tuple[tuple[Extent, int, str], ...]]] = {}

    def __call__(self, graph: Graph) -> list[tuple[tuple[Extent, int, str], ...]]:
        shape = self._finder.shape(graph)
        key = graph.edges, shape.nodes
        if key not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = [self._asked(graph, binding) for binding in self._finder.bindings(shape)]
        return self._known[key]

    def _asked(self, graph: Graph, binding: Binding) -> tuple[tuple[Extent, int, str], ...]:
        return tuple(
            (extent, node, _label(graph, self._finder.body, binding, at))
            for at, (node, extent) in enumerate(zip(binding, self._extents, strict=True))
            if extent is not Extent.NOTHING
        )


def _label(graph: Graph, body: Body, binding: Binding, place: int) -> str:
    """Return the label of the edge of the structure that leads to a variable.

    A question word has the role that it would have in its place.  A noun with a relative
    clause has a role in the clause as well, but does not stand there: none is given.
    """
    for edge in (edge for edge in body.edges if edge.target == place):
        ends = binding[edge.source], binding[place]
        label = min(label for s, label, t in graph.edges if (s, t) == ends and edge.labels.accepts(label))
        if not label.startswith(EXTRACTED) or all((e.source, e.target) != (place, edge.source) for e in body.edges):
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


class StructureFinder:
    """Finds a structure in graphs as the verifier does: every injective match that no ``without`` body extends.

    How long texts are is not asked; a structure that is about nothing else is everywhere.
    """

    def __init__(self, structure: Structure) -> None:
        self.body = replace(structure.body, lengths=())
        written = [read_structure(str(replace(structure, body=self.body, named=False)))] if self.body.variables else []
        self._table = ShapeTable(written)
        self._searcher = Searcher(self._table)

    def shape(self, graph: Graph) -> GraphShape:
        """Return what the structure sees of a graph."""
        words = tuple([_word(attributes) for attributes, _ in graph.nodes])
        return self._table.of(Sentence(0, (), words, graph.edges))

    def bindings(self, shape: GraphShape) -> list[Binding]:
        """Return the matches, in order."""
        if not self.body.variables:
            return [()]
        names = [variable.name for variable in self.body.variables]
        return sorted(tuple([found[name] for name in names]) for found in self._searcher.matches(shape, 0))


@lru_cache(1 << 16)
def _word(attributes: Attributes) -> WordForm:
    return WordForm("", attributes, space_after=True, extracted=False)
