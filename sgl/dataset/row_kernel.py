"""Kernels over columns: rows of fields, bytes that a row cannot hold, numbers of words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sgl.kernel.jit import kernel
from sgl.kernel.text import copy, put


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
def may_break(data: NDArray[np.uint8], start: int, end: int) -> bool:
    """Whether some byte may be, or begin, a tab or a line end.

    Those are control characters, or begin with the bytes C2 (U+0085) or E2 (U+2028).
    """
    found = False
    for at in range(start, end):
        byte = data[at]
        found |= (byte < 32) | (byte == 0xC2) | (byte == 0xE2)
    return found


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
