"""Does the data of a mutant keep what the original claims?

The claims of the original are the constraints of its strata: no training sentence
contains what is held out or reserved, each exposure contains its structure, each item
its own and nobody else's; and the parts that training needs are there.  Each of them is
decided on the split grammars of the *mutant*, as a proof decides it, by emptiness::

    mutant's  train/in_distribution   ∩   original's { V -[obj]-> N[lemma=dancer] }   = ∅ ?

Graphs are read as they were *meant*: where a mutant has changed the graph of a rule, the
automata read the graph that the original gives it.  For that a sentence leaks does not
depend on what the mutant calls its object.  With ``own_graphs`` they are read as the
mutant writes them, which is all that the files of its dataset show.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from mutation.compared import Findings
from sgl.automata import StructureCompiler
from sgl.automata.algebra.boolean import intersection
from sgl.automata.algebra.tree_automaton import TreeAutomaton, smallest_derivation
from sgl.automata.proofs.evidence import Evidence, StratumEvidence
from sgl.automata.proofs.invariant import AutomatonView, accepts_all
from sgl.automata.weights.split import acceptance_probability
from sgl.core.grammar import CoreGrammar, Rule
from sgl.core.interpret import interpret
from sgl.core.plan import IN_DISTRIBUTION, Plan, Stratum
from sgl.core.structure import Structure
from sgl.frontend import Compiled

TRAIN = "train"

#: A part is there without further ado if so much more of it is expected than needed.
AMPLE = 1.5


@dataclass(frozen=True, slots=True)
class Breach:
    """A claim of the original that a mutant's data does not keep.

    ``share`` is the share of the stratum's sentences that break it, ``witness`` the
    smallest of them.
    """

    claim: str
    stream: str
    structure: str = ""
    witness: str = ""
    share: float = 1.0


@dataclass(frozen=True)
class Original:
    """The original: its claims, and automata that mutants of its patterns share."""

    compiled: Compiled
    compiler: StructureCompiler
    #: What is wrong with it already; of a mutant, only what is new counts.
    errors: frozenset[tuple[str, str]] = frozenset()
    #: By stream and structure: the probability of needed parts in parts of training.
    masses: dict[tuple[str, str], float] = field(default_factory=dict)
    #: What a comparison with itself finds, by design.
    compared: Findings = field(default_factory=dict)

    @property
    def plan(self) -> Plan:
        """Its plan."""
        return self.compiled.plan

    @cached_property
    def bare(self) -> CoreGrammar:
        """Its grammar without places in files."""
        return without_places(self.compiled.grammar)


def without_places(grammar: CoreGrammar) -> CoreGrammar:
    """A grammar whose rules do not say where they were written."""
    return replace(grammar, rules=tuple(replace(rule, origin=None) for rule in grammar.rules))


def same_rules(first: CoreGrammar, second: CoreGrammar) -> bool:
    """Whether two grammars differ at most in weights."""

    def unweighted(grammar: CoreGrammar) -> CoreGrammar:
        return replace(grammar, rules=tuple(replace(r, weight=0.0) for r in grammar.rules))

    return unweighted(first) == unweighted(second)


def as_meant(original: CoreGrammar, grammar: CoreGrammar) -> CoreGrammar:
    """The grammar with the graphs that the original gives to the same rules."""
    known = {rule_key(original, rule): rule.fragments for rule in original.rules}
    return replace(
        grammar,
        rules=tuple(
            replace(rule, fragments=known.get(rule_key(grammar, rule), rule.fragments)) for rule in grammar.rules
        ),
    )


def rule_key(grammar: CoreGrammar, rule: Rule) -> object:
    """What makes a rule the same as another but for its graph and its weight."""
    categories = tuple(grammar.categories[c] for c in (rule.lhs, *rule.rhs))
    return rule.name, categories, rule.templates


class Claims:
    """The claims of an original about the splits of one mutant."""

    def __init__(
        self, original: Original, mutant: Compiled, compiler: StructureCompiler, *, own_graphs: bool = False
    ) -> None:
        self._original = original
        self._mutant = mutant
        self._evidence = Evidence(compiler, mutant.plan)
        self._index = compiler.index
        meant = mutant.grammar
        if not own_graphs:
            meant = as_meant(original.compiled.grammar, mutant.grammar)
        #: Whether all graphs are what they are meant to be.
        self._plain = meant == mutant.grammar
        self._shared = compiler is original.compiler
        self._meant = compiler if self._plain else StructureCompiler(meant)
        self._keeps = any(rule.keep for rule in mutant.grammar.rules)

    def breaches(self) -> list[Breach]:
        """Every claim that is not kept."""
        plan, own = self._original.plan, self._mutant.plan
        strata = {evidence.stratum.stream: evidence for evidence in self._evidence.strata}
        found = list(self._of_plan(plan, own))
        for stratum in plan.strata:
            evidence = strata.get(stratum.stream)
            if evidence is None:
                found.append(Breach("these sentences are missing", stratum.stream))
                continue
            if evidence.stratum.count != stratum.count:
                text = f"{evidence.stratum.count} sentences instead of {stratum.count}"
                found.append(Breach(text, stratum.stream))
            if evidence.stratum.targets != stratum.targets:
                found.append(Breach("targets have other shares", stratum.stream))
            if evidence.stratum.repeated_lemmas > stratum.repeated_lemmas:
                found.append(Breach("lemmas may be repeated", stratum.stream))
            found.extend(self._of_stratum(stratum, evidence))
        return [*found, *self._of_needs()]

    def fill_masses(self) -> None:
        """Compute the probability of every needed part in every part of training."""
        for pattern in self._original.plan.patterns:
            for need in pattern.need:
                for evidence in self._evidence.training:
                    mass = self._mass(evidence, need.structure)
                    self._original.masses[evidence.stratum.stream, str(need.structure)] = mass

    def _of_plan(self, plan: Plan, own: Plan) -> Iterator[Breach]:
        if plan.distinct_sentences and not own.distinct_sentences:
            yield Breach("sentences may be repeated", "")
        lost = [tag for tag in plan.distinct_lemmas if tag not in own.distinct_lemmas]
        if lost:
            yield Breach(f"lemmas of {', '.join(lost)} may be repeated", "")

    def _of_stratum(self, stratum: Stratum, evidence: StratumEvidence) -> Iterator[Breach]:
        wanted, own = stratum.constraint, evidence.stratum.constraint
        for group in wanted.require:
            if not (self._plain and group in own.require):
                reader = AutomatonView(self._meant.presence(*group))
                if not accepts_all(evidence.split, reader):
                    lacking = self._meant.absence_of_all(group)
                    text = " or ".join(map(str, group))
                    yield self._breach("a sentence lacks its structure", evidence, text, lacking)
        for structure in dict.fromkeys((*wanted.exclude, *self._held_out(stratum))):
            kept = self._keeps and structure in own.cut
            if not (self._plain and structure in own.exclude and not kept):
                reader = AutomatonView(self._meant.absence(structure))
                if not accepts_all(evidence.split, reader):
                    presence = self._meant.disjunction((structure,))
                    claim = "a sentence contains what it must not"
                    yield self._breach(claim, evidence, str(structure), presence)

    def _held_out(self, stratum: Stratum) -> Iterator[Structure]:
        """What is held out of training by assertion; no constraint says so."""
        if stratum.split != "gen":
            for pattern in self._original.plan.patterns:
                yield from pattern.never

    def _breach(self, claim: str, evidence: StratumEvidence, structure: str, automaton: TreeAutomaton) -> Breach:
        both = intersection(evidence.language, automaton)
        witness = smallest_derivation(both)
        share = acceptance_probability(both) / (evidence.split.mass or 1.0)
        text = interpret(self._mutant.grammar, witness).texts[0] if witness else ""
        return Breach(claim, evidence.stratum.stream, structure, text, share)

    def _of_needs(self) -> Iterator[Breach]:
        """Parts of which fewer are expected than needed."""
        for pattern in self._original.plan.patterns:
            own = f"exposure:{pattern.name}"
            for need in pattern.need:
                expected = self._expected(need.structure, own, AMPLE * need.minimum)
                if expected < need.minimum:
                    text = f"{pattern.name} needs this {need.minimum} times"
                    share = expected / need.minimum
                    yield Breach(f"{text}: {expected:.1f}", TRAIN, str(need.structure), "", share)

    def _expected(self, structure: Structure, own: str, enough: float) -> float:
        """The expected number of training sentences with a structure, up to ``enough``."""
        training = sorted(
            self._evidence.training, key=lambda e: (e.stratum.category != IN_DISTRIBUTION, e.stratum.category != own)
        )
        expected = 0.0
        for evidence in training:
            expected += evidence.stratum.count * self._mass(evidence, structure)
            if expected >= enough:
                break
        return expected

    def _mass(self, evidence: StratumEvidence, structure: Structure) -> float:
        known = self._original.masses.get((evidence.stratum.stream, str(structure)))
        if known is not None and evidence.stratum.stream in self._unchanged:
            return known
        if evidence.split.empty:
            return 0.0
        presence = self._meant.disjunction((structure,))
        both = intersection(evidence.language, presence)
        return acceptance_probability(both) / evidence.split.mass

    @cached_property
    def _unchanged(self) -> frozenset[str]:
        """The streams that draw what those of the original draw."""
        if not (self._shared and self._plain):
            return frozenset()
        constraints = {s.stream: s.constraint for s in self._original.plan.strata}
        return frozenset(
            s.stream
            for s in self._mutant.plan.strata
            if s.stream in constraints and s.constraint == constraints[s.stream]
        )
