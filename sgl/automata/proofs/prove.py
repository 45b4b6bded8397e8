"""Prove what a plan promises, or find the sentences that break the promise.

Claims about strata are checked on the finished split grammars, the ones that are sampled from.  If
every item of a generalization stratum contains a structure that is held out of training, the
stratum is disjoint from training, and no product of the two is needed.

Beside the claims stands what is worth knowing.  Two generalization strata need no product to be told apart if every
text of one contains a structure that the other excludes; two structures need none if the smallest text with the one
lacks the other.  How large, how long and how deep a stratum is is computed from its grammar, not sampled.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from sgl.automata.algebra.boolean import canonical, without_rules
from sgl.automata.algebra.tree_automaton import smallest_derivation
from sgl.automata.common import few_collections
from sgl.automata.proofs.claims import (
    Disjoint,
    Exposed,
    HeldOut,
    IngredientKind,
    Instance,
    Licence,
    Nesting,
    Overlap,
    PatternProofs,
    Proofs,
    Unsatisfiable,
    Unused,
    Verdict,
)
from sgl.automata.proofs.compiler import StructureCompiler, find_conflict
from sgl.automata.proofs.evidence import Evidence, StratumEvidence, claim_pieces, inventory_of, why_absent
from sgl.automata.weights.split import acceptance_probability, count_by_length, count_derivations, height_distribution
from sgl.core.interpret import Derivation
from sgl.core.plan import EXPOSURE_PREFIX, IN_DISTRIBUTION, PART_PREFIX, Constraint, Need, Pattern, Plan, foreign
from sgl.core.structure import Structure

#: Splits that are drawn from the training grammar.
TRAINED = ("train", "dev", "test")

#: From this probability on it is decided whether all sentences of a stratum contain a part.
_ALMOST = 0.999
#: A term of a sum that is so small beside it ends it.
_NOTHING = 1e-12

#: Stands for the author's grammar among the names of streams.
GRAMMAR = "grammar"

#: Derivations are counted for each length up to this number of tokens.
LONGEST_COUNTED = 12


@few_collections()
def prove(
    compiler: StructureCompiler, plan: Plan, progress: Callable[[str], None] | None = None, only: str | None = None
) -> Proofs:
    """Decide the claims, or those of the pattern ``only``; raises as ``StructureCompiler``.

    ``progress`` is called with the name of each pattern before its claims are decided.
    """
    chosen = [pattern for pattern in plan.patterns if only in (None, pattern.name)]
    if only is not None:
        # The generalization items of other patterns are left out.
        plan = replace(plan, strata=tuple(s for s in plan.strata if s.split in TRAINED or s.category == only))
    evidence = Evidence(compiler, plan)
    patterns = []
    for pattern in chosen:
        if progress is not None:
            progress(pattern.name)
        strata = [e for e in evidence.generalization if e.stratum.category == pattern.name]
        pieces, idle_waivers = claim_pieces(evidence, pattern)
        own = PatternProofs(
            name=pattern.name,
            held_out=tuple(_held_out(evidence, pattern, structure) for structure in pattern.held_out),
            licences=tuple(_licence(evidence, pattern, need) for need in pattern.need),
            pieces=pieces,
            instances=tuple(_instance(evidence, pattern, stratum) for stratum in strata),
            exposed=_exposed(evidence, pattern, strata),
            disjoint=tuple(_disjoint(evidence, stratum) for stratum in strata),
            idle_waivers=idle_waivers,
        )
        patterns.append(own)
    empty = [(e.stratum.stream, e.stratum.constraint) for e in evidence.strata if e.split.empty]
    conflicts = [(stream, find_conflict(compiler, constraint)) for stream, constraint in empty]
    return Proofs(
        patterns=tuple(patterns),
        unsatisfiable=tuple(Unsatisfiable(stream, why) for stream, why in conflicts if why is not None),
        overlaps=tuple(_overlaps(evidence)),
        nestings=tuple(_nestings(evidence)),
        unused=tuple(_unused(evidence)),
    )


def _held_out(evidence: Evidence, pattern: Pattern, structure: Structure) -> HeldOut:
    asserted, leak = structure in pattern.never, evidence.leak(structure)
    mass = acceptance_probability(evidence.compiler.disjunction((structure,)))
    if leak is None:
        return HeldOut(structure, asserted, Verdict.PROVED, mass, train_mass=0.0)
    usual = [e for e in evidence.training if e.stratum.category == IN_DISTRIBUTION]
    train_mass = max((evidence.probability(e, structure) for e in usual), default=0.0)
    return HeldOut(structure, asserted, Verdict.REFUTED, mass, train_mass, *leak)


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
        if stratum.stratum.extent.every:
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
    verdict = Verdict.PROVED if stratum.stratum.count else Verdict.NOTHING
    if split.empty or witness is not None:
        verdict = Verdict.REFUTED
    return Instance(
        stream=stratum.stratum.stream,
        category=stratum.stratum.category,
        verdict=verdict,
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


def _exposed(evidence: Evidence, pattern: Pattern, strata: Sequence[StratumEvidence]) -> Exposed:
    counts, unseen = inventory_of(evidence, pattern)
    words = {thing.name for thing in unseen if thing.kind is IngredientKind.WORD}
    rules = [rule for rule, lemmas in enumerate(evidence.ingredients.lemmas) if not words.isdisjoint(lemmas)]
    # An item is accepted only if training has all of its words; that training has no sentence is another error.
    trained = rules and not all(e.split.empty for e in evidence.training)
    drawn = [e for e in strata if e.stratum.count and not e.split.empty] if trained else []
    barred = tuple(e.stratum.stream for e in drawn if without_rules(e.language, rules).empty)
    return Exposed(counts, unseen, barred)


def _disjoint(evidence: Evidence, stratum: StratumEvidence) -> Disjoint:
    stream, verdict = stratum.stratum.stream, Verdict.PROVED if stratum.stratum.count else Verdict.NOTHING
    marks = evidence.marks(stratum.stratum.category)
    if all(evidence.leak(mark) is None for mark in marks) and evidence.is_marked(stratum):
        return Disjoint(stream, verdict)
    for training in evidence.training:
        witness = evidence.smallest(stratum, training.language)
        if witness is not None:
            return Disjoint(stream, Verdict.REFUTED, training.stratum.stream, witness)
    return Disjoint(stream, verdict)


def _overlaps(evidence: Evidence) -> Iterator[Overlap]:
    """Yield pairs of generalization strata of different patterns that share a text."""
    strata = [(e, frozenset(e.stratum.constraint.exclude)) for e in evidence.generalization]

    def separated(first: StratumEvidence, excluded: frozenset[Structure]) -> bool:
        marks = evidence.marks(first.stratum.category)
        return excluded.issuperset(marks) and evidence.is_marked(first)

    for (first, excluded), (second, other) in combinations(strata, 2):
        if first.stratum.category == second.stratum.category:
            continue
        if not separated(first, other) and not separated(second, excluded):
            witness = evidence.smallest(first, second.language)
            if witness is not None:
                yield Overlap(first.stratum.stream, second.stratum.stream, witness)


def _nestings(evidence: Evidence) -> Iterator[Nesting]:
    """Yield held-out structures that never occur without one of another pattern."""
    compiler = evidence.compiler
    held_out = [(p.name, s) for p in evidence.plan.patterns for s in p.held_out]
    for inner_pattern, inner in held_out:
        example = smallest_derivation(compiler.disjunction((inner,)))
        if example is None:
            continue
        for outer_pattern, outer in held_out:
            if outer_pattern == inner_pattern:
                continue
            if not compiler.structure_automaton(outer).accepts(compiler.grammar, example):
                continue
            # What occurs together always, occurs in no text without the other.
            if compiler.language(Constraint(require=((inner,),), exclude=(outer,))).empty:
                yield Nesting(inner_pattern, inner, outer_pattern, outer)


def _unused(evidence: Evidence) -> Iterator[Unused]:
    """Yield for each split the rules that only other texts of the grammar use."""
    compiler = evidence.compiler
    available = compiler.split(Constraint()).used_rules
    for split in dict.fromkeys(stratum.stratum.split for stratum in evidence.strata):
        own = [e.split.used_rules for e in evidence.strata if e.stratum.split == split]
        idle = sorted(available.difference(*own))
        yield Unused(
            split,
            rules=tuple(rule for rule in idle if compiler.grammar.rules[rule].rhs),
            words=tuple(rule for rule in idle if not compiler.grammar.rules[rule].rhs),
        )


@dataclass(frozen=True, slots=True)
class StratumStatistics:
    """The sizes of one distribution over derivations.

    ``mass`` is its probability under the author's grammar.  ``derivations`` is their number, ``None`` without end;
    ``by_length[n]`` are those of ``n`` source tokens.  ``heights[h]`` is the probability of height ``h``.
    """

    stream: str
    mass: float
    spectral_radius: float
    expected_tokens: float
    derivations: int | None
    by_length: tuple[int, ...] | None
    heights: tuple[float, ...]

    @property
    def up_to_longest(self) -> int | None:
        """The number of derivations of at most ``LONGEST_COUNTED`` tokens."""
        return None if self.by_length is None else sum(self.by_length)

    def height_at(self, share: float) -> int:
        """Return the least height that this share of the derivations does not exceed."""
        total = 0.0
        for height, probability in enumerate(self.heights):
            total += probability
            if total >= share:
                return height
        return len(self.heights)


@few_collections()
def statistics_of(compiler: StructureCompiler, plan: Plan) -> tuple[StratumStatistics, ...]:
    """Return the figures of the author's grammar and of every stratum."""
    constraints = [(GRAMMAR, Constraint())]
    constraints += [(stratum.stream, stratum.constraint) for stratum in plan.strata]
    known: dict[Constraint, StratumStatistics] = {}
    found = []
    for stream, constraint in constraints:
        if constraint not in known:
            split = compiler.split(constraint)
            known[constraint] = StratumStatistics(
                stream=stream,
                mass=split.mass,
                spectral_radius=split.spectral_radius,
                expected_tokens=split.expected_tokens,
                derivations=count_derivations(split),
                by_length=count_by_length(split, LONGEST_COUNTED),
                heights=height_distribution(split),
            )
        found.append(replace(known[constraint], stream=stream))
    return tuple(found)
