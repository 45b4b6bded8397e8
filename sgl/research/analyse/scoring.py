"""Score the outputs of one system, sentence by sentence.

BLEU compares all words.  Edges are looked for among words without punctuation, as distances
are those of a tree without it::

    sentence   I left , she said .       tree    I left she said
    output     i left , she said         text    i left she said
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from sgl.research.analyse.measures import AnalysisSettings, Flags, Json, summary
from sgl.research.analyse.metrics import EdgeAccuracy, Skeleton, edges_kept, sentence_bleu
from sgl.research.analyse.predictions import (
    Aligned,
    PredictionsError,
    open_predictions,
)
from sgl.research.analyse.statistics import Values
from sgl.research.analyse.words import (
    SAMPLED,
    ForeignScript,
    composed,
    folded,
    foreign_script,
    tokenizer_of,
    without_marks,
)
from sgl.research.treebank import Malformed, TreebankSentence


class GoldSentence:
    """What outputs for one sentence are compared with."""

    __slots__ = ("kept", "relations", "sentence", "skeleton", "strip", "text", "words")

    def __init__(
        self, sentence: TreebankSentence, skeleton: Skeleton, settings: AnalysisSettings
    ) -> None:
        lemmas = settings.column == "lemma"
        same = composed if settings.keep_case else folded
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


class SystemScores:
    """The scores of a system, sentence by sentence; ``dea`` is ``nan`` where a tree has no edge.

    Each step may raise ``PredictionsError``; this ``fault`` of the file ends the scoring.
    ``empty`` outputs are there and have no word; ``missing`` ones are not there.  ``glued`` ones
    are exactly the text of the sentence, and not its words.
    """

    def __init__(self, name: str, path: Path, settings: AnalysisSettings) -> None:
        self.name = name
        self.path = path
        self.fault: PredictionsError | None = None
        self.empty = self.glued = 0
        self._same = composed if settings.keep_case else folded
        self._cut = tokenizer_of(settings.tokenizer)
        self._bleu, self._dea, self._exact = array("d"), array("d"), array("b")
        self._kept: Counter[str] = Counter()
        self._edges: Counter[str] = Counter()
        self._sampled: list[tuple[Sequence[str], Sequence[str]]] = []
        self._column = settings.column
        self._outputs = Aligned(None, iter(()))

    def open(self) -> None:
        """Open the file of predictions."""
        self._outputs = open_predictions(self.path, self._column)

    def add(self, gold: GoldSentence) -> None:
        """Score the output for the next sentence."""
        output = self._outputs.output(gold.sentence.comment("sent_id"))
        text, cut = output or (None, ())
        words = list(map(self._same, self._cut(text or "", gold.sentence) if cut is None else cut))
        self.empty += output is not None and not words
        if words and len(self._sampled) < SAMPLED:
            self._sampled.append((gold.words, words))
        exact = words == gold.words
        if not exact and text and cut is None and gold.text is not None:
            self.glued += self._same(text.strip()) == gold.text
        self._exact.append(exact)
        self._bleu.append(sentence_bleu(gold.words, words))
        found = gold.edges_kept(words)
        for relation, kept in zip(gold.relations, found, strict=True):
            if kept is not None:
                self._kept[relation] += kept
                self._edges[relation] += 1
        share = EdgeAccuracy.of(found).share
        self._dea.append(float("nan") if share is None else share)

    def skip(self, block: Malformed) -> None:
        """Go past the output for a sentence that cannot be read."""
        self._outputs.skip(block.sent_id)

    def finish(self) -> None:
        """Check that no outputs are left."""
        self._outputs.finish()

    @property
    def missing(self) -> int:
        """How many sentences have no output."""
        return self._outputs.missing

    @cached_property
    def exact(self) -> Flags:
        """Which outputs have the words of their sentences."""
        return np.array(self._exact, np.bool_)

    @cached_property
    def columns(self) -> dict[str, Values]:
        """The scores by name."""
        return {
            "bleu": np.array(self._bleu, np.float64),
            "dea": np.array(self._dea, np.float64),
        }

    @property
    def bleu(self) -> Values:
        """The BLEU of each output."""
        return self.columns["bleu"]

    @cached_property
    def relations(self) -> dict[str, EdgeAccuracy]:
        """How many edges of each relation the outputs have."""
        return {name: EdgeAccuracy(self._kept[name], edges) for name, edges in self._edges.items()}

    def foreign_script(self) -> ForeignScript | None:
        """Say of outputs in another script which one that is."""
        return foreign_script(self._sampled)

    def data(self, failed: int) -> Json:
        """Return what ``--json`` says of the system, which has failed so many sentences."""
        return {
            "name": self.name,
            "path": str(self.path),
            **{name: summary(column) for name, column in self.columns.items()},
            "edges": _kept(EdgeAccuracy(self._kept.total(), self._edges.total())),
            "exact": int(self.exact.sum()),
            "empty": self.empty,
            "missing": self.missing,
            "glued": self.glued,
            "failed": failed,
            "relations": {label: _kept(kept) for label, kept in sorted(self.relations.items())},
        }


def _kept(kept: EdgeAccuracy) -> Json:
    return {**kept._asdict(), "dea": kept.share}
