"""The smallest derivation that an automaton accepts, in source tokens plus rules.

The least sizes of all states are the least solution of

    size(q)  =  least of  cost(r) + size(q1) + ... + size(qk)   over all  q -> r(q1 ... qk)

It is found from the leaves upwards, for all transitions at once (Knuth 1977 settles state after
state).  A derivation costs more than each of its parts, so following the least transitions ends.
"""

import numpy as np

from sgl.automata.algebra.tree_automaton import DEAD, TreeAutomaton
from sgl.automata.common import Numbers
from sgl.core.interpret import Derivation

#: The size of a state that derives nothing.
_ENDLESS = 2**40


def smallest_derivation(automaton: TreeAutomaton) -> Derivation | None:
    """Return the smallest accepted derivation, of several that with the earlier rules; ``None`` if there is none."""
    smallest = SmallestDerivations(automaton)
    accepted = [state for state in automaton.accepting if smallest.sizes[state] < _ENDLESS]
    if not accepted:
        return None
    root = min(accepted, key=lambda state: (smallest.sizes[state], *smallest.step(state), state))
    return smallest.derivation(root)


class SmallestDerivations:
    """The smallest derivations of the states of an automaton, and their ``sizes``."""

    def __init__(self, automaton: TreeAutomaton) -> None:
        self._automaton = automaton
        index, live = automaton.index, automaton.words != DEAD
        # The last entry is that of the children that a rule does not have.
        self.sizes: Numbers = np.full(automaton.size + 1, _ENDLESS, np.intp)
        self.sizes[-1] = 0
        np.minimum.at(self.sizes, automaton.words[live], index.word_costs[live])
        costs = index.costs[automaton.rules]
        while True:
            self._totals = costs + self.sizes[automaton.children].sum(axis=0)
            improved = self.sizes.copy()
            np.minimum.at(improved, automaton.results, self._totals)
            if np.array_equal(improved, self.sizes):
                break
            self.sizes = improved

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
        automaton, size, index = self._automaton, self.sizes[state], self._automaton.index
        words = index.words[(automaton.words == state) & (index.word_costs == size)]
        steps: list[tuple[int, tuple[int, ...]]] = [(word, ()) for word in words[:1].tolist()]
        rows = np.flatnonzero((automaton.results == state) & (self._totals == size))
        for row in rows.tolist():
            rule = int(automaton.rules[row])
            children = tuple(automaton.children[: len(index.rhs[rule]), row].tolist())
            steps.append((int(index.phrasal[rule]), children))
        return min(steps)
