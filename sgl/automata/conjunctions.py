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

from sgl.automata.tree_automaton import TreeAutomaton
from sgl.core.structure import Structure


class Conjunctions:
    """Conjunctions over structures.

    Args:
        single: the automaton of one structure.
        both: the intersection of two automata.
    """

    def __init__(
        self,
        single: Callable[[Structure], TreeAutomaton],
        both: Callable[[TreeAutomaton, TreeAutomaton], TreeAutomaton],
    ) -> None:
        self._single = single
        self._both = both
        self._rank: dict[Structure, int] = {}
        self._structures: list[Structure] = []
        # The ranks of the objects in ``_structures``, by their ids: constraints share
        # their structures, and to hash one takes much longer.
        self._rank_by_id: dict[int, int] = {}
        self._known: dict[tuple[int, ...], TreeAutomaton] = {}

    def of(self, structures: Iterable[Structure]) -> TreeAutomaton:
        """The conjunction of one or more structures."""
        members = sorted({self._rank_of(structure) for structure in structures})
        size = 1 << (len(self._structures) - 1).bit_length()
        return self._conjunction(tuple(members), 0, size)

    def _rank_of(self, structure: Structure) -> int:
        rank = self._rank_by_id.get(id(structure))
        if rank is None:
            rank = self._rank.setdefault(structure, len(self._rank))
            if rank == len(self._structures):
                self._structures.append(structure)
                self._rank_by_id[id(structure)] = rank
        return rank

    def _conjunction(self, members: tuple[int, ...], low: int, high: int) -> TreeAutomaton:
        """Conjunction of ``members``, all of which lie in ``range(low, high)``."""
        if members not in self._known:
            middle = (low + high) // 2
            left = tuple(member for member in members if member < middle)
            right = members[len(left) :]
            if len(members) == 1:
                result = self._single(self._structures[members[0]])
            elif not left:
                result = self._conjunction(right, middle, high)
            elif not right:
                result = self._conjunction(left, low, middle)
            else:
                result = self._both(
                    self._conjunction(left, low, middle), self._conjunction(right, middle, high)
                )
            self._known[members] = result
        return self._known[members]
