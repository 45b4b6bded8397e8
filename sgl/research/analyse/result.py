"""What an analysis finds, and the JSON object that is made of it (``docs/analyse.md``).

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
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgl.research.analyse.metrics import EdgeAccuracy, Sides, mean_entropy
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


def analysis_data(found: Analysis) -> dict[str, Any]:
    """Everything that was found, as plain values in a fixed order."""
    settings = asdict(found.settings)
    return {
        "settings": {**settings, "views": list(settings["views"])},
        "treebank": _treebank(found.treebank),
        "groups": _groups(found),
        "systems": [_system(system, found) for system in found.systems],
        "unusable": [
            {"path": system.path, "message": system.message, "details": list(system.details)}
            for system in found.failed_systems
        ],
        "correlations": {
            name: [asdict(test) for test in tests] for name, tests in found.correlations.items()
        },
        "projectivity": {
            name: [asdict(test) for test in tests] for name, tests in found.projectivity.items()
        },
        "freedom": {name: asdict(test) for name, test in found.freedom.items()},
        "mined": [
            {
                "view": mined.view,
                "structures": mined.subtrees,
                "too_broad": mined.too_broad,
                "suspects": [_suspect(suspect) for suspect in mined.suspects],
            }
            for mined in found.mined
        ],
    }


def _treebank(bank: TreebankMeasures) -> dict[str, Any]:
    return {
        "path": bank.path,
        "sentences": bank.sentences,
        "words": bank.words,
        "measures": {name: _summary(values) for name, values in bank.columns.items()},
        "projective": int(bank.projective.sum()),
        "mean_entropy": mean_entropy(bank.relations),
        "relations": {
            label: {**sides._asdict(), "entropy": sides.entropy}
            for label, sides in bank.relations.items()
        },
        "malformed": bank.malformed,
        "malformed_sentences": [
            {"line": block.line, "reason": block.reason} for block in bank.listed
        ],
    }


def _groups(found: Analysis) -> list[dict[str, Any]]:
    bank = found.treebank
    rows = []
    for number, name in enumerate(bank.group_names):
        inside = bank.groups == number
        rows.append(
            {
                "group": name,
                "sentences": int(inside.sum()),
                "projective": int(bank.projective[inside].sum()),
                "measures": {key: _mean(column[inside]) for key, column in bank.columns.items()},
                "systems": {
                    system.name: {
                        "bleu": _mean(system.bleu[inside]),
                        "dea": _mean(system.dea[inside]),
                        "exact": int(system.exact[inside].sum()),
                    }
                    for system in found.systems
                },
            }
        )
    return rows


def _system(system: SystemScores, found: Analysis) -> dict[str, Any]:
    return {
        "name": system.name,
        "path": system.path,
        "bleu": _summary(system.bleu),
        "dea": _summary(system.dea),
        "edges": _kept(system.edges),
        "exact": int(system.exact.sum()),
        "empty": system.empty,
        "missing": system.missing,
        "glued": system.glued,
        "failed": found.failures[system.name],
        "relations": {label: _kept(kept) for label, kept in sorted(system.relations.items())},
    }


def _kept(kept: EdgeAccuracy) -> dict[str, Any]:
    return {"kept": kept.kept, "edges": kept.edges, "dea": kept.share}


def _mean(values: Values) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


def _summary(values: Values) -> dict[str, Any] | None:
    """Return a column in a few numbers; nothing if it is not defined anywhere."""
    known = values[~np.isnan(values)]
    if not len(known):
        return None
    low, median, high = np.quantile(known, (0.25, 0.5, 0.75))
    return {
        "sentences": len(known),
        "mean": float(known.mean()),
        "deviation": float(known.std()),
        "min": float(known.min()),
        "quartiles": [float(low), float(median), float(high)],
        "max": float(known.max()),
    }


def _suspect(suspect: Suspect) -> dict[str, Any]:
    return {
        "structure": suspect.structure.text,
        "words": suspect.structure.words,
        "sentences": suspect.support,
        "score": suspect.score,
        "coverage": len(suspect.blame),
        "systems": [asdict(blame) for blame in suspect.blame],
        "example": None if suspect.example is None else _example(suspect.example),
    }


def _example(example: Example) -> dict[str, Any]:
    sides = "governor", "label", "dependent"
    return asdict(example) | {
        "words": [{"form": form, "upos": upos} for form, upos in example.words],
        "arcs": [dict(zip(sides, arc, strict=True)) for arc in example.arcs],
        "marked": list(example.marked),
    }
