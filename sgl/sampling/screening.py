"""Accept and reject the candidates of a batch, for the reasons of ``sgl.sampling.acceptance``.

``screen`` makes the decisions that depend only on a candidate's own derivation; ``settle`` goes through the candidates
in order and makes those that depend on earlier ones.  These functions are plain Python over arrays, and
``sgl.accel.draw`` compiles them unchanged.

Accepted sentences are recognised by 128-bit hashes.
"""

import os
import sys
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.core.arrays import Column
from sgl.disk import unnamed
from sgl.sampling.acceptance import REASONS
from sgl.sampling.engine import Tables

Bits = NDArray[np.uint64]
Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]

#: Outcomes as numbers: 0 for accepted, else the index of the reason in ``REASONS`` plus 1.
ACCEPTED = 0
TOO_LONG, REPEATED_LEMMA, UNEXPOSED_WORD, SHARE_FULL, REPEATED_SENTENCE, AMBIGUOUS = range(1, len(REASONS) + 1)

#: Seconds that plain code takes per item, to sample it, accept it and sample it again.
_SECONDS = 1.5e-4


def compiled_pays(items: int) -> bool:
    """Return whether compiled code samples this many items faster."""
    from sgl import accel

    return accel.pays("draw", items * _SECONDS)


def code_for(items: int) -> Any:  # noqa: ANN401 - a module
    """Return the module with the fastest functions for this many items: this one or its compiled version."""
    if not compiled_pays(items):
        return sys.modules[__name__]
    from sgl.accel import draw

    return draw


class Lemmas(NamedTuple):
    """The lemmas that rules introduce, as numbers.

    Rule ``r`` has ``words[word_ends[r]:word_ends[r + 1]]``; ``own`` with ``own_ends`` has the ones that may not be
    repeated.
    """

    words: NDArray[np.int32]
    word_ends: NDArray[np.int32]
    own: NDArray[np.int32]
    own_ends: NDArray[np.int32]


def numbered_lemmas(tables: Tables) -> tuple[dict[str, int], Lemmas]:
    """Return the number of each lemma, and the lemmas of all rules as numbers."""
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

    ``exposed`` marks the words that may be used, and ``rank`` has the index of a word among the targets of the stratum;
    if there are no targets and every word may be used, ``words_matter`` is 0.  ``last``, the last candidate that has
    each lemma, is -1 at first.
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
    """Mark the words of accepted candidates as exposed; ``used`` has an entry for each rule, 0 at first."""
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
    """Decide each candidate in order until ``wanted`` are accepted; return how many were decided.

    ``full`` has the final share of each target (empty if the stratum has none), and ``shares`` its share so far.  With
    ``contexts``, targets are instances, which count once they have all their contexts.  ``taken`` is scratch.
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


#: The default limit on the memory of a table of sentences, in bytes.
MEMORY = 1 << 30

#: The rows of an empty table, a power of two, and the bytes per row.
_SMALLEST, _ROW = 1 << 12, 24

_ONE = np.uint64(1)


def slot(rows: Bits, first: np.uint64, second: np.uint64) -> np.int64:
    """Return the row of a hash, or the free row where it belongs.

    A row has both halves of a hash and a non-zero number.
    """
    mask = np.uint64(len(rows) - 1)
    at = first & mask
    while rows[at, 2] != 0 and (rows[at, 0] != first or rows[at, 1] != second):
        at = (at + _ONE) & mask
    return np.int64(at)


def find(rows: Bits, hashes: Bits, asked: Flags, stratum: Ints, earlier: Ints, scratch: Ints) -> None:
    """Find for each candidate the stratum that has its sentence and the previous candidate with it.

    ``scratch`` is a table of candidates, all -1, with at least twice as many rows as candidates.
    """
    mask = np.uint64(len(scratch) - 1)
    for candidate in range(len(hashes)):
        if not asked[candidate]:
            continue
        first, second = hashes[candidate, 0], hashes[candidate, 1]
        # A free row has number 0, which becomes -1.
        stratum[candidate] = np.int32(rows[slot(rows, first, second), 2]) - 1
        at = first & mask
        while scratch[at] >= 0:
            other = scratch[at]
            if hashes[other, 0] == first and hashes[other, 1] == second:
                earlier[candidate] = other
                break
            at = (at + _ONE) & mask
        scratch[at] = candidate


def commit(rows: Bits, hashes: Bits, accepted: Flags, stratum: int) -> int:
    """Enter the accepted candidates of a stratum and return the number of new hashes."""
    added = 0
    for candidate in range(len(hashes)):
        if accepted[candidate]:
            first, second = hashes[candidate, 0], hashes[candidate, 1]
            row = slot(rows, first, second)
            added += rows[row, 2] == 0
            rows[row, 0], rows[row, 1], rows[row, 2] = first, second, np.uint64(stratum + 1)
    return added


def rehash(old: Bits, new: Bits) -> None:
    """Copy all rows of a table into a larger one."""
    for row in range(len(old)):
        if old[row, 2] != 0:
            at = slot(new, old[row, 0], old[row, 1])
            new[at, 0], new[at, 1], new[at, 2] = old[row, 0], old[row, 1], old[row, 2]


class Earlier(NamedTuple):
    """For each candidate, the stratum that took its sentence and the previous candidate with it, or -1."""

    stratum: Ints
    candidate: Ints


class SeenSentences:
    """The hashes of all accepted sentences.

    Among *n* sentences, two have the same hash with probability of about n² / 2¹²⁹, which is 10⁻²⁵ for ten million.
    The table uses open addressing and takes 36 to 72 bytes per sentence.  The number in a row is that of the stratum,
    counting from 1.
    """

    def __init__(self, expected: int = 0, memory: int = MEMORY, folder: Path | None = None) -> None:
        """Expect this many sentences; a table that outgrows ``memory`` bytes is kept in a file in ``folder``."""
        self._code = code_for(expected)
        self._memory = memory
        self._folder = folder
        fitting = max(_SMALLEST, 1 << max(memory // _ROW, 1).bit_length() - 1)
        self._rows = self._new(min(_power(expected * 3 // 2), fitting))
        self._taken = 0

    def __len__(self) -> int:
        """Return the number of sentences."""
        return self._taken

    def earlier(self, hashes: Bits, asked: Flags) -> Earlier:
        """Return where the sentences of the ``asked`` candidates occurred before."""
        found = Earlier(np.full(len(hashes), -1, np.int32), np.full(len(hashes), -1, np.int32))
        scratch = np.full(_power(2 * len(hashes)), -1, np.int32)
        self._code.find(self._rows, hashes, asked, found.stratum, found.candidate, scratch)
        return found

    def add(self, hashes: Bits, accepted: Flags, stratum: int) -> None:
        """Add the sentences of accepted candidates of a stratum, keeping the table at most two thirds full."""
        needed = _power((self._taken + int(np.count_nonzero(accepted))) * 3 // 2)
        if needed > len(self._rows):
            rows = self._new(needed)
            self._code.rehash(self._rows, rows)
            self._rows = rows
        self._taken += int(self._code.commit(self._rows, hashes, accepted, stratum))

    def _new(self, rows: int) -> Bits:
        if rows * _ROW <= self._memory:
            return np.zeros((rows, 3), np.uint64)
        # The file has no name, so it vanishes with the array.
        with unnamed(self._folder) as file:
            if hasattr(os, "posix_fallocate"):
                # A full disk raises an error now instead of ending the process by a signal later.
                os.posix_fallocate(file.fileno(), 0, rows * _ROW)
            file.truncate(rows * _ROW)
            mapped = np.memmap(file, np.uint64, "r+", shape=(rows, 3))
        # Return a plain array over the same memory, as kernels have one signature.
        return np.asarray(mapped)


def _power(number: int) -> int:
    return max(_SMALLEST, 1 << max(number - 1, 0).bit_length())


def seen_sentences(tables: Tables, memory: int = MEMORY, folder: Path | None = None) -> SeenSentences:
    """Return an empty memory of sentences; above ``memory`` bytes it is a file in ``folder``."""
    return SeenSentences(tables.distinct_sentences * sum(stratum.wanted for stratum in tables.strata), memory, folder)


FACTOR_1, FACTOR_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)


def hashes_of(texts: Column) -> Bits:
    """Return a 128-bit hash of each text, computed eight bytes at a time; it does not resist deliberate collisions."""
    starts, lengths = texts.offsets[:-1], np.diff(texts.offsets)
    words: Bits = np.ndarray(len(texts.data) - 7, "<u8", texts.data, strides=(1,))
    first, second = lengths.astype(np.uint64), ~lengths.astype(np.uint64)
    for at in range(0, int(lengths.max(initial=0)), 8):
        rows = np.flatnonzero(lengths > at)
        behind = np.maximum(at + 8 - lengths[rows], 0).astype(np.uint64)
        word = words[starts[rows] + at] << (behind << np.uint64(3))
        one, two = (first[rows] ^ word) * FACTOR_1, (second[rows] + word) * FACTOR_2
        first[rows], second[rows] = one ^ (one >> np.uint64(32)), two ^ (two >> np.uint64(29))
    return np.stack((first, second), axis=1)
