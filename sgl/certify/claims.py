"""What a certificate claims: for each split of a plan, what it excludes, requires, contains.

A *split* here is the grammar of one constraint; strata with equal constraints share it::

    train/in_distribution, dev/…, test/…   excludes  every held-out structure, what is reserved
    train/exposure:p/0                     excludes  the same      requires  its exposure
    gen/p/0                                excludes  what other patterns hold out
                                           requires  a structure of p, its quota
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sgl.automata import SplitGrammar, StructureCompiler
from sgl.automata.evidence import Evidence, StratumEvidence
from sgl.automata.invariant import SplitView
from sgl.core.interpret import Derivation
from sgl.core.plan import Plan, Stratum, foreign
from sgl.core.structure import Structure

Group = tuple[Structure, ...]


@dataclass(frozen=True, slots=True)
class SplitClaims:
    """The claims about one split; ``contains`` has a derivation with the structure."""

    strata: tuple[Stratum, ...]
    view: SplitView
    excludes: tuple[Structure, ...]
    requires: tuple[Group, ...]
    contains: tuple[tuple[Structure, Derivation], ...]

    @property
    def split(self) -> SplitGrammar:
        """The grammar of the split."""
        return self.view.split


def claims_of(compiler: StructureCompiler, plan: Plan) -> list[SplitClaims]:
    """Every static claim of a plan, in the order of its strata."""
    evidence = Evidence(compiler, plan)
    shared: dict[int, list[StratumEvidence]] = {}
    for stratum in evidence.strata:
        shared.setdefault(id(stratum.split), []).append(stratum)
    licences = _licences(evidence)
    return [
        SplitClaims(
            strata=tuple(member.stratum for member in members),
            view=members[0].view,
            excludes=tuple(dict.fromkeys(s for e in members for s in _excluded(evidence, e))),
            requires=tuple(dict.fromkeys(g for e in members for g in _required(evidence, e))),
            contains=tuple(licences.get(split, {}).items()),
        )
        for split, members in shared.items()
    ]


def _excluded(evidence: Evidence, stratum: StratumEvidence) -> Iterator[Structure]:
    patterns = evidence.plan.patterns
    if stratum in evidence.generalization:
        for pattern in patterns:
            if pattern.name == stratum.stratum.category:
                yield from (*pattern.exclude, *foreign(pattern, patterns))
    else:
        for pattern in patterns:
            yield from pattern.held_out
    yield from stratum.stratum.constraint.exclude


def _required(evidence: Evidence, stratum: StratumEvidence) -> Iterator[Group]:
    yield from stratum.stratum.constraint.require
    if stratum in evidence.generalization:
        for pattern in evidence.plan.patterns:
            if pattern.name == stratum.stratum.category:
                yield pattern.gen or pattern.held_out
                yield evidence.marks(pattern)


def _licences(evidence: Evidence) -> dict[int, dict[Structure, Derivation]]:
    """For each split of training the parts that patterns need, each where it occurs first."""
    licences: dict[int, dict[Structure, Derivation]] = {}
    needed = (need.structure for p in evidence.plan.patterns for need in p.need)
    for structure in dict.fromkeys(needed):
        presence = evidence.compiler.presence(structure)
        for stratum in evidence.training:
            derivation = evidence.smallest(stratum, presence)
            if derivation is not None:
                licences.setdefault(id(stratum.split), {})[structure] = derivation
                break
    return licences
