"""Gather what the report shows: proofs, counts, lengths, examples, the verifier's word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sgl.automata import Proofs
from sgl.build.guarantees import pattern_guarantees
from sgl.compile import Compiled
from sgl.compile.plan import GEN
from sgl.core.interpret import Derivation, interpret
from sgl.core.plan import Pattern, Plan
from sgl.dataset import Record
from sgl.report import (
    Counts,
    Growth,
    Guarantee,
    Lengths,
    Mass,
    PatternReport,
    Relation,
    ReportData,
    Unused,
    example_of,
)
from sgl.verify import Report

#: The checks of the verifier that search the graphs for what patterns claim.
GRAPH_CHECKS = ("V009", "V010", "V011", "V012", "V013", "V014", "V015", "V016", "V021", "V022")

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
        self.sizes = dict.fromkeys((stratum.category for stratum in plan.strata), 0)
        for stratum in plan.strata:
            self.sizes[stratum.category] += stratum.count
        self.seen = dict.fromkeys(self.sizes, 0)
        self.training = {s.category for s in plan.strata if s.split != GEN}

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
    return ReportData(
        title=compiled.project.title or compiled.project.name,
        signature=manifest["signature"],
        source_language=plan.source,
        target_language=plan.target,
        guarantees=_checked(verification),
        patterns=tuple(
            _pattern(compiled, proofs, pattern, observer, verification) for pattern in plan.patterns
        ),
        counts=_counts(proofs, manifest),
        lengths=tuple(
            Lengths(split, tuple(sorted(counts.items())))
            for split, counts in observer.lengths.items()
        ),
        growth=tuple(
            Growth(figure.stream, figure.spectral_radius, figure.expected_tokens)
            for figure in proofs.distributions
        ),
        unused=_unused(compiled, proofs),
        relations=_relations(compiled, proofs),
        parameters=tuple(sorted(compiled.parameters.items())),
    )


def _checked(verification: Report) -> tuple[Guarantee, ...]:
    """The checks of the verifier with their figures."""
    return tuple(
        Guarantee(
            result.claim,
            "checked",
            result.status,
            result.status != "failed",
            f"{result.checked:,} checked, {result.total:,} violations",
        )
        for result in verification.results
    )


def _counts(proofs: Proofs, manifest: dict[str, Any]) -> tuple[Counts, ...]:
    """What was drawn for every stratum."""
    masses = {figure.stream: figure.mass for figure in proofs.distributions}
    return tuple(
        Counts(
            split,
            part["category"],
            part["count"],
            part["candidates"],
            masses[part["stream"]],
            tuple((reason, number) for reason, number in part["rejected"].items() if number),
            tuple(part["shares"].items()),
        )
        for split, entry in manifest["splits"].items()
        for part in entry["strata"]
    )


def _pattern(
    compiled: Compiled,
    proofs: Proofs,
    pattern: Pattern,
    observer: Observer,
    verification: Report,
) -> PatternReport:
    proved = proofs.of(pattern.name)
    plan = compiled.plan
    return PatternReport(
        name=pattern.name,
        title=pattern.title,
        groups=pattern.groups,
        held_out=tuple(str(structure) for structure in pattern.held_out),
        guarantees=(
            *(
                Guarantee(g.claim, g.method, g.result, g.result == "proved", g.detail)
                for g in pattern_guarantees(proved)
            ),
            _on_the_graphs(observer, pattern.name, verification),
        ),
        masses=tuple(
            Mass("held out", str(claim.structure), claim.mass, claim.train_mass)
            for claim in proved.held_out
        ),
        examples=tuple(
            example_of(
                compiled.grammar,
                derivation,
                source=plan.source,
                target=plan.target,
                graph=plan.lemma_layer,
            )
            for derivation in observer.examples.get(pattern.name, ())
        ),
    )


def _on_the_graphs(observer: Observer, pattern: str, verification: Report) -> Guarantee:
    """The word of the verifier, which searched every graph for the pattern's structures."""
    found = [result for result in verification.results if result.code in GRAPH_CHECKS]
    ok = all(result.status == "passed" for result in found)
    own = observer.seen.get(pattern, 0)
    trained = sum(n for category, n in observer.seen.items() if category in observer.training)
    detail = f"in {own:,} of its {own:,} items, in none of {trained:,} of train, dev and test"
    return Guarantee(
        "on the graphs", "checked", "passed" if ok else "failed", ok, detail if ok else ""
    )


def _relations(compiled: Compiled, proofs: Proofs) -> tuple[Relation, ...]:
    """Patterns that share sentences or structures."""

    def sentence(derivation: Derivation) -> str:
        layer = compiled.grammar.text_layer(compiled.plan.source)
        return interpret(compiled.grammar, derivation).texts[layer]

    overlaps = (
        Relation("share items", pair.first, pair.second, sentence(pair.witness))
        for pair in proofs.overlaps
    )
    nestings = (
        Relation("nested", pair.inner_pattern, pair.outer_pattern, str(pair.inner))
        for pair in proofs.nestings
    )
    return (*overlaps, *nestings)


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
