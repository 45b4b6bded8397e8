"""What is asked of an analysis, and the columns that are computed for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgl.research.analyse.metrics import EdgeAccuracy, Sides
from sgl.research.analyse.mining import Ints
from sgl.research.analyse.predictions import PredictionsError
from sgl.research.analyse.statistics import Values
from sgl.research.analyse.words import ForeignScript
from sgl.research.treebank import Malformed

Flags = NDArray[np.bool_]
Json = dict[str, Any]

#: Measures of trees, and how tables call them.
MEASURES: dict[str, str] = {
    "length": "length",
    "depth": "depth",
    "distance": "dependency distance",
    "flux_size": "flux size",
    "flux_weight": "flux weight",
    "arity": "arity",
}

#: Scores of outputs.
SCORES: dict[str, str] = {"bleu": "BLEU", "dea": "DEA"}

#: How failed sentences are found: the lowest quarter, or all that are not exact.
QUARTILE, INEXACT = "quartile", "inexact"


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


@dataclass(frozen=True, slots=True)
class TreebankMeasures:
    """The measures of all sentences.

    ``places`` has for each sentence its number among the blocks of the file, those that could
    not be read included, and the line and the byte where it begins.  ``listed`` are the first
    of the ``malformed`` blocks.
    """

    path: str
    columns: Mapping[str, Values]
    projective: Flags
    relations: Mapping[str, Sides]
    places: Ints
    group_names: tuple[str, ...]
    groups: Ints
    malformed: int
    listed: tuple[Malformed, ...]

    @property
    def sentences(self) -> int:
        """How many sentences were read."""
        return len(self.projective)

    @property
    def words(self) -> int:
        """How many words they have."""
        return int(self.columns["length"].sum())


@dataclass(frozen=True, slots=True)
class SystemScores:
    """The scores of a system; ``dea`` is ``nan`` where the tree has no edge.

    ``empty`` outputs are there and have no word; ``missing`` ones are not there.  ``glued`` are
    exactly the text of the sentence, and not its words.  ``foreign`` says of outputs in
    another script which one that is.
    """

    name: str
    path: str
    bleu: Values
    dea: Values
    exact: Flags
    relations: Mapping[str, EdgeAccuracy]
    empty: int
    missing: int
    glued: int
    foreign: ForeignScript | None

    @property
    def columns(self) -> dict[str, Values]:
        """The scores by name."""
        return {"bleu": self.bleu, "dea": self.dea}


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything that was found.

    ``unusable`` has the paths of predictions that could not be scored, with what is wrong.
    ``data`` is the object of ``--json`` (``docs/analyse.md``), from which all tables are made.
    """

    treebank: TreebankMeasures
    systems: tuple[SystemScores, ...]
    unusable: tuple[tuple[Path, PredictionsError], ...]
    data: Json
