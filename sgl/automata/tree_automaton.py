"""Tree automata that read the derivations of one grammar.

A tree automaton assigns a state to every phrase, by the rule at its top and the
states of its parts; a derivation is accepted if its state is.  Because a state
belongs to one category, states are numbered within their category and the tables
need only the transitions that the grammar can use::

    rule   NP -> Det N PP      table {(0, 1, 0): 1, (0, 0, 0): 0}

The automaton of a structure has more than one state only where the structure has
begun and is not yet complete.  Elsewhere its categories have one state, and its
rules the one *plain* transition ``(0, ..., 0) -> 0``.  Only the other tables are
kept, the *open* ones, and the operations on automata follow those: their cost
depends on what the structures speak of, not on the size of the grammar.

Leaves (rules without children) are read by class (:mod:`sgl.automata.lexicon`);
each class has one state.  Automata are deterministic.  They may be *partial*:
what a missing transition or ``DEAD`` leaf reads is rejected, whatever the rest
of the derivation is.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TypeVar

import numpy as np

from sgl.automata.errors import UnsupportedStructure
from sgl.automata.lexicon import Lexicon
from sgl.automata.numbered import Numbered, numbered
from sgl.automata.numbering import Numbering
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation

#: The state of a leaf, or of a phrase, that no accepted derivation contains.
DEAD = -1

Table = Mapping[tuple[int, ...], int]

#: More states than this are a sign that structures combine in too many ways.
MOST_STATES = 50_000

_S = TypeVar("_S", bound=Hashable)


class GrammarIndex:
    """What tree automata need to know of a grammar.

    ``phrasal`` are rule ids; rules are elsewhere given by their index there.
    ``lexicon`` tells no two lexical rules of one category apart; ``word_weights``
    are the weights of its rules.  ``uses[c]``
    lists (rule, position) of the occurrences of category ``c`` among the
    children of rules, ``below[c]`` the categories of the children of phrases of
    category ``c``, and ``around[c]`` the rules of which ``c`` is the parent or a
    child.  ``upwards`` are the rules in the order in which they can first be
    used, from the leaves on, ``downwards`` from the start category on; rules
    that no phrase, or no text, can use are left out.
    """

    def __init__(self, grammar: CoreGrammar) -> None:
        self.grammar = grammar
        self.lexicon = Lexicon.coarsest(grammar)
        self.phrasal = tuple(rule.id for rule in grammar.rules if rule.rhs)
        self.word_weights = np.array([grammar.rules[rule].weight for rule in self.lexicon.rules])
        self.number_of = {rule: number for number, rule in enumerate(self.phrasal)}
        self.lhs = tuple(grammar.rules[rule].lhs for rule in self.phrasal)
        self.rhs = tuple(grammar.rules[rule].rhs for rule in self.phrasal)
        self.plain: tuple[Table, ...] = tuple({(0,) * len(children): 0} for children in self.rhs)
        self.start = grammar.start
        self.uses: list[list[tuple[int, int]]] = [[] for _ in grammar.categories]
        for rule, children in enumerate(self.rhs):
            for position, child in enumerate(children):
                self.uses[child].append((rule, position))
        by_lhs: list[list[int]] = [[] for _ in grammar.categories]
        for rule, category in enumerate(self.lhs):
            by_lhs[category].append(rule)
        below = [[c for rule in rules for c in self.rhs[rule]] for rules in by_lhs]
        self.below = [list(dict.fromkeys(children)) for children in below]
        self.around = [
            list(dict.fromkeys([*rules, *(rule for rule, _ in uses)]))
            for rules, uses in zip(by_lhs, self.uses, strict=True)
        ]
        self.upwards = self._upwards()
        self.downwards = self._downwards(by_lhs)

    def _upwards(self) -> tuple[int, ...]:
        missing = [len(set(children)) for children in self.rhs]
        met = dict.fromkeys(self.lexicon.category)
        agenda = list(met)
        order: list[int] = []
        for category in agenda:
            for rule in dict.fromkeys(rule for rule, _ in self.uses[category]):
                missing[rule] -= 1
                if not missing[rule]:
                    order.append(rule)
                    if self.lhs[rule] not in met:
                        met[self.lhs[rule]] = None
                        agenda.append(self.lhs[rule])
        return tuple(order)

    def _downwards(self, by_lhs: Sequence[Sequence[int]]) -> tuple[int, ...]:
        met = {self.start: None}
        agenda = [self.start]
        for category in agenda:
            new = [child for child in self.below[category] if child not in met]
            met.update(dict.fromkeys(new))
            agenda += new
        return tuple([rule for category in agenda for rule in by_lhs[category]])


@dataclass(frozen=True, eq=False)
class TreeAutomaton:
    """A deterministic bottom-up tree automaton, all of whose states are reachable.

    Attributes:
        sizes: the number of states of each category.
        words: the state after a leaf of each class of ``lexicon``, or ``DEAD``.
        open_tables: the tables of rules that are not plain.  No table is kept of
            a rule with a category without states.
        final: the accepted states of the start category.

    ``category``, ``leaves``, ``tables`` and ``accepting`` show the same automaton
    with its states numbered through.
    """

    index: GrammarIndex
    lexicon: Lexicon
    sizes: tuple[int, ...]
    words: tuple[int, ...]
    open_tables: Mapping[int, Table]
    final: frozenset[int]

    @classmethod
    def of(
        cls,
        index: GrammarIndex,
        lexicon: Lexicon,
        sizes: Sequence[int],
        words: Sequence[int],
        tables: Mapping[int, Table],
        final: frozenset[int],
    ) -> TreeAutomaton:
        """An automaton from tables of which some may be plain; those of other rules are."""
        open_tables: dict[int, Table] = {}
        for rule, table in tables.items():
            here = [sizes[index.lhs[rule]], *[sizes[child] for child in index.rhs[rule]]]
            if min(here) > 0 and (max(here) > 1 or not table):
                open_tables[rule] = table
        return cls(index, lexicon, tuple(sizes), tuple(words), open_tables, final)

    def table(self, rule: int) -> Table:
        """The transitions of a phrasal rule, open or plain."""
        if rule in self.open_tables:
            return self.open_tables[rule]
        return self.index.plain[rule] if self.usable(rule) else {}

    def usable(self, rule: int) -> bool:
        """Whether all categories of a phrasal rule have states."""
        sizes = self.sizes
        return sizes[self.index.lhs[rule]] > 0 and all([sizes[c] for c in self.index.rhs[rule]])

    def step(self, rule: int, children: tuple[int, ...]) -> int:
        """The state after a phrasal rule; ``DEAD`` if there is none or a child is dead."""
        return self.table(rule).get(children, DEAD)

    def run(self, index: GrammarIndex, derivation: Derivation) -> int:
        """The state of a derivation in its category, ``DEAD`` if there is none."""
        class_of = self.lexicon.class_of
        stack: list[int] = []
        for rule in reversed(derivation):
            if rule in class_of:
                stack.append(self.words[class_of[rule]])
                continue
            children = tuple(stack.pop() for _ in index.grammar.rules[rule].rhs)
            stack.append(self.step(index.number_of[rule], children))
        return stack.pop()

    def accepts(self, index: GrammarIndex, derivation: Derivation) -> bool:
        """Whether the derivation is accepted."""
        return self.run(index, derivation) in self.final

    def over(self, lexicon: Lexicon) -> TreeAutomaton:
        """The same automaton over a refinement of its lexicon."""
        if lexicon is self.lexicon:
            return self
        return replace(self, lexicon=lexicon, words=self.lexicon.lifted(self.words, lexicon))

    def renamed(self, names: Mapping[int, Sequence[int]]) -> TreeAutomaton:
        """Call state ``q`` of category ``c`` ``names[c][q]``, and drop it if that is ``DEAD``.

        Categories without names stay as they are, and so do the tables of the
        rules that involve no others.
        """
        sizes = list(self.sizes)
        for category, row in names.items():
            sizes[category] = max(row, default=DEAD) + 1
        tables = dict(self.open_tables)
        around = dict.fromkeys(rule for c in names for rule in self.index.around[c])
        for rule in around:
            if rule in tables:
                tables[rule] = self._renamed_table(rule, names)
        words = [
            names[category][word] if category in names and word != DEAD else word
            for category, word in zip(self.lexicon.category, self.words, strict=True)
        ]
        start = names.get(self.index.start)
        final = self.final if start is None else frozenset([start[q] for q in self.final]) - {DEAD}
        return TreeAutomaton.of(self.index, self.lexicon, sizes, words, tables, final)

    def _renamed_table(self, rule: int, names: Mapping[int, Sequence[int]]) -> Table:
        identity = range(max(self.sizes))
        above = names.get(self.index.lhs[rule], identity)
        below = [names.get(child, identity) for child in self.index.rhs[rule]]
        table: dict[tuple[int, ...], int] = {}
        for children, result in self.open_tables[rule].items():
            renamed = tuple([row[child] for row, child in zip(below, children, strict=True)])
            if above[result] != DEAD and DEAD not in renamed:
                table[renamed] = above[result]
        return table

    @cached_property
    def _numbered(self) -> Numbered:
        return numbered(self)

    @property
    def category(self) -> tuple[int, ...]:
        """The category of each state."""
        return self._numbered.category

    @property
    def leaves(self) -> tuple[int, ...]:
        """The state after a leaf of each class of the lexicon, or ``DEAD``."""
        return self._numbered.leaves

    @property
    def tables(self) -> tuple[Table, ...]:
        """The transitions of each phrasal rule."""
        return self._numbered.tables

    @property
    def accepting(self) -> frozenset[int]:
        """The accepted states, all of the start category."""
        return self._numbered.accepting


def leaf_states(index: GrammarIndex, automaton: TreeAutomaton) -> dict[int, int]:
    """The state after each leaf rule of the grammar, by rule id."""
    leaves, class_of = automaton.leaves, automaton.lexicon.class_of
    return {rule: leaves[class_of[rule]] for rule in index.lexicon.rules}


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
    states: list[Numbering[_S]] = [Numbering() for _ in index.grammar.categories]
    agenda: Numbering[tuple[int, int]] = Numbering()

    def meet(category: int, value: _S) -> int:
        number = states[category].number(value)
        agenda.number((category, number))
        return number

    words = [meet(category, leaf(k)) for k, category in enumerate(lexicon.category)]
    tables: list[dict[tuple[int, ...], int]] = [{} for _ in index.phrasal]
    # Each state is taken up once and combined with those taken up before it, so
    # that every combination of children is seen once.
    members: list[list[int]] = [[] for _ in index.grammar.categories]
    current = 0
    while current < len(agenda):
        check_size(len(agenda))
        category, state = agenda.values[current]
        earlier = list(members[category])
        members[category].append(state)
        for rule, position in index.uses[category]:
            rhs = index.rhs[rule]
            choices = [
                earlier if i < position and child == category else members[child]
                for i, child in enumerate(rhs)
            ]
            choices[position] = [state]
            for children in product(*choices):
                values = [states[c].values[q] for c, q in zip(rhs, children, strict=True)]
                tables[rule][children] = meet(index.lhs[rule], step(rule, tuple(values)))
        current += 1
    roots = states[index.start].values
    final = frozenset(number for number, value in enumerate(roots) if accepts(value))
    sizes = [len(numbering) for numbering in states]
    return TreeAutomaton.of(index, lexicon, sizes, words, dict(enumerate(tables)), final)
