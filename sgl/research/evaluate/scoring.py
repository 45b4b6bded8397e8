"""Score the runs of several systems item by item, and name the kinds of mistakes.

Every metric that judges items gives 0 or 1 for each item of each run, and edge accuracy gives
a share; all tables and tests are made from these numbers.  A prediction that several runs
share is judged once.  One that equals the gold text is right by every metric, and is not
looked at any further.

The kind of a *mistake* follows from the words of the likeliest reading, less those that the
gold item has as well; of what is left, a word may be another form of one on the other side::

    gold        男性がパンダを見つけた。
    roles       パンダが男性を見つけた。      the same words, put together in another way
    form        男性がパンダを見つける。      another form of a word: tense, voice
    word        男性が犬を見つけた。          another word in the place of one
    words       少年が犬を見つけた。          several
    missing     パンダが見つけられた …        fewer words
    extra       男性が赤いパンダを見つけた。  more words
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from enum import Enum
from functools import cache
from itertools import compress, count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.research.evaluate.benchmark import FORMS, Benchmark, places_by
from sgl.research.evaluate.equivalence import equivalent, exact, reformatted_exact_match
from sgl.research.evaluate.partial import Decision, PartialMatch
from sgl.research.evaluate.realization import Lemmas, Realization
from sgl.research.evaluate.runs import Systems
from sgl.research.evaluate.trees import TreebankEdges


class Mistake(Enum):
    """The kind of a mistake."""

    EMPTY = "empty"
    UNPARSED = "not a sentence"
    ROLES = "roles"
    FORM = "form"
    WORD = "word"
    WORDS = "words"
    MISSING = "missing"
    EXTRA = "extra"


def mistake_of(gold: Sequence[str], said: Sequence[str], lemmas: Lemmas) -> Mistake:
    """Return the kind of the mistake, from the words of the gold item and of the prediction."""
    lacking, other = Counter(gold) - Counter(said), Counter(said) - Counter(gold)
    if not lacking and not other:
        return Mistake.ROLES
    if lacking.total() != other.total():
        return Mistake.MISSING if lacking.total() > other.total() else Mistake.EXTRA
    left = list(other.elements())
    changed = 0
    for word in lacking.elements():
        form = next((o for o in left if lemmas.get(o, _NONE) & lemmas.get(word, _NONE)), None)
        if form is None:
            changed += 1
        else:
            left.remove(form)
    if not changed:
        return Mistake.FORM
    return Mistake.WORD if changed == lacking.total() == 1 else Mistake.WORDS


_NONE: frozenset[str] = frozenset()


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

#: Says how right a prediction is; None where nothing can be said.
_Judge = Callable[[int, str, tuple[str, ...] | None], float | None]


class Scores:
    """Score the runs of systems: for each metric and system an array of runs and items.

    An item that a metric says nothing about is ``nan``.  ``decided`` counts what decided
    about partial matches, ``mistakes`` are those of each run, ``gold`` the gold
    items of each pattern that were judged like predictions, and how many were right.
    ``edgeless`` counts items whose gold text has no reading, so that its edges are not known.
    """

    def __init__(self, benchmark: Benchmark, systems: Systems) -> None:
        self.scores: dict[str, dict[str, NDArray[np.float64]]] = {}
        self.decided: dict[str, Counter[Decision]] = {}
        self.mistakes: dict[str, list[list[Mistake | None]]] = {}
        self.gold: dict[str, tuple[int, int]] = {}
        self.edgeless = 0
        self._benchmark = benchmark
        self._predictions: dict[str, list[list[_Prediction]]] = {
            name: [list(zip(count(), run.texts, run.words)) for run in runs]
            for name, runs in systems.items()
        }

    def judge(self, *, trees: bool) -> None:
        """Compute every metric that makes sense for the target; ``trees``: those of a treebank."""
        benchmark = self._benchmark

        def by_text(same: Callable[[str, str], bool]) -> _Judge:
            known = cache(same)
            return lambda place, text, _: known(benchmark.rows[place].target, text)

        judges = {EXACT: by_text(exact), RAW: by_text(str.__eq__)}
        if (view := benchmark.view) in FORMS:
            judges[EQUIVALENT] = by_text(lambda gold, text: equivalent(gold, text, view).equal)
            if view == "cogs":
                # The published comparison is for this notation only.
                judges[REFORMATTED] = by_text(lambda *pair: reformatted_exact_match(*pair).equal)
        if trees and benchmark.sentences:
            judges[EDGES] = TreebankEdges(benchmark.sentences).kept
        for metric, judge in judges.items():
            self.scores[metric] = {
                name: np.array([[judge(*one) for one in run] for run in runs], np.float64)
                for name, runs in self._predictions.items()
            }

    def match(self, partial: PartialMatch, progress: Progress) -> None:
        """Add partial matches, kinds of mistakes and edges, which share the readings."""
        of_pattern = [row.category in self._benchmark.patterns for row in self._benchmark.rows]
        given = self._predictions
        verdicts: dict[_Prediction, _Verdict] = {}
        for name, runs in given.items():
            for run, right in zip(runs, self.scores[EXACT][name], strict=True):
                verdicts |= {run[place]: _RIGHT for place in np.flatnonzero(right).tolist()}
        wrong = dict.fromkeys(
            one for runs in given.values() for run in runs for one in run if one not in verdicts
        )
        verdicts |= self._verdicts(list(wrong), partial, progress)
        self._check_gold(partial, progress)
        # What cannot be said of one system's prediction is said of none.
        unknown = sorted({one[0] for one in wrong if np.isnan(verdicts[one].kept)})
        self.edgeless = len(unknown)
        self.scores |= {PARTIAL: {}, EDGES: {}} if any(of_pattern) else {EDGES: {}}
        for name, runs in given.items():
            found = [[verdicts[one] for one in run] for run in runs]
            self.mistakes[name] = [[verdict.kind for verdict in run] for run in found]
            kept = np.array([[verdict.kept for verdict in run] for run in found])
            kept[:, unknown] = np.nan
            self.scores[EDGES][name] = kept
            if any(of_pattern):
                matched = np.array([[verdict.matched for verdict in run] for run in found])
                self.scores[PARTIAL][name] = np.where(of_pattern, matched, np.nan)
                self.decided[name] = Counter(
                    verdict.why for run in found for verdict in compress(run, of_pattern)
                )

    def _verdicts(
        self, wrong: Sequence[_Prediction], partial: PartialMatch, progress: Progress
    ) -> dict[_Prediction, _Verdict]:
        """Return the verdicts on different wrong predictions."""
        found: dict[_Prediction, _Verdict] = {}
        for start in range(0, len(wrong), _BATCH):
            progress("parsing predictions", start, len(wrong))
            batch = wrong[start : start + _BATCH]
            golds = self._golds([place for place, _, _ in batch], partial)
            reads = partial.read([text for _, text, _ in batch])
            for (place, text, words), gold, read in zip(batch, golds, reads, strict=True):
                category = self._benchmark.rows[place].category
                matched, why = False, Decision.NOTHING
                if category in self._benchmark.patterns:
                    matched, why = partial.decide(category, gold, text, read)
                kept = math.nan
                if gold is not None:
                    share = partial.edges.kept(gold, text, words, read[0] if read else None)
                    # An item without edges is right or wrong as a whole.
                    kept = 0.0 if share is None else share
                kind = _kind(gold, text, read, partial.lemmas)
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


class _Verdict(NamedTuple):
    """Is it a partial match, what decided, what is wrong, and what share of edges is there."""

    matched: bool
    why: Decision
    kind: Mistake | None
    kept: float


#: The verdict on a prediction that is equal to the gold text.
_RIGHT = _Verdict(True, Decision.GOLD, None, 1.0)


def _kind(
    gold: Realization | None, text: str, said: Sequence[Realization], lemmas: Lemmas
) -> Mistake:
    """Return the kind of a mistake, by the likeliest reading of the prediction."""
    if not text.strip():
        return Mistake.EMPTY
    if not said or gold is None:
        return Mistake.UNPARSED
    written = [[word for word in realization.words if word] for realization in (gold, said[0])]
    return mistake_of(written[0], written[1], lemmas)
