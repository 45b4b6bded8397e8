"""Which measures go together, and whether projective sentences fare better.

Spearman's rank correlation says whether two measures rise together.  Sentences for which
one of the two is not defined are left out of that pair.  Many pairs are tested, so that the
p-values are corrected for their number (Holm 1979), over all pairs of one system.

The test of Mann and Whitney compares two groups of sentences: it asks whether values of one
tend to be larger, with the normal approximation, corrected for ties and continuity.  Its
effect is the probability that a projective sentence has the larger value than another
one, ties counted as halves.

What cannot be computed (a measure that is the same for all sentences has no ranks) is not
there: its values are ``None``, and it does not count as a test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

#: Fewer pairs have no correlation worth the name.
_FEWEST = 3


@dataclass(frozen=True, slots=True)
class Correlation:
    """Spearman's correlation of two measures over so many sentences."""

    first: str
    second: str
    pairs: int
    rho: float | None = None
    p: float | None = None
    adjusted: float | None = None


@dataclass(frozen=True, slots=True)
class GroupTest:
    """The test of Mann and Whitney on a measure of projective and of other sentences."""

    measure: str
    projective: int
    others: int
    u: float | None = None
    p: float | None = None
    adjusted: float | None = None
    effect: float | None = None
    medians: tuple[float, float] | None = None


Test = TypeVar("Test", Correlation, GroupTest)


def spearman(first: str, second: str, x: Values, y: Values) -> Correlation:
    """Return the correlation of two columns, in which ``nan`` stands for what is not defined."""
    from scipy.stats import spearmanr

    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    pairs = len(x)
    if pairs < _FEWEST or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Correlation(first, second, pairs)
    found = spearmanr(x, y)
    return Correlation(first, second, pairs, float(found.statistic), float(found.pvalue))


def correlations(columns: Mapping[str, Values]) -> tuple[Correlation, ...]:
    """Return the correlations of all pairs of columns, corrected for their number."""
    pairs = combinations(columns.items(), 2)
    return corrected([spearman(first, second, x, y) for (first, x), (second, y) in pairs])


def projectivity_test(measure: str, values: Values, projective: NDArray[np.bool_]) -> GroupTest:
    """Tell whether a measure differs between projective and other sentences."""
    from scipy.stats import mannwhitneyu

    known = ~np.isnan(values)
    inside, outside = values[known & projective], values[known & ~projective]
    sizes = len(inside), len(outside)
    if not all(sizes) or np.ptp(values[known]) == 0:
        return GroupTest(measure, *sizes)
    found = mannwhitneyu(inside, outside, alternative="two-sided", method="asymptotic")
    u = float(found.statistic)
    return GroupTest(
        measure,
        *sizes,
        u=u,
        p=float(found.pvalue),
        effect=u / (sizes[0] * sizes[1]),
        medians=(float(np.median(inside)), float(np.median(outside))),
    )


def corrected(tests: Sequence[Test]) -> tuple[Test, ...]:
    """Return the tests with p-values that hold for all of them together (Holm)."""
    values = holm([test.p for test in tests if test.p is not None])
    adjusted = iter(values)
    return tuple(
        replace(test, adjusted=next(adjusted)) if test.p is not None else test for test in tests
    )


def holm(values: Sequence[float]) -> list[float]:
    """Return the p-values of a family of tests, corrected for their number."""
    if not values:
        return []
    from statsmodels.stats.multitest import multipletests

    return [float(value) for value in multipletests(values, method="holm")[1]]
