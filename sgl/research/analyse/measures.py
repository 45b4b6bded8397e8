"""What is asked of an analysis, and the measures of all sentences of a treebank."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgl.research.analyse.metrics import Measures, Sides, Skeleton, mean_entropy, measure
from sgl.research.analyse.statistics import Values
from sgl.research.treebank import Malformed, TreebankSentence

Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]
Json = dict[str, Any]

#: How failed sentences are found: the lowest quarter, or all that are not exact.
QUARTILE, INEXACT = "quartile", "inexact"

#: Malformed sentences that are listed, and shapes of trees that are remembered.
_LISTED = 100
_REMEMBERED = 1 << 16

#: The measures that are numbers.
_NUMBERS = tuple(name for name in Measures._fields if name != "projective")


@dataclass(frozen=True, slots=True)
class AnalysisSettings:
    """What was asked for.

    ``column`` has the words that are compared (form, lemma).  ``failure`` is ``quartile``,
    ``inexact``, or a value of BLEU below which a sentence has failed.
    """

    column: str = "form"
    keep_case: bool = False
    keep_punctuation: bool = False
    tokenizer: str = "marks"
    by: str | None = None
    views: tuple[str, ...] = ("dep", "pos", "pos-dep")
    nodes: tuple[int, int] = (2, 3)
    support: int = 5
    rounds: int = 3
    failure: str | float = QUARTILE


class TreebankMeasures:
    """The measures of all sentences: columns that grow while the treebank is read.

    ``listed`` are the first of the ``malformed`` blocks.
    """

    def __init__(self, path: Path, by: str | None) -> None:
        self.path = path
        self.malformed = 0
        self.listed: list[Malformed] = []
        self._by = by
        self._measure = lru_cache(_REMEMBERED)(measure)
        self._rows = array("d")
        self._places = array("q")
        self._left: Counter[str] = Counter()
        self._right: Counter[str] = Counter()
        self._groups: dict[str, list[int]] = {}
        self._sentences = 0

    def add(self, number: int, sentence: TreebankSentence, skeleton: Skeleton) -> None:
        """Measure a sentence, which is the block of this number."""
        self._rows.extend(self._measure(skeleton.heads))
        for at, (head, place) in enumerate(zip(*skeleton, strict=True), 1):
            if head:
                sides = self._left if at < head else self._right
                sides[sentence.words[place].deprel] += 1
        self._places.extend((number, sentence.line, sentence.offset))
        if self._by is not None:
            self._groups.setdefault(sentence.comment(self._by) or "", []).append(self._sentences)
        self._sentences += 1

    def skip(self, block: Malformed) -> None:
        """Count a block that is no sentence."""
        self.malformed += 1
        if len(self.listed) < _LISTED:
            self.listed.append(block)

    @cached_property
    def columns(self) -> dict[str, Values]:
        """The measures of all sentences, by name."""
        rows = np.array(self._rows, np.float64).reshape(-1, len(Measures._fields))
        return {name: rows[:, at].copy() for at, name in enumerate(_NUMBERS)}

    @cached_property
    def projective(self) -> Flags:
        """Which sentences have a projective tree."""
        rows = np.array(self._rows, np.float64).reshape(-1, len(Measures._fields))
        return rows[:, -1] > 0

    @cached_property
    def places(self) -> Ints:
        """For each sentence its number among all blocks, its line and the byte where it begins."""
        return np.array(self._places, np.int64).reshape(-1, 3)

    @cached_property
    def relations(self) -> dict[str, Sides]:
        """How many edges of each relation go to which side."""
        labels = sorted({*self._left, *self._right})
        return {label: Sides(self._left[label], self._right[label]) for label in labels}

    @cached_property
    def groups(self) -> dict[str, Ints]:
        """The numbers of the sentences with each value of the comment ``by``."""
        return {name: np.array(inside, np.int64) for name, inside in self._groups.items()}

    def data(self) -> Json:
        """Return what ``--json`` says of the treebank."""
        return {
            "path": str(self.path),
            "sentences": self._sentences,
            "words": int(self.columns["length"].sum()),
            "measures": {name: summary(values) for name, values in self.columns.items()},
            "projective": int(self.projective.sum()),
            "mean_entropy": mean_entropy(self.relations),
            "relations": {
                label: {**sides._asdict(), "entropy": sides.entropy}
                for label, sides in self.relations.items()
            },
            "malformed": self.malformed,
            "malformed_sentences": [
                {"line": block.line, "reason": block.reason} for block in self.listed
            ],
        }


def mean(values: Values) -> float | None:
    """Return the mean of the values that are defined; None without any."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


def summary(values: Values) -> Json | None:
    """Return a column in a few numbers; None if it is not defined anywhere."""
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
