"""Prove what a plan promises, or find the sentences that break the promise.

Claims about strata are checked on the finished split grammars, which are the ones sampled.  If every item of a
generalization stratum contains a structure that is held out of training, the stratum is disjoint from training without
computing a product.

The proofs also report strata that share texts, nested structures, unused rules and words, and the size, length and
depth of each stratum, computed from its grammar rather than sampled.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations

from sgl.automata.algebra.boolean import canonical, without_rules
from sgl.automata.algebra.tree_automaton import smallest_derivation
from sgl.automata.proofs.compiler import StructureCompiler, find_conflict
from sgl.automata.proofs.evidence import Evidence, StratumEvidence, claim_pieces, idle_waivers, inventory_of, why_absent
from sgl.automata.weights.split import count_by_length, count_derivations, height_distribution
from sgl.core.claims import (
    Claim,
    Cut,
    DrawnNeed,
    Inventory,
    Kind,
    Nesting,
    Overlap,
    PatternProofs,
    Proofs,
    Supply,
    Unsatisfiable,
    Unused,
    Verdict,
)
from sgl.core.interpret import Derivation
from sgl.core.plan import EXPOSURE_PREFIX, GEN, PART_PREFIX, Constraint, Need, Pattern, Plan, foreign
from sgl.core.structure import Structure
from sgl.values import dataclass, replace

#: From this probability on, decide whether all sentences of a stratum contain a part.
_ALMOST = 0.999

#: Names the author's grammar among the streams.
GRAMMAR = "grammar"

#: The most tokens for which derivations are counted by length.
LONGEST_COUNTED = 12


def prove(
    compiler: StructureCompiler, plan: Plan, progress: Callable[[str], None] | None = None, only: str | None = None
) -> Proofs:
    """Decide all claims, or only the claims of the pattern ``only``; raises the errors of ``StructureCompiler``.

    ``progress`` is called with the name of each pattern before its claims are decided.
    """
    chosen = [pattern for pattern in plan.patterns if only in (None, pattern.name)]
    if only is not None:
        # Leave out the generalization items of other patterns.
        plan = replace(plan, strata=tuple(s for s in plan.strata if s.split != GEN or s.category == only))
    evidence = Evidence(compiler, plan)
    patterns = []
    for pattern in chosen:
        if progress is not None:
            progress(pattern.name)
        patterns.append(_pattern(evidence, pattern))
    return Proofs(
        patterns=tuple(patterns),
        unsatisfiable=tuple(_unsatisfiable(evidence)),
        overlaps=tuple(_overlaps(evidence)),
        nestings=tuple(_nestings(evidence)),
        unused=tuple(_unused(evidence)),
    )


def _pattern(evidence: Evidence, pattern: Pattern) -> PatternProofs:
    strata = [e for e in evidence.generalization if e.stratum.category == pattern.name]
    return PatternProofs(
        name=pattern.name,
        held_out=tuple(_held_out(evidence, pattern, structure) for structure in pattern.held_out),
        licences=tuple(_licence(evidence, pattern, need) for need in pattern.need),
        pieces=claim_pieces(evidence, pattern),
        instances=tuple(_instance(evidence, pattern, stratum) for stratum in strata),
        exposed=_exposed(evidence, pattern, strata),
        disjoint=tuple(_disjoint(evidence, pattern, stratum) for stratum in strata),
        idle_waivers=idle_waivers(pattern),
        # Held-out structures may overlap, so their masses do not add up.
        mass=evidence.compiler.mass(evidence.compiler.disjunction(pattern.held_out)),
        train_mass=max((evidence.probability(e, *pattern.held_out) for e in evidence.in_distribution), default=0.0),
    )


def _held_out(evidence: Evidence, pattern: Pattern, structure: Structure) -> Claim[Cut]:
    mass = evidence.compiler.mass(evidence.compiler.disjunction((structure,)))
    cut = Cut(asserted=structure in pattern.never)
    claim = Claim(Kind.HELD_OUT, pattern.name, Verdict.PROVED, cut, (structure,), mass=mass)
    if (leak := evidence.leak(structure)) is None:
        return claim
    train_mass = max((evidence.probability(e, structure) for e in evidence.in_distribution), default=0.0)
    cut = replace(cut, train_mass=train_mass)
    return replace(claim, verdict=Verdict.REFUTED, evidence=cut, stream=leak.stream, witness=leak.derivation)


def needs_in_danger(
    compiler: StructureCompiler, plan: Plan, risk: float, only: str | None = None
) -> tuple[DrawnNeed, ...]:
    """Return the needed parts, of all patterns or ``only`` one, that training may lack by more than this risk."""
    evidence, found = Evidence(compiler, plan), dict[Structure, DrawnNeed]()
    places = ((p, *place) for p in plan.patterns if only in (None, p.name) for place in enumerate(p.need))
    for pattern, place, need in places:
        usual = [(e, evidence.probability(e, need.structure)) for e in evidence.in_distribution]
        # If these strata are enough, the rest do not matter.
        if _supply(evidence, need, usual).short > risk:
            sources = _sources(evidence, pattern, need)
            supply, same = _supply(evidence, need, sources), need.structure.canonical()
            own = DrawnNeed(pattern.name, place, need.structure, need.minimum, supply.expected)
            possible = supply.short > risk and any(mass > 0.0 for _, mass in sources)
            if possible and (same not in found or own.count > found[same].count):
                found[same] = own
    return tuple(found.values())


def _licence(evidence: Evidence, pattern: Pattern, need: Need) -> Claim[Supply]:
    sources = _sources(evidence, pattern, need)
    mass = next((mass for e, mass in sources if e in evidence.in_distribution), 0.0)
    supply = _supply(evidence, need, sources)
    claim = Claim(Kind.LICENSED, pattern.name, Verdict.REFUTED, supply, (need.structure,), mass=mass)
    shown = next((e for e, mass in sources if mass > 0.0), None)
    if shown is None:
        return replace(claim, conflict=why_absent(evidence, need.structure))
    example = evidence.smallest(shown, evidence.compiler.presence(need.structure))
    return replace(claim, verdict=Verdict.PROVED, example=example)


def _sources(evidence: Evidence, pattern: Pattern, need: Need) -> list[tuple[StratumEvidence, float]]:
    """Return the training strata that license a part, each with the probability of the part."""
    sources = [(e, evidence.probability(e, need.structure)) for e in _usual_sources(evidence, pattern)]
    if not any(mass > 0.0 for _, mass in sources):
        # Exposures of other patterns count only if nothing else has the part.
        sources = [(e, evidence.probability(e, need.structure)) for e in evidence.training]
    return sources


def _supply(evidence: Evidence, need: Need, sources: Iterable[tuple[StratumEvidence, float]]) -> Supply:
    expected, by_chance, certain = 0.0, 0.0, 0
    for one, mass in sources:
        own, sure = _supplied(evidence, need, one, mass)
        expected, by_chance, certain = expected + own, by_chance + (0.0 if sure else own), certain + sure
    return Supply(need.minimum, expected, chance_of_fewer(need.minimum - certain, by_chance))


def _usual_sources(evidence: Evidence, pattern: Pattern) -> Iterator[StratumEvidence]:
    """Yield the in-distribution strata, the pattern's own exposures, and parts."""
    yield from evidence.in_distribution
    for one in evidence.training:
        if one.stratum.category == EXPOSURE_PREFIX + pattern.name or one.stratum.category.startswith(PART_PREFIX):
            yield one


def _supplied(evidence: Evidence, need: Need, one: StratumEvidence, mass: float) -> tuple[float, int]:
    """Return the expected number of sentences of a stratum with a part, and how many are certain: all or none."""
    if one.stratum.extent.every:
        number = evidence.number(one, need.structure) if mass > 0.0 else 0
        return number, number
    always = mass > _ALMOST and evidence.requires(one, (need.structure,))
    certain = one.stratum.count if one.stratum.extent.exact else 0
    return certain * mass, certain if always else 0


def chance_of_fewer(number: int, mean: float) -> float:
    """Return the probability of fewer than ``number`` sentences if ``mean`` are expected.

    It is a Poisson probability, an upper bound for independent draws if ``number`` is at most the mean; otherwise it is
    1.
    """
    if number > max(mean, 0):
        return 1.0
    return min(math.fsum(math.exp(n * math.log(mean) - mean - math.lgamma(n + 1)) for n in range(number)), 1.0)


def _instance(evidence: Evidence, pattern: Pattern, stratum: StratumEvidence) -> Claim[None]:
    split = stratum.split
    claim = Claim(
        Kind.INSTANCE,
        pattern.name,
        Verdict.PROVED if stratum.stratum.count else Verdict.NOTHING,
        None,
        stream=stratum.stratum.stream,
        mass=split.mass,
        example=evidence.example(stratum.language),
    )
    if split.empty:
        conflict = find_conflict(evidence.compiler, stratum.stratum.constraint)
        return replace(claim, verdict=Verdict.REFUTED, conflict=conflict)
    problem, witness = _misfit(evidence, pattern, stratum)
    if witness is None:
        return claim
    return replace(claim, verdict=Verdict.REFUTED, structures=problem, witness=witness)


def _misfit(
    evidence: Evidence, pattern: Pattern, stratum: StratumEvidence
) -> tuple[tuple[Structure, ...], Derivation | None]:
    """Return a text of the stratum that lacks a required structure, or has an excluded one, which is given first."""
    constraint = stratum.stratum.constraint
    groups = [pattern.gen or pattern.held_out, *constraint.require]
    for group in dict.fromkeys(groups):
        if not evidence.requires(stratum, group):
            # Canonical form makes the witness depend on the language, not on what was computed before.
            lacking = canonical(evidence.compiler.absence_of_all(group))
            return (), evidence.smallest(stratum, lacking)
    strange = foreign(pattern, evidence.plan.patterns)
    for structure in dict.fromkeys([*pattern.exclude, *strange, *constraint.exclude]):
        if not evidence.excludes(stratum, structure):
            contains = evidence.compiler.presence(structure)
            return (structure,), evidence.smallest(stratum, contains)
    return (), None


def _exposed(evidence: Evidence, pattern: Pattern, strata: Sequence[StratumEvidence]) -> Claim[Inventory]:
    inventory = inventory_of(evidence, pattern)
    inventory = replace(inventory, barred=tuple(_barred(evidence, inventory, strata)))
    verdict = Verdict.PROVED if inventory.counts else Verdict.NOTHING
    if inventory.missing or inventory.barred:
        verdict = Verdict.REFUTED
    return Claim(Kind.EXPOSED, pattern.name, verdict, inventory)


def _barred(evidence: Evidence, inventory: Inventory, strata: Iterable[StratumEvidence]) -> Iterator[str]:
    """Yield the strata whose items all have a word that training lacks, so that none can be accepted."""
    rules = evidence.ingredients.rules_with(inventory.unseen_words)
    # Training without any sentence is a different error.
    if not rules or all(e.split.empty for e in evidence.training):
        return
    for one in strata:
        if one.stratum.count and not one.split.empty and without_rules(one.language, rules).empty:
            yield one.stratum.stream


def _disjoint(evidence: Evidence, pattern: Pattern, stratum: StratumEvidence) -> Claim[str | None]:
    verdict = Verdict.PROVED if stratum.stratum.count else Verdict.NOTHING
    stream = stratum.stratum.stream
    claim: Claim[str | None] = Claim(Kind.DISJOINT, pattern.name, verdict, None, stream=stream)
    marks = evidence.marks(pattern.name)
    if all(evidence.leak(mark) is None for mark in marks) and evidence.is_marked(stratum):
        return claim
    for training in evidence.training:
        witness = evidence.smallest(stratum, training.language)
        if witness is not None:
            return replace(claim, verdict=Verdict.REFUTED, evidence=training.stratum.stream, witness=witness)
    return claim


def _unsatisfiable(evidence: Evidence) -> Iterator[Unsatisfiable]:
    """Yield the strata without any text."""
    for stratum in (e.stratum for e in evidence.strata if e.split.empty):
        if (conflict := find_conflict(evidence.compiler, stratum.constraint)) is not None:
            yield Unsatisfiable(stratum.stream, conflict)


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
            # Structures that always occur together occur in no text without each other.
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


@dataclass(frozen=True)
class StratumStatistics:
    """The sizes of one distribution over derivations.

    ``mass`` is its probability under the author's grammar.  ``derivations`` is their number, ``None`` if infinite;
    ``derivations_by_tokens[n]`` counts those of ``n`` source tokens.  ``heights[h]`` is the probability of height
    ``h``.
    """

    stream: str
    mass: float
    spectral_radius: float
    expected_tokens: float
    derivations: int | None
    derivations_by_tokens: tuple[int, ...] | None
    heights: tuple[float, ...]

    @property
    def up_to_longest(self) -> int | None:
        """The number of derivations of at most ``LONGEST_COUNTED`` tokens."""
        return None if self.derivations_by_tokens is None else sum(self.derivations_by_tokens)

    def height_at(self, share: float) -> int:
        """Return the least height that this share of the derivations does not exceed."""
        total = 0.0
        for height, probability in enumerate(self.heights):
            total += probability
            if total >= share:
                return height
        return len(self.heights)


def statistics_of(compiler: StructureCompiler, plan: Plan) -> tuple[StratumStatistics, ...]:
    """Return the statistics of the author's grammar and of every stratum."""

    @cache
    def figures(constraint: Constraint) -> StratumStatistics:
        split = compiler.split(constraint)
        return StratumStatistics(
            stream=GRAMMAR,
            mass=split.mass,
            spectral_radius=split.spectral_radius,
            expected_tokens=split.expected_tokens,
            derivations=count_derivations(split),
            derivations_by_tokens=count_by_length(split, LONGEST_COUNTED),
            heights=height_distribution(split),
        )

    strata = (replace(figures(stratum.constraint), stream=stratum.stream) for stratum in plan.strata)
    return figures(Constraint()), *strata
