"""Gather what the report shows of one pattern: guarantees, parts, probabilities, examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sgl.automata import PatternProofs, Proofs, Verdict
from sgl.core.interpret import Derivation, interpret
from sgl.core.plan import Pattern
from sgl.frontend import Compiled
from sgl.pipeline.guarantees import excuses
from sgl.pipeline.string_level import CHECKED, NOT_CHECKED
from sgl.report import Guarantee, Mass, Part, PatternReport, example_of

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
            Mass("held out", str(claim.structure), claim.mass, claim.train_mass)
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


def _parts(compiled: Compiled, proved: PatternProofs) -> tuple[Part, ...]:
    """What training has to contain for the pattern, each with a sentence."""
    layer = compiled.grammar.text_layer(compiled.plan.source)

    def sentence(derivation: Derivation | None) -> str:
        if derivation is None:
            return ""
        return interpret(compiled.grammar, derivation).texts[layer]

    needs = [
        Part(
            "need",
            str(claim.structure),
            f"{claim.expected:,.0f} expected, {claim.minimum:,} asked for",
            claim.verdict is Verdict.PROVED,
            sentence(claim.example),
        )
        for claim in proved.licences
    ]
    pieces = [
        Part(
            "piece",
            str(claim.structure),
            claim.verdict.value,
            None if claim.verdict is Verdict.WAIVED else claim.verdict is Verdict.PROVED,
            sentence(claim.example),
        )
        for claim in proved.pieces
    ]
    return (*needs, *pieces)
