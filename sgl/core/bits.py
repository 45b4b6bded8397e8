"""Read sets of small numbers that are written as bits: number *n* is the bit ``1 << n``."""

from collections.abc import Iterator


def members(bits: int) -> Iterator[int]:
    """Yield the numbers of a set, from the least.

    >>> [*members(0b1101)]
    [0, 2, 3]
    """
    while bits:
        least = bits & -bits
        yield least.bit_length() - 1
        bits ^= least
