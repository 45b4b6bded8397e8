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
from pathlib import Path

import numpy as np

from sgl.research.analyse.metrics import Sides
from sgl.research.analyse.mining import Collector
from sgl.research.analyse.result import (
    MEASURES,
    Analysis,
    AnalysisSettings,
    Mined,
    SystemScores,
    TreebankMeasures,
)
from sgl.research.analyse.scoring import GoldSentence, Scorer
from sgl.research.analyse.statistics import (
    Correlation,
    GroupTest,
    corrected,
    correlations,
    projectivity_test,
    spearman,
)
from sgl.research.analyse.suspects import failed_sentences, find_suspects
from sgl.research.analyse.tree import Measures, Skeleton, measure, skeleton_of
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
    views = chosen.views if scorers else ()
    collectors = [Collector(view, *chosen.nodes) for view in views]
    measured = _Measured(path, chosen.by)
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
        gold = GoldSentence(block, skeleton, chosen) if scorers else None
        for scorer in scorers:
            if gold is not None:
                scorer.add(gold)
    systems = tuple([found for scorer in scorers if (found := scorer.finish()) is not None])
    treebank = measured.treebank()
    return Analysis(
        settings=chosen,
        treebank=treebank,
        systems=systems,
        failed_systems=tuple([scorer.fault for scorer in scorers if scorer.fault is not None]),
        correlations=_correlations(treebank, systems),
        projectivity=_projectivity(treebank, systems),
        freedom=_freedom(treebank, systems),
        failures={
            system.name: int(failed_sentences(system, chosen.failure).sum()) for system in systems
        },
        mined=_mined(treebank, systems, collectors, chosen),
    )


class _Measured:
    """The columns of a treebank, as they grow."""

    def __init__(self, path: Path, by: str | None) -> None:
        self._path, self._by = path, by
        self._columns = {name: array("d") for name in MEASURES}
        self._projective = array("b")
        self._left: Counter[str] = Counter()
        self._right: Counter[str] = Counter()
        self._places = array("q"), array("q"), array("q")
        self._group_names: dict[str, int] = {}
        self._groups = array("q")
        self._known: dict[tuple[int, ...], Measures] = {}
        self._malformed = 0
        self._listed: list[Malformed] = []

    def add(self, number: int, sentence: TreebankSentence, skeleton: Skeleton) -> None:
        found = self._measure(skeleton.heads)
        for name, column in self._columns.items():
            column.append(getattr(found, name))
        self._projective.append(found.projective)
        for at, (head, place) in enumerate(zip(*skeleton, strict=True), 1):
            if head:
                sides = self._left if at < head else self._right
                sides[sentence.words[place].deprel] += 1
        values = number, sentence.line, sentence.offset
        for places, value in zip(self._places, values, strict=True):
            places.append(value)
        if self._by is not None:
            group = sentence.comment(self._by) or ""
            self._groups.append(self._group_names.setdefault(group, len(self._group_names)))

    def _measure(self, heads: tuple[int, ...]) -> Measures:
        found = self._known.get(heads)
        if found is None:
            if len(self._known) > _REMEMBERED:
                self._known.clear()
            found = self._known[heads] = measure(heads)
        return found

    def skip(self, block: Malformed) -> None:
        self._malformed += 1
        if len(self._listed) < _LISTED:
            self._listed.append(block)

    def treebank(self) -> TreebankMeasures:
        blocks, lines, offsets = (np.array(values, np.int64) for values in self._places)
        return TreebankMeasures(
            path=str(self._path),
            columns={name: np.array(column, np.float64) for name, column in self._columns.items()},
            projective=np.array(self._projective, np.bool_),
            relations={
                label: Sides(self._left[label], self._right[label])
                for label in sorted({*self._left, *self._right})
            },
            blocks=blocks,
            lines=lines,
            offsets=offsets,
            group_names=tuple(self._group_names),
            groups=np.array(self._groups, np.int64),
            malformed=self._malformed,
            listed=tuple(self._listed),
        )


def _correlations(
    treebank: TreebankMeasures, systems: Sequence[SystemScores]
) -> dict[str, tuple[Correlation, ...]]:
    if not systems:
        return {"": correlations(treebank.columns)}
    return {system.name: correlations({**treebank.columns, **system.scores}) for system in systems}


def _projectivity(
    treebank: TreebankMeasures, systems: Sequence[SystemScores]
) -> dict[str, tuple[GroupTest, ...]]:
    """Return the tests of all scores of all systems, which are one family."""
    tests = corrected(
        [
            projectivity_test(score, values, treebank.projective)
            for system in systems
            for score, values in system.scores.items()
        ]
    )
    each = len(tests) // len(systems) if systems else 0
    return {system.name: tests[at * each : (at + 1) * each] for at, system in enumerate(systems)}


def _freedom(treebank: TreebankMeasures, systems: Sequence[SystemScores]) -> dict[str, Correlation]:
    """Tell whether edges of relations with a freer order are kept less, over relations."""
    labels = [label for label, sides in treebank.relations.items() if sides.edges >= _FEWEST_EDGES]
    entropy = np.array([treebank.relations[label].entropy for label in labels], np.float64)
    tests = [
        spearman(
            "entropy",
            "dea",
            entropy,
            np.array([system.relations[label].share for label in labels], np.float64),
        )
        for system in systems
    ]
    return {system.name: test for system, test in zip(systems, corrected(tests), strict=True)}


def _mined(
    treebank: TreebankMeasures,
    systems: Sequence[SystemScores],
    collectors: Sequence[Collector],
    settings: AnalysisSettings,
) -> tuple[Mined, ...]:
    if not systems:
        return ()
    failed: Mapping[str, np.ndarray[tuple[int], np.dtype[np.bool_]]] = {
        system.name: failed_sentences(system, settings.failure) for system in systems
    }
    return tuple(
        find_suspects(treebank, systems, failed, collector, settings) for collector in collectors
    )
