"""Trim and minimise tree automata.

Two states of a category are equivalent if no context *of the grammar* tells them
apart (the Nerode relation, relative to the grammar).  This merges states that an
automaton for arbitrary trees would have to keep apart, and it is why the product
of dozens of constraints stays small: an automaton has more than one state only
where its structure has begun and is not yet complete.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sgl.automata.numbering import Numbering
from sgl.automata.tree_automaton import DEAD, GrammarIndex, Mask, Numbers, TreeAutomaton


def trim(automaton: TreeAutomaton) -> TreeAutomaton:
    """Drop the states that are unreachable, and those that no accepted derivation visits."""
    useful = _co_reachable(automaton, reachable(automaton))
    if useful.all():
        return automaton
    return automaton.renamed(np.where(useful, np.cumsum(useful) - 1, DEAD))


def reachable(automaton: TreeAutomaton) -> Mask:
    """Whether some derivation has the state."""
    # The last entry stands for the children that a rule does not have.
    live = np.zeros(automaton.size + 1, np.bool_)
    live[automaton.words[automaton.words != DEAD]] = True
    live[-1] = True
    children, results = automaton.children, automaton.results
    while True:
        ready = live[children].all(axis=1)
        if not ready.any():
            return live[:-1]
        live[results[ready]] = True
        children, results = children[~ready], results[~ready]


def _co_reachable(automaton: TreeAutomaton, live: Mask) -> Mask:
    """Whether some accepted derivation visits the state; ``live`` are the reachable ones."""
    useful = np.append(automaton.final & live, False)
    usable = np.append(live, True)[automaton.children].all(axis=1)
    children, results = automaton.children[usable], automaton.results[usable]
    while True:
        ready = useful[results]
        if not ready.any():
            return useful[:-1]
        useful[children[ready]] = True
        children, results = children[~ready], results[~ready]


def minimise(index: GrammarIndex, automaton: TreeAutomaton) -> TreeAutomaton:
    """Merge equivalent states of an automaton: Moore's algorithm."""
    # States that are alone in their category keep their own number as their block.
    crowded = np.flatnonzero(automaton.sizes[automaton.categories] > 1)
    blocks = np.arange(automaton.size)
    kinds = 2 * automaton.categories[crowded] + automaton.final[crowded]
    count = 0
    signatures: Numbering[object] = Numbering()
    numbers = [signatures.number(kind) for kind in kinds.tolist()]
    contexts = _Contexts(index, automaton, crowded)
    while count < len(signatures) < len(crowded):
        count = len(signatures)
        blocks[crowded] = automaton.size + np.array(numbers, np.intp)
        signatures = Numbering()
        numbers = [signatures.number(s) for s in zip(numbers, contexts.rows(blocks), strict=True)]
    if len(signatures) == len(crowded):
        return automaton
    _, names = np.unique(blocks, return_inverse=True)
    return automaton.renamed(names)


class _Contexts:
    """The contexts that states occur in, with what they lead to.

    A context is a rule, a position and the states at the other positions.
    ``_table`` has a row for each occurrence, sorted by state and context; its last
    column is the block of the result.
    """

    def __init__(self, index: GrammarIndex, automaton: TreeAutomaton, states: Numbers) -> None:
        wanted = np.zeros(automaton.size + 1, np.bool_)
        wanted[states] = True
        occurring, tables = [], []
        for position in range(index.width):
            chosen = wanted[automaton.children[:, position]]
            others = automaton.children[chosen]
            occurring.append(others[:, position].copy())
            others[:, position] = automaton.size + 1
            rules, results = automaton.rules[chosen], automaton.results[chosen]
            tables.append(np.column_stack((rules, others, results)))
        state, table = np.concatenate(occurring), np.concatenate(tables)
        order = np.lexsort((*table.T[-2::-1], state))
        self._table = table[order]
        self._results = self._table[:, -1].copy()
        self._starts = np.searchsorted(state[order], states, "left").tolist()
        self._stops = np.searchsorted(state[order], states, "right").tolist()

    def rows(self, blocks: Numbers) -> Iterator[bytes]:
        """The contexts of each state, as they are for these blocks."""
        self._table[:, -1] = blocks[self._results]
        for start, stop in zip(self._starts, self._stops, strict=True):
            yield self._table[start:stop].tobytes()
