"""The objective of a split, and what a move changes, over flat arrays.

A move gives item x another label, or swaps the labels of two items x and y.  Only kinds that
occur in x or y have another term afterwards, and a kind that occurs as often in both has
not, so the cost of a move does not depend on how many kinds there are::

    x in train  det 2  noun 2  verb 1         y in test  det 2  noun 1  name 1  verb 1
    swap        noun -1 in train, +1 in test; name +1 in train, -1 in test

Splits are the same on every machine.  Libraries disagree in the last digit of ``pow``, and a
search that compares sums of such numbers would go another way after some thousand steps.  So
only additions, products, quotients and square roots are used, which IEEE 754 rounds correctly
everywhere.  With r(v), the tenth root of v, found by Newton's method,

    v ** 0.1 = r(v)        w ** 0.9 = w / r(w)        (v * w) ** 0.5 = sqrt(v * w)

Sums are whole numbers: a term is rounded to a multiple of 1 / scale, so that adding it and
taking it away again leaves nothing behind, in whatever order.

Without Numba the functions are plain Python, and give the same results.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.research.divergence.elements import Elements, Occurrences
from sgl.research.divergence.jit import kernel, part
from sgl.research.divergence.problem import DISCARDED, TEST, TRAIN, Bounds, SplitTarget

#: Places in the numbers of a state: items, atom and compound occurrences by label, then the
#: two sums of terms.
ITEMS, ATOMS, COMPOUNDS, SUMS = 0, 3, 6, 9

#: Roots of numbers below this are looked up; larger ones are found from a shorter number.
ROOTS = 1 << 20

#: From a start at most twice the root, these many steps of Newton's method reach the last digit.
_STEPS = 10

#: Sums of terms stay below 2 to this power; more digits than ``_MOST_BITS`` do not help, as a
#: term is a product of two rounded numbers.
_SUM_BITS, _MOST_BITS = 61, 36

#: What atom divergence beyond its limit costs: more than any compound divergence gains.
_BEYOND = 1024.0


class Bags(NamedTuple):
    """The atoms, or the compounds, of all items, and how often each kind is on each side.

    ``start``, ``kinds`` and ``times`` are those of ``Occurrences``; ``size`` is the sum of
    ``times`` for each item.  ``sides`` has a row for train and one for test, ``terms`` the
    rounded term of each kind.
    """

    start: NDArray[np.int64]
    kinds: NDArray[np.int32]
    times: NDArray[np.int64]
    size: NDArray[np.int64]
    sides: NDArray[np.int64]
    terms: NDArray[np.int64]
    scale: float


class Limits(NamedTuple):
    """The bounds: test shares as fractions of whole numbers, discards, size of a block."""

    least: int
    least_of: int
    most: int
    most_of: int
    discards: int
    block: int


class SplitState(NamedTuple):
    """A split while it is made: labels and what they count, and what does not change."""

    labels: NDArray[np.int8]
    numbers: NDArray[np.int64]
    atoms: Bags
    compounds: Bags
    #: The items with compound ``k`` are ``holders[holder_start[k]:holder_start[k + 1]]``.
    holders: NDArray[np.int32]
    holder_start: NDArray[np.int64]
    roots: NDArray[np.float64]
    goal: SplitTarget
    limits: Limits


def new_state(elements: Elements, target: SplitTarget, bounds: Bounds) -> SplitState:
    """Return the state in which all items are discarded."""
    atoms, compounds = map(_bags, elements)
    items, kinds = elements.compounds.items, len(elements.compounds.names)
    rows = np.repeat(np.arange(items, dtype=np.int32), np.diff(compounds.start))
    holder_start = np.zeros(kinds + 1, np.int64)
    np.cumsum(np.bincount(compounds.kinds, minlength=kinds), out=holder_start[1:])
    state = SplitState(
        labels=np.empty(items, np.int8),
        numbers=np.empty(SUMS + 2, np.int64),
        atoms=atoms,
        compounds=compounds,
        holders=rows[np.argsort(compounds.kinds, kind="stable")],
        holder_start=holder_start,
        roots=tenth_roots(int(compounds.size.sum())),
        goal=SplitTarget(*map(float, target)),
        limits=Limits(
            *bounds.least.as_integer_ratio(),
            *bounds.most.as_integer_ratio(),
            bounds.discards,
            max(50, items // 200),
        ),
    )
    discard_all(state)
    return state


def _bags(part: Occurrences) -> Bags:
    sums = np.concatenate((np.zeros(1, np.int64), np.cumsum(part.times)))
    size = sums[part.start[1:]] - sums[part.start[:-1]]
    kinds = len(part.names)
    return Bags(
        part.start,
        part.kinds,
        part.times,
        size,
        np.zeros((2, kinds), np.int64),
        np.zeros(kinds, np.int64),
        scale_for(int(size.sum())),
    )


def discard_all(state: SplitState) -> None:
    """Discard all items: nothing is counted on either side."""
    state.labels.fill(DISCARDED)
    state.numbers.fill(0)
    state.numbers[ITEMS + DISCARDED] = len(state.labels)
    for bags, row in ((state.atoms, ATOMS), (state.compounds, COMPOUNDS)):
        state.numbers[row + DISCARDED] = bags.size.sum()
        bags.sides.fill(0)
        bags.terms.fill(0)


def tenth_roots(size: int) -> NDArray[np.float64]:
    """Return the tenth roots of 0, 1, …, as many as a table for numbers up to ``size`` needs."""
    squares = np.sqrt(np.arange(min(size + 1, ROOTS), dtype=np.float64))
    squares[0] = 1.0
    _, exponents = np.frexp(squares)
    roots = np.ldexp(1.0, (exponents + 4) // 5)
    for _ in range(_STEPS):
        fourth = roots * roots
        fourth = fourth * fourth
        roots = (4.0 * roots + squares / fourth) / 5.0
    roots[0] = 0.0
    result: NDArray[np.float64] = roots
    return result


def scale_for(total: int) -> float:
    """Return a power of two with which terms of so many occurrences have a 64-bit sum."""
    return float(1 << max(0, min(_MOST_BITS, _SUM_BITS - total.bit_length())))


@part
def _tenth_root(value: int, roots: NDArray[np.float64]) -> float:
    """Return the tenth root; beyond the table from leading digits and three terms of a series."""
    shift = 0
    factor = 1.0
    while (value >> shift) >= len(roots):
        shift += 10
        factor *= 2.0
    head = value >> shift
    root = float(roots[head])
    if shift:
        base = float(head << shift)
        over = (float(value) - base) / base
        root *= factor * (1.0 + over * (0.1 - over * (0.045 - over * 0.0285)))
    return root


@part
def _term(atom: bool, train: int, test: int, scale: float, roots: NDArray[np.float64]) -> int:
    """Return the rounded term of a kind."""
    if train == 0 or test == 0:
        return 0
    if atom:
        return int(math.sqrt(float(train) * float(test)) * scale + 0.5)
    product = _tenth_root(train, roots) * (float(test) / _tenth_root(test, roots))
    return int(product * scale + 0.5)


@kernel
def change(
    atom: bool, write: bool, x: int, y: int, train: int, test: int, state: SplitState
) -> int:
    """Return what a sum changes by if x is added ``train`` and ``test`` times, y taken away.

    ``atom`` chooses the sum; ``y`` is -1 for none.  With ``write`` the counts become those
    after the move.
    """
    bags = state.atoms if atom else state.compounds
    i, i_end, j, j_end = bags.start[x], bags.start[x + 1], 0, 0
    if y >= 0:
        j, j_end = bags.start[y], bags.start[y + 1]
    gain = 0
    while i < i_end or j < j_end:
        if j == j_end or (i < i_end and bags.kinds[i] < bags.kinds[j]):
            kind, times = bags.kinds[i], bags.times[i]
            i += 1
        elif i == i_end or bags.kinds[j] < bags.kinds[i]:
            kind, times = bags.kinds[j], -bags.times[j]
            j += 1
        else:
            kind, times = bags.kinds[i], bags.times[i] - bags.times[j]
            i += 1
            j += 1
            if times == 0:
                continue
        in_train = bags.sides[TRAIN, kind] + train * times
        in_test = bags.sides[TEST, kind] + test * times
        term = _term(atom, in_train, in_test, bags.scale, state.roots)
        gain += term - bags.terms[kind]
        if write:
            bags.sides[TRAIN, kind] = in_train
            bags.sides[TEST, kind] = in_test
            bags.terms[kind] = term
    return gain


@kernel
def distance_after(x: int, y: int, train: int, test: int, state: SplitState) -> float:
    """Return how far the split is from its targets after a move: less is better.

    ``x`` and ``y`` are -1 for no item: the distance before any move.
    """
    atoms, compounds, numbers, goal = state.atoms, state.compounds, state.numbers, state.goal
    atom_sum, compound_sum = numbers[SUMS], numbers[SUMS + 1]
    more_atoms = more_compounds = 0
    if x >= 0:
        atom_sum += change(True, False, x, y, train, test, state)
        compound_sum += change(False, False, x, y, train, test, state)
        more_atoms, more_compounds = atoms.size[x], compounds.size[x]
        if y >= 0:
            more_atoms -= atoms.size[y]
            more_compounds -= compounds.size[y]
    atom_divergence = compound_divergence = 1.0
    in_train, in_test = numbers[ATOMS] + train * more_atoms, numbers[ATOMS + 1] + test * more_atoms
    if in_train > 0 and in_test > 0:
        whole = math.sqrt(float(in_train) * float(in_test)) * atoms.scale
        atom_divergence = 1.0 - float(atom_sum) / whole
    in_train = numbers[COMPOUNDS] + train * more_compounds
    in_test = numbers[COMPOUNDS + 1] + test * more_compounds
    if in_train > 0 and in_test > 0:
        ratio = _tenth_root(in_train, state.roots) / _tenth_root(in_test, state.roots)
        whole = float(in_test) * ratio * compounds.scale
        compound_divergence = 1.0 - float(compound_sum) / whole
    off = abs(atom_divergence - goal.atoms) * goal.weight
    if atom_divergence > goal.limit:
        off += (atom_divergence - goal.limit) * _BEYOND
    return abs(compound_divergence - goal.compounds) + off


@part
def side(label: int, wanted: int) -> int:
    """Return 1 if a label is this side."""
    return 1 if label == wanted else 0


@kernel
def relabel(item: int, label: int, state: SplitState) -> None:
    """Give an item another label."""
    numbers = state.numbers
    before = int(state.labels[item])
    train = side(label, TRAIN) - side(before, TRAIN)
    test = side(label, TEST) - side(before, TEST)
    atoms, compounds = state.atoms.size[item], state.compounds.size[item]
    for row, size in ((ITEMS, 1), (ATOMS, atoms), (COMPOUNDS, compounds)):
        numbers[row + before] -= size
        numbers[row + label] += size
    numbers[SUMS] += change(True, True, item, -1, train, test, state)
    numbers[SUMS + 1] += change(False, True, item, -1, train, test, state)
    state.labels[item] = label


@kernel
def place(labels: NDArray[np.int8], state: SplitState) -> None:
    """Give all items these labels."""
    for item in range(len(labels)):
        if labels[item] != state.labels[item]:
            relabel(item, int(labels[item]), state)
