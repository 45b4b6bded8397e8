"""Prove what a plan promises, or find the sentences that break the promise.

Every claim is emptiness of an intersection of tree automata, decided by
reachability; see :mod:`sgl.automata.proofs.claims` for the claims.  Claims about strata
are checked on the finished split grammars, the ones that are sampled from
(:mod:`sgl.automata.proofs.invariant`).  If every item of a generalization stratum
contains a structure that is proved to be held out of training, the stratum is
disjoint from training, and no product of the two is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sgl.automata.algebra.witness import smallest_derivation
from sgl.automata.proofs.claims import (
    Disjoint,
    Exposed,
    HeldOut,
    Instance,
    Licence,
    PatternProofs,
    Proofs,
    Verdict,
)
from sgl.automata.proofs.compiler import StructureCompiler, find_conflict
from sgl.automata.proofs.evidence import Evidence, StratumEvidence
from sgl.automata.proofs.findings import (
    find_distributions,
    find_nestings,
    find_overlaps,
    find_unsatisfiable,
    find_unused,
)
from sgl.automata.proofs.inventory import RuleIngredients, inventory_of
from sgl.automata.proofs.licensing import Licensing, why_absent
from sgl.automata.weights.split import acceptance_probability
from sgl.core.interpret import Derivation
from sgl.core.plan import (
    EXPOSURE_PREFIX,
    IN_DISTRIBUTION,
    PART_PREFIX,
    Need,
    Pattern,
    Plan,
    foreign,
)
from sgl.core.structure import Structure

#: Splits that are drawn from the training grammar.
TRAINED = ("train", "dev", "test")

#: Called with the name of a pattern before its claims are decided.
Progress = Callable[[str], None]


def prove(
    compiler: StructureCompiler,
    plan: Plan,
    progress: Progress | None = None,
    only: str | None = None,
) -> Proofs:
    """Decide every claim of a plan, or those of the pattern ``only``.

    Raises:
        UnsupportedStructure, StructureTooCostly: as :class:`StructureCompiler`.
    """
    chosen = [pattern for pattern in plan.patterns if only in (None, pattern.name)]
    if only is not None:
        plan = _focus(plan, only)
    evidence = Evidence(compiler, plan)
    prover = _Prover(evidence)
    patterns = []
    for pattern in chosen:
        if progress is not None:
            progress(pattern.name)
        patterns.append(prover.pattern(pattern))
    return Proofs(
        patterns=tuple(patterns),
        distributions=find_distributions(evidence),
        unsatisfiable=find_unsatisfiable(evidence),
        overlaps=find_overlaps(evidence),
        nestings=find_nestings(evidence),
        unused=find_unused(evidence),
    )


def _focus(plan: Plan, pattern: str) -> Plan:
    """Return the plan without the generalization items of other patterns."""
    own = (s for s in plan.strata if s.split in TRAINED or s.category == pattern)
    return replace(plan, strata=tuple(own))


class _Prover:
    """The claims about the patterns of one plan."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._compiler = evidence.compiler
        self._leaks: dict[Structure, tuple[StratumEvidence, Derivation] | None] = {}
        self._licensing = Licensing(evidence)
        self._ingredients = RuleIngredients(evidence.compiler.grammar, evidence.plan)

    def pattern(self, pattern: Pattern) -> PatternProofs:
        """All claims about one pattern."""
        strata = [e for e in self._evidence.generalization if e.stratum.category == pattern.name]
        return PatternProofs(
            name=pattern.name,
            held_out=tuple(
                self._held_out(structure, asserted=structure in pattern.never)
                for structure in pattern.held_out
            ),
            licences=tuple(self._licence(pattern, need) for need in pattern.need),
            pieces=self._licensing.pieces(pattern),
            instances=tuple(self._instance(pattern, stratum) for stratum in strata),
            exposed=Exposed(*inventory_of(self._evidence, self._ingredients, pattern)),
            disjoint=tuple(self._disjoint(pattern, stratum) for stratum in strata),
            idle_waivers=self._licensing.idle_waivers(pattern),
        )

    def _held_out(self, structure: Structure, *, asserted: bool) -> HeldOut:
        leak = self._leak(structure)
        mass = acceptance_probability(self._compiler.disjunction((structure,)))
        if leak is None:
            return HeldOut(structure, asserted, Verdict.PROVED, mass, train_mass=0.0)
        stratum, witness = leak
        return HeldOut(
            structure=structure,
            asserted=asserted,
            verdict=Verdict.REFUTED,
            mass=mass,
            train_mass=max(
                (self._evidence.probability(e, structure) for e in self._in_distribution()),
                default=0.0,
            ),
            stream=stratum.stream,
            witness=witness,
        )

    def _leak(self, structure: Structure) -> tuple[StratumEvidence, Derivation] | None:
        """Return the first training stratum that derives the structure, with a witness."""
        if structure not in self._leaks:
            self._leaks[structure] = None
            for stratum in self._evidence.training:
                if not self._evidence.excludes(stratum, structure):
                    contains = self._compiler.presence(structure)
                    witness = self._evidence.smallest(stratum, contains)
                    if witness is not None:
                        self._leaks[structure] = stratum, witness
                        break
        return self._leaks[structure]

    def _licence(self, pattern: Pattern, need: Need) -> Licence:
        in_distribution = self._in_distribution()
        exposures = [
            e
            for e in self._evidence.training
            if e.stratum.category == EXPOSURE_PREFIX + pattern.name
            or e.stratum.category.startswith(PART_PREFIX)
        ]
        masses = self._masses([*in_distribution, *exposures], need.structure)
        if not any(mass > 0.0 for _, mass in masses):
            # Exposures of other patterns count only when nothing else is left.
            masses = self._masses(self._evidence.training, need.structure)
        expected = 0.0
        for evidence, mass in masses:
            expected += evidence.stratum.count * mass
        source = next((evidence for evidence, mass in masses if mass > 0.0), None)
        example = None
        if source is not None:
            contains = self._compiler.presence(need.structure)
            example = self._evidence.smallest(source, contains)
        return Licence(
            structure=need.structure,
            minimum=need.minimum,
            verdict=Verdict.REFUTED if source is None else Verdict.PROVED,
            mass=max((mass for e, mass in masses if e in in_distribution), default=0.0),
            expected=expected,
            example=example,
            conflict=why_absent(self._evidence, need.structure) if source is None else None,
        )

    def _masses(
        self, strata: Sequence[StratumEvidence], structure: Structure
    ) -> list[tuple[StratumEvidence, float]]:
        return [(e, self._evidence.probability(e, structure)) for e in strata]

    def _in_distribution(self) -> list[StratumEvidence]:
        return [e for e in self._evidence.training if e.stratum.category == IN_DISTRIBUTION]

    def _instance(self, pattern: Pattern, evidence: StratumEvidence) -> Instance:
        split = evidence.split
        conflict, problem, witness = None, None, None
        if split.empty:
            conflict = find_conflict(self._compiler, evidence.stratum.constraint)
        else:
            problem, witness = self._misfit(pattern, evidence)
        proved = not split.empty and witness is None
        return Instance(
            stream=evidence.stream,
            category=evidence.stratum.category,
            verdict=Verdict.PROVED if proved else Verdict.REFUTED,
            mass=split.mass,
            spectral_radius=split.spectral_radius,
            expected_tokens=split.expected_tokens,
            example=smallest_derivation(evidence.language),
            problem=problem,
            witness=witness,
            conflict=conflict,
        )

    def _misfit(
        self, pattern: Pattern, evidence: StratumEvidence
    ) -> tuple[Structure | None, Derivation | None]:
        """Return the structure that a text should not have, and the text that is not as claimed."""
        constraint = evidence.stratum.constraint
        groups = [pattern.gen or pattern.held_out, *constraint.require]
        for group in dict.fromkeys(groups):
            if not self._evidence.requires(evidence, group):
                lacking = self._compiler.absence_of_all(group)
                return None, self._evidence.smallest(evidence, lacking)
        strange = foreign(pattern, self._evidence.plan.patterns)
        for structure in dict.fromkeys([*pattern.exclude, *strange, *constraint.exclude]):
            if not self._evidence.excludes(evidence, structure):
                contains = self._compiler.presence(structure)
                return structure, self._evidence.smallest(evidence, contains)
        return None, None

    def _disjoint(self, pattern: Pattern, evidence: StratumEvidence) -> Disjoint:
        marks = self._evidence.marks(pattern)
        if all(self._leak(mark) is None for mark in marks) and self._evidence.is_marked(
            evidence, pattern
        ):
            return Disjoint(evidence.stream, Verdict.PROVED)
        for training in self._evidence.training:
            witness = self._evidence.smallest(evidence, training.language)
            if witness is not None:
                return Disjoint(evidence.stream, Verdict.REFUTED, training.stream, witness)
        return Disjoint(evidence.stream, Verdict.PROVED)
