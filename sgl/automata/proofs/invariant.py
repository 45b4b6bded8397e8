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

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, product
from operator import attrgetter, itemgetter
from typing import NamedTuple

import numpy as np

from sgl.automata.algebra.lexicon import Lexicon
from sgl.automata.algebra.tree_automaton import DEAD, Table, TreeAutomaton
from sgl.automata.common import computed_once
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


class _Step(NamedTuple):
    """A phrasal transition of the split.

    ``loop`` is the number of its component, if phrases of that can contain one another.
    ``sets_of`` picks those of the children out of the sets of all states.
    """

    loop: int
    rule: int
    state: int
    sets_of: Callable[[list[Bits]], tuple[Bits, ...]]


@dataclass(frozen=True, eq=False)
class SplitView:
    """A split grammar, prepared for being read by automata."""

    split: SplitGrammar

    @cached_property
    def steps(self) -> list[_Step]:
        """The phrasal transitions, in the order of the components of the split."""

        def sets_of(children: tuple[int, ...]) -> Callable[[list[Bits]], tuple[Bits, ...]]:
            if len(children) > 1:
                return itemgetter(*children)
            return lambda sets: (sets[children[0]],)

        own: list[list[tuple[int, tuple[int, ...]]]] = [[] for _ in self.split.category]
        for state, rule, children, _ in self.split.phrasal.rows():
            own[state].append((rule, children))
        steps: list[_Step] = []
        for number, component in enumerate(self.split.moments.components):
            inside = frozenset(component)
            found = [(rule, state, below) for state in component for rule, below in own[state]]
            loops = any(not inside.isdisjoint(children) for _, _, children in found)
            loop = number if loops else NO_LOOP
            steps += [_Step(loop, rule, state, sets_of(below)) for rule, state, below in found]
        return steps

    @cached_property
    def places_of(self) -> dict[int, list[int]]:
        """Where the transitions of each rule are among the steps."""
        places: dict[int, list[int]] = {}
        for place, step in enumerate(self.steps):
            places.setdefault(step.rule, []).append(place)
        return places

    @computed_once
    def states_of(self, lexicon: Lexicon) -> list[list[int]]:
        """For each class of a lexicon the states with a transition into one of its words."""
        size = len(self.split.category)
        words = self.split.lexical
        places = np.searchsorted(lexicon.rules, words.rules)
        pairs = np.unique(lexicon.classes[places] * size + words.states)
        states: list[list[int]] = [[] for _ in lexicon.category]
        for pair in pairs.tolist():
            states[pair // size].append(pair % size)
        return states


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


class AutomatonView:
    """An automaton, prepared for reading many splits.

    ``only[c]`` is the set of the only state of category ``c``, or empty.  What cannot fail
    and leads to the only state of its category is not *decisive*; ``constant`` are the
    phrasal rules that cannot fail and have one result.
    """

    def __init__(self, automaton: TreeAutomaton) -> None:
        self.automaton = automaton
        self.accepting: Bits = sum(1 << state for state in automaton.accepting)
        index, sizes, rules = automaton.index, automaton.sizes, automaton.rules
        single = sizes[automaton.categories] == 1
        self.only: list[Bits] = [0] * len(sizes)
        for state in np.flatnonzero(single).tolist():
            self.only[automaton.category[state]] = 1 << state
        count = np.bincount(rules, minlength=len(index.phrasal))
        result = np.zeros_like(count)
        result[rules] = automaton.results
        varied = np.bincount(rules, automaton.results != result[rules], len(count)) > 0
        unfailing = count == np.append(sizes, 1)[index.children].prod(axis=0)
        settled = unfailing & (count > 0) & ~varied
        self._decisive = ~settled
        self.constant = [
            (int(index.phrasal[rule]), int(result[rule]))
            for rule in np.flatnonzero(settled & (sizes[index.results] != 1)).tolist()
        ]
        words, category = automaton.words, automaton.lexicon.category
        decisive = np.flatnonzero((words == DEAD) | (sizes[category] != 1))
        self.decisive_words = list(zip(decisive.tolist(), words[decisive].tolist(), strict=True))

    @computed_once
    def tables(self, all_rules: bool) -> dict[int, RuleTable]:
        """Return the transitions of the decisive rules, or of all, by rule id."""
        phrasal = self.automaton.index.phrasal
        tables = self.automaton.tables_of(self._decisive | all_rules)
        return {int(phrasal[rule]): RuleTable(table) for rule, table in tables.items()}


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
        for place in view.places_of.get(rule, ()):
            sets[view.steps[place].state] |= 1 << result
    return None if _close(view, reader.tables(False), sets) else sets


def requires(view: SplitView, lacking: AutomatonView) -> bool:
    """Return whether no text of the split is accepted by ``lacking``."""
    automaton = lacking.automaton
    sets = [0] * len(view.split.category)
    for result, row in zip(automaton.leaves, view.states_of(automaton.lexicon), strict=True):
        if result != DEAD:
            for state in row:
                sets[state] |= 1 << result
    _close(view, lacking.tables(True), sets)
    return not any(sets[root] & lacking.accepting for root, _ in view.split.roots)


def _close(view: SplitView, tables: Mapping[int, RuleTable], sets: list[Bits]) -> bool:
    """Add to the sets of states what these rules derive; whether some step got stuck.

    Steps come in the order of the components of the split, so that each component is
    finished before the next begins; only where phrases contain phrases of the same
    component is anything taken again.
    """
    stuck = False
    places = sorted([place for rule in tables for place in view.places_of.get(rule, ())])
    for loop, group in groupby([view.steps[place] for place in places], attrgetter("loop")):
        steps = list(group)
        grown = True
        while grown:
            grown = False
            for _, rule, state, sets_of in steps:
                results, lacks = tables[rule][sets_of(sets)]
                stuck = stuck or lacks
                if results & ~sets[state]:
                    sets[state] |= results
                    grown = loop != NO_LOOP
    return stuck
