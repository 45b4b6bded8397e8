"""Boolean operations on tree automata.

Intersection is the product (:mod:`sgl.automata.algebra.product`), cut down to what can
still be accepted.  Complement needs a state for everything that an automaton does
not read.  An automaton for the texts *without* a structure has no state for a phrase that
contains it; with one more state in each category, the *sink*, it reads every derivation,
and reads as the sink what it had no state for::

    without   NP  4 7 -> 12          total   NP  4 7 -> 12    NP  4 8 -> sink
                                             S  12 sink -> sink   ...

All combinations of children are numbered by their places within their
categories, in the order of the table of transitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from sgl.automata.algebra.minimization import minimise, reachable, trim
from sgl.automata.algebra.product import pairs
from sgl.automata.algebra.tree_automaton import (
    DEAD,
    GrammarIndex,
    Numbers,
    TreeAutomaton,
    check_rows,
    check_size,
    explore,
)


def total(index: GrammarIndex, automaton: TreeAutomaton) -> TreeAutomaton:
    """The same automaton, with a sink in each category that needs one.

    Raises:
        UnsupportedStructure: if there are too many combinations of states.
    """
    names = _SinkNumbering(automaton)
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


class _SinkNumbering:
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


def everything(index: GrammarIndex) -> TreeAutomaton:
    """The automaton that accepts every derivation of the grammar."""
    return trim(explore(index, index.lexicon, lambda _: 0, lambda _, __: 0, lambda _: True))


def complement(index: GrammarIndex, automaton: TreeAutomaton) -> TreeAutomaton:
    """Accept what the automaton rejects; total, and minimal if it was trim and minimal."""
    everywhere = total(index, automaton)
    roots = everywhere.categories == index.start
    return replace(everywhere, final=roots & ~everywhere.final)


def uses_rule(index: GrammarIndex, rules: Iterable[int]) -> TreeAutomaton:
    """Accept the derivations that use one of these rules; total."""
    wanted = frozenset(rules)
    lexicon = index.lexicon.refined([rule in wanted for rule in index.lexicon.rules])
    return explore(
        index,
        lexicon,
        leaf=lambda k: lexicon.first[k] in wanted,
        step=lambda i, children: index.phrasal[i] in wanted or any(children),
        accepts=bool,
    )


def union(index: GrammarIndex, first: TreeAutomaton, second: TreeAutomaton) -> TreeAutomaton:
    """Accept what one of two automata accepts; total and minimal."""
    first, second = _aligned(first, second)

    def step(rule: int, children: tuple[tuple[int, int], ...]) -> tuple[int, int]:
        return (
            first.tables[rule].get(tuple([child[0] for child in children]), DEAD),
            second.tables[rule].get(tuple([child[1] for child in children]), DEAD),
        )

    united = explore(
        index,
        first.lexicon,
        leaf=lambda k: (first.leaves[k], second.leaves[k]),
        step=step,
        accepts=lambda pair: pair[0] in first.accepting or pair[1] in second.accepting,
    )
    return minimise(united)


def intersection(index: GrammarIndex, first: TreeAutomaton, second: TreeAutomaton) -> TreeAutomaton:
    """Accept what both accept; trim and minimal.

    Raises:
        UnsupportedStructure: if there are too many states.
    """
    both = trim(pairs(index, *_aligned(first, second)))
    check_size(both.size)
    return minimise(both)


def intersection_of_filters(
    whole: TreeAutomaton, filters: Sequence[TreeAutomaton]
) -> TreeAutomaton:
    """Accept what all of some filters accept; trim and minimal.

    A filter has at most one state for each category.  ``whole`` accepts every derivation
    of the grammar, and tells no words of a category apart.
    """
    lexicon = filters[0].lexicon
    for automaton in filters[1:]:
        lexicon = lexicon.common(automaton.lexicon)
    whole = whole.over(lexicon)
    words, usable = whole.words.copy(), np.ones(len(whole.index.phrasal), np.bool_)
    for automaton in filters:
        words[automaton.over(lexicon).words == DEAD] = DEAD
        usable &= np.bincount(automaton.rules, minlength=len(usable)) > 0
    rows = usable[whole.rules]
    return trim(
        replace(
            whole,
            words=words,
            rules=whole.rules[rows],
            children=whole.children[:, rows],
            results=whole.results[rows],
            final=whole.final & np.all([automaton.final.any() for automaton in filters]),
        )
    )


def _aligned(first: TreeAutomaton, second: TreeAutomaton) -> tuple[TreeAutomaton, TreeAutomaton]:
    """Both automata over one lexicon."""
    lexicon = first.lexicon.common(second.lexicon)
    return first.over(lexicon), second.over(lexicon)
