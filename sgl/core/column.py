"""Columns: many texts in one buffer, and packed strings to make them of.

A column is one array of UTF-8 bytes and where each text begins and ends in it, which is
the layout of Arrow::

    data      A dog ran.Emma slept.
    offsets   0         10         21

A pool holds the pieces that texts are made of, each once, as one number: where it begins
and how long it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

#: Bytes at the end of every buffer over which a copy of whole vectors may run.
SLACK = 64

#: A piece of a pool is ``start | length << SHIFT``.
SHIFT = 32


class Column(NamedTuple):
    """Texts as UTF-8: text ``i`` is ``data[offsets[i]:offsets[i + 1]]``.

    ``data`` may be longer than the last offset.
    """

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    @property
    def rows(self) -> int:
        """The number of texts."""
        return len(self.offsets) - 1

    @property
    def size(self) -> int:
        """The number of bytes of all texts."""
        return int(self.offsets[-1] - self.offsets[0])

    def texts(self) -> Iterator[str]:
        """Yield the texts in their order."""
        data = self.data.tobytes()
        ends = self.offsets.tolist()
        for start, end in pairwise(ends):
            yield data[start:end].decode()

    def take(self, rows: NDArray[np.int64]) -> Column:
        """Return the texts with these numbers, in this order."""
        lengths = self.offsets[rows + 1] - self.offsets[rows]
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        data = np.zeros(int(offsets[-1]) + SLACK, np.uint8)
        shift = np.repeat(self.offsets[:-1][rows] - offsets[:-1], lengths)
        data[: offsets[-1]] = self.data[np.arange(int(offsets[-1])) + shift]
        return Column(data, offsets)

    @classmethod
    def of(cls, texts: Sequence[str]) -> Column:
        """Return the column of some texts."""
        pieces = [text.encode() for text in texts]
        offsets = np.zeros(len(pieces) + 1, np.int64)
        np.cumsum([len(piece) for piece in pieces], out=offsets[1:])
        return cls(as_bytes(b"".join(pieces)), offsets)


#: What can stand before the texts of a column: a constant, a text for each, or their numbers.
Heading = str | Column | range


class StringPool:
    """Strings packed into one array of bytes, equal ones once."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._known: dict[bytes, int] = {}
        self._end = 0
        self._packed: NDArray[np.uint8] | None = None

    def add(self, text: str | bytes) -> int:
        """Return the number that stands for a text: its start and its length."""
        piece = text.encode() if isinstance(text, str) else text
        known = self._known.get(piece)
        if known is None:
            known = self._known[piece] = self._end | len(piece) << SHIFT
            self._pieces.append(piece)
            self._end += len(piece)
            self._packed = None
        return known

    def packed(self) -> NDArray[np.uint8]:
        """All strings, with slack behind them."""
        if self._packed is None:
            self._packed = as_bytes(b"".join(self._pieces))
        return self._packed


def as_bytes(data: bytes) -> NDArray[np.uint8]:
    """Return an array of these bytes that may be written, with slack behind them."""
    array = np.zeros(len(data) + SLACK, np.uint8)
    array[: len(data)] = np.frombuffer(data, np.uint8)
    return array
