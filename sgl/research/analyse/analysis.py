"""Go through a treebank once, with the outputs of all systems beside it.

::

    sentence ── measures of its tree ──────────────> a row of numbers
        │ └──── relations, left or right of heads ─> counts
        │ └──── structures, by view ───────────────> tables that know a tree when it comes again
        └────── output of each system ── scores ───> a row of numbers

Nothing else of a sentence is kept but its place in the file: some hundred bytes, and the
structures of its tree if that is new.  Then the statistics are computed on columns,
structures are mined in tables, and the few sentences that are shown as examples are read
again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from sgl.research.analyse.measures import AnalysisSettings, Json, TreebankMeasures, mean
from sgl.research.analyse.metrics import skeleton_of
from sgl.research.analyse.mining import Collector
from sgl.research.analyse.predictions import PredictionsError
from sgl.research.analyse.scoring import GoldSentence, SystemScores
from sgl.research.analyse.statistics import (
    Values,
    corrected,
    correlations,
    projectivity_test,
    spearman,
)
from sgl.research.analyse.suspects import failed_sentences, find_suspects
from sgl.research.treebank import Malformed, TreebankReader

#: Relations with fewer edges say little about their freedom.
_FEWEST_EDGES = 10

#: Told so many sentences after the last time; the bytes read, and all.
_EVERY = 500
Advance = Callable[[int, int], None]


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


def analyse(
    path: Path,
    predictions: Sequence[tuple[str, Path]] = (),
    settings: AnalysisSettings | None = None,
    advance: Advance = lambda _done, _all: None,
) -> Analysis:
    """Analyse a treebank and the predictions of systems (name and file) for its sentences.

    Raises:
        OSError: a file cannot be opened or read.
    """
    chosen = settings or AnalysisSettings()
    given = [SystemScores(name, file, chosen) for name, file in predictions]
    _each(given, SystemScores.open)
    collectors = [Collector(view, *chosen.nodes) for view in chosen.views] if given else []
    treebank = TreebankMeasures(path, chosen.by)
    size = path.stat().st_size
    for number, block in enumerate(TreebankReader().read(path)):
        if number % _EVERY == 0:
            advance(block.end, size)
        if isinstance(block, Malformed):
            treebank.skip(block)
            _each(given, SystemScores.skip, block)
            continue
        skeleton = skeleton_of(block, punctuation=chosen.keep_punctuation)
        treebank.add(number, block, skeleton)
        for collector in collectors:
            collector.add(block.words, skeleton)
        if given:
            _each(given, SystemScores.add, GoldSentence(block, skeleton, chosen))
    _each(given, SystemScores.finish)
    systems = tuple([system for system in given if system.fault is None])
    unusable = tuple([(s.path, s.fault) for s in given if s.fault is not None])
    failed = {system.name: failed_sentences(system, chosen.failure) for system in systems}
    data = {
        "settings": asdict(chosen),
        "treebank": treebank.data(),
        "groups": _groups(treebank, systems),
        "systems": [system.data(int(failed[system.name].sum())) for system in systems],
        "unusable": [
            {"path": str(file), "message": fault.message, "details": list(fault.details)}
            for file, fault in unusable
        ],
        **_tests(treebank, systems),
        "mined": [
            find_suspects(treebank, systems, failed, collector, chosen)
            for collector in (collectors if systems else ())
        ],
    }
    return Analysis(treebank, systems, unusable, data)


def _each(systems: Sequence[SystemScores], step: Callable[..., None], *given: object) -> None:
    """Do a step of each system whose predictions have no fault yet."""
    for system in systems:
        if system.fault is None:
            try:
                step(system, *given)
            except PredictionsError as problem:
                system.fault = problem


def _groups(bank: TreebankMeasures, systems: Sequence[SystemScores]) -> list[Json]:
    """Return the means of each group of sentences."""
    return [
        {
            "group": name,
            "sentences": len(inside),
            "projective": int(bank.projective[inside].sum()),
            "measures": {key: mean(column[inside]) for key, column in bank.columns.items()},
            "systems": {
                system.name: {
                    **{key: mean(column[inside]) for key, column in system.columns.items()},
                    "exact": int(system.exact[inside].sum()),
                }
                for system in systems
            },
        }
        for name, inside in bank.groups.items()
    ]


def _tests(treebank: TreebankMeasures, systems: Sequence[SystemScores]) -> Json:
    """Return the tests by system; each is corrected for those of its family.

    Correlations are a family for each system, or without systems the treebank alone.  The
    projectivity tests of all scores of all systems are one.  So are the tests of freedom,
    which tell over relations whether edges with a freer order are kept less.
    """
    columns: dict[str, Mapping[str, Values]]
    columns = {system.name: {**treebank.columns, **system.columns} for system in systems}
    projectivity = iter(
        corrected(
            [
                projectivity_test(score, values, treebank.projective)
                for system in systems
                for score, values in system.columns.items()
            ]
        )
    )
    labels = [label for label, sides in treebank.relations.items() if sides.edges >= _FEWEST_EDGES]
    entropy = np.array([treebank.relations[label].entropy for label in labels], np.float64)
    freedom = corrected(
        [
            spearman(
                "entropy",
                "dea",
                entropy,
                np.array([system.relations[label].share for label in labels], np.float64),
            )
            for system in systems
        ]
    )
    return {
        "correlations": {
            name: [asdict(test) for test in correlations(found)]
            for name, found in (columns or {"": treebank.columns}).items()
        },
        "projectivity": {
            system.name: [asdict(next(projectivity)) for _ in system.columns] for system in systems
        },
        "freedom": {s.name: asdict(test) for s, test in zip(systems, freedom, strict=True)},
    }
