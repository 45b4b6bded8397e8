"""What the claims about a plan are decided from, computed once each.

For every stratum: its language, its split grammar, and the transitions of that
grammar in an order that suits checking.  For every structure: the automaton of
the texts without it, prepared for reading splits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from sgl.automata.algebra.boolean import intersection
from sgl.automata.algebra.tree_automaton import TreeAutomaton
from sgl.automata.algebra.witness import smallest_derivation
from sgl.automata.proofs.compiler import StructureCompiler
from sgl.automata.proofs.invariant import AutomatonView, SplitView, excludes, requires
from sgl.automata.weights.split import SplitGrammar, acceptance_probability
from sgl.core.interpret import Derivation
from sgl.core.plan import Pattern, Plan, Stratum
from sgl.core.structure import Structure

TRAIN = "train"
GENERALIZATION = "gen"


@dataclass(frozen=True, slots=True, eq=False)
class StratumEvidence:
    """A stratum with its language and its grammar; equal constraints share these."""

    stratum: Stratum
    language: TreeAutomaton
    view: SplitView

    @property
    def split(self) -> SplitGrammar:
        """The grammar of the stratum."""
        return self.view.split

    @property
    def stream(self) -> str:
        """The name of the stratum's stream, unique in the plan."""
        return self.stratum.stream


class Evidence:
    """The evidence for one plan."""

    def __init__(self, compiler: StructureCompiler, plan: Plan) -> None:
        self.compiler = compiler
        self.plan = plan
        self._automaton_views: dict[tuple[Structure, ...], AutomatonView] = {}
        self._marked: dict[str, bool] = {}
        self._exclusions: dict[tuple[SplitView, Structure], bool] = {}
        self._intersections: dict[tuple[TreeAutomaton, TreeAutomaton], TreeAutomaton] = {}
        compiler.prepare(_structures(plan))

    @cached_property
    def strata(self) -> tuple[StratumEvidence, ...]:
        """All strata in the order of the plan."""
        compiler = self.compiler
        return tuple(
            StratumEvidence(s, compiler.language(s.constraint), compiler.view(s.constraint))
            for s in self.plan.strata
        )

    @cached_property
    def training(self) -> tuple[StratumEvidence, ...]:
        """The strata of the training split."""
        return tuple(e for e in self.strata if e.stratum.split == TRAIN)

    @cached_property
    def generalization(self) -> tuple[StratumEvidence, ...]:
        """The strata of the generalization split."""
        return tuple(e for e in self.strata if e.stratum.split == GENERALIZATION)

    @cached_property
    def populated_training(self) -> tuple[StratumEvidence, ...]:
        """The training strata that are to have sentences."""
        return tuple(e for e in self.training if e.stratum.count)

    @cached_property
    def used_in_training(self) -> frozenset[int]:
        """The rules that some training sentence can use."""
        return _used(self.populated_training)

    def used_by_items_of(self, pattern: str) -> frozenset[int]:
        """Return the rules that some generalization item of a pattern can use."""
        own = (e for e in self.generalization if e.stratum.category == pattern)
        return _used(e for e in own if e.stratum.count)

    def excludes(self, evidence: StratumEvidence, structure: Structure) -> bool:
        """Return whether no text of the stratum contains the structure."""
        key = evidence.view, structure
        if key not in self._exclusions:
            lacking = self._automaton_view((structure,))
            self._exclusions[key] = excludes(evidence.view, lacking)
        return self._exclusions[key]

    def requires(self, evidence: StratumEvidence, group: tuple[Structure, ...]) -> bool:
        """Return whether every text of the stratum contains one of the structures."""
        return requires(evidence.view, self._automaton_view(group))

    def _automaton_view(self, structures: tuple[Structure, ...]) -> AutomatonView:
        if structures not in self._automaton_views:
            lacking = self.compiler.absence_of_all(structures)
            self._automaton_views[structures] = AutomatonView.of(lacking)
        return self._automaton_views[structures]

    def smallest(self, evidence: StratumEvidence, automaton: TreeAutomaton) -> Derivation | None:
        """Return the smallest text of a stratum that an automaton accepts."""
        return smallest_derivation(self._intersection(evidence.language, automaton))

    def probability(self, evidence: StratumEvidence, structure: Structure) -> float:
        """Return the probability that a text of the stratum contains the structure."""
        if evidence.split.empty or self.excludes(evidence, structure):
            return 0.0
        both = self._intersection(evidence.language, self.compiler.presence(structure))
        return acceptance_probability(both) / evidence.split.mass

    def _intersection(self, first: TreeAutomaton, second: TreeAutomaton) -> TreeAutomaton:
        key = first, second
        if key not in self._intersections:
            self._intersections[key] = intersection(first, second)
        return self._intersections[key]

    def marks(self, pattern: Pattern) -> tuple[Structure, ...]:
        """Return the held-out structures that items of a pattern may contain."""
        return tuple(
            structure
            for other in self.plan.patterns
            if other.name == pattern.name or other.name in pattern.allow
            for structure in other.held_out
        )

    def is_marked(self, evidence: StratumEvidence, pattern: Pattern) -> bool:
        """Return whether every text of a stratum of ``pattern`` contains one of its marks."""
        if evidence.stream not in self._marked:
            self._marked[evidence.stream] = self.requires(evidence, self.marks(pattern))
        return self._marked[evidence.stream]


def _used(strata: Iterable[StratumEvidence]) -> frozenset[int]:
    return frozenset().union(*[e.split.used_rules for e in strata])


def _structures(plan: Plan) -> Iterator[Structure]:
    """Yield the structures that the claims about a plan are about."""
    for stratum in plan.strata:
        yield from stratum.constraint.exclude
        for group in stratum.constraint.require:
            yield from group
    for pattern in plan.patterns:
        yield from (*pattern.held_out, *pattern.gen, *pattern.exclude)
        yield from (need.structure for need in pattern.need)
