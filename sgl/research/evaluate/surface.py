"""BLEU and chrF++ as sacreBLEU computes them, with the tokenizer that the language needs.

The default tokenizer of sacreBLEU splits at spaces, and finds one word in a Japanese
sentence: the same outputs score 0.00 with it and 96.97 with ``ja-mecab``.  The signature
says how a figure was computed and belongs beside it.  Texts may be segmented before
(:mod:`sgl.research.evaluate.segmentation`); the signature then names the segmentation:
``tok:none|…|seg:jieba-0.42.1``.

Both metrics are functions of n-gram counts that are summed over sentences.  The sums are
kept for each category of items, so that any group of categories can be scored without the
texts::

    pp_in_subject  [matches, totals …]  ┐
    rc_in_subject  [matches, totals …]  ┴─ sum ──> BLEU of both

Metrics: Papineni et al. 2002; Popović 2017; Post 2018 (sacreBLEU).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sgl.research.evaluate.segmentation import Segmentation

#: The tokenizer of sacreBLEU for a language; any other has the default, 13a.
TOKENIZERS = {"ja": "ja-mecab", "zh": "zh", "ko": "ko-mecab"}

BLEU_METRIC, CHRF_METRIC = "bleu", "chrf"

#: Sentences whose n-grams are in memory at a time.
_BATCH = 500

_CHAR_ORDER, _WORD_ORDER, _BETA = 6, 2, 2
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")

CountSums = NDArray[np.int64]


@dataclass(frozen=True)
class SurfaceScores:
    """The n-gram counts of a run, by metric and by category of items."""

    sums: Mapping[str, Mapping[str, CountSums]]
    scorers: Mapping[str, Callable[[Sequence[int]], float]]

    def score(self, metric: str, categories: Iterable[str]) -> float:
        """Return the score, from 0 to 100, of all items of some categories together."""
        total = np.sum([self.sums[metric][category] for category in categories], axis=0)
        return self.scorers[metric](total.tolist())


class Surface:
    """Score the outputs of systems in one language."""

    def __init__(self, language: str, segmentation: Segmentation | None = None) -> None:
        """With a ``segmentation`` texts are cut by it, and not by sacreBLEU.

        Raises:
            ImportError: sacreBLEU is not installed.
        """
        from sacrebleu.metrics.bleu import BLEU
        from sacrebleu.metrics.chrf import CHRF

        self._segmentation = segmentation
        tokenizer = TOKENIZERS.get(language, "13a") if segmentation is None else "none"
        try:
            self._bleu = BLEU(tokenize=tokenizer, force=True)
        except (ImportError, RuntimeError, OSError):
            # The tokenizer is not installed.
            self._bleu = BLEU(tokenize="char", force=True)
        self._chrf = CHRF(_CHAR_ORDER, _WORD_ORDER, _BETA)

    def count(self, texts: Mapping[str, tuple[Sequence[str], Sequence[str]]]) -> SurfaceScores:
        """Return the counts of a run from the gold texts and the outputs of each category."""
        pairs = {
            category: (self._segmented(gold), self._segmented(outputs))
            for category, (gold, outputs) in texts.items()
        }
        return SurfaceScores(
            {
                BLEU_METRIC: {name: self._bleu_counts(*pair) for name, pair in pairs.items()},
                CHRF_METRIC: {name: _chrf_counts(*pair) for name, pair in pairs.items()},
            },
            {BLEU_METRIC: self._bleu_score, CHRF_METRIC: _chrf_score},
        )

    @property
    def signatures(self) -> dict[str, str]:
        """The signatures of both metrics."""
        name = "" if self._segmentation is None else f"|seg:{self._segmentation.name}"
        found = {}
        for metric, scorer in ((BLEU_METRIC, self._bleu), (CHRF_METRIC, self._chrf)):
            # A metric knows its number of references once it has scored something.
            scorer.corpus_score([""], [[""]])
            found[metric] = f"{scorer.get_signature()}{name}"
        return found

    def _segmented(self, texts: Sequence[str]) -> Sequence[str]:
        return texts if self._segmentation is None else list(map(self._segmentation.cut, texts))

    def _bleu_counts(self, gold: Sequence[str], outputs: Sequence[str]) -> CountSums:
        """Return matches and totals by order, and the lengths of outputs and references."""
        sums = np.zeros(2 * self._bleu.max_ngram_order + 2, np.int64)
        for at in range(0, len(gold), _BATCH):
            found = self._bleu.corpus_score(outputs[at : at + _BATCH], [gold[at : at + _BATCH]])
            sums += [*found.counts, *found.totals, found.sys_len, found.ref_len]
        return sums

    def _bleu_score(self, sums: Sequence[int]) -> float:
        order = self._bleu.max_ngram_order
        lengths = sums[2 * order :]
        matches, totals = list(sums[:order]), list(sums[order:-2])
        smoothing = self._bleu.smooth_method
        found = self._bleu.compute_bleu(matches, totals, lengths[0], lengths[1], smoothing)
        return float(found.score)


# chrF++ is counted here, because sacreBLEU gives its score and not the counts behind it.


def _chrf_counts(gold: Sequence[str], outputs: Sequence[str]) -> CountSums:
    """Return for each order the n-grams of outputs, of references, and those in common."""
    sums = np.zeros((_CHAR_ORDER + _WORD_ORDER, 3), np.int64)
    for reference, output in zip(gold, outputs, strict=True):
        sums += [
            (
                given.total() if wanted else 0,
                wanted.total(),
                sum(min(number, wanted.get(ngram, 0)) for ngram, number in given.items()),
            )
            for given, wanted in zip(_chrf_ngrams(output), _chrf_ngrams(reference), strict=True)
        ]
    return sums.ravel()


def _chrf_ngrams(text: str) -> list[Counter[str]]:
    """Return the n-grams of characters without spaces, then those of words, by order."""
    from sacrebleu.metrics.helpers import extract_all_char_ngrams, extract_word_ngrams

    words = [word for piece in text.split() for word in _without_mark(piece)]
    return [
        *extract_all_char_ngrams(text, _CHAR_ORDER),
        *(extract_word_ngrams(words, order) for order in range(1, _WORD_ORDER + 1)),
    ]


def _without_mark(word: str) -> tuple[str, ...]:
    """Split one punctuation mark off a word, the last one or else the first."""
    if len(word) > 1 and word[-1] in _PUNCTUATION:
        return word[:-1], word[-1]
    if len(word) > 1 and word[0] in _PUNCTUATION:
        return word[0], word[1:]
    return (word,)


def _chrf_score(sums: Sequence[int]) -> float:
    """Return the F-score of precision and recall, each the mean over the orders that occur."""
    counts = [sums[at : at + 3] for at in range(0, len(sums), 3)]
    occurring = [(given, wanted, common) for given, wanted, common in counts if given and wanted]
    if not occurring:
        return 0.0
    precision = sum(common / given for given, _, common in occurring) / len(occurring)
    recall = sum(common / wanted for _, wanted, common in occurring) / len(occurring)
    if not precision + recall:
        return 0.0
    factor = _BETA**2
    return 100 * ((1 + factor) * precision * recall / (factor * precision + recall))
