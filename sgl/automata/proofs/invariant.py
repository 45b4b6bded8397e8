"""Check a finished split grammar against an automaton, state by state.

The check does not trust how the split grammar was built.  It assigns to every state the automaton states that its
phrases can have: the smallest assignment consistent with all transitions, an inductive invariant::

    NP/3 -> Det/0 N/1        Det/0: {2}  N/1: {7}     so NP/3 contains (2, 7) -> 9

All texts are accepted if no phrase gets stuck on a missing transition and the roots can have only accepting states.

A certificate contains the invariants as data.  Most phrases of most categories are in the state in which nothing of the
structure has begun.  States are therefore numbered within each category, the most common one first, and transitions to
state 0 are not written; a state of the split is left out if its phrases are all in state 0 of every automaton.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby, product
from operator import itemgetter

import numpy as np

from sgl.automata.algebra.tree_automaton import DEAD, SmallestDerivations, Table, TreeAutomaton, smallest_derivation
from sgl.automata.common import Numbers
from sgl.automata.weights.split import SplitGrammar
from sgl.core.bits import members
from sgl.core.interpret import Derivation
from sgl.values import dataclass, replace

#: States of one category: state ``q`` is the bit ``1 << q``.
Bits = int

#: One state of each of several automata.
States = tuple[int, ...]


def _set_of(states: Iterable[int]) -> Bits | None:
    """Return some states as a set, or None if a phrase is rejected."""
    found = set(states)
    return None if DEAD in found else sum(1 << state for state in found)


class _OverSets(dict[Bits | tuple[Bits, ...], Bits | None]):
    """The set of a rule's results for the sets of its children, or for the set of its only child, once asked for."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def __missing__(self, below: Bits | tuple[Bits, ...]) -> Bits | None:
        children = below if isinstance(below, tuple) else (below,)
        found = _set_of(self._table.get(states, DEAD) for states in product(*map(members, children)))
        self[below] = found
        return found


class AutomatonView:
    """An automaton prepared for reading many splits, and for a certificate: each category numbers its states anew.

    ``number[q]`` is the new number of state ``q``; ``words`` has those of words, ``accepting`` is the set of accepted
    ones, and ``counted`` has the transitions between them.  ``only[c]`` is the set of the only state of category ``c``,
    or empty.  Rules and words that always lead to it need no check: ``tables`` has the other rules, by rule id, and
    ``unsettled`` the categories of the other words.
    """

    def __init__(self, automaton: TreeAutomaton) -> None:
        index, sizes, categories = automaton.index, automaton.sizes, automaton.categories
        used = np.append(automaton.words[automaton.words != DEAD], automaton.results)
        order = np.lexsort((-np.bincount(used, minlength=automaton.size), categories))
        starts = np.cumsum(sizes) - sizes
        # The last entry is for rejected words and missing children.
        self.number = np.full(automaton.size + 1, DEAD)
        self.number[order] = np.arange(automaton.size) - starts[categories[order]]
        children, results = self.number[automaton.children], self.number[automaton.results]
        self.words = self.number[automaton.words]
        self.counted = replace(automaton, words=self.words, children=children, results=results)
        self.accepting: Bits = sum(1 << state for state in self.number[:-1][automaton.final].tolist())
        self.only: list[Bits] = (sizes == 1).astype(int).tolist()
        open_words = (automaton.words == DEAD) | (sizes[index.word_categories] != 1)
        self.unsettled: list[int] = np.unique(index.word_categories[open_words]).tolist()
        count = np.bincount(automaton.rules, minlength=len(index.phrasal))
        unfailing = count == np.append(sizes, 1)[index.children].prod(axis=0)
        settled = unfailing & (count > 0) & (sizes[index.results] == 1)
        tables = self.counted.tables_of(~settled)
        self.tables = {int(index.phrasal[rule]): _OverSets(table) for rule, table in tables.items()}
        known = np.full(len(index.grammar.rules), DEAD, np.intp)
        known[index.words] = self.words
        #: The states of some words, given by their ids as the bytes of an array; None if one is rejected.
        self.states_of = cache(lambda words: _set_of(known[np.frombuffer(words, np.intp)].tolist()))

    def transitions(self, symbol: Sequence[int]) -> list[States]:
        """Return the transitions to states other than 0, each preceded by its symbol."""
        index = self.counted.index
        words = {symbol[r]: q for r, q in zip(index.words.tolist(), self.words.tolist(), strict=True) if q}
        return [
            *words.items(),
            *(
                (symbol[rule], table[children], *children)
                for rule, table in zip(index.phrasal.tolist(), self.counted.tables, strict=True)
                for children in sorted(table)
                if table[children]
            ),
        ]


def assignment(split: SplitGrammar, reader: AutomatonView) -> list[Bits] | None:
    """Return the automaton states of the phrases of each state of the split, or None if any phrase gets stuck.

    This is the smallest assignment consistent with all transitions.  A category with one state needs no computation.  A
    category without phrases in the automaton gets no states: whatever leads there is stuck.  Each component of the
    split is finished before the next begins.
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
    sets = [*map(reader.only.__getitem__, split.category)]
    for category in reader.unsettled:
        for state, words in split.words_in.get(category, ()):
            results = reader.states_of(words)
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
    """Yield the states of a total automaton in categories where it has several."""
    reader = AutomatonView(automaton)
    sets = assignment(split, reader)
    assert sets is not None, "the automaton is total"
    reached = {(category, q) for category, own in zip(split.category, sets, strict=True) for q in members(own)}
    smallest = SmallestDerivations(automaton)
    crowded = automaton.sizes[automaton.categories] > 1
    for category, state in sorted(zip(automaton.category, range(automaton.size), strict=True)):
        if crowded[state]:
            found = (category, int(reader.number[state])) in reached
            yield StateExample(category, state, state in automaton.accepting, found, smallest.derivation(state))


def smallest_text(automaton: TreeAutomaton, lemmas: list[tuple[str, ...]]) -> Derivation | None:
    """Return the smallest derivation, with repeated words replaced where possible, or None.

    A word that repeats a lemma (``lemmas`` are by rule) is replaced by another with the same state, if there is one.
    """
    used: set[str] = set()
    result = []
    for rule in smallest_derivation(automaton) or ():
        chosen = rule
        if not used.isdisjoint(lemmas[rule]) and rule in (leaf := automaton.word_states):
            others = (r for r, state in leaf.items() if state == leaf[rule] and used.isdisjoint(lemmas[r]))
            chosen = next(others, rule)
        used.update(lemmas[chosen])
        result.append(chosen)
    return tuple(result) or None


def invariant(split: SplitGrammar, automata: Sequence[AutomatonView], *, accepted: bool) -> list[States] | None:
    """Return an invariant that some automaton accepts every text or (not ``accepted``) none does; None if it fails.

    Each row is a state of the split followed by automaton states, one for each automaton in turn.
    """
    if len(automata) != 1:
        return _joint(split, automata, accepted=accepted)
    (reader,) = automata
    sets = assignment(split, reader)
    assert sets is not None, "the automaton of a structure is total"
    wrong = ~reader.accepting if accepted else reader.accepting
    if any(sets[root] & wrong for root, _ in split.roots):
        return None
    return [(state, *members(own)) for state, own in enumerate(sets) if own > 1]


def joint_states(
    split: SplitGrammar, words: Sequence[Numbers], steps: Sequence[Callable[[int, States], int]]
) -> list[set[States]]:
    """Return for each state of a split the joint states of its phrases, one state of each automaton.

    ``words`` has the states of the split's words in each automaton; each of ``steps`` takes a rule and its children's
    states.
    """
    found: list[set[States]] = [set() for _ in split.category]
    for state, *own in zip(split.lexical.states.tolist(), *[column.tolist() for column in words], strict=True):
        found[state].add(tuple(own))
    for loop, group in groupby(split.steps, itemgetter(0)):
        rows, size = list(group), -1
        while size < (size := sum(len(found[state]) for _, _, state, _ in rows)):
            for _, rule, state, children_of in rows:
                below = children_of(found)
                for parts in product(*(below if isinstance(below, tuple) else (below,))):
                    pairs = zip(steps, zip(*parts, strict=True), strict=True)
                    found[state].add(tuple([step(rule, own) for step, own in pairs]))
            if loop is None:
                break
    return found


def _joint(split: SplitGrammar, automata: Sequence[AutomatonView], *, accepted: bool) -> list[States] | None:
    """Return an invariant of several automata, run in parallel, or of none."""
    if not automata:
        return None if split.roots else []
    places = np.searchsorted(automata[0].counted.index.words, split.lexical.rules)
    states = joint_states(split, [view.words[places] for view in automata], [view.counted.step for view in automata])
    for reached in set[States]().union(*[states[root] for root, _ in split.roots]):
        accepts = [view.accepting >> state & 1 for view, state in zip(automata, reached, strict=True)]
        if any(accepts) != accepted:
            return None
    usual = {(0,) * len(automata)}
    return [
        (state, *(q for reached in sorted(own) for q in reached))
        for state, own in enumerate(states)
        if own and own != usual
    ]
