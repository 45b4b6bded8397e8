"""The two kernels of writing: number the shapes of derivations, and fill in their templates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sgl.accel.jit import kernel
from sgl.accel.machine import copy, put, put_item_number

#: Fields of a row of the table of shapes: two hashes, and the number of the shape.
FIELDS = 3

#: Operations that write no word: nothing, the number of the row, and from ``COLUMN`` down a column.
NOTHING, NUMBER, COLUMN = -1, -2, -3

#: An operation that writes a word has the place of its rule in the lowest bits, then its table.
PLACE_BITS = 32


@kernel
def number_shapes(
    rules: NDArray[np.int32],
    offsets: NDArray[np.int64],
    classes: NDArray[np.uint64],
    table: NDArray[np.uint64],
    known: int,
    most: int,
    numbers: NDArray[np.int32],
    fresh: NDArray[np.int64],
) -> int:
    """Write the number of the shape of each derivation, from 1.

    A shape is known by 128 bits of hashes of the classes of its rules.  New ones get numbers
    behind the ``known``, up to ``most``; beyond, and of an empty derivation, the number is 0.

    Returns:
        How many are new; ``fresh`` has the row of the first derivation of each.
    """
    found = 0
    mask = np.uint64(len(table) - 1)
    for row in range(len(offsets) - 1):
        first, second = np.uint64(offsets[row + 1] - offsets[row]), np.uint64(0x5EED)
        if first == 0:
            numbers[row] = 0
            continue
        for at in range(offsets[row], offsets[row + 1]):
            value = classes[rules[at]]
            first = (first ^ value) * np.uint64(0x9E3779B97F4A7C15)
            first ^= first >> np.uint64(32)
            second = (second + value) * np.uint64(0xD6E8FEB86659FD93)
            second ^= second >> np.uint64(29)
        spot = np.int64(first & mask)
        while table[spot, 2] != 0 and (table[spot, 0] != first or table[spot, 1] != second):
            spot = np.int64(np.uint64(spot + 1) & mask)
        if table[spot, 2] == 0:
            if known + found >= most:
                numbers[row] = 0
                continue
            fresh[found] = row
            found += 1
            table[spot, 0] = first
            table[spot, 1] = second
            table[spot, 2] = np.uint64(known + found)
        numbers[row] = np.int32(table[spot, 2])
    return found


@kernel
def fill(
    rules: NDArray[np.int32],
    offsets: NDArray[np.int64],
    numbers: NDArray[np.int32],
    ends: NDArray[np.int64],
    constants: NDArray[np.int64],
    operations: NDArray[np.int64],
    words: NDArray[np.int64],
    pool: NDArray[np.uint8],
    longest: int,
    heading: NDArray[np.int64],
    number: int,
    columns: NDArray[np.uint8],
    column_ends: NDArray[np.int64],
    data: NDArray[np.uint8],
    data_ends: NDArray[np.int64],
    row: int,
) -> int:
    """Write derivations from ``row`` on, each behind its heading.

    The code of a template are pairs of a constant and an operation; those of shape ``n`` are
    from ``ends[n]`` to ``ends[n + 1]``, and ``heading`` has those that come before them.
    ``words[t, r]`` is the word of rule ``r`` in table ``t``, as a piece of the pool like the
    constants.  Texts of column ``c`` end at ``column_ends[c]`` in ``columns``.

    Returns:
        The row that did not fit into ``data`` any more, or the number of rows.
    """
    limit = len(data) - 2 * longest
    at = data_ends[row]
    while row < len(numbers):
        first = ends[numbers[row]]
        for step in range(first - len(heading), ends[numbers[row] + 1]):
            if at > limit:
                return row
            if step < first:
                before = step - first + len(heading)
                constant, operation = heading[before, 0], heading[before, 1]
            else:
                constant, operation = constants[step], operations[step]
            at = put(data, at, pool, constant)
            if operation >= 0:
                rule = rules[offsets[row] + (operation & 0xFFFFFFFF)]
                at = put(data, at, pool, words[operation >> PLACE_BITS, rule])
            elif operation == NUMBER:
                at = put_item_number(data, at, number + row)
            elif operation <= COLUMN:
                column = COLUMN - operation
                start = column_ends[column, row]
                length = column_ends[column, row + 1] - start
                if at + length > limit:
                    return row
                at = copy(data, at, columns, start, length)
        row += 1
        data_ends[row] = at
    return row
