"""The divergences of a split: what reports show and certificates say.

::

    train -> test   D_A 0.0016   D_C 0.4996   120 compounds of test are not in train

Names of compounds that only one side has are the reason for a divergence that anybody can
check, so the most frequent of them are kept.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sgl.core.divergence import (
    ATOM_ALPHA,
    COMPOUND_ALPHA,
    ElementCounts,
    SplitDivergence,
    compare_counts,
)
from sgl.research.divergence.elements import Elements, Occurrences

Element = TypeVar("Element")


def measure(
    elements: Elements, train: NDArray[np.bool_], test: NDArray[np.bool_], examples: int = 5
) -> SplitDivergence:
    """Compare the items of test with those of training."""
    before, after = (
        ElementCounts(elements.atoms.totals(side), elements.compounds.totals(side))
        for side in (train, test)
    )
    return compare_counts(before, after, elements.compounds.names, examples)


def divergence_of_counts(
    train: Mapping[Element, float], test: Mapping[Element, float], alpha: float
) -> float:
    """Return the divergence of counts by kind, computed plainly, by the definition."""
    totals = math.fsum(train.values()), math.fsum(test.values())
    if not all(totals):
        return 1.0
    common = math.fsum(
        (number / totals[0]) ** alpha * (test[kind] / totals[1]) ** (1 - alpha)
        for kind, number in train.items()
        if test.get(kind, 0) > 0 and number > 0
    )
    return min(1.0, max(0.0, 1 - common))


def recount(part: Occurrences, chosen: NDArray[np.bool_]) -> Counter[int]:
    """Count how often each kind occurs in the chosen items, item by item."""
    counts: Counter[int] = Counter()
    for item in np.flatnonzero(chosen).tolist():
        entries = slice(int(part.start[item]), int(part.start[item + 1]))
        kinds, times = part.kinds[entries].tolist(), part.times[entries].tolist()
        for kind, number in zip(kinds, times, strict=True):
            counts[kind] += number
    return counts


def recomputed(
    elements: Elements, train: NDArray[np.bool_], test: NDArray[np.bool_]
) -> tuple[float, float]:
    """Compute both divergences once more, plainly, by the definition."""
    atoms, compounds = (
        divergence_of_counts(recount(part, train), recount(part, test), alpha)
        for part, alpha in zip(elements, (ATOM_ALPHA, COMPOUND_ALPHA), strict=True)
    )
    return atoms, compounds
