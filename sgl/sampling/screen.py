"""The lemmas of rules as numbers, for the kernels that judge candidates."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.sampling.distinct import REASONS
from sgl.sampling.engine import Tables

#: Outcomes as numbers: 0, or one more than the place of the reason in ``REASONS``.
ACCEPTED = 0
TOO_LONG, REPEATED_LEMMA, UNEXPOSED_WORD, SHARE_FULL, REPEATED_SENTENCE, AMBIGUOUS = range(
    1, len(REASONS) + 1
)


#: The bit of rules that repeat a lemma by themselves, for all that is known.
ALWAYS = np.uint64(1 << 63)


class Lemmas(NamedTuple):
    """The lemmas that rules introduce, as numbers.

    Those of rule ``r`` are ``words[word_ends[r]:word_ends[r + 1]]``, and ``own`` with
    ``own_ends`` those of them that may not be repeated.  ``own_bits`` has one of 63 bits
    for each of these: where rules have no bit in common they have no lemma in common.
    """

    words: NDArray[np.int32]
    word_ends: NDArray[np.int32]
    own: NDArray[np.int32]
    own_ends: NDArray[np.int32]
    own_bits: NDArray[np.uint64]


class LemmaIndex:
    """The lemmas of all rules, and the number of each."""

    def __init__(self, tables: Tables) -> None:
        self.numbers: dict[str, int] = {}
        words = [[self._number(word) for word in of_rule] for of_rule in tables.words]
        own = [[self._number(word) for word in of_rule] for of_rule in tables.lemmas]
        bits = np.array([_bits(lemmas) for lemmas in own] or [0], np.uint64)
        self.lemmas = Lemmas(*_flat(words), *_flat(own), bits)

    def _number(self, word: str) -> int:
        return self.numbers.setdefault(word, len(self.numbers))

    def ranks(self, targets: Sequence[str]) -> NDArray[np.int32]:
        """For each lemma its place among ``targets``, or -1."""
        ranks = np.full(max(len(self.numbers), 1), -1, np.int32)
        for rank, target in reversed(list(enumerate(targets))):
            if target in self.numbers:
                ranks[self.numbers[target]] = rank
        return ranks


def _bits(lemmas: Sequence[int]) -> int:
    bits = {1 << lemma % 63 for lemma in lemmas}
    return sum(bits) if len(bits) == len(lemmas) else sum(bits) | int(ALWAYS)


def _flat(rows: Sequence[Sequence[int]]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    ends = [0, *accumulate(len(row) for row in rows)]
    return np.array([n for row in rows for n in row], np.int32), np.array(ends, np.int32)
