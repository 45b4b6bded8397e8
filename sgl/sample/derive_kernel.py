"""The kernel that draws derivations and writes their source texts.

It runs the code of ``sgl.sample.program`` with a stack of return addresses.  Choices are
made in the order of ``sgl.sample.engine.derive``, so a candidate has the same derivation
here and there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sgl.kernel.jit import kernel
from sgl.kernel.machine import high64
from sgl.kernel.random import GAMMA, candidate_key, mix
from sgl.kernel.text import put
from sgl.sample.engine import LONGEST_DERIVATION
from sgl.sample.program import (
    ATTACHED,
    CALL,
    LITERAL,
    OPERATION_BITS,
    RAISE,
    RETURN,
    SHIFT,
    SINGLE,
    WORD,
    Program,
)

#: Bytes that every text buffer must have left for the next literal, beside the longest.
MARGIN = 64

_OPERATION = (1 << OPERATION_BITS) - 1


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
    is full.  ``stack`` must have room for the longest derivation.
    """
    states, bounds, guides, code = program.states, program.bounds, program.guides, program.code
    rules_of, codes, arity = program.rules, program.codes, program.arity
    literals, separator = program.literals, program.separator
    plain, raised, shown, pool = literals.plain, literals.raised, literals.shown, literals.pool
    text_limit = len(text) - literals.longest - MARGIN
    rule_limit = len(rules) - LONGEST_DERIVATION - MARGIN
    for candidate in range(done, len(numbers)):
        at = text_begin = text_ends[candidate]
        rule_at = rule_begin = rule_ends[candidate]
        if rule_at > rule_limit:
            return candidate
        state_key = candidate_key(key, numbers[candidate])
        operation, state = CALL, np.int64(start)
        depth = 0
        unfinished = 1
        pending = 0
        address = np.int64(0)
        failed = False
        while True:
            if operation == WORD or operation == CALL:
                state_key += GAMMA
                alternative = states[state, 0]
                shift = states[state, SHIFT]
                if shift != SINGLE:
                    bits = mix(state_key)
                    drawn = np.int64(high64(bits, np.uint64(states[state, 3])))
                    here = np.int64(guides[states[state, 1] + np.int64(bits >> np.uint64(shift))])
                    while drawn >= bounds[alternative + here]:
                        here += 1
                    alternative += here
                rule = rules_of[alternative]
                rules[rule_at] = rule
                rule_at += 1
                if operation == WORD:
                    unfinished -= 1
                    literal = codes[alternative]
                    if at > text_limit:
                        return candidate
                    if pending > 0:
                        at = put(text, at, pool, raised[literal])
                        if shown[literal]:
                            pending = 0
                    else:
                        at = put(text, at, pool, plain[literal])
                else:
                    unfinished += arity[rule] - 1
                    if rule_at - rule_begin + unfinished > LONGEST_DERIVATION:
                        failed = True
                        break
                    stack[depth] = address
                    depth += 1
                    address = np.int64(codes[alternative])
            elif operation == RETURN:
                depth -= 1
                if depth == 0:
                    break
                address = np.int64(stack[depth])
            elif operation == LITERAL or operation == ATTACHED:
                if at > text_limit:
                    return candidate
                if operation == ATTACHED and at > text_begin:
                    at -= separator
                if pending > 0:
                    at = put(text, at, pool, raised[state])
                    if shown[state]:
                        pending = 0
                else:
                    at = put(text, at, pool, plain[state])
            elif operation == RAISE:
                pending += 1
            elif pending > 0:
                pending -= 1
            word = code[address]
            operation = word & _OPERATION
            state = np.int64(word >> OPERATION_BITS)
            address += 1
        if failed:
            at, rule_at = text_begin, rule_begin
        elif at > text_begin:
            at -= separator
        too_long[candidate] = failed
        rule_ends[candidate + 1] = rule_at
        text_ends[candidate + 1] = at
    return len(numbers)
