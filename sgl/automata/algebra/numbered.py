"""The states of an automaton in an order that depends on its language alone.

The numbers of states depend on how an automaton was computed.  Here they are
given in the order in which states are met from the leaves upwards, rules in the
author's order.  A language has only one minimal automaton, so that the numbers,
and all that follows from them down to the sentences drawn, depend on the language
and not on the products that led to it.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from sgl.automata.algebra.tree_automaton import DEAD, TreeAutomaton
from sgl.automata.numbering import Numbering


def in_order(automaton: TreeAutomaton) -> TreeAutomaton:
    """The automaton, all of whose states are reachable, with its states in order."""
    index, category, tables = automaton.index, automaton.category, automaton.tables
    met: Numbering[int] = Numbering()
    for word in automaton.leaves:
        if word != DEAD:
            met.number(word)
    members: list[list[int]] = [[] for _ in index.grammar.categories]
    for current in met.values:
        members[category[current]].append(current)
        for rule, position in index.uses[category[current]]:
            choices = [members[child] for child in index.rhs[rule]]
            choices[position] = [current]
            for children in product(*choices):
                result = tables[rule].get(children)
                if result is not None:
                    met.number(result)
    names = np.empty(automaton.size, np.intp)
    names[met.values] = np.arange(automaton.size)
    return automaton.renamed(names)
