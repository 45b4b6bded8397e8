"""Boolean operations on tree automata.

Intersection is the product (:mod:`sgl.automata.algebra.product`), cut down to what can
still be accepted.  Complement needs a state for everything that an automaton does
not read.  An automaton for the texts *without* a structure has no state for a phrase that
contains it; with one more state in each category, the *sink*, it reads every derivation,
and reads as the sink what it had no state for::

    without   NP  4 7 -> 12          total   NP  4 7 -> 12    NP  4 8 -> sink
                                             S  12 sink -> sink   ...
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from sgl.automata.algebra.minimization import minimise, reachable, trim
from sgl.automata.algebra.product import Combinations, pairs
from sgl.automata.algebra.tree_automaton import (
    DEAD,
    GrammarIndex,
    TreeAutomaton,
    check_rows,
    check_size,
    explore,
)


def total(automaton: TreeAutomaton) -> TreeAutomaton:
    """Return the same automaton with a sink in each category that needs one.

    Raises:
        UnsupportedStructure: if there are too many combinations of states.
    """
    index, lexicon = automaton.index, automaton.lexicon
    # The states of a category follow one another, and its sink is the last.
    sizes = automaton.sizes + 1
    size = int(sizes.sum())
    begins = np.cumsum(sizes) - sizes
    sinks = begins + automaton.sizes
    names = begins[automaton.categories] + automaton.places
    combinations = Combinations(index, sizes)
    check_rows(combinations.count)
    rules, places = combinations.all()
    results = sinks[index.results[rules]]
    known = combinations.numbers(automaton.rules, automaton.child_places)
    results[known] = names[automaton.results]
    final = np.zeros(size, np.bool_)
    final[names[automaton.final]] = True
    completed = replace(
        automaton,
        categories=np.repeat(np.arange(len(sizes)), sizes),
        words=np.where(
            automaton.words == DEAD,
            sinks[np.array(lexicon.category, np.intp)],
            np.append(names, DEAD)[automaton.words],
        ),
        rules=rules,
        children=np.append(begins, size)[index.children[:, rules]] + places,
        results=results,
        final=final,
    )
    return completed.restricted(reachable(completed))


def everything(index: GrammarIndex) -> TreeAutomaton:
    """Return the automaton that accepts every derivation of the grammar."""
    return trim(explore(index, index.lexicon, lambda _: 0, lambda _, __: 0, lambda _: True))


def complement(automaton: TreeAutomaton) -> TreeAutomaton:
    """Accept what the automaton rejects; total, and minimal if it was trim and minimal."""
    completed = total(automaton)
    roots = completed.categories == automaton.index.start
    return replace(completed, final=roots & ~completed.final)


def intersection(first: TreeAutomaton, second: TreeAutomaton) -> TreeAutomaton:
    """Accept what both automata accept; trim and minimal.

    Raises:
        UnsupportedStructure: if there are too many states.
    """
    lexicon = first.lexicon.common(second.lexicon)
    both = trim(pairs(first.over(lexicon), second.over(lexicon)))
    check_size(both.size)
    return minimise(both)


def without_rules(whole: TreeAutomaton, rules: Iterable[int]) -> TreeAutomaton:
    """Accept what ``whole`` accepts and what uses none of these rules, by id; trim."""
    index, gone = whole.index, frozenset(rules)
    lexicon = whole.lexicon.refined([rule in gone for rule in whole.lexicon.rules])
    refined = whole.over(lexicon)
    words = np.array([rule not in gone for rule in lexicon.first], np.bool_)
    usable = np.array([rule not in gone for rule in index.phrasal], np.bool_)
    rows = usable[refined.rules]
    return trim(
        replace(
            refined,
            words=np.where(words, refined.words, DEAD),
            rules=refined.rules[rows],
            children=refined.children[:, rows],
            results=refined.results[rows],
        )
    )
