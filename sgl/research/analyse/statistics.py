"""Test which measures correlate, and whether a difference between two groups could be chance.

Spearman's rank correlation uses the sentences for which both measures are defined.  The test of Mann and Whitney uses
the normal approximation, corrected for ties and continuity; its effect is the probability that a projective sentence
has the larger value.  The p-values of a family of tests are corrected for their number (Holm 1979).  Values that cannot
be computed are ``None``.

Two tests compare systems on the same items by sampling (Noreen 1989; Koehn 2004; Riezler & Maxwell 2005).  *Approximate
randomisation*: with random signs, how often is the mean difference as far from zero?  *Paired bootstrap*: if items are
redrawn with replacement, how often is the mean on the other side of zero?  The middle 95 % of these means are the
interval.  Differences have few distinct values, so a sample is one draw from a binomial or multinomial distribution.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from statistics import fmean, stdev
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

#: The test of the difference between two systems.
DifferenceTest = Literal["randomisation", "bootstrap"]

#: The number of decimals to which two differences count as equal.
_DECIMALS = 9

#: The quantile of the normal distribution for the middle 95 %.
WIDTH = 1.959963984540054

#: The draws for an interval, although a p-value may need more; and the fewest pairs for a meaningful correlation.
_DRAWS, _FEWEST = 10_000, 3


class Correlation(NamedTuple):
    """Spearman's correlation of two measures over ``pairs`` sentences."""

    first: str
    second: str
    pairs: int
    rho: float | None = None
    p: float | None = None
    adjusted: float | None = None


class GroupTest(NamedTuple):
    """The test of Mann and Whitney on a measure of projective and other sentences."""

    measure: str
    projective: int
    others: int
    u: float | None = None
    p: float | None = None
    adjusted: float | None = None
    effect: float | None = None
    medians: tuple[float, float] | None = None


class Difference(NamedTuple):
    """A difference of means (second minus first), its interval, its p-value and Holm's correction."""

    first: str
    second: str
    metric: str
    part: str
    items: int
    mean: float
    low: float
    high: float
    p: float | None
    adjusted: float | None = None


AnyTest = TypeVar("AnyTest", Correlation, GroupTest, Difference)
Label = TypeVar("Label", bound=Hashable)


def spearman(first: str, second: str, x: Values, y: Values) -> Correlation:
    """Return the correlation of two columns, in which undefined values are ``nan``."""
    from scipy.stats import spearmanr

    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    pairs = len(x)
    if pairs < _FEWEST or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Correlation(first, second, pairs)
    return Correlation(first, second, pairs, *map(float, spearmanr(x, y)))


def correlations(columns: Mapping[str, Values]) -> tuple[Correlation, ...]:
    """Return the correlations of all pairs of columns, corrected for their number."""
    pairs = combinations(columns.items(), 2)
    return corrected([spearman(first, second, x, y) for (first, x), (second, y) in pairs])


def projectivity_test(measure: str, values: Values, projective: NDArray[np.bool_]) -> GroupTest:
    """Test whether a measure differs between projective and other sentences."""
    from scipy.stats import mannwhitneyu

    known = ~np.isnan(values)
    inside, outside = values[known & projective], values[known & ~projective]
    sizes = len(inside), len(outside)
    if not all(sizes) or np.ptp(values[known]) == 0:
        return GroupTest(measure, *sizes)
    u, p = map(float, mannwhitneyu(inside, outside, alternative="two-sided", method="asymptotic"))
    medians = float(np.median(inside)), float(np.median(outside))
    return GroupTest(measure, *sizes, u=u, p=p, effect=u / (sizes[0] * sizes[1]), medians=medians)


def places_by(labels: Iterable[Iterable[Label]]) -> dict[Label, NDArray[np.int64]]:
    """Return the indices of the items with each label, given the labels of each item.

    >>> places_by(["ab", "b"])
    {'a': array([0]), 'b': array([0, 1])}
    """
    found: dict[Label, list[int]] = {}
    for place, names in enumerate(labels):
        for name in names:
            found.setdefault(name, []).append(place)
    return {name: np.array(places, np.int64) for name, places in found.items()}


def spread(runs: Sequence[float]) -> dict[str, Any]:
    """Summarise several runs of a system."""
    return {"mean": fmean(runs), "deviation": stdev(runs) if len(runs) > 1 else None, "runs": list(runs)}


def corrected(tests: Sequence[AnyTest]) -> tuple[AnyTest, ...]:
    """Return the tests with p-values corrected for the whole family (Holm)."""
    adjusted = iter(holm([test.p for test in tests if test.p is not None]))
    return tuple(test._replace(adjusted=next(adjusted)) if test.p is not None else test for test in tests)


def holm(values: Sequence[float]) -> list[float]:
    """Return the p-values of a family of tests, corrected for their number (Holm 1979).

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(values, kind="stable")
    steps = np.take(values, order) * np.arange(len(values), 0, -1)
    adjusted = np.empty(len(values))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return [float(p) for p in adjusted]


def compare(
    first: Values, second: Values, test: DifferenceTest, samples: int, seed: int
) -> tuple[float, float, float, float]:
    """Return the mean difference of two systems' scores, its interval, and a p-value."""
    values, numbers = np.unique(np.round(second - first, _DECIMALS), return_counts=True)
    items = int(numbers.sum())
    mean = float(values @ numbers) / items
    random = np.random.Generator(np.random.PCG64(seed))
    draws = samples if test == "bootstrap" else min(samples, _DRAWS)
    drawn = random.multinomial(items, numbers / items, size=draws) @ values / items
    interval = middle(drawn)
    if test == "bootstrap":
        other = min(int(np.sum(drawn <= 0)), int(np.sum(drawn >= 0)))
        return mean, *interval, min(1.0, 2 * (other + 1) / (samples + 1))
    sizes = {size: numbers[np.abs(values) == size] for size in np.unique(np.abs(values)) if size > 0}
    if len(sizes) == 1:
        # With one run each, the signs are coin tosses, and no sampling is needed.
        from scipy.special import bdtr

        ((signs),) = sizes.values()
        return mean, *interval, min(1.0, 2 * float(bdtr(signs.min() if len(signs) > 1 else 0, signs.sum(), 0.5)))
    sums = np.zeros(samples)
    for size, changed in sizes.items():
        sums += size * (2.0 * random.binomial(changed.sum(), 0.5, samples) - changed.sum())
    # Sums that differ only by rounding count as equal.
    return mean, *interval, chance(np.abs(sums) >= abs(mean * items) - 1e-6)


def middle(drawn: Values) -> tuple[float, float]:
    """Return the interval with the middle 95 % of the draws."""
    low, high = np.quantile(drawn, (0.025, 0.975))
    return float(low), float(high)


def chance(as_far: NDArray[np.bool_]) -> float:
    """Return a p-value, given whether each draw is as far from zero as the observation."""
    return (int(as_far.sum()) + 1) / (len(as_far) + 1)


def contrast(first: Values, second: Values, samples: int, seed: int) -> tuple[float, float, float, float]:
    """Return the difference of two means, its bootstrap interval, and a p-value from random divisions."""
    values, kinds = np.unique(np.round(np.concatenate([first, second]), _DECIMALS), return_inverse=True)
    one, two = (np.bincount(part, minlength=len(values)) for part in np.split(kinds, [len(first)]))
    mean = float(second.mean() - first.mean())
    random = np.random.Generator(np.random.PCG64(seed))
    draws = [random.multinomial(n.sum(), n / n.sum(), size=samples) @ values / n.sum() for n in (one, two)]
    chosen = random.multivariate_hypergeometric(one + two, int(one.sum()), size=samples, method="marginals")
    apart = (one + two - chosen) @ values / two.sum() - chosen @ values / one.sum()
    return mean, *middle(draws[1] - draws[0]), chance(np.abs(apart) >= abs(mean) - 1e-9)


def wilson(right: float, items: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share of items; several runs count as their mean."""
    if not items:
        return 0.0, 1.0
    share, wide = round(right) / items, WIDTH**2 / items
    middle = (share + wide / 2) / (1 + wide)
    half = (wide * (share * (1 - share) + wide / 4)) ** 0.5 / (1 + wide)
    return max(0.0, middle - half), min(1.0, middle + half)
