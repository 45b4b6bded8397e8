"""Kernels of shapes: count and number them, cut what is written of marks, and fill it in.

The *template* of a shape is constant text with words between, which is also how it is kept,
the constants one behind the other in one array and an instruction for each word::

    * [0] ( x _ 1 ) ; [1] . agent ( x _ 3 , x _ 1 )
    2 bytes, lemma of the rule at place 2;  11 bytes, lemma of that at place 4;  29 bytes
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sgl.accel.jit import kernel
from sgl.accel.machine import load64
from sgl.accel.random import mix
from sgl.accel.text import copy, copy_long, put, put_item_number

#: Columns of the table of shapes: two halves of a hash, times met, number + 1.
FIRST, SECOND, MET, NUMBER, ROW = range(5)

#: What is counted: shapes in the table, shapes that have a number.
IN_TABLE, NUMBERED, COUNTED = range(3)

NOT_NUMBERED = -1

#: What marks stand for, and the bits of the lexical rule in a mark.
FORM, MISC, LEMMA, KINDS = range(4)
RANK_BITS = 6

#: An instruction: the length of the constant before a word, the place of its rule, and
#: where the pieces of rules are in the tables of words.
CONSTANT_BITS, PLACE_BITS = 16, 24

#: Pieces of words that there can be in all tables.
MOST_WORDS = 1 << 64 - CONSTANT_BITS - PLACE_BITS

_CONSTANT = np.uint64((1 << CONSTANT_BITS) - 1)
_PLACE = np.uint64((1 << PLACE_BITS) - 1)
_FROM_PLACE, _FROM_TABLE = np.uint64(CONSTANT_BITS), np.uint64(CONSTANT_BITS + PLACE_BITS)
_LONGEST_CONSTANT = (1 << CONSTANT_BITS) - 1
_RANK = (1 << RANK_BITS) - 1
#: Eight times the first byte of a mark, one, the highest bit: to find marks (Mycroft 1987).
_MARK, _ONES = np.uint64(0xF0F0F0F0F0F0F0F0), np.uint64(0x0101010101010101)
_TOPS = np.uint64(0x8080808080808080)
_ZERO, _ONE = np.uint64(0), np.uint64(1)


@kernel
def hash_shapes(
    rules: NDArray[np.int32],
    rule_ends: NDArray[np.int64],
    values: NDArray[np.uint64],
    keys: NDArray[np.uint64],
    hashes: NDArray[np.uint64],
) -> None:
    """Write the hash of the shape of each derivation into two columns; 0 if it has none.

    A hash is the sum of the ``values`` of rules, 0 for one that has no class, times one of
    the two ``keys`` of their places (multilinear hashing, Carter & Wegman 1979).
    """
    most = len(keys)
    for item in range(len(hashes)):
        begin = np.uint64(rule_ends[item])
        length = np.uint64(rule_ends[item + 1]) - begin
        first = second = _ZERO
        if length <= np.uint64(most):
            classes = _ZERO
            for place in range(_ZERO, length):
                value = values[np.uint64(rules[begin + place])]
                classes += value & _ONE
                first += value * keys[place, 0]
                second += value * keys[place, 1]
            if classes != length or length == _ZERO:
                first = second = _ZERO
        hashes[item, 0] = mix(first)
        hashes[item, 1] = second


@kernel
def number_shapes(
    hashes: NDArray[np.uint64],
    rows: NDArray[np.uint64],
    counted: NDArray[np.int64],
    often: int,
    most: int,
    numbers: NDArray[np.int32],
    fresh: NDArray[np.int64],
) -> int:
    """Find the number of the shape of each derivation by its hash; how many shapes are new.

    A shape gets a number when it is met for the ``often``-th time, by the derivation that
    is then noted in ``fresh``.  Two shapes are the same if 128 bits of hash are.
    """
    mask = np.uint64(len(rows) - 1)
    found = 0
    for item in range(len(numbers)):
        first, second = hashes[item, 0], hashes[item, 1]
        if second == _ZERO:
            continue
        slot = first & mask
        while rows[slot, MET] != _ZERO and (
            rows[slot, FIRST] != first or rows[slot, SECOND] != second
        ):
            slot = (slot + _ONE) & mask
        if rows[slot, NUMBER] == _ZERO:
            if rows[slot, MET] == _ZERO:
                if 2 * counted[IN_TABLE] >= len(rows):
                    continue
                counted[IN_TABLE] += 1
                rows[slot, FIRST] = first
                rows[slot, SECOND] = second
            rows[slot, MET] += _ONE
            if rows[slot, MET] >= np.uint64(often) and counted[NUMBERED] < most:
                fresh[found] = item
                found += 1
                counted[NUMBERED] += 1
                rows[slot, NUMBER] = np.uint64(counted[NUMBERED])
        numbers[item] = np.int32(rows[slot, NUMBER]) - 1
    return found


@kernel
def cut_at_marks(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    skipped: NDArray[np.int64],
    rules: NDArray[np.int32],
    rule_ends: NDArray[np.int64],
    lexical: NDArray[np.uint8],
    kinds: NDArray[np.int64],
    tabs: int,
    places: NDArray[np.int64],
    code: NDArray[np.int64],
    code_ends: NDArray[np.int64],
    constants: NDArray[np.uint8],
    constant_ends: NDArray[np.int64],
    failed: NDArray[np.uint8],
    shape: int,
) -> None:
    """Make the templates of shapes ``shape``, ... from texts with marks.

    Of each text some bytes are ``skipped``.  ``kinds[k]`` says of marks of kind ``k`` where
    the pieces of words are in the tables, plain and with a capital, and how many bytes
    before the mark it takes the place of; those of words take that of what follows up to the
    last of so many ``tabs``.  ``places`` is scratch.  A text that cannot be cut has ``failed``.
    """
    for item in range(len(offsets) - 1):
        count = 0
        begin = rule_ends[item]
        for place in range(rule_ends[item + 1] - begin):
            if lexical[rules[begin + place]] and count < len(places):
                places[count] = place
                count += 1
        into, filled = code_ends[shape], constant_ends[shape]
        at = done = offsets[item] + skipped[item]
        end = offsets[item + 1]
        while at < end:
            others = load64(data, at) ^ _MARK
            if (others - _ONES) & ~others & _TOPS == _ZERO:
                at += 8
                continue
            if data[at] != 0xF0 or data[at + 1] != 0xB0:
                at += 1
                continue
            what = np.int64(data[at + 2]) & 0x3F
            kind = what >> 3
            raised = 1 if kind == FORM and data[at - 1] < 0x60 else 0
            table = kinds[kind, raised]
            length = at - kinds[kind, 2] - done
            if table < 0 or length > _LONGEST_CONSTANT:
                failed[item] = 1
                break
            filled = copy(constants, filled, data, done, length)
            place = places[np.int64(data[at + 3]) & _RANK]
            code[into] = (
                length
                | place << CONSTANT_BITS
                | (table + (what & 7)) << (CONSTANT_BITS + PLACE_BITS)
            )
            into += 1
            at += 4
            if kind == FORM and tabs > 0:
                left = tabs
                while left > 0 or data[at] != 9:
                    left -= data[at] == 9
                    at += 1
            done = at
        code[into] = max(end - done, 0)
        failed[item] |= end - done > _LONGEST_CONSTANT
        filled = copy(constants, filled, data, done, max(end - done, 0))
        shape += 1
        code_ends[shape] = into + 1
        constant_ends[shape] = filled


@kernel
def write_shaped(
    rules: NDArray[np.int32],
    rule_ends: NDArray[np.int64],
    numbers: NDArray[np.int32],
    code: NDArray[np.int64],
    code_ends: NDArray[np.int64],
    constants: NDArray[np.uint8],
    constant_ends: NDArray[np.int64],
    slots: NDArray[np.int64],
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

    The piece of a word of rule ``r`` that an instruction stands for is ``words[slots[r] +
    its table]``; ``longest`` bounds a piece.  If there are ``heads``, each item begins with
    the first of them, its number, counted from ``first``, and the second; then each of
    ``texts`` with a further head behind it.  Of the others so many bytes are ``skipped``
    where the number of the item is in place.  Returns the item and the other that were not
    written, for want of room or because all are.
    """
    fixed = 128
    for head in range(len(heads)):
        fixed += heads[head] >> 32
    while item < len(numbers):
        at = ends[item]
        room = at + fixed
        for text in range(len(text_ends)):
            room += text_ends[text, item + 1] - text_ends[text, item]
        number = numbers[item]
        if number < 0:
            start = other_ends[other]
            length = other_ends[other + 1] - start
            if room + length > len(data):
                return item, other
            if skipped > 0:
                at = copy(data, at, others, start, skipped - 6)
                at = put_item_number(data, at, first + item)
                start += skipped
                length -= skipped
            at = copy(data, at, others, start, length)
            other += 1
        else:
            address, last = code_ends[number], code_ends[number + 1] - 1
            constant = constant_ends[number]
            room += constant_ends[number + 1] - constant + (last - address) * longest
            if room > len(data):
                return item, other
            if len(heads) > 0:
                at = put(data, at, head_pool, heads[0])
                at = put_item_number(data, at, first + item)
                at = put(data, at, head_pool, heads[1])
                for text in range(len(text_ends)):
                    start = text_ends[text, item]
                    at = copy_long(data, at, texts, start, text_ends[text, item + 1] - start)
                    at = put(data, at, head_pool, heads[text + 2])
            begin = np.uint64(rule_ends[item])
            for step in range(np.uint64(address), np.uint64(last)):
                instruction = np.uint64(code[step])
                length = int(instruction & _CONSTANT)
                at = copy_long(data, at, constants, constant, length)
                constant += length
                rule = np.uint64(rules[begin + ((instruction >> _FROM_PLACE) & _PLACE)])
                piece = words[np.uint64(slots[rule]) + (instruction >> _FROM_TABLE)]
                at = copy_long(data, at, pool, int(piece & 0xFFFFFFFF), int(piece >> 32))
            at = copy_long(data, at, constants, constant, int(code[last]))
        item += 1
        ends[item] = at
    return item, other
