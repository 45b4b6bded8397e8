"""The part of the kernel that writes down the best derivation of an entry."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sgl.accel.jit import part
from sgl.accel.memory import int_at, set_int
from sgl.accel.parse.tables import Tables
from sgl.accel.parse.workspace import Space


@part
def derivation(tables: Tables, space: Space, root: int, rules: NDArray[np.int32], end: int) -> int:
    """Write the best derivation of an entry; where it ends, or -1 if there is no room.

    The stack holds entries, and unseen derivations as -1 minus their number.
    """
    set_int(space.stack, 0, root)
    size = 1
    while size:
        size -= 1
        top = int_at(space.stack, size)
        if top < 0:
            end = _unseen(tables, -1 - top, rules, end)
            if end < 0:
                return -1
            continue
        if end == len(rules):
            return -1
        production = int_at(space.production, top)
        rules[end] = int_at(tables.rule, production)
        end += 1
        size = _children(tables, space, top, production, size)
    return end


@part
def _unseen(tables: Tables, number: int, rules: NDArray[np.int32], end: int) -> int:
    """Write what stands for an unseen child; where it ends, or -1."""
    first = int_at(tables.unseen_first, number)
    last = int_at(tables.unseen_first, number + 1)
    if end + last - first > len(rules):
        return -1
    for place in range(first, last):
        rules[end] = int_at(tables.unseen, place)
        end += 1
    return end


@part
def _children(tables: Tables, space: Space, entry: int, production: int, size: int) -> int:
    """Put the children of an entry on the stack, the last one first; its new size."""
    first = int_at(tables.order_first, production)
    parts = int_at(tables.parts, production)
    for child in range(int_at(tables.order_first, production + 1) - 1, first - 1, -1):
        number = int_at(tables.order, child)
        top = number if number < 0 else _part_of(space, entry, number, parts)
        set_int(space.stack, size, top)
        size += 1
    return size


@part
def _part_of(space: Space, entry: int, number: int, parts: int) -> int:
    """Return the entry of one part of a production, by its number.

    Entries go back over the last part to a beginning with one part less; the first two
    parts, or the only one, are what the shortest was made of.
    """
    for _ in range(parts - 1 - max(number, 1)):
        entry = int_at(space.left, entry)
    return int_at(space.left, entry) if number == 0 else int_at(space.right, entry)
