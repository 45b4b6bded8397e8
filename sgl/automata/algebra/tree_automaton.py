"""Tree automata that read the derivations of one grammar.

A tree automaton assigns a state to every phrase, by the rule at its top and the
states of its parts; a derivation is accepted if its state is.  Because a state
belongs to one category, it needs only the transitions that the grammar can use.
They are the rows of one table, sorted, so that operations on automata are
operations on whole columns, as in a data base::

    rule      children     result
    NP        4  7  -      12            NP -> Det N
    NP        4  8  -      12
    VP        5 12  -       9            VP -> V NP

Leaves (rules without children) are read by class (:mod:`sgl.automata.algebra.lexicon`);
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
from numpy.typing import NDArray

from sgl.automata.algebra.lexicon import Lexicon
from sgl.automata.common import UnsupportedStructure
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation

#: The state of a leaf, or of a phrase, that no accepted derivation contains.
DEAD = -1

Table = Mapping[tuple[int, ...], int]
Numbers = NDArray[np.intp]
Mask = NDArray[np.bool_]

#: More states than this are a sign that structures combine in too many ways.
MOST_STATES = 50_000

#: More transitions than this do not fit into memory.
MOST_TRANSITIONS = 20_000_000

_S = TypeVar("_S", bound=Hashable)


class GrammarIndex:
    """What tree automata need to know of a grammar.

    ``phrasal`` are rule ids (``phrasal_array`` the same as an array); rules are
    elsewhere given by their index there.
    ``width`` is the largest number of children of a rule; ``children[i]`` are the
    categories of the ``i``-th children of the rules, the number of categories
    where there are none, and ``results`` those of the phrases.  ``lexicon`` tells no
    two lexical rules of one category apart.  ``weights`` and ``word_weights`` are
    the weights of the phrasal and the lexical rules.  ``uses[c]`` lists (rule,
    position) of the occurrences of category ``c`` among the children of rules.
    ``costs`` are the sizes of all rules in a derivation: their tokens in the
    first text layer, and themselves; ``phrasal_costs`` those of the phrasal ones.
    """

    def __init__(self, grammar: CoreGrammar) -> None:
        self.grammar = grammar
        self.lexicon = Lexicon.coarsest(grammar)
        self.phrasal = tuple(rule.id for rule in grammar.rules if rule.rhs)
        self.number_of = {rule: number for number, rule in enumerate(self.phrasal)}
        self.lhs = tuple(grammar.rules[rule].lhs for rule in self.phrasal)
        self.rhs = tuple(grammar.rules[rule].rhs for rule in self.phrasal)
        self.width = max(map(len, self.rhs), default=1)
        self.phrasal_array = np.array(self.phrasal, np.intp)
        self.results = np.array(self.lhs, np.intp)
        absent = (len(grammar.categories),) * self.width
        rows = [(*rhs, *absent)[: self.width] for rhs in self.rhs]
        columns = np.array(rows, np.intp).reshape(len(rows), self.width)
        self.children = np.ascontiguousarray(columns.T)
        self.weights = np.array([grammar.rules[rule].weight for rule in self.phrasal], np.float64)
        words = [grammar.rules[rule].weight for rule in self.lexicon.rules]
        self.word_weights = np.array(words, np.float64)
        self.start = grammar.start
        self.uses: list[list[tuple[int, int]]] = [[] for _ in grammar.categories]
        for rule, children in enumerate(self.rhs):
            for position, child in enumerate(children):
                self.uses[child].append((rule, position))
        self.costs = tuple([tokens + 1 for tokens in grammar.source_tokens])
        self.phrasal_costs = np.array([self.costs[rule] for rule in self.phrasal], np.intp)
        self._cheapest: dict[Lexicon, tuple[int, ...]] = {}

    def cheapest(self, lexicon: Lexicon) -> tuple[int, ...]:
        """Return the rule of least cost of each class, the first of several."""
        if lexicon not in self._cheapest:
            best: dict[int, int] = {}
            for rule in sorted(lexicon.rules, key=lambda rule: (self.costs[rule], rule)):
                best.setdefault(lexicon.class_of[rule], rule)
            self._cheapest[lexicon] = tuple([best[k] for k in range(len(lexicon.category))])
        return self._cheapest[lexicon]


@dataclass(frozen=True, eq=False)
class TreeAutomaton:
    """A deterministic bottom-up tree automaton.

    Attributes:
        categories: the category of each state.
        words: the state after a leaf of each class of ``lexicon``, or ``DEAD``.
        rules, children, results: the transitions, sorted by rule and children.
            ``children[i]`` is the column of the ``i``-th children; beyond the
            arity of the rule it has the number of states.
        final: whether a state is accepted; such states are of the start category.

    ``category``, ``leaves``, ``tables`` and ``accepting`` show the same in
    Python's own types.
    """

    index: GrammarIndex
    lexicon: Lexicon
    categories: Numbers
    words: Numbers
    rules: Numbers
    children: Numbers
    results: Numbers
    final: Mask

    @classmethod
    def of(
        cls,
        index: GrammarIndex,
        lexicon: Lexicon,
        category: Sequence[int],
        leaves: Sequence[int],
        transitions: Sequence[tuple[int, tuple[int, ...], int]],
        accepting: Sequence[int],
    ) -> TreeAutomaton:
        """Return an automaton from Python's own types; transitions are sorted."""
        size = len(category)
        final = np.zeros(size, np.bool_)
        final[list(accepting)] = True
        padding = [(size,) * (index.width - arity) for arity in range(index.width + 1)]
        row = [
            number
            for rule, children, result in transitions
            for number in (rule, *children, *padding[len(children)], result)
        ]
        columns = np.array(row, np.intp).reshape(len(transitions), index.width + 2).T.copy()
        return cls(
            index=index,
            lexicon=lexicon,
            categories=np.array(category, np.intp),
            words=np.array(leaves, np.intp),
            rules=columns[0],
            children=columns[1:-1],
            results=columns[-1],
            final=final,
        )

    @property
    def size(self) -> int:
        """The number of states."""
        return len(self.categories)

    @property
    def empty(self) -> bool:
        """Whether no state is accepted."""
        return not self.final.any()

    @cached_property
    def sizes(self) -> Numbers:
        """The number of states of each category."""
        return np.bincount(self.categories, minlength=len(self.index.grammar.categories))

    @cached_property
    def places(self) -> Numbers:
        """The number of each state within its category."""
        order = np.argsort(self.categories, kind="stable")
        before = np.concatenate(([0], np.cumsum(self.sizes)[:-1]))
        places = np.empty(self.size, np.intp)
        places[order] = np.arange(self.size) - before[self.categories[order]]
        return places

    @cached_property
    def child_places(self) -> Numbers:
        """For each child of the transitions its place, 0 for one that the rule does not have."""
        places: Numbers = np.append(self.places, 0)[self.children]
        return places

    @cached_property
    def category(self) -> tuple[int, ...]:
        """The category of each state."""
        return tuple(self.categories.tolist())

    @cached_property
    def leaves(self) -> tuple[int, ...]:
        """The state after a leaf of each class of the lexicon, or ``DEAD``."""
        return tuple(self.words.tolist())

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The transitions of each phrasal rule."""
        tables: list[dict[tuple[int, ...], int]] = [{} for _ in self.index.phrasal]
        arity = [len(children) for children in self.index.rhs]
        rows = zip(
            self.rules.tolist(), self.children.T.tolist(), self.results.tolist(), strict=True
        )
        for rule, children, result in rows:
            tables[rule][tuple(children[: arity[rule]])] = result
        return tuple(tables)

    @cached_property
    def accepting(self) -> frozenset[int]:
        """The accepted states, all of the start category."""
        return frozenset(np.flatnonzero(self.final).tolist())

    def run(self, derivation: Derivation) -> int:
        """Return the state of a derivation, ``DEAD`` if there is none."""
        class_of = self.lexicon.class_of
        stack: list[int] = []
        for rule in reversed(derivation):
            if rule in class_of:
                stack.append(self.leaves[class_of[rule]])
                continue
            children = tuple(stack.pop() for _ in self.index.grammar.rules[rule].rhs)
            stack.append(self.tables[self.index.number_of[rule]].get(children, DEAD))
        return stack.pop()

    def accepts(self, derivation: Derivation) -> bool:
        """Return whether the derivation is accepted."""
        return self.run(derivation) in self.accepting

    def over(self, lexicon: Lexicon) -> TreeAutomaton:
        """Return the same automaton over a refinement of its lexicon."""
        if lexicon is self.lexicon:
            return self
        return replace(self, lexicon=lexicon, words=self.words[self.lexicon.coarser(lexicon)])

    def restricted(self, kept: Mask) -> TreeAutomaton:
        """Drop the other states and the transitions that involve them."""
        if kept.all():
            return self
        size = np.count_nonzero(kept)
        names = np.append(np.where(kept, np.cumsum(kept) - 1, DEAD), size)
        live = np.append(kept, True)
        rows = np.flatnonzero(live[self.results] & live[self.children].all(axis=0))
        return replace(
            self,
            categories=self.categories[kept],
            words=np.where(self.words == DEAD, DEAD, names[self.words]),
            rules=self.rules[rows],
            children=names[self.children[:, rows]],
            results=names[self.results[rows]],
            final=self.final[kept],
        )

    def renamed(self, names: Numbers) -> TreeAutomaton:
        """Call state ``q`` ``names[q]``.

        States with one name are merged; they must be of one category and
        equivalent.  The names are all numbers below some number.
        """
        size = int(names.max(initial=DEAD)) + 1
        named = np.append(names, size)
        children = named[self.children]
        rows = np.unique(as_numbers((self.rules, *children), size + 1), return_index=True)[1]
        categories, final = np.zeros(size, np.intp), np.zeros(size, np.bool_)
        categories[names], final[names] = self.categories, self.final
        return replace(
            self,
            categories=categories,
            words=np.where(self.words == DEAD, DEAD, named[self.words]),
            rules=self.rules[rows],
            children=children[:, rows],
            results=named[self.results[rows]],
            final=final,
        )


def as_numbers(columns: Sequence[Numbers], bound: int) -> Numbers:
    """One number for each row, in the order of the rows.

    All columns but the first are below ``bound``.
    """
    numbers = columns[0]
    for column in columns[1:]:
        if int(numbers.max(initial=0)) >= 2**62 // bound:
            numbers = np.unique(numbers, return_inverse=True)[1]
        numbers = numbers * bound + column
    return numbers


def leaf_states(automaton: TreeAutomaton) -> dict[int, int]:
    """Return the state after each leaf rule of the grammar, by rule id."""
    leaves, class_of = automaton.leaves, automaton.lexicon.class_of
    return {rule: leaves[class_of[rule]] for rule in automaton.lexicon.rules}


def check_size(states: int) -> None:
    """Raise ``UnsupportedStructure`` if an automaton has too many states."""
    _check(states, MOST_STATES)


def check_rows(transitions: int) -> None:
    """Raise ``UnsupportedStructure`` if an automaton has too many transitions."""
    _check(transitions, MOST_TRANSITIONS)


def _check(number: int, most: int) -> None:
    if number > most:
        raise UnsupportedStructure(
            f"the structures of these patterns combine in more than {most:,} ways; "
            "give their nodes more tests, or their edges labels"
        )


def explore(
    index: GrammarIndex,
    lexicon: Lexicon,
    leaf: Callable[[int], _S | None],
    step: Callable[[int, tuple[_S, ...]], _S | None],
    accepts: Callable[[_S], bool],
) -> TreeAutomaton:
    """Return the reachable part of an automaton that is given by functions.

    ``leaf(k)`` is the state after a leaf of class ``k`` of the lexicon,
    ``step(i, qs)`` the state after phrasal rule ``i`` (by index, not by id);
    ``accepts`` is asked for states of the start category.  A leaf or phrase
    without a state (``None``) is rejected, whatever the rest of the derivation is.

    Raises:
        UnsupportedStructure: if there are too many states.
    """
    # A state is a value in a category; states are numbered as they are met.
    numbers: list[dict[_S, int]] = [{} for _ in index.grammar.categories]
    category_of: list[int] = []
    values: list[_S] = []

    def meet(category: int, value: _S | None) -> int:
        if value is None:
            return DEAD
        number = numbers[category].get(value)
        if number is None:
            number = numbers[category][value] = len(values)
            values.append(value)
            category_of.append(category)
        return number

    leaves = [meet(category, leaf(k)) for k, category in enumerate(lexicon.category)]
    transitions: list[tuple[int, tuple[int, ...], int]] = []
    # Each state is taken up once and combined with those taken up before it, so
    # that every combination of children is seen once.
    members: list[list[int]] = [[] for _ in index.grammar.categories]
    for current, category in enumerate(category_of):
        check_size(len(values))
        earlier = list(members[category])
        members[category].append(current)
        for rule, position in index.uses[category]:
            lhs, rhs = index.lhs[rule], index.rhs[rule]
            choices = [
                earlier if i < position and child == category else members[child]
                for i, child in enumerate(rhs)
            ]
            choices[position] = [current]
            for children in product(*choices):
                result = meet(lhs, step(rule, tuple([values[child] for child in children])))
                if result != DEAD:
                    transitions.append((rule, children, result))
    transitions.sort()
    return TreeAutomaton.of(
        index,
        lexicon,
        category=category_of,
        leaves=leaves,
        transitions=transitions,
        accepting=[number for value, number in numbers[index.start].items() if accepts(value)],
    )
