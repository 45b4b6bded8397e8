"""Estimate weights from a corpus by relative frequency, and by EM if uses are uncertain.

:func:`collect` reads corpora into a sample, :func:`estimate` turns it into a fit, and :func:`weights_text` writes that
as the file that a grammar names (``docs/fit.md``).

Sentences with one reading are counted.  Expectation--maximisation (Dempster, Laird & Rubin 1977) handles two things
that make uses uncertain.  A sentence may have several readings: each counts by its probability under the current
weights.  And the corpus may be sampled from *a split*, so that rare rules look rarer than they are: the texts that the
split leaves out count too, as often as the current weights predict (:class:`Selection`).

Rounds continue until they gain less than ``tolerance`` per sentence.  A category that the corpus never uses keeps its
declared weights.  Expected uses take two passes over the packed forest (Baker 1979; Goodman 1999).
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import exp, inf, isfinite, log
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, get_args

import numpy as np
import yaml
from numpy.typing import NDArray

from sgl.core.grammar import RULES, SECTIONS, WORDS, CoreGrammar, RuleKey
from sgl.corpus import rows as corpus_rows
from sgl.foreign import ROWS, sha256_of
from sgl.parsing import Forest, Parser, describe_failure

Vector = NDArray[np.float64]

#: The fates of rows, in the order in which they are shown.
Fate = Literal["used", "no reading", "held out", "unreadable", "other kind"]
FATES: tuple[Fate, ...] = get_args(Fate)

#: How the rules of a category share pseudo-counts.
Prior = Literal["uniform", "declared"]
PRIORS: tuple[Prior, ...] = get_args(Prior)

#: A callback with the number of the round and the log-likelihood per sentence.
RoundProgress = Callable[[int, float], None]


@dataclass
class Sample:
    """The sentences of a corpus as uses of rules.

    ``certain`` counts uses in sentences with one reading; ``ambiguous`` has the others, each with its number of rows.
    ``fates`` counts rows by fate, and ``kinds`` does so for each kind.  ``files`` has the name, SHA-256 and number of
    rows of each file read.
    """

    certain: Counter[int] = field(default_factory=Counter)
    ambiguous: dict[str, tuple[Forest, int]] = field(default_factory=dict)
    fates: Counter[Fate] = field(default_factory=Counter)
    kinds: dict[str, Counter[Fate]] = field(default_factory=dict)
    unparsed: list[corpus_rows.ListedRow] = field(default_factory=list)
    unreadable: list[corpus_rows.ListedRow] = field(default_factory=list)
    held_out: list[corpus_rows.ListedRow] = field(default_factory=list)
    files: list[dict[str, str | int]] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """The number of rows that the estimate uses."""
        return self.fates["used"]

    def add(self, read: corpus_rows.SentenceReadings, sentence: str, times: int = 1) -> None:
        """Add the readings of a sentence."""
        self.fates["used"] += times
        for rule in read.derivation:
            self.certain[rule] += times
        if read.forest is not None:
            _, before = self.ambiguous.get(sentence, (None, 0))
            self.ambiguous[sentence] = (read.forest, before + times)

    def take(
        self,
        grammar: CoreGrammar,
        read: corpus_rows.SentenceReadings,
        row: corpus_rows.ListedRow,
        admits: Callable[[Forest], bool] | None,
    ) -> Fate:
        """Add the sentence of a row and return its fate; a row that is not used is listed with the reason."""
        if read.refused:
            corpus_rows.list_row(self.unreadable, {**row, "sentence": "", "reason": read.refused})
            return "unreadable"
        if read.failure is not None:
            reason = describe_failure(grammar, read.spelling, read.failure)
            corpus_rows.list_row(self.unparsed, {**row, "reason": reason})
            return "no reading"
        if admits is not None and not admits(read.forest or Forest.of_one(grammar, read.derivation)):
            corpus_rows.list_row(self.held_out, {**row, "reason": "contains what the split leaves out"})
            return "held out"
        self.add(read, row["sentence"])
        return "used"


def collect(
    parser: Parser,
    paths: Sequence[Path],
    progress: corpus_rows.Progress,
    *,
    columns: int = 2,
    place: int = 0,
    kinds: Collection[str] = (),
    normalizer: corpus_rows.Normalizer | None = None,
    admits: Callable[[Forest], bool] | None = None,
) -> Sample:
    """Read corpora with ``columns`` text columns; the one at ``place`` has the sentences.

    Only rows of these ``kinds`` count (all if empty), and only sentences that have a reading ``admits``
    accepts.
    """
    sample, batches = Sample(), corpus_rows.SentenceBatches(parser, normalizer)
    for path in paths:
        digest, number = sha256_of(path, ROWS), 0
        for batch in corpus_rows.Corpus(path, columns).batches(progress):
            number += len(batch)
            rows = [row for row in batch if isinstance(row, corpus_rows.CorpusRow)]
            read = batches.read(row.texts[place] for row in rows if not kinds or row.kind in kinds)
            for row in batch:
                listed: corpus_rows.ListedRow = {"file": str(path), "line": row.line, "sentence": ""}
                if isinstance(row, corpus_rows.Unreadable):
                    sample.fates["unreadable"] += 1
                    corpus_rows.list_row(sample.unreadable, {**listed, "reason": row.reason})
                    continue
                fate: Fate = "other kind"
                if not kinds or row.kind in kinds:
                    sentence = row.texts[place]
                    fate = sample.take(parser.grammar, read[sentence], {**listed, "sentence": sentence}, admits)
                if fate != "used":
                    sample.fates[fate] += 1
                sample.kinds.setdefault(row.kind, Counter())[fate] += 1
        sample.files.append({"file": path.name, "sha256": digest, "rows": number})
    return sample


def expected_uses(forest: Forest, costs: Sequence[float]) -> tuple[float, dict[int, float]]:
    """Return the log-probability of a sentence and the expected uses of each rule in it.

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
    # The posterior probability of each node, summed over its occurrences.
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


class LeftOut(NamedTuple):
    """The texts that a split leaves out, under some weights.

    ``log_mass`` is the log-probability that a text belongs to the split; ``uses[r]`` is the expected number of uses of
    rule ``r`` in the texts left out, per text kept.
    """

    log_mass: float
    uses: Vector


class Selection(Protocol):
    """The split from which the corpus is assumed to be drawn."""

    def refresh(self, weights: Vector) -> None:
        """Measure again, under these weights, whatever only drawing can measure."""

    def left_out(self, weights: Vector) -> LeftOut:
        """Return the texts that the split leaves out under these weights, as expected uses."""


@dataclass(frozen=True, slots=True)
class Options:
    """Settings: mean pseudo-counts per rule, their prior, the gain (nats per sentence) that ends, most rounds."""

    smoothing: float = 0.5
    prior: Prior = "uniform"
    tolerance: float = 1e-5
    rounds: int = 500
    refreshes: int = 4


@dataclass(frozen=True)
class Fit:
    """Estimated weights, which sum to 1 in each category.

    ``uses`` are expected uses in the corpus, without pseudo-counts; ``seen`` marks rules of categories that are used.
    ``before`` and ``after`` are log-likelihoods per sentence, in nats, under the declared weights (-inf if a used one
    is 0) and the estimated ones.  ``tokens`` is the mean per sentence.  ``log_mass`` is the log-probability of the
    split under the estimated weights, or 0 without a split.
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
    progress: RoundProgress = lambda *_: None,
) -> Fit:
    """Return the likeliest weights for a sample read in ``layer``; raises ``ValueError`` if it is empty."""
    if not sample.rows:
        raise ValueError("the sample has no sentences")
    rounds = _Rounds(grammar, sample, options, selection)
    declared = rounds.declared
    uses, before = rounds.expected(declared)
    weights, done, converged = rounds.maximised(uses, uses + rounds.pseudo, declared), 1, True
    log_mass = 0.0
    if selection is not None:
        for number in range(options.refreshes):
            start = weights if number else declared
            selection.refresh(start)
            if not number:
                before -= selection.left_out(start).log_mass
            weights, done, converged = rounds.go_on(start, done if number else 0, progress)
        log_mass = selection.left_out(weights).log_mass
    elif sample.ambiguous:
        weights, done, converged = rounds.go_on(declared, 0, progress)
    uses, after = rounds.expected(weights)
    words = np.array([len(rule.words(layer)) for rule in grammar.rules], np.float64)
    tokens = float(words @ uses) / sample.rows
    return Fit(weights, uses, rounds.total(uses) > 0, before, after - log_mass, tokens, done, converged, log_mass)


class _Rounds:
    """The rounds of an estimation, with the sample as arrays."""

    def __init__(self, grammar: CoreGrammar, sample: Sample, options: Options, selection: Selection | None) -> None:
        self._sample, self._options, self._selection = sample, options, selection
        self._category = np.array([rule.lhs for rule in grammar.rules], np.intp)
        self._certain = np.array([sample.certain[rule.id] for rule in grammar.rules], np.float64)
        self.declared = np.array([rule.weight for rule in grammar.rules], np.float64)
        ones = np.ones(len(grammar.rules))
        share = self.declared * self.total(ones) if options.prior == "declared" else ones
        #: Names stay interchangeable: the entries of a category share their uses.
        self._alike = [[*rules] for group in grammar.names for rules in group]
        self.pseudo: Vector = options.smoothing * share

    def go_on(self, weights: Vector, done: int, progress: RoundProgress) -> tuple[Vector, int, bool]:
        """Improve weights while rounds gain enough; return them, the number of rounds, and whether they converged."""
        options, rows, last, counted = self._options, self._sample.rows, -np.inf, self.pseudo > 0
        while done < options.rounds:
            uses, likelihood = self.expected(weights)
            counts = uses + self.pseudo
            if self._selection is not None:
                log_mass, left_out = self._selection.left_out(weights)
                likelihood -= log_mass
                counts = counts + left_out * rows
            # The logarithm of the prior density, up to a constant.
            prior = float(self.pseudo[counted] @ np.log(weights[counted]))
            objective = likelihood + prior / rows
            if objective - last < options.tolerance:
                return weights, done, True
            last = objective
            weights = self.maximised(uses, counts, weights)
            done += 1
            progress(done, likelihood)
        return weights, done, False

    def expected(self, weights: Vector) -> tuple[Vector, float]:
        """Return the expected uses of rules and the log-likelihood per sentence."""
        with np.errstate(divide="ignore"):
            logs = np.log(weights)
        used = self._certain > 0
        total = float(self._certain[used] @ logs[used])
        uses = self._certain.copy()
        costs: list[float] = logs.tolist()
        for forest, rows in self._sample.ambiguous.values():
            likelihood, found = expected_uses(forest, costs)
            total += rows * likelihood
            for rule, share in found.items():
                uses[rule] += rows * share
        return uses, total / self._sample.rows

    def maximised(self, uses: Vector, counts: Vector, old: Vector) -> Vector:
        """Return weights proportional to counts, keeping the old ones of unused categories."""
        seen, counts = self.total(uses) > 0, counts.copy()
        for rules in self._alike:
            counts[rules] = counts[rules].mean()
        return np.where(seen, counts / np.where(seen, self.total(counts), 1.0), old).astype(np.float64)

    def total(self, counts: Vector) -> Vector:
        """Return for each rule the sum over its category."""
        return np.bincount(self._category, counts)[self._category].astype(np.float64)


def likelihood(nats: float, tokens: float) -> dict[str, float | None]:
    """Return how well weights predict a sentence: nats, bits, and perplexity per token, not counting its end."""
    found = (nats, -nats / log(2), exp(-nats / tokens) if tokens else inf) if isfinite(nats) else (None,) * 3
    return dict(zip(("log_likelihood", "bits", "perplexity"), found, strict=True))


def changes(
    grammar: CoreGrammar, keys: Sequence[RuleKey], fit: Fit, rows: int, limit: int = 1_000
) -> list[dict[str, Any]]:
    """Return the changes that matter most: the rule's key, its weights, and the change in its expected uses."""
    total: Counter[int] = Counter()
    for rule in grammar.rules:
        total[rule.lhs] += float(fit.uses[rule.id])  # type: ignore[assignment]
    found: list[dict[str, Any]] = []
    for rule, key in zip(grammar.rules, keys, strict=True):
        if fit.seen[rule.id]:
            before, after = rule.weight, float(fit.weights[rule.id])
            effect = total[rule.lhs] / rows * (after - before)
            found.append({"key": key, "before": before, "after": after, "effect": effect})
    return sorted(found, key=lambda change: (-abs(change["effect"]), change["key"]))[:limit]


def fit_data(grammar: CoreGrammar, keys: Sequence[RuleKey], fit: Fit, sample: Sample) -> dict[str, Any]:
    """Return everything that was found, as plain values in a fixed order."""
    return {
        "rows": {fate: sample.fates[fate] for fate in FATES},
        "ambiguous_rows": sum(rows for _, rows in sample.ambiguous.values()),
        "kinds": {kind: {fate: fates[fate] for fate in FATES} for kind, fates in sorted(sample.kinds.items())},
        "files": sample.files,
        "rounds": fit.rounds,
        "converged": fit.converged,
        "probability_of_the_split": exp(fit.log_mass),
        "tokens": fit.tokens,
        "before": likelihood(fit.before, fit.tokens),
        "after": likelihood(fit.after, fit.tokens),
        "changes": [asdict(one.pop("key")) | one for one in changes(grammar, keys, fit, sample.rows)],
        "unparsed_rows": sample.unparsed,
        "held_out_rows": sample.held_out,
        "unreadable_rows": sample.unreadable,
    }


def weights_text(
    grammar: CoreGrammar, keys: Sequence[RuleKey], fit: Fit, provenance: Mapping[str, Any], comment: Sequence[str] = ()
) -> str:
    """Return the file's text after ``comment``: by category and name a weight, or one for each part.

    It is sorted and has six digits, so that two files can be compared line by line.  It omits categories that the
    corpus does not use and categories with a single rule.
    """
    alternatives = Counter(rule.lhs for rule in grammar.rules)
    weight_of: Counter[RuleKey] = Counter()
    for rule, key in zip(grammar.rules, keys, strict=True):
        if fit.seen[rule.id] and alternatives[rule.lhs] > 1:
            weight_of[key] += float(fit.weights[rule.id])  # type: ignore[assignment]
    sections: dict[str, Any] = {section: {} for section in SECTIONS}
    for key, weight in sorted(weight_of.items()):
        names = sections[key.section].setdefault(key.category, {})
        if key.section == WORDS:
            names[key.name] = float(f"{weight:.6g}")
        else:
            names.setdefault(key.name, {})[key.part] = float(f"{weight:.6g}")
    for names in sections[RULES].values():
        for name, parts in names.items():
            if len(parts) == 1:
                (names[name],) = parts.values()
    written = {section: names for section, names in sections.items() if names}
    return "".join(f"# {line}".rstrip() + "\n" for line in comment) + "".join(
        yaml.dump(part, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=1_000)
        for part in ({"fitted": dict(provenance)}, written)
    )


class _Dumper(yaml.SafeDumper):
    """A dumper that escapes the line ends of Unicode, which would be read as spaces."""


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = '"' if not frozenset("\x85\u2028\u2029").isdisjoint(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style)


_Dumper.add_representer(str, _text)
