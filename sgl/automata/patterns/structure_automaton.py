"""The deterministic bottom-up automaton of a structure.

It reads derivations from the words upwards and says whether the graph contains
the structure.  The state of a phrase is all that matters about its graph for
that: its outline (:mod:`sgl.automata.patterns.scene`) and the set of all partial matches::

    { V -[nsubj]-> N; N -[nmod]-> M }

    dog                   {∅}
    dog in the house      {∅, N=head M done}
    … slept               {∅}  plus  FOUND, because V, N and M are all there

It depends on the derivation only through the states of its parts (the boundary
lemma: a rule's graph meets the graphs of its children at their ports only), so
that this is a deterministic bottom-up tree automaton.  Once the structure is
found it stays found.

States are numbered as they are met and transitions are computed once per symbol,
so that the automaton serves all derivations of a grammar, and all structures
with the same schema (:mod:`sgl.automata.patterns.schema`) share it.
"""

from __future__ import annotations

from collections.abc import Sequence
from sys import maxsize
from typing import NamedTuple

from sgl.automata.common import BudgetSpent, Numbering, StructureTooCostly
from sgl.automata.patterns.gluing import Gluing, Joining, Work
from sgl.automata.patterns.matches import Match, complete
from sgl.automata.patterns.scene import Outline
from sgl.automata.patterns.schema import NO_PREDICATE, Query, Schema, query_of
from sgl.automata.patterns.symbols import FragmentIndex, Symbol, forgetting
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation
from sgl.core.structure import Structure

#: Elementary steps (matches joined) that one structure may cost: some seconds.
DEFAULT_BUDGET = 4_000_000


class PhraseState(NamedTuple):
    """What matters about a phrase for a schema, by number: its outline and its matches."""

    outline: int
    matches: frozenset[int]


#: The number of the state of every phrase that contains the structure, and the state.
FOUND = 0
_FOUND = PhraseState(-1, frozenset())


class SchemaAutomaton:
    """States and transitions of a schema, computed on demand."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._symbols: Numbering[Symbol] = Numbering()
        self._outlines: Numbering[Outline] = Numbering()
        self._matches: Numbering[Match] = Numbering()
        self._states: Numbering[PhraseState] = Numbering()
        self._states.number(_FOUND)
        self._joinings: dict[tuple[tuple[int, ...], ...], Joining] = {}
        self._gluings: dict[tuple[int, tuple[int, ...]], tuple[Gluing, int]] = {}
        self.transitions: dict[tuple[int, tuple[int, ...]], int] = {}
        self._accepting: dict[int, bool] = {FOUND: True}

    def symbol(self, symbol: Symbol) -> int:
        """Return the number of a symbol."""
        return self._symbols.number(symbol)

    def step(self, symbol: int, children: tuple[int, ...], work: Work) -> int:
        """Return the state after a symbol; raises ``BudgetSpent`` when ``work`` is used up."""
        key = symbol, children
        state = self.transitions.get(key)
        if state is None:
            state = self.transitions[key] = self._step(symbol, children, work)
        return state

    def _step(self, symbol: int, children: tuple[int, ...], work: Work) -> int:
        if FOUND in children:
            return FOUND
        states = [self._states.values[child] for child in children]
        gluing, outline = self._gluing(symbol, tuple([state.outline for state in states]))
        matches = gluing.result([state.matches for state in states], work)
        if matches is None:
            return FOUND
        return self._states.number(PhraseState(outline, matches))

    def _gluing(self, symbol: int, outlines: tuple[int, ...]) -> tuple[Gluing, int]:
        """Return a symbol over children with these outlines, and the outline of its result."""
        key = symbol, outlines
        if key not in self._gluings:
            value = self._symbols.values[symbol]
            if value.ports not in self._joinings:
                joining = Joining(self.schema, value.ports, self._matches)
                self._joinings[value.ports] = joining
            gluing = Gluing(
                self._joinings[value.ports],
                self.schema,
                value,
                [self._outlines.values[outline] for outline in outlines],
            )
            self._gluings[key] = gluing, self._outlines.number(gluing.outline)
        return self._gluings[key]

    def accepts(self, state: int) -> bool:
        """Return whether a whole text in this state contains the structure.

        All its ports are forgotten; extensions that are incomplete then stay so.
        """
        if state not in self._accepting:
            outline = self._outlines.values[self._states.values[state].outline]
            last = self.step(self.symbol(forgetting(len(outline.ports))), (state,), Work(maxsize))
            matches = (self._matches.values[m] for m in self._states.values[last].matches)
            self._accepting[state] = last == FOUND or any(
                complete(self.schema, match) for match in matches
            )
        return self._accepting[state]


class StructureAutomaton:
    """The automaton of one structure over the rules of one grammar.

    Rules that agree in the ``predicates`` of the structure, and in the form of
    their fragments, are read alike (:meth:`FragmentIndex.kinds`).
    """

    def __init__(
        self,
        structure: Structure,
        fragments: FragmentIndex,
        core: dict[tuple[str, Schema], SchemaAutomaton] | None = None,
        budget: int = DEFAULT_BUDGET,
    ) -> None:
        query = query_of(structure)
        cores = {} if core is None else core
        self.structure = structure
        self._core = cores.setdefault(
            (structure.layer, query.schema), SchemaAutomaton(query.schema)
        )
        self.predicates = query.predicates
        self._query = query
        self._budget = budget
        self._work = Work(budget)
        self._query_symbols = fragments.query_symbols(query)
        self._symbols: dict[int, int] = {}
        self._symbol_of_kind: dict[tuple[int, ...], int] = {}

    def step(self, rule: int, children: tuple[int, ...]) -> int:
        """Return the state of a phrase from a rule id and the states of its children.

        Raises:
            StructureTooCostly: if the budget is used up.
        """
        symbol = self._symbols.get(rule)
        if symbol is None:
            symbol = self._symbols[rule] = self.symbols((rule,))[0]
        return self.after(symbol, children)

    def symbols(self, rules: Sequence[int]) -> list[int]:
        """Return the numbers of the symbols of some rules, for :meth:`after`."""
        symbols = []
        for kind in self._query_symbols.kinds(rules):
            symbol = self._symbol_of_kind.get(kind)
            if symbol is None:
                symbol = self._core.symbol(self._query_symbols.symbol(kind))
                self._symbol_of_kind[kind] = symbol
            symbols.append(symbol)
        return symbols

    def after(self, symbol: int, children: tuple[int, ...]) -> int:
        """Return the state of a phrase from the number of a symbol and the states of its children.

        Raises:
            StructureTooCostly: if the budget is used up.
        """
        state = self._core.transitions.get((symbol, children))
        if state is not None:
            return state
        try:
            return self._core.step(symbol, children, self._work)
        except BudgetSpent:
            raise StructureTooCostly(
                self.structure, _costliest_variable(self._query), self._budget
            ) from None

    def accepts_state(self, state: int) -> bool:
        """Return whether a whole text in this state contains the structure."""
        return self._core.accepts(state)

    def run(self, grammar: CoreGrammar, derivation: Derivation) -> int:
        """Return the state of a derivation, given as its rule ids in preorder."""
        stack: list[int] = []
        for rule in reversed(derivation):
            children = tuple(stack.pop() for _ in grammar.rules[rule].rhs)
            stack.append(self.step(rule, children))
        return stack.pop()

    def accepts(self, grammar: CoreGrammar, derivation: Derivation) -> bool:
        """Return whether the graph of a derivation contains the structure."""
        return self.accepts_state(self.run(grammar, derivation))


def compile_structure(
    grammar: CoreGrammar, structure: Structure, budget: int = DEFAULT_BUDGET
) -> StructureAutomaton:
    """Return the automaton of a single structure; see ``StructureCompiler`` for many."""
    return StructureAutomaton(structure, FragmentIndex(grammar, structure.layer), budget=budget)


def _costliest_variable(query: Query) -> str:
    """Return the variable that a test would help most: eager ones without a test come first."""
    body = query.structure.body
    clause = query.schema.body

    def cost(variable: int) -> tuple[bool, bool]:
        untested = clause.predicates[variable] == NO_PREDICATE
        return untested and variable in clause.eager, untested

    costliest = max(range(len(body.variables)), key=cost, default=None)
    return "N" if costliest is None else body.variables[costliest].name
