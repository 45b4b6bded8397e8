"""Score the outputs of one system, sentence by sentence.

BLEU compares all words.  Edges are looked for among words without punctuation, as distances
are those of a tree without it::

    sentence   I left , she said .       tree    I left she said
    output     i left , she said         text    i left she said
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from sgl.research.analyse.metrics import (
    EdgeAccuracy,
    Skeleton,
    edges_kept,
    relation_accuracy,
    sentence_bleu,
)
from sgl.research.analyse.predictions import (
    Aligned,
    Output,
    PredictionsError,
    TokenizedOutput,
    open_predictions,
)
from sgl.research.analyse.result import AnalysisSettings, SystemScores
from sgl.research.analyse.words import (
    SAMPLED,
    composed,
    folded,
    foreign_script,
    tokenizer_of,
    without_marks,
)
from sgl.research.treebank import Malformed, TreebankSentence


def spelling(settings: AnalysisSettings) -> Callable[[str], str]:
    """Return the form in which words are compared."""
    return composed if settings.keep_case else folded


class GoldSentence:
    """What outputs for one sentence are compared with."""

    __slots__ = ("kept", "relations", "sentence", "skeleton", "strip", "text", "words")

    def __init__(
        self, sentence: TreebankSentence, skeleton: Skeleton, settings: AnalysisSettings
    ) -> None:
        lemmas = settings.column == "lemma"
        same = spelling(settings)
        self.strip = not settings.keep_punctuation
        self.sentence = sentence
        self.skeleton = skeleton
        self.words = [same(word.lemma if lemmas else word.form) for word in sentence.words]
        self.kept = [self.words[place] for place in skeleton.kept]
        self.relations = [sentence.words[place].deprel for place in skeleton.kept]
        text = sentence.comment("text")
        self.text = same(text.strip()) if text else None

    def edges_kept(self, output: Sequence[str]) -> list[bool | None]:
        """For each word of the tree whether an output has the edge to its governor.

        Punctuation is left out of the output if the tree is without it.  A form may be
        punctuation at one place and a word at another: an exact output has both.
        """
        if output == self.words:
            output = self.kept
        elif self.strip:
            kept = set(self.kept)
            output = without_marks(output, kept, set(self.words) - kept)
        return edges_kept(self.kept, self.skeleton.heads, output)


class Scorer:
    """Scores one file of predictions; a fault of the file ends the scoring of this system."""

    def __init__(self, name: str, path: Path, settings: AnalysisSettings) -> None:
        self.path = path
        self.fault: PredictionsError | None = None
        self._name = name
        self._same = spelling(settings)
        self._cut = tokenizer_of(settings.tokenizer)
        self._bleu, self._dea, self._exact = array("d"), array("d"), array("b")
        self._kept: Counter[str] = Counter()
        self._edges: Counter[str] = Counter()
        self._empty = self._glued = 0
        self._sampled: list[tuple[Sequence[str], Sequence[str]]] = []
        self._outputs = Aligned(None, iter(()))
        with self._using():
            self._outputs = open_predictions(path, settings.column)

    def add(self, gold: GoldSentence) -> None:
        """Score the output for the next sentence."""
        if self.fault is None:
            with self._using():
                self._score(gold, self._outputs.output(gold.sentence.comment("sent_id")))

    def skip(self, block: Malformed) -> None:
        """Go past the output for a sentence that cannot be read."""
        if self.fault is None:
            with self._using():
                self._outputs.skip(block.sent_id)

    def finish(self) -> SystemScores | None:
        """Return the scores of the system; none if its predictions cannot be used."""
        if self.fault is None:
            with self._using():
                self._outputs.finish()
        if self.fault is not None:
            return None
        return SystemScores(
            self._name,
            str(self.path),
            np.array(self._bleu, np.float64),
            np.array(self._dea, np.float64),
            np.array(self._exact, np.bool_),
            {label: EdgeAccuracy(self._kept[label], edges) for label, edges in self._edges.items()},
            self._empty,
            self._outputs.missing,
            self._glued,
            foreign_script(self._sampled),
        )

    def _score(self, gold: GoldSentence, output: Output | None) -> None:
        words = self._words(gold, output)
        self._empty += output is not None and not words
        if words and len(self._sampled) < SAMPLED:
            self._sampled.append((gold.words, words))
        exact = words == gold.words
        if not exact and isinstance(output, str) and gold.text is not None:
            self._glued += self._same(output.strip()) == gold.text
        self._exact.append(exact)
        self._bleu.append(sentence_bleu(gold.words, words))
        found = gold.edges_kept(words)
        for relation, kept in relation_accuracy(gold.relations, found).items():
            self._kept[relation] += kept.kept
            self._edges[relation] += kept.edges
        edges = len(found) - found.count(None)
        self._dea.append(found.count(True) / edges if edges else float("nan"))

    def _words(self, gold: GoldSentence, output: Output | None) -> list[str]:
        if isinstance(output, TokenizedOutput):
            return list(map(self._same, output.words))
        return list(map(self._same, self._cut(output, gold.sentence))) if output else []

    @contextmanager
    def _using(self) -> Iterator[None]:
        """Take note of a fault of the predictions in this block."""
        try:
            yield
        except PredictionsError as problem:
            self.fault = problem
