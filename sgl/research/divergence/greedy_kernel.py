"""The greedy division of Moisio, Creutz & Kurimo (2023), their Procedure 1, in a kernel.

Training begins with one random item.  Then, again and again, the best of some candidates is
added to training or to test, whichever brings the split nearer to its targets at once; if
one side would take the share of test out of its bounds, only the other is considered::

    1,000 candidates, drawn anew for every second choice; an item that is placed stays

The authors compute the divergences of all candidates with dense matrices of candidates and
kinds; here only the kinds of a candidate are looked at, which gives the same numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sgl.accel.jit import kernel, part
from sgl.accel.machine import high64
from sgl.accel.random import candidate_key
from sgl.research.divergence.anneal_kernel import Limits, Placement, shift
from sgl.research.divergence.objective_kernel import (
    ATOMS,
    COMPOUNDS,
    ITEMS,
    SUMS,
    Bags,
    Objective,
    change,
    distance,
)


@part
def _below(bits: np.uint64, limit: int) -> int:
    """Random bits as a whole number below a limit."""
    return int(np.int64(high64(bits, np.uint64(limit))))


@part
def _swap(pool: NDArray[np.int32], i: int, j: int) -> None:
    """Let two entries change places."""
    pool[i], pool[j] = pool[j], pool[i]


@kernel
def _with_item(
    item: int,
    side: int,
    atoms: Bags,
    compounds: Bags,
    placement: Placement,
    objective: Objective,
) -> float:
    """How far the split is from its targets with one more item on a side."""
    numbers = placement.numbers
    train, test = 1 - side, side
    return distance(
        numbers[SUMS]
        + change(True, False, item, -1, train, test, atoms, placement.atoms, objective),
        numbers[SUMS + 1]
        + change(False, False, item, -1, train, test, compounds, placement.compounds, objective),
        numbers[ATOMS] + train * atoms.size[item],
        numbers[ATOMS + 1] + test * atoms.size[item],
        numbers[COMPOUNDS] + train * compounds.size[item],
        numbers[COMPOUNDS + 1] + test * compounds.size[item],
        objective,
    )


@kernel
def _add(
    item: int,
    side: int,
    atoms: Bags,
    compounds: Bags,
    placement: Placement,
    objective: Objective,
) -> None:
    """Put an item that has no side yet on a side."""
    numbers = placement.numbers
    shift(numbers, ITEMS, 2, side, 1)
    shift(numbers, ATOMS, 2, side, atoms.size[item])
    shift(numbers, COMPOUNDS, 2, side, compounds.size[item])
    train, test = 1 - side, side
    numbers[SUMS] += change(True, True, item, -1, train, test, atoms, placement.atoms, objective)
    numbers[SUMS + 1] += change(
        False, True, item, -1, train, test, compounds, placement.compounds, objective
    )
    placement.labels[item] = side


@kernel
def divide(
    key: np.uint64,
    first: int,
    choices: int,
    candidates: int,
    every: int,
    pool: NDArray[np.int32],
    atoms: Bags,
    compounds: Bags,
    placement: Placement,
    limits: Limits,
    objective: Objective,
) -> None:
    """Make these many choices, from number ``first`` on; choice 0 is the random item.

    The unplaced items are the first of ``pool``, and the current candidates stand before
    the others.
    """
    numbers = placement.numbers
    for choice in range(first, first + choices):
        left = len(pool) - choice
        drawn = 1
        if choice == 0:
            at, side = _below(candidate_key(key, 0), left), 0
        else:
            since = 0 if choice == 1 else (choice - 2) % every
            drawn = min(candidates - since, left)
            if since == 0:
                fresh = candidate_key(key, choice)
                for index in range(drawn):
                    other = _below(candidate_key(fresh, index), left - index)
                    _swap(pool, index, index + other)
            used = numbers[ITEMS] + numbers[ITEMS + 1]
            test = numbers[ITEMS + 1]
            to_test = (test + 1) * limits.most_of <= limits.most * (used + 1)
            to_test = to_test or test * limits.least_of < limits.least * used
            to_train = test * limits.least_of >= limits.least * (used + 1) or not to_test
            best, at, side = np.inf, 0, 0
            for index in range(drawn):
                if to_test:
                    found = _with_item(pool[index], 1, atoms, compounds, placement, objective)
                    if found < best:
                        best, at, side = found, index, 1
                if to_train:
                    found = _with_item(pool[index], 0, atoms, compounds, placement, objective)
                    if found < best:
                        best, at, side = found, index, 0
        _add(int(pool[at]), side, atoms, compounds, placement, objective)
        # The candidates that are left stay in front; the last unplaced item fills the gap.
        if choice > 0:
            _swap(pool, at, drawn - 1)
            at = drawn - 1
        _swap(pool, at, left - 1)
