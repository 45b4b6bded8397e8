"""Gather what the report shows: proofs, counts, lengths, examples, the verifier's results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sgl.automata import Licence, PatternProofs, Piece, Proofs, StructureCompiler
from sgl.automata.proofs.findings import LONGEST_COUNTED, StratumStatistics
from sgl.core.arrays import Derivations
from sgl.core.divergence import ElementCounts, SplitDivergence, compare_counts
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, interpret
from sgl.core.plan import Ambiguous, Constraint, Pattern, Plan
from sgl.dataset import Chunk, string_figures
from sgl.frontend import Compiled
from sgl.pipeline.guarantees import CHECKED, METHOD, NOT_CHECKED, REFUTED, excuses
from sgl.pipeline.proofs import known_figures
from sgl.report import example_of
from sgl.verify import Report

if TYPE_CHECKING:
    from sgl.sampling.batch import Sampler

#: The split that the others are compared with.
TRAIN = "train"

#: Items shown for each pattern, taken at regular distances.
EXAMPLES = 3

#: Names in a list of what training need not show.
_NAMED = 60

_Counts = NDArray[np.int64]


class RuleTally:
    """How often each rule, and each rule with a child at its place, occurs in each split.

    Derivations go by in batches and are not kept::

        tally.add("train", 10,000 derivations)
        tally.add("gen", 10,000 derivations)
        tally.against("train")                   gen: D_A 0.02, D_C 0.09, 1 compound unseen
    """

    def __init__(self, grammar: CoreGrammar) -> None:
        self._arity = np.array(grammar.arity, np.int64)
        self._places = max(grammar.arity, default=0) or 1
        self._rules: dict[str, _Counts] = {}
        self._pairs: dict[str, list[tuple[_Counts, _Counts]]] = {}

    def add(self, split: str, derivations: Derivations) -> None:
        """Count the derivations of a batch."""
        rules, parent, place = derivations.nodes(self._arity)
        number = len(self._arity)
        counts = self._rules.setdefault(split, np.zeros(number, np.int64))
        counts += np.bincount(rules, minlength=number)
        inner = parent >= 0
        keys = (rules[parent[inner]] * self._places + place[inner]) * number + rules[inner]
        self._pairs.setdefault(split, []).append(np.unique(keys, return_counts=True))

    def against(self, train: str) -> dict[str, SplitDivergence]:
        """Compare each other split with training, in the order in which they came."""
        if train not in self._rules:
            return {}
        batches = [keys for pairs in self._pairs.values() for keys, _ in pairs]
        kinds = np.unique(np.concatenate(batches))
        counts = {}
        for split, rules in self._rules.items():
            sums = np.zeros(len(kinds), np.int64)
            for keys, occurrences in self._pairs[split]:
                sums[np.searchsorted(kinds, keys)] += occurrences
            counts[split] = ElementCounts(rules, sums)
        reference = counts.pop(train)
        return {split: compare_counts(reference, found) for split, found in counts.items()}


class Observer:
    """Watches the chunks go by: lengths, a few examples, what their derivations are made of."""

    def __init__(self, grammar: CoreGrammar, plan: Plan, sampler: Sampler) -> None:
        self._sampler = sampler
        self.tally = RuleTally(grammar)
        self.lengths: dict[str, Counter[int]] = {}
        self.examples: dict[str, list[Derivation]] = {}
        self.sizes: Counter[str] = Counter()
        for stratum in plan.strata:
            self.sizes[stratum.category] += stratum.count
        self.seen = dict.fromkeys(self.sizes, 0)

    def __call__(self, chunk: Chunk) -> None:
        """Take note of the rows of a chunk."""
        lengths = enumerate(np.bincount(chunk.words).tolist())
        found = {length: number for length, number in lengths if number}
        self.lengths.setdefault(chunk.split, Counter()).update(found)
        for stratum, numbers in chunk.pieces:
            derivations = self._sampler.derive(stratum, numbers).derivations
            if len(numbers):
                self.tally.add(chunk.split, derivations)
            # The items that stand at regular distances in their category are kept.
            distance = max(self.sizes[stratum.category] // EXAMPLES, 1)
            kept = self.examples.setdefault(stratum.category, [])
            before = self.seen[stratum.category]
            shown = np.arange(-before % distance, len(numbers), distance)[: EXAMPLES - len(kept)]
            kept += map(derivations.at, shown.tolist())
            self.seen[stratum.category] += len(numbers)


def report_data(
    compiled: Compiled,
    structures: StructureCompiler,
    proofs: Proofs,
    manifest: dict[str, Any],
    observer: Observer,
    verification: Report,
) -> dict[str, Any]:
    """Return everything on the page, as the template of the report names it."""
    plan = compiled.plan
    texts = {layer.name for layer in compiled.grammar.text_layers}
    statistics = known_figures(compiled, structures)
    masses = {entry.stream: entry.mass for entry in statistics}
    return {
        "title": compiled.project.title or compiled.project.name,
        "identity": manifest["identity"],
        "parameters": sorted(compiled.parameters.items()),
        "source_language": plan.source,
        "target_language": plan.target if plan.target in texts else "",
        "guarantees": _guarantees(manifest, verification),
        "patterns": [
            _pattern(compiled, proofs.of(pattern.name), pattern, manifest, observer.examples)
            for pattern in plan.patterns
        ],
        "counts": [
            {
                **part,
                "split": split,
                "mass": masses[part["stream"]],
                "rejected": {reason: n for reason, n in part["rejected"].items() if n},
            }
            for split, entry in manifest["splits"].items()
            for part in entry["strata"]
        ],
        "lengths": observer.lengths,
        "divergences": observer.tally.against(TRAIN),
        "sizes": _sizes(plan, statistics),
        "longest": LONGEST_COUNTED,
        "heights": _heights(plan, statistics),
        "unused": _unused(compiled, proofs),
        "relations": [
            *(
                (pair.first, "share items", pair.second, _sentence(compiled, pair.witness))
                for pair in proofs.overlaps
            ),
            *(
                (pair.inner_pattern, "nested", pair.outer_pattern, pair.inner)
                for pair in proofs.nestings
            ),
        ],
    }


def _sentence(compiled: Compiled, derivation: Derivation | None) -> str:
    """Return the source text of a derivation; nothing if there is none."""
    layer = compiled.grammar.text_layer(compiled.plan.source)
    return "" if derivation is None else interpret(compiled.grammar, derivation).texts[layer]


def _guarantees(manifest: dict[str, Any], verification: Report) -> list[dict[str, str]]:
    """Return what parsing has said of all strings, and the checks of the verifier."""
    figures = string_figures(manifest)
    result = CHECKED
    if figures.policy is Ambiguous.IGNORE:
        result = NOT_CHECKED
    elif figures.ambiguous and figures.policy is not Ambiguous.REJECT:
        result = REFUTED
    claim = "No string has another reading with what is held out, or with another output."
    rows = [(claim, METHOD, result, figures.sentence)]
    for check in verification.results:
        detail = check.reason or f"{check.checked:,} checked, {check.total:,} violations"
        rows.append((check.claim, "checked", check.status, detail))
    return [dict(zip(("claim", "method", "result", "detail"), row, strict=True)) for row in rows]


def _sizes(
    plan: Plan, statistics: Sequence[StratumStatistics]
) -> list[tuple[list[str], StratumStatistics]]:
    """Return the statistics of all distributions; strata under one constraint have one row."""
    constraint = {stratum.stream: stratum.constraint for stratum in plan.strata}
    rows: dict[Constraint | None, tuple[list[str], StratumStatistics]] = {}
    for entry in statistics:
        names, _ = rows.setdefault(constraint.get(entry.stream), ([], entry))
        names.append(entry.stream)
    return list(rows.values())


def _heights(plan: Plan, statistics: Sequence[StratumStatistics]) -> dict[str, list[float]]:
    """Return the heights in each split, its strata mixed in proportion to their items."""
    by_stream = {entry.stream: entry.heights for entry in statistics}
    found: dict[str, list[float]] = {}
    for split in dict.fromkeys(stratum.split for stratum in plan.strata if stratum.count):
        strata = [stratum for stratum in plan.strata if stratum.split == split and stratum.count]
        total = sum(stratum.count for stratum in strata)
        shares = [0.0] * max(len(by_stream[stratum.stream]) for stratum in strata)
        for stratum in strata:
            for height, share in enumerate(by_stream[stratum.stream]):
                shares[height] += share * stratum.count / total
        found[split] = shares
    return found


def _unused(compiled: Compiled, proofs: Proofs) -> list[tuple[str, str, str]]:
    """Return the rules and words that training can no longer use, each named once."""
    grammar = compiled.grammar
    source = grammar.text_layer(compiled.plan.source)
    found: list[tuple[str, str, str]] = []
    for entry in proofs.unused:
        if entry.split != TRAIN:
            continue
        dead = set(entry.rules)
        alive = {rule.name for rule in grammar.rules if rule.rhs and rule.id not in dead}
        for rule in (grammar.rules[number] for number in entry.rules):
            variant = f"{rule.name} as {grammar.categories[rule.lhs].name}"
            found.append((TRAIN, "rule", variant if rule.name in alive else rule.name))
        for number in entry.words:
            template = grammar.rules[number].templates[source]
            found.append((TRAIN, "word", " ".join(getattr(item, "text", "") for item in template)))
    return list(dict.fromkeys(found))


def _pattern(
    compiled: Compiled,
    proved: PatternProofs,
    pattern: Pattern,
    manifest: Mapping[str, Any],
    examples: Mapping[str, Sequence[Derivation]],
) -> dict[str, Any]:
    """Return one pattern, its guarantees as the manifest states them."""
    grammar, plan = compiled.grammar, compiled.plan
    parts: list[tuple[str, Licence | Piece, str]] = [
        ("need", claim, f"{claim.expected:,.0f} expected, {claim.minimum:,} asked for")
        for claim in proved.licences
    ]
    parts += [("piece", claim, claim.verdict.value) for claim in proved.pieces]
    return {
        "name": pattern.name,
        "title": pattern.title,
        "groups": pattern.groups,
        "guarantees": [g for g in manifest["guarantees"] if g["pattern"] == pattern.name],
        "held_out": proved.held_out,
        "parts": [
            {
                "role": role,
                "structure": claim.structure,
                "result": claim.verdict.value,
                "text": text,
                "sentence": _sentence(compiled, claim.example),
            }
            for role, claim, text in parts
        ],
        "excused": excuses(proved.exposed, _NAMED),
        "examples": [
            example_of(
                grammar, found, source=plan.source, target=plan.target, graph=plan.lemma_layer
            )
            for found in examples.get(pattern.name, ())
        ],
    }
