"""Collect the measures of all trees and the scores of all outputs.

BLEU compares all words.  Edges are searched among words without punctuation, as distances are measured in trees without
it.
"""

from array import array
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.research.analyse.metrics import EdgeAccuracy, Measures, Sides, Skeleton, edges_kept, mean_entropy, measure
from sgl.research.analyse.metrics import sentence_bleu as bleu_of
from sgl.research.analyse.outputs import PredictionsError, SystemOutput
from sgl.research.analyse.predictions import open_predictions, read_judgements
from sgl.research.analyse.statistics import Values, places_by
from sgl.research.analyse.words import SAMPLED, comparison, joined, tokenizer_of, without_marks
from sgl.research.treebank import Malformed, TreebankSentence

Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]
Json = dict[str, Any]

#: The most malformed sentences to list, and the most shapes of trees to remember.
_LISTED, _REMEMBERED = 100, 1 << 16


class AnalysisSettings(NamedTuple):
    """The settings of an analysis.

    ``column`` names the words to compare (form, lemma).  ``failure`` is ``quartile``, ``inexact``, or a BLEU below
    which a sentence has failed.  ``judgements`` is the file of people's scores.  With ``lemmatise``, a language such as
    ``en``, the lemmas that simplemma finds for words and outputs are compared.
    """

    column: str = "form"
    keep_case: bool = False
    keep_punctuation: bool = False
    tokenizer: str = "marks"
    by: str | None = None
    lemmatise: str | None = None
    views: tuple[str, ...] = ("dep", "pos", "pos-dep")
    nodes: tuple[int, int] = (2, 3)
    support: int = 5
    rounds: int = 3
    failure: str | float = "quartile"
    judgements: Path | None = None


class TreebankMeasures:
    """The measures of all sentences in growing columns; ``listed`` has the first of the ``malformed`` blocks."""

    def __init__(self, path: Path, by: str | None) -> None:
        self.path = path
        self.malformed = 0
        self.listed: list[Malformed] = []
        self._by = by
        self._measure = lru_cache(_REMEMBERED)(measure)
        self._rows, self._places = array("d"), array("q")
        self._sides = Counter[str](), Counter[str]()
        self._words = Counter[tuple[str, str, str]]()
        self._groups: list[str] = []

    def add(self, number: int, sentence: TreebankSentence, skeleton: Skeleton) -> None:
        """Measure a sentence, which is block ``number``."""
        self._rows.extend(self._measure(skeleton.heads))
        for at, (head, place) in enumerate(zip(*skeleton, strict=True), 1):
            if head:
                self._sides[at > head][sentence.words[place].deprel] += 1
        self._words.update((word.upos, word.lemma, word.form) for word in sentence.words)
        self._places.extend((number, sentence.line, sentence.offset))
        if self._by is not None:
            self._groups.append(sentence.comment(self._by) or "")

    def skip(self, block: Malformed) -> None:
        """Count a block that is not a sentence."""
        self.malformed += 1
        if len(self.listed) < _LISTED:
            self.listed.append(block)

    def finish(self) -> None:
        """Turn all added sentences into columns.

        ``places`` has for each sentence its index among all blocks, its line and the byte where it begins; ``groups``
        has the indices of sentences with each value of the comment ``by``; ``relations`` counts edges to either side.
        """
        measures = np.array(self._rows, np.float64).reshape(-1, len(Measures._fields)).T.copy()
        self.columns: dict[str, Values] = dict(zip(Measures._fields[:-1], measures, strict=False))
        self.projective: Flags = measures[-1] > 0
        self.places: Ints = np.array(self._places, np.int64).reshape(-1, 3)
        self.groups = places_by((name,) for name in self._groups)
        left, right = self._sides
        self.relations = {label: Sides(left[label], right[label]) for label in sorted({*left, *right})}

    def _vocabulary(self) -> list[Json]:
        """Count words, and different lemmas and forms, by part of speech, the richest first."""
        kinds: dict[str, list[tuple[str, str, int]]] = {}
        for (upos, lemma, form), number in self._words.items():
            kinds.setdefault(upos, []).append((lemma, form, number))
        rows = [
            {"upos": upos, "words": sum(numbers), "lemmas": len({*lemmas}), "forms": len({*forms})}
            for upos, (lemmas, forms, numbers) in ((upos, zip(*own, strict=True)) for upos, own in kinds.items())
        ]
        return sorted(rows, key=lambda row: (-row["lemmas"], row["upos"]))

    def data(self) -> Json:
        """Return the part of ``--json`` about the treebank."""
        return {
            "path": str(self.path),
            "sentences": len(self.places),
            "words": int(self.columns["length"].sum()),
            "measures": {name: summary(values) for name, values in self.columns.items()},
            "projective": int(self.projective.sum()),
            "vocabulary": self._vocabulary(),
            "mean_entropy": mean_entropy(self.relations),
            "relations": {
                label: {**sides._asdict(), "entropy": sides.entropy} for label, sides in self.relations.items()
            },
            "malformed": self.malformed,
            "malformed_sentences": [{"line": block.line, "reason": block.reason} for block in self.listed],
        }


def mean(values: Values) -> float | None:
    """Return the mean of the defined values, or None without any."""
    found = summary(values)
    return None if found is None else found["mean"]


def summary(values: Values) -> Json | None:
    """Summarise a column in a few numbers, or return None if nothing in it is defined."""
    known = values[~np.isnan(values)]
    if not len(known):
        return None
    return {
        "sentences": len(known),
        "mean": float(known.mean()),
        "deviation": float(known.std()),
        "min": float(known.min()),
        "quartiles": np.quantile(known, (0.25, 0.5, 0.75)).tolist(),
        "max": float(known.max()),
    }


class GoldSentence:
    """A sentence to compare outputs with."""

    __slots__ = ("kept", "relations", "sentence", "skeleton", "strip", "text", "words")

    def __init__(self, sentence: TreebankSentence, skeleton: Skeleton, settings: AnalysisSettings) -> None:
        lemmas = settings.column == "lemma"
        same = comparison(keep_case=settings.keep_case, language=settings.lemmatise)
        self.strip = not settings.keep_punctuation
        self.sentence = sentence
        self.skeleton = skeleton
        self.words = [same(word.lemma if lemmas else word.form) for word in sentence.words]
        self.kept = [self.words[place] for place in skeleton.kept]
        self.relations = [sentence.words[place].deprel for place in skeleton.kept]
        text = sentence.comment("text")
        self.text = comparison(keep_case=settings.keep_case)(text.strip()) if text else None

    def edges_kept(self, output: Sequence[str]) -> list[bool | None]:
        """Return for each word of the tree whether an output has the edge to its governor.

        If the tree has no punctuation, the output's is left out too.  A form may be punctuation at one place and a word
        at another; an exact output has both.
        """
        if output == self.words:
            output = self.kept
        elif self.strip:
            kept = set(self.kept)
            output = without_marks(output, kept, set(self.words) - kept)
        return edges_kept(self.kept, self.skeleton.heads, output)


class SystemScores:
    """The scores of a system, sentence by sentence; ``dea`` is ``nan`` for a tree without edges.

    Each step may raise ``PredictionsError``; such a ``fault`` of the file ends the scoring.  ``empty`` counts outputs
    without words and ``missing`` absent ones.  ``glued`` counts outputs that equal the text of the sentence but not its
    words; ``pieces`` counts those whose tokenizer marks were removed.  ``sampled`` pairs the words of the first
    sentences with those of their outputs.
    """

    def __init__(self, name: str, path: Path, settings: AnalysisSettings) -> None:
        self.name = name
        self.path = path
        self.fault: PredictionsError | None = None
        self.empty = self.glued = self.pieces = 0
        self._same = comparison(keep_case=settings.keep_case)
        self._word = comparison(keep_case=settings.keep_case, language=settings.lemmatise)
        self._cut = tokenizer_of(settings.tokenizer)
        self._bleu, self._dea, self._exact = array("d"), array("d"), array("b")
        self._kept, self._edges = Counter[str](), Counter[str]()
        self.sampled: list[tuple[Sequence[str], Sequence[str]]] = []
        self._column = settings.column
        self._judgements = settings.judgements

    def open(self) -> None:
        """Open the file of predictions."""
        self.outputs = open_predictions(self.path, self._column)
        judged = read_judgements(self._judgements, (*Measures._fields, "bleu", "dea")) if self._judgements else {}
        self._judged = {kind: (of.get(self.name, {}), array("d")) for kind, of in judged.items()}

    def add(self, gold: GoldSentence) -> None:
        """Score the output for the next sentence."""
        output = self.outputs.output(gold.sentence.comment("sent_id"))
        for scores, column in self._judged.values():
            column.append(scores.get(gold.sentence.comment("sent_id") or "", np.nan))
        text, cut = (output or SystemOutput(None, ()))[:2]
        whole = text or " ".join(cut or ())
        if (bare := joined(whole)) != whole and joined(plain := " ".join(gold.words)) == plain:
            self.pieces += 1
            text, cut = bare, None
        words = list(map(self._word, self._cut(text or "", gold.sentence) if cut is None else cut))
        self.empty += output is not None and not words
        if words and len(self.sampled) < SAMPLED:
            self.sampled.append((gold.words, words))
        exact = words == gold.words
        if not exact and text and cut is None and gold.text is not None:
            self.glued += self._same(text.strip()) == gold.text
        self._exact.append(exact)
        self._bleu.append(bleu_of(gold.words, words))
        found = gold.edges_kept(words)
        for relation, kept in zip(gold.relations, found, strict=True):
            if kept is not None:
                self._kept[relation] += kept
                self._edges[relation] += 1
        accuracy = EdgeAccuracy.of(found)
        self._dea.append(accuracy.kept / accuracy.edges if accuracy.edges else np.nan)

    def skip(self, block: Malformed) -> None:
        """Skip the output for a sentence that cannot be read."""
        self.outputs.skip(block.sent_id)

    def finish(self) -> None:
        """Check that no outputs are left, and make columns of the ``exact`` flags and of the scores by name."""
        self.outputs.refuse_names()
        self.outputs.finish()
        self.exact: Flags = np.array(self._exact, np.bool_)
        self.bleu: Values = np.array(self._bleu, np.float64)
        self.columns = {"bleu": self.bleu, "dea": np.array(self._dea, np.float64)}
        for kind, (scores, column) in self._judged.items():
            self.columns[kind] = np.array(column, np.float64)
            if more := len(scores) - int((~np.isnan(self.columns[kind])).sum()):
                raise PredictionsError(f"{more:,} judgements ({kind}) are of sentences that are not in the treebank")
        self.relations = {name: EdgeAccuracy(self._kept[name], edges) for name, edges in self._edges.items()}

    def data(self, failed: int) -> Json:
        """Return the part of ``--json`` about the system, which has failed this many sentences."""
        return {
            "name": self.name,
            "path": str(self.path),
            **{name: summary(column) for name, column in self.columns.items()},
            "edges": _kept(EdgeAccuracy(self._kept.total(), self._edges.total())),
            "exact": int(self.exact.sum()),
            "empty": self.empty,
            "missing": self.outputs.missing,
            "glued": self.glued,
            "failed": failed,
            "relations": {label: _kept(kept) for label, kept in sorted(self.relations.items())},
        }


def _kept(kept: EdgeAccuracy) -> Json:
    return {**kept._asdict(), "dea": kept.share}
