"""BLEU and chrF++ as sacreBLEU computes them, with the tokenizer that the language needs.

The default tokenizer (Post 2018) finds one word in a Japanese sentence: the same outputs score 0.00
with it and 96.97 with ``ja-mecab``.  The signature says how a figure was computed, also how texts
were segmented before: at ``spaces``, into ``characters`` or ``words`` of the dataset, or by
``jieba``.  With words a text becomes as few pieces as possible.

Both metrics are functions of sums of n-gram counts, which are kept for each item, so that any items
can be scored, and drawn anew, without the texts.  In the *bootstrap* (Koehn 2004) items are drawn with replacement: the
middle 95 % of the scores are the interval, and the differences of two systems on the same draws, less their mean, say
how often chance makes one as large as that found.  In *approximate randomisation* (Riezler & Maxwell 2005) the systems
exchange the outputs of random items.  All is as in sacreBLEU.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.research.analyse.statistics import DifferenceTest, chance, middle, spread
from sgl.research.analyse.words import chinese_words

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

Sums = NDArray[np.float64]
Scorer = Callable[[Sums], NDArray[np.float64]]

WAYS = ("spaces", "characters", "words", "jieba")


class Segmentation(NamedTuple):
    """A way to put spaces between the words of a text, and its name in signatures."""

    name: str
    cut: Callable[[str], str]


def segmentation(way: str, words: Iterable[str] = ()) -> Segmentation:
    """Return the segmentation of this name; raises ``ImportError`` without its library."""
    if way == "jieba":
        cut = chinese_words()
        return Segmentation(f"jieba-{version('jieba')}", cut)
    if way == "words":
        return Segmentation(way, DictionarySegmenter(words))
    piece: Callable[[str], str] = " ".join if way == "characters" else str
    return Segmentation(way, lambda text: " ".join(map(piece, text.split())))


class DictionarySegmenter:
    """Cut texts into as few words of a dictionary as possible.

    >>> DictionarySegmenter(["红", "帐篷"])("红帐篷")
    '红 帐篷'
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._lengths: dict[str, list[int]] = {}
        for first, length in sorted({(word[0], len(word)) for word in self._words if len(word) > 1}):
            self._lengths.setdefault(first, []).append(length)

    def __call__(self, text: str) -> str:
        """Return the text with spaces between its words."""
        return " ".join(word for piece in text.split() for word in self._cut(piece))

    def _cut(self, text: str) -> Iterator[str]:
        # From the end, so that the best way for the rest of the text is known everywhere: how many words, how wide.
        size = len(text)
        number, width = [0] * (size + 1), [1] * size
        for start in range(size - 1, -1, -1):
            fewest = number[start + 1]
            for wide in self._lengths.get(text[start], ()):
                end = start + wide
                # Of equally good ways the longer first word is taken.
                if end <= size and number[end] <= fewest and text[start:end] in self._words:
                    fewest, width[start] = number[end], wide
            number[start] = 1 + fewest
        start = 0
        while start < size:
            yield text[start : start + width[start]]
            start += width[start]


def occurrences_of(part: str, text: str) -> list[int]:
    """Return where a text has a part that is not empty; the places may overlap."""
    return [found.start() for found in re.finditer(f"(?={re.escape(part)})", text)] if part else []


#: The tokenizer of sacreBLEU for a language; any other has the default, 13a.
TOKENIZERS = {"ja": "ja-mecab", "zh": "zh", "ko": "ko-mecab"}

BLEU_METRIC, CHRF_METRIC = "bleu", "chrf"

#: The words of the longest n-grams of BLEU.
_ORDERS = 4

#: For each metric and system an array of runs, items and counts.
SurfaceCounts = dict[str, dict[str, NDArray[np.int32]]]


class Surface:
    """Count the n-grams of outputs in one language."""

    def __init__(self, language: str, segmentation: Segmentation | None = None) -> None:
        """A ``segmentation`` cuts instead of sacreBLEU; raises ``ImportError`` without that."""
        from sacrebleu.metrics.bleu import BLEU
        from sacrebleu.metrics.chrf import CHRF

        self._segmentation = segmentation
        tokenizer = TOKENIZERS.get(language, "13a") if segmentation is None else "none"
        try:
            counter = BLEU(tokenize=tokenizer, force=True)
        except (ImportError, RuntimeError, OSError):
            # The tokenizer is not installed.
            counter = BLEU(tokenize="char", force=True)
        self._metrics: dict[str, Metric] = {BLEU_METRIC: counter, CHRF_METRIC: CHRF(word_order=2)}

    def count(self, gold: Sequence[str], systems: Mapping[str, Sequence[Sequence[str]]]) -> SurfaceCounts:
        """Return the counts of the texts of all runs; equal outputs for equal texts are counted once."""
        cut = (lambda text: text) if self._segmentation is None else self._segmentation.cut
        numbers: dict[tuple[str, str], int] = {}
        chosen = {
            system: np.array(
                [[numbers.setdefault(pair, len(numbers)) for pair in zip(gold, run, strict=True)] for run in runs]
            )
            for system, runs in systems.items()
        }
        pairs = [(cut(text), cut(output)) for text, output in numbers]
        found: SurfaceCounts = {}
        for name, metric in self._metrics.items():
            table = np.array([_statistics(metric, *pair) for pair in pairs], np.int32)
            found[name] = {system: table[places] for system, places in chosen.items()}
        return found

    @property
    def signatures(self) -> dict[str, str]:
        """The signatures of both metrics."""
        name = "" if self._segmentation is None else f"|seg:{self._segmentation.name}"
        found = {}
        for metric, scorer in self._metrics.items():
            # A metric knows its number of references once it has scored something.
            scorer.corpus_score([""], [[""]])
            found[metric] = f"{scorer.get_signature()}{name}"
        return found


def _statistics(metric: "Metric", gold: str, output: str) -> list[int]:
    """Return the counts of a pair as sacreBLEU has them, which has no other way to say them."""
    if gold == output:
        return _whole(metric, gold)
    (known,) = metric._cache_references([[gold]])  # noqa: SLF001
    counts: list[int] = metric._compute_segment_statistics(metric._preprocess_segment(output), known)  # noqa: SLF001
    return counts


def _whole(metric: Any, text: str) -> list[int]:  # noqa: ANN401 - either class has parts of its own
    """Return the same for equal texts, most pairs of a good system: they share all their n-grams."""
    text = metric._preprocess_segment(text)  # noqa: SLF001
    if not hasattr(metric, "char_order"):
        size = len(text.split())
        return [size, size, *_ngrams(size, _ORDERS), *_ngrams(size, _ORDERS)]
    words, letters = metric._remove_punctuation(text), "".join(text.split())  # noqa: SLF001
    numbers = [*_ngrams(len(letters), metric.char_order), *_ngrams(len(words), metric.word_order)]
    return [number for number in numbers for _ in range(3)]


def _ngrams(size: int, orders: int) -> list[int]:
    """Return how many n-grams of each order a text of this size has."""
    return [max(size - order, 0) for order in range(orders)]


#: The number of draws, and their seed; sacreBLEU has these too.
DRAWS, SEED = 1000, 12345

#: Draws that are made together; with a multiple of 32 random bits do not depend on it.
_TOGETHER = 128

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


#: How the sums of counts are scored.
SCORERS: dict[str, Scorer] = {BLEU_METRIC: bleu, CHRF_METRIC: chrf}


class CorpusDraws:
    """The scores of some systems on some items by metrics of the corpus, and on draws of them.

    ``counts`` are for each metric and system an array of runs, items and counts.  The runs of a
    system are scored one by one, and the mean is taken; ``pooled`` runs are scored as one corpus.
    """

    def __init__(
        self, counts: Mapping[str, Mapping[str, NDArray[np.int32]]], items: NDArray[np.int64], *, pooled: bool = False
    ) -> None:
        self._items = len(items)
        self._runs: dict[tuple[str, str], list[Sums]] = {}
        for metric, of in counts.items():
            for system, runs in of.items():
                chosen = runs[:, items].astype(np.float64)
                self._runs[metric, system] = [chosen.mean(axis=0)] if pooled else list(chosen)
        self._drawn: dict[tuple[str, str], NDArray[np.float64]] = {
            key: np.mean([SCORERS[key[0]](run) for run in runs], axis=0)
            for key, runs in self._weighed(self._with_replacement).items()
        }

    def scores(self, metric: str, system: str) -> list[float]:
        """Return the score of each run."""
        return [float(SCORERS[metric](run.sum(axis=0)[None])[0]) for run in self._runs[metric, system]]

    def cell(self, metric: str, system: str) -> dict[str, Any]:
        """Return the scores of the runs of a system, with the middle 95 % of the scores of draws."""
        return spread(self.scores(metric, system)) | dict(
            zip(("low", "high"), self.interval(metric, system), strict=True)
        )

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
                # The systems exchange the chosen items.
                keys = (metric, first), (metric, second)
                sums = [np.mean([run.sum(axis=0) for run in self._runs[key]], axis=0) for key in keys]
                moved = np.subtract(*(np.mean(exchanged[key], axis=0) for key in keys))
                score = SCORERS[metric]
                by_chance = np.abs(score(sums[1] + moved) - score(sums[0] - moved))
            # Where there is no difference sacreBLEU calls it significant.
            p = chance(by_chance > abs(two - one)) if two != one else 1.0
            found.append((float(two - one), *middle(apart), p))
        return found

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
