"""The node labels of a graph layer, as the predicates of structures see them.

A set of labels is an integer whose bit ``i`` stands for label ``i``, so that a
node test on thousands of words is decided for all of them at once::

    0 upos=NOUN lemma=dog    1 upos=NOUN lemma=cat    2 upos=VERB lemma=see
    upos=NOUN            0b011
    lemma!=dog           0b110
    both                 0b010
"""

from __future__ import annotations

from collections.abc import Iterable

from sgl.automata.schema import Predicate
from sgl.core.structure import NodeTest

Attributes = tuple[tuple[str, str], ...]


class LabelIndex:
    """The labels of a layer; all must be added before the first test."""

    def __init__(self) -> None:
        self._number: dict[Attributes, int] = {}
        self._with_value: dict[tuple[str, str], int] = {}
        self._with_attribute: dict[str, int] = {}
        self._passing: dict[Predicate, int] = {}
        self._blocks: list[int] = []

    def add(self, attributes: Attributes) -> int:
        """The number of a label."""
        number = self._number.setdefault(attributes, len(self._number))
        bit = 1 << number
        for attribute, value in attributes:
            self._with_value[attribute, value] = self._with_value.get((attribute, value), 0) | bit
            self._with_attribute[attribute] = self._with_attribute.get(attribute, 0) | bit
        return number

    def passing(self, predicate: Predicate) -> int:
        """The labels that pass a predicate."""
        if predicate not in self._passing:
            labels = self._everything
            for test in predicate:
                labels &= self._passing_test(test)
            self._passing[predicate] = labels
        return self._passing[predicate]

    def blocks(self, predicates: Iterable[Predicate]) -> list[int]:
        """For each label the number of its block.

        Labels are in one block if they pass the same predicates, of these and
        of those that have been asked about before.
        """
        blocks = self._blocks or [self._everything]
        for predicate in predicates:
            passing = self.passing(predicate)
            halves = [half for block in blocks for half in (block & passing, block & ~passing)]
            blocks = [half for half in halves if half]
        self._blocks = blocks
        block_of = [0] * len(self._number)
        for number, block in enumerate(blocks):
            for label in _members(block):
                block_of[label] = number
        return block_of

    @property
    def _everything(self) -> int:
        return (1 << len(self._number)) - 1

    def _passing_test(self, test: NodeTest) -> int:
        labels = 0
        for value in test.values:
            labels |= self._with_value.get((test.attribute, value), 0)
        if "" in test.values:
            labels |= self._everything & ~self._with_attribute.get(test.attribute, 0)
        return self._everything & ~labels if test.negated else labels


def _members(labels: int) -> list[int]:
    """The numbers of the labels in a set, in order."""
    digits = bin(labels)[:1:-1]
    return [number for number, digit in enumerate(digits) if digit == "1"]
