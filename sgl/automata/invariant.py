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
from itertools import groupby, product
from math import prod
from typing import NamedTuple

import numpy as np

from sgl.automata.lexicon import Lexicon
from sgl.automata.split import SplitGrammar
from sgl.automata.tree_automaton import DEAD, GrammarIndex, Table, TreeAutomaton

#: The loop of a step whose children are of components below.
NO_LOOP = -1


class _Step(NamedTuple):
    """A phrasal transition of the split; ``rank`` orders steps from the leaves upwards.

    ``loop`` is the number of its component, if phrases of that can contain one another.
    """

    rank: int
    loop: int
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
        rank = 0
        for number, component in enumerate(split.components):
            members = set(component)
            steps = [(state, *step) for state in component for step in own[state]]
            loops = any(not members.isdisjoint(children) for _, _, children in steps)
            for state, rule, children in steps:
                step = _Step(rank, number if loops else NO_LOOP, state, children)
                self.steps_of.setdefault(rule, []).append(step)
                rank += 1

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

    def sole(self, view: SplitView, state: int) -> set[int]:
        """The automaton state of the phrases of a state whose category has no other."""
        return self.only[view.split.category[state]] or set()


def excludes(view: SplitView, lacking: Reader) -> bool:
    """Whether every text of the split is accepted by ``lacking`` and none gets stuck."""
    found = crowded(view, lacking)
    if found is None:
        return False
    accepting = lacking.automaton.accepting
    return all(
        found.get(root, lacking.sole(view, root)) <= accepting for root, _ in view.split.roots
    )


def crowded(view: SplitView, reader: Reader) -> dict[int, set[int]] | None:
    """For states of the split the automaton states of their phrases; None if any gets stuck.

    It is the part of the smallest assignment that has to be computed: a category with one
    state needs no computation, as its phrases are in that state (:meth:`Reader.sole`).
    """
    found: dict[int, set[int]] = {
        q: set() for c in reader.crowded for q in view.states_in.get(c, ())
    }
    # A category that no phrase of the automaton has: whatever leads there is stuck.
    sets = [reader.only[category] or set() for category in view.split.category]
    for state, members in found.items():
        sets[state] = members
    occurring = view.states_of(reader.automaton.lexicon)
    for number, result in reader.decisive_words:
        for state in occurring[number]:
            if result == DEAD:
                return None
            sets[state].add(result)
    for rule, result in reader.constant:
        for step in view.steps_of.get(rule, ()):
            sets[step.state].add(result)
    return found if _close(_in_order(view, reader.decisive_tables), sets, may_fail=False) else None


def requires(view: SplitView, lacking: Reader) -> bool:
    """Whether no text of the split is accepted by ``lacking``."""
    split, automaton = view.split, lacking.automaton
    states: list[set[int]] = [set() for _ in split.category]
    for result, row in zip(automaton.leaves, view.states_of(automaton.lexicon), strict=True):
        if result != DEAD:
            for state in row:
                states[state].add(result)
    tables = zip(automaton.index.phrasal, automaton.tables, strict=True)
    _close(_in_order(view, tables), states, may_fail=True)
    return not any(states[root] & automaton.accepting for root, _ in split.roots)


#: A step of the split and the transitions of its rule.
_Reading = tuple[_Step, Table]


def _in_order(view: SplitView, tables: Iterable[tuple[int, Table]]) -> list[_Reading]:
    steps = [(step, table) for rule, table in tables for step in view.steps_of.get(rule, ())]
    steps.sort(key=_rank)
    return steps


def _rank(reading: _Reading) -> int:
    return reading[0].rank


def _close(readings: Sequence[_Reading], sets: list[set[int]], *, may_fail: bool) -> bool:
    """Add to the sets of states what the steps derive; whether no step got stuck.

    Steps come in the order of the components of the split, so that each component is
    finished before the next begins; only where phrases contain phrases of the same
    component is anything taken again.
    """
    for loop, group in groupby(readings, key=_loop):
        steps = [
            (sets[step.state], [sets[child] for child in step.children], table)
            for step, table in group
        ]
        taken = [0] * len(steps)
        grown: bool | None = True
        while grown:
            grown = _grow(steps, taken, may_fail=may_fail)
            if grown is None:
                return False
            if loop == NO_LOOP:
                break
    return True


def _grow(
    steps: Sequence[tuple[set[int], list[set[int]], Table]], taken: list[int], *, may_fail: bool
) -> bool | None:
    """Take each step once; whether a set has grown, None if a step got stuck.

    A step is taken again only if a child has grown since; ``taken`` is how much the
    children had when it was taken last.
    """
    grown = False
    for number, (target, children, table) in enumerate(steps):
        ways = 1
        for child in children:
            ways *= len(child)
        if ways == taken[number]:
            continue
        taken[number] = ways
        before = len(target)
        for combination in product(*children):
            result = table.get(combination, DEAD)
            if result != DEAD:
                target.add(result)
            elif not may_fail:
                return None
        grown = grown or len(target) > before
    return grown


def _loop(reading: _Reading) -> int:
    return reading[0].loop
