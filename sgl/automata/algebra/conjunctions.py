"""Conjunctions of the absences of structures, with everything shared.

Constraints of one dataset resemble one another: every generalization set excludes
the held-out structures of all patterns but its own.  Conjunctions are therefore
built over a fixed order of the structures, in halves of halves::

    exclude everything but 2      {0 1 2 3 4 5 6 7}
                                 {0 1 3}   {4 5 6 7}      <- shared with all others
                             {0 1}   {3}

so that leaving out each of n structures costs n log n products, not n squared.

About half of the structures of a benchmark are about single words, ``{ V[lemma=see,
form=past] }``.  Their absence is a *filter*: it takes away words and rules, and has one
state for each category.  All filters of a conjunction are taken together, without a
product, and joined with the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sgl.automata.algebra.tree_automaton import TreeAutomaton
from sgl.automata.common import Numbering
from sgl.core.structure import Structure

Ranks = tuple[int, ...]
Single = Callable[[Structure], TreeAutomaton]
Both = Callable[[TreeAutomaton, TreeAutomaton], TreeAutomaton]
Filters = Callable[[Sequence[TreeAutomaton]], TreeAutomaton]


class Conjunctions:
    """Conjunctions over structures.

    Args:
        single: the automaton of one structure.
        both: the intersection of two automata.
        filters: the intersection of filters.
    """

    def __init__(self, single: Single, both: Both, filters: Filters) -> None:
        self._single = single
        self._both = both
        self._join_filters = filters
        self._filters: Numbering[Structure] = Numbering()
        self._others = _Halves(single, both)
        # Constraints share their structures, and to hash one takes longer than its id;
        # the structures are kept so that no other gets the id.
        self._places: dict[int, tuple[bool, int, Structure]] = {}
        self._filtered: dict[Ranks, TreeAutomaton] = {}
        self._known: dict[tuple[Ranks, Ranks], TreeAutomaton] = {}

    def of(self, structures: Iterable[Structure]) -> TreeAutomaton:
        """Return the conjunction of one or more structures."""
        known = self._places
        places = [known.get(id(one)) or self._place_of(one) for one in structures]
        filters = tuple(sorted({rank for is_filter, rank, _ in places if is_filter}))
        others = tuple(sorted({rank for is_filter, rank, _ in places if not is_filter}))
        key = filters, others
        if key not in self._known:
            if not others:
                self._known[key] = self._filter(filters)
            elif not filters:
                self._known[key] = self._others.of(others)
            else:
                self._known[key] = self._both(self._others.of(others), self._filter(filters))
        return self._known[key]

    def _filter(self, members: Ranks) -> TreeAutomaton:
        automata = [self._single(self._filters.values[member]) for member in members]
        if len(automata) == 1:
            return automata[0]
        if members not in self._filtered:
            self._filtered[members] = self._join_filters(automata)
        return self._filtered[members]

    def _place_of(self, structure: Structure) -> tuple[bool, int, Structure]:
        """Return whether the absence of a structure is a filter, and its rank among these."""
        is_filter = int(self._single(structure).sizes.max(initial=0)) <= 1
        rank = self._filters.number if is_filter else self._others.rank_of
        place = self._places[id(structure)] = is_filter, rank(structure), structure
        return place


class _Halves:
    """Conjunctions over a fixed order of structures, which are given by their ranks."""

    def __init__(self, single: Single, both: Both) -> None:
        self._single = single
        self._both = both
        self._ranks: Numbering[Structure] = Numbering()
        self._known: dict[Ranks, TreeAutomaton] = {}

    def rank_of(self, structure: Structure) -> int:
        """Return the rank of a structure, the next one if it is new."""
        return self._ranks.number(structure)

    def of(self, members: Ranks) -> TreeAutomaton:
        """Return the conjunction of the structures with these ranks, which ascend."""
        size = 1 << (len(self._ranks) - 1).bit_length()
        return self._conjunction(members, 0, size)

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
                result = self._both(
                    self._conjunction(left, low, middle), self._conjunction(right, middle, high)
                )
            self._known[members] = result
        return self._known[members]
