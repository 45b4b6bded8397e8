"""The states of an automaton, numbered through.

Within a category, the order of states depends on how the automaton was computed.
Here they are numbered in the order in which they are met from the leaves upwards,
rules in the author's order.  A language has only one minimal automaton, so that
its numbering, and all that follows from it down to the sentences drawn, depends
on the language alone::

    within categories    Det 0    N 0 1    NP 1 0 2
    numbered through         0      1 2       3 4 5
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from sgl.automata.numbering import Numbering

if TYPE_CHECKING:
    from sgl.automata.tree_automaton import TreeAutomaton


class Numbered(NamedTuple):
    """See the attributes of the same names of ``TreeAutomaton``."""

    category: tuple[int, ...]
    leaves: tuple[int, ...]
    tables: tuple[Mapping[tuple[int, ...], int], ...]
    accepting: frozenset[int]


def numbered(automaton: TreeAutomaton) -> Numbered:
    """Number the states of an automaton through."""
    index = automaton.index
    met = _met(automaton)
    number_of: list[list[int]] = [[-1] * size for size in automaton.sizes]
    for number, (category, state) in enumerate(met):
        number_of[category][state] = number
    tables: list[Mapping[tuple[int, ...], int]] = []
    for rule in range(len(index.phrasal)):
        above = number_of[index.lhs[rule]]
        below = [number_of[child] for child in index.rhs[rule]]
        tables.append(
            {
                tuple([row[child] for row, child in zip(below, children, strict=True)]): above[
                    result
                ]
                for children, result in automaton.table(rule).items()
            }
        )
    words = zip(automaton.lexicon.category, automaton.words, strict=True)
    return Numbered(
        category=tuple([category for category, _ in met]),
        leaves=tuple([word if word < 0 else number_of[category][word] for category, word in words]),
        tables=tuple(tables),
        accepting=frozenset([number_of[index.start][state] for state in automaton.final]),
    )


def _met(automaton: TreeAutomaton) -> list[tuple[int, int]]:
    """The states as (category, state), in the order in which they are met."""
    index = automaton.index
    met: Numbering[tuple[int, int]] = Numbering()
    for category, word in zip(automaton.lexicon.category, automaton.words, strict=True):
        if word >= 0:
            met.number((category, word))
    members: list[list[int]] = [[] for _ in automaton.sizes]
    current = 0
    while current < len(met):
        category, state = met.values[current]
        members[category].append(state)
        for rule, position in index.uses[category]:
            lhs, table = index.lhs[rule], automaton.table(rule)
            choices = [members[child] for child in index.rhs[rule]]
            choices[position] = [state]
            for children in product(*choices):
                result = table.get(children)
                if result is not None:
                    met.number((lhs, result))
        current += 1
    return met.values
