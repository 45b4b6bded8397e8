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

from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from sgl.research.analyse.metrics import (
    EdgeAccuracy,
    Measures,
    Sides,
    Skeleton,
    mean_entropy,
    measure,
    skeleton_of,
)
from sgl.research.analyse.mining import Collector
from sgl.research.analyse.predictions import PredictionsError
from sgl.research.analyse.result import (
    MEASURES,
    Analysis,
    AnalysisSettings,
    Flags,
    Json,
    SystemScores,
    TreebankMeasures,
)
from sgl.research.analyse.scoring import GoldSentence, Scorer
from sgl.research.analyse.statistics import (
    Values,
    corrected,
    correlations,
    projectivity_test,
    spearman,
)
from sgl.research.analyse.suspects import failed_sentences, find_suspects
from sgl.research.treebank import Malformed, TreebankReader, TreebankSentence

#: Malformed sentences that are listed, and shapes of trees that are remembered.
_LISTED = 100
_REMEMBERED = 1 << 16

#: Relations with fewer edges say little about their freedom.
_FEWEST_EDGES = 10

#: Told so many sentences after the last time; the bytes read, and all.
_EVERY = 500
Advance = Callable[[int, int], None]


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
    scorers = [Scorer(name, file, chosen) for name, file in predictions]
    collectors = [Collector(view, *chosen.nodes) for view in chosen.views] if scorers else []
    measured = _TreebankColumns(path, chosen.by)
    size = path.stat().st_size
    for number, block in enumerate(TreebankReader().read(path)):
        if number % _EVERY == 0:
            advance(block.end, size)
        if isinstance(block, Malformed):
            measured.skip(block)
            for scorer in scorers:
                scorer.skip(block)
            continue
        skeleton = skeleton_of(block, punctuation=chosen.keep_punctuation)
        measured.add(number, block, skeleton)
        for collector in collectors:
            collector.add(block.words, skeleton)
        if scorers:
            gold = GoldSentence(block, skeleton, chosen)
            for scorer in scorers:
                scorer.add(gold)
    systems = tuple([found for scorer in scorers if (found := scorer.finish()) is not None])
    treebank = measured.treebank()
    unusable = tuple([(s.path, s.fault) for s in scorers if s.fault is not None])
    return Analysis(
        treebank, systems, unusable, _data(chosen, treebank, systems, unusable, collectors)
    )


def _data(
    settings: AnalysisSettings,
    treebank: TreebankMeasures,
    systems: Sequence[SystemScores],
    unusable: Sequence[tuple[Path, PredictionsError]],
    collectors: Sequence[Collector],
) -> Json:
    """Return everything that was found as plain values in a fixed order."""
    failed = {system.name: failed_sentences(system, settings.failure) for system in systems}
    return {
        "settings": asdict(settings),
        "treebank": _treebank_data(treebank),
        "groups": _groups(treebank, systems),
        "systems": [_system(system, failed[system.name]) for system in systems],
        "unusable": [
            {"path": str(path), "message": fault.message, "details": list(fault.details)}
            for path, fault in unusable
        ],
        **_tests(treebank, systems),
        "mined": [
            find_suspects(treebank, systems, failed, collector, settings)
            for collector in (collectors if systems else ())
        ],
    }


class _TreebankColumns:
    """The columns of a treebank, as they grow."""

    def __init__(self, path: Path, by: str | None) -> None:
        self._path, self._by = path, by
        self._columns = {name: array("d") for name in MEASURES}
        self._projective = array("b")
        self._left: Counter[str] = Counter()
        self._right: Counter[str] = Counter()
        self._places = array("q")
        self._group_names: dict[str, int] = {}
        self._groups = array("q")
        self._known: dict[tuple[int, ...], Measures] = {}
        self._malformed = 0
        self._listed: list[Malformed] = []

    def add(self, number: int, sentence: TreebankSentence, skeleton: Skeleton) -> None:
        found = self._known.get(skeleton.heads)
        if found is None:
            if len(self._known) > _REMEMBERED:
                self._known.clear()
            found = self._known[skeleton.heads] = measure(skeleton.heads)
        for name, column in self._columns.items():
            column.append(getattr(found, name))
        self._projective.append(found.projective)
        for at, (head, place) in enumerate(zip(*skeleton, strict=True), 1):
            if head:
                sides = self._left if at < head else self._right
                sides[sentence.words[place].deprel] += 1
        self._places.extend((number, sentence.line, sentence.offset))
        if self._by is not None:
            group = sentence.comment(self._by) or ""
            self._groups.append(self._group_names.setdefault(group, len(self._group_names)))

    def skip(self, block: Malformed) -> None:
        self._malformed += 1
        if len(self._listed) < _LISTED:
            self._listed.append(block)

    def treebank(self) -> TreebankMeasures:
        return TreebankMeasures(
            path=str(self._path),
            columns={name: np.array(column, np.float64) for name, column in self._columns.items()},
            projective=np.array(self._projective, np.bool_),
            relations={
                label: Sides(self._left[label], self._right[label])
                for label in sorted({*self._left, *self._right})
            },
            places=np.array(self._places, np.int64).reshape(-1, 3),
            group_names=tuple(self._group_names),
            groups=np.array(self._groups, np.int64),
            malformed=self._malformed,
            listed=tuple(self._listed),
        )


def _treebank_data(bank: TreebankMeasures) -> Json:
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


def _groups(bank: TreebankMeasures, systems: Sequence[SystemScores]) -> list[Json]:
    """Return the means of each group of sentences."""
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
                        **{key: _mean(column[inside]) for key, column in system.columns.items()},
                        "exact": int(system.exact[inside].sum()),
                    }
                    for system in systems
                },
            }
        )
    return rows


def _system(system: SystemScores, failed: Flags) -> Json:
    kept, edges = (sum(counts) for counts in zip((0, 0), *system.relations.values(), strict=True))
    return {
        "name": system.name,
        "path": system.path,
        **{name: _summary(column) for name, column in system.columns.items()},
        "edges": _kept(EdgeAccuracy(kept, edges)),
        "exact": int(system.exact.sum()),
        "empty": system.empty,
        "missing": system.missing,
        "glued": system.glued,
        "failed": int(failed.sum()),
        "relations": {label: _kept(kept) for label, kept in sorted(system.relations.items())},
    }


def _kept(kept: EdgeAccuracy) -> Json:
    return {**kept._asdict(), "dea": kept.share}


def _mean(values: Values) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


def _summary(values: Values) -> Json | None:
    """Return a column in a few numbers; nothing if it is not defined anywhere."""
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
