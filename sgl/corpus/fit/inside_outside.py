"""Expected uses of rules in the readings of one sentence, without going through them.

A sentence with several readings does not say which rules made it.  Under given weights
each reading has a probability given the sentence, and a rule is used so and so often *on
average*.  Two passes over the packed forest find these averages: upwards the probability
of what is below each node (inside), downwards that of what is around it (outside)::

    inside(n)  = sum over the alternatives r(c1 ... ck) of n:  w(r) inside(c1) ... inside(ck)
    uses(r, n) = outside(n) w(r) inside(c1) ... inside(ck) / inside(root)

Everything is in logarithms, so that long sentences do not underflow.  Algorithm: Baker
(1979); for forests see Goodman (1999), *Semiring Parsing*.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf, log

from sgl.parsing import Forest


def expected_uses(forest: Forest, costs: Sequence[float]) -> tuple[float, dict[int, float]]:
    """The log-probability of a sentence, and the expected uses of each rule in it.

    ``costs[r]`` is the logarithm of the weight of rule ``r``.  The uses are conditional
    on the sentence: those of the rules at its root sum to 1.
    """
    terms: list[list[float]] = []
    inside: list[float] = []
    for node in forest.nodes:
        values = [
            costs[alternative.rule] + sum(inside[child] for child in alternative.children)
            for alternative in node.alternatives
        ]
        terms.append(values)
        inside.append(_log_sum(values))
    total = inside[-1]
    uses: dict[int, float] = {}
    # The posterior probability of each node, summed over the places that it is used in.
    posterior = [0.0] * len(forest.nodes)
    posterior[-1] = 1.0
    for number in range(len(forest.nodes) - 1, -1, -1):
        if not posterior[number]:
            continue
        for alternative, term in zip(forest.nodes[number].alternatives, terms[number], strict=True):
            share = posterior[number] * exp(term - inside[number])
            uses[alternative.rule] = uses.get(alternative.rule, 0.0) + share
            for child in alternative.children:
                posterior[child] += share
    return total, uses


def _log_sum(values: Sequence[float]) -> float:
    """The logarithm of the sum of what has these logarithms."""
    highest = max(values)
    if len(values) == 1 or highest == -inf:
        return highest
    return highest + log(sum(exp(value - highest) for value in values))
