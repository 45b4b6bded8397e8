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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.core.grammar import CoreGrammar, Token
from sgl.research.evaluate.benchmark import FORMS, Benchmark, BenchmarkRow
from sgl.research.evaluate.equivalence import equivalent, exact, reformatted_exact_match
from sgl.research.evaluate.partial import Decision, PartialMatch, PredictionReadings
from sgl.research.evaluate.realization import Realization
from sgl.research.evaluate.runs import Run, SystemRuns
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


#: The lemmas that are written so.
Lemmas = Mapping[str, frozenset[str]]


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


def lemmas_by_word(grammar: CoreGrammar, graph: int, text: int) -> Lemmas:
    """Return for the text of each lexical rule the lemmas that are written so."""
    found: dict[str, set[str]] = {}
    for rule in grammar.rules:
        if rule.lexical:
            word = "".join(i.text for i in rule.templates[text] if isinstance(i, Token))
            for node in rule.fragments[graph].nodes:
                found.setdefault(word, set()).add(dict(node.attributes or ()).get("lemma", ""))
    return {word: frozenset(lemmas) for word, lemmas in found.items()}


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


@dataclass
class Scores:
    """The scores: for each metric and system an array of runs and items.

    An item that a metric says nothing about is ``nan``.  ``decided`` counts what decided
    about partial matches, ``mistakes`` are those of each run, ``gold`` the gold
    items of each pattern that were judged like predictions, and how many were right.
    ``edgeless`` counts items whose gold text has no reading, so that its edges are not known.
    """

    scores: dict[str, dict[str, NDArray[np.float64]]] = field(default_factory=dict)
    decided: dict[str, Counter[Decision]] = field(default_factory=dict)
    mistakes: dict[str, list[list[Mistake | None]]] = field(default_factory=dict)
    gold: dict[str, tuple[int, int]] = field(default_factory=dict)
    edgeless: int = 0


class Scorer:
    """Score the predictions for a benchmark."""

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

    def score(self, systems: Sequence[SystemRuns]) -> Scores:
        """Compute every metric that makes sense for the target, for every run."""
        scores = Scores()
        judges: dict[str, Callable[[str, str], bool]] = {EXACT: exact, RAW: str.__eq__}
        if self._benchmark.view in FORMS:
            view = self._benchmark.view
            judges[EQUIVALENT] = lambda gold, text: equivalent(gold, text, view).equal
            if view == "cogs":
                # The published comparison is for this notation only.
                judges[REFORMATTED] = lambda *pair: reformatted_exact_match(*pair).equal
        for metric, judge in judges.items():
            known: dict[tuple[str, str], bool] = {}
            scores.scores[metric] = {
                system.name: self._judged(system, judge, known) for system in systems
            }
        if self._partial is not None:
            self._match(scores, systems, self._partial)
        elif self._benchmark.sentences:
            edges = TreebankEdges(self._benchmark.sentences)
            scores.scores[EDGES] = {system.name: self._edges(system, edges) for system in systems}
        return scores

    def _edges(self, system: SystemRuns, edges: TreebankEdges) -> NDArray[np.float64]:
        """Return the share of the edges of each sentence of a treebank; ``nan`` if it has none."""
        found = np.full((len(system.runs), len(self._benchmark.rows)), np.nan)
        for run, predictions in enumerate(system.runs):
            for place, text in enumerate(predictions.texts):
                share = edges.kept(place, text, predictions.words_of(place))
                found[run, place] = np.nan if share is None else share
        return found

    def _judged(
        self,
        system: SystemRuns,
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

    def _pairs(self, predictions: Run) -> Iterator[tuple[BenchmarkRow, str]]:
        return zip(self._benchmark.rows, predictions.texts, strict=True)

    def _match(self, scores: Scores, systems: Sequence[SystemRuns], partial: PartialMatch) -> None:
        """Add partial matches, kinds of mistakes and edges, which share the readings."""
        wrong = self._wrong(scores, systems)
        verdicts = self._verdicts(wrong, partial)
        self._check_gold(scores, partial)
        about_patterns = any(
            row.category in self._benchmark.patterns for row in self._benchmark.rows
        )
        if about_patterns:
            scores.scores[PARTIAL] = {}
        scores.scores[EDGES] = {}
        for system in systems:
            right = scores.scores[EXACT][system.name]
            found = np.full_like(right, np.nan)
            kept = np.ones_like(right)
            decided: Counter[Decision] = Counter()
            mistakes: list[list[Mistake | None]] = []
            for run, predictions in enumerate(system.runs):
                kinds: list[Mistake | None] = []
                for place, (row, text) in enumerate(self._pairs(predictions)):
                    key = place, text, predictions.words_of(place)
                    verdict = _RIGHT if right[run, place] else verdicts[key]
                    kinds.append(verdict.kind)
                    kept[run, place] = verdict.kept
                    if row.category in self._benchmark.patterns:
                        found[run, place] = verdict.matched
                        decided[verdict.why] += 1
                mistakes.append(kinds)
            if about_patterns:
                scores.scores[PARTIAL][system.name] = found
                scores.decided[system.name] = decided
            scores.mistakes[system.name] = mistakes
            scores.scores[EDGES][system.name] = kept
        # What cannot be said of one system's prediction is said of none.
        unknown = {key[0] for key, verdict in verdicts.items() if np.isnan(verdict.kept)}
        for kept in scores.scores[EDGES].values():
            kept[:, sorted(unknown)] = np.nan
        scores.edgeless = len(unknown)

    def _wrong(self, scores: Scores, systems: Sequence[SystemRuns]) -> list[_Prediction]:
        """Return the different wrong predictions."""
        found: dict[_Prediction, None] = {}
        for system in systems:
            for run, predictions in enumerate(system.runs):
                right = scores.scores[EXACT][system.name][run]
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
        gold: Realization | None,
        read: PredictionReadings,
    ) -> _Verdict:
        """Return the verdict on a wrong prediction."""
        assert self._partial is not None
        row = self._benchmark.rows[place]
        matched, why = False, Decision.NOTHING
        if row.category in self._benchmark.patterns:
            matched, why = self._partial.decide(row.category, gold, text, read)
        kept = math.nan
        if gold is not None:
            share = self._partial.edges.kept(gold, text, words, read[0] if read else None)
            # An item without edges is right or wrong as a whole.
            kept = 0.0 if share is None else share
        return _Verdict(matched, why, _kind(gold, text, read, self._lemmas), kept)

    def _golds(
        self, places: Sequence[int], partial: PartialMatch
    ) -> Mapping[int, Realization | None]:
        different = list(dict.fromkeys(places))
        rows = [self._benchmark.rows[place] for place in different]
        said = partial.golds([row.source for row in rows], [row.target for row in rows])
        return dict(zip(different, said, strict=True))

    def _check_gold(self, scores: Scores, partial: PartialMatch) -> None:
        """Judge some gold texts of each pattern as if they were predictions."""
        chosen: dict[str, list[int]] = {}
        for place, row in enumerate(self._benchmark.rows):
            if row.category in self._benchmark.patterns:
                places = chosen.setdefault(row.category, [])
                if len(places) < _CHECKED:
                    places.append(place)
        for number, (pattern, places) in enumerate(chosen.items()):
            self._progress("checking gold texts", number, len(chosen))
            golds = self._golds(places, partial)
            texts = [self._benchmark.rows[place].target for place in places]
            right = [
                partial.decide(pattern, golds[place], text, read)[0]
                for place, text, read in zip(places, texts, partial.read(texts), strict=True)
            ]
            scores.gold[pattern] = len(right), sum(right)


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
