"""The usual ways of expanding a grammar at random, over the tables of one stratum.

Every peer is given the same grammar: a nonterminal for each state that the stratum can
reach, a production for each rule of the state, with the probability of the sampler::

    state 7: rule 3 (of NP) with width 60, rule 4 with width 40

    S7 -> "the" S9   [0.6]
    S7 -> S12        [0.4]

A peer is a function that draws so many sentences; what it makes of them is thrown away.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate

import numpy as np

from sgl.sample.engine import Tables

#: Draws so many sentences.
Draw = Callable[[int], object]


def reachable(tables: Tables) -> list[int]:
    """The states that the stratum can reach, the start first."""
    found = [tables.strata[0].start]
    for number in found:
        for children in tables.states[number].children:
            found += [child for child in dict.fromkeys(children) if child not in found]
    return found


def nltk_draw(tables: Tables, *, indexed: bool) -> Draw:
    """Random expansion over an NLTK grammar."""
    from nltk import PCFG, Nonterminal, ProbabilisticProduction

    names = {number: Nonterminal(f"S{number}") for number in reachable(tables)}
    productions = []
    for number, name in names.items():
        state = tables.states[number]
        widths = [end - begin for begin, end in zip([0, *state.bounds], state.bounds, strict=False)]
        for width, rule, children in zip(widths, state.rules, state.children, strict=True):
            right = [
                item if isinstance(item, str) else names[children[-1 - max(item, ~item)]]
                for item in tables.source.templates[rule]
            ]
            probability = width / state.bounds[-1]
            productions.append(ProbabilisticProduction(name, right, prob=probability))
    grammar = PCFG(names[tables.strata[0].start], productions)
    table = {
        name: (found := grammar.productions(lhs=name), [p.prob() for p in found])
        for name in names.values()
    }
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
    """Random expansion over tuples with cumulative weights."""
    start = tables.strata[0].start
    states = {
        number: (
            list(accumulate(np.diff([0, *tables.states[number].bounds]).tolist())),
            [
                [
                    item if isinstance(item, str) else children[-1 - max(item, ~item)]
                    for item in tables.source.templates[rule]
                ]
                for rule, children in zip(
                    tables.states[number].rules, tables.states[number].children, strict=True
                )
            ],
        )
        for number in reachable(tables)
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
