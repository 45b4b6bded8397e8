"""How far two frequency distributions are apart: divergences by the Chernoff coefficient.

With the relative frequencies p in training and q in test, it is ``1 - sum_k p_k^a q_k^(1-a)``
(Chung et al. 1989): 0 for equal distributions, 1 if they have nothing in common.  Keysers et al.
(2020, section 2.2) take a = 0.5 for atoms, so that both sides count alike, and a = 0.1 for
compounds: there it matters whether training has shown a compound at all, not how often.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

#: The exponents of training, as in the literature.
ATOM_ALPHA, COMPOUND_ALPHA = 0.5, 0.1


def divergence(
    train: NDArray[np.int64] | NDArray[np.float64], test: NDArray[np.int64] | NDArray[np.float64], alpha: float
) -> float:
    """Return the divergence of two arrays of counts or weights; 1 if one of them is empty.

    >>> round(divergence(np.array([1, 3]), np.array([3, 1]), ATOM_ALPHA), 3)
    0.134
    """
    totals = float(train.sum()), float(test.sum())
    both = (train > 0) & (test > 0)
    if not all(totals) or not both.any():
        return 1.0
    products = (train[both] / totals[0]) ** alpha * (test[both] / totals[1]) ** (1 - alpha)
    # Rounding may lead out of the bounds.
    return min(1.0, max(0.0, 1 - math.fsum(products.tolist())))


class ElementCounts(NamedTuple):
    """How often each kind of atom and each kind of compound occurs in a set of items."""

    atoms: NDArray[np.int64]
    compounds: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SplitDivergence:
    """How a set of items differs from training.

    ``kinds`` counts its kinds of compounds and ``unseen`` those that training lacks; ``unseen_share`` is their share
    among the occurrences of compounds, ``examples`` are the most frequent of them.
    """

    atoms: float
    compounds: float
    kinds: int
    unseen: int
    unseen_share: float
    unseen_atoms: int
    examples: tuple[str, ...] = ()


def compare_counts(
    train: ElementCounts, test: ElementCounts, names: Sequence[str] = (), examples: int = 0
) -> SplitDivergence:
    """Compare a set of items with training; ``names`` are those of the compounds."""
    new = np.flatnonzero((train.compounds == 0) & (test.compounds > 0))
    order = new[np.argsort(-test.compounds[new], kind="stable")]
    total = int(test.compounds.sum())
    return SplitDivergence(
        atoms=divergence(train.atoms, test.atoms, ATOM_ALPHA),
        compounds=divergence(train.compounds, test.compounds, COMPOUND_ALPHA),
        kinds=int(np.count_nonzero(test.compounds)),
        unseen=len(new),
        unseen_share=int(test.compounds[new].sum()) / total if total else 0.0,
        unseen_atoms=int(np.count_nonzero((train.atoms == 0) & (test.atoms > 0))),
        examples=tuple(names[kind] for kind in order[:examples].tolist()),
    )
