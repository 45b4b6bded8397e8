"""Random numbers of many candidates at once, in the lanes of one large integer.

Plain Python takes half a microsecond for a number of 64 bits; nearly all of it is spent on
calling and making integers, not on computing.  An integer of any size is computed with at
one blow, so that hundreds of numbers are put side by side, each in a *lane* of 128 bits,
which has room for the product of two of 64::

    lanes            |        number 1        |        number 0        |
    times a constant | high half . low half   | high half . low half   |
    masked           |         0 . low half   |         0 . low half   |

Of a number only the twelve highest bits are kept, which decide nearly every choice; eight
such pieces have room in a lane, so that the bytes of all lanes are a table with a row for each
candidate::

    candidate 0      draw 0   draw 1   draw 2  ...  draw 7     two bytes each
    candidate 1      draw 0   draw 1   draw 2  ...  draw 7

and a *column* of it, one draw of all candidates, is a slice.  ``number`` of
``sgl.sampling.random`` is asked where twelve bits do not decide.

This module needs nothing but the standard library of Python 3.9, because the standalone
sampler contains it as it is.
"""

from __future__ import annotations

import sys
from array import array
from functools import lru_cache
from typing import NamedTuple

from sgl.sampling.random import GAMMA, MASK, MIX_1, MIX_2

#: Bits of a random number that a column has: its highest.
PIECE_BITS = 12

#: Draws that are made at a time, as many as there are pieces in a lane.
DRAWS = 8

#: Lanes of one integer, at most as many as a processor has at hand in its nearest memory.
#: Constants are kept for these numbers of lanes; the last lanes may be empty.
_LANES = (4, 20, 100, 500)
_MOST_LANES = _LANES[-1]

#: A key has the bytes of a lane.
KEY_BYTES = 16


class _Lanes(NamedTuple):
    """The same constant in each of some lanes; ``ramp`` has 0, 1, 2, ... instead."""

    number: int
    ones: int
    ramp: int
    mask: int
    after_30: int
    after_27: int
    after_31: int
    piece: int


def _lanes_for(number: int) -> _Lanes:
    """Constants with room for so many numbers."""
    return _lanes(next(lanes for lanes in _LANES if lanes >= number))


@lru_cache(maxsize=len(_LANES))
def _lanes(number: int) -> _Lanes:
    ones = int.from_bytes((1).to_bytes(KEY_BYTES, "little") * number, "little")
    ramp = b"".join(lane.to_bytes(KEY_BYTES, "little") for lane in range(number))
    return _Lanes(
        number=number,
        ones=ones,
        ramp=int.from_bytes(ramp, "little"),
        mask=ones * MASK,
        after_30=ones * (MASK >> 30),
        after_27=ones * (MASK >> 27),
        after_31=ones * (MASK >> 31),
        piece=ones * (MASK >> 64 - PIECE_BITS << 64 - PIECE_BITS),
    )


def candidate_keys(key: int, first: int, number: int) -> bytes:
    """The keys of so many candidates of a stream from ``first`` on, each in 16 bytes."""
    return b"".join(
        [
            _keys(key, first + done, min(_MOST_LANES, number - done))
            for done in range(0, number, _MOST_LANES)
        ]
    )


def _keys(key: int, first: int, number: int) -> bytes:
    """``candidate_key`` of ``sgl.sampling.random`` for a candidate in each lane."""
    lanes = _lanes_for(number)
    start = (key + (first + 1) * GAMMA) & MASK
    values = (lanes.ones * start + lanes.ramp * GAMMA) & lanes.mask
    values = _multiplied(values, lanes) & lanes.mask
    values ^= values >> 31 & lanes.after_31
    return values.to_bytes(KEY_BYTES * lanes.number, "little")[: KEY_BYTES * number]


def _multiplied(values: int, lanes: _Lanes) -> int:
    """What the finaliser of SplitMix64 makes of each lane, before its last shift.

    That one leaves the highest bits of a number as they are.
    """
    values = (values ^ values >> 30 & lanes.after_30) * MIX_1 & lanes.mask
    return (values ^ values >> 27 & lanes.after_27) * MIX_2


def columns(keys: bytes, drawn: int) -> list[array[int]]:
    """The next ``DRAWS`` draws of the candidates with these keys.

    ``drawn`` is how many draws were made before.
    """
    size = KEY_BYTES * _MOST_LANES
    parts = (keys[start : start + size] for start in range(0, len(keys), size))
    table = b"".join([_drawn(part, drawn) for part in parts])
    pieces = array("H", table)
    if sys.byteorder == "big":
        pieces.byteswap()
    return [pieces[draw::DRAWS] for draw in range(DRAWS)]


def _drawn(keys: bytes, drawn: int) -> bytes:
    lanes = _lanes_for(len(keys) // KEY_BYTES)
    # The numbers are made from the last to the first, so that the first end up lowest.
    values = int.from_bytes(keys, "little") + lanes.ones * ((drawn + DRAWS) * GAMMA & MASK)
    back = lanes.ones * (-GAMMA & MASK)
    packed = 0
    for _ in range(DRAWS):
        values &= lanes.mask
        packed = packed << 16 | _multiplied(values, lanes) & lanes.piece
        values += back
    packed >>= 64 - PIECE_BITS
    return packed.to_bytes(KEY_BYTES * lanes.number, "little")[: len(keys)]
