"""Define the problem of splitting: items as bags of atoms and compounds, targets and bounds.

``measure`` computes the divergences of a split by the definition.  Bounds are hard: a search refuses each step that
would break one.  For 1,000 items with a test share from 0.2 to 0.3 and at most 50 discarded, training and test together
have at least 950, and of 960 used items 192 to 288 are in test.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import le
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.core.arrays import ElementCounts, SplitDivergence, compare_counts
from sgl.diagnostics import UserError

#: The labels of items in a split.
TRAIN, TEST, DISCARDED = 0, 1, 2

SETS = ("train", "test", "discarded")


class NoSuchSplitError(UserError):
    """No split is within the bounds; the message says why."""

    code = "SGL1302"

    def __init__(self, message: str) -> None:
        super().__init__(message, "widen `--test` or `--discard`")


class SplitTarget(NamedTuple):
    """The wanted divergences.

    ``weight`` is the cost of one unit of atom divergence, and ``limit`` its maximum; a greater one is allowed only
    while no move reduces it.
    """

    compounds: float
    atoms: float = 0.0
    weight: float = 1.0
    limit: float = 1.0


class Annealing(NamedTuple):
    """The length of annealing, in moves per item."""

    moves: int = 100


class Greedy(NamedTuple):
    """The number of candidates to choose from, and of choices before new ones are sampled."""

    candidates: int = 1000
    every: int = 2


@dataclass(frozen=True, slots=True)
class Bounds:
    """The share of test among the used items, and the most items that may be discarded."""

    least: Fraction = Fraction(1, 5)
    most: Fraction = Fraction(3, 10)
    discards: int = 0

    def test_sizes(self, used: int) -> tuple[int, int]:
        """Return the smallest and largest number of test items; both sides have at least one item.

        >>> Bounds().test_sizes(960)
        (192, 288)
        """
        least = -(-self.least.numerator * used // self.least.denominator)
        return max(least, 1), min(self.most.numerator * used // self.most.denominator, used - 1)

    def start(self, items: int) -> tuple[int, int]:
        """Return the initial numbers of used items and of test items; raises ``NoSuchSplitError``."""
        used = max(self._possible(items))
        return used, sum(self.test_sizes(used)) // 2

    def fewest(self, items: int) -> int:
        """Return the smallest number of items that can be used; raises ``NoSuchSplitError``."""
        return min(self._possible(items))

    def _possible(self, items: int) -> list[int]:
        numbers = range(max(items - self.discards, 2), items + 1)
        if not (found := [used for used in numbers if le(*self.test_sizes(used))]):
            raise NoSuchSplitError(
                f"{items} items cannot be split so that {float(self.least):g} to {float(self.most):g} of them are in "
                f"test and at most {self.discards} are discarded"
            )
        return found

    def fault(self, train: int, test: int, discarded: int) -> str:
        """Return what is wrong with a split of these sizes, or "" if nothing is."""
        least, most = self.test_sizes(train + test)
        if discarded > self.discards:
            return f"{discarded} items are discarded, at most {self.discards} may be"
        if not least <= test <= most:
            return f"{test} of {train + test} items are in test, not {least} to {most}"
        return ""


class Occurrences(NamedTuple):
    """Item ``i`` has ``kinds[start[i]:start[i + 1]]``, sorted, ``times`` each, which weights count in 1 / ``unit``."""

    names: Sequence[str]
    start: NDArray[np.int64]
    kinds: NDArray[np.int32]
    times: NDArray[np.int64]
    unit: int = 1

    @property
    def items(self) -> int:
        """The number of items."""
        return len(self.start) - 1

    def totals(self, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count the occurrences of each kind in the chosen items."""
        inside = np.repeat(chosen, np.diff(self.start))
        sums = np.zeros(len(self.names), np.int64)
        np.add.at(sums, self.kinds[inside], self.times[inside])
        return sums


class Elements(NamedTuple):
    """The atoms and compounds of the same items."""

    atoms: Occurrences
    compounds: Occurrences


def count_names(rows: Iterable[Iterable[Hashable]], numbers: dict[Any, int] | None = None) -> Occurrences:
    """Count what occurs in each item; without ``numbers`` it is numbered as it first occurs.

    >>> found = count_names([["cat", "dog", "cat"], ["dog"]])
    >>> found.names, found.kinds.tolist(), found.times.tolist()
    (['cat', 'dog'], [0, 1, 1], [2, 1, 1])
    """
    numbers = {} if numbers is None else numbers
    kinds: list[int] = []
    lengths: list[int] = []
    for row in rows:
        before = len(kinds)
        kinds.extend([numbers.setdefault(name, len(numbers)) for name in row])
        lengths.append(len(kinds) - before)
    width, item = max(len(numbers), 1), np.repeat(np.arange(len(lengths)), lengths)
    keys, times = np.unique(item * width + np.array(kinds, np.int64), return_counts=True)
    start = np.searchsorted(keys, width * np.arange(len(lengths) + 1))
    return Occurrences(list(numbers), start, (keys % width).astype(np.int32), times.astype(np.int64))


def measure(
    elements: Elements, train: NDArray[np.bool_], test: NDArray[np.bool_], examples: int = 5
) -> SplitDivergence:
    """Compare the items of test with the items of training."""
    before, after = (
        ElementCounts(elements.atoms.totals(side), elements.compounds.totals(side)) for side in (train, test)
    )
    return compare_counts(before, after, elements.compounds.names, examples)
