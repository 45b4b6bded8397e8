"""The sentences that a dataset has: which of some candidates are new?

Sentences are known by 128 bits of hash: MurmurHash3 (Appleby 2011, variant x64-128, seed 0).
It is not meant to withstand texts that were made to collide.
"""

from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sgl.sampling.engine import Tables
from sgl.sampling.random import MASK
from sgl.sampling.screening import compiled_pays

#: Bytes that a table of many sentences may take in memory, unless it is said otherwise.
MEMORY = 1 << 30

# The constants of MurmurHash3.
C1, C2 = 0x87C37B91114253D5, 0x4CF5AD432745937F
A1, A2 = 0x52DCE729, 0x38495AB5
M1, M2 = 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53


class Earlier(NamedTuple):
    """For each candidate the stratum that took its sentence, and the candidate before it, or -1."""

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


def seen_sentences(tables: Tables, memory: int = MEMORY, folder: Path | None = None) -> Seen:
    """Return where to remember sentences; above ``memory`` bytes it is a file in ``folder``."""
    expected = tables.distinct_sentences * sum(stratum.wanted for stratum in tables.strata)
    if not compiled_pays(expected):
        return SeenSentences()
    from sgl.accel.draw import SentenceTable

    return SentenceTable(expected, memory, folder)


def hash128(text: bytes) -> tuple[int, int]:
    """Return the hash of a text as two numbers of 64 bits.

    >>> [hex(half) for half in hash128(b"The quick brown fox jumps over the lazy dog")]
    ['0xe34bbc7bbc071b6c', '0x7a433ca9c49a9347']
    """
    first = second = 0
    for at in range(0, len(text), 16):
        one = int.from_bytes(text[at : at + 8], "little") * C1 & MASK
        two = int.from_bytes(text[at + 8 : at + 16], "little") * C2 & MASK
        first ^= (one << 31 | one >> 33) * C2 & MASK
        two = (two << 33 | two >> 31) * C1 & MASK
        if at + 16 > len(text):
            # What is left at the end is mixed in, but nothing is stirred after it.
            second ^= two
            break
        first = (((first << 27 | first >> 37) & MASK) + second) * 5 + A1 & MASK
        second ^= two
        second = (((second << 31 | second >> 33) & MASK) + first) * 5 + A2 & MASK
    first ^= len(text)
    second ^= len(text)
    first, second = _final((first + second) & MASK), _final((first + 2 * second) & MASK)
    first = (first + second) & MASK
    return first, (second + first) & MASK


def _final(value: int) -> int:
    value = (value ^ value >> 33) * M1 & MASK
    value = (value ^ value >> 33) * M2 & MASK
    return value ^ value >> 33


def hash_column(data: NDArray[np.uint8], offsets: NDArray[np.int64], hashes: NDArray[np.uint64]) -> None:
    """Write the hash of each text of a column into a row of ``hashes``."""
    texts, ends = data.tobytes(), offsets.tolist()
    for row in range(len(ends) - 1):
        hashes[row] = hash128(texts[ends[row] : ends[row + 1]])
