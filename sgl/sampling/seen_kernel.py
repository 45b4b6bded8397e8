"""Kernels over tables of sentences: rows of 128 bits, a power of two in number.

A row is the first half of a hash and 48 bits of the second half; its lowest 16 bits are the
number of the stratum, from 1, so that a row of zeros is free.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sgl.accel.jit import kernel, part

_LABEL = np.uint64(0xFFFF)
_HASH = np.uint64(0xFFFFFFFFFFFF0000)
_ONE = np.uint64(1)
_NONE = np.uint64(0)

#: Candidates whose rows are fetched at a time.
_AHEAD = 64


@part
def _slot(rows: NDArray[np.uint64], first: np.uint64, second: np.uint64) -> np.int64:
    """The row of a hash, or the free row for it."""
    mask = np.uint64(len(rows) - 1)
    slot = first & mask
    wanted = second & _HASH
    # One question, seldom answered with yes: whether a row is free nobody can foretell.
    while (rows[slot, 1] != _NONE) & (
        ((rows[slot, 0] ^ first) | ((rows[slot, 1] & _HASH) ^ wanted)) != _NONE
    ):
        slot = (slot + _ONE) & mask
    return np.int64(slot)


@kernel
def find(
    rows: NDArray[np.uint64],
    hashes: NDArray[np.uint64],
    asked: NDArray[np.bool_],
    stratum: NDArray[np.int32],
    earlier: NDArray[np.int32],
    scratch: NDArray[np.int32],
) -> np.uint64:
    """For each candidate the stratum that has its sentence, and the candidate before it.

    ``scratch`` is a table of candidates, all -1, with twice as many rows as there are.  The
    rows of a large table are far from the processor: those of some candidates are fetched
    before it is decided what is in the first.  The result is made of what was fetched.
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
def commit(
    rows: NDArray[np.uint64],
    hashes: NDArray[np.uint64],
    accepted: NDArray[np.bool_],
    stratum: int,
) -> int:
    """Put the hashes of accepted candidates into the table; how many were not in it."""
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
def rehash(old: NDArray[np.uint64], new: NDArray[np.uint64]) -> None:
    """Put all rows of a table into a larger, empty one."""
    for row in range(len(old)):
        if old[row, 1] != _NONE:
            slot = _slot(new, old[row, 0], old[row, 1])
            new[slot, 0] = old[row, 0]
            new[slot, 1] = old[row, 1]
