"""Accept and reject the candidates of a batch, for the reasons of ``sgl.sampling.acceptance``.

``screen`` decides what a candidate's own derivation decides; ``settle`` goes through the
candidates in their order and decides what depends on those before.  These functions are plain
Python over arrays, and ``sgl.accel.draw`` compiles them as they are.

The sentences that a dataset has already are known by 128 bits of hash: MurmurHash3 (Appleby 2011, variant x64-128,
seed 0).  It is not meant to withstand texts that were made to collide.
"""

from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.sampling.acceptance import REASONS
from sgl.sampling.engine import MASK, Tables

#: Outcomes as numbers: 0, or one more than the place of the reason in ``REASONS``.
ACCEPTED = 0
TOO_LONG, REPEATED_LEMMA, UNEXPOSED_WORD, SHARE_FULL, REPEATED_SENTENCE, AMBIGUOUS = range(1, len(REASONS) + 1)

#: Seconds that plain code takes for an item: to sample it, to accept it, to sample it again.
_SECONDS = 1.5e-4


def compiled_pays(items: int) -> bool:
    """Return whether so many items are sampled faster with compiled code."""
    from sgl import accel

    return accel.pays("draw", items * _SECONDS)


class Lemmas(NamedTuple):
    """The lemmas that rules introduce, as numbers.

    Those of rule ``r`` are ``words[word_ends[r]:word_ends[r + 1]]``, and ``own`` with ``own_ends`` those of them that
    may not be repeated.
    """

    words: NDArray[np.int32]
    word_ends: NDArray[np.int32]
    own: NDArray[np.int32]
    own_ends: NDArray[np.int32]


def numbered_lemmas(tables: Tables) -> tuple[dict[str, int], Lemmas]:
    """Return the numbers of all lemmas, and those of the rules."""
    numbers: dict[str, int] = {}
    columns: list[NDArray[np.int32]] = []
    for rows in (tables.words, tables.lemmas):
        own = [numbers.setdefault(word, len(numbers)) for row in rows for word in row]
        columns += [np.array(own, np.int32), np.array([0, *accumulate(map(len, rows))], np.int32)]
    return numbers, Lemmas(*columns)


def screen(
    lemmas: Lemmas,
    rules: NDArray[np.int32],
    rule_ends: NDArray[np.int64],
    too_long: NDArray[np.uint8],
    repeated_lemmas: int,
    exposed: NDArray[np.uint8],
    rank: NDArray[np.int32],
    words_matter: int,
    verdicts: NDArray[np.uint8],
    targets: NDArray[np.int32],
    last: NDArray[np.int32],
) -> None:
    """Judge each candidate by itself, and find the rank of its target.

    ``exposed`` marks the words that may be used, ``rank`` has the place of a word among the
    targets of the stratum; if there are neither targets nor words that may not be used, words
    do not matter.  ``last``, the last candidate that has each lemma, is -1 at first.
    """
    most = len(lemmas.words)
    for row in range(len(verdicts)):
        begin, end = rule_ends[row], rule_ends[row + 1]
        verdict = TOO_LONG if too_long[row] else ACCEPTED
        target = most
        for place in range(end if repeated_lemmas else begin, end):
            rule = rules[place]
            for at in range(lemmas.own_ends[rule], lemmas.own_ends[rule + 1]):
                lemma = lemmas.own[at]
                if last[lemma] == row:
                    verdict = REPEATED_LEMMA
                last[lemma] = row
        for place in range(begin if words_matter and verdict == ACCEPTED else end, end):
            rule = rules[place]
            for at in range(lemmas.word_ends[rule], lemmas.word_ends[rule + 1]):
                word = lemmas.words[at]
                if not exposed[word]:
                    verdict = UNEXPOSED_WORD
                if 0 <= rank[word] < target:
                    target = rank[word]
        verdicts[row] = verdict
        targets[row] = target if target < most else -1


def expose(
    lemmas: Lemmas,
    rules: NDArray[np.int32],
    rule_ends: NDArray[np.int64],
    accepted: NDArray[np.bool_],
    used: NDArray[np.uint8],
    exposed: NDArray[np.uint8],
) -> None:
    """Mark the words of accepted candidates; ``used`` is a table of rules, all 0."""
    for row in range(len(accepted)):
        if accepted[row]:
            for place in range(rule_ends[row], rule_ends[row + 1]):
                used[rules[place]] = 1
    for rule in range(len(used)):
        if used[rule]:
            for at in range(lemmas.word_ends[rule], lemmas.word_ends[rule + 1]):
                exposed[lemmas.words[at]] = 1


def settle(
    verdicts: NDArray[np.uint8],
    targets: NDArray[np.int32],
    full: NDArray[np.int64],
    shares: NDArray[np.int64],
    stratum: int,
    taken_by: NDArray[np.int32],
    earlier: NDArray[np.int32],
    distinct: int,
    repeated: int,
    ambiguous: NDArray[np.bool_],
    wanted: int,
    contexts: int,
    outcomes: NDArray[np.uint8],
    taken: NDArray[np.bool_],
) -> int:
    """Find the outcome of each candidate in order until ``wanted`` are accepted; return how many.

    ``full`` is what share each target has at the end (empty if the stratum has none) and
    ``shares`` what it has so far.  With ``contexts`` targets are instances, which count when
    they have all of these.  ``taken`` is scratch.
    """
    found = 0
    for row in range(len(verdicts)):
        if found == wanted:
            return row
        outcome = verdicts[row]
        target = targets[row]
        before = earlier[row]
        taken[row] = taken[before] if before >= 0 else False
        if outcome == ACCEPTED and len(full) > 0 and (target < 0 or shares[target] >= full[target]):
            outcome = SHARE_FULL
        again = taken_by[row] >= 0 and taken_by[row] != stratum if repeated else taken_by[row] >= 0 or taken[row]
        if outcome == ACCEPTED and distinct and again:
            outcome = REPEATED_SENTENCE
        if outcome == ACCEPTED and ambiguous[row]:
            outcome = AMBIGUOUS
        if outcome == ACCEPTED:
            taken[row] = True
            if len(full) > 0:
                shares[target] += 1
            found += 1 if contexts == 0 else contexts * int(shares[target] == contexts)
        outcomes[row] = outcome
    return len(verdicts)


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


class SeenSentences:
    """Remembers the sentences that were accepted, by their hashes."""

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


def seen_sentences(tables: Tables, memory: int = MEMORY, folder: Path | None = None) -> SeenSentences:
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
