"""What may stand in the place of a child that a template drops.

Nothing in the input says what a dropped child was.  If its category has finitely
many derivations, such as the determiners that Japanese leaves out, every one of
them is a reading::

    犬が寝た。    The dog slept.   A dog slept.

Otherwise there are infinitely many, and the likeliest derivation stands for all,
with the fewest rules among equally likely ones.  Algorithm: Knuth (1977), *A
Generalization of Dijkstra's Algorithm*: categories are settled in descending order
of their best probability.
"""

from __future__ import annotations

from functools import cached_property
from heapq import heapify, heappop, heappush
from math import prod

from sgl.core.grammar import CoreGrammar, Rule


class Dropped:
    """What is known of the categories of dropped children, computed when first asked for."""

    def __init__(self, grammar: CoreGrammar) -> None:
        self._grammar = grammar

    def finite(self, category: int) -> bool:
        """Whether a category has finitely many derivations."""
        return category in self._finite

    def likeliest(self, category: int) -> Rule | None:
        """The rule at the top of the likeliest derivation; None if there is none."""
        return self._likeliest.get(category)

    @cached_property
    def _finite(self) -> frozenset[int]:
        """The categories with finitely many derivations."""
        finite: set[int] = set()
        waiting = list(range(len(self._grammar.categories)))
        settled = True
        while settled:
            rest = [c for c in waiting if not self._ends_in(c, finite)]
            settled = len(rest) < len(waiting)
            finite.update(set(waiting) - set(rest))
            waiting = rest
        return frozenset(finite)

    def _ends_in(self, category: int, finite: set[int]) -> bool:
        return all(finite.issuperset(rule.rhs) for rule in self._grammar.rules_of[category])

    @cached_property
    def _likeliest(self) -> dict[int, Rule]:
        """The rule of ``likeliest`` for each category that has derivations."""
        uses: dict[int, list[Rule]] = {}
        for rule in self._grammar.rules:
            for child in set(rule.rhs):
                uses.setdefault(child, []).append(rule)
        missing = {rule.id: len(set(rule.rhs)) for rule in self._grammar.rules}
        best: dict[int, Rule] = {}
        probability: dict[int, float] = {}
        size: dict[int, int] = {}
        heap = [(-rule.weight, 1, rule.id) for rule in self._grammar.rules if rule.lexical]
        heapify(heap)
        while heap:
            negative, rules, number = heappop(heap)
            category = self._grammar.rules[number].lhs
            if category in best:
                continue
            best[category] = self._grammar.rules[number]
            probability[category], size[category] = -negative, rules
            for rule in uses.get(category, ()):
                missing[rule.id] -= 1
                if not missing[rule.id]:
                    product = rule.weight * prod(probability[child] for child in rule.rhs)
                    rules = 1 + sum(size[child] for child in rule.rhs)
                    heappush(heap, (-product, rules, rule.id))
        return best
