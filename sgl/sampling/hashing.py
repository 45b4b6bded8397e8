"""128-bit hashes of texts.

The hash is MurmurHash3 (Appleby 2011, variant x64-128, seed 0).  It is not meant to withstand
texts that were made to collide.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sgl.sampling.random import MASK

C1, C2 = 0x87C37B91114253D5, 0x4CF5AD432745937F
A1, A2 = 0x52DCE729, 0x38495AB5
M1, M2 = 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53


def hash128(text: bytes) -> tuple[int, int]:
    """Return the hash of a text as two numbers of 64 bits.

    >>> [hex(half) for half in hash128(b"The quick brown fox jumps over the lazy dog")]
    ['0xe34bbc7bbc071b6c', '0x7a433ca9c49a9347']
    """
    first = second = 0
    for at in range(0, len(text), 16):
        one = int.from_bytes(text[at : at + 8], "little")
        two = int.from_bytes(text[at + 8 : at + 16], "little")
        # What is left at the end is mixed in, but nothing is stirred after it.
        whole = at + 16 <= len(text)
        first ^= _rotated(one * C1 & MASK, 31) * C2 & MASK
        if whole:
            first = ((_rotated(first, 27) + second) * 5 + A1) & MASK
        second ^= _rotated(two * C2 & MASK, 33) * C1 & MASK
        if whole:
            second = ((_rotated(second, 31) + first) * 5 + A2) & MASK
    first ^= len(text)
    second ^= len(text)
    first = (first + second) & MASK
    second = (second + first) & MASK
    first, second = _final(first), _final(second)
    first = (first + second) & MASK
    return first, (second + first) & MASK


def hash_column(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], hashes: NDArray[np.uint64]
) -> None:
    """Write the hash of each text of a column into a row of ``hashes``."""
    texts, ends = data.tobytes(), offsets.tolist()
    for row in range(len(ends) - 1):
        hashes[row] = hash128(texts[ends[row] : ends[row + 1]])


def _rotated(value: int, places: int) -> int:
    return (value << places | value >> (64 - places)) & MASK


def _final(value: int) -> int:
    value = (value ^ value >> 33) * M1 & MASK
    value = (value ^ value >> 33) * M2 & MASK
    return value ^ value >> 33
