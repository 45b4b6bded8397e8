"""The smallest derivation that an automaton accepts.

The size of a derivation is its number of source tokens plus its number of rules.  The
least sizes of all states are the least solution of

    size(q)  =  least of  cost(r) + size(q1) + ... + size(qk)   over all  q -> r(q1 ... qk)

and are found from the leaves upwards, for all transitions at once (Knuth 1977 settles one
state after the other)::

    N 2   NP -> the N  2 + 2   VP -> slept 2   S -> NP VP  1 + 4 + 2

A derivation costs more than each of its parts, so that to follow the least transitions
from an accepted state downwards comes to an end.
"""

from __future__ import annotations

import numpy as np

from sgl.automata.algebra.tree_automaton import DEAD, Numbers, TreeAutomaton
from sgl.core.interpret import Derivation

#: The size of a state that derives nothing.
_ENDLESS = 2**40


def smallest_derivation(automaton: TreeAutomaton) -> Derivation | None:
    """Return the smallest accepted derivation, or ``None`` if there is none.

    Of several the one with the earlier rules in the author's order is taken,
    from the smallest phrases up.
    """
    if automaton.empty:
        return None
    smallest = SmallestDerivations(automaton)
    accepted = [state for state in automaton.accepting if smallest.size(state) < _ENDLESS]
    if not accepted:
        return None
    root = min(accepted, key=lambda state: (smallest.size(state), *smallest.step(state), state))
    return smallest.derivation(root)


class SmallestDerivations:
    """The smallest derivations of the states of an automaton."""

    def __init__(self, automaton: TreeAutomaton) -> None:
        index = self._index = automaton.index
        self._automaton = automaton
        self._words: dict[int, list[int]] = {}
        for word, state in zip(index.cheapest(automaton.lexicon), automaton.leaves, strict=True):
            self._words.setdefault(state, []).append(word)
        # The last entry is that of the children that a rule does not have.
        self._sizes: Numbers = np.full(automaton.size + 1, _ENDLESS, np.intp)
        self._sizes[-1] = 0
        for state, words in self._words.items():
            if state != DEAD:
                self._sizes[state] = min(index.costs[word] for word in words)
        costs = index.phrasal_costs[automaton.rules]
        while True:
            self._totals = costs + self._sizes[automaton.children].sum(axis=0)
            improved = self._sizes.copy()
            np.minimum.at(improved, automaton.results, self._totals)
            if np.array_equal(improved, self._sizes):
                break
            self._sizes = improved

    def size(self, state: int) -> int:
        """Return the size of the smallest derivation of a state."""
        return int(self._sizes[state])

    def derivation(self, state: int) -> Derivation:
        """Return the smallest derivation of a state that has one."""
        derivation: list[int] = []
        stack = [state]
        while stack:
            rule, children = self.step(stack.pop())
            derivation.append(rule)
            stack.extend(reversed(children))
        return tuple(derivation)

    def step(self, state: int) -> tuple[int, tuple[int, ...]]:
        """Return the first rule, with children, that gives a state its smallest derivation."""
        automaton, size = self._automaton, self.size(state)
        rows = np.flatnonzero((automaton.results == state) & (self._totals == size))
        steps: list[tuple[int, tuple[int, ...]]] = [
            (word, ()) for word in self._words.get(state, ()) if self._index.costs[word] == size
        ]
        for row in rows.tolist():
            rule = int(automaton.rules[row])
            arity = len(self._index.rhs[rule])
            children = tuple(automaton.children[:arity, row].tolist())
            steps.append((self._index.phrasal[rule], children))
        return min(steps)
