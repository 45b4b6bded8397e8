"""How far two frequency distributions are apart: divergences by the Chernoff coefficient.

Things of several kinds (atoms, compounds) are counted in training and in test; with the
relative frequencies p and q their divergence is ``1 - sum_k p_k^a q_k^(1-a)``
(Chung et al. 1989).  It is 0 for equal distributions and 1 if nothing is in both::

    train  cat 1  dog 3        a = 0.5:  1 - (sqrt(1/4 * 3/4) + sqrt(3/4 * 1/4)) = 0.134
    test   cat 3  dog 1        a = 0.1:  1 - ((1/4)^.1 (3/4)^.9 + (3/4)^.1 (1/4)^.9) = 0.049

Keysers et al. (2020, section 2.2) take a = 0.5 for atoms, so that both sides count alike,
and a = 0.1 for compounds: what matters there is whether training has shown a compound of
the test set at all, not how often.

``divergence`` works on arrays, ``divergence_of_counts`` on dictionaries, straight from the
definition; certificates are written with the second, and tests compare the two.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

#: The exponents of training, as in the literature.
ATOM_ALPHA, COMPOUND_ALPHA = 0.5, 0.1

Kind = TypeVar("Kind")


def divergence(
    train: NDArray[np.int64] | NDArray[np.float64],
    test: NDArray[np.int64] | NDArray[np.float64],
    alpha: float,
) -> float:
    """The divergence of two arrays of counts or weights; 1 if one of them is empty."""
    totals = float(train.sum()), float(test.sum())
    both = (train > 0) & (test > 0)
    if not all(totals) or not both.any():
        return 1.0
    products = (train[both] / totals[0]) ** alpha * (test[both] / totals[1]) ** (1 - alpha)
    return _bounded(1 - math.fsum(products.tolist()))


def divergence_of_counts(
    train: Mapping[Kind, float], test: Mapping[Kind, float], alpha: float
) -> float:
    """The same for counts by kind, computed plainly."""
    totals = math.fsum(train.values()), math.fsum(test.values())
    if not all(totals):
        return 1.0
    return _bounded(
        1
        - math.fsum(
            (number / totals[0]) ** alpha * (test[kind] / totals[1]) ** (1 - alpha)
            for kind, number in train.items()
            if test.get(kind, 0) > 0 and number > 0
        )
    )


def _bounded(value: float) -> float:
    """The value without what rounding has added beyond 0 and 1."""
    return min(1.0, max(0.0, value))
