"""What is worth knowing about a plan beside its claims.

Two generalization strata need no product to be told apart if every text of one contains a structure
that the other excludes; two structures need none if the smallest text with the one lacks the other.
How large, how long and how deep a stratum is is computed from its grammar, not sampled.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from sgl.automata.algebra.tree_automaton import smallest_derivation
from sgl.automata.common import few_collections
from sgl.automata.proofs.claims import Nesting, Overlap, Unsatisfiable, Unused
from sgl.automata.proofs.compiler import StructureCompiler, find_conflict
from sgl.automata.proofs.evidence import Evidence, StratumEvidence
from sgl.automata.weights.counting import count_by_length, count_derivations, height_distribution
from sgl.core.plan import Constraint, Plan
from sgl.core.structure import Structure

#: Stands for the author's grammar among the names of streams.
GRAMMAR = "grammar"

#: Derivations are counted for each length up to this number of tokens.
LONGEST_COUNTED = 12


def find_unsatisfiable(evidence: Evidence) -> Iterator[Unsatisfiable]:
    """Yield the strata without any text."""
    for stratum in evidence.strata:
        if stratum.split.empty:
            conflict = find_conflict(evidence.compiler, stratum.stratum.constraint)
            if conflict is not None:
                yield Unsatisfiable(stratum.stratum.stream, conflict)


def find_overlaps(evidence: Evidence) -> Iterator[Overlap]:
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


def find_nestings(evidence: Evidence) -> Iterator[Nesting]:
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


def find_unused(evidence: Evidence) -> Iterator[Unused]:
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
