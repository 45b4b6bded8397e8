"""The likeliest derivation of every category.

Where a template drops a child, nothing in the input says what it was; the parser
takes the likeliest derivation, with the fewest rules among equally likely ones.
Algorithm: Knuth (1977), *A Generalization of Dijkstra's Algorithm*: categories
are settled in descending order of their best probability.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from math import prod

from sgl.core.grammar import CoreGrammar, Rule
from sgl.core.interpret import Derivation


class Likeliest:
    """The likeliest derivations of a grammar's categories, computed when first asked for."""

    def __init__(self, grammar: CoreGrammar) -> None:
        self._grammar = grammar
        self._best: dict[int, Derivation] | None = None

    def derivation(self, category: int) -> Derivation | None:
        """The likeliest derivation of ``category``; ``None`` if it has none."""
        if self._best is None:
            self._best = _settle(self._grammar)
        return self._best.get(category)


def _settle(grammar: CoreGrammar) -> dict[int, Derivation]:
    """The likeliest derivation of every category that has one."""
    uses: dict[int, list[Rule]] = {}
    for rule in grammar.rules:
        for child in set(rule.rhs):
            uses.setdefault(child, []).append(rule)
    missing = {rule.id: len(set(rule.rhs)) for rule in grammar.rules}
    best: dict[int, Derivation] = {}
    probability: dict[int, float] = {}
    heap = [(-rule.weight, 1, rule.id) for rule in grammar.rules if rule.lexical]
    heapify(heap)
    while heap:
        negative, _, number = heappop(heap)
        category = grammar.rules[number].lhs
        if category in best:
            continue
        probability[category] = -negative
        best[category] = _join(grammar.rules[number], best)
        for rule in uses.get(category, ()):
            missing[rule.id] -= 1
            if not missing[rule.id]:
                product = rule.weight * prod(probability[child] for child in rule.rhs)
                heappush(heap, (-product, len(_join(rule, best)), rule.id))
    return best


def _join(rule: Rule, best: dict[int, Derivation]) -> Derivation:
    return (rule.id, *(step for child in rule.rhs for step in best[child]))
