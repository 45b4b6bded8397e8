"""Tree automata that read the derivations of one grammar.

A tree automaton assigns a state to every phrase, by the rule at its top and the
states of its parts; a derivation is accepted if its state is.  Because a state
belongs to one category, the tables need only the transitions that the grammar
can use::

    rule   NP -> Det N PP      table {(4, 7, 9): 12, (4, 8, 9): 12}

Leaves (rules without children) are read by class (:mod:`sgl.automata.lexicon`);
each class has one state.  Automata are deterministic.  They may be *partial*:
what a missing transition or ``DEAD`` leaf reads is rejected, whatever the rest
of the derivation is.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TypeVar

from sgl.automata.errors import UnsupportedStructure
from sgl.automata.lexicon import Lexicon
from sgl.automata.numbering import Numbering
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

    ``phrasal`` are rule ids; an automaton's tables are in their order.
    ``lexicon`` tells no two lexical rules of one category apart.  ``uses[c]``
    lists (index in ``phrasal``, position) of the occurrences of category ``c``
    among the children of rules.
    """

    def __init__(self, grammar: CoreGrammar) -> None:
        self.grammar = grammar
        self.lexicon = Lexicon.coarsest(grammar)
        self.phrasal = tuple(rule.id for rule in grammar.rules if rule.rhs)
        self.lhs = tuple(grammar.rules[rule].lhs for rule in self.phrasal)
        self.rhs = tuple(grammar.rules[rule].rhs for rule in self.phrasal)
        self.start = grammar.start
        self.uses: list[list[tuple[int, int]]] = [[] for _ in grammar.categories]
        for index, children in enumerate(self.rhs):
            for position, child in enumerate(children):
                self.uses[child].append((index, position))


@dataclass(frozen=True, eq=False)
class TreeAutomaton:
    """A deterministic bottom-up tree automaton.

    ``category[q]`` is the category of state ``q``; ``leaves[k]`` the state after
    a leaf of class ``k`` of ``lexicon``; ``tables[i]`` the transitions of phrasal
    rule ``i``; ``accepting`` the accepted states, all of the start category.
    """

    lexicon: Lexicon
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
        class_of = self.lexicon.class_of
        table = dict(zip(index.phrasal, self.tables, strict=True))
        stack: list[int] = []
        for rule in reversed(derivation):
            if rule in class_of:
                stack.append(self.leaves[class_of[rule]])
                continue
            children = tuple(stack.pop() for _ in index.grammar.rules[rule].rhs)
            stack.append(table[rule].get(children, DEAD))
        return stack.pop()

    def accepts(self, index: GrammarIndex, derivation: Derivation) -> bool:
        """Whether the derivation is accepted."""
        return self.run(index, derivation) in self.accepting

    def over(self, lexicon: Lexicon) -> TreeAutomaton:
        """The same automaton over a refinement of its lexicon."""
        if lexicon is self.lexicon:
            return self
        return replace(self, lexicon=lexicon, leaves=self.lexicon.lifted(self.leaves, lexicon))


def leaf_states(index: GrammarIndex, automaton: TreeAutomaton) -> dict[int, int]:
    """The state after each leaf rule of the grammar, by rule id."""
    class_of = automaton.lexicon.class_of
    return {rule: automaton.leaves[class_of[rule]] for rule in index.lexicon.rules}


def check_size(states: int) -> None:
    """Raise ``UnsupportedStructure`` if an automaton has too many states."""
    if states > MOST_STATES:
        raise UnsupportedStructure(
            f"the structures of these patterns combine in more than {MOST_STATES:,} ways; "
            "give their nodes more tests, or their edges labels"
        )


def explore(
    index: GrammarIndex,
    lexicon: Lexicon,
    leaf: Callable[[int], _S],
    step: Callable[[int, tuple[_S, ...]], _S],
    accepts: Callable[[_S], bool],
) -> TreeAutomaton:
    """The reachable part of an automaton that is given by functions.

    ``leaf(k)`` is the state after a leaf of class ``k`` of the lexicon,
    ``step(i, qs)`` the state after phrasal rule ``i`` (by index, not by id);
    ``accepts`` is asked for states of the start category.

    Raises:
        UnsupportedStructure: if there are too many states.
    """
    # A state is a value in a category.
    states: Numbering[tuple[int, _S]] = Numbering()
    leaves = tuple([states.number((c, leaf(k))) for k, c in enumerate(lexicon.category)])
    tables: list[dict[tuple[int, ...], int]] = [{} for _ in index.phrasal]
    # Each state is taken up once and combined with those taken up before it, so
    # that every combination of children is seen once.
    members: list[list[int]] = [[] for _ in index.grammar.categories]
    current = 0
    while current < len(states):
        check_size(len(states))
        category = states.values[current][0]
        earlier = list(members[category])
        members[category].append(current)
        for rule, position in index.uses[category]:
            choices = [
                earlier if i < position and child == category else members[child]
                for i, child in enumerate(index.rhs[rule])
            ]
            choices[position] = [current]
            for children in product(*choices):
                value = step(rule, tuple([states.values[child][1] for child in children]))
                tables[rule][children] = states.number((index.lhs[rule], value))
        current += 1
    return TreeAutomaton(
        lexicon=lexicon,
        category=tuple([category for category, _ in states.values]),
        leaves=leaves,
        tables=tuple(tables),
        accepting=frozenset(
            number
            for number, (category, value) in enumerate(states.values)
            if category == index.start and accepts(value)
        ),
    )
