"""Build the deterministic bottom-up automaton of a structure.

The state of a phrase is its outline and the set of all its partial matches::

    { V -[nsubj]-> N; N -[nmod]-> M }
    dog in the house      {∅, N=head M done}
    … slept               {∅}  plus  FOUND, because V, N and M are all there

That is enough, since a rule's graph meets the graphs of its children only at their ports (the boundary lemma).  No
match is dropped in favour of a "better" one: if two children both did so, they could no longer be joined.  A rule
treats every match separately.  So each step is computed once, on numbers that represent matches, and transitions, which
differ in *sets* of them, are mostly looked up.
"""

from array import array
from collections.abc import Callable, Collection, Iterable, Sequence
from copy import copy
from functools import cache, partial
from sys import maxsize
from typing import NamedTuple

import numpy as np

from sgl.automata.common import BudgetSpent, Numbering, Numbers, StructureTooCostly, computed_once
from sgl.automata.patterns import matches as partly
from sgl.automata.patterns.query import NO_PREDICATE, Query, Schema, query_of
from sgl.automata.patterns.scene import FOUND_MATCH, Outline, Scene
from sgl.automata.patterns.symbols import FragmentIndex, Symbol
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, fold
from sgl.core.structure import Structure
from sgl.foreign import limits
from sgl.memory import kept

Matches = frozenset[int]


def _size(matches: Iterable[partly.Match]) -> int:
    return sum([1 + sum(map(len, match.extensions)) for match in matches])


class _Joining:
    """A joiner of matches of children whose ``ports`` are glued in one way.

    Matches are given by their numbers in ``matches``; those of children are over ports, joined ones over local nodes.
    ``spend`` counts steps.
    """

    def __init__(
        self,
        schema: Schema,
        matches: Numbering[partly.Match],
        spend: Callable[[int], None],
        ports: Sequence[tuple[int, ...]],
    ) -> None:
        self._schema, self._matches, self._spend = schema, matches, spend
        self._tables = [(*row, partly.DONE, partly.UNASSIGNED) for row in ports]
        self._shared = [
            [node for node in row if any(node in earlier for earlier in ports[:child])]
            for child, row in enumerate(ports)
        ]
        # The same sets of matches recur, and so do their members.
        self._known = cache(self._renamed), cache(self._grown), cache(self._joined)

    def result(self, children: Sequence[Matches]) -> Collection[int]:
        """Return all compatible combinations of one match of each child, joined."""
        if not children:
            return (self._matches.number(partly.empty_match(self._schema)),)
        renamed, grown, _ = self._known
        joined = renamed(0, children[0])
        for child, matches in enumerate(children[1:], 1):
            members = renamed(child, matches)
            joined = frozenset().union(*[grown(child, left, members) for left in joined])
        return joined

    def _renamed(self, child: int, matches: Matches) -> Matches:
        table, values = self._tables[child], self._matches.values
        return frozenset([self._matches.number(partly.rename(values[m], table)) for m in matches])

    def _grown(self, child: int, left: int, members: Matches) -> Matches:
        self._spend(len(members))
        *_, joined = self._known
        found = [joined(child, left, right) for right in members]
        return frozenset([both for both in found if both is not None])

    def _joined(self, child: int, left: int, right: int) -> int | None:
        earlier, own = self._matches.values[left], self._matches.values[right]
        if earlier.extensions:
            self._spend(_size([earlier]) * _size([own]))
        both = partly.join(self._schema, earlier, own, self._shared[child])
        return None if both is None else self._matches.number(both)


class _Gluing(NamedTuple):
    """A symbol over children with given outlines.

    ``outline`` is the number of the result's outline.  ``outcome`` maps a match of all children to the resulting
    matches, or to ``None`` if the structure is found.
    """

    joining: _Joining
    outline: int
    outcome: Callable[[int], Matches | None]


class PhraseState(NamedTuple):
    """What matters about a phrase for a schema, by number: its outline and its matches."""

    outline: int
    matches: Matches


#: The number of the state of every phrase that contains the structure, and that state.
FOUND = 0
_FOUND = PhraseState(-1, frozenset())


class SchemaAutomaton:
    """The states and transitions of a schema, computed on demand."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._size: Callable[[Collection[partly.Match]], int] = _size if schema.clauses[1:] else len
        self.symbols: Numbering[Symbol] = Numbering()
        self._outlines: Numbering[Outline] = Numbering()
        self._matches: Numbering[partly.Match] = Numbering()
        self._states: Numbering[PhraseState] = Numbering()
        self._states.number(_FOUND)
        #: The known states after a symbol over children.
        self.transitions: dict[tuple[int, tuple[int, ...]], int] = {}
        #: The elementary steps still allowed, and those taken.
        self.left, self.spent = limits().matches, 0
        self._remember()

    @property
    def worn(self) -> bool:
        """Whether so much is known that it is better to begin again."""
        return self.spent > limits().matches or len(self.transitions) > 10_000

    def _remember(self) -> None:
        self._joining = cache(partial(_Joining, self._schema, self._matches, self._spend))
        self._gluing = cache(self._glued)

    def __getstate__(self) -> dict[str, object]:
        """Return the known states and transitions; the caches are quicker to rebuild than to read."""
        return {name: own for name, own in self.__dict__.items() if name not in ("_joining", "_gluing")}

    def __setstate__(self, state: dict[str, object]) -> None:
        """Restore the known states and transitions."""
        self.__dict__.update(state)
        self._remember()

    def _spend(self, steps: int) -> None:
        self.left -= steps
        self.spent += steps
        if self.left < 0:
            raise BudgetSpent

    def step(self, symbol: int, children: tuple[int, ...]) -> int:
        """Compute the state after a symbol; raises ``BudgetSpent`` if no steps are left."""
        state = FOUND
        if FOUND not in children:
            below = [self._states.values[child] for child in children]
            gluing = self._gluing(symbol, tuple([part.outline for part in below]))
            result = set[int]()
            for match in gluing.joining.result([part.matches for part in below]):
                if (outcome := gluing.outcome(match)) is None:
                    break
                result |= outcome
            else:
                state = self._states.number(PhraseState(gluing.outline, frozenset(result)))
        self.transitions[symbol, children] = state
        return state

    def _glued(self, number: int, outlines: tuple[int, ...]) -> _Gluing:
        symbol = self.symbols.values[number]
        self._spend(1 + sum(len(self._outlines.values[outline].ports) for outline in outlines))
        scene = Scene(self._schema, symbol, [self._outlines.values[outline] for outline in outlines])
        outcome = cache(partial(self._outcome, symbol, scene))
        return _Gluing(self._joining(symbol.ports), self._outlines.number(scene.outline), outcome)

    def _outcome(self, symbol: Symbol, scene: Scene, number: int) -> Matches | None:
        """Give a match of all children the new nodes and edges in all possible ways, and forget."""
        outcome: set[int] = set()
        for new in self._grown(symbol, scene, self._matches.values[number]):
            remaining = scene.forget(new)
            if remaining is FOUND_MATCH:
                return None
            if remaining is not None:
                outcome.add(self._matches.number(remaining))
        return frozenset(outcome)

    def _grown(self, symbol: Symbol, scene: Scene, match: partly.Match) -> Collection[partly.Match]:
        schema, labels = self._schema, scene.labels
        passing = partly.keep_passing(schema, match, labels) if scene.named else match
        grown: Collection[partly.Match] = () if passing is None else (passing,)
        for node in symbol.fresh:
            grown = dict.fromkeys([new for old in grown for new in partly.place(schema, old, node, labels[node])])
            self._spend(self._size(grown))
        for edge in symbol.edges:
            if any(edge.effect.goals):
                grown = dict.fromkeys([new for old in grown for new in partly.realise(schema, old, edge, labels)])
                self._spend(self._size(grown))
        return grown

    @computed_once
    def accepts(self, state: int) -> bool:
        """Return whether a whole text in this state has the structure once all ports are forgotten."""
        if state == FOUND:
            return True
        # This symbol keeps the nodes of its only child and exports none.
        ports = len(self._outlines.values[self._states.values[state].outline].ports)
        last_symbol = Symbol((tuple(range(ports)),), (None,) * ports, (), (), ())
        self.left = maxsize
        last = self.step(self.symbols.number(last_symbol), (state,))
        return last == FOUND or any(
            self._matches.values[match].complete(self._schema.clauses[0]) for match in self._states.values[last].matches
        )


class StructureAutomaton:
    """The automaton of one structure over the rules of one grammar.

    Rules with the same symbol (:meth:`FragmentIndex.symbols`) count as one.  ``cores`` has the automata of known
    schemas.  ``budget``, by default the limit ``matches``, bounds elementary steps, the number of matches joined.
    """

    def __init__(
        self,
        structure: Structure,
        fragments: FragmentIndex,
        cores: dict[tuple[str, Schema], SchemaAutomaton],
        budget: int | None = None,
    ) -> None:
        self._query = query_of(structure)
        schema = self._query.schema
        key = (structure.layer, schema)
        # It reads symbols, not rules: the automaton of an edited grammar knows most steps of the next one, unless it is
        # worn.
        known = cores.get(key) or kept("schema", (), key, partial(SchemaAutomaton, schema))
        self._core = cores[key] = SchemaAutomaton(schema) if known.worn and key not in cores else known
        #: The number of each rule's symbol.
        self.symbols = fragments.symbols(self._query, self._core.symbols.number)
        self._budget = self._left = limits().matches if budget is None else budget

    @property
    def worn(self) -> bool:
        """Whether it is better to begin again."""
        return self._core.worn

    def over(self, same: Numbers, fragments: FragmentIndex) -> "StructureAutomaton":
        """Return the automaton over the rules of another grammar.

        ``same`` has for each of them the id of an equal rule here, or -1; ``fragments`` are those of the others.
        """
        other, symbols = copy(self), np.asarray(self.symbols)[same]
        symbols[same < 0] = fragments.symbols(self._query, self._core.symbols.number)
        other.__dict__.update(symbols=array("i", symbols.tobytes()), _left=self._budget)
        return other

    def step(self, rule: int, children: tuple[int, ...]) -> int:
        """Return the state of a phrase from its rule's id and its children's states; raises ``StructureTooCostly``."""
        symbol = self.symbols[rule]
        state = self._core.transitions.get((symbol, children))
        if state is not None:
            return state
        self._core.left = self._left
        try:
            state = self._core.step(symbol, children)
        except BudgetSpent:
            variable = _costliest_variable(self._query)
            raise StructureTooCostly(self._query.structure, variable, self._budget) from None
        self._left = self._core.left
        return state

    def extend(self, states: list[int], phrases: Iterable[tuple[int, tuple[int, ...]]]) -> None:
        """Add the state of each phrase, a rule with the places of its parts among the states."""
        symbols, known = self.symbols, self._core.transitions
        for rule, parts in phrases:
            children = tuple([states[part] for part in parts])
            state = known.get((symbols[rule], children))
            states.append(self.step(rule, children) if state is None else state)

    def words(self, rules: Numbers) -> Numbers:
        """Return the state of each word."""
        symbols = np.asarray(self.symbols)[rules]
        _, first, kinds = np.unique(symbols, return_index=True, return_inverse=True)
        states = [self.step(rule, ()) for rule in rules[first].tolist()]
        return np.array(states, np.intp)[kinds]

    def accepts_state(self, state: int) -> bool:
        """Return whether a whole text in this state contains the structure."""
        return self._core.accepts(state)

    def accepts(self, grammar: CoreGrammar, derivation: Derivation) -> bool:
        """Return whether the graph of a derivation, its rule ids in preorder, has the structure."""
        return self.accepts_state(fold(derivation, grammar.arity, self.step))


def _costliest_variable(query: Query) -> str:
    """Return the variable that most needs a test: eager ones without a test come first."""
    body = query.structure.body
    clause = query.schema.clauses[0]

    def cost(variable: int) -> tuple[bool, bool]:
        untested = clause.predicates[variable] == NO_PREDICATE
        return untested and variable in clause.eager, untested

    costliest = max(range(len(body.variables)), key=cost, default=None)
    return "N" if costliest is None else body.variables[costliest].name
