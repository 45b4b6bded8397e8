"""What the claims about a plan are decided from, computed once each.

For every stratum: its language, its split grammar, and the transitions of that
grammar in an order that suits checking.  For every structure: the automaton of
the texts without it, prepared for reading splits.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from sgl.automata.algebra.boolean import intersection
from sgl.automata.algebra.tree_automaton import DEAD, TreeAutomaton
from sgl.automata.algebra.witness import smallest_derivation
from sgl.automata.common import computed_once
from sgl.automata.proofs.compiler import StructureCompiler
from sgl.automata.proofs.invariant import AutomatonView, SplitView, excludes, requires
from sgl.automata.weights.split import SplitGrammar, acceptance_probability
from sgl.core.interpret import Derivation
from sgl.core.plan import Plan, Stratum
from sgl.core.structure import Structure

TRAIN = "train"
GENERALIZATION = "gen"


@dataclass(frozen=True, slots=True, eq=False)
class StratumEvidence:
    """A stratum with its language and its grammar; equal constraints share these.

    ``stream`` names the stratum's stream of random numbers, unique in the plan.
    """

    stratum: Stratum
    stream: str
    language: TreeAutomaton
    view: SplitView
    split: SplitGrammar


class Evidence:
    """The evidence for one plan.

    ``strata`` are in the order of the plan; ``training`` and ``generalization`` are those of
    these splits, and ``populated_training`` those of training that are to have sentences.
    """

    def __init__(self, compiler: StructureCompiler, plan: Plan) -> None:
        self.compiler = compiler
        self.plan = plan
        self.patterns = {pattern.name: pattern for pattern in plan.patterns}
        structures: list[Structure] = []
        for constraint in (stratum.constraint for stratum in plan.strata):
            structures += [*constraint.exclude, *chain.from_iterable(constraint.require)]
        for pattern in plan.patterns:
            structures += [*pattern.held_out, *pattern.gen, *pattern.exclude]
            structures += [need.structure for need in pattern.need]
        compiler.prepare(structures)
        self.strata: list[StratumEvidence] = []
        for stratum in plan.strata:
            language, view = (
                compiler.language(stratum.constraint),
                compiler.view(stratum.constraint),
            )
            evidence = StratumEvidence(stratum, stratum.stream, language, view, view.split)
            self.strata.append(evidence)
        self.training = [e for e in self.strata if e.stratum.split == TRAIN]
        self.generalization = [e for e in self.strata if e.stratum.split == GENERALIZATION]
        self.populated_training = [e for e in self.training if e.stratum.count]

    @computed_once
    def excludes(self, evidence: StratumEvidence, structure: Structure) -> bool:
        """Return whether no text of the stratum contains the structure."""
        return excludes(evidence.view, self._automaton_view((structure,)))

    @computed_once
    def requires(self, evidence: StratumEvidence, group: tuple[Structure, ...]) -> bool:
        """Return whether every text of the stratum contains one of the structures."""
        return requires(evidence.view, self._automaton_view(group))

    @computed_once
    def _automaton_view(self, structures: tuple[Structure, ...]) -> AutomatonView:
        return AutomatonView(self.compiler.absence_of_all(structures))

    @computed_once
    def leak(self, structure: Structure) -> tuple[StratumEvidence, Derivation] | None:
        """Return the first training stratum that derives the structure, with its smallest text."""
        for stratum in self.training:
            if not self.excludes(stratum, structure):
                witness = self.smallest(stratum, self.compiler.presence(structure))
                if witness is not None:
                    return stratum, witness
        return None

    def smallest(self, evidence: StratumEvidence, automaton: TreeAutomaton) -> Derivation | None:
        """Return the smallest text of a stratum that an automaton accepts."""
        return smallest_derivation(self._intersection(evidence.language, automaton))

    def probability(self, evidence: StratumEvidence, structure: Structure) -> float:
        """Return the probability that a text of the stratum contains the structure."""
        if evidence.split.empty or self.excludes(evidence, structure):
            return 0.0
        both = self._intersection(evidence.language, self.compiler.presence(structure))
        return acceptance_probability(both) / evidence.split.mass

    @computed_once
    def _intersection(self, first: TreeAutomaton, second: TreeAutomaton) -> TreeAutomaton:
        return intersection(first, second)

    @computed_once
    def rules_without(self, structures: tuple[Structure, ...]) -> frozenset[int]:
        """Return the rules that some text uses which contains none of the structures."""
        automaton = self.compiler.absence_of_all(structures)
        words = automaton.lexicon.rules[automaton.words[automaton.lexicon.classes] != DEAD]
        phrasal = automaton.index.phrasal[automaton.rules]
        return frozenset((*words.tolist(), *phrasal.tolist()))

    @computed_once
    def marks(self, name: str) -> tuple[Structure, ...]:
        """Return the held-out structures that items of a pattern may contain."""
        allowed = (name, *self.patterns[name].allow)
        patterns = [pattern for pattern in self.plan.patterns if pattern.name in allowed]
        return tuple(structure for pattern in patterns for structure in pattern.held_out)

    @computed_once
    def is_marked(self, evidence: StratumEvidence) -> bool:
        """Return whether every item of a generalization stratum contains one of its marks."""
        return self.requires(evidence, self.marks(evidence.stratum.category))


def used_rules(strata: Iterable[StratumEvidence]) -> frozenset[int]:
    """Return the rules that some sentence of these strata can use."""
    return frozenset().union(*[e.split.used_rules for e in strata if e.stratum.count])
