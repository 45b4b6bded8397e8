"""What a certificate claims: for each split of a plan, what it excludes, requires, contains.

A *split* here is the grammar of one constraint; strata with equal constraints share it::

    train/in_distribution, dev/…, test/…   excludes  every held-out structure
    train/exposure:p/0                     excludes  the same      requires  its exposure
    gen/p/0                                excludes  what other patterns hold out, `not`, `outside`
                                           requires  a structure of p, its quota

Nothing is proved here: these are the claims that evidence is then computed for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sgl.automata import StructureCompiler
from sgl.automata.proofs.evidence import GENERALIZATION, Evidence, StratumEvidence
from sgl.automata.proofs.invariant import SplitView
from sgl.core.interpret import Derivation
from sgl.core.plan import Pattern, Plan, Stratum, foreign
from sgl.core.structure import Structure

Group = tuple[Structure, ...]


@dataclass(frozen=True, slots=True)
class SplitClaims:
    """The claims about one split; ``contains`` pairs structures with derivations."""

    strata: tuple[Stratum, ...]
    view: SplitView
    excludes: tuple[Structure, ...]
    requires: tuple[Group, ...]
    contains: tuple[tuple[Structure, Derivation], ...]

    @property
    def structures(self) -> Iterator[Structure]:
        """Every structure that the claims speak of."""
        yield from self.excludes
        for group in self.requires:
            yield from group
        for structure, _ in self.contains:
            yield structure


def claims_of(compiler: StructureCompiler, plan: Plan) -> list[SplitClaims]:
    """Every static claim of a plan, in the order of its strata."""
    evidence = Evidence(compiler, plan)
    shared: dict[SplitView, list[StratumEvidence]] = {}
    for stratum in evidence.strata:
        shared.setdefault(stratum.view, []).append(stratum)
    licences = _licences(evidence)
    return [
        SplitClaims(
            strata=tuple(member.stratum for member in members),
            view=view,
            excludes=tuple(dict.fromkeys(s for e in members for s in _excluded(plan, e.stratum))),
            requires=tuple(dict.fromkeys(g for e in members for g in _required(evidence, e))),
            contains=tuple(licences.get(view, {}).items()),
        )
        for view, members in shared.items()
    ]


def _pattern_of(plan: Plan, stratum: Stratum) -> Pattern | None:
    """The pattern whose generalization items a stratum holds."""
    if stratum.split != GENERALIZATION:
        return None
    return next(pattern for pattern in plan.patterns if pattern.name == stratum.category)


def _excluded(plan: Plan, stratum: Stratum) -> Iterator[Structure]:
    pattern = _pattern_of(plan, stratum)
    yield from plan.nowhere
    if pattern is None:
        for other in plan.patterns:
            yield from other.held_out
    else:
        outside = {structure for quota in pattern.quotas for structure in quota.outside}
        yield from (*pattern.exclude, *foreign(pattern, plan.patterns))
        yield from (s for s in stratum.constraint.exclude if s in outside)


def _required(evidence: Evidence, stratum: StratumEvidence) -> Iterator[Group]:
    pattern = _pattern_of(evidence.plan, stratum.stratum)
    yield from stratum.stratum.constraint.require
    if pattern is not None:
        yield pattern.gen or pattern.held_out
        # What keeps the items apart from training: it contains none of these.
        yield evidence.marks(pattern)


def _licences(evidence: Evidence) -> dict[SplitView, dict[Structure, Derivation]]:
    """For each split of training the parts that patterns need, each where it occurs first."""
    licences: dict[SplitView, dict[Structure, Derivation]] = {}
    needed = (need.structure for p in evidence.plan.patterns for need in p.need)
    for structure in dict.fromkeys(needed):
        presence = evidence.compiler.presence(structure)
        for stratum in evidence.drawn_training:
            derivation = evidence.smallest(stratum, presence)
            if derivation is not None:
                licences.setdefault(stratum.view, {})[structure] = derivation
                break
    return licences
