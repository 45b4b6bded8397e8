"""Which sentences occur more than once, within a corpus file and across files.

Of every sentence eight bytes of its BLAKE2 hash are kept, so that a corpus of any
size can be compared; among ten million sentences two different ones are taken for
the same with a probability of about 10⁻⁶.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Shared:
    """Sentences of two files: ``rows`` of the second whose sentence is in the first.

    ``distinct`` counts each of these sentences once.  Files are given by index.
    """

    first: int
    second: int
    rows: int
    distinct: int


class Fingerprints:
    """The hashes of the sentences of one file."""

    def __init__(self) -> None:
        self._hashes = array("Q")

    def add(self, sentence: str) -> None:
        """Take note of a sentence."""
        digest = blake2b(sentence.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        self._hashes.append(int.from_bytes(digest, "little"))

    def counted(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The distinct hashes, sorted, and how often each occurs."""
        hashes = np.frombuffer(self._hashes, np.uint64) if self._hashes else np.empty(0, np.uint64)
        return np.unique(hashes, return_counts=True)


def distinct_and_shared(files: list[Fingerprints]) -> tuple[list[int], list[Shared]]:
    """The number of distinct sentences of each file, and what each pair of files shares."""
    counted = [file.counted() for file in files]
    shared: list[Shared] = []
    for (first, (known, _)), (second, (hashes, counts)) in combinations(enumerate(counted), 2):
        common = np.isin(hashes, known, assume_unique=True)
        shared.append(Shared(first, second, int(counts[common].sum()), int(common.sum())))
    return [len(hashes) for hashes, _ in counted], shared
