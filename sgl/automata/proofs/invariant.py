"""Check a finished split grammar against an automaton, state by state.

The check does not trust how the split grammar was built.  To every state it
assigns the automaton states that phrases in that state can have: the smallest
assignment that all transitions agree with, an inductive invariant::

    NP/3 -> Det/0 N/1        Det/0: {2}  N/1: {7}     so NP/3 contains (2, 7) -> 9

Sets of automaton states are bits of an integer.  Many splits have the same phrases, so
that what a rule makes of the sets of its children is remembered with the automaton.

``excludes`` reads the split with the automaton of the texts *without* a
structure, and demands that no transition is missing there.  ``requires`` reads it
with the automaton of the texts that lack all of a group of structures, and
demands that no root can be one of its accepting states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, product
from math import prod
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from sgl.automata.algebra.lexicon import Lexicon
from sgl.automata.algebra.tree_automaton import DEAD, Table, TreeAutomaton
from sgl.automata.weights.split import SplitGrammar

#: States of an automaton: state ``q`` is the bit ``1 << q``.
Bits = int

#: The loop of a step whose children are of components below.
NO_LOOP = -1


def members(bits: Bits) -> Iterator[int]:
    """Yield the states of a set, in order."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


#: From the sets of all states to those of the children of a step.
_Children = Callable[[list[Bits]], tuple[Bits, ...]]


class _Step(NamedTuple):
    """A phrasal transition of the split; ``rank`` orders steps from the leaves upwards.

    ``loop`` is the number of its component, if phrases of that can contain one another.
    """

    rank: int
    loop: int
    state: int
    children: tuple[int, ...]
    sets_of: _Children


class SplitView:
    """The transitions of a split grammar by rule, and its states by category."""

    def __init__(self, split: SplitGrammar) -> None:
        self.split = split
        self.steps_of: dict[int, list[_Step]] = {}
        self._states_in: dict[int, list[int]] = {}
        for state, category in enumerate(split.category):
            self._states_in.setdefault(category, []).append(state)
        self._words = split.transitions.lexical()
        self._by_class: dict[Lexicon, list[list[int]]] = {}
        own: list[list[tuple[int, tuple[int, ...]]]] = [[] for _ in split.category]
        for state, rule, children, _ in split.phrasal.rows():
            own[state].append((rule, children))
        rank = 0
        for number, component in enumerate(split.components):
            inside = set(component)
            steps = [(state, *step) for state in component for step in own[state]]
            loops = any(not inside.isdisjoint(children) for _, _, children in steps)
            for state, rule, children in steps:
                loop = number if loops else NO_LOOP
                step = _Step(rank, loop, state, children, _sets_of(children))
                self.steps_of.setdefault(rule, []).append(step)
                rank += 1

    def states_in(self, categories: Iterable[int]) -> list[int]:
        """Return the states of some categories, in order."""
        return sorted(state for c in categories for state in self._states_in.get(c, ()))

    def states_of(self, lexicon: Lexicon) -> list[list[int]]:
        """For each class of a lexicon the states with a transition into one of its words."""
        if lexicon not in self._by_class:
            size = len(self.split.category)
            places = np.searchsorted(lexicon.rule_array, self._words.rules)
            pairs = np.unique(lexicon.class_array[places] * size + self._words.states)
            states: list[list[int]] = [[] for _ in lexicon.category]
            for number, state in zip(
                (pairs // size).tolist(), (pairs % size).tolist(), strict=True
            ):
                states[number].append(state)
            self._by_class[lexicon] = states
        return self._by_class[lexicon]


class RuleTable(dict[tuple[Bits, ...], tuple[Bits, bool]]):
    """The transitions of a rule, over sets of states; each combination is looked at once.

    For the sets of the children: the results, and whether some combination has none.
    """

    __slots__ = ("_table",)

    def __init__(self, table: Table) -> None:
        super().__init__()
        self._table = table

    def __missing__(self, children: tuple[Bits, ...]) -> tuple[Bits, bool]:
        combinations = product(*[tuple(members(bits)) for bits in children])
        results = {self._table.get(combination, DEAD) for combination in combinations}
        found = sum(1 << q for q in results - {DEAD}), DEAD in results
        self[children] = found
        return found


@dataclass(frozen=True, slots=True)
class AutomatonView:
    """An automaton, prepared for reading many splits.

    The results of words are given by the class of its lexicon.  In the lists
    called decisive those are left out that cannot fail and whose result is the
    only state of its category; ``only[c]`` is the set of that state, or empty, and
    ``crowded`` are the categories with several.  ``constant`` are the phrasal rules
    that cannot fail and have one result.
    """

    automaton: TreeAutomaton
    only: tuple[Bits, ...]
    crowded: tuple[int, ...]
    accepting: Bits
    decisive_words: tuple[tuple[int, int], ...]
    constant: tuple[tuple[int, int], ...]
    decisive_tables: tuple[tuple[int, RuleTable], ...]

    @classmethod
    def of(cls, automaton: TreeAutomaton) -> AutomatonView:
        """Prepare an automaton."""
        index = automaton.index
        only = [0] * len(automaton.sizes)
        for state in np.flatnonzero(automaton.sizes[automaton.categories] == 1).tolist():
            only[automaton.category[state]] = 1 << state
        sizes = automaton.sizes.tolist()
        constant: list[tuple[int, int]] = []
        decisive: list[tuple[int, RuleTable]] = []
        tables = zip(index.phrasal, index.lhs, index.rhs, automaton.tables, strict=True)
        for rule, lhs, rhs, table in tables:
            complete = len(table) == prod([sizes[child] for child in rhs])
            if complete and len(set(table.values())) == 1:
                if not only[lhs]:
                    constant.append((rule, min(table.values())))
            else:
                decisive.append((rule, RuleTable(table)))
        return cls(
            automaton=automaton,
            only=tuple(only),
            crowded=tuple(np.flatnonzero(automaton.sizes > 1).tolist()),
            accepting=sum(1 << state for state in automaton.accepting),
            decisive_words=tuple(
                (number, state)
                for number, (state, category) in enumerate(
                    zip(automaton.leaves, automaton.lexicon.category, strict=True)
                )
                if state == DEAD or not only[category]
            ),
            constant=tuple(constant),
            decisive_tables=tuple(decisive),
        )


def excludes(view: SplitView, lacking: AutomatonView) -> bool:
    """Return whether every text of the split is accepted by ``lacking`` and none gets stuck."""
    sets = assignment(view, lacking)
    return sets is not None and all(
        not sets[root] & ~lacking.accepting for root, _ in view.split.roots
    )


def assignment(view: SplitView, reader: AutomatonView) -> list[Bits] | None:
    """For each state of the split the automaton states of its phrases; None if any gets stuck.

    It is the smallest assignment that all transitions agree with.  A category with one
    state needs no computation: if nothing gets stuck, its phrases are in that state.  A
    category that no phrase of the automaton has gets none: whatever leads there is stuck.
    """
    sets = [reader.only[category] for category in view.split.category]
    occurring = view.states_of(reader.automaton.lexicon)
    for number, result in reader.decisive_words:
        for state in occurring[number]:
            if result == DEAD:
                return None
            sets[state] |= 1 << result
    for rule, result in reader.constant:
        for step in view.steps_of.get(rule, ()):
            sets[step.state] |= 1 << result
    return None if _close(_in_order(view, reader.decisive_tables), sets) else sets


def requires(view: SplitView, lacking: AutomatonView) -> bool:
    """Return whether no text of the split is accepted by ``lacking``."""
    split, automaton = view.split, lacking.automaton
    sets = [0] * len(split.category)
    for result, row in zip(automaton.leaves, view.states_of(automaton.lexicon), strict=True):
        if result != DEAD:
            for state in row:
                sets[state] |= 1 << result
    tables = zip(automaton.index.phrasal, map(RuleTable, automaton.tables), strict=True)
    _close(_in_order(view, tables), sets)
    return not any(sets[root] & lacking.accepting for root, _ in split.roots)


#: A step of the split and the transitions of its rule.
_Reading = tuple[_Step, RuleTable]


def _in_order(view: SplitView, tables: Iterable[tuple[int, RuleTable]]) -> list[_Reading]:
    """Return the steps of these rules by their ranks, of which no two are equal."""
    readings = [(step, table) for rule, table in tables for step in view.steps_of.get(rule, ())]
    return sorted(readings, key=lambda reading: reading[0].rank)


def _close(readings: Iterable[_Reading], sets: list[Bits]) -> bool:
    """Add to the sets of states what the steps derive; whether some step got stuck.

    Steps come in the order of the components of the split, so that each component is
    finished before the next begins; only where phrases contain phrases of the same
    component is anything taken again.
    """
    stuck = False
    for loop, group in groupby(readings, key=lambda reading: reading[0].loop):
        steps = list(group)
        grown = True
        while grown:
            grown = False
            for step, table in steps:
                results, lacks = table[step.sets_of(sets)]
                stuck = stuck or lacks
                if results & ~sets[step.state]:
                    sets[step.state] |= results
                    grown = loop != NO_LOOP
    return stuck


def _sets_of(children: tuple[int, ...]) -> _Children:
    if len(children) > 1:
        return itemgetter(*children)
    return lambda sets: (sets[children[0]],)
