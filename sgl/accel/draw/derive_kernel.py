"""The kernel that draws derivations and writes their source texts.

It runs the code of ``sgl.accel.draw.program`` with a stack of return addresses.  Choices are
made in the order of ``sgl.sampling.engine.derive``, so a candidate has the same derivation
here and there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sgl.accel.draw.program import (
    ALTERNATIVE_COLUMNS,
    BACK,
    CALL,
    COUNT,
    FIRST,
    GUIDE,
    JUMP,
    LAST_WORD,
    LENGTH,
    MORE_NOTES,
    NOTE,
    NOTES,
    OPERATION_BITS,
    RETURN,
    SHIFT,
    SINGLE,
    STATE_COLUMNS,
    TARGET,
    TOTAL,
    WORD,
    Program,
)
from sgl.accel.jit import kernel, part
from sgl.accel.machine import copy32, high64, store128
from sgl.accel.random import GAMMA, candidate_key, mix
from sgl.sampling.engine import LONGEST_DERIVATION

#: Bytes and rules for which the buffers must have room beyond what is checked.  Every
#: instruction that goes on checks before it writes, at most two pieces or ``MOST_NOTES``
#: rules; the rest saves most candidates a second attempt in a larger buffer.
TEXT_MARGIN = 64 * LONGEST_DERIVATION
RULE_MARGIN = 2 * LONGEST_DERIVATION

# Indices are unsigned: signed ones might be negative, and would be looked at for that.
_ONE = np.uint64(1)
_STATE = np.uint64(STATE_COLUMNS)
_ALTERNATIVE = np.uint64(ALTERNATIVE_COLUMNS)
_FIRST, _GUIDE = np.uint64(FIRST), np.uint64(GUIDE)
_SHIFT, _TOTAL = np.uint64(SHIFT), np.uint64(TOTAL)
_TARGET, _NOTES, _MORE = np.uint64(TARGET), np.uint64(NOTES), np.uint64(MORE_NOTES)

_OPERATION = (1 << OPERATION_BITS) - 1
_START = (1 << LENGTH) - 1
_LENGTH = (1 << (BACK - LENGTH)) - 1


@part
def _choose(
    states: NDArray[np.int64],
    bounds: NDArray[np.int64],
    guides: NDArray[np.int32],
    state: np.uint64,
    key: np.uint64,
) -> np.uint64:
    """Return the alternative of a state that the number with this key stands for."""
    row = state * _STATE
    alternative = np.uint64(states[row + _FIRST])
    shift = states[row + _SHIFT]
    if shift != SINGLE:
        bits = mix(key)
        drawn = np.int64(high64(bits, np.uint64(states[row + _TOTAL])))
        entry = np.uint64(states[row + _GUIDE]) + (bits >> np.uint64(shift))
        alternative += np.uint64(guides[entry])
        while drawn >= bounds[alternative]:
            alternative += _ONE
    return alternative


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
    """Draw the candidates with these ``numbers``, from index ``done`` on; how many are done.

    Derivations and texts are appended behind ``rule_ends[done]`` and ``text_ends[done]``;
    those of a candidate that is too long are empty.  Fewer than all are done when a buffer
    is full.  ``start`` is the number of a state in ``program.starts``; ``stack`` must have
    room for the longest derivation.
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
        state_key = candidate_key(key, numbers[candidate])
        depth = address = np.uint64(0)
        word = first
        while True:
            operation = word & _OPERATION
            state = np.uint64(word >> OPERATION_BITS)
            # Rules that were begun go on after the last call: their words, notes and
            # endings may be many, so the limits hold for every instruction.
            if operation == WORD or operation == LAST_WORD:
                if rule_at > longest:
                    break
                if at > text_limit:
                    return candidate
                state_key += GAMMA
                row = _choose(states, bounds, guides, state, state_key) * _ALTERNATIVE
                rules[rule_at] = np.int32(alternatives[row + _NOTES])
                rule_at += _ONE
                piece = alternatives[row + _TARGET]
                copy32(text, at, pool, piece & _START)
                at += np.uint64(piece >> LENGTH)
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
                state_key += GAMMA
                row = _choose(states, bounds, guides, state, state_key) * _ALTERNATIVE
                target = alternatives[row + _TARGET]
                store128(rules, rule_at, alternatives[row + _NOTES], alternatives[row + _MORE])
                count = np.uint64(target >> COUNT)
                rule_at += count
                state_key += GAMMA * (count - _ONE)
                address = np.uint64(target & _START)
            elif operation == RETURN:
                if depth == 0:
                    break
                if at > text_limit:
                    return candidate
                depth -= _ONE
                address = np.uint64(stack[depth])
            else:
                if rule_at > longest:
                    break
                if at > text_limit:
                    return candidate
                if operation == NOTE:
                    rules[rule_at] = np.int32(state)
                    rule_at += _ONE
                    state_key += GAMMA
                address += _ONE + _ONE
            word, piece = code[address], code[address + _ONE]
            at -= np.uint64(piece >> BACK)
            copy32(text, at, pool, piece & _START)
            at += np.uint64((piece >> LENGTH) & _LENGTH)
        failed = rule_at > longest
        too_long[candidate] = failed
        if failed:
            at, rule_at = text_begin, rule_begin
        elif at > text_begin:
            at -= separator
        rule_ends[candidate + 1] = np.int64(rule_at)
        text_ends[candidate + 1] = np.int64(at)
    return len(numbers)
