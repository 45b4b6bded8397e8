"""Check a finished split grammar against an automaton, state by state.

The check does not trust how the split grammar was built.  To every state it
assigns the automaton states that phrases in that state can have: the smallest
assignment that all transitions agree with, an inductive invariant::

    NP/3 -> Det/0 N/1        Det/0: {2}  N/1: {7}     so NP/3 contains (2, 7) -> 9

``excludes`` reads the split with the automaton of the texts *without* a
structure, and demands that no transition is missing there.  ``requires`` reads it
with the automaton of the texts that lack all of a group of structures, and
demands that no root can be one of its accepting states.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np

from sgl.automata.lexicon import Lexicon
from sgl.automata.split import SplitGrammar
from sgl.automata.tree_automaton import DEAD, GrammarIndex, Table, TreeAutomaton


class _Step(NamedTuple):
    """A phrasal transition of the split; ``rank`` orders steps from the leaves upwards."""

    rank: int
    state: int
    children: tuple[int, ...]


class SplitView:
    """The transitions of a split grammar by rule, and its states by category."""

    def __init__(self, split: SplitGrammar) -> None:
        self.split = split
        self.steps_of: dict[int, list[_Step]] = {}
        self.states_in: dict[int, list[int]] = {}
        for state, category in enumerate(split.category):
            self.states_in.setdefault(category, []).append(state)
        self._words = split.transitions.lexical()
        self._by_class: dict[Lexicon, list[list[int]]] = {}
        own: list[list[tuple[int, tuple[int, ...]]]] = [[] for _ in split.category]
        for state, rule, children, _ in split.phrasal.rows():
            own[state].append((rule, children))
        upwards = (state for component in split.components for state in component)
        in_order = ((state, *step) for state in upwards for step in own[state])
        for rank, (state, rule, children) in enumerate(in_order):
            self.steps_of.setdefault(rule, []).append(_Step(rank, state, children))

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


@dataclass(frozen=True, slots=True)
class Reader:
    """An automaton, prepared for reading many splits.

    The results of words are given by the class of its lexicon.  In the lists
    called decisive those are left out that cannot fail and whose result is the
    only state of its category; ``only[c]`` is the set of that state, and ``crowded``
    are the categories with several.  ``constant`` are the phrasal rules that cannot
    fail and have one result.
    """

    automaton: TreeAutomaton
    only: tuple[set[int] | None, ...]
    crowded: tuple[int, ...]
    decisive_words: tuple[tuple[int, int], ...]
    constant: tuple[tuple[int, int], ...]
    decisive_tables: tuple[tuple[int, Table], ...]

    @classmethod
    def of(cls, index: GrammarIndex, automaton: TreeAutomaton) -> Reader:
        """Prepare an automaton."""
        only: list[set[int] | None] = [None] * len(automaton.sizes)
        for state in np.flatnonzero(automaton.sizes[automaton.categories] == 1).tolist():
            only[automaton.category[state]] = {state}
        sizes = automaton.sizes.tolist()
        constant: list[tuple[int, int]] = []
        decisive: list[tuple[int, Table]] = []
        tables = zip(index.phrasal, index.lhs, index.rhs, automaton.tables, strict=True)
        for rule, lhs, rhs, table in tables:
            complete = len(table) == prod([sizes[child] for child in rhs])
            if complete and len(set(table.values())) == 1:
                if only[lhs] is None:
                    constant.append((rule, min(table.values())))
            else:
                decisive.append((rule, table))
        return cls(
            automaton=automaton,
            only=tuple(only),
            crowded=tuple(np.flatnonzero(automaton.sizes > 1).tolist()),
            decisive_words=tuple(
                (number, state)
                for number, (state, category) in enumerate(
                    zip(automaton.leaves, automaton.lexicon.category, strict=True)
                )
                if state == DEAD or only[category] is None
            ),
            constant=tuple(constant),
            decisive_tables=tuple(decisive),
        )


def excludes(view: SplitView, lacking: Reader) -> bool:
    """Whether every text of the split is accepted by ``lacking`` and none gets stuck."""
    found = _found(view, lacking)
    if found is None:
        return False
    accepting = lacking.automaton.accepting
    return all(_of(found, view, lacking, root) <= accepting for root, _ in view.split.roots)


def assignment(view: SplitView, reader: Reader) -> list[set[int]] | None:
    """For each state of the split the automaton states of its phrases.

    It is the smallest assignment that all transitions agree with, ``None`` if the
    automaton gets stuck somewhere.  The sets are not to be changed.
    """
    found = _found(view, reader)
    if found is None:
        return None
    return [_of(found, view, reader, state) for state in range(len(view.split.category))]


#: The automaton states of the phrases of some states of a split.
_Found = dict[int, set[int]]


def _found(view: SplitView, reader: Reader) -> _Found | None:
    """The part of the assignment that has to be computed.

    A category with one state needs no computation: if nothing gets stuck, its
    phrases are in that state.
    """
    found: _Found = {q: set() for c in reader.crowded for q in view.states_in.get(c, ())}
    occurring = view.states_of(reader.automaton.lexicon)
    for number, result in reader.decisive_words:
        for state in occurring[number]:
            if result == DEAD:
                return None
            _of(found, view, reader, state).add(result)
    for rule, result in reader.constant:
        for step in view.steps_of.get(rule, ()):
            _of(found, view, reader, step.state).add(result)
    steps = [
        _Reading(
            _of(found, view, reader, step.state),
            [_of(found, view, reader, child) for child in step.children],
            table,
        )
        for step, table in _in_order(view, reader.decisive_tables)
    ]
    return found if _close(steps, may_fail=False) else None


def _of(found: _Found, view: SplitView, reader: Reader, state: int) -> set[int]:
    known = found.get(state)
    if known is not None:
        return known
    # A category that no phrase of the automaton has: whatever leads there is stuck.
    return reader.only[view.split.category[state]] or set()


def requires(view: SplitView, lacking: Reader) -> bool:
    """Whether no text of the split is accepted by ``lacking``."""
    split, automaton = view.split, lacking.automaton
    states: list[set[int]] = [set() for _ in split.category]
    for result, row in zip(automaton.leaves, view.states_of(automaton.lexicon), strict=True):
        if result != DEAD:
            for state in row:
                states[state].add(result)
    tables = zip(automaton.index.phrasal, automaton.tables, strict=True)
    steps = [
        _Reading(states[step.state], [states[child] for child in step.children], table)
        for step, table in _in_order(view, tables)
    ]
    _close(steps, may_fail=True)
    return not any(states[root] & automaton.accepting for root, _ in split.roots)


def _in_order(view: SplitView, tables: Iterable[tuple[int, Table]]) -> list[tuple[_Step, Table]]:
    steps = [(step, table) for rule, table in tables for step in view.steps_of.get(rule, ())]
    steps.sort(key=lambda entry: entry[0].rank)
    return steps


class _Reading(NamedTuple):
    """A step of the split, with the sets of automaton states of its result and its children."""

    target: set[int]
    children: list[set[int]]
    table: Table


def _close(steps: Sequence[_Reading], *, may_fail: bool) -> bool:
    """Add what the steps derive until nothing is new; whether no step got stuck.

    A step is taken again only if a child has grown since; ``taken`` is how much the
    children had when it was taken last.
    """
    taken = [0] * len(steps)
    grown = True
    while grown:
        grown = False
        for number, (target, children, table) in enumerate(steps):
            ways = prod(map(len, children))
            if ways == taken[number]:
                continue
            taken[number] = ways
            before = len(target)
            for combination in product(*children):
                result = table.get(combination, DEAD)
                if result != DEAD:
                    target.add(result)
                elif not may_fail:
                    return False
            grown = grown or len(target) > before
    return True
