"""Score the runs of several systems, item by item.

Every metric that judges items gives 0 or 1 for each item of each run, and dependency edge
accuracy a share; all tables and tests are made from these numbers.  A prediction that several
runs share is judged once, and one that equals the gold text is not looked at any further: it
is right by every metric.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.research.evaluate.benchmark import FORMS, Benchmark, Row
from sgl.research.evaluate.edges import TreebankEdges
from sgl.research.evaluate.equivalence import equivalent
from sgl.research.evaluate.exact import exact
from sgl.research.evaluate.partial import Decided, PartialMatch, Read
from sgl.research.evaluate.predictions import Predictions
from sgl.research.evaluate.reformatted import reformatted_exact_match
from sgl.research.evaluate.said import Said
from sgl.research.evaluate.slips import Lemmas, Slip, slip

EXACT, RAW, PARTIAL = "exact", "exact_raw", "partial"
EQUIVALENT, REFORMATTED = "equivalent", "reformatted"
EDGES = "edges"

#: Metrics that call a prediction right or wrong; the others give a share.
VERDICTS = (EXACT, RAW, PARTIAL, EQUIVALENT, REFORMATTED)

#: Texts that are read together.
_BATCH = 4_096

#: Gold items of each pattern that are judged as if they were predictions.
_CHECKED = 100

#: A prediction: the place of its row, its text, and its words if it came as words.
_Prediction = tuple[int, str, tuple[str, ...] | None]

#: Says how far a step is: what, done, of how many.
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class System:
    """A system with its runs."""

    name: str
    runs: tuple[Predictions, ...]


@dataclass
class Scored:
    """What was found: for each metric and system an array of runs and items.

    An item that a metric says nothing about is ``nan``.  ``decided`` counts what decided
    about partial matches, ``slips`` are the kinds of mistakes of each run, ``gold`` the gold
    items of each pattern that were judged like predictions, and how many were right.
    ``edgeless`` counts items whose gold text has no reading, so that its edges are not known.
    """

    scores: dict[str, dict[str, NDArray[np.float64]]] = field(default_factory=dict)
    decided: dict[str, Counter[Decided]] = field(default_factory=dict)
    slips: dict[str, list[list[Slip | None]]] = field(default_factory=dict)
    gold: dict[str, tuple[int, int]] = field(default_factory=dict)
    edgeless: int = 0


class Scorer:
    """Scores the predictions for a benchmark."""

    def __init__(
        self,
        benchmark: Benchmark,
        partial: PartialMatch | None = None,
        lemmas: Lemmas | None = None,
        progress: Progress = lambda *_: None,
    ) -> None:
        self._benchmark = benchmark
        self._partial = partial
        self._lemmas = lemmas or {}
        self._progress = progress

    def score(self, systems: Sequence[System]) -> Scored:
        """Every metric that makes sense for the target, for every run."""
        scored = Scored()
        judges: dict[str, Callable[[str, str], bool]] = {EXACT: exact, RAW: str.__eq__}
        if self._benchmark.view in FORMS:
            judges |= _form_judges(self._benchmark.view)
        for metric, judge in judges.items():
            known: dict[tuple[str, str], bool] = {}
            scored.scores[metric] = {
                system.name: self._judged(system, judge, known) for system in systems
            }
        if self._partial is not None:
            self._match(scored, systems, self._partial)
        elif self._benchmark.sentences:
            edges = TreebankEdges(self._benchmark.sentences)
            scored.scores[EDGES] = {system.name: self._edges(system, edges) for system in systems}
        return scored

    def _edges(self, system: System, edges: TreebankEdges) -> NDArray[np.float64]:
        """The share of the edges of each sentence of a treebank; ``nan`` if it has none."""
        found = np.full((len(system.runs), len(self._benchmark.rows)), np.nan)
        for run, predictions in enumerate(system.runs):
            for place, text in enumerate(predictions.texts):
                share = edges.kept(place, text, predictions.words_of(place))
                found[run, place] = np.nan if share is None else share
        return found

    def _judged(
        self,
        system: System,
        judge: Callable[[str, str], bool],
        known: dict[tuple[str, str], bool],
    ) -> NDArray[np.float64]:
        found = np.zeros((len(system.runs), len(self._benchmark.rows)))
        for run, predictions in enumerate(system.runs):
            for place, (row, text) in enumerate(self._pairs(predictions)):
                key = row.target, text
                if key not in known:
                    known[key] = judge(*key)
                found[run, place] = known[key]
        return found

    def _pairs(self, predictions: Predictions) -> Iterator[tuple[Row, str]]:
        return zip(self._benchmark.rows, predictions.texts, strict=True)

    def _match(self, scored: Scored, systems: Sequence[System], partial: PartialMatch) -> None:
        """Partial matches and kinds of mistakes; readings are shared by both."""
        wrong = self._wrong(scored, systems)
        verdicts = self._verdicts(wrong, partial)
        self._check_gold(scored, partial)
        about_patterns = any(row.category in self._benchmark.kinds for row in self._benchmark.rows)
        if about_patterns:
            scored.scores[PARTIAL] = {}
        scored.scores[EDGES] = {}
        for system in systems:
            right = scored.scores[EXACT][system.name]
            found = np.full_like(right, np.nan)
            kept = np.ones_like(right)
            decided: Counter[Decided] = Counter()
            slips: list[list[Slip | None]] = []
            for run, predictions in enumerate(system.runs):
                kinds: list[Slip | None] = []
                for place, (row, text) in enumerate(self._pairs(predictions)):
                    key = place, text, predictions.words_of(place)
                    verdict = _RIGHT if right[run, place] else verdicts[key]
                    matched, why, kind = verdict.matched, verdict.why, verdict.kind
                    kinds.append(kind)
                    kept[run, place] = verdict.kept
                    if row.category in self._benchmark.kinds:
                        found[run, place] = matched
                        decided[why] += 1
                slips.append(kinds)
            if about_patterns:
                scored.scores[PARTIAL][system.name] = found
                scored.decided[system.name] = decided
            scored.slips[system.name] = slips
            scored.scores[EDGES][system.name] = kept
        # What cannot be said of one system's prediction is said of none.
        unknown = {key[0] for key, verdict in verdicts.items() if np.isnan(verdict.kept)}
        for kept in scored.scores[EDGES].values():
            kept[:, sorted(unknown)] = np.nan
        scored.edgeless = len(unknown)

    def _wrong(self, scored: Scored, systems: Sequence[System]) -> list[_Prediction]:
        """The different wrong predictions."""
        found: dict[_Prediction, None] = {}
        for system in systems:
            for run, predictions in enumerate(system.runs):
                right = scored.scores[EXACT][system.name][run]
                for place in np.flatnonzero(right == 0).tolist():
                    found[place, predictions.texts[place], predictions.words_of(place)] = None
        return list(found)

    def _verdicts(
        self, wrong: Sequence[_Prediction], partial: PartialMatch
    ) -> dict[_Prediction, _Verdict]:
        found: dict[_Prediction, _Verdict] = {}
        for start in range(0, len(wrong), _BATCH):
            self._progress("parsing predictions", start, len(wrong))
            batch = wrong[start : start + _BATCH]
            golds = self._golds([place for place, _, _ in batch], partial)
            reads = partial.read([text for _, text, _ in batch])
            for key, read in zip(batch, reads, strict=True):
                found[key] = self._verdict(*key, golds[key[0]], read)
        return found

    def _verdict(
        self,
        place: int,
        text: str,
        words: tuple[str, ...] | None,
        gold: Said | None,
        read: Read,
    ) -> _Verdict:
        """What is to be said of a wrong prediction."""
        assert self._partial is not None
        row = self._benchmark.rows[place]
        matched, why = False, Decided.NOTHING
        if row.category in self._benchmark.kinds:
            matched, why = self._partial.judge(row.category, gold, text, read)
        kept = math.nan
        if gold is not None:
            said = read.said[0] if read.said else None
            share = self._partial.edges.kept(gold, text, words, said)
            # An item without edges is right or wrong as a whole.
            kept = 0.0 if share is None else share
        return _Verdict(matched, why, _kind(gold, text, read.said, self._lemmas), kept)

    def _golds(self, places: Sequence[int], partial: PartialMatch) -> Mapping[int, Said | None]:
        different = list(dict.fromkeys(places))
        rows = [self._benchmark.rows[place] for place in different]
        said = partial.golds([row.source for row in rows], [row.target for row in rows])
        return dict(zip(different, said, strict=True))

    def _check_gold(self, scored: Scored, partial: PartialMatch) -> None:
        """Judge some gold texts of each pattern as if they were predictions."""
        chosen: dict[str, list[int]] = {}
        for place, row in enumerate(self._benchmark.rows):
            if row.category in self._benchmark.kinds:
                places = chosen.setdefault(row.category, [])
                if len(places) < _CHECKED:
                    places.append(place)
        for number, (pattern, places) in enumerate(chosen.items()):
            self._progress("checking gold texts", number, len(chosen))
            golds = self._golds(places, partial)
            texts = [self._benchmark.rows[place].target for place in places]
            right = [
                partial.judge(pattern, golds[place], text, read)[0]
                for place, text, read in zip(places, texts, partial.read(texts), strict=True)
            ]
            scored.gold[pattern] = len(right), sum(right)


class _Verdict(NamedTuple):
    """Is it a partial match, what decided, what is wrong, and what share of edges is there."""

    matched: bool
    why: Decided
    kind: Slip | None
    kept: float


#: The verdict on a prediction that is equal to the gold text.
_RIGHT = _Verdict(True, Decided.GOLD, None, 1.0)


def _kind(gold: Said | None, text: str, said: Sequence[Said], lemmas: Lemmas) -> Slip:
    """The kind of a mistake, after the likeliest reading of the prediction."""
    if not text.strip():
        return Slip.EMPTY
    if not said or gold is None:
        return Slip.UNPARSED
    return slip(_content(gold), _content(said[0]), lemmas)


def _content(said: Said) -> list[str]:
    return [word for word in said.words if word]


def _form_judges(view: str) -> dict[str, Callable[[str, str], bool]]:
    """The comparisons of logical forms; the published one is for one notation only."""

    def same(gold: str, prediction: str) -> bool:
        return equivalent(gold, prediction, "varfree" if view == "varfree" else "cogs").equal

    def published(gold: str, prediction: str) -> bool:
        return reformatted_exact_match(gold, prediction).equal

    judges: dict[str, Callable[[str, str], bool]] = {EQUIVALENT: same}
    if view == "cogs":
        judges[REFORMATTED] = published
    return judges
