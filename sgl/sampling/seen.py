"""The sentences that a dataset has, as hashes: which of some candidates are new?

A sentence is known by 112 bits of its hash; the other 16 say which stratum took it.  Among
*n* sentences some two have the same 112 bits with a probability of about n² / 2¹¹³, which
is 10⁻²⁰ for ten million.  The table has open addressing and takes 24 to 48 bytes for each
sentence; one that outgrows ``memory`` bytes is kept in a file, of which the system holds in
memory what is used.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sgl.sampling.seen_kernel import commit, find, rehash

#: Rows of an empty table.
_SMALLEST = 1 << 12

#: Bytes of a row.
_ROW = 16

#: Strata that a table can tell apart.
MOST_STRATA = (1 << 16) - 2

#: Bytes that a table may take in memory, unless it is said otherwise.
MEMORY = 1 << 30


class Earlier(NamedTuple):
    """Where the sentences of some candidates occurred before.

    ``stratum[i]`` is the number of the stratum that took the sentence of candidate ``i``,
    or -1; ``candidate[i]`` is the candidate before ``i`` that has the same sentence, or -1.
    """

    stratum: NDArray[np.int32]
    candidate: NDArray[np.int32]


class Seen(Protocol):
    """Remembers the sentences that were accepted, wherever it keeps them."""

    def earlier(self, hashes: NDArray[np.uint64], asked: NDArray[np.bool_]) -> Earlier:
        """Where the sentences of the ``asked`` candidates occurred before."""

    def add(self, hashes: NDArray[np.uint64], accepted: NDArray[np.bool_], stratum: int) -> None:
        """Take the sentences of the accepted candidates for a stratum."""


class SeenSentences:
    """The hashes of all sentences that were accepted."""

    def __init__(self, memory: int = MEMORY, folder: Path | None = None, expected: int = 0) -> None:
        """``folder`` is where a table that outgrows ``memory`` bytes is kept.

        For the number of sentences ``expected`` there is room from the beginning, in memory.
        """
        self._memory = memory
        self._folder = folder
        self._rows = self._new(min(_rows_for(expected), _fitting(memory)))
        self._taken = 0

    def __len__(self) -> int:
        """The number of sentences."""
        return self._taken

    def earlier(self, hashes: NDArray[np.uint64], asked: NDArray[np.bool_]) -> Earlier:
        """Where the sentences of the ``asked`` candidates occurred before."""
        found = Earlier(np.full(len(hashes), -1, np.int32), np.full(len(hashes), -1, np.int32))
        scratch = np.full(_power(2 * len(hashes)), -1, np.int32)
        find(self._rows, hashes, asked, found.stratum, found.candidate, scratch)
        return found

    def add(self, hashes: NDArray[np.uint64], accepted: NDArray[np.bool_], stratum: int) -> None:
        """Take the sentences of the accepted candidates for a stratum.

        Raises ``ValueError`` for a stratum from number ``MOST_STRATA`` on.
        """
        if stratum >= MOST_STRATA:
            raise ValueError(f"a table tells {MOST_STRATA:,} strata apart")
        self._make_room(int(np.count_nonzero(accepted)))
        self._taken += commit(self._rows, hashes, accepted, stratum)

    def _make_room(self, more: int) -> None:
        """Grow to the size for so many more sentences."""
        needed = _rows_for(self._taken + more)
        if needed > len(self._rows):
            rows = self._new(needed)
            rehash(self._rows, rows)
            self._rows = rows

    def _new(self, rows: int) -> NDArray[np.uint64]:
        if rows * _ROW <= self._memory:
            return np.zeros((rows, 2), np.uint64)
        # The file has no name: it goes when the array goes.
        with tempfile.TemporaryFile(dir=self._folder) as file:
            if hasattr(os, "posix_fallocate"):
                # A full disk is an error now, and not a signal that ends the process later.
                os.posix_fallocate(file.fileno(), 0, rows * _ROW)
            file.truncate(rows * _ROW)
            mapped = np.memmap(file, np.uint64, "r+", shape=(rows, 2))
        # A plain array over the same memory: kernels have one signature.
        return np.asarray(mapped)


def _rows_for(sentences: int) -> int:
    """The size of a table of which at most two thirds are taken."""
    return _power(sentences * 3 // 2)


def _fitting(memory: int) -> int:
    """The largest table in so many bytes, or the smallest there is."""
    return max(_SMALLEST, 1 << max(memory // _ROW, 1).bit_length() - 1)


def _power(number: int) -> int:
    """The smallest power of two that is not smaller, and no smaller than an empty table."""
    return max(_SMALLEST, 1 << max(number - 1, 0).bit_length())
