"""128-bit hashes of texts.

The hash is MurmurHash3 (Appleby 2011, variant x64-128, seed 0).  It is not meant to withstand
texts that were made to collide.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sgl.accel.jit import kernel, part
from sgl.accel.machine import Bits, Bytes, load64

_C1 = np.uint64(0x87C37B91114253D5)
_C2 = np.uint64(0x4CF5AD432745937F)
_M1 = np.uint64(0xFF51AFD7ED558CCD)
_M2 = np.uint64(0xC4CEB9FE1A85EC53)
_A1, _A2 = np.uint64(0x52DCE729), np.uint64(0x38495AB5)
_FIVE, _ONE, _EIGHT = np.uint64(5), np.uint64(1), np.uint64(8)
_WORD, _33 = np.uint64(64), np.uint64(33)


@part
def _rotated(value: np.uint64, places: np.uint64) -> np.uint64:
    return (value << places) | (value >> (_WORD - places))


@part
def _final(value: np.uint64) -> np.uint64:
    value = (value ^ (value >> _33)) * _M1
    value = (value ^ (value >> _33)) * _M2
    return value ^ (value >> _33)


@part
def _low(value: np.uint64, count: int) -> np.uint64:
    """Return the lowest ``count`` bytes of a number."""
    if count >= 8:
        return value
    return value & ((_ONE << (np.uint64(count) * _EIGHT)) - _ONE)


@part
def hash128(data: Bytes, start: int, end: int) -> tuple[np.uint64, np.uint64]:
    """Return the hash of ``data[start:end]``; at least 16 bytes must follow the end."""
    first = second = np.uint64(0)
    at = start
    while at + 16 <= end:
        one, two = load64(data, at), load64(data, at + 8)
        first ^= _rotated(one * _C1, np.uint64(31)) * _C2
        first = (_rotated(first, np.uint64(27)) + second) * _FIVE + _A1
        second ^= _rotated(two * _C2, np.uint64(33)) * _C1
        second = (_rotated(second, np.uint64(31)) + first) * _FIVE + _A2
        at += 16
    rest = end - at
    if rest > 8:
        two = _low(load64(data, at + 8), rest - 8)
        second ^= _rotated(two * _C2, np.uint64(33)) * _C1
    if rest > 0:
        one = _low(load64(data, at), rest)
        first ^= _rotated(one * _C1, np.uint64(31)) * _C2
    length = np.uint64(end - start)
    first ^= length
    second ^= length
    first += second
    second += first
    first, second = _final(first), _final(second)
    first += second
    second += first
    return first, second


@kernel
def hash_column(data: Bytes, offsets: NDArray[np.int64], hashes: Bits) -> None:
    """Write the hash of each text of a column into a row of ``hashes``."""
    for row in range(len(offsets) - 1):
        hashes[row, 0], hashes[row, 1] = hash128(data, offsets[row], offsets[row + 1])
