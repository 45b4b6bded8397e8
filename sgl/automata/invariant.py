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

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
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
    """The transitions of a split grammar, by rule."""

    def __init__(self, split: SplitGrammar) -> None:
        self.split = split
        self.steps_of: dict[int, list[_Step]] = {}
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
    only state of its category; ``only[c]`` is the set of that state.  ``constant``
    are the phrasal rules that cannot fail and have one result.
    """

    automaton: TreeAutomaton
    only: tuple[set[int] | None, ...]
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
            complete = len(table) == math.prod([sizes[child] for child in rhs])
            if complete and len(set(table.values())) == 1:
                if only[lhs] is None:
                    constant.append((rule, min(table.values())))
            else:
                decisive.append((rule, table))
        return cls(
            automaton=automaton,
            only=tuple(only),
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
    states = assignment(view, lacking)
    if states is None:
        return False
    return all(states[root] <= lacking.automaton.accepting for root, _ in view.split.roots)


def assignment(view: SplitView, reader: Reader) -> list[set[int]] | None:
    """For each state of the split the automaton states of its phrases.

    It is the smallest assignment that all transitions agree with, ``None`` if the
    automaton gets stuck somewhere.  The sets are not to be changed.
    """
    split, automaton = view.split, reader.automaton
    # A category with one state needs no computation: if nothing gets stuck, its
    # phrases are in that state.
    single = reader.only
    states = [set() if (only := single[c]) is None else only for c in split.category]
    occurring = view.states_of(automaton.lexicon)
    for number, result in reader.decisive_words:
        for state in occurring[number]:
            if result == DEAD:
                return None
            states[state].add(result)
    for rule, result in reader.constant:
        for step in view.steps_of.get(rule, ()):
            states[step.state].add(result)
    steps = _in_order(view, reader.decisive_tables)
    return states if _close(states, steps, may_fail=False) else None


def requires(view: SplitView, lacking: Reader) -> bool:
    """Whether no text of the split is accepted by ``lacking``."""
    split, automaton = view.split, lacking.automaton
    states: list[set[int]] = [set() for _ in split.category]
    for result, row in zip(automaton.leaves, view.states_of(automaton.lexicon), strict=True):
        if result != DEAD:
            for state in row:
                states[state].add(result)
    tables = zip(automaton.index.phrasal, automaton.tables, strict=True)
    _close(states, _in_order(view, tables), may_fail=True)
    return not any(states[root] & automaton.accepting for root, _ in split.roots)


def _in_order(view: SplitView, tables: Iterable[tuple[int, Table]]) -> list[tuple[_Step, Table]]:
    steps = [(step, table) for rule, table in tables for step in view.steps_of.get(rule, ())]
    steps.sort(key=lambda entry: entry[0].rank)
    return steps


def _close(states: list[set[int]], steps: list[tuple[_Step, Table]], *, may_fail: bool) -> bool:
    """Add what the steps derive until nothing is new; whether no step got stuck.

    A step is taken again only if a child has grown since: ``grown`` is the time
    of the last growth of each state, ``taken`` of the last visit of each step.
    """
    grown = [0] * len(states)
    taken = [-1] * len(steps)
    clock = 0
    agenda = list(range(len(steps)))
    while agenda:
        for number in agenda:
            clock += 1
            taken[number] = clock
            step, table = steps[number]
            target = states[step.state]
            before = len(target)
            for children in product(*[states[child] for child in step.children]):
                result = table.get(children, DEAD)
                if result != DEAD:
                    target.add(result)
                elif not may_fail:
                    return False
            if len(target) > before:
                grown[step.state] = clock
        agenda = [
            number
            for number, (step, _) in enumerate(steps)
            if any(grown[child] >= taken[number] for child in step.children)
        ]
    return True
