"""Simulated annealing of a split (Kirkpatrick, Gelatt & Vecchi 1983) in a kernel.

Each step proposes one of three moves: an item gets another label, two items of different
labels change places, or all items of one compound go to one side.  What breaks a bound is
not proposed; what brings the split nearer to its targets is done; what takes it further
away is done with probability exp(-loss / temperature)::

    temperature 1e-4, loss 5e-5:  done in 61 of 100 cases;  temperature 1e-6:  never

A loss is compared with ``temperature * e``, where e has the exponential distribution; its
logarithm is taken piecewise linearly, from the leading bit and those after it, since
library logarithms differ between machines.  Random numbers are a function of key and step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.accel.jit import kernel, part
from sgl.accel.machine import high64
from sgl.accel.random import GAMMA, candidate_key, mix
from sgl.research.divergence.objective_kernel import (
    ATOMS,
    COMPOUNDS,
    ITEMS,
    SUMS,
    Bags,
    Counts,
    Objective,
    change,
    distance,
)

#: Of 64 proposals this many are of a whole compound, and this many of single items.
_BLOCKS, _SINGLES = 2, 33

#: Labels as numbers of the kernel: train, test, discarded.
_LABELS = 3

_LOG_2 = 0.6931471805599453


class Limits(NamedTuple):
    """The bounds: test shares as fractions of whole numbers, discards, size of a block."""

    least: int
    least_of: int
    most: int
    most_of: int
    discards: int
    block: int


class Placement(NamedTuple):
    """A split while it is made: the labels, what it counts, the items with each compound."""

    labels: NDArray[np.int8]
    numbers: NDArray[np.int64]
    atoms: Counts
    compounds: Counts
    holders: NDArray[np.int32]
    holder_start: NDArray[np.int64]


@part
def _below(key: np.uint64, draw: int, limit: int) -> int:
    """Draw ``draw`` of a step as a whole number below a limit."""
    bits = mix(key + np.uint64(draw + 1) * GAMMA)
    return int(np.int64(high64(bits, np.uint64(limit))))


@part
def _exponential(key: np.uint64, draw: int) -> float:
    """A number of nearly the exponential distribution."""
    bits = mix(key + np.uint64(draw + 1) * GAMMA) | np.uint64(1)
    halvings = 0
    while bits < np.uint64(1 << 63):
        bits <<= np.uint64(1)
        halvings += 1
    fraction = float(bits - np.uint64(1 << 63)) * (1.0 / 9223372036854775808.0)
    return (float(halvings + 1) - fraction) * _LOG_2


@part
def _allowed(train: int, test: int, discarded: int, limits: Limits) -> bool:
    """Whether a split of these sizes is within the bounds."""
    used = train + test
    return (
        discarded <= limits.discards
        and 0 < test < used
        and test * limits.least_of >= limits.least * used
        and test * limits.most_of <= limits.most * used
    )


@part
def _side(label: int, side: int) -> int:
    """1 if a label is this side."""
    return 1 if label == side else 0


@part
def shift(numbers: NDArray[np.int64], row: int, before: int, after: int, size: int) -> None:
    """Count an item of this size with another label."""
    numbers[row + before] -= size
    numbers[row + after] += size


@kernel
def _relabel(
    item: int,
    label: int,
    atoms: Bags,
    compounds: Bags,
    placement: Placement,
    objective: Objective,
) -> None:
    """Give an item another label."""
    before = int(placement.labels[item])
    train = _side(label, 0) - _side(before, 0)
    test = _side(label, 1) - _side(before, 1)
    numbers = placement.numbers
    shift(numbers, ITEMS, before, label, 1)
    shift(numbers, ATOMS, before, label, atoms.size[item])
    shift(numbers, COMPOUNDS, before, label, compounds.size[item])
    numbers[SUMS] += change(True, True, item, -1, train, test, atoms, placement.atoms, objective)
    numbers[SUMS + 1] += change(
        False, True, item, -1, train, test, compounds, placement.compounds, objective
    )
    placement.labels[item] = label


@kernel
def place(
    labels: NDArray[np.int8],
    atoms: Bags,
    compounds: Bags,
    placement: Placement,
    objective: Objective,
) -> None:
    """Give all items their labels; before, all are discarded."""
    for item in range(len(labels)):
        if labels[item] != placement.labels[item]:
            _relabel(item, int(labels[item]), atoms, compounds, placement, objective)


@part
def _now(numbers: NDArray[np.int64], objective: Objective) -> float:
    """How far the split is from its targets."""
    return distance(
        numbers[SUMS],
        numbers[SUMS + 1],
        numbers[ATOMS],
        numbers[ATOMS + 1],
        numbers[COMPOUNDS],
        numbers[COMPOUNDS + 1],
        objective,
    )


@kernel
def _move_block(
    key: np.uint64,
    slack: float,
    atoms: Bags,
    compounds: Bags,
    placement: Placement,
    limits: Limits,
    objective: Objective,
    current: float,
    moved: NDArray[np.int32],
    came_from: NDArray[np.int8],
) -> float:
    """Propose that all items of one compound go to one side; the distance afterwards."""
    compound = _below(key, 1, len(placement.holder_start) - 1)
    side = 0 if _below(key, 2, 5) < 3 else 1
    first, last = placement.holder_start[compound], placement.holder_start[compound + 1]
    if last - first > limits.block:
        return current
    other = 1 - side
    number = others = 0
    for at in range(first, last):
        item = placement.holders[at]
        if placement.labels[item] != side:
            others += _side(placement.labels[item], other)
            moved[number] = item
            came_from[number] = placement.labels[item]
            number += 1
    sizes = placement.numbers[ITEMS : ITEMS + _LABELS]
    gained, lost = sizes[side] + number, sizes[other] - others
    train, test = (gained, lost) if side == 0 else (lost, gained)
    discarded = sizes[2] - (number - others)
    if number == 0 or not _allowed(train, test, discarded, limits):
        return current
    for at in range(number):
        _relabel(moved[at], side, atoms, compounds, placement, objective)
    after = _now(placement.numbers, objective)
    if after - current <= slack:
        return after
    for at in range(number):
        _relabel(moved[at], int(came_from[at]), atoms, compounds, placement, objective)
    return current


@kernel
def _move_items(
    x: int,
    y: int,
    label: int,
    slack: float,
    atoms: Bags,
    compounds: Bags,
    placement: Placement,
    objective: Objective,
    current: float,
) -> float:
    """Propose another label for x, and that of x for y if there is one; the distance then."""
    before = int(placement.labels[x])
    train = _side(label, 0) - _side(before, 0)
    test = _side(label, 1) - _side(before, 1)
    more_atoms, more_compounds = atoms.size[x], compounds.size[x]
    if y >= 0:
        more_atoms -= atoms.size[y]
        more_compounds -= compounds.size[y]
    numbers = placement.numbers
    atom_gain = change(True, False, x, y, train, test, atoms, placement.atoms, objective)
    compound_gain = change(
        False, False, x, y, train, test, compounds, placement.compounds, objective
    )
    after = distance(
        numbers[SUMS] + atom_gain,
        numbers[SUMS + 1] + compound_gain,
        numbers[ATOMS] + train * more_atoms,
        numbers[ATOMS + 1] + test * more_atoms,
        numbers[COMPOUNDS] + train * more_compounds,
        numbers[COMPOUNDS + 1] + test * more_compounds,
        objective,
    )
    if after - current > slack:
        return current
    _relabel(x, label, atoms, compounds, placement, objective)
    if y >= 0:
        _relabel(y, before, atoms, compounds, placement, objective)
    return after


@kernel
def anneal(
    key: np.uint64,
    first_step: int,
    steps: int,
    temperature: float,
    atoms: Bags,
    compounds: Bags,
    placement: Placement,
    limits: Limits,
    objective: Objective,
    moved: NDArray[np.int32],
    came_from: NDArray[np.int8],
) -> float:
    """Go on with steps at one temperature; the distance from the targets at the end."""
    labels, numbers = placement.labels, placement.numbers
    items = len(labels)
    current = _now(numbers, objective)
    for step in range(first_step, first_step + steps):
        step_key = candidate_key(key, step)
        choice = _below(step_key, 0, 64)
        slack = temperature * _exponential(step_key, 4)
        if choice < _BLOCKS:
            current = _move_block(
                step_key,
                slack,
                atoms,
                compounds,
                placement,
                limits,
                objective,
                current,
                moved,
                came_from,
            )
            continue
        x = _below(step_key, 1, items)
        before = int(labels[x])
        y = -1
        if choice < _SINGLES:
            kinds = _LABELS if limits.discards > 0 else _LABELS - 1
            label = (before + 1 + _below(step_key, 2, kinds - 1)) % kinds
            train = numbers[ITEMS] + _side(label, 0) - _side(before, 0)
            test = numbers[ITEMS + 1] + _side(label, 1) - _side(before, 1)
            discarded = numbers[ITEMS + 2] + _side(label, 2) - _side(before, 2)
            if not _allowed(train, test, discarded, limits):
                continue
        else:
            y = _below(step_key, 2, items)
            label = int(labels[y])
            if label == before:
                continue
        current = _move_items(x, y, label, slack, atoms, compounds, placement, objective, current)
    return current
