"""Gather what the report shows: proofs, counts, lengths, examples, the verifier's results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sgl.automata import Licence, PatternProofs, Piece, Proofs, StructureCompiler
from sgl.automata.proofs.findings import LONGEST_COUNTED, StratumStatistics
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, interpret
from sgl.core.plan import Ambiguous, Constraint, Pattern, Plan, Stratum
from sgl.dataset import Chunk, string_figures
from sgl.dataset import Piece as ChunkPiece
from sgl.frontend import Compiled
from sgl.pipeline.ambiguity import CHECKED, METHOD, NOT_CHECKED, REFUTED
from sgl.pipeline.guarantees import excuses
from sgl.pipeline.proofs import known_figures
from sgl.pipeline.rule_tally import RuleTally
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

    def _show(self, piece: ChunkPiece) -> None:
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
) -> dict[str, Any]:
    """Return everything on the page, as the template of the report names it."""
    plan = compiled.plan
    texts = {layer.name for layer in compiled.grammar.text_layers}
    statistics = known_figures(compiled, structures)
    masses = {entry.stream: entry.mass for entry in proofs.distributions}
    return {
        "title": compiled.project.title or compiled.project.name,
        "signature": manifest["signature"],
        "parameters": sorted(compiled.parameters.items()),
        "source_language": plan.source,
        "target_language": plan.target if plan.target in texts else "",
        "guarantees": [_strings(manifest), *_checks(verification)],
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


def _strings(manifest: dict[str, Any]) -> dict[str, str]:
    """Return what parsing has said of all strings."""
    figures = string_figures(manifest)
    result = CHECKED
    if figures.policy is Ambiguous.IGNORE:
        result = NOT_CHECKED
    elif figures.ambiguous and figures.policy is not Ambiguous.REJECT:
        result = REFUTED
    claim = "No string has another reading with what is held out, or with another output."
    return {"claim": claim, "method": METHOD, "result": result, "detail": figures.sentence}


def _checks(verification: Report) -> Iterator[dict[str, str]]:
    """Yield the checks of the verifier with their figures."""
    for result in verification.results:
        detail = f"{result.checked:,} checked, {result.total:,} violations"
        yield {
            "claim": result.claim,
            "method": "checked",
            "result": result.status,
            "detail": detail,
        }


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


def _heights(plan: Plan, figures: Sequence[StratumStatistics]) -> dict[str, list[float]]:
    """Return the heights in each split, its strata mixed in proportion to their items."""
    by_stream = {figure.stream: figure.heights for figure in figures}
    splits: dict[str, list[Stratum]] = {}
    for stratum in plan.strata:
        if stratum.count:
            splits.setdefault(stratum.split, []).append(stratum)
    found = {}
    for split, strata in splits.items():
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
            text = " ".join(getattr(item, "text", "") for item in template)
            found.append((TRAIN, "word", text))
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
