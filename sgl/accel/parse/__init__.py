"""Read many texts with compiled code: what ``sgl.parsing.parser`` defines, many times as fast."""

from collections.abc import Sequence

import numpy as np

from sgl.accel.parse.chart_kernel import read
from sgl.accel.parse.productions import UnsuitableLayerError
from sgl.accel.parse.tables import space_for, tables_of
from sgl.core.arrays import Column, Derivations
from sgl.parsing.layer import TemplateIndex
from sgl.parsing.parser import SATURATED, BatchReadings

#: The most bytes of a text that the kernel reads, and the most entries of its chart.
_LONGEST, _ENTRIES = 4_000, 1 << 20

#: The initial room for rules of derivations, per text.
_RULES = 32


class CompiledReader:
    """A reader of texts of a layer; raises ``UnsuitableLayerError`` if it does not support the layer."""

    def __init__(self, index: TemplateIndex) -> None:
        self._tables = tables_of(index)
        self._space = space_for(self._tables, _LONGEST, _ENTRIES)

    def read(self, texts: Sequence[str]) -> tuple[BatchReadings, list[int]]:
        """Return the readings, and the indices of texts that are empty, too long, not Unicode or too large."""
        column = Column.of([text if _is_plain(text) else "" for text in texts])
        rows, done = len(texts), 0
        unread = np.diff(column.offsets) == 0
        counts, ends = np.zeros(rows), np.zeros(rows + 1, np.int64)
        rules = np.zeros((rows + 1) * _RULES, np.int32)
        while True:
            done = read(self._tables, self._space, *column, done, counts, unread, rules, ends)
            if done == rows:
                break
            rules = np.concatenate((rules, np.zeros_like(rules)))
        exact = np.minimum(counts, SATURATED).astype(np.int64)
        return BatchReadings(exact, Derivations(rules, ends)), np.flatnonzero(unread).tolist()


def _is_plain(text: str) -> bool:
    if len(text) > _LONGEST:
        return False
    try:
        return text.isascii() or len(text.encode()) <= _LONGEST
    except UnicodeEncodeError:
        return False
