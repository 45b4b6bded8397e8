"""BLEU and chrF++ as sacreBLEU computes them, with the tokenizer that the language needs.

The default tokenizer (Post 2018) finds one word in a Japanese sentence: the same outputs score 0.00
with it and 96.97 with ``ja-mecab``.  The signature says how a figure was computed, also how texts
were segmented before: at ``spaces``, into ``characters`` or ``words`` of the dataset, or by
``jieba``.  With words a text becomes as few pieces as possible.

Both metrics are functions of sums of n-gram counts, which are kept for each item, so that any items
can be scored, and drawn anew, without the texts.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.research.analyse.words import chinese_words
from sgl.research.evaluate.resampling import Scorer, bleu, chrf

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

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
        ways = [(0, 1)] * (size + 1)
        for start in range(size - 1, -1, -1):
            ends = [start + wide for wide in self._lengths.get(text[start], ())]
            words = [end for end in ends if end <= size and text[start:end] in self._words]
            # Of equally good ways the longer first word is taken.
            ways[start] = min((1 + ways[end][0], start - end) for end in [start + 1, *words])
        start = 0
        while start < size:
            yield text[start : start - ways[start][1]]
            start -= ways[start][1]


def occurrences_of(part: str, text: str) -> list[int]:
    """Return where a text has a part that is not empty; the places may overlap."""
    return [found.start() for found in re.finditer(f"(?={re.escape(part)})", text)] if part else []


#: The tokenizer of sacreBLEU for a language; any other has the default, 13a.
TOKENIZERS = {"ja": "ja-mecab", "zh": "zh", "ko": "ko-mecab"}

BLEU_METRIC, CHRF_METRIC = "bleu", "chrf"

#: How the sums of counts are scored.
SCORERS: dict[str, Scorer] = {BLEU_METRIC: bleu, CHRF_METRIC: chrf}

#: The words of the longest n-grams of BLEU.
_ORDERS = 4

#: Seconds that sacreBLEU takes for a pair of texts.  Machine code compares all letters of both: it is quicker up to
#: about so many letters for each letter of the other text.
_SECONDS, _LONG = 4e-4, 1_000

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
        from sgl.accel import pays

        cut = (lambda text: text) if self._segmentation is None else self._segmentation.cut
        numbers: dict[tuple[str, str], int] = {}
        chosen = {
            system: np.array(
                [[numbers.setdefault(pair, len(numbers)) for pair in zip(gold, run, strict=True)] for run in runs]
            )
            for system, runs in systems.items()
        }
        pairs = [(cut(text), cut(output)) for text, output in numbers]
        quick = (
            pays("ngrams", len(pairs) * _SECONDS) and sum(len(x) * len(y) - _LONG * len(x + y) for x, y in pairs) < 0
        )
        found: SurfaceCounts = {}
        for name, metric in self._metrics.items():
            counts = self._counted(name, pairs) if quick else [self._plainly(metric, *pair) for pair in pairs]
            table = np.array(counts, np.int32)
            found[name] = {system: table[places] for system, places in chosen.items()}
        return found

    def _plainly(self, metric: "Metric", gold: str, output: str) -> list[int]:
        """Return the counts as sacreBLEU has them, which has no other way to say them."""
        (known,) = metric._cache_references([[gold]])  # noqa: SLF001
        counts: list[int] = metric._compute_segment_statistics(metric._preprocess_segment(output), known)  # noqa: SLF001
        return counts

    def _counted(self, name: str, pairs: Sequence[tuple[str, str]]) -> NDArray[np.int64]:
        """Return the same by machine code: the sizes of both texts, and n-grams that they share."""
        metric: Any = self._metrics[name]
        words = cache(lambda text: metric._preprocess_segment(text).split())  # noqa: SLF001
        if name == BLEU_METRIC:
            gold, said, both = _shared([(words(one), words(other)) for one, other in pairs], _ORDERS)
            sizes = said[:, :1], gold[:, :1]
            return np.hstack([*sizes, both, said])
        tokens = cache(metric._remove_punctuation)  # noqa: SLF001
        letters = _shared([("".join(one.split()), "".join(other.split())) for one, other in pairs], metric.char_order)
        grams = _shared([(tokens(one), tokens(other)) for one, other in pairs], metric.word_order)
        gold, said, both = map(np.hstack, zip(letters, grams, strict=True))
        # sacreBLEU does not count what is said where the gold text has no n-gram of an order.
        return np.stack([np.where(gold > 0, said, 0), gold, both], axis=2).reshape(len(pairs), -1)

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


def _shared(pairs: Sequence[tuple[Sequence[str], Sequence[str]]], orders: int) -> tuple[NDArray[np.int64], ...]:
    """Return how many n-grams of each order the first texts have, the second ones, and both of a pair."""
    from sgl.accel.ngrams import count_common

    known: dict[str, int] = {}
    flat, starts, numbers = [], [], []
    for texts in zip(*pairs, strict=True):
        sizes = np.array([len(text) for text in texts], np.int64)
        flat.append(np.array([known.setdefault(word, len(known)) for text in texts for word in text], np.int64))
        starts.append(np.concatenate([[0], np.cumsum(sizes)]))
        numbers.append(np.maximum(sizes[:, None] - np.arange(orders), 0))
    both = np.zeros((len(pairs), orders), np.int64)
    rows = np.zeros((2, numbers[1].max(initial=0) + 1), np.int64)
    count_common(flat[0], starts[0], flat[1], starts[1], orders, rows[0], rows[1], both)
    return numbers[0], numbers[1], both
