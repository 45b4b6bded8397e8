"""The deterministic bottom-up automaton of a structure.

It reads derivations from the words upwards and says whether the graph contains
the structure.  States are numbered as they are met and transitions are computed
once per symbol, so that the automaton serves all derivations of a grammar, and
all structures with the same schema (:mod:`sgl.automata.schema`) share it.
"""

from __future__ import annotations

from sgl.automata.errors import BudgetSpent, StructureTooCostly
from sgl.automata.schema import NO_PREDICATE, Query, Schema, query_of
from sgl.automata.state import State, Work, closed, transition
from sgl.automata.symbols import FragmentIndex, Symbol
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation
from sgl.core.structure import Structure

#: Elementary steps (matches joined) that one structure may cost: some seconds.
DEFAULT_BUDGET = 4_000_000


class SchemaAutomaton:
    """States and transitions of a schema, computed on demand."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.states: list[State] = []
        self._number: dict[State, int] = {}
        self._symbols: dict[Symbol, int] = {}
        self._symbol_of_number: list[Symbol] = []
        self._transitions: dict[tuple[int, tuple[int, ...]], int] = {}
        self._accepting: dict[int, bool] = {}

    def symbol(self, symbol: Symbol) -> int:
        """The number of a symbol."""
        number = self._symbols.setdefault(symbol, len(self._symbols))
        if number == len(self._symbol_of_number):
            self._symbol_of_number.append(symbol)
        return number

    def step(self, symbol: int, children: tuple[int, ...], work: Work) -> int:
        """The state after a symbol; raises ``BudgetSpent`` when ``work`` is used up."""
        key = (symbol, children)
        state = self._transitions.get(key)
        if state is None:
            value = transition(
                self.schema,
                self._symbol_of_number[symbol],
                [self.states[child] for child in children],
                work,
            )
            state = self._number.setdefault(value, len(self._number))
            if state == len(self.states):
                self.states.append(value)
            self._transitions[key] = state
        return state

    def accepts(self, state: int) -> bool:
        """Whether a whole text in this state contains the structure."""
        if state not in self._accepting:
            self._accepting[state] = closed(self.schema, self.states[state])
        return self._accepting[state]


class StructureAutomaton:
    """The automaton of one structure over the rules of one grammar."""

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
        self._query = query
        self._budget = budget
        self._work = Work(budget)
        symbols = fragments.symbols(query)
        distinct = {id(symbol): symbol for symbol in symbols}
        number = {key: self._core.symbol(symbol) for key, symbol in distinct.items()}
        #: The symbol of each rule; rules with equal symbols behave alike.
        self._symbols = [number[id(symbol)] for symbol in symbols]

    def step(self, rule: int, children: tuple[int, ...]) -> int:
        """The state of a phrase from a rule id and the states of its children.

        Raises:
            StructureTooCostly: if the budget is used up.
        """
        try:
            return self._core.step(self._symbols[rule], children, self._work)
        except BudgetSpent:
            raise StructureTooCostly(
                self.structure, _costliest_variable(self._query), self._budget
            ) from None

    def accepts_state(self, state: int) -> bool:
        """Whether a whole text in this state contains the structure."""
        return self._core.accepts(state)

    def run(self, grammar: CoreGrammar, derivation: Derivation) -> int:
        """The state of a derivation, given as its rule ids in preorder."""
        stack: list[int] = []
        for rule in reversed(derivation):
            children = tuple(stack.pop() for _ in grammar.rules[rule].rhs)
            stack.append(self.step(rule, children))
        return stack.pop()

    def accepts(self, grammar: CoreGrammar, derivation: Derivation) -> bool:
        """Whether the graph of a derivation contains the structure."""
        return self.accepts_state(self.run(grammar, derivation))


def compile_structure(
    grammar: CoreGrammar, structure: Structure, budget: int = DEFAULT_BUDGET
) -> StructureAutomaton:
    """The automaton of a single structure; see ``StructureCompiler`` for many."""
    return StructureAutomaton(structure, FragmentIndex(grammar, structure.layer), budget=budget)


def _costliest_variable(query: Query) -> str:
    """The variable that a test would help most: eager ones without a test come first."""
    body = query.structure.body
    clause = query.schema.body

    def cost(variable: int) -> tuple[bool, bool]:
        untested = clause.predicates[variable] == NO_PREDICATE
        return untested and variable in clause.eager, untested

    costliest = max(range(len(body.variables)), key=cost, default=None)
    return "N" if costliest is None else body.variables[costliest].name
