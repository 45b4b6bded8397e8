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

"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from sgl.core.grammar import EXTRACTED
from sgl.core.plan import Pattern
from sgl.core.structure import Structure
from sgl.research.evaluate.matcher import GraphMatcher
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
