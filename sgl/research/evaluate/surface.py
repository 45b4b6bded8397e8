"""BLEU and chrF++ as sacreBLEU computes them, with the tokenizer that the language needs.

The default tokenizer (Post 2018) finds one word in a Japanese sentence: the same outputs score 0.00
with it and 96.97 with ``ja-mecab``.  The signature says how a figure was computed, also how texts
were segmented before: at ``spaces``, into ``characters`` or ``words`` of the dataset, or by
``jieba``.  With words a text becomes as few pieces as possible.

Both metrics are functions of sums of n-gram counts, which are kept for each item, so that any items
can be scored, and drawn anew, without the texts.
"""

import re
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
        return _jieba()
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
        self._longest = max(map(len, self._words), default=1)

    def __call__(self, text: str) -> str:
        """Return the text with spaces between its words."""
        return " ".join(word for piece in text.split() for word in self._cut(piece))

    def _cut(self, text: str) -> Iterator[str]:
        # From the end, so that the best way for the rest of the text is known everywhere: how many words, how wide.
        size = len(text)
        ways = [(0, 1)] * (size + 1)
        for start in range(size - 1, -1, -1):
            ends = range(start + 2, min(start + self._longest, size) + 1)
            wide = [end for end in ends if text[start:end] in self._words]
            # Of equally good ways the longer first word is taken.
            ways[start] = min((1 + ways[end][0], start - end) for end in [start + 1, *wide])
        start = 0
        while start < size:
            yield text[start : start - ways[start][1]]
            start -= ways[start][1]


def _jieba() -> Segmentation:
    from importlib.metadata import version

    with warnings.catch_warnings():
        # Its sources have escapes that newer versions of Python warn of.
        warnings.simplefilter("ignore")
        import jieba
    jieba.setLogLevel("ERROR")
    tokenizer = jieba.Tokenizer()
    # It caches its dictionary in the directory for temporary files, where anybody could have
    # put another one.  In a directory of its own it builds it anew.
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.tmp_dir = folder
        tokenizer.initialize()

    def cut(text: str) -> str:
        return " ".join(word for piece in text.split() for word in tokenizer.lcut(piece))

    return Segmentation(f"jieba-{version('jieba')}", cut)


def occurrences_of(part: str, text: str) -> list[int]:
    """Return where a text has a part that is not empty; the places may overlap."""
    return [found.start() for found in re.finditer(f"(?={re.escape(part)})", text)] if part else []


#: The tokenizer of sacreBLEU for a language; any other has the default, 13a.
TOKENIZERS = {"ja": "ja-mecab", "zh": "zh", "ko": "ko-mecab"}

BLEU_METRIC, CHRF_METRIC = "bleu", "chrf"

#: How the sums of counts are scored.
SCORERS: dict[str, Scorer] = {BLEU_METRIC: bleu, CHRF_METRIC: chrf}

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
        """Return the counts of the texts of all runs; equal outputs for an item are counted once."""
        cut = (lambda text: text) if self._segmentation is None else self._segmentation.cut
        found: SurfaceCounts = {}
        for name, metric in self._metrics.items():
            counted: dict[str, list[list[list[int]]]] = {s: [[] for _ in runs] for s, runs in systems.items()}
            for place, text in enumerate(gold):
                (known,) = metric._cache_references([[cut(text)]])  # noqa: SLF001 - sacreBLEU has no other way
                seen: dict[str, list[int]] = {}
                for system, runs in systems.items():
                    for run, into in zip(runs, counted[system], strict=True):
                        output = run[place]
                        if output not in seen:
                            seen[output] = metric._compute_segment_statistics(  # noqa: SLF001
                                metric._preprocess_segment(cut(output)),  # noqa: SLF001
                                known,
                            )
                        into.append(seen[output])
            found[name] = {system: np.array(runs, np.int32) for system, runs in counted.items()}
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
