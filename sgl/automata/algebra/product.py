"""The product of two tree automata, which runs both at once.

A state of the product is a pair of states, one of each; a transition is a pair of
transitions of one rule.  Both are found by joining columns::

    first        NP  4 7 -> 12             product   NP  (4,1) (7,3) -> (12,5)
                 NP  4 8 -> 12                       NP  (4,1) (8,3) -> (12,5)
    second       NP  1 3 -> 5

If both automata have many transitions of one rule, as where each tells thirty verbs and
thirty nouns apart, most pairs of transitions are of children that no phrase has: no verb
is one of the thirty of both.  Then the pairs of states that phrases do have are found
first, from the words upwards, and only transitions between these are joined.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sgl.automata.algebra.tree_automaton import (
    DEAD,
    GrammarIndex,
    Mask,
    Numbers,
    TreeAutomaton,
    check_rows,
)

#: More pairs of transitions than this are not joined without a look at which can meet.
MOST_JOINED = 20_000


def pairs(first: TreeAutomaton, second: TreeAutomaton) -> TreeAutomaton:
    """Accept what both accept; the automata have the same lexicon.

    Pairs that no derivation leads to are among the states.

    Raises:
        UnsupportedStructure: if there are too many pairs.
    """
    pairing = _Pairing(first, second)
    one, other = _joined(first, second, pairing)
    return replace(
        first,
        categories=pairing.categories,
        words=pairing.of_words(first.words, second.words),
        rules=first.rules[one],
        children=pairing.of(first.children[:, one], second.children[:, other]),
        results=pairing.of(first.results[one], second.results[other]),
        final=pairing.both(first.final, second.final),
    )


def _joined(
    first: TreeAutomaton, second: TreeAutomaton, pairing: _Pairing
) -> tuple[Numbers, Numbers]:
    """Return pairs of transitions of one rule, by their rows.

    Those whose children some phrases have are among them.
    """
    rules = len(first.index.phrasal)
    partners = np.bincount(second.rules, minlength=rules)[first.rules]
    if int(partners.sum()) > MOST_JOINED:
        combinations = Combinations(first.index, second.sizes)
        if combinations.representable:
            return _Meeting(first, second, pairing, combinations).joined()
    starts = np.searchsorted(second.rules, np.arange(rules))
    one, number = _repeated(partners)
    return one, starts[first.rules[one]] + number


def _repeated(counts: Numbers) -> tuple[Numbers, Numbers]:
    """Return every place as often as its count says, and numbers from 0 beside each."""
    total = int(counts.sum())
    check_rows(total)
    places = np.repeat(np.arange(len(counts)), counts)
    before = np.repeat(np.cumsum(counts) - counts, counts)
    return places, np.arange(total) - before


class Combinations:
    """Numbers the combinations of states that the children of every rule can have.

    Rules follow one another.  A number has a digit for each child, the place of its state
    within its category; ``sizes`` are the numbers of states of the categories.
    """

    def __init__(self, index: GrammarIndex, sizes: Numbers) -> None:
        # A child that a rule does not have counts as one with a single state.
        self._bases = np.append(sizes, 1)[index.children]
        self._strides = np.ones_like(self._bases)
        self._strides[:-1] = np.cumprod(self._bases[:0:-1], axis=0)[::-1]
        self._counts = self._bases.prod(axis=0)
        self._starts = np.cumsum(self._counts) - self._counts

    @property
    def representable(self) -> bool:
        """Whether all numbers fit into 64 bits."""
        return float(self._bases.prod(axis=0, dtype=np.float64).sum()) < 2.0**62

    @property
    def count(self) -> int:
        """The number of combinations."""
        return int(self._counts.sum())

    def numbers(self, rules: Numbers, places: Numbers) -> Numbers:
        """Return the numbers of combinations, given by the places of their states."""
        numbers: Numbers = self._starts[rules] + (places * self._strides[:, rules]).sum(axis=0)
        return numbers

    def all(self) -> tuple[Numbers, Numbers]:
        """Return the rules and the places of the states of all combinations, in order."""
        rules = np.repeat(np.arange(len(self._counts)), self._counts)
        digits = np.arange(len(rules)) - self._starts[rules]
        return rules, digits // self._strides[:, rules] % self._bases[:, rules]


class _Meeting:
    """Joins the transitions whose children are pairs of states that some phrase has.

    ``combinations`` are those of the children in ``second``; ``_known`` are the numbers of
    its transitions, which ``_order`` sorts.
    """

    def __init__(
        self,
        first: TreeAutomaton,
        second: TreeAutomaton,
        pairing: _Pairing,
        combinations: Combinations,
    ) -> None:
        self._first, self._second, self._pairing = first, second, pairing
        self._combinations = combinations
        self._met = np.zeros(len(pairing.categories), np.bool_)
        known = combinations.numbers(second.rules, second.child_places)
        self._order = np.argsort(known)
        self._known = np.append(known[self._order], -1)

    def joined(self) -> tuple[Numbers, Numbers]:
        """Return pairs of transitions of one rule, by their rows, those of ``first`` first."""
        first, second, pairing, index = self._first, self._second, self._pairing, self._first.index
        words = pairing.of_words(first.words, second.words)
        new = np.unique(words[words != DEAD])
        while len(new):
            self._met[new] = True
            grown = np.zeros(len(index.grammar.categories) + 1, np.bool_)
            grown[pairing.categories[new]] = True
            fresh: Mask = np.any(grown[index.children], axis=0)
            one, other = self._join(np.flatnonzero(fresh[first.rules]))
            results = np.unique(pairing.of(first.results[one], second.results[other]))
            new = results[~self._met[results]]
        return self._join(np.arange(len(first.rules)))

    def _join(self, rows: Numbers) -> tuple[Numbers, Numbers]:
        """Join some rows of the first automaton, over the pairs met so far."""
        met = np.flatnonzero(self._met)
        partners = np.append(self._pairing.second_places[met], 0)
        # The last entries are those of children that a rule does not have.
        begins, ends = (np.searchsorted(met, bounds) for bounds in self._pairing.bounds)
        begins, counts = np.append(begins, len(met)), np.append(ends - begins, 1)
        children = self._first.children[:, rows]
        bases = counts[children]
        place, number = _repeated(bases.prod(axis=0))
        places = np.empty((len(children), len(place)), np.intp)
        for i in range(len(children) - 1, -1, -1):
            number, digit = np.divmod(number, bases[i, place])
            places[i] = partners[begins[children[i, place]] + digit]
        numbers = self._combinations.numbers(self._first.rules[rows[place]], places)
        at = np.searchsorted(self._known[:-1], numbers)
        found = self._known[at] == numbers
        return rows[place[found]], self._order[at[found]]


class _Pairing:
    """Numbers the pairs of states of one category; ``categories`` are theirs.

    The pairs of a category follow one another, by their first states.
    """

    def __init__(self, first: TreeAutomaton, second: TreeAutomaton) -> None:
        sizes = first.sizes * second.sizes
        self.categories = np.repeat(np.arange(len(sizes)), sizes)
        # The last entries are those of children that a rule does not have.
        offset = np.concatenate(([0], np.cumsum(sizes)))
        factor = np.append(second.sizes, 1)
        category = np.append(first.categories, len(sizes))
        self._first = offset[category] + np.append(first.places, 0) * factor[category]
        self._second = np.append(second.places, 0)
        #: The first pair of each first state, and the one after its last; and for each pair
        #: the place of its second state.
        self.bounds = self._first[:-1], self._first[:-1] + second.sizes[first.categories]
        before = np.arange(len(self.categories)) - offset[self.categories]
        self.second_places = before % second.sizes[self.categories]

    def of(self, first: Numbers, second: Numbers) -> Numbers:
        """Return the number of each pair."""
        numbers: Numbers = self._first[first] + self._second[second]
        return numbers

    def of_words(self, first: Numbers, second: Numbers) -> Numbers:
        """Return the number of each pair, ``DEAD`` if one of the two is."""
        dead = (first == DEAD) | (second == DEAD)
        return np.where(dead, DEAD, self.of(first, second))

    def both(self, first: Mask, second: Mask) -> Mask:
        """Return whether both states of a pair are in a set."""
        both = np.zeros(len(self.categories), np.bool_)
        one, other = np.flatnonzero(first), np.flatnonzero(second)
        if len(one) and len(other):
            both[self.of(one[:, None], other[None, :]).ravel()] = True
        return both
