"""Kernels over columns: rows of fields, bytes that a row cannot hold, numbers of words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sgl.accel.jit import kernel
from sgl.accel.text import copy, put


@kernel
def write_rows(
    first: NDArray[np.uint8],
    first_ends: NDArray[np.int64],
    second: NDArray[np.uint8],
    second_ends: NDArray[np.int64],
    ending: NDArray[np.uint8],
    ending_length: int,
    rows: NDArray[np.uint8],
) -> int:
    """Write the texts of two columns side by side, a tab between and ``ending`` behind.

    Returns the number of bytes.  ``rows`` must have room for them and some slack.
    """
    at = 0
    for row in range(len(first_ends) - 1):
        for data, ends in ((first, first_ends), (second, second_ends)):
            start, length = ends[row], ends[row + 1] - ends[row]
            at = copy(rows, at, data, start, length)
            rows[at] = 9
            at += 1
        at = put(rows, at - 1, ending, ending_length << 32)
    return at


@kernel
def breaks(data: NDArray[np.uint8], start: int, end: int) -> bool:
    """Whether there is a control character, or a line end of Unicode.

    Those are the bytes below 32, and U+0085, U+2028 and U+2029, which are the bytes C2 85,
    E2 80 A8 and E2 80 A9.  The bytes C2 and E2 begin other characters as well, as quotation
    marks and the dots of an ellipsis.
    """
    control, second, third = False, False, False
    for at in range(start, end):
        byte = data[at]
        control |= byte < 32
        second |= byte == 0xC2
        third |= byte == 0xE2
    if control or not (second or third):
        return control
    for at in range(start, end - 1):
        if data[at] == 0xC2 and data[at + 1] == 0x85:
            return True
        general = data[at] == 0xE2 and data[at + 1] == 0x80 and at + 2 < end
        if general and (data[at + 2] == 0xA8 or data[at + 2] == 0xA9):
            return True
    return False


@kernel
def count_words(
    rules: NDArray[np.int32],
    rule_ends: NDArray[np.int64],
    arity: NDArray[np.int32],
    own: NDArray[np.int32],
    uses: NDArray[np.int32],
    counts: NDArray[np.int32],
    stack: NDArray[np.int32],
) -> None:
    """The number of words of each derivation in a text layer.

    ``own[r]`` are the words that rule ``r`` writes, ``uses[r, i]`` is how often it writes
    its child ``i``.
    """
    for row in range(len(counts)):
        depth = 0
        for place in range(rule_ends[row + 1] - 1, rule_ends[row] - 1, -1):
            rule = rules[place]
            total = own[rule]
            for child in range(arity[rule]):
                depth -= 1
                total += uses[rule, child] * stack[depth]
            stack[depth] = total
            depth += 1
        counts[row] = stack[0] if depth else 0
