"""Prove what a plan promises, or find the sentences that break the promise.

Claims about strata are checked on the finished split grammars, the ones that are sampled from.  If
every item of a generalization stratum contains a structure that is held out of training, the
stratum is disjoint from training, and no product of the two is needed.
"""

import math
from collections.abc import Callable
from dataclasses import replace

from sgl.automata.algebra.boolean import canonical
from sgl.automata.common import few_collections
from sgl.automata.proofs.claims import Disjoint, Exposed, HeldOut, Instance, Licence, PatternProofs, Proofs, Verdict
from sgl.automata.proofs.compiler import StructureCompiler, find_conflict
from sgl.automata.proofs.evidence import Evidence, StratumEvidence
from sgl.automata.proofs.findings import find_nestings, find_overlaps, find_unsatisfiable, find_unused
from sgl.automata.proofs.licensing import RuleIngredients, claim_pieces, inventory_of, why_absent
from sgl.automata.weights.split import acceptance_probability
from sgl.core.interpret import Derivation
from sgl.core.plan import EXPOSURE_PREFIX, IN_DISTRIBUTION, PART_PREFIX, Need, Pattern, Plan, foreign
from sgl.core.structure import Structure

#: Splits that are drawn from the training grammar.
TRAINED = ("train", "dev", "test")

#: From this probability on it is decided whether all sentences of a stratum contain a part.
_ALMOST = 0.999
#: A term of a sum that is so small beside it ends it.
_NOTHING = 1e-12

#: Called with the name of a pattern before its claims are decided.
Progress = Callable[[str], None]


@few_collections()
def prove(compiler: StructureCompiler, plan: Plan, progress: Progress | None = None, only: str | None = None) -> Proofs:
    """Decide the claims, or those of the pattern ``only``; raises as ``StructureCompiler``."""
    chosen = [pattern for pattern in plan.patterns if only in (None, pattern.name)]
    if only is not None:
        # The generalization items of other patterns are left out.
        own = (s for s in plan.strata if s.split in TRAINED or s.category == only)
        plan = replace(plan, strata=tuple(own))
    evidence = Evidence(compiler, plan)
    ingredients = RuleIngredients(evidence)
    patterns = []
    for pattern in chosen:
        if progress is not None:
            progress(pattern.name)
        patterns.append(_pattern(evidence, ingredients, pattern))
    return Proofs(
        patterns=tuple(patterns),
        unsatisfiable=tuple(find_unsatisfiable(evidence)),
        overlaps=tuple(find_overlaps(evidence)),
        nestings=tuple(find_nestings(evidence)),
        unused=tuple(find_unused(evidence)),
    )


def _pattern(evidence: Evidence, ingredients: RuleIngredients, pattern: Pattern) -> PatternProofs:
    strata = [e for e in evidence.generalization if e.stratum.category == pattern.name]
    pieces, idle_waivers = claim_pieces(evidence, pattern)
    return PatternProofs(
        name=pattern.name,
        held_out=tuple(
            _held_out(evidence, structure, asserted=structure in pattern.never) for structure in pattern.held_out
        ),
        licences=tuple(_licence(evidence, pattern, need) for need in pattern.need),
        pieces=pieces,
        instances=tuple(_instance(evidence, pattern, stratum) for stratum in strata),
        exposed=Exposed(*inventory_of(evidence, ingredients, pattern)),
        disjoint=tuple(_disjoint(evidence, stratum) for stratum in strata),
        idle_waivers=idle_waivers,
    )


def _held_out(evidence: Evidence, structure: Structure, *, asserted: bool) -> HeldOut:
    leak = evidence.leak(structure)
    mass = acceptance_probability(evidence.compiler.disjunction((structure,)))
    if leak is None:
        return HeldOut(structure, asserted, Verdict.PROVED, mass, train_mass=0.0)
    stratum, witness = leak
    usual = [e for e in evidence.training if e.stratum.category == IN_DISTRIBUTION]
    masses = [evidence.probability(e, structure) for e in usual]
    train_mass = max(masses, default=0.0)
    stream = stratum.stratum.stream
    return HeldOut(structure, asserted, Verdict.REFUTED, mass, train_mass, stream, witness)


def _licence(evidence: Evidence, pattern: Pattern, need: Need) -> Licence:
    training = [(e, e.stratum.category) for e in evidence.training]
    usual = [e for e, category in training if category == IN_DISTRIBUTION]
    own = EXPOSURE_PREFIX + pattern.name
    others = [e for e, name in training if name == own or name.startswith(PART_PREFIX)]
    masses = [(e, evidence.probability(e, need.structure)) for e in (*usual, *others)]
    if not any(mass > 0.0 for _, mass in masses):
        # Exposures of other patterns count only when nothing else is left.
        masses = [(e, evidence.probability(e, need.structure)) for e in evidence.training]
    expected, by_chance, certain = 0.0, 0.0, 0
    for stratum, mass in masses:
        if stratum.stratum.every:
            all_of_them = evidence.number(stratum, need.structure) if mass > 0.0 else 0
            expected, certain = expected + all_of_them, certain + all_of_them
            continue
        expected += stratum.stratum.count * mass
        if mass > _ALMOST and evidence.requires(stratum, (need.structure,)):
            certain += stratum.stratum.count
        else:
            by_chance += stratum.stratum.count * mass
    source = next((e for e, mass in masses if mass > 0.0), None)
    example, conflict = None, None
    if source is None:
        conflict = why_absent(evidence, need.structure)
    else:
        example = evidence.smallest(source, evidence.compiler.presence(need.structure))
    return Licence(
        structure=need.structure,
        minimum=need.minimum,
        verdict=Verdict.REFUTED if source is None else Verdict.PROVED,
        mass=next((mass for e, mass in masses if e in usual), 0.0),
        expected=expected,
        short=chance_of_fewer(need.minimum - certain, by_chance),
        example=example,
        conflict=conflict,
    )


def chance_of_fewer(number: int, mean: float) -> float:
    """Return the probability of fewer than ``number`` sentences where ``mean`` are expected.

    It is that of a Poisson distribution, which bounds that of independent draws where ``number`` is
    below the mean by 1 at least; else it is 1.
    """
    most = number - 1
    if most < 0:
        return 0.0
    if most > mean - 1:
        return 1.0
    term = total = math.exp(most * math.log(mean) - mean - math.lgamma(most + 1))
    while most and term > total * _NOTHING:
        term *= most / mean
        total += term
        most -= 1
    return min(total, 1.0)


def _instance(evidence: Evidence, pattern: Pattern, stratum: StratumEvidence) -> Instance:
    split = stratum.split
    conflict, problem, witness = None, None, None
    if split.empty:
        conflict = find_conflict(evidence.compiler, stratum.stratum.constraint)
    else:
        problem, witness = _misfit(evidence, pattern, stratum)
    proved = not split.empty and witness is None
    return Instance(
        stream=stratum.stratum.stream,
        category=stratum.stratum.category,
        verdict=Verdict.PROVED if proved else Verdict.REFUTED,
        mass=split.mass,
        spectral_radius=split.spectral_radius,
        expected_tokens=split.expected_tokens,
        example=evidence.example(stratum.language),
        problem=problem,
        witness=witness,
        conflict=conflict,
    )


def _misfit(
    evidence: Evidence, pattern: Pattern, stratum: StratumEvidence
) -> tuple[Structure | None, Derivation | None]:
    constraint = stratum.stratum.constraint
    groups = [pattern.gen or pattern.held_out, *constraint.require]
    for group in dict.fromkeys(groups):
        if not evidence.requires(stratum, group):
            # The witness depends on the language, not on what was computed before.
            lacking = canonical(evidence.compiler.absence_of_all(group))
            return None, evidence.smallest(stratum, lacking)
    strange = foreign(pattern, evidence.plan.patterns)
    for structure in dict.fromkeys([*pattern.exclude, *strange, *constraint.exclude]):
        if not evidence.excludes(stratum, structure):
            contains = evidence.compiler.presence(structure)
            return structure, evidence.smallest(stratum, contains)
    return None, None


def _disjoint(evidence: Evidence, stratum: StratumEvidence) -> Disjoint:
    stream = stratum.stratum.stream
    marks = evidence.marks(stratum.stratum.category)
    if all(evidence.leak(mark) is None for mark in marks) and evidence.is_marked(stratum):
        return Disjoint(stream, Verdict.PROVED)
    for training in evidence.training:
        witness = evidence.smallest(stratum, training.language)
        if witness is not None:
            return Disjoint(stream, Verdict.REFUTED, training.stratum.stream, witness)
    return Disjoint(stream, Verdict.PROVED)
