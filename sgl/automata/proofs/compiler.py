"""Compile structures and constraints to automata, each once.

Structures become automata over the derivations of the grammar (*presence*), their complements (*absence*) are joined to
what constraints exclude, and what they require is added by intersection.  The constraints of one dataset resemble one
another, so conjunctions are built over a fixed order of the structures, in halves of halves::

    exclude everything but 2      {0 1 2 3 4 5 6 7}
                                 {0 1 3}   {4 5 6 7}      <- shared with all others

so leaving out each of n structures costs n log n products, not n squared.

If a constraint has no text, :func:`find_conflict` gives the reason: a minimal set of its clauses.  It is found by
QuickXplain (Junker 2004), which takes few tests if few clauses matter.

While a grammar is edited, results are kept for its *shape*: its rules without their weights and source lines; weights
count only if a template of the source drops a child, as they decide which reading it gets.  Automata depend on even
less: the number of words in a text, and the tests that a node's label passes.  Rules and words that agree in this are
of one *kind*, and twins: every automaton reads them alike, however many there are.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, cached_property, partial

import numpy as np

from sgl.automata.algebra.boolean import canonical, complement, intersection, minimise, pairs, trim, without_rules
from sgl.automata.algebra.tree_automaton import DEAD, GrammarIndex, TreeAutomaton, explore
from sgl.automata.common import Numbering, Numbers, UnsupportedStructure, computed_once
from sgl.automata.patterns.lengths import MeasuredAutomaton
from sgl.automata.patterns.query import Schema
from sgl.automata.patterns.structure_automaton import FOUND, SchemaAutomaton, StructureAutomaton
from sgl.automata.patterns.symbols import FragmentIndex
from sgl.automata.proofs.edits import equal_but_for_texts, equal_rules, layers_of, without_words
from sgl.automata.proofs.invariant import AutomatonView, accepts_all, joint_states
from sgl.automata.weights.split import SplitGrammar, acceptance_probability, split_grammar
from sgl.cache import kept_apart
from sgl.core.claims import Conflict
from sgl.core.grammar import CoreGrammar
from sgl.core.plan import Constraint, Stratum
from sgl.core.structure import Structure
from sgl.memory import memory

#: The computed results that depend on weights and words.
_OF_WEIGHTS = ("mass()", "split()", "instances()", "_fragments()")

#: The computed results that depend on the numbers of rules.
_OF_WORDS = ("view()", "structure_automaton()")


class StructureCompiler:
    """A compiler of structures and constraints over one grammar, each once.

    A structure may cost ``budget`` elementary steps, by default the limit ``matches``.  The methods raise
    ``UnsupportedStructure``, ``StructureTooCostly``, and ``KeyError`` for a structure over a layer that the grammar
    lacks.
    """

    def __init__(self, grammar: CoreGrammar, budget: int | None = None) -> None:
        self.grammar = grammar
        self.index = GrammarIndex(grammar)
        self._budget, self._written = budget, 0
        #: The automata of schemas, which structures with equal schemas share, and of structures without lengths.
        self.cores: dict[tuple[str, Schema], SchemaAutomaton] = {}
        self.readers: dict[Structure, StructureAutomaton] = {}
        self._accepted: dict[tuple[TreeAutomaton, TreeAutomaton], bool] = {}
        #: The structures in the order in which their absence is first needed.
        self._ranks: Numbering[Structure] = Numbering()

    def __getstate__(self) -> dict[str, object]:
        """Return the results about derivations; those that depend on weights are quicker to compute than to read."""
        known = {name: own for name, own in self.__dict__.items() if name not in (*_OF_WEIGHTS, "view()")}
        return {**known, "_written": self._results}

    @property
    def grown(self) -> bool:
        """Whether there are results that were not read from disk."""
        return self._results > self._written

    @property
    def _results(self) -> int:
        kept = (own for name, own in self.__dict__.items() if name not in (*_OF_WEIGHTS, *_OF_WORDS))
        return sum(len(own) for own in kept if isinstance(own, dict))

    def adapted(self, grammar: CoreGrammar) -> "StructureCompiler | None":
        """Return a compiler of another grammar with all results, or None if they do not hold for it.

        With other weights and words of texts it is this compiler.  With other words of graphs it is a new one: phrases
        must be read as they are here, and words must be of the same kinds, which first come in the same order.
        """
        if grammar is self.grammar:
            return self
        if layers_of(grammar) != layers_of(self.grammar):
            return None
        if not equal_but_for_texts(self.grammar, grammar):
            return self._with_twins(grammar)
        self.grammar = grammar
        self.index.read(grammar)
        for own in _OF_WEIGHTS:
            self.__dict__.pop(own, None)
        return self

    def begun_for(self, grammar: CoreGrammar) -> "StructureCompiler":
        """Return a compiler without results that knows how structures see the rules that are equal here.

        The layers of the two grammars must be equal.
        """
        other = self._reading(grammar)
        other.readers = {structure: known for structure, known in other.readers.items() if not known.worn}
        other.cores = {key: known for key, known in self.cores.items() if not known.worn}
        return other

    def _reading(self, grammar: CoreGrammar) -> "StructureCompiler":
        other, same = StructureCompiler(grammar, self._budget), equal_rules(self.grammar, grammar)
        edited = tuple(grammar.rules[number] for number in np.flatnonzero(same < 0).tolist())
        fragments = cache(partial(FragmentIndex, replace(grammar, rules=edited)))
        # Whoever needs a structure that the grammar does not support says so.
        with suppress(UnsupportedStructure):
            other.readers = {s: known.over(same, fragments(s.layer)) for s, known in self.readers.items()}
        return other

    def _with_twins(self, grammar: CoreGrammar) -> "StructureCompiler | None":
        """Return a compiler in which every rule is read as its twin here; None if some rule has none."""
        size, numbers = len(self.grammar.rules), Numbering[object]()
        shapes = [numbers.number(without_words(rule)) for rule in (*self.grammar.rules, *grammar.rules)]
        if set(shapes[:size]) != set(shapes[size:]):
            return None
        other = self._reading(grammar)
        if len(other.readers) < len(self.readers):
            return None
        rows = [
            shapes,
            *(known.symbols + other.readers[structure].symbols for structure, known in self.readers.items()),
        ]
        # Kinds are numbered in the order in which they first come, which has to be the same.
        numbers = Numbering[object]()
        kinds = np.array([numbers.number(column.tobytes()) for column in np.array(rows, np.intc).T.copy()], np.intp)
        (own, places), (its, first) = (np.unique(k, return_index=True) for k in (kinds[:size], kinds[size:]))
        if not np.array_equal(own, its) or np.any(np.diff(first) < 0):
            return None
        self._lend(other, places[kinds[size:]])
        return other

    def _lend(self, other: "StructureCompiler", twins: Numbers) -> None:
        """Give another compiler all automata; they read each of its rules as its twin here, given by id."""

        @cache
        def over(known: TreeAutomaton) -> TreeAutomaton:
            return known.over(other.index, twins)

        def read(known: object) -> object:
            return over(known) if isinstance(known, TreeAutomaton) else known

        accepted = {(over(a), over(language)): sure for (a, language), sure in self._accepted.items()}
        other.__dict__.update(cores=self.cores, _ranks=self._ranks, _accepted=accepted, _written=self._written)
        for name, own in self.__dict__.items():
            if name.endswith("()") and name not in (*_OF_WEIGHTS, *_OF_WORDS):
                other.__dict__[name] = {tuple(map(read, asked)): read(known) for asked, known in own.items()}
            elif isinstance(own, TreeAutomaton):
                other.__dict__[name] = over(own)

    @computed_once
    def structure_automaton(self, structure: Structure) -> StructureAutomaton | MeasuredAutomaton:
        """Return the automaton of a structure over single derivations."""
        lengths = structure.body.lengths
        return MeasuredAutomaton(structure, self.grammar, self._read) if lengths else self._read(structure)

    def _read(self, structure: Structure) -> StructureAutomaton:
        if structure not in self.readers:
            fragments = self._fragments(structure.layer)
            self.readers[structure] = StructureAutomaton(structure, fragments, self.cores, self._budget)
        return self.readers[structure]

    @computed_once
    def _fragments(self, layer: str) -> FragmentIndex:
        return FragmentIndex(self.grammar, layer)

    @computed_once
    def absence(self, structure: Structure) -> TreeAutomaton:
        """Return the automaton of derivations without the structure; trim and minimal."""
        automaton = self.structure_automaton(structure)
        words = automaton.words(self.index.words)
        # Phrases that contain the structure, in state 0, need no state.
        lifted = explore(
            self.index,
            words=np.where(words == FOUND, DEAD, words),
            step=lambda rule, children: automaton.step(rule, children) or DEAD,
            accepts=lambda state: not automaton.accepts_state(state),
        )
        return minimise(trim(lifted))

    def absence_of_all(self, structures: Iterable[Structure]) -> TreeAutomaton:
        """Return the automaton of derivations that contain none of the structures; trim and minimal."""
        ranks = {self._ranks.number(structure) for structure in structures}
        return self._conjunction(tuple(sorted(ranks))) if ranks else self.everything

    @computed_once
    def _conjunction(self, members: tuple[int, ...]) -> TreeAutomaton:
        if len(members) == 1:
            return self.absence(self._ranks.values[members[0]])
        # The highest binary digit in which ranks differ separates the halves.
        digit = (members[0] ^ members[-1]).bit_length() - 1
        half = bisect_left(members, members[-1] >> digit << digit)
        return intersection(self._conjunction(members[:half]), self._conjunction(members[half:]))

    @computed_once
    def presence(self, *structures: Structure) -> TreeAutomaton:
        """Return the automaton of derivations that contain one of the structures; total and minimal."""
        return complement(self.absence_of_all(structures))

    @computed_once
    def disjunction(self, structures: tuple[Structure, ...]) -> TreeAutomaton:
        """Return the automaton of derivations that contain one of the structures; trim and minimal."""
        return trim(self.presence(*structures))

    @cached_property
    def everything(self) -> TreeAutomaton:
        """The automaton of all derivations of the grammar."""
        words = np.zeros_like(self.index.words)
        return trim(explore(self.index, words, lambda *_: 0, lambda _: True))

    @computed_once
    def language(self, constraint: Constraint) -> TreeAutomaton:
        """Return the automaton of derivations that satisfy a constraint; trim, minimal and canonical."""
        kept = [rule.id for rule in self.grammar.rules if rule.keep and constraint.cut]
        always = [s for s in constraint.exclude if not kept or s not in constraint.cut]
        language = self.absence_of_all(always)
        if kept:
            # A derivation that uses a kept rule may contain what is cut.
            cut = intersection(self.presence(*constraint.cut), without_rules(self.everything, kept))
            language = intersection(language, trim(complement(cut)))
        for group in constraint.require:
            language = intersection(language, self.disjunction(group))
        return canonical(language)

    @computed_once
    def split(self, constraint: Constraint) -> SplitGrammar:
        """Return the grammar conditioned on a constraint."""
        return split_grammar(self.language(constraint))

    @computed_once
    def mass(self, automaton: TreeAutomaton) -> float:
        """Return the probability under the grammar that an automaton accepts a derivation."""
        return acceptance_probability(automaton)

    def drawn(self, stratum: Stratum) -> SplitGrammar:
        """Return the grammar from which a stratum is drawn; with contexts, its states of instances are ``found``."""
        return self.instances(stratum.constraint) if stratum.extent.contexts else self.split(stratum.constraint)

    @computed_once
    def derives(self, constraint: Constraint, structure: Structure) -> bool:
        """Return whether a text that satisfies a constraint contains a structure, without an automaton for both."""
        split = self.split(constraint)
        has = _have(split, [self.structure_automaton(structure)])
        return any(True in has[root] for root, _ in split.roots)

    @computed_once
    def instances(self, constraint: Constraint) -> SplitGrammar:
        """Return a split whose ``found`` states are the phrases with one of the structures required first.

        Length tests are ignored, as length is a property of the whole text.
        """
        bodies = [(s, replace(s.body, lengths=())) for s in constraint.require[0]]
        automata = [self._read(replace(s, body=body)) for s, body in bodies]
        split = self.split(constraint)
        has = _have(split, automata)
        if any(len(own) > 1 for own in has):
            # The language may not distinguish phrases with the structure from others; here they must be distinct.
            whole = self.language(constraint)
            for automaton in automata:
                words = automaton.words(self.index.words)
                whole = trim(pairs(whole, explore(self.index, words, automaton.step, lambda _: True)))
            apart = np.array([True in own for own in _have(split_grammar(whole), automata)])
            split = split_grammar(canonical(minimise(whole, apart)))
            has = _have(split, automata)
        return replace(split, found=frozenset(state for state, own in enumerate(has) if True in own))

    @computed_once
    def both(self, first: TreeAutomaton, second: TreeAutomaton) -> TreeAutomaton:
        """Return the automaton of derivations that two automata accept."""
        return intersection(first, second)

    def accepts_all(self, automaton: TreeAutomaton, language: TreeAutomaton, split: SplitGrammar) -> bool:
        """Return whether an automaton accepts every text of a language whose split grammar is given."""
        if (automaton, language) not in self._accepted:
            self._accepted[automaton, language] = accepts_all(split, self.view(automaton))
        return self._accepted[automaton, language]

    @computed_once
    def view(self, automaton: TreeAutomaton) -> AutomatonView:
        """Return an automaton prepared for reading many splits."""
        return AutomatonView(automaton)


def _have(split: SplitGrammar, automata: Sequence[StructureAutomaton | MeasuredAutomaton]) -> list[set[bool]]:
    """Return for each state of a split whether its phrases have one of the structures: all, none, or some of them."""
    words = [automaton.words(split.lexical.rules) for automaton in automata]
    found = joint_states(split, words, [automaton.step for automaton in automata])
    return [{any(a.accepts_state(n) for a, n in zip(automata, own, strict=True)) for own in x} for x in found]


#: One of these structures must occur or, if the flag says excluded, none of them may.
_Clause = tuple[tuple[Structure, ...], bool]
_Clauses = Sequence[_Clause]


def find_conflict(compiler: StructureCompiler, constraint: Constraint) -> Conflict | None:
    """Return a minimal conflict in a constraint, or ``None`` if it can be satisfied."""

    def impossible(clauses: _Clauses) -> bool:
        required, excluded = _sides(clauses)
        cut = tuple([structure for structure in constraint.cut if structure in excluded])
        return compiler.language(Constraint(required, excluded, cut)).empty

    clauses: list[_Clause] = [((structure,), True) for structure in constraint.exclude]
    clauses += [(group, False) for group in constraint.require]
    if not impossible(clauses):
        return None
    return Conflict(*_sides([] if impossible([]) else _explain(impossible, [], False, clauses)))


def _sides(clauses: _Clauses) -> tuple[tuple[tuple[Structure, ...], ...], tuple[Structure, ...]]:
    required = tuple(group for group, excluded in clauses if not excluded)
    return required, tuple(group[0] for group, excluded in clauses if excluded)


def _explain(impossible: Callable[[_Clauses], bool], given: _Clauses, grown: bool, clauses: _Clauses) -> list[_Clause]:
    """Return the clauses needed to make ``given`` impossible; ``grown`` says whether ``given`` is new."""
    if grown and impossible(given):
        return []
    if len(clauses) == 1:
        return list(clauses)
    half = len(clauses) // 2
    first, second = clauses[:half], clauses[half:]
    from_second = _explain(impossible, [*given, *first], bool(first), second)
    from_first = _explain(impossible, [*given, *from_second], bool(from_second), first)
    return [*from_first, *from_second]


def structures_of(grammar: CoreGrammar) -> StructureCompiler:
    """Return a structure compiler for a grammar, reusing one of the last ones if its results hold."""
    known, keeper = kept_apart("structures", list[StructureCompiler]), memory()
    own = next(filter(None, (c.adapted(grammar) for c in reversed(known))), None)
    if own is None:
        alike = next((c for c in reversed(known) if layers_of(c.grammar) == layers_of(grammar)), None)
        own = alike.begun_for(grammar) if alike is not None else StructureCompiler(grammar)
    # What a command leaves to the next one is read each time; an editor may have several grammars.
    most = 1 if keeper is not None and keeper.parts else 2
    known[:] = [*(other for other in known if other is not own), own][-most:]
    return own
