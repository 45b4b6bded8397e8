"""Trim and minimise tree automata, and number their states canonically.

Two states of a category are equivalent if no context *of the grammar* tells them apart (the Nerode
relation, relative to the grammar).  So an automaton has more than one state only where its
structure has begun and is not yet complete, and the product of dozens of constraints stays small.

:func:`canonical` numbers states in the order in which they are met from the leaves upwards.  A language has one
minimal automaton, so the sampled sentences depend on the language and not on the products that led to it.
"""

import numpy as np

from sgl.automata.algebra.tree_automaton import DEAD, TreeAutomaton, combined
from sgl.automata.common import Mask, Numbering, Numbers, as_numbers


def trim(automaton: TreeAutomaton) -> TreeAutomaton:
    """Drop the states that are unreachable, and those that no accepted derivation visits."""
    reached = np.append(reachable(automaton), True)
    usable = np.flatnonzero(reached.take(automaton.children).all(axis=0))
    children, results = automaton.children[:, usable], automaton.results[usable]
    useful = np.append(automaton.final, False) & reached
    while True:
        ready = useful[results]
        if not ready.any():
            return automaton.restricted(useful[:-1])
        useful[children[:, ready]] = True
        useful[-1] = False
        children, results = children[:, ~ready], results[~ready]


def reachable(automaton: TreeAutomaton) -> Mask:
    """Return whether some derivation has the state."""
    # The last entry stands for the children that a rule does not have.
    live = np.zeros(automaton.size + 1, np.bool_)
    live[automaton.words[automaton.words != DEAD]] = True
    live[-1] = True
    before, count = 0, 1
    while count > before:
        live[automaton.results[live.take(automaton.children).all(axis=0)]] = True
        before, count = count, int(np.count_nonzero(live))
    return live[:-1]


def minimise(automaton: TreeAutomaton) -> TreeAutomaton:
    """Merge equivalent states by Moore's algorithm, which splits blocks until no context does."""
    kinds = 2 * automaton.categories + automaton.final
    blocks = np.unique(kinds, return_inverse=True)[1]
    fresh = int(blocks.max(initial=DEAD)) + 1
    together = np.flatnonzero((np.bincount(blocks, minlength=1) > 1)[blocks])
    if not len(together):
        return automaton
    contexts, results, bounds = _contexts(automaton, together)
    table = np.column_stack((contexts, results))
    while len(together):
        table[:, 1] = blocks[results]
        own, starts, ends = blocks[together], bounds[together], bounds[together + 1]
        members = zip(own.tolist(), starts.tolist(), ends.tolist(), strict=True)
        signatures = [(block, table[start:end].tobytes()) for block, start, end in members]
        numbers = {found: number for number, found in enumerate(dict.fromkeys(signatures))}
        split = np.array([numbers[found] for found in signatures], np.intp)
        if len(numbers) == len(np.unique(own)):
            return automaton.renamed(np.unique(blocks, return_inverse=True)[1])
        blocks[together] = fresh + split
        fresh += len(numbers)
        together = together[(np.bincount(split) > 1)[split]]
    return automaton


def _contexts(automaton: TreeAutomaton, states: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return contexts (position, rule, other states) and their states; those of ``q`` begin at ``bounds[q]``."""
    wanted = np.zeros(automaton.size + 1, np.bool_)
    wanted[states] = True
    position, row = np.nonzero(wanted[automaton.children])
    others = automaton.children[:, row]
    occurrences = np.arange(len(row))
    state = others[position, occurrences]
    others[position, occurrences] = automaton.size + 1
    context = as_numbers((automaton.rules[row], *others), automaton.size + 2)
    order = np.lexsort((context, state))
    bounds = np.searchsorted(state[order], np.arange(automaton.size + 1))
    return context[order], automaton.results[row[order]], bounds


def canonical(automaton: TreeAutomaton) -> TreeAutomaton:
    """Return the automaton, all of whose states are reachable, with its states in order."""
    index, category, tables = automaton.index, automaton.category, automaton.tables
    met: Numbering[int] = Numbering()
    words, first = np.unique(automaton.words, return_index=True)
    for word in words[np.argsort(first)].tolist():
        if word != DEAD:
            met.number(word)
    members: list[list[int]] = [[] for _ in index.grammar.categories]
    for current in met.values:
        for rule, children in combined(index, members, current, category[current]):
            result = tables[rule].get(children)
            if result is not None:
                met.number(result)
    names = np.empty(automaton.size, np.intp)
    names[met.values] = np.arange(automaton.size)
    return automaton.renamed(names)
