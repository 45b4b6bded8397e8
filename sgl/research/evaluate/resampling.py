"""Intervals and tests of metrics of a whole corpus, which is drawn anew many times.

BLEU and chrF++ are no means over items, but functions of the sums of n-gram counts.  In the *bootstrap* (Koehn 2004)
items are drawn with replacement: the middle 95 % of the scores are the interval, and the differences of two systems
on the same draws, less their mean, say how often chance makes one as large as that found.  In *approximate
randomisation* (Riezler & Maxwell 2005) the systems exchange the outputs of random items.  All is as in sacreBLEU.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sgl.research.analyse.statistics import DifferenceTest, chance, middle

Sums = NDArray[np.float64]

Scorer = Callable[[Sums], NDArray[np.float64]]

#: The number of draws, and their seed; sacreBLEU has these too.
DRAWS, SEED = 1000, 12345

#: Draws that are made together; with a multiple of 32 random bits do not depend on it.
_TOGETHER = 128

_ORDERS = 4

#: Sums below this are whole numbers in single precision, also those of a draw that has more.
_EXACT = 1 << 23

Weights = NDArray[np.int64] | NDArray[np.bool_]


def bleu(sums: Sums) -> NDArray[np.float64]:
    """Return BLEU of four orders with exponential smoothing, where an order has no match."""
    said, gold = sums[:, 0], sums[:, 1]
    right, total = sums[:, 2 : 2 + _ORDERS], sums[:, 2 + _ORDERS :]
    missed = np.where(right == 0, 0.5 ** np.cumsum(right == 0, axis=1), right)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.log(missed / total).mean(axis=1)
        brevity = np.where(said < gold, 1 - gold / said, 0.0)
        found = 100 * np.exp(precision + brevity)
    scored: NDArray[np.float64] = np.where(right.any(axis=1) & total.all(axis=1), found, 0.0)
    return scored


def chrf(sums: Sums, beta: int = 2) -> NDArray[np.float64]:
    """Return chrF: the F-score of the mean precision and recall of all orders that occur."""
    said, gold, both = (sums[:, place::3] for place in range(3))
    known = (said > 0) & (gold > 0)
    orders = np.maximum(known.sum(axis=1), 1)
    shares = (np.divide(both, of, out=np.zeros_like(both), where=known) for of in (said, gold))
    precision, recall = (share.sum(axis=1) / orders for share in shares)
    below = beta**2 * precision + recall
    found: Sums = np.divide((1 + beta**2) * precision * recall, below, out=np.zeros_like(below), where=below > 0)
    return 100 * found


class CorpusDraws:
    """The scores of some systems on some items by metrics of the corpus, and on draws of them.

    ``counts`` are for each metric and system an array of runs, items and counts.  The runs of a
    system are scored one by one, and the mean is taken; ``pooled`` runs are scored as one corpus.
    """

    def __init__(
        self,
        counts: Mapping[str, Mapping[str, NDArray[np.int32]]],
        scorers: Mapping[str, Scorer],
        items: NDArray[np.int64],
        *,
        pooled: bool = False,
    ) -> None:
        self._scorers = scorers
        self._items = len(items)
        self._runs: dict[tuple[str, str], list[Sums]] = {}
        for metric, of in counts.items():
            for system, runs in of.items():
                chosen = runs[:, items].astype(np.float64)
                self._runs[metric, system] = [chosen.mean(axis=0)] if pooled else list(chosen)
        self._drawn: dict[tuple[str, str], NDArray[np.float64]] = {
            key: np.mean([scorers[key[0]](run) for run in runs], axis=0)
            for key, runs in self._weighed(self._with_replacement).items()
        }

    def scores(self, metric: str, system: str) -> list[float]:
        """Return the score of each run."""
        return [float(self._scorers[metric](run.sum(axis=0)[None])[0]) for run in self._runs[metric, system]]

    def interval(self, metric: str, system: str) -> tuple[float, float]:
        """Return the middle 95 % of the scores of draws."""
        return middle(self._drawn[metric, system])

    def differences(
        self, metric: str, pairs: Sequence[tuple[str, str]], test: DifferenceTest
    ) -> list[tuple[float, float, float, float]]:
        """Return for pairs of systems the difference in points, its interval and the p-value."""
        exchanged = self._weighed(self._coins) if test == "randomisation" else {}
        found = []
        for first, second in pairs:
            one, two = (np.mean(self.scores(metric, system)) for system in (first, second))
            apart = self._drawn[metric, second] - self._drawn[metric, first]
            by_chance = np.abs(apart) - np.abs(apart).mean()
            if exchanged:
                by_chance = np.abs(self._exchanged(metric, first, second, exchanged))
            # Where there is no difference sacreBLEU calls it significant.
            p = chance(by_chance > abs(two - one)) if two != one else 1.0
            found.append((float(two - one), *middle(apart), p))
        return found

    def _exchanged(
        self, metric: str, first: str, second: str, chosen: Mapping[tuple[str, str], list[Sums]]
    ) -> NDArray[np.float64]:
        """Return the differences after the systems have exchanged the chosen items."""
        keys, score = ((metric, first), (metric, second)), self._scorers[metric]
        one, two = (np.mean([run.sum(axis=0) for run in self._runs[key]], axis=0) for key in keys)
        moved = np.subtract(*(np.mean(chosen[key], axis=0) for key in keys))
        return score(two + moved) - score(one - moved)

    def _weighed(self, weights: Callable[[np.random.Generator, int], Weights]) -> dict[tuple[str, str], list[Sums]]:
        """Return for each metric, system and run the sums of all draws."""
        random = np.random.default_rng(SEED)
        every = [run for runs in self._runs.values() for run in runs]
        # One product of matrices for all; small sums are exact in single precision.
        beside = np.hstack(every)
        kind = np.dtype("f4" if beside.sum(axis=0).max(initial=0) < _EXACT else "f8")
        beside = beside.astype(kind)
        sums = np.empty((DRAWS, beside.shape[1]))
        for first in range(0, DRAWS, _TOGETHER):
            drawn = weights(random, min(_TOGETHER, DRAWS - first))
            np.matmul(drawn.astype(kind), beside, out=sums[first : first + len(drawn)], casting="same_kind")
        parts = iter(np.split(sums, np.cumsum([run.shape[1] for run in every])[:-1], axis=1))
        return {key: [next(parts) for _ in runs] for key, runs in self._runs.items()}

    def _with_replacement(self, random: np.random.Generator, draws: int) -> Weights:
        places = random.integers(0, self._items, size=(draws, self._items))
        places += self._items * np.arange(draws)[:, None]
        times = np.bincount(places.ravel(), minlength=draws * self._items)
        return times.reshape(draws, self._items)

    def _coins(self, random: np.random.Generator, draws: int) -> Weights:
        return random.integers(2, size=(draws, self._items), dtype=bool)
