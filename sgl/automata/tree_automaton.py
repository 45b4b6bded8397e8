"""Tree automata that read the derivations of one grammar.

A tree automaton assigns a state to every phrase, by the rule at its top and the
states of its parts; a derivation is accepted if its state is.  Because a state
belongs to one category, the tables need only the transitions that the grammar
can use::

    rule   NP -> Det N PP      table {(4, 7, 9): 12, (4, 8, 9): 12}

Leaves (rules without children) have one state each.  Automata are deterministic.
They may be *partial*: what a missing transition or ``DEAD`` leaf reads is
rejected, whatever the rest of the derivation is.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Generic, TypeVar

from sgl.automata.errors import UnsupportedStructure
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation

#: The state of a leaf, or of a phrase, that no accepted derivation contains.
DEAD = -1

Table = Mapping[tuple[int, ...], int]

#: More states than this are a sign that structures combine in too many ways.
MOST_STATES = 50_000

#: A transition that uses a state: phrasal rule (by index), position, children, result.
Occurrence = tuple[int, int, tuple[int, ...], int]

_S = TypeVar("_S", bound=Hashable)


class GrammarIndex:
    """What tree automata need to know of a grammar.

    ``leaves`` and ``phrasal`` are rule ids; an automaton's leaf states and
    tables are in their order.  ``uses[c]`` lists (index in ``phrasal``,
    position) of the occurrences of category ``c`` among the children of rules.
    """

    def __init__(self, grammar: CoreGrammar) -> None:
        self.grammar = grammar
        self.leaves = tuple(rule.id for rule in grammar.rules if not rule.rhs)
        self.phrasal = tuple(rule.id for rule in grammar.rules if rule.rhs)
        self.lhs = tuple(grammar.rules[rule].lhs for rule in self.phrasal)
        self.rhs = tuple(grammar.rules[rule].rhs for rule in self.phrasal)
        self.leaf_category = tuple(grammar.rules[rule].lhs for rule in self.leaves)
        self.start = grammar.start
        self.uses: list[list[tuple[int, int]]] = [[] for _ in grammar.categories]
        for index, children in enumerate(self.rhs):
            for position, child in enumerate(children):
                self.uses[child].append((index, position))


@dataclass(frozen=True, eq=False)
class TreeAutomaton:
    """A deterministic bottom-up tree automaton.

    ``category[q]`` is the category of state ``q``; ``leaves[i]`` the state after
    leaf rule ``i`` of the index; ``tables[i]`` the transitions of phrasal rule
    ``i``; ``accepting`` the accepted states, all of the start category.
    """

    category: tuple[int, ...]
    leaves: tuple[int, ...]
    tables: tuple[Table, ...]
    accepting: frozenset[int]

    @cached_property
    def size(self) -> int:
        """The number of phrasal transitions."""
        return sum(len(table) for table in self.tables)

    @cached_property
    def occurrences(self) -> list[list[Occurrence]]:
        """For each state the transitions that use it, once for each position."""
        occurrences: list[list[Occurrence]] = [[] for _ in self.category]
        for rule, table in enumerate(self.tables):
            for children, result in table.items():
                for position, child in enumerate(children):
                    occurrences[child].append((rule, position, children, result))
        return occurrences

    def run(self, index: GrammarIndex, derivation: Derivation) -> int:
        """The state of a derivation, ``DEAD`` if there is none."""
        leaf = leaf_states(index, self)
        table = dict(zip(index.phrasal, self.tables, strict=True))
        stack: list[int] = []
        for rule in reversed(derivation):
            if rule in leaf:
                stack.append(leaf[rule])
                continue
            children = tuple(stack.pop() for _ in index.grammar.rules[rule].rhs)
            stack.append(table[rule].get(children, DEAD))
        return stack.pop()

    def accepts(self, index: GrammarIndex, derivation: Derivation) -> bool:
        """Whether the derivation is accepted."""
        return self.run(index, derivation) in self.accepting


def leaf_states(index: GrammarIndex, automaton: TreeAutomaton) -> dict[int, int]:
    """The state after each leaf rule, by rule id."""
    return dict(zip(index.leaves, automaton.leaves, strict=True))


def check_size(states: int) -> None:
    """Raise ``UnsupportedStructure`` if an automaton has too many states."""
    if states > MOST_STATES:
        raise UnsupportedStructure(
            f"the structures of these patterns combine in more than {MOST_STATES:,} ways; "
            "give their nodes more tests, or their edges labels"
        )


class _States(Generic[_S]):
    """The states met so far, numbered in the order in which they were met."""

    def __init__(self) -> None:
        self.values: list[_S] = []
        self.category: list[int] = []
        self._number: dict[tuple[int, _S], int] = {}

    def meet(self, category: int, value: _S) -> int:
        number = self._number.setdefault((category, value), len(self.values))
        if number == len(self.values):
            self.values.append(value)
            self.category.append(category)
        return number


def explore(
    index: GrammarIndex,
    leaf: Callable[[int], _S],
    step: Callable[[int, tuple[_S, ...]], _S],
    accepts: Callable[[_S], bool],
) -> TreeAutomaton:
    """The reachable part of an automaton that is given by functions.

    ``leaf(i)`` is the state after leaf rule ``i`` of the index, ``step(i, qs)``
    the state after phrasal rule ``i`` (by index, not by id); ``accepts`` is
    asked for states of the start category.

    Raises:
        UnsupportedStructure: if there are too many states.
    """
    states: _States[_S] = _States()
    values = states.values
    leaves = tuple(
        [states.meet(category, leaf(i)) for i, category in enumerate(index.leaf_category)]
    )
    tables: list[dict[tuple[int, ...], int]] = [{} for _ in index.phrasal]
    # Each state is taken up once and combined with those taken up before it, so
    # that every combination of children is seen once.
    members: list[list[int]] = [[] for _ in index.grammar.categories]
    current = 0
    while current < len(values):
        check_size(len(values))
        category = states.category[current]
        earlier = list(members[category])
        members[category].append(current)
        for rule, position in index.uses[category]:
            choices = [
                earlier if i < position and child == category else members[child]
                for i, child in enumerate(index.rhs[rule])
            ]
            choices[position] = [current]
            for children in product(*choices):
                value = step(rule, tuple([values[child] for child in children]))
                tables[rule][children] = states.meet(index.lhs[rule], value)
        current += 1
    roots = (q for q, category in enumerate(states.category) if category == index.start)
    accepting = frozenset(q for q in roots if accepts(values[q]))
    return TreeAutomaton(tuple(states.category), leaves, tuple(tables), accepting)
