"""Take the steps of the two searches: simulated annealing and the greedy procedure.

In each step, annealing (Kirkpatrick, Gelatt & Vecchi 1983) proposes that an item gets another label, two items swap
places, or all items of one compound go to one side, within the bounds.  A proposal that brings the split nearer to its
targets is accepted; a loss is accepted with probability exp(-loss / temperature), by comparing it with ``temperature *
e``, where e has the exponential distribution.  The logarithm for e is taken piecewise linearly, from leading bits,
since library logarithms differ between machines.

The greedy procedure is Procedure 1 of Moisio, Creutz & Kurimo (2023): the best of some candidates is added at once to
the side that brings the split nearer to its targets, within the bounds.  Only the kinds of a candidate are examined,
which gives the same numbers as the authors' dense matrices.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sgl.research.divergence.objective_kernel import SplitState, distance, exchange, kernel, part, relabel
from sgl.research.divergence.problem import DISCARDED, TEST, TRAIN
from sgl.sampling.engine import GAMMA as STEP
from sgl.sampling.engine import MIX_1, MIX_2

#: Out of 64 proposals, this many move a whole compound, and those up to the second number move single items.
_BLOCKS, _SINGLES = 2, 33

_LABELS = 3

#: 64 bits, or an array of 64-bit numbers.
Bits = TypeVar("Bits", np.uint64, NDArray[np.uint64])

_LOG_2 = 0.6931471805599453

GAMMA, _MIX_1, _MIX_2 = map(np.uint64, (STEP, MIX_1, MIX_2))

_1, _27, _30, _31, _32 = (np.uint64(number) for number in (1, 27, 30, 31, 32))
_LOW = np.uint64(0xFFFFFFFF)
_TOP = np.uint64(1 << 63)


@part
def mix(value: Bits) -> Bits:
    """Apply SplitMix64's finaliser to a number or an array."""
    value = (value ^ (value >> _30)) * _MIX_1
    value = (value ^ (value >> _27)) * _MIX_2
    return value ^ (value >> _31)


@part
def _at(key: np.uint64, index: int) -> np.uint64:
    return mix(key + np.uint64(index + 1) * GAMMA)


@part
def _below(bits: np.uint64, limit: int) -> int:
    factor = np.uint64(limit)
    carried = ((bits & _LOW) * factor) >> _32
    return int(np.int64(((bits >> _32) * factor + carried) >> _32))


@part
def _exponential(bits: np.uint64) -> float:
    bits |= _1
    halvings = 0
    while bits < _TOP:
        bits <<= _1
        halvings += 1
    fraction = float(bits - _TOP) * (1.0 / 9223372036854775808.0)
    return (float(halvings + 1) - fraction) * _LOG_2


@part
def _allowed(state: SplitState) -> bool:
    limits, sizes = state.limits, state.sizes
    test = int(sizes[TEST])
    used = test + int(sizes[TRAIN])
    return (
        int(sizes[DISCARDED]) <= limits.discards
        and 0 < test < used
        and limits.least * used <= test * limits.least_of
        and test * limits.most_of <= limits.most * used
    )


@kernel
def _propose(key: np.uint64, state: SplitState) -> int:
    """Write a move into the state, and return its number of items."""
    labels, items, number = state.labels, len(state.labels), 0
    choice = _below(_at(key, 0), 64)
    if choice < _BLOCKS:
        compound = _below(_at(key, 1), len(state.holder_start) - 1)
        to = TRAIN if _below(_at(key, 2), 5) < 3 else TEST
        first, last = state.holder_start[compound], state.holder_start[compound + 1]
        for at in range(first, last if last - first <= len(state.moved) else first):
            if labels[state.holders[at]] != to:
                state.moved[number], state.given[number] = state.holders[at], to
                number += 1
        return number
    x = _below(_at(key, 1), items)
    state.moved[0] = x
    if choice < _SINGLES:
        kinds = _LABELS if state.limits.discards > 0 else _LABELS - 1
        state.given[0] = (int(labels[x]) + 1 + _below(_at(key, 2), kinds - 1)) % kinds
        return 1
    y = _below(_at(key, 2), items)
    state.moved[1] = y
    state.given[0], state.given[1] = labels[y], labels[x]
    return 0 if labels[x] == labels[y] else 2


@kernel
def anneal_steps(key: np.uint64, first_step: int, steps: int, temperature: float, state: SplitState) -> float:
    """Take steps at one temperature; return the distance from the targets at the end."""
    current = distance(state)
    for step in range(first_step, first_step + steps):
        step_key = _at(key, step)
        number = _propose(step_key, state)
        if number == 0:
            continue
        exchange(number, state)
        after = distance(state)
        if after - current <= temperature * _exponential(_at(step_key, 4)) and _allowed(state):
            current = after
        else:
            exchange(number, state)
    return current


@kernel
def greedy_choices(
    key: np.uint64, first: int, choices: int, candidates: int, every: int, pool: NDArray[np.int32], state: SplitState
) -> None:
    """Make ``choices`` choices from number ``first`` on; choice 0 is a random item.

    The unplaced items are the first of ``pool``, with the current candidates in front.
    """
    limits, sizes = state.limits, state.sizes
    for choice in range(first, first + choices):
        left = len(pool) - choice
        sampled, label = 1, TRAIN
        if choice == 0:
            at = _below(_at(key, 0), left)
        else:
            since = 0 if choice == 1 else (choice - 2) % every
            sampled = min(candidates - since, left)
            if since == 0:
                fresh = _at(key, choice)
                for index in range(sampled):
                    other = index + _below(_at(fresh, index), left - index)
                    pool[index], pool[other] = pool[other], pool[index]
            test = sizes[TEST]
            used = sizes[TRAIN] + test
            to_test = (test + 1) * limits.most_of <= limits.most * (used + 1)
            to_test = to_test or test * limits.least_of < limits.least * used
            to_train = test * limits.least_of >= limits.least * (used + 1) or not to_test
            best, at = np.inf, 0
            for index in range(sampled):
                for to in (TEST, TRAIN):
                    if to_test if to == TEST else to_train:
                        relabel(pool[index], to, state)
                        found = distance(state)
                        if found < best:
                            best, at, label = found, index, to
                relabel(pool[index], DISCARDED, state)
        relabel(pool[at], label, state)
        # The remaining candidates stay in front; the last unplaced item fills the gap.
        if choice > 0:
            pool[at], pool[sampled - 1] = pool[sampled - 1], pool[at]
            at = sampled - 1
        pool[at], pool[left - 1] = pool[left - 1], pool[at]
