"""The sentences that a dataset has: which of some candidates are new?

Sentences are known by their hashes (:mod:`sgl.sampling.hashing`).
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sgl.sampling.batch import SECONDS_PER_ITEM

#: Bytes that a table of many sentences may take in memory, unless it is said otherwise.
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
        """Find where the sentences of the ``asked`` candidates occurred before."""

    def add(self, hashes: NDArray[np.uint64], accepted: NDArray[np.bool_], stratum: int) -> None:
        """Take the sentences of the accepted candidates for a stratum."""


class SeenSentences:
    """Remembers the sentences that were accepted in a dictionary."""

    def __init__(self) -> None:
        self._stratum: dict[tuple[int, int], int] = {}

    def __len__(self) -> int:
        """Return the number of sentences."""
        return len(self._stratum)

    def earlier(self, hashes: NDArray[np.uint64], asked: NDArray[np.bool_]) -> Earlier:
        """Find where the sentences of the ``asked`` candidates occurred before."""
        found = Earlier(np.full(len(hashes), -1, np.int32), np.full(len(hashes), -1, np.int32))
        last: dict[tuple[int, int], int] = {}
        for row, (first, second) in enumerate(hashes.tolist()):
            if asked[row]:
                found.stratum[row] = self._stratum.get((first, second), -1)
                found.candidate[row] = last.get((first, second), -1)
                last[first, second] = row
        return found

    def add(self, hashes: NDArray[np.uint64], accepted: NDArray[np.bool_], stratum: int) -> None:
        """Take the sentences of the accepted candidates for a stratum."""
        for first, second in hashes[accepted].tolist():
            self._stratum[first, second] = stratum


def seen_sentences(expected: int, memory: int = MEMORY, folder: Path | None = None) -> Seen:
    """Return where to remember the number of sentences ``expected``.

    A table that outgrows ``memory`` bytes is kept in ``folder``, where there is compiled code.
    """
    from sgl import accel

    if not accel.pays("draw", expected * SECONDS_PER_ITEM):
        return SeenSentences()
    from sgl.accel.draw import SentenceTable

    return SentenceTable(expected, memory, folder)
