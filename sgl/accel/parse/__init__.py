"""Read many texts with compiled code: what ``sgl.parsing.parser`` defines, many times as fast.

The kernel is given memory as it asks for it, which is kept from text to text.
"""

from collections.abc import Sequence

import numpy as np

from sgl.accel.parse import chart_kernel
from sgl.accel.parse.productions import UnsuitableLayerError
from sgl.accel.parse.tables import Space, space_for, tables_of
from sgl.core.arrays import Column, Derivations
from sgl.parsing.layer import TemplateIndex
from sgl.parsing.parser import BatchReadings

#: Bytes of the longest text that the kernel reads.
_LONGEST = 4_000

#: Entries of a chart that there is room for at first, and at most.
_ENTRIES, _MOST_ENTRIES = 1 << 16, 1 << 22

#: Rules of a derivation that there is room for at first, for each text.
_RULES = 32


class CompiledReader:
    """Reads texts of a layer; raises ``UnsuitableLayerError`` for one that it does not read."""

    def __init__(self, index: TemplateIndex) -> None:
        self._tables = tables_of(index)
        self._space: Space | None = None

    def read(self, texts: Sequence[str], derive: bool) -> tuple[BatchReadings, list[int]]:
        """Return the readings, and the numbers of texts too long, no Unicode or too large."""
        plain = [text if _is_plain(text) else "" for text in texts]
        unread = {number for number, text in enumerate(plain) if not text}
        column = Column.of(plain)
        rows = column.rows
        counts = np.zeros(rows, np.uint64)
        rules = np.zeros(rows * _RULES + _RULES if derive else 0, np.int32)
        ends = np.zeros(rows + 1, np.int64)
        longest = int(np.diff(column.offsets).max(initial=0))
        space = self._space_for(longest, _ENTRIES)
        first = 0
        while first < rows:
            why, first = chart_kernel.read(self._tables, space, *column, first, counts, rules, ends, derive)
            if why == chart_kernel.RULES_FULL:
                rules = np.concatenate((rules, np.zeros_like(rules)))
            elif why == chart_kernel.ENTRIES_FULL and len(space.ways) < _MOST_ENTRIES:
                space = self._space_for(longest, 4 * len(space.ways))
            elif why == chart_kernel.ENTRIES_FULL:
                unread.add(first)
                ends[first + 1] = ends[first]
                first += 1
        return BatchReadings(counts, Derivations(rules, ends) if derive else None), sorted(unread)

    def _space_for(self, longest: int, entries: int) -> Space:
        space = self._space
        if space is None or len(space.reached) <= longest or len(space.ways) < entries:
            if space is not None:
                longest = max(longest, len(space.reached) - 1)
                entries = max(entries, len(space.ways))
            self._space = space = space_for(self._tables, longest, entries)
        return space


def _is_plain(text: str) -> bool:
    if len(text) > _LONGEST:
        return False
    try:
        return text.isascii() or len(text.encode()) <= _LONGEST
    except UnicodeEncodeError:
        return False
