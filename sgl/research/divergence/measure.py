"""The divergences of a split, measured: what reports show and certificates say.

::

    train -> test   D_A 0.0016   D_C 0.4996   120 compounds of test are not in train

Names of compounds that only one side has are the reason for a divergence that anybody can
check, so the most frequent of them are kept.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sgl.research.divergence.divergence import (
    ATOM_ALPHA,
    COMPOUND_ALPHA,
    divergence,
    divergence_of_counts,
)
from sgl.research.divergence.elements import Elements, Occurrences


@dataclass(frozen=True, slots=True)
class Measured:
    """What is to be said of two sets of items.

    ``unseen`` are the kinds of compounds that only test has, ``unseen_share`` is their
    share among its occurrences, ``examples`` are the most frequent of them.
    """

    atoms: float
    compounds: float
    kinds: int
    unseen: int
    unseen_share: float
    unseen_atoms: int
    examples: tuple[str, ...]


def measure(
    elements: Elements, train: NDArray[np.bool_], test: NDArray[np.bool_], examples: int = 5
) -> Measured:
    """Measure the items of training against those of test."""
    atoms = [elements.atoms.totals(side) for side in (train, test)]
    compounds = [elements.compounds.totals(side) for side in (train, test)]
    new = np.flatnonzero((compounds[0] == 0) & (compounds[1] > 0))
    order = new[np.argsort(-compounds[1][new], kind="stable")]
    total = int(compounds[1].sum())
    return Measured(
        atoms=divergence(atoms[0], atoms[1], ATOM_ALPHA),
        compounds=divergence(compounds[0], compounds[1], COMPOUND_ALPHA),
        kinds=int(np.count_nonzero(compounds[1])),
        unseen=len(new),
        unseen_share=int(compounds[1][new].sum()) / total if total else 0.0,
        unseen_atoms=int(np.count_nonzero((atoms[0] == 0) & (atoms[1] > 0))),
        examples=tuple(elements.compounds.names[kind] for kind in order[:examples].tolist()),
    )


def recount(part: Occurrences, chosen: NDArray[np.bool_]) -> Counter[int]:
    """How often each kind occurs in the chosen items, counted item by item."""
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
    """Both divergences once more, counted plainly, by the definition."""
    atoms, compounds = (
        divergence_of_counts(recount(part, train), recount(part, test), alpha)
        for part, alpha in zip(elements, (ATOM_ALPHA, COMPOUND_ALPHA), strict=True)
    )
    return atoms, compounds
