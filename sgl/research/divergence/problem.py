"""What a split is asked to be: its targets, its bounds, and how to search for it.

Bounds are hard: a search refuses each step that would break one.  Of 1,000 items with a
test share from 0.2 to 0.3 and at most 50 discarded, training and test together have at
least 950, and of 960 that are used 192 to 288 are in test.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from operator import le
from typing import NamedTuple

#: Labels of items in a split.
TRAIN, TEST, DISCARDED = 0, 1, 2

SETS = ("train", "test", "discarded")


class NoSuchSplitError(Exception):
    """No split keeps to the bounds; the message says why."""


class SplitTarget(NamedTuple):
    """The divergences that are wanted.

    ``weight`` is what one unit of atom divergence counts, ``limit`` how great it may be at
    most; a greater one is allowed only while no move makes it smaller.
    """

    compounds: float
    atoms: float = 0.0
    weight: float = 1.0
    limit: float = 1.0


class Annealing(NamedTuple):
    """How long to anneal: so many moves for each item."""

    moves: int = 100


class Greedy(NamedTuple):
    """How many candidates to choose from, and after how many choices to sample new ones."""

    candidates: int = 1000
    every: int = 2


@dataclass(frozen=True, slots=True)
class Bounds:
    """The share of test among the items that are used, and how many may be discarded."""

    least: Fraction = Fraction(1, 5)
    most: Fraction = Fraction(3, 10)
    discards: int = 0

    def test_sizes(self, used: int) -> tuple[int, int]:
        """Return the least and greatest number of test items; both sides have at least one.

        >>> Bounds().test_sizes(960)
        (192, 288)
        """
        least = -(-self.least.numerator * used // self.least.denominator)
        return max(least, 1), min(self.most.numerator * used // self.most.denominator, used - 1)

    def start(self, items: int) -> tuple[int, int]:
        """Return how many items are used at first, and in test; raises ``NoSuchSplitError``."""
        used = max(self._possible(items))
        return used, sum(self.test_sizes(used)) // 2

    def fewest(self, items: int) -> int:
        """Return the smallest number of items that can be used; raises ``NoSuchSplitError``."""
        return min(self._possible(items))

    def _possible(self, items: int) -> list[int]:
        """Return the numbers of used items that allow a number in test."""
        numbers = range(max(items - self.discards, 2), items + 1)
        found = [used for used in numbers if le(*self.test_sizes(used))]
        if not found:
            raise NoSuchSplitError(
                f"{items} items cannot be split so that {float(self.least):g} to "
                f"{float(self.most):g} of them are in test and at most {self.discards} are "
                "discarded"
            )
        return found

    def fault(self, train: int, test: int, discarded: int) -> str:
        """Return what is wrong with a split of these sizes; empty if nothing is."""
        least, most = self.test_sizes(train + test)
        if discarded > self.discards:
            return f"{discarded} items are discarded, at most {self.discards} may be"
        if not least <= test <= most:
            return f"{test} of {train + test} items are in test, not {least} to {most}"
        return ""
