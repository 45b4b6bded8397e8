"""The guarantees of a dataset as the manifest and the report state them."""

from __future__ import annotations

from collections.abc import Sequence

from sgl.automata import Disjoint, HeldOut, Instance, Licence, PatternProofs, Proofs, Verdict
from sgl.dataset import Guarantee

HELD_OUT, INSTANCE, LICENSED, DISJOINT = "held out", "instance", "licensed", "disjoint"


def guarantees_of(proofs: Proofs) -> list[Guarantee]:
    """What was proved about each pattern, one guarantee for each kind of claim."""
    return [guarantee for pattern in proofs.patterns for guarantee in pattern_guarantees(pattern)]


def pattern_guarantees(pattern: PatternProofs) -> list[Guarantee]:
    """The static guarantees of one pattern."""
    found = [
        _guarantee(pattern, HELD_OUT, pattern.held_out, _held_out(pattern.held_out)),
        _guarantee(pattern, INSTANCE, pattern.instances, _instances(pattern.instances)),
        _guarantee(
            pattern,
            DISJOINT,
            pattern.disjoint,
            "no derivation of an item is one of training",
        ),
    ]
    if pattern.licences:
        found.insert(
            2, _guarantee(pattern, LICENSED, pattern.licences, _licences(pattern.licences))
        )
    return found


def _guarantee(
    pattern: PatternProofs,
    claim: str,
    claims: Sequence[HeldOut | Instance | Licence | Disjoint],
    detail: str,
) -> Guarantee:
    proved = all(single.verdict is Verdict.PROVED for single in claims)
    return Guarantee(pattern.name, claim, "static", "proved" if proved else "refuted", detail)


def _held_out(claims: Sequence[HeldOut]) -> str:
    before = ", ".join(f"{claim.mass:.2e}" for claim in claims)
    return f"probability without the cut {before}; in training 0"


def _instances(claims: Sequence[Instance]) -> str:
    mass = ", ".join(f"{claim.mass:.2e}" for claim in claims)
    return f"probability of an item in the whole grammar {mass}"


def _licences(claims: Sequence[Licence]) -> str:
    return "; ".join(
        f"{claim.expected:,.0f} training sentences expected, {claim.minimum:,} required"
        for claim in claims
    )
