"""Kernels of shapes: count and number them, and write texts from what was worked out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sgl.kernel.jit import kernel
from sgl.kernel.random import MIX_1, MIX_2, mix
from sgl.kernel.text import copy, put, put_item_number

#: Columns of the table of shapes: two halves of a hash, times met, number + 1.
FIRST, SECOND, MET, NUMBER, ROW = range(5)

#: What is counted: shapes in the table, shapes that have a number.
IN_TABLE, NUMBERED, COUNTED = range(3)

NOT_NUMBERED = -1

#: What is put: the lowest bits of an instruction; above them a piece, or the place of a
#: rule and the number of a table.
CONSTANT, WORD, TEXT, HEAD, ITEM = range(5)
OPERATION_BITS = 3
PLACE_BITS = 24

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@kernel
def number_shapes(
    rules: NDArray[np.int32],
    rule_ends: NDArray[np.int64],
    classes: NDArray[np.int32],
    rows: NDArray[np.uint64],
    counted: NDArray[np.int64],
    often: int,
    most: int,
    numbers: NDArray[np.int32],
    fresh: NDArray[np.int64],
) -> int:
    """Find the number of the shape of each derivation; how many shapes are new.

    A shape gets a number when it is met for the ``often``-th time, by the derivation that
    is then noted in ``fresh``.  Two shapes are the same if 128 bits of hash are.
    """
    mask = np.uint64(len(rows) - 1)
    found = 0
    for item in range(len(numbers)):
        first = second = np.uint64(0x5EED)
        whole = rule_ends[item + 1] > rule_ends[item]
        for place in range(rule_ends[item], rule_ends[item + 1]):
            shape = classes[rules[place]]
            whole = whole and shape >= 0
            first = (first ^ np.uint64(shape)) * MIX_1
            first ^= first >> np.uint64(29)
            second = (second + np.uint64(shape) + _ONE) * MIX_2
            second ^= second >> np.uint64(31)
        if not whole:
            continue
        first, second = mix(first), mix(second)
        slot = first & mask
        while rows[slot, MET] != _ZERO and (
            rows[slot, FIRST] != first or rows[slot, SECOND] != second
        ):
            slot = (slot + _ONE) & mask
        if rows[slot, MET] == _ZERO:
            if 2 * counted[IN_TABLE] >= len(rows):
                continue
            counted[IN_TABLE] += 1
            rows[slot, FIRST] = first
            rows[slot, SECOND] = second
        if rows[slot, NUMBER] == _ZERO:
            rows[slot, MET] += _ONE
            if rows[slot, MET] >= np.uint64(often) and counted[NUMBERED] < most:
                fresh[found] = item
                found += 1
                counted[NUMBERED] += 1
                rows[slot, NUMBER] = np.uint64(counted[NUMBERED])
        numbers[item] = np.int32(rows[slot, NUMBER]) - 1
    return found


@kernel
def write_shaped(
    rules: NDArray[np.int32],
    rule_ends: NDArray[np.int64],
    numbers: NDArray[np.int32],
    code: NDArray[np.int64],
    code_ends: NDArray[np.int64],
    slots: NDArray[np.int32],
    words: NDArray[np.int64],
    pool: NDArray[np.uint8],
    longest: int,
    texts: NDArray[np.uint8],
    text_ends: NDArray[np.int64],
    heads: NDArray[np.int64],
    head_pool: NDArray[np.uint8],
    first: int,
    others: NDArray[np.uint8],
    other_ends: NDArray[np.int64],
    skipped: int,
    data: NDArray[np.uint8],
    ends: NDArray[np.int64],
    item: int,
    other: int,
) -> tuple[int, int]:
    """Write items from one on, the others copied from a column of their own.

    ``slots`` and ``words`` give the piece of a word: that of item ``i`` of rule ``r`` in
    table ``t`` is ``words[t, slots[r] + i]``.  ``texts`` are texts of the items, ``heads``
    pieces that all have, ``first`` is the number of the first item; of the others so many
    bytes are ``skipped`` where the number of the item is in place.  ``longest`` bounds a
    piece.  Returns the item and the other that were not written, for want of room or
    because all are.
    """
    while item < len(numbers):
        at = ends[item]
        room = 64
        for head in range(len(heads)):
            room += heads[head] >> 32
        for text in range(len(text_ends)):
            room += text_ends[text, item + 1] - text_ends[text, item]
        if numbers[item] < 0:
            start = other_ends[other]
            length = other_ends[other + 1] - start
            if at + room + length > len(data):
                return item, other
            if skipped > 0:
                at = copy(data, at, others, start, skipped - 6)
                at = put_item_number(data, at, first + item)
                start += skipped
                length -= skipped
            at = copy(data, at, others, start, length)
            other += 1
        else:
            begin, end = code_ends[numbers[item]], code_ends[numbers[item] + 1]
            if at + room + (end - begin) * longest > len(data):
                return item, other
            for address in range(begin, end):
                instruction = code[address]
                operation = instruction & ((1 << OPERATION_BITS) - 1)
                argument = instruction >> OPERATION_BITS
                if operation == CONSTANT:
                    at = put(data, at, pool, argument)
                elif operation == WORD:
                    place = argument & ((1 << PLACE_BITS) - 1)
                    table = (argument >> PLACE_BITS) & 0xFF
                    word = argument >> (PLACE_BITS + 8)
                    rule = rules[rule_ends[item] + place]
                    at = put(data, at, pool, words[table, slots[rule] + word])
                elif operation == HEAD:
                    at = put(data, at, head_pool, heads[argument])
                elif operation == TEXT:
                    start = text_ends[argument, item]
                    at = copy(data, at, texts, start, text_ends[argument, item + 1] - start)
                else:
                    at = put_item_number(data, at, first + item)
        item += 1
        ends[item] = at
    return item, other
