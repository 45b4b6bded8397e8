"""Make an automaton total: give it a state for everything that it does not read.

An automaton for the texts *without* a structure has no state for a phrase that
contains it.  With one more state in each category, the *sink*, it reads every
derivation, and reads as the sink what it had no state for::

    without   NP  4 7 -> 12          total   NP  4 7 -> 12    NP  4 8 -> sink
                                             S  12 sink -> sink   ...

All combinations of children are numbered by their places within their
categories, in the order of the table of transitions.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sgl.automata.algebra.minimise import reachable
from sgl.automata.algebra.tree_automaton import (
    DEAD,
    GrammarIndex,
    Numbers,
    TreeAutomaton,
    check_rows,
)


def total(index: GrammarIndex, automaton: TreeAutomaton) -> TreeAutomaton:
    """The same automaton, with a sink in each category that needs one.

    Raises:
        UnsupportedStructure: if there are too many combinations of states.
    """
    names = _Names(automaton)
    combinations = _Combinations(index, names.sizes)
    results = names.sinks[index.results[combinations.rules]]
    known = combinations.row(automaton.rules, automaton.places, automaton.children)
    results[known] = names.of[automaton.results]
    final = np.zeros(len(names.categories), np.bool_)
    final[names.of[automaton.final]] = True
    completed = replace(
        automaton,
        categories=names.categories,
        words=np.where(
            automaton.words == DEAD,
            names.sinks[np.array(automaton.lexicon.category, np.intp)],
            np.append(names.of, DEAD)[automaton.words],
        ),
        rules=combinations.rules,
        children=combinations.children(names.begins),
        results=results,
        final=final,
    )
    return completed.restricted(reachable(completed))


class _Names:
    """New numbers: the states of a category follow one another, its sink is the last.

    ``of[q]`` is the new number of state ``q``; ``sizes``, ``begins`` and ``sinks`` are
    those of each category.  After the last category comes the child that a rule does
    not have.
    """

    def __init__(self, automaton: TreeAutomaton) -> None:
        sizes = automaton.sizes + 1
        self.categories: Numbers = np.repeat(np.arange(len(sizes)), sizes)
        self.sizes: Numbers = np.append(sizes, 1)
        self.begins: Numbers = np.cumsum(self.sizes) - self.sizes
        self.sinks: Numbers = self.begins[:-1] + automaton.sizes
        self.of: Numbers = self.begins[automaton.categories] + automaton.places


class _Combinations:
    """All combinations of the children of every rule, one row for each.

    A row is a number with a digit for each child; ``sizes`` are those of the categories.
    """

    def __init__(self, index: GrammarIndex, sizes: Numbers) -> None:
        self._bases = sizes[index.children]
        strides = np.ones_like(self._bases)
        strides[:-1] = np.cumprod(self._bases[:0:-1], axis=0)[::-1]
        self._strides = strides
        counts = self._bases.prod(axis=0)
        check_rows(int(counts.sum()))
        self._starts = np.cumsum(counts) - counts
        self._categories = index.children
        self.rules: Numbers = np.repeat(np.arange(len(counts)), counts)

    def row(self, rules: Numbers, places: Numbers, children: Numbers) -> Numbers:
        """The rows of transitions that are given by rules and children."""
        digits = np.append(places, 0)[children]
        rows: Numbers = self._starts[rules] + (digits * self._strides[:, rules]).sum(axis=0)
        return rows

    def children(self, begins: Numbers) -> Numbers:
        """The children in each row; ``begins`` are the first states of the categories."""
        local = np.arange(len(self.rules)) - self._starts[self.rules]
        digits = local // self._strides[:, self.rules] % self._bases[:, self.rules]
        children: Numbers = begins[self._categories[:, self.rules]] + digits
        return children
