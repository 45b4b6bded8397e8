"""BLEU and chrF++ as sacreBLEU computes them, with the tokenizer that the language needs.

The default tokenizer of sacreBLEU splits at spaces, and finds one word in a Japanese
sentence: the same outputs score 0.00 with it and 96.97 with ``ja-mecab``.  The signature
says how a figure was computed and belongs beside it.  Texts may be segmented before
(:mod:`sgl.research.evaluate.segmentation`); the signature then names the segmentation:
``tok:none|…|seg:jieba-0.42.1``.

Both metrics are functions of n-gram counts that are summed over sentences.  The sums are
kept for each category of items, so that any group of categories can be scored without the
texts.  sacreBLEU's own tests of significance use the counts in this way::

    pp_in_subject  [matches, totals …]  ┐
    rc_in_subject  [matches, totals …]  ┴─ sum ──> BLEU of both

Metrics: Papineni et al. 2002; Popović 2017; Post 2018 (sacreBLEU).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sgl.research.evaluate.segmentation import Segmentation

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

#: The tokenizer of sacreBLEU for a language; any other has the default, 13a.
TOKENIZERS = {"ja": "ja-mecab", "zh": "zh", "ko": "ko-mecab"}

BLEU_METRIC, CHRF_METRIC = "bleu", "chrf"

#: Sentences whose n-grams are in memory at a time.
_BATCH = 500

CountSums = NDArray[np.int64]


@dataclass(frozen=True)
class SurfaceScores:
    """The n-gram counts of a run, by metric and by category of items."""

    sums: Mapping[str, Mapping[str, CountSums]]
    metrics: Mapping[str, Metric]

    def score(self, metric: str, categories: Iterable[str]) -> float:
        """Return the score, from 0 to 100, of all items of some categories together."""
        total = np.sum([self.sums[metric][category] for category in categories], axis=0)
        found = self.metrics[metric]._compute_score_from_stats(total.tolist())  # noqa: SLF001 - see above
        return float(found.score)


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
            bleu = BLEU(tokenize=tokenizer, force=True)
        except (ImportError, RuntimeError, OSError):
            # The tokenizer is not installed.
            bleu = BLEU(tokenize="char", force=True)
        self._metrics: dict[str, Metric] = {BLEU_METRIC: bleu, CHRF_METRIC: CHRF(word_order=2)}

    def count(self, texts: Mapping[str, tuple[Sequence[str], Sequence[str]]]) -> SurfaceScores:
        """Return the counts of a run from the gold texts and the outputs of each category."""
        pairs = {
            category: (self._segmented(gold), self._segmented(outputs))
            for category, (gold, outputs) in texts.items()
        }
        return SurfaceScores(
            {
                name: {category: _sums(metric, *pair) for category, pair in pairs.items()}
                for name, metric in self._metrics.items()
            },
            self._metrics,
        )

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

    def _segmented(self, texts: Sequence[str]) -> Sequence[str]:
        return texts if self._segmentation is None else list(map(self._segmentation.cut, texts))


def _sums(metric: Metric, gold: Sequence[str], outputs: Sequence[str]) -> CountSums:
    """Return the counts that sacreBLEU makes a score from, summed over sentences."""
    counts = [
        sentence
        for at in range(0, len(gold), _BATCH)
        for sentence in metric._extract_corpus_statistics(  # noqa: SLF001 - see above
            outputs[at : at + _BATCH], [gold[at : at + _BATCH]]
        )
    ]
    sums: CountSums = np.sum(counts, axis=0)
    return sums
