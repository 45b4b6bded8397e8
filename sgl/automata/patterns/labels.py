"""The node labels of a graph layer, as the predicates of structures see them.

A set of labels is a mask, whose place ``i`` stands for label ``i``, so that a node
test on thousands of words is decided for all of them at once::

    0 upos=NOUN lemma=dog    1 upos=NOUN lemma=cat    2 upos=VERB lemma=see
    upos=NOUN            yes yes no
    lemma!=dog           no  yes yes
    both                 no  yes no
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sgl.automata.patterns.schema import Predicate
from sgl.core.structure import NodeTest

Attributes = tuple[tuple[str, str], ...]
Mask = NDArray[np.bool_]


class LabelIndex:
    """The labels of a layer; all must be added before the first test."""

    def __init__(self) -> None:
        self._number: dict[Attributes, int] = {}
        self._with_value: dict[str, dict[str, list[int]]] = {}
        self._passing: dict[Predicate, Mask] = {}

    def __len__(self) -> int:
        return len(self._number)

    def add(self, attributes: Attributes) -> int:
        """The number of a label."""
        number = self._number.get(attributes)
        if number is None:
            number = self._number[attributes] = len(self._number)
            for attribute, value in attributes:
                self._with_value.setdefault(attribute, {}).setdefault(value, []).append(number)
        return number

    def passing(self, predicate: Predicate) -> Mask:
        """The labels that pass a predicate; not to be changed."""
        passing = self._passing.get(predicate)
        if passing is None:
            passing = np.ones(len(self), np.bool_)
            for test in predicate:
                passing &= self._passing_test(test)
            self._passing[predicate] = passing
        return passing

    def blocks(self, predicates: Iterable[Predicate]) -> NDArray[np.intp]:
        """For each label the number of its block.

        Labels are in one block if they pass the same predicates, of these and
        of those that have been asked about before.
        """
        for predicate in predicates:
            self.passing(predicate)
        if not self._passing:
            return np.zeros(len(self), np.intp)
        answers = np.packbits(np.array(list(self._passing.values())), axis=0)
        rows = np.ascontiguousarray(answers.T)
        whole = rows.view(np.dtype((np.void, rows.shape[1]))).ravel()
        blocks: NDArray[np.intp] = np.unique(whole, return_inverse=True)[1]
        return blocks

    @cached_property
    def _with_attribute(self) -> dict[str, Mask]:
        """The labels that have an attribute."""
        return {
            attribute: self._mask(number for numbers in values.values() for number in numbers)
            for attribute, values in self._with_value.items()
        }

    def _passing_test(self, test: NodeTest) -> Mask:
        values = self._with_value.get(test.attribute, {})
        passing = self._mask(n for value in test.values for n in values.get(value, ()))
        if "" in test.values:
            present = self._with_attribute.get(test.attribute)
            passing |= True if present is None else ~present
        return ~passing if test.negated else passing

    def _mask(self, numbers: Iterable[int]) -> Mask:
        mask = np.zeros(len(self), np.bool_)
        mask[list(numbers)] = True
        return mask


def bit_sets(passing: Sequence[Mask], size: int) -> list[int]:
    """For each of ``size`` labels the set of the masks that it is in, as the bits of a number."""
    sets = [0] * size
    for number, mask in enumerate(passing):
        for label in np.flatnonzero(mask).tolist():
            sets[label] |= 1 << number
    return sets
