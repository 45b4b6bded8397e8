"""Score the predictions of systems item by item.

Every metric gives 0 or 1 for each item of each run, and edge accuracy a share; tables and tests are made from these.
A prediction that equals the gold text is right by every metric.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import compress, count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.research.analyse.statistics import places_by
from sgl.research.evaluate.benchmark import FORMS, Benchmark
from sgl.research.evaluate.equivalence import equivalent, exact, reformatted_exact_match
from sgl.research.evaluate.meanings import Found, Mistake
from sgl.research.evaluate.mistakes import Findings, KnownAnswers, TextMistakes, form_mistakes, no_answer
from sgl.research.evaluate.partial import Decision, PartialMatch
from sgl.research.evaluate.realization import Realization, TreebankEdges
from sgl.research.evaluate.runs import Systems

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
    found: Findings
    kept: float


#: The verdict on a prediction that is equal to the gold text.
_RIGHT = _Verdict(True, Decision.GOLD, (), 1.0)


class Scores:
    """Score the runs of systems: for each metric and system an array of runs and items.

    An item that a metric says nothing about is ``nan``.  ``decided`` counts what decided about partial matches,
    ``mistakes`` are those in each run, ``gold`` the gold items of each pattern that were judged like
    predictions, and how many were right. ``edgeless`` counts items whose gold text has no reading, so that its edges
    are not known.
    """

    def __init__(self, benchmark: Benchmark, systems: Systems) -> None:
        self.scores: dict[str, dict[str, NDArray[np.float64]]] = {}
        self.decided: dict[str, Counter[Decision]] = {}
        self.mistakes: dict[str, list[list[Findings]]] = {}
        self.gold: dict[str, tuple[int, int]] = {}
        self.edgeless = 0
        self._benchmark = benchmark
        self._known = KnownAnswers(benchmark.rows)
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
            known = cache(lambda gold, text: self._of_form(gold, text, alike=alike(gold, text)))
            rows = self._benchmark.rows
            for name, runs in self._predictions.items():
                self.mistakes[name] = [
                    [no_answer(rows[at], text) or known(rows[at].target, text) for at, text, _ in run] for run in runs
                ]
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

    def _of_form(self, gold: str, text: str, *, alike: bool) -> Findings:
        """Return what is wrong with a logical form."""
        if alike or exact(gold, text):
            return () if exact(gold, text) else (Found(Mistake.NOTATION),)
        return form_mistakes(gold, text, self._benchmark.view, self._known)

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
        self.mistakes[name] = [[verdict.found for verdict in run] for run in found]
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
        mistakes = TextMistakes(partial.vocabulary, self._known)
        partial.expect([rows[place].source for place, _, _ in wrong], [text for _, text, _ in wrong])
        for start in range(0, len(wrong), _BATCH):
            progress("parsing predictions", start, len(wrong))
            batch = wrong[start : start + _BATCH]
            places, texts, _ = zip(*batch, strict=True)
            readings = partial.read(texts)
            drafts = [
                mistakes.draft(rows[place].target, text, read=bool(own))
                for (place, text, _), own in zip(batch, readings, strict=True)
            ]
            again = partial.read([draft.text for draft in drafts])
            reads = zip(batch, self._golds(places, partial), readings, drafts, again, strict=True)
            for (place, text, words), gold, read, draft, mended in reads:
                category = self._benchmark.rows[place].category
                matched, why = False, Decision.NOTHING
                if category in self._benchmark.patterns:
                    matched, why = partial.decide(category, gold, text, read)
                kept = math.nan
                if gold is not None:
                    share = partial.edges.kept(gold, text, words, read[0] if read else None)
                    # An item without edges is right or wrong as a whole.
                    kept = 0.0 if share is None else share
                wrong_with = no_answer(rows[place], text) or mistakes.of(
                    rows[place].target, gold, text, mended if draft.text else read, draft
                )
                found[place, text, words] = _Verdict(matched, why, wrong_with, kept)
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
