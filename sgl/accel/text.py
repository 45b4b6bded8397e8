"""Parts of kernels that write text."""

from __future__ import annotations

import numpy as np

from sgl.accel.jit import part
from sgl.accel.machine import Bytes, copy32


@part
def put(data: Bytes, at: int, pool: Bytes, piece: int) -> int:
    """Write a piece of a pool at a position; where it ends."""
    return copy(data, at, pool, piece & 0xFFFFFFFF, piece >> 32)


@part
def copy(data: Bytes, at: int, source: Bytes, start: int, length: int) -> int:
    """Write so many bytes of another buffer at a position; where they end.

    Vectors of 32 bytes are copied whole: what lies behind the bytes is overwritten later.
    """
    copy32(data, at, source, start)
    done = 32
    while done < length:
        copy32(data, at + done, source, start + done)
        done += 32
    return at + length


@part
def put_item_number(data: Bytes, at: int, number: int) -> int:
    """Write the number of an item, with six digits at least; where it ends."""
    power = 100_000
    while number < power and power > 1:
        data[at] = 48
        at += 1
        power //= 10
    return put_number(data, at, number)


@part
def put_number(data: Bytes, at: int, number: int) -> int:
    """Write a number that is not negative in decimal; where it ends."""
    digits = 1
    power = 10
    while number >= power:
        power *= 10
        digits += 1
    for place in range(digits - 1, -1, -1):
        data[at + place] = np.uint8(48 + number % 10)
        number //= 10
    return at + digits
