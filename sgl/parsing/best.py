"""The likeliest readings of a forest, best first.

The best readings of a node combine a rule with good readings of its children.  The
best of all takes the best of each; the next one differs from a better one by the
next best reading of one child.  So candidates come from a heap that begins with the
best combination of each alternative and receives the neighbours of what is taken::

    V NP PP   (1, 1, 1) taken:  (2, 1, 1)  (1, 2, 1)  (1, 1, 2) become candidates

No reading that is not asked for is built.  Algorithm: Huang & Chiang (2005), *Better
k-best Parsing*, algorithm 2; with k = 1 it is Viterbi's.  Costs are negative
logarithms of probabilities, summed in a fixed order.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from math import exp, fsum, inf, log
from typing import NamedTuple

from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation
from sgl.parsing.forest import Forest, Node


class Ranked(NamedTuple):
    """A reading and its probability under the weights of the grammar."""

    probability: float
    derivation: Derivation


class _Choice(NamedTuple):
    """An alternative, by index, over the readings of its children, by rank."""

    cost: float
    alternative: int
    ranks: tuple[int, ...]


def best_readings(forest: Forest, limit: int) -> tuple[Ranked, ...]:
    """The ``limit`` likeliest readings of a forest, in descending order of probability."""
    costs = _costs(forest.grammar, forest)
    choices: list[list[_Choice]] = []
    for node in forest.nodes:
        choices.append(_choose(node, choices, costs, limit))
    return tuple(
        Ranked(exp(-choice.cost), _derivation(forest, choices, rank))
        for rank, choice in enumerate(choices[-1])
    )


def probability(grammar: CoreGrammar, derivation: Derivation) -> float:
    """The product of the weights of the rules of a derivation."""
    return exp(-fsum(_cost(grammar.rules[rule].weight) for rule in derivation))


def _cost(weight: float) -> float:
    return -log(weight) if weight > 0 else inf


def _costs(grammar: CoreGrammar, forest: Forest) -> dict[int, float]:
    rules = {alternative.rule for node in forest.nodes for alternative in node.alternatives}
    return {rule: _cost(grammar.rules[rule].weight) for rule in rules}


def _choose(
    node: Node, below: list[list[_Choice]], costs: dict[int, float], limit: int
) -> list[_Choice]:
    """The best choices at a node, those at the nodes below being known."""

    def choice(number: int, ranks: tuple[int, ...]) -> _Choice:
        alternative = node.alternatives[number]
        cost = costs[alternative.rule]
        for child, rank in zip(alternative.children, ranks, strict=True):
            cost += below[child][rank].cost
        return _Choice(cost, number, ranks)

    heap = [choice(i, (0,) * len(a.children)) for i, a in enumerate(node.alternatives)]
    heapify(heap)
    met = {found[1:] for found in heap}
    best: list[_Choice] = []
    while heap and len(best) < limit:
        found = heappop(heap)
        best.append(found)
        children = node.alternatives[found.alternative].children
        for place, child in enumerate(children):
            ranks = (*found.ranks[:place], found.ranks[place] + 1, *found.ranks[place + 1 :])
            if ranks[place] < len(below[child]) and (found.alternative, ranks) not in met:
                met.add((found.alternative, ranks))
                heappush(heap, choice(found.alternative, ranks))
    return best


def _derivation(forest: Forest, choices: list[list[_Choice]], rank: int) -> Derivation:
    """Read off the reading of this rank at the root."""
    rules: list[int] = []
    stack = [(len(forest.nodes) - 1, rank)]
    while stack:
        node, rank = stack.pop()
        _, number, ranks = choices[node][rank]
        alternative = forest.nodes[node].alternatives[number]
        rules.append(alternative.rule)
        stack.extend(reversed(list(zip(alternative.children, ranks, strict=True))))
    return tuple(rules)
