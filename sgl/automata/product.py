"""The product of two tree automata, which runs both at once.

A state of the product is a pair of states, one of each; a transition is a pair of
transitions of one rule.  Both are found by joining columns::

    first        NP  4 7 -> 12             product   NP  (4,1) (7,3) -> (12,5)
                 NP  4 8 -> 12                       NP  (4,1) (8,3) -> (12,5)
    second       NP  1 3 -> 5
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sgl.automata.tree_automaton import DEAD, GrammarIndex, Mask, Numbers, TreeAutomaton, check_rows


def pairs(index: GrammarIndex, first: TreeAutomaton, second: TreeAutomaton) -> TreeAutomaton:
    """Accept what both accept; the automata have the same lexicon.

    Pairs that no derivation leads to are among the states.

    Raises:
        UnsupportedStructure: if there are too many pairs.
    """
    one, other = _joined(index, first, second)
    pairing = _Pairing(first, second)
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
    index: GrammarIndex, first: TreeAutomaton, second: TreeAutomaton
) -> tuple[Numbers, Numbers]:
    """All pairs of transitions of one rule, by their rows."""
    rules = np.arange(len(index.phrasal))
    starts, stops = (np.searchsorted(second.rules, rules, side) for side in ("left", "right"))
    partners = (stops - starts)[first.rules]
    total = int(partners.sum())
    check_rows(total)
    one = np.repeat(np.arange(len(first.rules)), partners)
    before = np.repeat(np.cumsum(partners) - partners, partners)
    return one, starts[first.rules[one]] + np.arange(total) - before


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

    def of(self, first: Numbers, second: Numbers) -> Numbers:
        """The number of each pair."""
        numbers: Numbers = self._first[first] + self._second[second]
        return numbers

    def of_words(self, first: Numbers, second: Numbers) -> Numbers:
        """The number of each pair, ``DEAD`` if one of the two is."""
        dead = (first == DEAD) | (second == DEAD)
        return np.where(dead, DEAD, self.of(first, second))

    def both(self, first: Mask, second: Mask) -> Mask:
        """Whether both states of a pair are in a set."""
        both = np.zeros(len(self.categories), np.bool_)
        one, other = np.flatnonzero(first), np.flatnonzero(second)
        if len(one) and len(other):
            both[self.of(one[:, None], other[None, :]).ravel()] = True
        return both
