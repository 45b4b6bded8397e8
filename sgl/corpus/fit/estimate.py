"""Estimate weights from a sample: relative frequencies, and EM where these are not known.

Sentences with one reading are counted, and the weight of a rule is its share of the
uses of its category.  Two things can keep the uses from being known, and both are made up
for by expectation--maximisation (Dempster, Laird & Rubin 1977):

- A sentence has several readings: each counts by its probability under the weights so far.
- The corpus was sampled from *a split*, from which whatever patterns hold out was left out,
  so that rare rules look rarer than they are.  What was left out counts as well, as often
  as the weights so far let one expect (:class:`Selection`).

Each round makes the corpus (with the prior) more probable; rounds go on until they gain
less than ``tolerance`` a sentence.  Smoothing adds pseudo-counts, so that no weight is 0.
A category that the corpus never uses keeps its declared weights.

How often a sentence with several readings uses a rule *on average* is found by two passes
over its packed forest: upwards the probability of what is below each node (inside),
downwards that of what is around it (outside)::

    inside(n)  = sum over the alternatives r(c1 ... ck) of n:  w(r) inside(c1) ... inside(ck)
    uses(r, n) = outside(n) w(r) inside(c1) ... inside(ck) / inside(root)

Everything is in logarithms, so that long sentences do not underflow.  Algorithm: Baker
(1979); for forests see Goodman (1999), *Semiring Parsing*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, inf, log
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sgl.core.grammar import CoreGrammar
from sgl.corpus.fit.sample import Sample
from sgl.parsing import Forest


def expected_uses(forest: Forest, costs: Sequence[float]) -> tuple[float, dict[int, float]]:
    """Return the log-probability of a sentence, and the expected uses of each rule in it.

    ``costs[r]`` is the logarithm of the weight of rule ``r``.  The uses are conditional
    on the sentence: those of the rules at its root sum to 1.
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
    total = inside[-1]
    uses: dict[int, float] = {}
    # The posterior probability of each node, summed over the places that it is used in.
    posterior = [0.0] * len(forest.nodes)
    posterior[-1] = 1.0
    for number in range(len(forest.nodes) - 1, -1, -1):
        if not posterior[number]:
            continue
        for alternative, term in zip(forest.nodes[number].alternatives, terms[number], strict=True):
            share = posterior[number] * exp(term - inside[number])
            uses[alternative.rule] = uses.get(alternative.rule, 0.0) + share
            for child in alternative.children:
                posterior[child] += share
    return total, uses


Vector = NDArray[np.float64]

#: How pseudo-counts are shared by the rules of a category.
Prior = Literal["uniform", "declared"]
PRIORS: tuple[Prior, ...] = ("uniform", "declared")

#: Called with the number of the round and the log-likelihood of a sentence.
Progress = Callable[[int, float], None]


class LeftOut(NamedTuple):
    """What a split leaves out, under some weights.

    ``log_mass`` is the logarithm of the probability that a text of the grammar belongs to
    the split; ``uses[r]`` is the expected number of uses of rule ``r`` in the texts that
    are left out for each one that is not.
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
    """How to estimate.

    Attributes:
        smoothing: pseudo-counts for each rule of a category, on average.
        prior: whether they are equal or follow the declared weights.
        tolerance: the gain of a round, in nats for each sentence, that ends the rounds.
        rounds: the most rounds.
        refreshes: how often a selection is measured.
    """

    smoothing: float = 0.5
    prior: Prior = "uniform"
    tolerance: float = 1e-5
    rounds: int = 500
    refreshes: int = 4


@dataclass(frozen=True)
class Fit:
    """Estimated weights.

    Attributes:
        weights: the weight of each rule; those of a category sum to 1.
        uses: the expected uses of each rule in the corpus, without pseudo-counts.
        seen: whether the corpus uses a rule's category.
        before, after: log-likelihood of a sentence, in nats, under the declared weights
            and under the estimated ones; ``before`` is -inf where a declared weight is 0.
        tokens: the number of tokens of a sentence, on average.
        rounds: how many it took; ``converged`` says whether they ended by themselves.
        log_mass: that of the split, under the estimated weights; 0 without one.
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
    progress: Progress | None = None,
) -> Fit:
    """Return the weights under which a sample (given the selection) is most probable.

    ``layer`` is the text layer that was parsed.  Raises ``ValueError`` for a sample
    without sentences.
    """
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
    progress: Progress | None

    def __post_init__(self) -> None:
        rules = self.grammar.rules
        self._category = np.array([rule.lhs for rule in rules], np.intp)
        self._declared = np.array([rule.weight for rule in rules], np.float64)
        uses = (self.sample.certain.get(rule.id, 0) for rule in rules)
        self._certain = np.array(list(uses), np.float64)
        ones = np.ones(len(rules))
        share = self._declared * self._total(ones) if self.options.prior == "declared" else 1.0
        self._pseudo: Vector = self.options.smoothing * ones * share

    def run(self, layer: int) -> Fit:
        selection, declared = self.selection, self._declared
        uses, before = self._expected(declared)
        weights, rounds, converged = self._maximised(uses, None, declared), 1, True
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
        """Run rounds; return the weights, the number of rounds, whether they converged."""
        rows, last = self.sample.rows, -np.inf
        counted = self._pseudo > 0
        while done < self.options.rounds:
            uses, likelihood = self._expected(weights)
            left_out = None
            if self.selection is not None:
                log_mass, left_out = self.selection.left_out(weights)
                likelihood -= log_mass
                left_out = left_out * rows
            # The logarithm of the prior density, up to a constant.
            prior = float(self._pseudo[counted] @ np.log(weights[counted]))
            objective = likelihood + prior / rows
            if objective - last < self.options.tolerance:
                return weights, done, True
            last = objective
            weights = self._maximised(uses, left_out, weights)
            done += 1
            if self.progress is not None:
                self.progress(done, likelihood)
        return weights, done, False

    def _expected(self, weights: Vector) -> tuple[Vector, float]:
        """Return the expected uses of each rule, and the log-likelihood of a sentence."""
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

    def _maximised(self, uses: Vector, left_out: Vector | None, old: Vector) -> Vector:
        """Return the most probable weights if the uses are these; unused categories keep theirs."""
        counts = uses + self._pseudo
        if left_out is not None:
            counts = counts + left_out
        seen = self._total(uses) > 0
        totals = self._total(counts)
        new = np.where(seen, counts / np.where(seen, totals, 1.0), old)
        return new.astype(np.float64)

    def _total(self, counts: Vector) -> Vector:
        """For each rule the sum over the rules of its category."""
        sums = np.bincount(self._category, counts, len(self.grammar.categories))
        return sums[self._category].astype(np.float64)
