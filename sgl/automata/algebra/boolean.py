"""Boolean operations on tree automata.

A state of a product is a pair of states, one of each automaton; a transition is a pair of transitions of one rule.
Both are found by joining columns.  If both automata have many transitions of one rule, most pairs are of children
that no phrase has: no verb is one of the thirty verbs of both.  Then the pairs of states that phrases do have are
found first, from the words upwards, and only transitions between these are joined.

A complement needs a state for everything that an automaton does not read: one more state in each
category, the *sink*.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

import numpy as np

from sgl.automata.algebra.minimization import minimise, reachable, trim
from sgl.automata.algebra.tree_automaton import DEAD, GrammarIndex, TreeAutomaton, check_size
from sgl.automata.common import Mask, Numbers

#: More pairs of transitions than this are not joined without a look at which can meet.
MOST_JOINED = 20_000


def complement(automaton: TreeAutomaton) -> TreeAutomaton:
    """Accept what the automaton rejects; total, and minimal if it was trim and minimal.

    Raises ``UnsupportedStructure`` if there are too many combinations of states.
    """
    index = automaton.index
    # The states of a category follow one another, and its sink is the last.
    sizes = automaton.sizes + 1
    begins = np.cumsum(sizes) - sizes
    sinks = begins + automaton.sizes
    names = begins[automaton.categories] + automaton.places[:-1]
    combinations = Combinations(index, sizes)
    rules, places = combinations.all()
    results = sinks[index.results[rules]]
    known = combinations.numbers(automaton.rules, automaton.places[automaton.children])
    results[known] = names[automaton.results]
    categories = np.repeat(np.arange(len(sizes)), sizes)
    final = categories == index.start
    final[names[automaton.final]] = False
    dead, words = automaton.words == DEAD, np.append(names, DEAD)[automaton.words]
    completed = replace(
        automaton,
        categories=categories,
        words=np.where(dead, sinks[automaton.index.word_categories], words),
        rules=rules,
        children=np.append(begins, len(categories))[index.children[:, rules]] + places,
        results=results,
        final=final,
    )
    return completed.restricted(reachable(completed))


def intersection(first: TreeAutomaton, second: TreeAutomaton) -> TreeAutomaton:
    """Accept what both accept; trim and minimal; raises ``UnsupportedStructure`` if too large."""
    both = trim(pairs(first, second))
    check_size(both.size)
    return minimise(both)


def without_rules(whole: TreeAutomaton, rules: Iterable[int]) -> TreeAutomaton:
    """Accept what ``whole`` accepts and what uses none of these rules, by id; trim."""
    gone, index = list(rules), whole.index
    rows = ~np.isin(index.phrasal, gone)[whole.rules]
    return trim(
        replace(
            whole,
            words=np.where(np.isin(index.words, gone), DEAD, whole.words),
            rules=whole.rules[rows],
            children=whole.children[:, rows],
            results=whole.results[rows],
        )
    )


class Combinations:
    """Numbers the combinations of states that the children of every rule can have, rule by rule.

    A number has a digit for each child, the place of its state within its category; ``sizes`` are
    the numbers of states of the categories.  ``representable``: all numbers fit into 64 bits.
    """

    def __init__(self, index: GrammarIndex, sizes: Numbers) -> None:
        # A child that a rule does not have counts as one with a single state.
        self._bases = np.append(sizes, 1)[index.children]
        self._strides = np.ones_like(self._bases)
        self._strides[:-1] = np.cumprod(self._bases[:0:-1], axis=0)[::-1]
        self._counts = self._bases.prod(axis=0)
        self._starts = np.cumsum(self._counts) - self._counts
        self.representable = bool(self._bases.prod(axis=0, dtype=np.float64).sum() < 2.0**62)

    def numbers(self, rules: Numbers, places: Numbers) -> Numbers:
        """Return the numbers of combinations, given by the places of their states."""
        numbers: Numbers = self._starts[rules] + (places * self._strides[:, rules]).sum(axis=0)
        return numbers

    def all(self) -> tuple[Numbers, Numbers]:
        """Return all combinations in order: rules, places; raises ``UnsupportedStructure``."""
        rules, digits = _repeated(self._counts)
        return rules, digits // self._strides[:, rules] % self._bases[:, rules]


def _repeated(counts: Numbers) -> tuple[Numbers, Numbers]:
    """Return each place as often as its count says, and numbers from 0; raises if too many."""
    total = int(counts.sum())
    check_size(transitions=total)
    places = np.repeat(np.arange(len(counts)), counts)
    before = np.repeat(np.cumsum(counts) - counts, counts)
    return places, np.arange(total) - before


def pairs(first: TreeAutomaton, second: TreeAutomaton) -> TreeAutomaton:
    """Accept what both accept; pairs that no derivation leads to are among the states.

    Raises ``UnsupportedStructure`` if there are too many pairs.
    """
    pairing = _Pairing(first, second)
    dead = (first.words == DEAD) | (second.words == DEAD)
    words = np.where(dead, DEAD, pairing.of(first.words, second.words))
    final = np.zeros(len(pairing.categories), np.bool_)
    accepted = np.flatnonzero(first.final)[:, None], np.flatnonzero(second.final)
    final[pairing.of(*accepted).ravel()] = True
    rules = len(first.index.phrasal)
    partners = np.bincount(second.rules, minlength=rules)[first.rules]
    if int(partners.sum()) > MOST_JOINED and pairing.combinations.representable:
        one, other = pairing.meeting(words)
    else:
        one, number = _repeated(partners)
        other = np.searchsorted(second.rules, np.arange(rules))[first.rules[one]] + number
    return replace(
        first,
        categories=pairing.categories,
        words=words,
        rules=first.rules[one],
        children=pairing.of(first.children[:, one], second.children[:, other]),
        results=pairing.of(first.results[one], second.results[other]),
        final=final,
    )


class _Pairing:
    """Numbers the pairs of states of one category, in the order of their first states, and finds those that occur."""

    def __init__(self, first: TreeAutomaton, second: TreeAutomaton) -> None:
        self._first, self._second = first, second
        self.combinations = Combinations(first.index, second.sizes)
        sizes = first.sizes * second.sizes
        self.categories = np.repeat(np.arange(len(sizes)), sizes)
        # The last entries are those of children that a rule does not have.
        self._offset = np.concatenate(([0], np.cumsum(sizes)))
        factor = np.append(second.sizes, 1)
        category = np.append(first.categories, len(sizes))
        self._begins = self._offset[category] + first.places * factor[category]

    def of(self, first: Numbers, second: Numbers) -> Numbers:
        numbers: Numbers = self._begins[first] + self._second.places[second]
        return numbers

    def meeting(self, words: Numbers) -> tuple[Numbers, Numbers]:
        """Return, in pairs, the rows of transitions of one rule whose children are pairs that some phrase has."""
        first, second, index = self._first, self._second, self._first.index
        met = np.zeros(len(self.categories), np.bool_)
        new = np.unique(words[words != DEAD])
        while len(new):
            met[new] = True
            grown = np.zeros(len(index.grammar.categories) + 1, np.bool_)
            grown[self.categories[new]] = True
            fresh: Mask = np.any(grown[index.children], axis=0)
            one, other = self._join(np.flatnonzero(fresh[first.rules]), np.flatnonzero(met))
            results = np.unique(self.of(first.results[one], second.results[other]))
            new = results[~met[results]]
        return self._join(np.arange(len(first.rules)), np.flatnonzero(met))

    @cached_property
    def _known(self) -> tuple[Numbers, Numbers]:
        second = self._second
        known = self.combinations.numbers(second.rules, second.places[second.children])
        order = np.argsort(known)
        return known[order], order

    def _join(self, rows: Numbers, met: Numbers) -> tuple[Numbers, Numbers]:
        first, sizes = self._first, self._second.sizes
        categories = self.categories[met]
        # The last entries are those of children that a rule does not have.
        partners = np.append((met - self._offset[categories]) % sizes[categories], 0)
        begins = np.searchsorted(met, self._begins[:-1])
        ends = np.searchsorted(met, self._begins[:-1] + sizes[first.categories])
        begins, counts = np.append(begins, len(met)), np.append(ends - begins, 1)
        children = first.children[:, rows]
        bases = counts[children]
        place, number = _repeated(bases.prod(axis=0))
        places = np.empty((len(children), len(place)), np.intp)
        for i in range(len(children) - 1, -1, -1):
            number, digit = np.divmod(number, bases[i, place])
            places[i] = partners[begins[children[i, place]] + digit]
        known, order = self._known
        numbers = self.combinations.numbers(first.rules[rows[place]], places)
        at = np.searchsorted(known, numbers)
        found = np.append(known, -1)[at] == numbers
        return rows[place[found]], order[at[found]]
