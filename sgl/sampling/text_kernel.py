"""The kernel that writes derivations in a text layer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sgl.accel.jit import kernel, part
from sgl.accel.text import put
from sgl.sampling.literals import BACK, CHILD, LITERAL, OPERATION_BITS, RAISE, RETURN
from sgl.sampling.text_program import HAS_CODE, TextProgram

_OPERATION = (1 << OPERATION_BITS) - 1
_PIECE = (1 << BACK) - 1

#: Bytes that a text buffer must have left for the next literal, beside the longest.
MARGIN = 64


@part
def measure(
    rules: NDArray[np.int32],
    begin: int,
    end: int,
    arity: NDArray[np.int32],
    sizes: NDArray[np.int32],
    stack: NDArray[np.int32],
) -> None:
    """Write into ``sizes`` how many rules there are below and including each."""
    depth = 0
    for place in range(end - begin - 1, -1, -1):
        size = 1
        for _ in range(arity[rules[begin + place]]):
            depth -= 1
            size += stack[depth]
        sizes[place] = size
        stack[depth] = size
        depth += 1


@part
def _write(
    text: NDArray[np.uint8], begin: int, at: int, pool: NDArray[np.uint8], piece: int
) -> int:
    """Write a piece of a text that begins at ``begin``; where it ends."""
    if at > begin:
        at -= piece >> BACK
    return put(text, at, pool, piece & _PIECE)


@kernel
def write_texts(
    rules: NDArray[np.int32],
    rule_ends: NDArray[np.int64],
    done: int,
    program: TextProgram,
    text: NDArray[np.uint8],
    text_ends: NDArray[np.int64],
    sizes: NDArray[np.int32],
    stack: NDArray[np.int32],
) -> int:
    """Write the texts of derivations ``done``, ``done + 1``, ...; how many there are now.

    Fewer than all are written when the buffer is full.  ``sizes`` must have room for the
    rules of the longest derivation, ``stack`` for twice as many.
    """
    codes, words, code = program.codes, program.words, program.code
    literals, separator = program.literals, program.separator
    plain, raised, shown, pool = literals.plain, literals.raised, literals.shown, literals.pool
    limit = len(text) - literals.longest - MARGIN
    for row in range(done, len(rule_ends) - 1):
        begin = rule_ends[row]
        at = text_begin = text_ends[row]
        if begin == rule_ends[row + 1]:
            text_ends[row + 1] = at
            continue
        measure(rules, begin, rule_ends[row + 1], program.arity, sizes, stack)
        place = np.int64(0)
        pending = 0
        depth = 0
        operation, argument = CHILD, np.int64(-1)
        address = np.int64(0)
        while True:
            if operation == CHILD:
                below = place
                if argument >= 0:
                    below += 1
                    for _ in range(argument):
                        below += sizes[below]
                rule = rules[begin + below]
                literal = np.int64(words[rule])
                if literal != HAS_CODE:
                    if at > limit:
                        return row
                    if pending > 0:
                        at = _write(text, text_begin, at, pool, raised[literal])
                        if shown[literal]:
                            pending = 0
                    else:
                        at = _write(text, text_begin, at, pool, plain[literal])
                    if depth == 0:
                        break
                else:
                    stack[2 * depth] = np.int32(place)
                    stack[2 * depth + 1] = np.int32(address)
                    depth += 1
                    place = below
                    address = np.int64(codes[rule])
            elif operation == RETURN:
                depth -= 1
                if depth == 0:
                    break
                place = np.int64(stack[2 * depth])
                address = np.int64(stack[2 * depth + 1])
            elif operation == LITERAL:
                if at > limit:
                    return row
                if pending > 0:
                    at = _write(text, text_begin, at, pool, raised[argument])
                    if shown[argument]:
                        pending = 0
                else:
                    at = _write(text, text_begin, at, pool, plain[argument])
            elif operation == RAISE:
                pending += 1
            elif pending > 0:
                pending -= 1
            word = code[address]
            operation = word & _OPERATION
            argument = np.int64(word >> OPERATION_BITS)
            address += 1
        text_ends[row + 1] = at - separator if at > text_begin else at
    return len(rule_ends) - 1
