"""Conjunctions of the absences of structures, with everything shared.

Constraints of one dataset resemble one another: every generalization set excludes
the held-out structures of all patterns but its own.  Conjunctions are therefore
built over a fixed order of the structures, in halves of halves::

    exclude everything but 2      {0 1 2 3 4 5 6 7}
                                 {0 1 3}   {4 5 6 7}      <- shared with all others
                             {0 1}   {3}

so that leaving out each of n structures costs n log n products, not n squared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sgl.automata.algebra.boolean import intersection
from sgl.automata.algebra.tree_automaton import TreeAutomaton
from sgl.automata.common import Numbering
from sgl.core.structure import Structure

Ranks = tuple[int, ...]


class Conjunctions:
    """Conjunctions over structures, each computed once.

    ``single`` gives the automaton of one structure.  The order of the structures, their
    ranks, is that in which they are first asked for.
    """

    def __init__(self, single: Callable[[Structure], TreeAutomaton]) -> None:
        self._single = single
        self._ranks: Numbering[Structure] = Numbering()
        # Constraints share their structures, and to hash one takes longer than its id;
        # the structures are kept so that no other gets the id.
        self._rank_of: dict[int, tuple[int, Structure]] = {}
        self._known: dict[Ranks, TreeAutomaton] = {}

    def of(self, structures: Iterable[Structure]) -> TreeAutomaton:
        """Return the conjunction of one or more structures."""
        ranks: set[int] = set()
        for structure in structures:
            if id(structure) not in self._rank_of:
                self._rank_of[id(structure)] = self._ranks.number(structure), structure
            ranks.add(self._rank_of[id(structure)][0])
        size = 1 << (len(self._ranks) - 1).bit_length()
        return self._conjunction(tuple(sorted(ranks)), 0, size)

    def _conjunction(self, members: Ranks, low: int, high: int) -> TreeAutomaton:
        """Conjunction of ``members``, all of which lie in ``range(low, high)``."""
        if members not in self._known:
            middle = (low + high) // 2
            left = tuple(member for member in members if member < middle)
            right = members[len(left) :]
            if len(members) == 1:
                result = self._single(self._ranks.values[members[0]])
            elif not left:
                result = self._conjunction(right, middle, high)
            elif not right:
                result = self._conjunction(left, low, middle)
            else:
                result = intersection(
                    self._conjunction(left, low, middle), self._conjunction(right, middle, high)
                )
            self._known[members] = result
        return self._known[members]
