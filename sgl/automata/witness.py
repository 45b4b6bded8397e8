"""The smallest derivation that an automaton accepts.

Knuth's (1977) generalisation of Dijkstra's algorithm: states are settled in the
order of the size of their smallest derivation, so that each transition is looked
at once, when the last of its children is settled.  The size of a derivation is
its number of source tokens plus its number of rules.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

from sgl.automata.tree_automaton import DEAD, GrammarIndex, TreeAutomaton
from sgl.core.interpret import Derivation


def smallest_derivation(index: GrammarIndex, automaton: TreeAutomaton) -> Derivation | None:
    """The smallest accepted derivation, or ``None`` if there is none.

    Of several the one with the earlier rules in the author's order is taken,
    from the smallest phrases up.
    """
    if automaton.empty:
        return None
    costs = index.costs
    queue: list[tuple[int, int, tuple[int, ...], int]] = [
        (costs[word], word, (), state)
        for word, state in zip(index.cheapest(automaton.lexicon), automaton.leaves, strict=True)
        if state != DEAD
    ]
    heapify(queue)
    waiting = _Waiting(index, automaton)
    best: dict[int, tuple[int, tuple[int, ...]]] = {}
    size: dict[int, int] = {}
    while queue:
        cost, rule, children, state = heappop(queue)
        if state in best:
            continue
        best[state] = rule, children
        size[state] = cost
        if state in automaton.accepting:
            return _preorder(best, state)
        for ready_rule, ready_children, result in waiting.settle(state):
            total = costs[ready_rule] + sum(size[child] for child in ready_children)
            heappush(queue, (total, ready_rule, ready_children, result))
    return None


class _Waiting:
    """The transitions that still have children to be settled."""

    def __init__(self, index: GrammarIndex, automaton: TreeAutomaton) -> None:
        self._transitions: list[tuple[int, tuple[int, ...], int]] = []
        self._missing: list[int] = []
        self._by_child: list[list[int]] = [[] for _ in automaton.category]
        for rule, table in zip(index.phrasal, automaton.tables, strict=True):
            for children, result in table.items():
                number = len(self._transitions)
                distinct = dict.fromkeys(children)
                self._transitions.append((rule, children, result))
                self._missing.append(len(distinct))
                for child in distinct:
                    self._by_child[child].append(number)

    def settle(self, state: int) -> list[tuple[int, tuple[int, ...], int]]:
        """The transitions (rule, children, result) of which ``state`` was the last child."""
        ready = []
        for number in self._by_child[state]:
            self._missing[number] -= 1
            if not self._missing[number]:
                ready.append(self._transitions[number])
        return ready


def _preorder(best: dict[int, tuple[int, tuple[int, ...]]], root: int) -> Derivation:
    derivation: list[int] = []
    stack = [root]
    while stack:
        rule, children = best[stack.pop()]
        derivation.append(rule)
        stack.extend(reversed(children))
    return tuple(derivation)
