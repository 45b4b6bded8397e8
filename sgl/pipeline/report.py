"""Gather what the report shows: proofs, counts, lengths, examples, the verifier's results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sgl.automata import Proofs, StructureCompiler
from sgl.automata.proofs.findings import LONGEST_COUNTED, StratumStatistics
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, interpret
from sgl.core.plan import Ambiguous, Constraint, Plan, Stratum
from sgl.dataset import Chunk, Piece, string_figures
from sgl.frontend import Compiled
from sgl.pipeline.ambiguity import CHECKED, METHOD, NOT_CHECKED, REFUTED
from sgl.pipeline.proofs import known_figures
from sgl.pipeline.rule_tally import RuleTally
from sgl.report import (
    DistributionSize,
    Divergence,
    Guarantee,
    Heights,
    Lengths,
    PatternRelation,
    ReportData,
    StratumCounts,
    UnusedName,
)
from sgl.verify import Report

if TYPE_CHECKING:
    from sgl.sampling.batch import Sampler
from collections.abc import Mapping

from sgl.automata import PatternProofs, Verdict
from sgl.core.plan import Pattern
from sgl.pipeline.guarantees import excuses
from sgl.report import NeededPart, PatternReport, StructureMass, example_of

#: The split that the others are compared with.
TRAIN = "train"

#: Items shown for each pattern, taken at regular distances.
EXAMPLES = 3


class Observer:
    """Watches the chunks go by: lengths, a few examples, what their derivations are made of."""

    def __init__(self, grammar: CoreGrammar, plan: Plan, sampler: Sampler) -> None:
        self._sampler = sampler
        self.tally = RuleTally(grammar)
        self.lengths: dict[str, dict[int, int]] = {}
        self.examples: dict[str, list[Derivation]] = {}
        self.sizes = dict.fromkeys((stratum.category for stratum in plan.strata), 0)
        for stratum in plan.strata:
            self.sizes[stratum.category] += stratum.count
        self.seen = dict.fromkeys(self.sizes, 0)

    def __call__(self, chunk: Chunk) -> None:
        """Take note of the rows of a chunk."""
        lengths = self.lengths.setdefault(chunk.split, {})
        for length, number in enumerate(np.bincount(chunk.words).tolist()):
            if number:
                lengths[length] = lengths.get(length, 0) + number
        for piece in chunk.pieces:
            if len(piece.numbers):
                derivations = self._sampler.derive(piece.stratum, piece.numbers).derivations
                self.tally.add(chunk.split, derivations)
            self._show(piece)

    def _show(self, piece: Piece) -> None:
        """Keep the items of a piece that stand at regular distances in their category."""
        category, number = piece.stratum.category, len(piece.numbers)
        distance = max(self.sizes[category] // EXAMPLES, 1)
        kept = self.examples.setdefault(category, [])
        before = self.seen[category]
        shown = np.arange(-before % distance, number, distance)[: EXAMPLES - len(kept)]
        kept.extend(iter(self._sampler.derive(piece.stratum, piece.numbers[shown]).derivations))
        self.seen[category] += number


def report_data(
    compiled: Compiled,
    structures: StructureCompiler,
    proofs: Proofs,
    manifest: dict[str, Any],
    observer: Observer,
    verification: Report,
) -> ReportData:
    """Everything on the page, as values."""
    plan = compiled.plan
    texts = {layer.name for layer in compiled.grammar.text_layers}
    figures = known_figures(compiled, structures)
    return ReportData(
        title=compiled.project.title or compiled.project.name,
        signature=manifest["signature"],
        source_language=plan.source,
        target_language=plan.target if plan.target in texts else "",
        guarantees=(_strings(manifest), *_checked(verification)),
        patterns=tuple(
            pattern_report(compiled, proofs, pattern, manifest, observer.examples)
            for pattern in plan.patterns
        ),
        counts=_counts(proofs, manifest),
        lengths=tuple(
            Lengths(split, tuple(sorted(counts.items())))
            for split, counts in observer.lengths.items()
        ),
        divergences=_divergences(observer),
        sizes=_sizes(plan, figures),
        heights=_heights(plan, figures),
        unused=_unused(compiled, proofs),
        relations=_relations(compiled, proofs),
        parameters=tuple(sorted(compiled.parameters.items())),
    )


def _divergences(observer: Observer) -> tuple[Divergence, ...]:
    """Return how far each split is from training, in its rules and in their combinations."""
    return tuple(
        Divergence(split, found.atoms, found.compounds, found.unseen, found.unseen_share)
        for split, found in observer.tally.against(TRAIN).items()
    )


def _strings(manifest: dict[str, Any]) -> Guarantee:
    """Return what parsing has said of all strings."""
    figures = string_figures(manifest)
    claim = "No string has another reading with what is held out, or with another output."
    if figures.policy is Ambiguous.IGNORE:
        return Guarantee(claim, METHOD, NOT_CHECKED, None, figures.sentence)
    ok = not figures.ambiguous or figures.policy is Ambiguous.REJECT
    return Guarantee(claim, METHOD, CHECKED if ok else REFUTED, ok, figures.sentence)


def _checked(verification: Report) -> tuple[Guarantee, ...]:
    """Return the checks of the verifier with their figures."""
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


def _sizes(plan: Plan, figures: Sequence[StratumStatistics]) -> tuple[DistributionSize, ...]:
    """Return the figures of all distributions; strata under one constraint have one row."""
    constraint = {stratum.stream: stratum.constraint for stratum in plan.strata}
    names: dict[Constraint | None, list[str]] = {}
    first: dict[Constraint | None, StratumStatistics] = {}
    for figure in figures:
        key = constraint.get(figure.stream)
        first.setdefault(key, figure)
        names.setdefault(key, []).append(figure.stream)
    return tuple(
        DistributionSize(
            distribution=", ".join(names[key]),
            mass=figure.mass,
            derivations=figure.derivations,
            short=figure.up_to_longest,
            longest=LONGEST_COUNTED,
            expected_length=figure.expected_tokens,
            median_height=figure.height_at(0.5),
            usual_height=figure.height_at(0.99),
            spectral_radius=figure.spectral_radius,
        )
        for key, figure in first.items()
    )


def _heights(plan: Plan, figures: Sequence[StratumStatistics]) -> tuple[Heights, ...]:
    """Return the heights in each split, its strata mixed in proportion to their items."""
    by_stream = {figure.stream: figure.heights for figure in figures}
    splits: dict[str, list[Stratum]] = {}
    for stratum in plan.strata:
        if stratum.count:
            splits.setdefault(stratum.split, []).append(stratum)
    found = []
    for split, strata in splits.items():
        total = sum(stratum.count for stratum in strata)
        shares = [0.0] * max(len(by_stream[stratum.stream]) for stratum in strata)
        for stratum in strata:
            for height, share in enumerate(by_stream[stratum.stream]):
                shares[height] += share * stratum.count / total
        found.append(Heights(split, tuple(shares)))
    return tuple(found)


def _counts(proofs: Proofs, manifest: dict[str, Any]) -> tuple[StratumCounts, ...]:
    """Return what was drawn for every stratum."""
    masses = {figure.stream: figure.mass for figure in proofs.distributions}
    return tuple(
        StratumCounts(
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


def _relations(compiled: Compiled, proofs: Proofs) -> tuple[PatternRelation, ...]:
    """Patterns that share sentences or structures."""

    def sentence(derivation: Derivation) -> str:
        layer = compiled.grammar.text_layer(compiled.plan.source)
        return interpret(compiled.grammar, derivation).texts[layer]

    overlaps = (
        PatternRelation("share items", pair.first, pair.second, sentence(pair.witness))
        for pair in proofs.overlaps
    )
    nestings = (
        PatternRelation("nested", pair.inner_pattern, pair.outer_pattern, str(pair.inner))
        for pair in proofs.nestings
    )
    return (*overlaps, *nestings)


def _unused(compiled: Compiled, proofs: Proofs) -> tuple[UnusedName, ...]:
    """Rules and words that training can no longer use, each named once."""
    grammar = compiled.grammar
    source = grammar.text_layer(compiled.plan.source)
    found: dict[UnusedName, None] = {}
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
            found[UnusedName("rule", label, entry.split)] = None
        for number in entry.words:
            text = " ".join(
                getattr(item, "text", "") for item in grammar.rules[number].templates[source]
            )
            found[UnusedName("word", text, entry.split)] = None
    return tuple(found)


#: Names in a list of what training need not show.
_NAMED = 60

#: What the results of guarantees mean: decided for or against, or open.
_OK = {"proved": True, "passed": True, CHECKED: True, NOT_CHECKED: None}


def pattern_report(
    compiled: Compiled,
    proofs: Proofs,
    pattern: Pattern,
    manifest: Mapping[str, Any],
    examples: Mapping[str, Sequence[Derivation]],
) -> PatternReport:
    """One pattern as the report shows it, its guarantees as the manifest states them."""
    proved = proofs.of(pattern.name)
    plan = compiled.plan
    return PatternReport(
        name=pattern.name,
        title=pattern.title,
        groups=pattern.groups,
        held_out=tuple(str(structure) for structure in pattern.held_out),
        guarantees=tuple(
            Guarantee(
                g["claim"], g["method"], g["result"], _OK.get(g["result"], False), g["detail"]
            )
            for g in manifest["guarantees"]
            if g["pattern"] == pattern.name
        ),
        masses=tuple(
            StructureMass("held out", str(claim.structure), claim.mass, claim.train_mass)
            for claim in proved.held_out
        ),
        parts=_parts(compiled, proved),
        excused=tuple(excuses(proved.exposed, _NAMED)),
        examples=tuple(
            example_of(
                compiled.grammar,
                derivation,
                source=plan.source,
                target=plan.target,
                graph=plan.lemma_layer,
            )
            for derivation in examples.get(pattern.name, ())
        ),
    )


def _parts(compiled: Compiled, proved: PatternProofs) -> tuple[NeededPart, ...]:
    """Return what training has to contain for the pattern, each with a sentence."""
    layer = compiled.grammar.text_layer(compiled.plan.source)

    def sentence(derivation: Derivation | None) -> str:
        if derivation is None:
            return ""
        return interpret(compiled.grammar, derivation).texts[layer]

    needs = [
        NeededPart(
            "need",
            str(claim.structure),
            f"{claim.expected:,.0f} expected, {claim.minimum:,} asked for",
            claim.verdict is Verdict.PROVED,
            sentence(claim.example),
        )
        for claim in proved.licences
    ]
    pieces = [
        NeededPart(
            "piece",
            str(claim.structure),
            claim.verdict.value,
            None if claim.verdict is Verdict.WAIVED else claim.verdict is Verdict.PROVED,
            sentence(claim.example),
        )
        for claim in proved.pieces
    ]
    return (*needs, *pieces)
