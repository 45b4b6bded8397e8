"""Could the difference between two systems be chance?

Two tests over the same items, both by sampling and both with exact distributions:

* *Approximate randomisation*: if the systems were alike, each item's difference could as
  well have the other sign.  How often is the mean then as far from zero as it is?
* *Paired bootstrap*: items are drawn anew, with replacement.  How often does the mean lie on
  the other side of zero?  The middle 95 % of the means are the interval of the difference.

Scores are shares of runs, so that an item's difference has few values.  Only how many items
have each value matters, which makes a sample one draw of a binomial or multinomial number::

    differences   +1: 40 items   -1: 25 items   0: 935 items
    a sample      2 · Binomial(65, ½) - 65

Several tests are one family: p-values are adjusted by Holm's procedure.

Literature: Noreen 1989; Koehn 2004; Riezler & Maxwell 2005; Holm 1979.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sgl.research.analyse.statistics import holm

Test = Literal["randomisation", "bootstrap"]

#: Decimals to which two differences are the same one.
_DECIMALS = 9

#: The share of means outside the interval.
_OUTSIDE = 0.05


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference of means (second less first), its interval, its p-value and Holm's."""

    first: str
    second: str
    metric: str
    part: str
    items: int
    mean: float
    low: float
    high: float
    p: float
    adjusted: float = 1.0


def compare(
    first: NDArray[np.float64], second: NDArray[np.float64], test: Test, samples: int, seed: int
) -> tuple[float, float, float, float]:
    """Return the mean difference of two systems' scores, its interval, and a p-value."""
    values, numbers = np.unique(np.round(second - first, _DECIMALS), return_counts=True)
    items = int(numbers.sum())
    mean = float(values @ numbers) / items
    random = np.random.Generator(np.random.PCG64(seed))
    drawn = random.multinomial(items, numbers / items, size=samples) @ values / items
    low, high = np.quantile(drawn, [_OUTSIDE / 2, 1 - _OUTSIDE / 2])
    if test == "randomisation":
        p = _randomised(values, numbers, mean * items, samples, random)
    else:
        other = min(int(np.sum(drawn <= 0)), int(np.sum(drawn >= 0)))
        p = min(1.0, 2 * (other + 1) / (samples + 1))
    return mean, float(low), float(high), p


def _randomised(
    values: NDArray[np.float64],
    numbers: NDArray[np.int64],
    total: float,
    samples: int,
    random: np.random.Generator,
) -> float:
    """How often random signs give a sum as far from zero as the one that was found."""
    sums = np.zeros(samples)
    for size in np.unique(np.abs(values)):
        if size > 0:
            items = int(numbers[np.abs(values) == size].sum())
            sums += size * (2.0 * random.binomial(items, 0.5, samples) - items)
    # Sums that are equal but for rounding count as equal.
    as_far = int(np.sum(np.abs(sums) >= abs(total) - 1e-6))
    return (as_far + 1) / (samples + 1)


def adjusted(differences: Sequence[Difference]) -> tuple[Difference, ...]:
    """Return the differences with the p-values of the whole family after Holm."""
    corrected = holm([found.p for found in differences])
    return tuple(
        replace(found, adjusted=p) for found, p in zip(differences, corrected, strict=True)
    )


def wilson(right: float, items: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share of items; several runs count as their mean."""
    from scipy.stats import binomtest

    if not items:
        return 0.0, 1.0
    interval = binomtest(round(right), items).proportion_ci(1 - _OUTSIDE, method="wilson")
    return float(interval.low), float(interval.high)
