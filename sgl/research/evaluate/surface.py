"""BLEU and chrF++ by sacreBLEU, with the tokeniser that the language needs.

The default tokeniser of sacreBLEU splits at spaces, and finds in a Japanese sentence one
word; the same outputs score 0.00 with it and 96.97 with ``ja-mecab``.  The signature says
how a figure was computed, and belongs beside it.  Texts may be cut by another segmenter
(:mod:`sgl.research.evaluate.segment`), which the signature then names:
``tok:none|…|seg:jieba-0.42.1``.

Both metrics are functions of counts of n-grams, summed over sentences.  The sums are kept
for each kind of item, so that any group of kinds can be scored without the texts::

    pp_in_subject  [matches, totals …]  ┐
    rc_in_subject  [matches, totals …]  ┴─ sum ──> BLEU of both

Metrics: Papineni et al. 2002; Popović 2017; Post 2018 (sacreBLEU).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

#: The tokeniser of sacreBLEU for a language; any other has the default, 13a.
TOKENIZERS = {"ja": "ja-mecab", "zh": "zh", "ko": "ko-mecab"}
_DEFAULT = "13a"
_CHARACTERS = "char"
_NO_TOKENIZER = "none"

BLEU_METRIC, CHRF_METRIC = "bleu", "chrf"

#: Sentences whose n-grams are in memory at a time.
_BATCH = 500

Sums = NDArray[np.float64]


class SacrebleuMissing(Exception):
    """sacreBLEU is not installed."""


class _Counter(Protocol):
    """A metric of sacreBLEU, with its counts."""

    def sums(self, gold: Sequence[str], outputs: Sequence[str]) -> Sums:
        """The counts of some sentences, summed."""

    def score_of(self, sums: Sums) -> float:
        """The score that follows from counts."""

    def signature(self) -> str:
        """How scores are computed."""


@dataclass(frozen=True)
class SurfaceScores:
    """The counts of a run by kind of item, for each metric."""

    counters: Mapping[str, _Counter]
    sums: Mapping[str, Mapping[str, Sums]]

    def score(self, metric: str, kinds: Iterable[str]) -> float:
        """The score of all items of some kinds together."""
        total = np.sum([self.sums[metric][kind] for kind in kinds], axis=0)
        return self.counters[metric].score_of(total)


class Surface:
    """Scores the outputs of systems in one language."""

    def __init__(
        self, language: str, segment: Callable[[str], str] | None = None, segmented: str = ""
    ) -> None:
        """With ``segment``, called ``segmented``, texts are cut by it and not by sacreBLEU.

        Raises ``SacrebleuMissing``.
        """
        self._segment = segment
        self._segmented = segmented
        self._counters = _counters(
            TOKENIZERS.get(language, _DEFAULT) if segment is None else _NO_TOKENIZER
        )

    def count(self, kinds: Mapping[str, tuple[Sequence[str], Sequence[str]]]) -> SurfaceScores:
        """The counts of a run; a kind of item has its gold texts and its outputs."""
        words = {kind: (self._cut(gold), self._cut(said)) for kind, (gold, said) in kinds.items()}
        return SurfaceScores(
            self._counters,
            {
                metric: {kind: counter.sums(*texts) for kind, texts in words.items()}
                for metric, counter in self._counters.items()
            },
        )

    @property
    def signatures(self) -> dict[str, str]:
        """The signatures of both metrics; to be asked for when something has been counted."""
        cut = "" if self._segment is None else f"|seg:{self._segmented}"
        return {metric: counter.signature() + cut for metric, counter in self._counters.items()}

    def _cut(self, texts: Sequence[str]) -> Sequence[str]:
        return texts if self._segment is None else [self._segment(text) for text in texts]


def _counters(tokenizer: str) -> dict[str, _Counter]:
    """Both metrics; by characters where the tokeniser is not installed."""
    try:
        from sacrebleu.metrics.base import Metric
        from sacrebleu.metrics.bleu import BLEU
        from sacrebleu.metrics.chrf import CHRF
    except ImportError as problem:
        raise SacrebleuMissing(str(problem)) from problem

    # Counts and scores of counts are what sacreBLEU asks of its own metrics, in methods for
    # subclasses.  Through its public methods a corpus has to be in memory, n-gram by n-gram.
    class Counting(Metric):
        def sums(self, gold: Sequence[str], outputs: Sequence[str]) -> Sums:
            return _summed(self._extract_corpus_statistics, gold, outputs)

        def score_of(self, sums: Sums) -> float:
            return float(self._compute_score_from_stats([round(n) for n in sums]).score)

        def signature(self) -> str:
            return str(self.get_signature())

    class CountingBleu(Counting, BLEU):
        pass

    class CountingChrf(Counting, CHRF):
        pass

    try:
        bleu = CountingBleu(tokenize=tokenizer, force=True)
    except (ImportError, RuntimeError, OSError):
        bleu = CountingBleu(tokenize=_CHARACTERS, force=True)
    return {BLEU_METRIC: bleu, CHRF_METRIC: CountingChrf(word_order=2)}


class _Extract(Protocol):
    def __call__(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], /
    ) -> list[list[int]]: ...


def _summed(extract: _Extract, gold: Sequence[str], outputs: Sequence[str]) -> Sums:
    """The counts of all sentences, a batch at a time."""
    batches = [
        np.sum(extract(outputs[at : at + _BATCH], [gold[at : at + _BATCH]]), axis=0)
        for at in range(0, len(gold), _BATCH)
    ]
    return np.asarray(np.sum(batches, axis=0), np.float64)
