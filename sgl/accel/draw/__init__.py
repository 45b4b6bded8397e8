"""Sample candidates with compiled code: what ``sgl.sampling.strata`` defines, many times as fast.

Derivations and texts are drawn by a program, and accepted by compiled functions.

A sentence is known by 112 bits of its hash; the other 16 have its stratum, from 1, so that a row of
zeros is free.  Among *n* sentences some two have the same 112 bits with a probability of about n² /
2¹¹³, which is 10⁻²⁰ for ten million.  The table has open addressing and takes 24 to 48 bytes for
each sentence; one that outgrows ``memory`` bytes is kept in a file, which the system pages.
"""

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sgl.accel.draw.derive_kernel import RULE_MARGIN, TEXT_MARGIN, derive_texts
from sgl.accel.draw.program import Program, program_of
from sgl.accel.jit import kernel, part
from sgl.accel.machine import Bits, Ints, hash_column
from sgl.cache import cached
from sgl.core.arrays import Column, Derivations
from sgl.disk import unnamed
from sgl.sampling import screening
from sgl.sampling.engine import LONGEST_DERIVATION, PackedStratum, Tables, stream_key
from sgl.sampling.screening import MEMORY, Earlier, SeenSentences
from sgl.sampling.strata import Batch, Sampler, source_texts

#: Rules and bytes of text for which a batch has room at first, for each candidate.
_RULES, _TEXT = 16, 64

settle = kernel(screening.settle)


class CompiledSampler(Sampler):
    """Samples the same candidates as its base class."""

    _hash = staticmethod(hash_column)
    _screen = staticmethod(kernel(screening.screen))
    _expose = staticmethod(kernel(screening.expose))

    def __init__(self, tables: Tables, origin: str = "") -> None:
        """Prepare the program, which is kept in the cache if the tables have an ``origin``."""
        super().__init__(tables)
        self.program = cached(Program, "program", (origin,), lambda: program_of(tables))

    def derive(self, stratum: PackedStratum, numbers: NDArray[np.int64]) -> Batch:
        """Sample the candidates of a stratum with these numbers; a list is not sampled, instances are not compiled."""
        if stratum.extent.every or stratum.extent.contexts:
            return super().derive(stratum, numbers)
        rules = np.empty(_RULES * len(numbers) + 2 * RULE_MARGIN, np.int32)
        text = np.empty(_TEXT * len(numbers) + 2 * TEXT_MARGIN, np.uint8)
        rule_ends = np.zeros(len(numbers) + 1, np.int64)
        text_ends = np.zeros(len(numbers) + 1, np.int64)
        too_long = np.zeros(len(numbers), np.uint8)
        stack = np.empty(LONGEST_DERIVATION + 1, np.int32)
        key = np.uint64(stream_key(self.tables.seed, stratum.stream))
        done = 0
        while True:
            buffers = rules, rule_ends, text, text_ends, too_long, stack
            done = derive_texts(key, numbers, done, stratum.start, self.program, *buffers)
            if done == len(numbers):
                break
            rules = np.concatenate((rules, np.empty_like(rules)))
            text = np.concatenate((text, np.empty_like(text)))
        derivations = Derivations(rules, rule_ends)
        written = self.program.written
        sources = Column(text, text_ends) if written else source_texts(self.tables, derivations)
        return Batch(numbers, derivations, sources, too_long)


Flags = NDArray[np.bool_]

#: Rows of an empty table.
_SMALLEST = 1 << 12

#: Bytes of a row.
_ROW = 16

#: Strata that a table can tell apart.
MOST_STRATA = (1 << 16) - 2

_LABEL = np.uint64(0xFFFF)
_HASH = np.uint64(0xFFFFFFFFFFFF0000)
_ONE = np.uint64(1)
_NONE = np.uint64(0)

#: Candidates whose rows are fetched at a time.
_AHEAD = 64


@part
def _slot(rows: Bits, first: np.uint64, second: np.uint64) -> np.int64:
    mask = np.uint64(len(rows) - 1)
    slot = first & mask
    wanted = second & _HASH
    # One question, seldom answered with yes: whether a row is free nobody can foretell.
    while (rows[slot, 1] != _NONE) & (((rows[slot, 0] ^ first) | ((rows[slot, 1] & _HASH) ^ wanted)) != _NONE):
        slot = (slot + _ONE) & mask
    return np.int64(slot)


@kernel
def _find(rows: Bits, hashes: Bits, asked: Flags, stratum: Ints, earlier: Ints, scratch: Ints) -> np.uint64:
    """For each candidate the stratum that has its sentence, and the candidate before it.

    ``scratch`` is a table of candidates, all -1, with twice as many rows as there are.  The rows of
    a large table are far from the processor: some are fetched before the first of them is needed.
    """
    mask = np.uint64(len(scratch) - 1)
    row_mask = np.uint64(len(rows) - 1)
    fetched = _NONE
    for begin in range(0, len(hashes), _AHEAD):
        end = min(begin + _AHEAD, len(hashes))
        for candidate in range(begin, end):
            fetched ^= rows[hashes[candidate, 0] & row_mask, 1]
        for candidate in range(begin, end):
            if not asked[candidate]:
                continue
            first, second = hashes[candidate, 0], hashes[candidate, 1]
            # A free row has the number 0, which means -1.
            stratum[candidate] = np.int32(rows[_slot(rows, first, second), 1] & _LABEL) - 1
            slot = first & mask
            while scratch[slot] >= 0:
                other = scratch[slot]
                if hashes[other, 0] == first and hashes[other, 1] & _HASH == second & _HASH:
                    earlier[candidate] = other
                    break
                slot = (slot + _ONE) & mask
            scratch[slot] = candidate
    return fetched


@kernel
def _commit(rows: Bits, hashes: Bits, accepted: Flags, stratum: int) -> int:
    added = 0
    label = np.uint64(stratum + 1)
    for candidate in range(len(hashes)):
        if accepted[candidate]:
            first, second = hashes[candidate, 0], hashes[candidate, 1]
            row = _slot(rows, first, second)
            added += rows[row, 1] == _NONE
            rows[row, 0] = first
            rows[row, 1] = (second & _HASH) | label
    return added


@kernel
def _rehash(old: Bits, new: Bits) -> None:
    for row in range(len(old)):
        if old[row, 1] != _NONE:
            slot = _slot(new, old[row, 0], old[row, 1])
            new[slot, 0] = old[row, 0]
            new[slot, 1] = old[row, 1]


class SentenceTable(SeenSentences):
    """The hashes of all sentences that were accepted."""

    def __init__(self, expected: int = 0, memory: int = MEMORY, folder: Path | None = None) -> None:
        """Expect so many sentences; a table that outgrows ``memory`` bytes is kept in ``folder``."""
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
        _find(self._rows, hashes, asked, found.stratum, found.candidate, scratch)
        return found

    def add(self, hashes: Bits, accepted: Flags, stratum: int) -> None:
        """Take the sentences of the accepted candidates for a stratum; fill two thirds at most.

        Raises ``ValueError`` if the stratum has a number from ``MOST_STRATA`` on.
        """
        if stratum >= MOST_STRATA:
            raise ValueError(f"a table tells {MOST_STRATA:,} strata apart")
        needed = _power((self._taken + int(np.count_nonzero(accepted))) * 3 // 2)
        if needed > len(self._rows):
            rows = self._new(needed)
            _rehash(self._rows, rows)
            self._rows = rows
        self._taken += _commit(self._rows, hashes, accepted, stratum)

    def _new(self, rows: int) -> Bits:
        if rows * _ROW <= self._memory:
            return np.zeros((rows, 2), np.uint64)
        # The file has no name: it goes when the array goes.
        with unnamed(self._folder) as file:
            if hasattr(os, "posix_fallocate"):
                # A full disk is an error now, and not a signal that ends the process later.
                os.posix_fallocate(file.fileno(), 0, rows * _ROW)
            file.truncate(rows * _ROW)
            mapped = np.memmap(file, np.uint64, "r+", shape=(rows, 2))
        # A plain array over the same memory: kernels have one signature.
        return np.asarray(mapped)


def _power(number: int) -> int:
    return max(_SMALLEST, 1 << max(number - 1, 0).bit_length())
