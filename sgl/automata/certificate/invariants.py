"""Inductive invariants of splits: which automaton states the phrases of each state can have.

Most phrases of most categories are in the state in which nothing of the structure has begun.  States are therefore
counted within each category, the most common one first, and what leads to state 0 is not written.  The invariants are
the smallest ones; a state of the split whose phrases are all in state 0 of every automaton is left out.
"""

from collections.abc import Sequence
from functools import cached_property
from itertools import product

import numpy as np

from sgl.automata.algebra.tree_automaton import TreeAutomaton
from sgl.automata.common import computed_once
from sgl.automata.proofs.invariant import AutomatonView, Bits, assignment, members
from sgl.automata.weights.split import SplitGrammar

States = tuple[int, ...]


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


#: A state of the split, and after it the automaton states, one for each automaton in turn.
Invariant = list[tuple[int, ...]]


def invariant(split: SplitGrammar, automata: Sequence[WrittenAutomaton], *, accepted: bool) -> Invariant | None:
    """Return what shows that every text is accepted by one automaton or (not ``accepted``) by none; else None."""
    if not automata:
        return None if split.roots else []
    automaton, *others = automata
    if others:
        return _joint(split, automata, accepted=accepted)
    reader = automaton.reader
    sets = assignment(split, reader)
    assert sets is not None, "the automaton of a structure is total"
    wrong = ~reader.accepting if accepted else reader.accepting
    if any(sets[root] & wrong for root, _ in split.roots):
        return None
    # The only state of a category has number 0, so that nothing is to be written of it.
    crowded = (reader.automaton.sizes > 1).tolist()
    written = [
        (state, automaton.written(sets[state])) for state, category in enumerate(split.category) if crowded[category]
    ]
    return [(state, *numbers) for state, numbers in written if numbers]


def _joint(split: SplitGrammar, automata: Sequence[WrittenAutomaton], *, accepted: bool) -> Invariant | None:
    states: list[set[States]] = [set() for _ in split.category]
    places = np.searchsorted(automata[0].reader.automaton.index.words, split.lexical.rules)
    columns = zip(*[automaton.words[places].tolist() for automaton in automata], strict=True)
    for state, reached in zip(split.lexical.states.tolist(), columns, strict=True):
        states[state].add(reached)
    phrases = [
        (state, [automaton.tables[rule] for automaton in automata], children)
        for state, rule, children, _ in split.phrasal.rows()
    ]
    grown = True
    while grown:
        before = sum(map(len, states))
        for state, tables, children in phrases:
            for parts in product(*[states[child] for child in children]):
                pairs = zip(tables, zip(*parts, strict=True), strict=True)
                states[state].add(tuple([table[below] for table, below in pairs]))
        grown = sum(map(len, states)) > before
    for root, _ in split.roots:
        for reached in states[root]:
            one = any(q in a.accepting for q, a in zip(reached, automata, strict=True))
            if one != accepted:
                return None
    usual = {(0,) * len(automata)}
    return [
        (state, *(q for reached in sorted(members) for q in reached))
        for state, members in enumerate(states)
        if members and members != usual
    ]
