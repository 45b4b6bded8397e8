"""Parts of the kernel: sets of numbers in rows of 64-bit words, and counts that saturate."""

from __future__ import annotations

import numpy as np

from sgl.accel.jit import part
from sgl.accel.memory import Bits, bits_at


@part
def has(sets: Bits, row: int, member: int) -> bool:
    """Whether the set whose row begins at ``row`` has a member."""
    bits = bits_at(sets, row + (member >> 6)) >> np.uint64(member & 63)
    return bool(bits & np.uint64(1))


@part
def meet(one: Bits, row: int, other: Bits, line: int, width: int) -> bool:
    """Whether two sets, by the numbers of their rows, have a member in common."""
    for word in range(width):
        if bits_at(one, row * width + word) & bits_at(other, line * width + word):
            return True
    return False


@part
def lowest(bits: np.uint64) -> int:
    """The lowest member of a set that is not empty: the number of bits below it.

    Compilers know this way to count bits and make one instruction of it.
    """
    below = ~bits & (bits - np.uint64(1))
    below = below - ((below >> np.uint64(1)) & np.uint64(0x5555555555555555))
    pairs = np.uint64(0x3333333333333333)
    below = (below & pairs) + ((below >> np.uint64(2)) & pairs)
    below = (below + (below >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((below * np.uint64(0x0101010101010101)) >> np.uint64(56))


@part
def times(one: np.uint64, other: np.uint64) -> np.uint64:
    """The product, or the greatest number."""
    most = np.uint64(0xFFFFFFFFFFFFFFFF)
    if (one | other) >> np.uint64(32) and one > np.uint64(0) and other > most // one:
        return most
    return one * other


@part
def plus(one: np.uint64, other: np.uint64) -> np.uint64:
    """The sum, or the greatest number."""
    total = one + other
    return total if total >= one else np.uint64(0xFFFFFFFFFFFFFFFF)
