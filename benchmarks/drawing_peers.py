"""Expand a grammar at random in the usual ways, over the tables of one stratum.

Every peer is given the same grammar: a nonterminal for each state that the stratum can reach, and a production for each
rule of the state, with the sampler's probability::

    state 7: rule 3 (of NP) with width 60, rule 4 with width 40

    S7 -> "the" S9   [0.6]
    S7 -> S12        [0.4]

A peer is a function that draws a given number of sentences and throws them away.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import NamedTuple

from sgl.sampling.engine import Tables

#: Draws a given number of sentences.
Draw = Callable[[int], object]


class Production(NamedTuple):
    """An alternative of a state: words and the numbers of states, with its share of the bounds."""

    right: list[str | int]
    width: int


def productions(tables: Tables) -> dict[int, list[Production]]:
    """Return the alternatives of the states that the stratum can reach, the start state first."""
    found: dict[int, list[Production]] = {}
    pending = [tables.strata[0].start]
    while pending:
        number = pending.pop()
        state = tables.states[number]
        ends = zip([0, *state.bounds], state.bounds, strict=False)
        found[number] = [
            Production(_right(tables, rule, children), end - begin)
            for (begin, end), rule, children in zip(ends, state.rules, state.children, strict=True)
        ]
        for children in state.children:
            pending += [child for child in children if child not in found]
    return found


def _right(tables: Tables, rule: int, children: tuple[int, ...]) -> list[str | int]:
    return [
        item if isinstance(item, str) else children[-1 - max(item, ~item)] for item in tables.source.templates[rule]
    ]


def nltk_draw(tables: Tables, *, indexed: bool) -> Draw:
    """Return a draw that expands an NLTK grammar at random."""
    from nltk import PCFG, Nonterminal, ProbabilisticProduction

    states = productions(tables)
    names = {number: Nonterminal(f"S{number}") for number in states}
    written = [
        ProbabilisticProduction(
            names[number],
            [item if isinstance(item, str) else names[item] for item in right],
            prob=width / tables.states[number].bounds[-1],
        )
        for number, alternatives in states.items()
        for right, width in alternatives
    ]
    grammar = PCFG(names[tables.strata[0].start], written)
    table = {name: (found := grammar.productions(lhs=name), [p.prob() for p in found]) for name in names.values()}
    # The published scripts draw with Python's generator; the seed makes runs comparable.
    choose = random.Random(1).choices  # noqa: S311

    def expand(symbol: object) -> list[str]:
        if isinstance(symbol, str):
            return [symbol]
        if indexed:
            found, weights = table[symbol]
        else:
            found = grammar.productions(lhs=symbol)
            weights = [production.prob() for production in found]
        (production,) = choose(found, weights)
        return [word for part in production.rhs() for word in expand(part)]

    def draw(number: int) -> None:
        for _ in range(number):
            " ".join(expand(grammar.start()))

    return draw


def bisect_draw(tables: Tables) -> Draw:
    """Return a draw that expands tuples with cumulative weights."""
    start = tables.strata[0].start
    states = {
        number: (list(accumulate(width for _, width in alternatives)), [right for right, _ in alternatives])
        for number, alternatives in productions(tables).items()
    }
    uniform = random.Random(1).random  # noqa: S311

    def draw(number: int) -> None:
        for _ in range(number):
            words: list[str] = []
            stack: list[str | int] = [start]
            while stack:
                item = stack.pop()
                if isinstance(item, str):
                    words.append(item)
                    continue
                bounds, rules = states[item]
                stack.extend(reversed(rules[bisect_right(bounds, uniform() * bounds[-1])]))
            " ".join(words)

    return draw
