"""The objective of a split in kernels: sums of Chernoff terms, and how a move changes them.

A move gives item x another label, or lets two items x and y change places.  Only kinds that
occur in x or y have another term afterwards, and a kind that occurs as often in both has
not, so the cost of a move does not depend on how many kinds there are::

    x in train  det 2  noun 2  verb 1         y in test  det 2  noun 1  name 1  verb 1
    swap        noun -1 in train, +1 in test; name +1 in train, -1 in test

Terms are whole numbers (:mod:`sgl.research.divergence.powers`); ``sums`` are exact at any time.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.accel.jit import kernel, part

#: Rows of the numbers of a state: items, atom and compound occurrences by label, then the
#: two sums of terms.
ITEMS, ATOMS, COMPOUNDS, SUMS = 0, 3, 6, 9
NUMBERS = 11

#: What atom divergence beyond its limit costs: more than any compound divergence gains.
_BEYOND = 1024.0


class Bags(NamedTuple):
    """What occurs in items, as ``Occurrences``; ``size`` is the sum for each item."""

    start: NDArray[np.int64]
    kinds: NDArray[np.int32]
    times: NDArray[np.int64]
    size: NDArray[np.int64]


class Counts(NamedTuple):
    """How often each kind is in train and test, and its term in the sum."""

    sides: NDArray[np.int64]
    terms: NDArray[np.int64]


class Objective(NamedTuple):
    """The targets and what is needed to compute terms."""

    roots: NDArray[np.float64]
    atom_scale: float
    compound_scale: float
    atom_target: float
    compound_target: float
    atom_weight: float
    atom_limit: float


@part
def _tenth_root(value: int, roots: NDArray[np.float64]) -> float:
    """The tenth root; beyond the table from the leading digits and three terms of its series."""
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
def _term(atom: bool, train: int, test: int, objective: Objective) -> int:
    """The rounded term of a kind."""
    if train == 0 or test == 0:
        return 0
    if atom:
        return int(math.sqrt(float(train) * float(test)) * objective.atom_scale + 0.5)
    roots = objective.roots
    product = _tenth_root(train, roots) * (float(test) / _tenth_root(test, roots))
    return int(product * objective.compound_scale + 0.5)


@kernel
def change(
    atom: bool,
    write: bool,
    x: int,
    y: int,
    train: int,
    test: int,
    bags: Bags,
    counts: Counts,
    objective: Objective,
) -> int:
    """What a sum changes by if x is added ``train`` and ``test`` times, and y taken away.

    ``y`` is -1 for none.  The counts become those after the move if ``write`` is set.
    """
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
        in_train = counts.sides[0, kind] + train * times
        in_test = counts.sides[1, kind] + test * times
        term = _term(atom, in_train, in_test, objective)
        gain += term - counts.terms[kind]
        if write:
            counts.sides[0, kind] = in_train
            counts.sides[1, kind] = in_test
            counts.terms[kind] = term
    return gain


@part
def distance(
    atom_sum: int,
    compound_sum: int,
    train_atoms: int,
    test_atoms: int,
    train_compounds: int,
    test_compounds: int,
    objective: Objective,
) -> float:
    """How far a split with these sums and totals is from its targets: less is better."""
    atoms = compounds = 1.0
    if train_atoms > 0 and test_atoms > 0:
        whole = math.sqrt(float(train_atoms) * float(test_atoms)) * objective.atom_scale
        atoms = 1.0 - float(atom_sum) / whole
    if train_compounds > 0 and test_compounds > 0:
        roots = objective.roots
        ratio = _tenth_root(train_compounds, roots) / _tenth_root(test_compounds, roots)
        whole = float(test_compounds) * ratio * objective.compound_scale
        compounds = 1.0 - float(compound_sum) / whole
    off = abs(atoms - objective.atom_target) * objective.atom_weight
    if atoms > objective.atom_limit:
        off += (atoms - objective.atom_limit) * _BEYOND
    return abs(compounds - objective.compound_target) + off
