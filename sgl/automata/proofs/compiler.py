"""From structures and constraints to automata, each computed once.

Structures become automata over the derivations of the grammar (*presence*), their
complements (*absence*) are joined to what constraints exclude
(:mod:`sgl.automata.algebra.conjunctions`), and what they require is added by intersection.

Where a constraint has no text, :func:`find_conflict` says why: a set of its clauses that is
minimal in the sense that it could be satisfied if any one of them were dropped.  It is
found by QuickXplain (Junker 2004), which takes few tests when few clauses matter::

    clauses                    { C -[ccomp]-> V }  not { A }  not { B }  not { V -[ccomp]-> W }
    first half possible?       yes, so something in the second half matters
    ...
    conflict                   { C -[ccomp]-> V }                        not { V -[ccomp]-> W }
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from sgl.automata.algebra.boolean import (
    complement,
    everything,
    intersection,
    without_rules,
)
from sgl.automata.algebra.conjunctions import Conjunctions
from sgl.automata.algebra.minimization import canonical, minimise, trim
from sgl.automata.algebra.tree_automaton import GrammarIndex, TreeAutomaton, explore
from sgl.automata.patterns.schema import Predicate, Schema
from sgl.automata.patterns.structure_automaton import (
    DEFAULT_BUDGET,
    SchemaAutomaton,
    StructureAutomaton,
)
from sgl.automata.patterns.symbols import FragmentIndex
from sgl.automata.proofs.invariant import SplitView
from sgl.automata.weights.split import SplitGrammar, split_grammar
from sgl.core.grammar import CoreGrammar
from sgl.core.plan import Constraint
from sgl.core.structure import Structure


class StructureCompiler:
    """Compiles structures and constraints over one grammar, each once.

    Args:
        grammar: the grammar whose derivations the automata read.
        budget: elementary steps that one structure may cost.

    The methods raise ``UnsupportedStructure``, ``StructureTooCostly``, and
    ``KeyError`` for a structure over a layer that the grammar does not have.
    """

    def __init__(self, grammar: CoreGrammar, budget: int = DEFAULT_BUDGET) -> None:
        self.grammar = grammar
        self.index = GrammarIndex(grammar)
        self._budget = budget
        self.lexicon = self.index.lexicon
        self._fragments: dict[str, FragmentIndex] = {}
        self._predicates: set[tuple[str, Predicate]] = set()
        self._schemas: dict[tuple[str, Schema], SchemaAutomaton] = {}
        self._automata: dict[Structure, StructureAutomaton] = {}
        self._presence: dict[tuple[Structure, ...], TreeAutomaton] = {}
        self._absence: dict[Structure, TreeAutomaton] = {}
        self._absences = Conjunctions(self.absence)
        self._disjunctions: dict[tuple[Structure, ...], TreeAutomaton] = {}
        self._languages: dict[Constraint, TreeAutomaton] = {}
        self._splits: dict[TreeAutomaton, SplitGrammar] = {}
        self._views: dict[TreeAutomaton, SplitView] = {}

    def prepare(self, structures: Iterable[Structure]) -> None:
        """Make ready to compile these structures.

        Nothing but speed depends on it: the lexicon is refined once for all of
        them, and not for each when it is first asked for.
        """
        refining: dict[str, list[Predicate]] = {}
        # Constraints share most of their structures: look at each object once.
        for structure in {id(structure): structure for structure in structures}.values():
            layer = structure.layer
            if layer not in self._fragments:
                self._fragments[layer] = FragmentIndex(self.grammar, layer)
                refining[layer] = []
            if structure not in self._automata:
                automaton = StructureAutomaton(
                    structure, self._fragments[layer], self._schemas, budget=self._budget
                )
                self._automata[structure] = automaton
                for predicate in automaton.predicates:
                    if (layer, predicate) not in self._predicates:
                        self._predicates.add((layer, predicate))
                        refining.setdefault(layer, []).append(predicate)
        for layer, predicates in refining.items():
            kinds = self._fragments[layer].kinds(predicates).tolist()
            self.lexicon = self.lexicon.refined([kinds[rule] for rule in self.lexicon.rules])

    def structure_automaton(self, structure: Structure) -> StructureAutomaton:
        """Return the automaton of a structure over single derivations."""
        if structure not in self._automata:
            self.prepare((structure,))
        return self._automata[structure]

    def absence(self, structure: Structure) -> TreeAutomaton:
        """Return the derivations that do not contain the structure; trim and minimal."""
        absent = self._absence.get(structure)
        if absent is None:
            automaton = self.structure_automaton(structure)
            words, phrases = self.lexicon.first, self.index.phrasal
            # What contains the structure needs no state.
            lifted = explore(
                self.index,
                self.lexicon,
                leaf=lambda k: automaton.step(words[k], ()) or None,
                step=lambda i, children: automaton.step(phrases[i], children) or None,
                accepts=lambda state: not automaton.accepts_state(state),
            )
            absent = self._absence[structure] = minimise(trim(lifted))
        return absent

    def presence(self, structure: Structure) -> TreeAutomaton:
        """Return the derivations that contain the structure; total and minimal."""
        return self.presence_of_any((structure,))

    def presence_of_any(self, structures: tuple[Structure, ...]) -> TreeAutomaton:
        """Return the derivations that contain one of the structures; total and minimal."""
        if structures not in self._presence:
            self._presence[structures] = complement(self.absence_of_all(structures))
        return self._presence[structures]

    def disjunction(self, structures: tuple[Structure, ...]) -> TreeAutomaton:
        """Return the derivations that contain one of the structures; trim and minimal."""
        if structures not in self._disjunctions:
            self._disjunctions[structures] = trim(self.presence_of_any(structures))
        return self._disjunctions[structures]

    @cached_property
    def everything(self) -> TreeAutomaton:
        """All derivations of the grammar."""
        return everything(self.index)

    @cached_property
    def _keepless(self) -> TreeAutomaton:
        """The derivations without a rule that every split keeps."""
        kept = (rule.id for rule in self.grammar.rules if rule.keep)
        return without_rules(self.everything, kept)

    def _satisfied_by_kept_rules(self, excluded: tuple[Structure, ...]) -> TreeAutomaton:
        """Return the derivations that use a kept rule or contain none of these structures."""
        return trim(complement(intersection(self.presence_of_any(excluded), self._keepless)))

    def language(self, constraint: Constraint) -> TreeAutomaton:
        """Return the derivations that satisfy a constraint; trim, minimal and in order."""
        language = self._languages.get(constraint)
        if language is None:
            language = self.absence_of_all(constraint.exclude)
            if constraint.keep and any(rule.keep for rule in self.grammar.rules):
                language = self._satisfied_by_kept_rules(constraint.exclude)
            for group in constraint.require:
                language = intersection(language, self.disjunction(group))
            language = self._languages[constraint] = canonical(language)
        return language

    def split(self, constraint: Constraint) -> SplitGrammar:
        """Return the grammar, conditioned on a constraint."""
        language = self.language(constraint)
        if language not in self._splits:
            self._splits[language] = split_grammar(language)
        return self._splits[language]

    def view(self, constraint: Constraint) -> SplitView:
        """Return the grammar under a constraint, prepared for being read by automata."""
        language = self.language(constraint)
        if language not in self._views:
            self._views[language] = SplitView(self.split(constraint))
        return self._views[language]

    def absence_of_all(self, structures: Iterable[Structure]) -> TreeAutomaton:
        """Return the derivations that contain none of the structures; trim and minimal."""
        members = tuple(structures)
        return self._absences.of(members) if members else self.everything


@dataclass(frozen=True, slots=True)
class Conflict:
    """Clauses that no text of the grammar satisfies together.

    One structure of each group of ``require`` must occur, and none of ``exclude``
    may.  Both are empty if the grammar derives no text at all.
    """

    require: tuple[tuple[Structure, ...], ...]
    exclude: tuple[Structure, ...]


@dataclass(frozen=True, slots=True)
class _Requirement:
    group: tuple[Structure, ...]
    excluded: bool


_Clauses = Sequence[_Requirement]


def find_conflict(compiler: StructureCompiler, constraint: Constraint) -> Conflict | None:
    """Return a minimal conflict in a constraint, or ``None`` if it can be satisfied."""

    def impossible(clauses: _Clauses) -> bool:
        candidate = _constraint(clauses, keep=constraint.keep)
        return not compiler.language(candidate).accepting

    clauses = [_Requirement((structure,), excluded=True) for structure in constraint.exclude]
    clauses += [_Requirement(group, excluded=False) for group in constraint.require]
    if not impossible(clauses):
        return None
    minimal = [] if impossible([]) else _explain(impossible, [], False, clauses)
    found = _constraint(minimal, keep=False)
    return Conflict(found.require, found.exclude)


def _constraint(clauses: _Clauses, *, keep: bool) -> Constraint:
    return Constraint(
        require=tuple(clause.group for clause in clauses if not clause.excluded),
        exclude=tuple(clause.group[0] for clause in clauses if clause.excluded),
        keep=keep,
    )


def _explain(
    impossible: Callable[[_Clauses], bool], given: _Clauses, grown: bool, clauses: _Clauses
) -> list[_Requirement]:
    """Return the clauses needed to make ``given`` impossible; ``grown`` says that it is new."""
    if grown and impossible(given):
        return []
    if len(clauses) == 1:
        return list(clauses)
    half = len(clauses) // 2
    first, second = clauses[:half], clauses[half:]
    from_second = _explain(impossible, [*given, *first], bool(first), second)
    from_first = _explain(impossible, [*given, *from_second], bool(from_second), first)
    return [*from_first, *from_second]
