"""What an analysis finds, as plain values.

::

    Analysis
      settings          what was asked for
      treebank          a column of each measure, relations, groups
      systems           a column of BLEU, DEA and exactness each
      correlations      of measures, by system ("" is the treebank alone)
      projectivity      the test of each score, by system
      freedom           is the order of freer relations kept less? by system
      mined             suspicious structures, by view
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sgl.research.analyse.metrics import EdgeAccuracy, Sides
from sgl.research.analyse.mining import Ints
from sgl.research.analyse.statistics import Correlation, GroupTest, Values
from sgl.research.analyse.subtrees import Subtree
from sgl.research.analyse.words import ForeignScript
from sgl.research.treebank import Malformed

Flags = NDArray[np.bool_]

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

    ``blocks`` has the number of each sentence among the blocks of the file, those that could
    not be read included; ``lines`` and ``offsets`` say where it begins.
    """

    path: str
    columns: Mapping[str, Values]
    projective: Flags
    relations: Mapping[str, Sides]
    blocks: Ints
    lines: Ints
    offsets: Ints
    group_names: tuple[str, ...] = ()
    groups: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    malformed: int = 0
    listed: tuple[Malformed, ...] = ()

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
    foreign: ForeignScript | None = None

    @property
    def scores(self) -> dict[str, Values]:
        """The columns of its scores."""
        return {"bleu": self.bleu, "dea": self.dea}

    @property
    def edges(self) -> EdgeAccuracy:
        """How many edges of all trees are kept."""
        return EdgeAccuracy(
            sum(kept.kept for kept in self.relations.values()),
            sum(kept.edges for kept in self.relations.values()),
        )


@dataclass(frozen=True, slots=True)
class FailedSystem:
    """A system whose predictions cannot be used."""

    path: str
    message: str
    details: tuple[str, ...]
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """A failed sentence with a structure: its tree, the words of the structure, the output."""

    sent_id: str
    line: int
    system: str
    bleu: float
    words: tuple[tuple[str, str], ...]
    arcs: tuple[tuple[int, str, int], ...]
    root: int
    marked: tuple[int, ...]
    output: str


@dataclass(frozen=True, slots=True)
class Blame:
    """What one system has to do with a structure."""

    system: str
    suspicion: float
    score: float
    failed: int


@dataclass(frozen=True, slots=True)
class Suspect:
    """A suspicious structure.

    ``support`` is the number of sentences that have it; ``blame`` has the systems for which it
    is suspicious, and ``score`` is the mean over these.
    """

    structure: Subtree
    support: int
    score: float
    blame: tuple[Blame, ...]
    example: Example | None = None


@dataclass(frozen=True, slots=True)
class Mined:
    """The suspicious structures of a view, the worst first.

    ``structures`` is how many were looked at, ``too_broad`` the number of sentences whose trees
    have too many to be listed.
    """

    view: str
    subtrees: int
    too_broad: int
    suspects: tuple[Suspect, ...]


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything that was found."""

    settings: AnalysisSettings
    treebank: TreebankMeasures
    systems: tuple[SystemScores, ...]
    failed_systems: tuple[FailedSystem, ...]
    correlations: Mapping[str, tuple[Correlation, ...]]
    projectivity: Mapping[str, tuple[GroupTest, ...]]
    freedom: Mapping[str, Correlation]
    failures: Mapping[str, int]
    mined: tuple[Mined, ...]
