"""Items as bags of atoms and bags of compounds, in flat arrays.

Whatever atoms and compounds are, of a split only their numbers matter::

    item 0  cat+Sing               atoms  cat Sing              compounds  cat+Sing
    item 1  cat+Sing dog+Plur      atoms  cat Sing dog Plur     compounds  cat+Sing dog+Plur

    compounds.names   cat+Sing  dog+Plur
    compounds.start   0  1  3
    compounds.kinds   0  0  1        item 1 has the kinds 0 and 1,
    compounds.times   1  1  1        each once
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Occurrences(NamedTuple):
    """What occurs in items: item ``i`` has ``kinds[start[i]:start[i + 1]]``, in their order.

    ``times`` says how often; with weights it counts in ``unit`` parts of 1.
    """

    names: Sequence[str]
    start: NDArray[np.int64]
    kinds: NDArray[np.int32]
    times: NDArray[np.int64]
    unit: int = 1

    @property
    def items(self) -> int:
        """How many items there are."""
        return len(self.start) - 1

    def totals(self, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        """How often each kind occurs in the chosen items."""
        inside = np.repeat(chosen, np.diff(self.start))
        sums = np.zeros(len(self.names), np.int64)
        np.add.at(sums, self.kinds[inside], self.times[inside])
        return sums

    def only(self, kept: NDArray[np.bool_]) -> Occurrences:
        """The occurrences of the kinds that are kept, with new numbers."""
        number = np.cumsum(kept) - 1
        inside = kept[self.kinds]
        row = np.repeat(np.arange(self.items), np.diff(self.start))[inside]
        names = [name for name, keep in zip(self.names, kept.tolist(), strict=True) if keep]
        kinds = number[self.kinds[inside]].astype(np.int32)
        return Occurrences(names, _starts(row, self.items), kinds, self.times[inside], self.unit)


class Elements(NamedTuple):
    """The atoms and compounds of the same items."""

    atoms: Occurrences
    compounds: Occurrences


def counted(
    names: Sequence[str], items: int, item: NDArray[np.int64], kind: NDArray[np.int64]
) -> Occurrences:
    """Occurrences from one pair (item, kind) for each time that something occurs."""
    width = max(len(names), 1)
    keys, times = np.unique(item * width + kind, return_counts=True)
    row, kinds = np.divmod(keys, width)
    start = _starts(row, items)
    return Occurrences(names, start, kinds.astype(np.int32), times.astype(np.int64))


def listed(rows: Iterable[Iterable[str]]) -> Occurrences:
    """Occurrences from the names of what occurs in each item."""
    numbers: dict[str, int] = {}
    kinds: list[int] = []
    lengths: list[int] = []
    for row in rows:
        before = len(kinds)
        kinds.extend([numbers.setdefault(name, len(numbers)) for name in row])
        lengths.append(len(kinds) - before)
    item = np.repeat(np.arange(len(lengths)), lengths)
    return counted(list(numbers), len(lengths), item, np.array(kinds, np.int64))


def _starts(row: NDArray[np.int64], items: int) -> NDArray[np.int64]:
    """Where the entries of each item begin, if they are sorted by item."""
    start = np.zeros(items + 1, np.int64)
    np.cumsum(np.bincount(row, minlength=items), out=start[1:])
    return start
