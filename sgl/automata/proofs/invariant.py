"""Check a finished split grammar against an automaton, state by state.

The check does not trust how the split grammar was built.  To every state it
assigns the automaton states that phrases in that state can have: the smallest
assignment that all transitions agree with, an inductive invariant::

    NP/3 -> Det/0 N/1        Det/0: {2}  N/1: {7}     so NP/3 contains (2, 7) -> 9

Sets of automaton states are bits of an integer.  Many splits have the same phrases, so
that what a rule makes of the sets of its children is remembered with the automaton.

All texts of the split are accepted if no phrase gets stuck, for want of a transition, and the
roots can have accepting states only.  To show that no text contains a structure, splits are
read by the automaton of the texts without it, and where every text is to contain one of a
group of structures, by that of the texts with one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, product
from operator import attrgetter

import numpy as np

from sgl.automata.algebra.tree_automaton import DEAD, Table, TreeAutomaton
from sgl.automata.weights.split import SplitGrammar

#: States of an automaton: state ``q`` is the bit ``1 << q``.
Bits = int


def members(bits: Bits) -> Iterator[int]:
    """Yield the states of a set, in order."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


class RuleTable(dict[Bits | tuple[Bits, ...], Bits | None]):
    """The results of a rule over sets of states; each combination is looked at once.

    The keys are the sets of the children, or the set of the only child.  ``None``: for some
    combination of states there is no transition.
    """

    __slots__ = ("_table",)

    def __init__(self, table: Table) -> None:
        super().__init__()
        self._table = table

    def __missing__(self, key: Bits | tuple[Bits, ...]) -> Bits | None:
        children = key if isinstance(key, tuple) else (key,)
        combinations = product(*[tuple(members(bits)) for bits in children])
        results = {self._table.get(combination, DEAD) for combination in combinations}
        self[key] = found = None if DEAD in results else sum(1 << q for q in results)
        return found


class WordTable(dict[bytes, Bits | None]):
    """The states of sets of words, given by their ids as an array; ``None`` if one is rejected."""

    __slots__ = ("_states",)

    def __init__(self, automaton: TreeAutomaton) -> None:
        super().__init__()
        self._states = np.full(len(automaton.index.grammar.rules), DEAD, np.intp)
        self._states[automaton.index.words] = automaton.words

    def __missing__(self, words: bytes) -> Bits | None:
        results = set(self._states[np.frombuffer(words, np.intp)].tolist())
        self[words] = found = None if DEAD in results else sum(1 << q for q in results)
        return found


class AutomatonView:
    """An automaton, prepared for reading many splits.

    ``only[c]`` is the set of the only state of category ``c``, or empty; what cannot fail
    and leads to the only state of its category needs no look.  ``constant`` are the other
    phrasal rules that cannot fail and have one result, and ``tables`` are those of the rest,
    by rule id; ``words`` has the states of sets of words.
    """

    def __init__(self, automaton: TreeAutomaton) -> None:
        self.automaton = automaton
        self.words = WordTable(automaton)
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
        self.constant = [
            (int(index.phrasal[rule]), int(result[rule]))
            for rule in np.flatnonzero(settled & (sizes[index.results] != 1)).tolist()
        ]
        tables = automaton.tables_of(~settled)
        self.tables = {int(index.phrasal[r]): RuleTable(table) for r, table in tables.items()}


def assignment(split: SplitGrammar, reader: AutomatonView) -> list[Bits] | None:
    """For each state of the split the automaton states of its phrases; None if any gets stuck.

    It is the smallest assignment that all transitions agree with.  A category with one
    state needs no computation: if nothing gets stuck, its phrases are in that state.  A
    category that no phrase of the automaton has gets none: whatever leads there is stuck.
    Steps come in the order of the components of the split, so that each component is
    finished before the next begins; only where phrases contain phrases of the same
    component is anything taken again.
    """
    sets = [reader.only[category] for category in split.category]
    known = reader.words
    for state, words in split.words_of.items():
        results = known[words]
        if results is None:
            return None
        sets[state] |= results
    for rule, result in reader.constant:
        for place in split.places_of.get(rule, ()):
            sets[split.steps[place].state] |= 1 << result
    tables = reader.tables
    places = sorted([place for rule in tables for place in split.places_of.get(rule, ())])
    for loop, group in groupby([split.steps[place] for place in places], attrgetter("loop")):
        steps = list(group)
        grown = True
        while grown:
            grown = False
            for _, rule, state, children_of in steps:
                results = tables[rule][children_of(sets)]
                if results is None:
                    return None
                if results & ~sets[state]:
                    sets[state] |= results
                    grown = loop is not None
    return sets


def accepts_all(split: SplitGrammar, reader: AutomatonView) -> bool:
    """Return whether an automaton accepts every text of a split."""
    sets = assignment(split, reader)
    return sets is not None and all(not sets[root] & ~reader.accepting for root, _ in split.roots)
