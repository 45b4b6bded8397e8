"""Compute the objective of a split, and change it by moves, over flat arrays.

A move gives items other labels.  Only the kinds in these items get a new term, so the cost of a move does not depend on
the number of kinds, and a second move takes the first one back.

Splits are the same on every machine: only operations that IEEE 754 rounds correctly are used, unlike ``pow``.  With
r(v), the tenth root of v, by Newton's method, ``v ** 0.1 = r(v)`` and ``w ** 0.9 = w / r(w)``.  Sums are whole numbers:
a term is rounded to a multiple of 1 / scale, so that adding it and subtracting it again leaves nothing behind.  Without
Numba, the functions are plain Python.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sgl.research.divergence.problem import DISCARDED, TEST, TRAIN, Bounds, Elements, Occurrences, SplitTarget

Function = TypeVar("Function", bound=Callable[..., Any])


def _interpreted(function: Function) -> Function:
    return function


def _compilers() -> tuple[Callable[[Function], Function], Callable[[Function], Function]]:
    from sgl.accel import compiles

    if not compiles():
        return _interpreted, _interpreted
    from sgl.accel.jit import kernel, part

    return kernel, part


kernel, part = _compilers()

#: The index of the sum of all terms in the totals of bags, after the occurrences by label.
SUM = 3

#: Roots of numbers below this are looked up; larger ones are computed from leading digits.
ROOTS = 1 << 20

#: From a start at most twice the root, this many steps of Newton's method reach the last digit.
_STEPS = 10

#: Sums of terms stay below 2 to the first power.  More digits than ``_MOST_BITS`` do not help, as a term is a product
#: of two rounded numbers.
_SUM_BITS, _MOST_BITS = 61, 36

#: The cost of atom divergence beyond its limit: more than any compound divergence can gain.
_BEYOND = 1024.0


class Bags(NamedTuple):
    """The atoms, or the compounds, of all items, and the counts of each kind on each side.

    ``start``, ``kinds`` and ``times`` are as in ``Occurrences``; ``size`` is the sum of ``times`` for each item.
    ``sides`` has a row for train and one for test, ``terms`` the rounded term of each kind.  ``roots`` is a table of
    tenth roots; for atoms it is empty, as they need square roots.
    """

    start: NDArray[np.int64]
    kinds: NDArray[np.int32]
    times: NDArray[np.int64]
    size: NDArray[np.int64]
    sides: NDArray[np.int64]
    terms: NDArray[np.int64]
    totals: NDArray[np.int64]
    roots: NDArray[np.float64]
    scale: float


class Limits(NamedTuple):
    """The bounds: test shares as fractions of whole numbers, and the most discards."""

    least: int
    least_of: int
    most: int
    most_of: int
    discards: int


class SplitState(NamedTuple):
    """A split in the making: labels, sizes and contents; the items to be ``moved`` and the labels ``given`` to them."""

    labels: NDArray[np.int8]
    sizes: NDArray[np.int64]
    atoms: Bags
    compounds: Bags
    #: The items with compound ``k`` are ``holders[holder_start[k]:holder_start[k + 1]]``.
    holders: NDArray[np.int32]
    holder_start: NDArray[np.int64]
    moved: NDArray[np.int32]
    given: NDArray[np.int8]
    goal: SplitTarget
    limits: Limits


def new_state(elements: Elements, target: SplitTarget, bounds: Bounds) -> SplitState:
    """Return the state in which all items are discarded."""
    part = elements.compounds
    rows = np.repeat(np.arange(part.items, dtype=np.int32), np.diff(part.start))
    holders = np.bincount(part.kinds, minlength=len(part.names))
    shares = *bounds.least.as_integer_ratio(), *bounds.most.as_integer_ratio()
    block = max(50, part.items // 200)
    return SplitState(
        labels=np.full(part.items, DISCARDED, np.int8),
        sizes=np.array([0, 0, part.items]),
        atoms=_bags(elements.atoms, 0),
        compounds=_bags(part, ROOTS),
        holders=rows[np.argsort(part.kinds, kind="stable")],
        holder_start=np.concatenate(([0], np.cumsum(holders))),
        moved=np.zeros(block, np.int32),
        given=np.zeros(block, np.int8),
        goal=SplitTarget(*map(float, target)),
        limits=Limits(*shares, bounds.discards),
    )


def _bags(part: Occurrences, roots: int) -> Bags:
    """Return the bags of items that are all discarded, with at most ``roots`` roots."""
    size = np.diff(np.concatenate(([0], np.cumsum(part.times)))[part.start])
    total, kinds = int(size.sum()), len(part.names)
    return Bags(
        part.start,
        part.kinds,
        part.times,
        size,
        sides=np.zeros((2, kinds), np.int64),
        terms=np.zeros(kinds, np.int64),
        totals=np.array([0, 0, total, 0]),
        roots=tenth_roots(min(total + 1, roots)),
        scale=scale_for(total),
    )


def tenth_roots(number: int) -> NDArray[np.float64]:
    """Return the tenth roots of 0, 1, …, ``number - 1``."""
    squares = np.sqrt(np.arange(number, dtype=np.float64))
    squares[:1] = 1.0
    _, exponents = np.frexp(squares)
    roots: NDArray[np.float64] = np.ldexp(1.0, (exponents + 4) // 5)
    for _ in range(_STEPS):
        fourth = roots * roots
        fourth = fourth * fourth
        roots = (4.0 * roots + squares / fourth) / 5.0
    roots[:1] = 0.0
    return roots


def scale_for(total: int) -> float:
    """Return a power of two that keeps the sum of terms for ``total`` occurrences within 64 bits."""
    return float(1 << max(0, min(_MOST_BITS, _SUM_BITS - total.bit_length())))


@part
def _tenth_root(value: int, roots: NDArray[np.float64]) -> float:
    """Return a tenth root; beyond the table, compute it from leading digits and three terms of a series."""
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
def _mean(train: int, test: int, bags: Bags) -> float:
    """Return the scaled geometric mean of two numbers, with the weights of the divergence."""
    if len(bags.roots) == 0:
        return math.sqrt(float(train) * float(test)) * bags.scale
    other = float(test) / _tenth_root(test, bags.roots)
    return _tenth_root(train, bags.roots) * other * bags.scale


@part
def _divergence(bags: Bags) -> float:
    in_train, in_test = bags.totals[TRAIN], bags.totals[TEST]
    if in_train <= 0 or in_test <= 0:
        return 1.0
    return 1.0 - float(bags.totals[SUM]) / _mean(in_train, in_test, bags)


@kernel
def distance(state: SplitState) -> float:
    """Return the distance of the split from its targets."""
    goal = state.goal
    atoms = _divergence(state.atoms)
    off = abs(atoms - goal.atoms) * goal.weight
    if atoms > goal.limit:
        off += (atoms - goal.limit) * _BEYOND
    return abs(_divergence(state.compounds) - goal.compounds) + off


@part
def _side(label: int, wanted: int) -> int:
    """Return 1 if a label is this side, else 0."""
    return 1 if label == wanted else 0


@kernel
def relabel(item: int, label: int, state: SplitState) -> None:
    """Give an item another label."""
    before = int(state.labels[item])
    train = _side(label, TRAIN) - _side(before, TRAIN)
    test = _side(label, TEST) - _side(before, TEST)
    for bags in (state.atoms, state.compounds):
        bags.totals[before] -= bags.size[item]
        bags.totals[label] += bags.size[item]
        gain = 0
        for at in range(bags.start[item], bags.start[item + 1]):
            kind = bags.kinds[at]
            bags.sides[TRAIN, kind] += train * bags.times[at]
            bags.sides[TEST, kind] += test * bags.times[at]
            in_train, in_test, term = bags.sides[TRAIN, kind], bags.sides[TEST, kind], 0
            if in_train != 0 and in_test != 0:
                term = int(_mean(in_train, in_test, bags) + 0.5)
            gain += term - bags.terms[kind]
            bags.terms[kind] = term
        bags.totals[SUM] += gain
    state.sizes[before] -= 1
    state.sizes[label] += 1
    state.labels[item] = label


@kernel
def exchange(number: int, state: SplitState) -> None:
    """Give the first ``moved`` items the labels ``given`` to them, whose places their old labels take."""
    for at in range(number):
        item = state.moved[at]
        before = state.labels[item]
        relabel(item, int(state.given[at]), state)
        state.given[at] = before


@kernel
def place(labels: NDArray[np.int8], state: SplitState) -> None:
    """Give all items these labels."""
    for item in range(len(labels)):
        if labels[item] != state.labels[item]:
            relabel(item, int(labels[item]), state)
