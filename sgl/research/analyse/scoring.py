"""Collect the measures of all trees and the scores of all outputs.

BLEU compares all words.  Edges are searched among words without punctuation, as distances are measured in trees without
it.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from os import SEEK_END
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.foreign import TREEBANK, opened
from sgl.research.analyse.metrics import (
    EdgeAccuracy,
    Measures,
    Sides,
    Skeleton,
    edges_kept,
    mean_entropy,
    measure,
    without_punctuation,
)
from sgl.research.analyse.metrics import sentence_bleu as bleu_of
from sgl.research.analyse.outputs import PredictionsError, SystemOutput
from sgl.research.analyse.predictions import read_judgements, read_predictions
from sgl.research.analyse.statistics import Values, places_by
from sgl.research.analyse.words import SAMPLED, comparison, joined, tokenizer_of, without_marks
from sgl.research.treebank import Malformed, TreebankReader, TreebankSentence

Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]
Json = dict[str, Any]

#: The most malformed sentences to list, the most shapes of trees to remember, and sentences between reports.
_LISTED, _REMEMBERED, _OFTEN = 100, 1 << 16, 500


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
    """The sentences of a treebank with their trees, and the measures of these in columns.

    ``names`` has the ids of all blocks, ``malformed`` those that are no sentences by their places.  ``groups`` has the
    indices of sentences with each value of the comment ``by``; ``relations`` counts edges to either side.
    """

    def __init__(self, path: Path, settings: AnalysisSettings, advance: Callable[[int, int], None]) -> None:
        with opened(path, TREEBANK) as stream:
            size = stream.seek(0, SEEK_END)
        self.path = path
        self.sentences: list[TreebankSentence] = []
        self.names: list[str | None] = []
        self.malformed: dict[int, Malformed] = {}
        for number, block in enumerate(TreebankReader().read(path)):
            if number % _OFTEN == 0:
                advance(block.end, size)
            if isinstance(block, Malformed):
                self.malformed[number] = block
            else:
                self.sentences.append(block)
            self.names.append(block.sent_id)
        self.skeletons = [skeleton_of(sentence, settings) for sentence in self.sentences]
        measured = lru_cache(_REMEMBERED)(measure)
        rows = [measured(skeleton.heads) for skeleton in self.skeletons]
        measures = np.array(rows, np.float64).reshape(-1, len(Measures._fields)).T.copy()
        self.columns: dict[str, Values] = dict(zip(Measures._fields[:-1], measures, strict=False))
        self.projective: Flags = measures[-1] > 0
        grouped = () if settings.by is None else self.sentences
        self.groups = places_by((sentence.comment(settings.by or "") or "",) for sentence in grouped)
        left, right = Counter[str](), Counter[str]()
        for sentence, skeleton in zip(self.sentences, self.skeletons, strict=True):
            for at, (head, place) in enumerate(zip(*skeleton, strict=True), 1):
                if head:
                    (right if at > head else left)[sentence.words[place].deprel] += 1
        self.relations = {label: Sides(left[label], right[label]) for label in sorted({*left, *right})}

    def _vocabulary(self) -> list[Json]:
        """Count words, and different lemmas and forms, by part of speech, the richest first."""
        kinds: dict[str, list[tuple[str, str, int]]] = {}
        counts = Counter((word.upos, word.lemma, word.form) for own in self.sentences for word in own.words)
        for (upos, lemma, form), number in counts.items():
            kinds.setdefault(upos, []).append((lemma, form, number))
        rows = [
            {"upos": upos, "words": sum(numbers), "lemmas": len({*lemmas}), "forms": len({*forms})}
            for upos, (lemmas, forms, numbers) in ((upos, zip(*own, strict=True)) for upos, own in kinds.items())
        ]
        return sorted(rows, key=lambda row: (-row["lemmas"], row["upos"]))

    @property
    def listed(self) -> list[Malformed]:
        """The first of the malformed blocks."""
        return [*self.malformed.values()][:_LISTED]

    def data(self) -> Json:
        """Return the part of ``--json`` about the treebank."""
        return {
            "path": str(self.path),
            "sentences": len(self.sentences),
            "words": int(self.columns["length"].sum()),
            "measures": {name: summary(values) for name, values in self.columns.items()},
            "projective": int(self.projective.sum()),
            "vocabulary": self._vocabulary(),
            "mean_entropy": mean_entropy(self.relations),
            "relations": {
                label: {**sides._asdict(), "entropy": sides.entropy} for label, sides in self.relations.items()
            },
            "malformed": len(self.malformed),
            "malformed_sentences": [{"line": block.line, "reason": block.reason} for block in self.listed],
        }


def skeleton_of(sentence: TreebankSentence, settings: AnalysisSettings) -> Skeleton:
    """Return the tree of a sentence, with or without its punctuation."""
    whole = Skeleton(sentence.heads, tuple(range(len(sentence.words))))
    return whole if settings.keep_punctuation else without_punctuation(sentence.words)


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

    Raises ``PredictionsError`` for a file that cannot be scored.  ``empty`` counts outputs without words and
    ``missing`` absent ones.  ``glued`` counts outputs that equal the text of the sentence but not its words; ``pieces``
    counts those whose tokenizer marks were removed.  ``sampled`` pairs the words of the first sentences with those of
    their outputs.
    """

    def __init__(
        self,
        name: str,
        path: Path,
        settings: AnalysisSettings,
        bank: TreebankMeasures,
        advance: Callable[[int, int], None],
    ) -> None:
        self.name, self.path = name, path
        self.empty = self.glued = self.pieces = 0
        self.sampled: list[tuple[Sequence[str], Sequence[str]]] = []
        self._same = comparison(keep_case=settings.keep_case)
        self._word = comparison(keep_case=settings.keep_case, language=settings.lemmatise)
        self._cut = tokenizer_of(settings.tokenizer)
        self._kept, self._edges = Counter[str](), Counter[str]()
        self.outputs = _outputs(path, settings.column, bank)
        # What is shown has forms, also where lemmas are compared.
        self.said = self.outputs if settings.column == "form" else _outputs(path, "form", bank)
        self.missing = self.outputs.count(None)
        judged = _judged(settings.judgements, name, bank)
        scores: list[tuple[bool, float, float]] = []
        for tree in zip(bank.sentences, bank.skeletons, self.outputs, strict=True):
            if len(scores) % _OFTEN == 0:
                advance(len(scores), len(bank.sentences))
            scores.append(self._scores(GoldSentence(*tree[:2], settings), tree[2]))
        exact, bleu, dea = np.array(scores, np.float64).reshape(-1, 3).T.copy()
        self.exact: Flags = exact > 0
        self.bleu: Values = bleu
        self.columns = {"bleu": bleu, "dea": dea, **judged}
        self.relations = {name: EdgeAccuracy(self._kept[name], edges) for name, edges in self._edges.items()}

    def _scores(self, gold: GoldSentence, output: SystemOutput | None) -> tuple[bool, float, float]:
        """Return whether an output is exact, its BLEU and its accuracy of edges."""
        words = self._words(gold, output)
        self.empty += output is not None and not words
        if words and len(self.sampled) < SAMPLED:
            self.sampled.append((gold.words, words))
        found = gold.edges_kept(words)
        for relation, kept in zip(gold.relations, found, strict=True):
            if kept is not None:
                self._kept[relation] += kept
                self._edges[relation] += 1
        share = EdgeAccuracy.of(found).share
        return words == gold.words, bleu_of(gold.words, words), np.nan if share is None else share

    def _words(self, gold: GoldSentence, output: SystemOutput | None) -> list[str]:
        """Return the words of an output as they are compared."""
        text, cut = (output or SystemOutput(None, ()))[:2]
        whole = text or " ".join(cut or ())
        if (bare := joined(whole)) != whole and joined(plain := " ".join(gold.words)) == plain:
            self.pieces += 1
            text, cut = bare, None
        words = list(map(self._word, self._cut(text or "", gold.sentence) if cut is None else cut))
        if words != gold.words and text and cut is None and gold.text is not None:
            self.glued += self._same(text.strip()) == gold.text
        return words

    def data(self, failed: int) -> Json:
        """Return the part of ``--json`` about the system, which has failed this many sentences."""
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


def _outputs(path: Path, column: str, bank: TreebankMeasures) -> list[SystemOutput | None]:
    """Return the output for each sentence.

    Raises ``PredictionsError`` for outputs of other sentences, or if most texts without an id begin with one.
    """
    given = read_predictions(path, column)
    named = 0
    for name, output in zip(bank.names, given.in_order, strict=False):
        begin, behind = (output.text or "")[: len(name or "")], (output.text or "")[len(name or "") :]
        named += name is not None and begin.lower() == name.lower() and not behind[:1].isalnum()
    if named > len(given.in_order) // 2:
        message = f"{named:,} of the {len(given.in_order):,} predictions begin with the name of their sentence"
        hint = "write each name as the treebank does, a tab and the text, in a file `.tsv`"
        raise PredictionsError(f"{message}, so the file is read as one without names", hint=hint)
    outputs = enumerate(given.of(bank.names, bank.malformed))
    return [output for place, output in outputs if place not in bank.malformed]


def _judged(judgements: Path | None, system: str, bank: TreebankMeasures) -> dict[str, Values]:
    """Return a column for each scale of people's scores of the outputs of a system."""
    columns: dict[str, Values] = {}
    names = [sentence.sent_id or "" for sentence in bank.sentences]
    times = Counter(names)
    judged = read_judgements(judgements, (*Measures._fields, "bleu", "dea")) if judgements else {}
    for kind, of in judged.items():
        scores = of.get(system, {})
        if twice := [name for name in scores if times[name] > 1]:
            raise PredictionsError(f"the treebank has two sentences `{twice[0]}`")
        columns[kind] = np.array([scores.get(name, np.nan) for name in names], np.float64)
        if more := len(scores) - int((~np.isnan(columns[kind])).sum()):
            raise PredictionsError(f"{more:,} judgements ({kind}) are of sentences that are not in the treebank")
    return columns


def _kept(kept: EdgeAccuracy) -> Json:
    return {**kept._asdict(), "dea": kept.share}
