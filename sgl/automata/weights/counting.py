"""How many derivations a split has, in all and of each length, and how high they are.

With ``c(q, n)`` the number of derivations of state *q* with *n* source tokens,

    c(q, n) = sum over q -> r(q1 ... qk) and n1 + ... + nk = n - tokens(r)
              of c(q1, n1) ... c(qk, nk)

is computed length by length in whole numbers.  Because the automata are
deterministic, every derivation is counted once.

The height of a derivation is the number of rules above one another.  The
probability that it is at most *h* is the *h*-th Kleene iterate of the equations
of the inside weights, taken with the conditional probabilities of the split:

    P(height <= 0) = 0        P(height <= h + 1) = F(P(height <= h))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul

import numpy as np

from sgl.automata.weights.inside import EquationSystem, Monomial, extended
from sgl.automata.weights.numerics import components
from sgl.automata.weights.split import SplitGrammar

#: Heights are followed until no more than this probability is left, or so far.
LEFT_OUT = 1e-6
HIGHEST = 200


def count_derivations(split: SplitGrammar) -> int | None:
    """Return the number of derivations of a split, or ``None`` if they are infinitely many."""
    successors = [
        [child for transition in transitions for child in transition.children]
        for transitions in split.transitions_of
    ]
    counts = [0] * len(successors)
    for component in components(successors):
        state = component[0]
        if len(component) > 1 or state in successors[state]:
            return None
        for transition in split.transitions_of[state]:
            ways = 1
            for child in transition.children:
                ways *= counts[child]
            counts[state] += ways
    return sum(counts[state] for state, _ in split.roots)


def count_by_length(split: SplitGrammar, longest: int) -> tuple[int, ...] | None:
    """Return the numbers of derivations with 0, 1, ..., ``longest`` source tokens.

    ``None`` if a phrase can contain itself without a further token: then one
    length has infinitely many derivations.
    """
    table = _LengthTable.of(split)
    order = _same_length_order(table)
    if order is None:
        return None
    counts: list[list[int]] = [[] for _ in table.leaves]
    phrases = [
        [(tokens, [counts[child] for child in children]) for tokens, children in own]
        for own in table.phrases
    ]
    for length in range(longest + 1):
        for row in counts:
            row.append(0)
        for state in order:
            total = table.leaves[state].get(length, 0)
            for tokens, rows in phrases[state]:
                if tokens <= length:
                    total += _ways(rows, length - tokens)
            counts[state][length] = total
    roots = [counts[state] for state, _ in split.roots]
    return tuple(sum(row[length] for row in roots) for length in range(longest + 1))


@dataclass(frozen=True, slots=True)
class _LengthTable:
    """The transitions of a split as far as they matter to lengths.

    ``leaves[q]`` counts the words of state ``q`` by their tokens; ``phrases[q]``
    are (tokens of the rule, children).
    """

    leaves: list[dict[int, int]]
    phrases: list[list[tuple[int, tuple[int, ...]]]]

    @classmethod
    def of(cls, split: SplitGrammar) -> _LengthTable:
        tokens = split.grammar.source_tokens
        leaves: list[dict[int, int]] = []
        phrases: list[list[tuple[int, tuple[int, ...]]]] = []
        for transitions in split.transitions_of:
            words: dict[int, int] = {}
            own = []
            for transition in transitions:
                length = tokens[transition.rule]
                if transition.children:
                    own.append((length, transition.children))
                else:
                    words[length] = words.get(length, 0) + 1
            leaves.append(words)
            phrases.append(own)
        return cls(leaves, phrases)

    def empty(self) -> list[bool]:
        """Return whether each state has a phrase without tokens."""
        empty = [0 in words for words in self.leaves]
        changed = True
        while changed:
            changed = False
            for state, phrases in enumerate(self.phrases):
                if not empty[state] and any(
                    not tokens and all(empty[child] for child in children)
                    for tokens, children in phrases
                ):
                    empty[state] = changed = True
        return empty


def _same_length_order(table: _LengthTable) -> list[int] | None:
    """Return the states so that those come first which others need at the same length.

    A state needs a child at its own length if the rule and the other children
    may be without tokens.  ``None`` if states need each other.
    """
    empty = table.empty()
    needs: list[list[int]] = [
        [
            child
            for tokens, children in phrases
            for place, child in enumerate(children)
            if not tokens
            and all(empty[other] for other in (*children[:place], *children[place + 1 :]))
        ]
        for phrases in table.phrases
    ]
    order = components(needs)
    if any(len(component) > 1 or component[0] in needs[component[0]] for component in order):
        return None
    return [component[0] for component in order]


def _ways(rows: Sequence[Sequence[int]], length: int) -> int:
    """Return the coefficient of ``length`` in the product of the rows, read as polynomials."""
    if len(rows) == 1:
        return rows[0][length]
    product, *rest, last = rows
    for row in rest:
        product = [_coefficient(product, row, total) for total in range(length + 1)]
    return _coefficient(product, last, length)


def _coefficient(first: Sequence[int], second: Sequence[int], total: int) -> int:
    return sum(map(mul, first[: total + 1], second[total::-1]))


def height_distribution(split: SplitGrammar) -> tuple[float, ...]:
    """Return the probabilities of the heights 0, 1, 2, ... of the derivations of a split."""
    system = EquationSystem.of(
        len(split.category),
        [
            Monomial(state, transition.probability, transition.children)
            for state, transitions in enumerate(split.transitions_of)
            for transition in transitions
        ],
    )
    at_most = [0.0]
    inside = extended(np.zeros(system.size))
    while 1.0 - at_most[-1] > LEFT_OUT and len(at_most) <= HIGHEST and not split.empty:
        inside = system.apply(inside)
        at_most.append(sum(share * float(inside[state]) for state, share in split.roots))
    below = [0.0, *at_most]
    return tuple(now - before for now, before in zip(at_most, below, strict=False))
