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
from typing import NamedTuple

from sgl.core.grammar import EXTRACTED
from sgl.core.graph import Graph
from sgl.core.plan import Pattern
from sgl.core.structure import Body, Structure
from sgl.pipeline.matches import GraphFinder
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
    """What one pattern asks for, in any item: its structures, and how each is found, also without tests on lemmas."""

    structures: tuple[Structure, ...]
    _extents: tuple[tuple[Extent, ...], ...]
    _finders: tuple[list[GraphFinder], list[GraphFinder]]

    @classmethod
    def of(cls, pattern: Pattern) -> PatternQuery:
        """Return the query of a pattern."""
        structures = pattern.gen or pattern.held_out
        extents = tuple(_extents(found, words=bool(pattern.targets)) for found in structures)
        finders = [list(map(GraphFinder, found)) for found in (structures, map(_without_lemmas, structures))]
        return cls(structures, extents, (finders[0], finders[1]))

    def matches(self, said: Realization, *, lemmas: bool = True) -> frozenset[QueryMatch]:
        """Return what is asked for in an item, or, without tests on ``lemmas``, what a prediction offers."""
        return frozenset(
            (number, _spans(said, finder.body, binding, extents))
            for number, (finder, extents) in enumerate(zip(self._finders[not lemmas], self._extents, strict=True))
            for binding in finder.bindings(said.graph)
        )


def _spans(said: Realization, body: Body, binding: Sequence[int], extents: Sequence[Extent]) -> tuple[TargetSpan, ...]:
    written = {Extent.WORD: said.words, Extent.PHRASE: said.phrases}
    return tuple(
        TargetSpan(extent, written[extent][node], _label(said.graph, body, binding, place))
        for place, (node, extent) in enumerate(zip(binding, extents, strict=True))
        if extent is not Extent.NOTHING
    )


def _label(graph: Graph, body: Body, binding: Sequence[int], place: int) -> str:
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
