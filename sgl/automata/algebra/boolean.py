"""Boolean operations on tree automata.

Intersection is the product (:mod:`sgl.automata.algebra.product`), cut down to what can
still be accepted.  Complement needs a state for everything that an automaton does
not read (:mod:`sgl.automata.algebra.total`).  Union has to follow what either can still
accept: a state of the union is a pair in which one side may have failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from sgl.automata.algebra.minimise import minimise, trim
from sgl.automata.algebra.product import pairs
from sgl.automata.algebra.total import total
from sgl.automata.algebra.tree_automaton import (
    DEAD,
    GrammarIndex,
    TreeAutomaton,
    check_size,
    explore,
)


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
