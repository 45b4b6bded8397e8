"""Check a finished split grammar against an automaton, state by state.

The check does not trust how the split grammar was built.  To every state it assigns the automaton states that phrases
in that state can have: the smallest assignment that all transitions agree with, an inductive invariant::

    NP/3 -> Det/0 N/1        Det/0: {2}  N/1: {7}     so NP/3 contains (2, 7) -> 9

All texts are accepted if no phrase gets stuck, for want of a transition, and the roots can have
accepting states only.  What a rule makes of the sets of its children is remembered with the
automaton, since many splits have the same phrases.

A certificate has the invariants as data.  Most phrases of most categories are in the state in which nothing of the
structure has begun.  States are therefore counted within each category, the most common one first, and what leads to
state 0 is not written; a state of the split whose phrases are all in state 0 of every automaton is left out.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, product
from operator import itemgetter

import numpy as np

from sgl.automata.algebra.tree_automaton import DEAD, SmallestDerivations, Table, TreeAutomaton, smallest_derivation
from sgl.automata.common import Numbers, computed_once
from sgl.automata.weights.split import SplitGrammar
from sgl.core.interpret import Derivation

#: States of an automaton: state ``q`` is the bit ``1 << q``.
Bits = int

#: States, one of each of some automata.
States = tuple[int, ...]


def members(bits: Bits) -> Iterator[int]:
    """Yield the states of a set, in order."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


class RuleTable(dict[Bits | tuple[Bits, ...], Bits | None]):
    """The results of a rule over sets of states, by the set of its child or the sets of several.

    ``None``: for some combination of states there is no transition.
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

    ``only[c]`` is the set of the only state of category ``c``, or empty.  Rules and words that cannot fail and lead
    to it need no look: ``tables`` are those of the other rules, by rule id, ``unsettled`` the categories of the words.
    """

    def __init__(self, automaton: TreeAutomaton) -> None:
        self.automaton = automaton
        self.words = WordTable(automaton)
        self.accepting: Bits = sum(1 << state for state in automaton.accepting)
        index, sizes = automaton.index, automaton.sizes
        self.only: list[Bits] = [0] * len(sizes)
        for state in np.flatnonzero(sizes[automaton.categories] == 1).tolist():
            self.only[automaton.category[state]] = 1 << state
        open_words = (automaton.words == DEAD) | (sizes[index.word_categories] != 1)
        self.unsettled: list[int] = np.unique(index.word_categories[open_words]).tolist()
        count = np.bincount(automaton.rules, minlength=len(index.phrasal))
        unfailing = count == np.append(sizes, 1)[index.children].prod(axis=0)
        settled = unfailing & (count > 0) & (sizes[index.results] == 1)
        tables = automaton.tables_of(~settled)
        self.tables = {int(index.phrasal[r]): RuleTable(table) for r, table in tables.items()}


def assignment(split: SplitGrammar, reader: AutomatonView) -> list[Bits] | None:
    """For each state of the split the automaton states of its phrases; None if any gets stuck.

    It is the smallest assignment that all transitions agree with.  A category with one state needs
    no computation.  A category that no phrase of the automaton has gets none: whatever leads there
    is stuck.  Each component of the split is finished before the next begins.
    """
    if (sets := _word_sets(split, reader)) is None:
        return None
    tables = reader.tables
    places = sorted([place for rule in tables for place in split.places_of.get(rule, ())])
    for loop, group in groupby([split.steps[place] for place in places], itemgetter(0)):
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


def _word_sets(split: SplitGrammar, reader: AutomatonView) -> list[Bits] | None:
    """Return the automaton states of the words in each state of the split; None if a word has none."""
    sets = [*map(reader.only.__getitem__, split.category)]
    for category in reader.unsettled:
        for state, words in split.words_in.get(category, ()):
            results = reader.words[words]
            if results is None:
                return None
            sets[state] |= results
    return sets


def accepts_all(split: SplitGrammar, reader: AutomatonView) -> bool:
    """Return whether an automaton accepts every text of a split."""
    sets = assignment(split, reader)
    return sets is not None and all(not sets[root] & ~reader.accepting for root, _ in split.roots)


@dataclass(frozen=True)
class StateExample:
    """A state of an automaton: its smallest phrase, and whether a split reaches it."""

    category: int
    state: int
    accepting: bool
    reached: bool
    phrase: Derivation


def state_examples(split: SplitGrammar, automaton: TreeAutomaton) -> Iterator[StateExample]:
    """Yield the states of a total automaton in the categories that it has several states for."""
    sets = assignment(split, AutomatonView(automaton))
    assert sets is not None, "the automaton is total"
    reached = frozenset(state for bits in sets for state in members(bits))
    smallest = SmallestDerivations(automaton)
    crowded = automaton.sizes[automaton.categories] > 1
    for category, state in sorted(zip(automaton.category, range(automaton.size), strict=True)):
        if crowded[state]:
            accepting = state in automaton.accepting
            phrase = smallest.derivation(state)
            yield StateExample(category, state, accepting, state in reached, phrase)


def smallest_text(automaton: TreeAutomaton, lemmas: list[tuple[str, ...]]) -> Derivation | None:
    """Return the smallest derivation, with other words for those of ``lemmas`` that it repeats; None if it has none."""
    found = smallest_derivation(automaton)
    return found and with_other_words(automaton, found, lemmas)


def with_other_words(automaton: TreeAutomaton, derivation: Derivation, lemmas: list[tuple[str, ...]]) -> Derivation:
    """Exchange words of repeated lemmas (``lemmas`` by rule) for others of the same state, as far as there are any."""
    leaf = automaton.word_states
    alike: dict[int, list[int]] = {}
    for rule, state in leaf.items():
        alike.setdefault(state, []).append(rule)
    used: set[str] = set()
    result = []
    for rule in derivation:
        chosen = rule
        if rule in leaf and not used.isdisjoint(lemmas[rule]):
            others = (r for r in alike[leaf[rule]] if used.isdisjoint(lemmas[r]))
            chosen = next(others, rule)
        used.update(lemmas[chosen])
        result.append(chosen)
    return tuple(result)


class WrittenAutomaton:
    """The automaton that finds a structure, its states counted anew in each category.

    ``number[q]`` is the new number of state ``q``; ``words`` are those after lexical rules,
    ``accepting`` those of accepted texts.  ``reader`` reads splits with the automaton.
    """

    def __init__(self, automaton: TreeAutomaton) -> None:
        self.reader = AutomatonView(automaton)
        words = automaton.words
        size, categories = automaton.size, automaton.categories
        uses = np.bincount(words, minlength=size) + np.bincount(automaton.results, minlength=size)
        order = np.lexsort((-uses, categories))
        starts = np.cumsum(automaton.sizes) - automaton.sizes
        self.number = np.empty(size, np.intp)
        self.number[order] = np.arange(size) - starts[categories[order]]
        self.words = self.number[words]
        self.accepting = tuple(sorted(self.number[automaton.final].tolist()))

    @cached_property
    def tables(self) -> dict[int, dict[States, int]]:
        """The transitions of each rule with children, by rule id."""
        automaton, number = self.reader.automaton, self.number.tolist()
        tables = zip(automaton.index.phrasal.tolist(), automaton.tables, strict=True)
        return {
            rule: {tuple([number[q] for q in qs]): number[result] for qs, result in table.items()}
            for rule, table in tables
        }

    def step(self, rule: int, children: States) -> int:
        """Return the state after a rule with children."""
        return self.tables[rule][children]

    def transitions(self, symbol: Sequence[int]) -> list[States]:
        """Return the transitions into other states than 0, each with its symbol in front."""
        rules = zip(self.reader.automaton.index.words.tolist(), self.words.tolist(), strict=True)
        words = {symbol[rule]: state for rule, state in rules if state}
        return [
            *words.items(),
            *(
                (symbol[rule], table[children], *children)
                for rule, table in self.tables.items()
                for children in sorted(table)
                if table[children]
            ),
        ]

    @computed_once
    def written(self, states: Bits) -> States:
        """Return the numbers of states of one category, in order, or () for number 0 alone."""
        numbers = sorted([int(self.number[state]) for state in members(states)])
        return tuple(numbers) if any(numbers) else ()


def invariant(split: SplitGrammar, automata: Sequence[WrittenAutomaton], *, accepted: bool) -> list[States] | None:
    """Return what shows that every text is accepted by one automaton or (not ``accepted``) by none; else None.

    Each row is a state of the split, and after it automaton states, one for each automaton in turn.
    """
    if not automata:
        return None if split.roots else []
    if len(automata) > 1:
        return _joint(split, automata, accepted=accepted)
    (automaton,) = automata
    reader = automaton.reader
    sets = assignment(split, reader)
    assert sets is not None, "the automaton of a structure is total"
    wrong = ~reader.accepting if accepted else reader.accepting
    if any(sets[root] & wrong for root, _ in split.roots):
        return None
    # The only state of a category has number 0, so that nothing is to be written of it.
    crowded = (reader.automaton.sizes > 1).tolist()
    states = [state for state, category in enumerate(split.category) if crowded[category]]
    return [(state, *numbers) for state in states if (numbers := automaton.written(sets[state]))]


def joint_states(
    split: SplitGrammar, words: Sequence[Numbers], steps: Sequence[Callable[[int, States], int]]
) -> list[set[States]]:
    """Return for each state of a split the states, one of each of some automata, that its phrases have.

    ``words`` are the states of its words in each automaton, and ``steps`` take a rule and the states of its children.
    """
    found: list[set[States]] = [set() for _ in split.category]
    for state, *own in zip(split.lexical.states.tolist(), *[column.tolist() for column in words], strict=True):
        found[state].add(tuple(own))
    size = 0
    while size < (size := sum(map(len, found))):
        for state, rule, children, _ in split.phrases:
            for parts in product(*[found[child] for child in children]):
                pairs = zip(steps, zip(*parts, strict=True), strict=True)
                found[state].add(tuple([step(rule, below) for step, below in pairs]))
    return found


def _accept(automata: Sequence[WrittenAutomaton], reached: States) -> bool:
    return any(state in automaton.accepting for state, automaton in zip(reached, automata, strict=True))


def _joint(split: SplitGrammar, automata: Sequence[WrittenAutomaton], *, accepted: bool) -> list[States] | None:
    """Return the same for several automata, whose states are followed together."""
    places = np.searchsorted(automata[0].reader.automaton.index.words, split.lexical.rules)
    words = [automaton.words[places] for automaton in automata]
    states = joint_states(split, words, [automaton.step for automaton in automata])
    whole = set[States]().union(*[states[root] for root, _ in split.roots])
    if any(_accept(automata, reached) != accepted for reached in whole):
        return None
    usual = {(0,) * len(automata)}
    return [
        (state, *(q for reached in sorted(members) for q in reached))
        for state, members in enumerate(states)
        if members and members != usual
    ]
