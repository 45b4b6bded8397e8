"""Gather what the report shows: proofs, counts, lengths, examples, the verifier's word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sgl.automata import Proofs
from sgl.build.guarantees import pattern_guarantees
from sgl.compile import Compiled
from sgl.core.interpret import Derivation
from sgl.core.plan import Plan
from sgl.dataset import Record
from sgl.report import (
    Counts,
    Growth,
    Guarantee,
    Lengths,
    Mass,
    PatternReport,
    ReportData,
    Unused,
    example_of,
)
from sgl.verify import Report

#: Items shown for each pattern, taken at regular distances.
EXAMPLES = 3
_EVERY = 200


class Observer:
    """Watches the records go by: lengths, a few examples, progress."""

    def __init__(self, plan: Plan, progress: Callable[[int], None]) -> None:
        self.progress = progress
        self.done = 0
        self.lengths: dict[str, dict[int, int]] = {}
        self.examples: dict[str, list[Derivation]] = {}
        self.sizes = {name: 0 for name in (stratum.category for stratum in plan.strata)}
        for stratum in plan.strata:
            self.sizes[stratum.category] += stratum.count
        self.seen = dict.fromkeys(self.sizes, 0)

    def __call__(self, record: Record) -> None:
        """Take note of one record."""
        tokens = len(record.item.tokens[0])
        lengths = self.lengths.setdefault(record.split, {})
        lengths[tokens] = lengths.get(tokens, 0) + 1
        distance = max(self.sizes[record.category] // EXAMPLES, 1)
        kept = self.examples.setdefault(record.category, [])
        if self.seen[record.category] % distance == 0 and len(kept) < EXAMPLES:
            kept.append(record.item.derivation)
        self.seen[record.category] += 1
        self.done += 1
        if self.done % _EVERY == 0:
            self.progress(self.done)


def report_data(
    compiled: Compiled,
    proofs: Proofs,
    manifest: dict[str, Any],
    observer: Observer,
    verification: Report,
) -> ReportData:
    """Everything on the page, as values."""
    plan = compiled.plan
    masses = {figure.stream: figure.mass for figure in proofs.distributions}
    return ReportData(
        title=compiled.project.title or compiled.project.name,
        signature=manifest["signature"],
        source_language=plan.source,
        target_language=plan.target,
        guarantees=tuple(
            Guarantee(
                result.claim,
                "checked",
                result.status,
                result.status != "failed",
                f"{result.checked:,} checked, {result.total:,} violations",
            )
            for result in verification.results
        ),
        patterns=tuple(
            _pattern(compiled, proofs, pattern.name, observer) for pattern in plan.patterns
        ),
        counts=tuple(
            Counts(
                split, part["category"], part["count"], part["candidates"], masses[part["stream"]]
            )
            for split, entry in manifest["splits"].items()
            for part in entry["strata"]
        ),
        lengths=tuple(
            Lengths(split, tuple(sorted(counts.items())))
            for split, counts in observer.lengths.items()
        ),
        growth=tuple(
            Growth(figure.stream, figure.spectral_radius, figure.expected_tokens)
            for figure in proofs.distributions
        ),
        unused=_unused(compiled, proofs),
        parameters=tuple(sorted(compiled.parameters.items())),
    )


def _pattern(
    compiled: Compiled, proofs: Proofs, name: str, observer: Observer
) -> PatternReport:
    pattern = next(p for p in compiled.plan.patterns if p.name == name)
    proved = proofs.of(name)
    plan = compiled.plan
    return PatternReport(
        name=name,
        title=pattern.title,
        groups=pattern.groups,
        held_out=tuple(str(structure) for structure in pattern.held_out),
        guarantees=tuple(
            Guarantee(g.claim, g.method, g.result, g.result == "proved", g.detail)
            for g in pattern_guarantees(proved)
        ),
        masses=(
            *(
                Mass("held out", str(claim.structure), claim.mass, claim.train_mass)
                for claim in proved.held_out
            ),
        ),
        examples=tuple(
            example_of(
                compiled.grammar,
                derivation,
                source=plan.source,
                target=plan.target,
                graph=plan.lemma_layer,
            )
            for derivation in observer.examples.get(name, ())
        ),
    )


def _unused(compiled: Compiled, proofs: Proofs) -> tuple[Unused, ...]:
    """Rules and words that training can no longer use, each named once."""
    grammar = compiled.grammar
    source = grammar.text_layer(compiled.plan.source)
    found: dict[Unused, None] = {}
    for entry in proofs.unused:
        if entry.split != "train":
            continue
        dead = set(entry.rules)
        alive = {rule.name for rule in grammar.rules if rule.rhs and rule.id not in dead}
        for number in entry.rules:
            rule = grammar.rules[number]
            label = rule.name
            if label in alive:
                label = f"{label} as {grammar.categories[rule.lhs].name}"
            found[Unused("rule", label, entry.split)] = None
        for number in entry.words:
            text = " ".join(
                getattr(item, "text", "") for item in grammar.rules[number].templates[source]
            )
            found[Unused("word", text, entry.split)] = None
    return tuple(found)
