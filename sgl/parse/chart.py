"""The chart: which categories cover which spans of the input.

The recogniser goes through the positions from left to right and works bottom-up
on dotted rules that share their beginnings (``sgl.parse.templates``).  An *active*
item is a node of the prefix tree with the position where it began; when it stands
before a child that has been found, it moves on::

    0 the 1 dog 2 saw 3      found (N, 1, 2)   active  Det • N   from 0
                             so    (NP, 0, 2)          Det N •   from 0

Every item has a *mode*: raised items have their first word capitalised, which is
what a child under ``capital`` must be.  Empty constituents are not found but
known beforehand, and skipped over (Aycock & Horspool 2002, *Practical Earley
Parsing*).
"""

from __future__ import annotations

from collections.abc import Iterator

from sgl.parse.lattice import Lattice
from sgl.parse.templates import SlotStep, TemplateIndex

#: A category with its span and its mode: (category, start, end, raised).
Constituent = tuple[int, int, int, bool]


class Chart:
    """What was found in one input.

    ``found`` has for every constituent the nodes of the prefix tree whose rules
    cover it; ``ends`` the ends of the constituents of a category that begin at a
    position in a mode, in ascending order.
    """

    def __init__(self, index: TemplateIndex, lattice: Lattice) -> None:
        self.lattice = lattice
        self.found: dict[Constituent, list[int]] = {}
        self.ends: dict[tuple[int, int, bool], list[int]] = {}
        self._index = index
        self._items: list[set[tuple[int, int, bool]]] = [set() for _ in range(lattice.end + 1)]
        self._agenda: list[tuple[int, int, bool]] = []
        self._waiting: list[dict[SlotStep, list[tuple[int, int, bool]]]] = [
            {} for _ in range(lattice.end + 1)
        ]
        for position in range(lattice.end + 1):
            if position == 0 or self._items[position]:
                self._complete(position)
                self._scan(position)

    def covers(self, category: int) -> bool:
        """Whether ``category`` covers the whole input."""
        if not self.lattice.end:
            return category in self._index.nullable
        return (category, 0, self.lattice.end, False) in self.found

    def _scan(self, position: int) -> None:
        """Move items before a word, and new ones, over the words at ``position``."""
        nodes = self._index.nodes
        for word, end in self.lattice.words(position):
            landing = self._items[end]
            for node in self._index.word_starts.get(word, ()):
                landing.add((node, position, False))
            for original in self._index.capitals.get(word, ()):
                for node in self._index.word_starts.get(original, ()):
                    landing.add((node, position, True))
            for node, start, raised in self._items[position]:
                after = nodes[node].words.get(word)
                if after is not None:
                    landing.add((after, start, raised))

    def _complete(self, position: int) -> None:
        """Find all constituents that end at ``position``."""
        self._agenda = sorted(self._items[position])
        while self._agenda:
            node, start, raised = self._agenda.pop()
            self._wait(node, start, raised, position)
            for category in self._index.nodes[node].rules:
                constituent = (category, start, position, raised)
                if constituent in self.found:
                    self.found[constituent].append(node)
                    continue
                self.found[constituent] = [node]
                self.ends.setdefault((category, start, raised), []).append(position)
                for item in self._movable(constituent):
                    self._add(item, position)

    def _wait(self, node: int, start: int, raised: bool, position: int) -> None:
        """Let an item wait for its next child; pass over the child if it may be empty."""
        for step, after in self._index.nodes[node].slots.items():
            self._waiting[position].setdefault(step, []).append((after, start, raised))
            if step[0] in self._index.nullable:
                self._add((after, start, raised), position)

    def _movable(self, constituent: Constituent) -> Iterator[tuple[int, int, bool]]:
        """The items that move over a constituent, those that begin with it included."""
        category, start, _, raised = constituent
        yield from self._waiting[start].get((category, raised), ())
        for node in self._index.starts.get((category, False), ()):
            yield node, start, raised
        if raised:
            for node in self._index.starts.get((category, True), ()):
                yield node, start, False
                yield node, start, True

    def _add(self, item: tuple[int, int, bool], position: int) -> None:
        if item not in self._items[position]:
            self._items[position].add(item)
            self._agenda.append(item)
