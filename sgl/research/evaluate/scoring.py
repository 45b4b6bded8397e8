r"""The predictions of systems, assigned to rows and scored item by item.

A prediction that is missing or empty counts as wrong, and is reported.  One that belongs to no row
(a line too many, an unknown name, a name twice) is an error: then no score would mean anything.
Every metric gives 0 or 1 for each item of each run, and edge accuracy a share; tables and tests are
made from these.  A prediction that equals the gold text is right by every metric.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import compress, count
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.foreign import limits
from sgl.rendering.views import VIEWS
from sgl.research.analyse.predictions import Aligned, PredictionsError, SystemOutput, given_outputs, open_predictions
from sgl.research.analyse.statistics import places_by
from sgl.research.analyse.tokenizers import joined
from sgl.research.evaluate.benchmark import FORMS, Benchmark, BenchmarkRow
from sgl.research.evaluate.equivalence import equivalent, exact, normal, reformatted_exact_match
from sgl.research.evaluate.mistakes import Mistake, mistake_of
from sgl.research.evaluate.partial import Decision, PartialMatch
from sgl.research.evaluate.realization import Realization, TreebankEdges
from sgl.research.logical_forms.alignment import FormMistake, form_mistakes

#: Languages that are written without spaces between words.
_SPACELESS = ("ja", "zh", "th")

#: What stands before the first space or sign of a line, without quotes.
_CELL = re.compile(r"""\s*["']?([^\s,;:|"']{1,100})["']?\s*[\s,;:|]""")

#: A name that `sglc compile` could have given to a row.
_ROW_NAME = re.compile(r"[^\W\d]\w*-\d{6,}")

#: What to do about predictions without names.
_IN_ORDER = (
    "give `--split` if they are for another split; with the names of rows before them (`gen-000001`, a tab), "
    "predictions may be missing"
)

#: With so many rows it can be told whether all predictions stand one line off.
_TELLING = 20


class Run(NamedTuple):
    """The predictions of one run, one for each row; empty where there is none.

    ``missing`` are the names of rows without one, ``empty`` of those with nothing in it. ``shifted`` is by how many
    lines the file seems to be off.  ``words`` has the words of predictions that came as words, None for the others.
    ``pieces`` counts predictions with marks of tokenizers, where no gold text has them; ``cut``
    those that were longer than the limit ``letters``.
    """

    file: str
    texts: tuple[str, ...]
    missing: tuple[str, ...]
    empty: tuple[str, ...]
    shifted: int
    words: tuple[tuple[str, ...] | None, ...]
    pieces: int = 0
    cut: int = 0

    def only(self, kept: Sequence[bool]) -> "Run":
        """Return the predictions for these rows."""
        return self._replace(texts=tuple(compress(self.texts, kept)), words=tuple(compress(self.words, kept)))


#: The runs of each system.
Systems = Mapping[str, Sequence[Run]]


#: Predictions: a file, texts by the names of rows, or texts in their order.
Given = Path | Mapping[str, str] | Sequence[str]


def read_run(
    given: Given,
    rows: Sequence[BenchmarkRow],
    language: str = "",
    words: Sequence[tuple[str, ...]] = (),
    other_names: Callable[[], Sequence[str]] = tuple,
) -> Run:
    """Read the predictions of a file, or those given; ``language`` says whether words have spaces between them.

    ``words`` are those of the rows, if they are known: a prediction of these words, without a text,
    has the text of the row.  ``other_names`` are those that Parquet files have for the rows.  Raises
    ``PredictionsError`` if they do not fit the rows.
    """
    ids = frozenset(row.id for row in rows)
    aligned = open_predictions(given, "form", ids) if isinstance(given, Path) else given_outputs(given)
    if (by_id := aligned.by_id) and ids.isdisjoint(by_id):
        others = other_names()
        found = {row.id: by_id[name] for row, name in zip(rows, others, strict=False) if name in by_id}
        # What is neither is reported as unknown.
        strange = by_id.keys() - set(others)
        aligned = Aligned(found | {name: by_id[name] for name in by_id if name in strange}, iter(()))
    outputs = [aligned.output(row.id) for row in rows]
    in_order = aligned.by_id is None
    try:
        aligned.finish()
    except PredictionsError as problem:
        problem.hint = f"rows are called {rows[0].id} to {rows[-1].id}" if not in_order else _IN_ORDER
        raise
    if in_order:
        _check_names([output.text or "" for output in outputs if output], rows)
    texts: list[str] = []
    kept: list[tuple[str, ...] | None] = []
    cut = 0
    for row, output, gold in zip(rows, outputs, words or [()] * len(rows), strict=True):
        text, said = output or SystemOutput("")
        if text is None:
            text = _spelt(row, gold, said or (), language)
        if any(exact(other, text) for other in row.others):
            # Another right answer counts as the gold text, by every metric.
            text = row.target
        most = max(limits().letters, 2 * len(row.target))
        cut += len(text) > most
        texts.append(text[:most])
        kept.append(said[:most] if said is not None else None)
    pieces = _joined(texts, rows, language)
    for place in pieces:
        kept[place] = None
    read = list(zip(rows, outputs, texts, strict=True))
    missing = tuple(row.id for row, output, _ in read if output is None)
    empty = tuple(row.id for row, output, text in read if output is not None and not text.strip())
    shifted = _shift(texts, rows) if in_order else 0
    name = given.name if isinstance(given, Path) else ""
    return Run(name, tuple(texts), missing, empty, shifted, tuple(kept), len(pieces), cut)


def _spelt(row: BenchmarkRow, gold: Sequence[str], said: Sequence[str], language: str) -> str:
    """Return the text of a prediction that came as words."""
    return row.target if said and said == gold else ("" if language in _SPACELESS else " ").join(said)


def _check_names(texts: Sequence[str], rows: Sequence[BenchmarkRow]) -> None:
    """Refuse lines of which some begin with what may be meant as the name of a row.

    Without exact names, from the first line on, a line is all text: then all would be wrong.
    """
    names = {row.id.casefold() for row in rows}
    found = [(text, cell[1]) for text in texts if (cell := _CELL.match(text))]
    # No gold text has a tab, so that what stands before one is meant as something else.
    known = [text for text, cell in found if "\t" in text or cell.casefold() in names]
    lines = [text for text, cell in found if _ROW_NAME.fullmatch(cell)] or known
    if lines is not known or 2 * len(known) > len(texts):
        raise PredictionsError(
            f"{len(lines):,} of {len(texts):,} lines begin like the name of a row, but not with one",
            f"write all lines as `{rows[0].id}`, a tab and the text; the first line tells that lines "
            "have names, and names are those of the split",
            [line[:60] for line in lines[:3]],
        )


def _joined(texts: list[str], rows: Sequence[BenchmarkRow], language: str) -> list[int]:
    """Join predictions that have marks of a tokenizer, as no gold text has; return their places."""
    whole = list(map(joined, texts))
    marked = [place for place, text in enumerate(texts) if whole[place] != text]
    # Gold texts are looked at only where there is something to join.
    if not marked or any(joined(row.target) != row.target for row in rows):
        return []
    spaceless = language in _SPACELESS and not any(" " in row.target for row in rows)
    for place in marked:
        texts[place] = "".join(whole[place].split()) if spaceless else whole[place]
    return marked


def _shift(texts: Sequence[str], rows: Sequence[BenchmarkRow]) -> int:
    """Return by how many lines the predictions seem to be off: 0, or 1 up or down."""
    if len(rows) < _TELLING:
        return 0
    gold, said = [normal(row.target) for row in rows], [normal(text) for text in texts]
    here, up, down = (sum(map(str.__eq__, *pair)) for pair in ((said, gold), (said[1:], gold), (said, gold[1:])))
    if max(up, down) <= max(2 * here, len(rows) // _TELLING):
        return 0
    return 1 if up >= down else -1


EXACT, RAW, PARTIAL, EDGES = "exact", "exact_raw", "partial", "edges"
EQUIVALENT, REFORMATTED = "equivalent", "reformatted"

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


class _Verdict(NamedTuple):
    """Is it a partial match, what decided, what is wrong, and what share of edges is there."""

    matched: bool
    why: Decision
    kind: Mistake | None
    kept: float


#: The verdict on a prediction that is equal to the gold text.
_RIGHT = _Verdict(True, Decision.GOLD, None, 1.0)


class Scores:
    """Score the runs of systems: for each metric and system an array of runs and items.

    An item that a metric says nothing about is ``nan``.  ``decided`` counts what decided about partial matches,
    ``mistakes`` are the kinds of those of each run, ``gold`` the gold items of each pattern that were judged like
    predictions, and how many were right. ``edgeless`` counts items whose gold text has no reading, so that its edges
    are not known.
    """

    def __init__(self, benchmark: Benchmark, systems: Systems) -> None:
        self.scores: dict[str, dict[str, NDArray[np.float64]]] = {}
        self.decided: dict[str, Counter[Decision]] = {}
        self.mistakes: dict[str, list[list[tuple[Mistake | FormMistake, ...]]]] = {}
        self.gold: dict[str, tuple[int, int]] = {}
        self.edgeless = 0
        self._benchmark = benchmark
        self._predictions: dict[str, list[list[_Prediction]]] = {
            name: [list(zip(count(), run.texts, run.words)) for run in runs] for name, runs in systems.items()
        }

    def judge(self, *, trees: bool) -> None:
        """Compute every metric that makes sense for the target; ``trees``: those of a treebank."""
        view = self._benchmark.view
        self._compare(EXACT, exact)
        self._compare(RAW, str.__eq__)
        if view in FORMS:
            alike = cache(lambda gold, text: bool(equivalent(gold, text, view)))
            self._compare(EQUIVALENT, alike)
            self._find_mistakes(cache(lambda gold, text: _kinds(gold, text, view, alike=alike(gold, text))))
        if view == "cogs":
            # The published comparison is for this notation only.
            self._compare(REFORMATTED, reformatted_exact_match)
        if trees and self._benchmark.sentences:
            self._score(EDGES, TreebankEdges(self._benchmark.sentences).kept)

    def _compare(self, metric: str, same: Callable[[str, str], object]) -> None:
        rows, known = self._benchmark.rows, cache(same)
        self._score(metric, lambda place, text, _: bool(known(rows[place].target, text)))

    def _score(self, metric: str, judge: Callable[[int, str, tuple[str, ...] | None], float | None]) -> None:
        """Add a metric that says how right each prediction is; None where nothing can be said."""
        self.scores[metric] = {
            name: np.array([[judge(*one) for one in run] for run in runs], np.float64)
            for name, runs in self._predictions.items()
        }

    def _find_mistakes(self, kinds: Callable[[str, str], tuple[FormMistake, ...]]) -> None:
        rows = self._benchmark.rows
        for name, runs in self._predictions.items():
            self.mistakes[name] = [[kinds(rows[at].target, text) for at, text, _ in run] for run in runs]

    def match(self, partial: PartialMatch, progress: Progress) -> None:
        """Add partial matches, kinds of mistakes and edges, which share the readings."""
        verdicts: dict[_Prediction, _Verdict] = {}
        for name, runs in self._predictions.items():
            for run, right in zip(runs, self.scores[EXACT][name], strict=True):
                verdicts |= dict.fromkeys(compress(run, right), _RIGHT)
        every = (one for runs in self._predictions.values() for run in runs for one in run)
        # Those for one item stand together, so that its gold text is read once.
        wrong = sorted(dict.fromkeys(one for one in every if one not in verdicts), key=lambda one: one[0])
        verdicts |= self._verdicts(wrong, partial, progress)
        self._check_gold(partial, progress)
        # What cannot be said of one system's prediction is said of none.
        unknown = sorted({one[0] for one in wrong if np.isnan(verdicts[one].kept)})
        self.edgeless = len(unknown)
        self.scores[EDGES] = {}
        for name, runs in self._predictions.items():
            self._add(name, [[verdicts[one] for one in run] for run in runs], unknown)

    def _add(self, name: str, found: Sequence[Sequence[_Verdict]], unknown: Sequence[int]) -> None:
        """Add the verdicts on the runs of a system, but none on edges of the unknown items."""
        of_pattern = [row.category in self._benchmark.patterns for row in self._benchmark.rows]
        self.mistakes[name] = [[(v.kind,) if v.kind else () for v in run] for run in found]
        self.scores[EDGES][name] = np.array([[verdict.kept for verdict in run] for run in found])
        self.scores[EDGES][name][:, unknown] = np.nan
        if any(of_pattern):
            matched = [[verdict.matched for verdict in run] for run in found]
            self.scores.setdefault(PARTIAL, {})[name] = np.where(of_pattern, matched, np.nan)
            self.decided[name] = Counter(verdict.why for run in found for verdict in compress(run, of_pattern))

    def _verdicts(
        self, wrong: Sequence[_Prediction], partial: PartialMatch, progress: Progress
    ) -> dict[_Prediction, _Verdict]:
        found: dict[_Prediction, _Verdict] = {}
        rows = self._benchmark.rows
        partial.expect([rows[place].source for place, _, _ in wrong], [text for _, text, _ in wrong])
        for start in range(0, len(wrong), _BATCH):
            progress("parsing predictions", start, len(wrong))
            batch = wrong[start : start + _BATCH]
            places, texts, _ = zip(*batch, strict=True)
            reads = zip(batch, self._golds(places, partial), partial.read(texts), strict=True)
            for (place, text, words), gold, read in reads:
                category = self._benchmark.rows[place].category
                matched, why = False, Decision.NOTHING
                if category in self._benchmark.patterns:
                    matched, why = partial.decide(category, gold, text, read)
                kept = math.nan
                if gold is not None:
                    share = partial.edges.kept(gold, text, words, read[0] if read else None)
                    # An item without edges is right or wrong as a whole.
                    kept = 0.0 if share is None else share
                kind = mistake_of(rows[place].target, gold, text, read, partial.edges, partial.lemmas)
                found[place, text, words] = _Verdict(matched, why, kind, kept)
        return found

    def _golds(self, places: Sequence[int], partial: PartialMatch) -> list[Realization | None]:
        """Return what the gold items of rows say; equal rows are read once."""
        rows = {place: self._benchmark.rows[place] for place in places}
        texts = zip(*((row.source, row.target) for row in rows.values()), strict=True)
        said = dict(zip(rows, partial.golds(*texts), strict=True))
        return [said[place] for place in places]

    def _check_gold(self, partial: PartialMatch, progress: Progress) -> None:
        """Judge some gold texts of each pattern as if they were predictions."""
        rows = self._benchmark.rows
        patterns = places_by((row.category,) for row in rows)
        for number, (pattern, places) in enumerate(patterns.items()):
            if pattern in self._benchmark.patterns:
                progress("checking gold texts", number, len(patterns))
                chosen = places[:_CHECKED].tolist()
                texts = [rows[place].target for place in chosen]
                read = zip(self._golds(chosen, partial), texts, partial.read(texts), strict=True)
                right = [partial.decide(pattern, *one)[0] for one in read]
                self.gold[pattern] = len(right), sum(right)


def _kinds(gold: str, text: str, view: str, *, alike: bool) -> tuple[FormMistake, ...]:
    """Return the kinds of mistakes of a logical form."""
    if alike or exact(gold, text):
        return () if exact(gold, text) else (FormMistake.NOTATION,)
    return form_mistakes(gold, text, terms=VIEWS[view].syntax == "terms")
