"""Estimate weights from a corpus: relative frequencies, and EM where these are not known.

Sentences with one reading are counted.  Expectation--maximisation (Dempster, Laird & Rubin 1977) makes up for two
things that keep the uses from being known.  A sentence may have several readings: each counts by its probability
under the weights so far.  And the corpus may be sampled from *a split*, so that rare rules look rarer than they are:
what was left out counts as well, as often as the weights so far let one expect (:class:`Selection`).

Each round makes the corpus (with the prior) more probable; rounds go on until they gain less than ``tolerance`` a
sentence.  A category that the corpus never uses keeps its declared weights.  Uses on average are found by two passes
over the packed forest, in logarithms: inside, then outside (Baker 1979; Goodman 1999).
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from math import exp, inf, log
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from sgl.core.grammar import CoreGrammar
from sgl.corpus import rows as corpus_rows
from sgl.foreign import ROWS, sha256_of
from sgl.parsing import Forest, Parser, describe_failure

#: What becomes of a row, in the order in which that is shown.
Fate = Literal["used", "no reading", "held out", "unreadable", "other kind"]


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file that was read: its name, the SHA-256 of its bytes, its number of rows."""

    file: str
    sha256: str
    rows: int


@dataclass
class Sample:
    """The sentences of a corpus as uses of rules.

    ``certain`` counts uses in sentences with one reading; ``ambiguous`` are the others, each with
    its rows.  ``fates`` counts rows by what became of them, ``kinds`` the same by kind.
    """

    certain: Counter[int] = field(default_factory=Counter)
    ambiguous: dict[str, tuple[Forest, int]] = field(default_factory=dict)
    fates: Counter[Fate] = field(default_factory=Counter)
    kinds: dict[str, Counter[Fate]] = field(default_factory=dict)
    unparsed: list[corpus_rows.ListedRow] = field(default_factory=list)
    unreadable: list[corpus_rows.ListedRow] = field(default_factory=list)
    held_out: list[corpus_rows.ListedRow] = field(default_factory=list)
    files: list[CorpusFile] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """The number of rows that say something."""
        return self.fates["used"]

    def add(self, read: corpus_rows.SentenceReadings, sentence: str, times: int = 1) -> None:
        """Take the readings of a sentence into account."""
        self.fates["used"] += times
        for rule in read.derivation:
            self.certain[rule] += times
        if read.forest is not None:
            _, before = self.ambiguous.get(sentence, (None, 0))
            self.ambiguous[sentence] = (read.forest, before + times)


@dataclass
class Collector:
    """Reads corpora into a sample; ``place`` is the column of the sentences among ``columns`` text columns.

    Only rows of these ``kinds`` count (all if there are none), and only sentences whose readings ``admits`` finds
    possible.
    """

    parser: Parser
    _: KW_ONLY
    columns: int = 2
    place: int = 0
    kinds: Collection[str] = ()
    normalizer: corpus_rows.Normalizer | None = None
    admits: Callable[[Forest], bool] | None = None

    def __post_init__(self) -> None:
        self._cache = corpus_rows.ReadingCache(self.parser, self.normalizer, lambda read: read)
        self.sample = Sample()

    def run(self, paths: Sequence[Path], progress: corpus_rows.Progress) -> Sample:
        """Read all files."""
        for path in paths:
            digest, rows = sha256_of(path, ROWS), 0
            for batch in corpus_rows.Corpus(path, self.columns).batches(progress):
                rows += len(batch)
                self._batch(str(path), batch)
            self.sample.files.append(CorpusFile(path.name, digest, rows))
        return self.sample

    def _batch(self, file: str, batch: Sequence[corpus_rows.CorpusRow | corpus_rows.Unreadable]) -> None:
        sample = self.sample
        read = self._cache.read(
            row.texts[self.place]
            for row in batch
            if isinstance(row, corpus_rows.CorpusRow) and (not self.kinds or row.kind in self.kinds)
        )
        for row in batch:
            if isinstance(row, corpus_rows.Unreadable):
                sample.fates["unreadable"] += 1
                corpus_rows.list_row(sample.unreadable, corpus_rows.ListedRow(file, row.line, "", row.reason))
                continue
            sentence = row.texts[self.place]
            fate: Fate = "other kind"
            if not self.kinds or row.kind in self.kinds:
                fate = self._take(read[sentence], corpus_rows.ListedRow(file, row.line, sentence, ""))
            if fate != "used":
                sample.fates[fate] += 1
            sample.kinds.setdefault(row.kind, Counter())[fate] += 1

    def _take(self, read: corpus_rows.SentenceReadings, row: corpus_rows.ListedRow) -> Fate:
        grammar = self.parser.grammar
        if read.refused:
            corpus_rows.list_row(self.sample.unreadable, replace(row, sentence="", detail=read.refused))
            return "unreadable"
        if read.failure is not None:
            reason = describe_failure(grammar, read.spelling, read.failure)
            corpus_rows.list_row(self.sample.unparsed, replace(row, detail=reason))
            return "no reading"
        forest = read.forest or Forest.of_one(grammar, read.derivation)
        if self.admits is not None and not self.admits(forest):
            held_out = replace(row, detail="contains what the split leaves out")
            corpus_rows.list_row(self.sample.held_out, held_out)
            return "held out"
        self.sample.add(read, row.sentence)
        return "used"


def expected_uses(forest: Forest, costs: Sequence[float]) -> tuple[float, dict[int, float]]:
    """Return the log-probability of a sentence, and the expected uses of each rule in it.

    ``costs[r]`` is the logarithm of the weight of rule ``r``.  Uses are conditional on the sentence.
    """
    terms: list[list[float]] = []
    inside: list[float] = []
    for node in forest.nodes:
        values = [
            costs[alternative.rule] + sum(inside[child] for child in alternative.children)
            for alternative in node.alternatives
        ]
        terms.append(values)
        highest = max(values)
        if len(values) > 1 and highest > -inf:
            highest += log(sum(exp(value - highest) for value in values))
        inside.append(highest)
    uses: dict[int, float] = {}
    # The posterior probability of each node, summed over the places that it is used in.
    posterior = [0.0] * len(forest.nodes)
    posterior[-1] = 1.0
    for number in range(len(forest.nodes) - 1, -1, -1):
        alternatives = forest.nodes[number].alternatives if posterior[number] else ()
        for alternative, term in zip(alternatives, terms[number], strict=False):
            share = posterior[number] * exp(term - inside[number])
            uses[alternative.rule] = uses.get(alternative.rule, 0.0) + share
            for child in alternative.children:
                posterior[child] += share
    return inside[-1], uses


Vector = NDArray[np.float64]

#: How pseudo-counts are shared by the rules of a category.
Prior = Literal["uniform", "declared"]
PRIORS: tuple[Prior, ...] = get_args(Prior)

#: Called with the number of the round and the log-likelihood of a sentence.
RoundProgress = Callable[[int, float], None]


class LeftOut(NamedTuple):
    """What a split leaves out, under some weights.

    ``log_mass`` is the logarithm of the probability that a text belongs to the split; ``uses[r]``
    how often rule ``r`` is to be expected in the texts left out for each one that is not.
    """

    log_mass: float
    uses: Vector


class Selection(Protocol):
    """A split that the corpus is taken to be drawn from."""

    def refresh(self, weights: Vector) -> None:
        """Measure anew, under these weights, what can only be measured by drawing."""

    def left_out(self, weights: Vector) -> LeftOut:
        """Return what the split leaves out under these weights."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to estimate: mean pseudo-counts of a rule, rounds, and the gain (in nats for a sentence) that ends them."""

    smoothing: float = 0.5
    prior: Prior = "uniform"
    tolerance: float = 1e-5
    rounds: int = 500
    refreshes: int = 4


@dataclass(frozen=True)
class Fit:
    """Estimated weights; those of a category sum to 1.

    ``uses`` are expected uses in the corpus, without pseudo-counts; ``seen`` categories are used.
    ``before`` and ``after`` are the log-likelihood of a sentence, in nats, under the declared
    weights (-inf where one is 0) and the estimated ones.  ``tokens`` is a mean.  ``log_mass`` is
    that of the split, under the estimated weights; 0 without one.
    """

    weights: Vector
    uses: Vector
    seen: NDArray[np.bool_]
    before: float
    after: float
    tokens: float
    rounds: int
    converged: bool
    log_mass: float = 0.0


def estimate(
    grammar: CoreGrammar,
    sample: Sample,
    options: Options = Options(),
    *,
    layer: int = 0,
    selection: Selection | None = None,
    progress: RoundProgress | None = None,
) -> Fit:
    """Return the weights under which a sample, read in ``layer``, is most probable; ``ValueError`` if it is empty."""
    if not sample.rows:
        raise ValueError("the sample has no sentence")
    return _Estimation(grammar, sample, options, selection, progress).run(layer)


@dataclass
class _Estimation:
    """One estimation: the sample as arrays, and the rounds."""

    grammar: CoreGrammar
    sample: Sample
    options: Options
    selection: Selection | None
    progress: RoundProgress | None

    def __post_init__(self) -> None:
        rules = self.grammar.rules
        self._category = np.array([rule.lhs for rule in rules], np.intp)
        self._declared = np.array([rule.weight for rule in rules], np.float64)
        self._certain = np.array([self.sample.certain[rule.id] for rule in rules], np.float64)
        ones = np.ones(len(rules))
        share = self._declared * self._total(ones) if self.options.prior == "declared" else 1.0
        self._pseudo: Vector = self.options.smoothing * ones * share

    def run(self, layer: int) -> Fit:
        selection, declared = self.selection, self._declared
        uses, before = self._expected(declared)
        weights, rounds, converged = self._maximised(uses, uses + self._pseudo, declared), 1, True
        log_mass = 0.0
        if selection is not None:
            for number in range(self.options.refreshes):
                start = weights if number else declared
                selection.refresh(start)
                if not number:
                    before -= selection.left_out(start).log_mass
                weights, rounds, converged = self._rounds(start, rounds if number else 0)
            log_mass = selection.left_out(weights).log_mass
        elif self.sample.ambiguous:
            weights, rounds, converged = self._rounds(declared, 0)
        uses, after = self._expected(weights)
        words = np.array([len(rule.words(layer)) for rule in self.grammar.rules], np.float64)
        return Fit(
            weights=weights,
            uses=uses,
            seen=self._total(uses) > 0,
            before=before,
            after=after - log_mass,
            tokens=float(words @ uses) / self.sample.rows,
            rounds=rounds,
            converged=converged,
            log_mass=log_mass,
        )

    def _rounds(self, weights: Vector, done: int) -> tuple[Vector, int, bool]:
        rows, last = self.sample.rows, -np.inf
        counted = self._pseudo > 0
        while done < self.options.rounds:
            uses, likelihood = self._expected(weights)
            counts = uses + self._pseudo
            if self.selection is not None:
                log_mass, left_out = self.selection.left_out(weights)
                likelihood -= log_mass
                counts = counts + left_out * rows
            # The logarithm of the prior density, up to a constant.
            prior = float(self._pseudo[counted] @ np.log(weights[counted]))
            objective = likelihood + prior / rows
            if objective - last < self.options.tolerance:
                return weights, done, True
            last = objective
            weights = self._maximised(uses, counts, weights)
            done += 1
            if self.progress is not None:
                self.progress(done, likelihood)
        return weights, done, False

    def _expected(self, weights: Vector) -> tuple[Vector, float]:
        with np.errstate(divide="ignore"):
            logs = np.log(weights)
        used = self._certain > 0
        total = float(self._certain[used] @ logs[used])
        uses = self._certain.copy()
        costs: list[float] = logs.tolist()
        for forest, rows in self.sample.ambiguous.values():
            likelihood, found = expected_uses(forest, costs)
            total += rows * likelihood
            for rule, share in found.items():
                uses[rule] += rows * share
        return uses, total / self.sample.rows

    def _maximised(self, uses: Vector, counts: Vector, old: Vector) -> Vector:
        seen = self._total(uses) > 0
        new = np.where(seen, counts / np.where(seen, self._total(counts), 1.0), old)
        return new.astype(np.float64)

    def _total(self, counts: Vector) -> Vector:
        sums = np.bincount(self._category, counts, len(self.grammar.categories))
        return sums[self._category].astype(np.float64)
