"""Draw derivations and write their source texts, in one kernel.

The kernel runs the code of ``sgl.accel.draw.program`` with a stack of return addresses, and makes choices in the order
and with the numbers of ``sgl.sampling.engine``.
"""

import numpy as np
from numpy.typing import NDArray

from sgl.accel.draw import program as layout
from sgl.accel.draw.program import CALL, JUMP, LAST_WORD, RETURN, SINGLE, WORD, Program
from sgl.accel.jit import kernel, part
from sgl.accel.machine import copy32, high64
from sgl.sampling.engine import GAMMA, LONGEST_DERIVATION, MIX_1, MIX_2

#: Bytes and rules for which the buffers must have room beyond the checked limits.  Every instruction that continues
#: checks before it writes at most two pieces or one rule; the rest saves most candidates a second attempt in a larger
#: buffer.
TEXT_MARGIN = 64 * LONGEST_DERIVATION
RULE_MARGIN = 2 * LONGEST_DERIVATION

_GAMMA, _MIX_1, _MIX_2 = np.uint64(GAMMA), np.uint64(MIX_1), np.uint64(MIX_2)
_27, _30, _31 = np.uint64(27), np.uint64(30), np.uint64(31)

# Indices are unsigned: signed ones would be tested for being negative.
_ONE = np.uint64(1)
_STATE = np.uint64(layout.STATE_COLUMNS)
_FIRST, _GUIDE = np.uint64(layout.FIRST), np.uint64(layout.GUIDE)
_SHIFT, _TOTAL = np.uint64(layout.SHIFT), np.uint64(layout.TOTAL)
_ALTERNATIVE = np.uint64(layout.ALTERNATIVE_COLUMNS)
_TARGET, _RULE = np.uint64(layout.TARGET), np.uint64(layout.RULE)

_OPERATION_BITS = layout.OPERATION_BITS
_OPERATION = (1 << _OPERATION_BITS) - 1
_LENGTH, _BACK = layout.LENGTH, layout.BACK
_START = (1 << _LENGTH) - 1
_LENGTH_ALONE = (1 << (_BACK - _LENGTH)) - 1


@part
def _mix(value: np.uint64) -> np.uint64:
    """Apply SplitMix64's finaliser, a bijection of the 64-bit integers."""
    value = (value ^ (value >> _30)) * _MIX_1
    value = (value ^ (value >> _27)) * _MIX_2
    return value ^ (value >> _31)


@part
def _choose(
    states: NDArray[np.int64], bounds: NDArray[np.int64], guides: NDArray[np.int32], state: np.uint64, key: np.uint64
) -> np.uint64:
    row = state * _STATE
    alternative = np.uint64(states[row + _FIRST])
    shift = states[row + _SHIFT]
    if shift != SINGLE:
        bits = _mix(key)
        drawn = np.int64(high64(bits, np.uint64(states[row + _TOTAL])))
        entry = np.uint64(states[row + _GUIDE]) + (bits >> np.uint64(shift))
        alternative += np.uint64(guides[entry])
        while drawn >= bounds[alternative]:
            alternative += _ONE
    return alternative * _ALTERNATIVE


@kernel
def derive_texts(
    key: np.uint64,
    numbers: NDArray[np.int64],
    done: int,
    start: int,
    program: Program,
    rules: NDArray[np.int32],
    rule_ends: NDArray[np.int64],
    text: NDArray[np.uint8],
    text_ends: NDArray[np.int64],
    too_long: NDArray[np.uint8],
    stack: NDArray[np.int32],
) -> int:
    """Draw candidates ``numbers[done:]`` and return how many of all are done.

    Derivations and texts are appended after ``rule_ends[done]`` and ``text_ends[done]``; a candidate that is too long
    leaves both empty.  The kernel stops early if a buffer is full.  ``start`` is the index of a state in
    ``program.starts``; ``stack`` has room for the longest derivation.
    """
    states, bounds, guides = program.states, program.bounds, program.guides
    alternatives = program.alternatives
    code, pool, separator = program.code, program.pool, np.uint64(program.separator)
    first = program.starts[start]
    text_limit = np.uint64(len(text) - TEXT_MARGIN)
    rule_limit = np.uint64(len(rules) - RULE_MARGIN)
    for candidate in range(done, len(numbers)):
        at = text_begin = np.uint64(text_ends[candidate])
        rule_at = rule_begin = np.uint64(rule_ends[candidate])
        if rule_at > rule_limit:
            return candidate
        longest = rule_at + np.uint64(LONGEST_DERIVATION)
        state_key = _mix(key + np.uint64(numbers[candidate] + 1) * _GAMMA)
        depth = address = np.uint64(0)
        word = first
        while True:
            operation = word & _OPERATION
            state = np.uint64(word >> _OPERATION_BITS)
            # Rules already begun continue after the last call, and may have many words and endings, so every
            # instruction checks the limits.
            if operation == WORD or operation == LAST_WORD:
                if rule_at > longest:
                    break
                if at > text_limit:
                    return candidate
                state_key += _GAMMA
                row = _choose(states, bounds, guides, state, state_key)
                rules[rule_at] = np.int32(alternatives[row + _RULE])
                rule_at += _ONE
                piece = alternatives[row + _TARGET]
                copy32(text, at, pool, piece & _START)
                at += np.uint64(piece >> _LENGTH)
                if operation == WORD:
                    address += _ONE + _ONE
                else:
                    if depth == 0:
                        break
                    depth -= _ONE
                    address = np.uint64(stack[depth])
            elif operation == CALL or operation == JUMP:
                if rule_at > longest:
                    break
                if at > text_limit:
                    return candidate
                if operation == CALL:
                    stack[depth] = np.int32(address) + 2
                    depth += _ONE
                state_key += _GAMMA
                row = _choose(states, bounds, guides, state, state_key)
                rules[rule_at] = np.int32(alternatives[row + _RULE])
                rule_at += _ONE
                address = np.uint64(alternatives[row + _TARGET])
            else:
                if operation == RETURN and depth == 0:
                    break
                if at > text_limit:
                    return candidate
                if operation == RETURN:
                    depth -= _ONE
                    address = np.uint64(stack[depth])
                else:
                    address += _ONE + _ONE
            word, piece = code[address], code[address + _ONE]
            at -= np.uint64(piece >> _BACK)
            copy32(text, at, pool, piece & _START)
            at += np.uint64((piece >> _LENGTH) & _LENGTH_ALONE)
        failed = rule_at > longest
        too_long[candidate] = failed
        if failed:
            at, rule_at = text_begin, rule_begin
        elif at > text_begin:
            at -= separator
        rule_ends[candidate + 1] = np.int64(rule_at)
        text_ends[candidate + 1] = np.int64(at)
    return len(numbers)
