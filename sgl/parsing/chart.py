"""The chart: which categories cover which spans of the input.

The recogniser goes through the positions from left to right and works bottom-up
on dotted rules that share their beginnings (``sgl.parsing.templates``).  An *active*
item is a node of the prefix tree with the position where it began; when it stands
before a child that has been found, it moves on::

    0 the 1 dog 2 saw 3      found (N, 1, 2)   active  Det • N   from 0
                             so    (NP, 0, 2)          Det N •   from 0

Nothing is built that what precedes does not ask for: at each position the symbols
are known that an item from the left can use there, directly or as a beginning of
what it waits for (its *corners*).  So an item at a position proves that the input
up to there is the beginning of a sentence, and where the items end is where the
input stops making sense.  Algorithm: Graham, Harrison & Ruzzo (1980), *An Improved
Context-Free Recognizer*, with items shared between rules.
"""

from __future__ import annotations

from collections import defaultdict

from sgl.parsing.lattice import Lattice
from sgl.parsing.templates import ROOT, TemplateIndex, symbol


class Chart:
    """What was found in one input.

    An item is one number, ``node * width + start``.  Only positions that something
    reaches take memory.

    Attributes:
        width: one more than the last position.
        items: the active items that end at each position.
        found: for each end, symbol and start the nodes whose rules cover the span.
        arcs: for each end and word the positions from which it leads there.
    """

    def __init__(self, index: TemplateIndex, lattice: Lattice) -> None:
        self.end = lattice.end
        self.width = lattice.end + 1
        self.items: defaultdict[int, set[int]] = defaultdict(set)
        self.found: defaultdict[int, dict[int, dict[int, list[int]]]] = defaultdict(dict)
        self.arcs: defaultdict[int, dict[str, list[int]]] = defaultdict(dict)
        #: For each position and symbol the items that wait for it there.
        self.waiting: defaultdict[int, dict[int, list[int]]] = defaultdict(dict)
        self._asked: dict[int, int] = {}
        self._index = index
        self._lattice = lattice
        start = symbol(index.grammar.start, False)
        self._asked[0] = index.corners[start]
        self._scan(0)
        for position in range(1, self.width):
            if position in self.items:
                self._complete(position)
                self._scan(position)

    def _scan(self, position: int) -> None:
        """Move items before a word, and new ones, over the words at ``position``."""
        index, width, asked = self._index, self.width, self._asked[position]
        items = self.items.get(position, ())
        before_words = [item for item in items if index.words[item // width]]
        first = index.words[ROOT]
        for word, end in self._lattice.words(position):
            landing: list[int] = []
            node = first.get(word)
            if node is not None and index.below[node] & asked:
                landing.append(node * width + position)
            for item in before_words:
                after = index.words[item // width].get(word)
                if after is not None:
                    landing.append(after * width + item % width)
            if landing:
                self.items[end].update(landing)
                self.arcs[end].setdefault(word, []).append(position)

    def _complete(self, position: int) -> None:
        """Let the items at ``position`` wait or end, and move others over what is found."""
        index, width, items = self._index, self.width, self.items[position]
        slots, ends, skips = index.slots, index.ends, index.skips
        waiting, asked = self.waiting[position], 0
        agenda = list(items)
        while agenda:
            node, start = divmod(agenda.pop(), width)
            for step, after in slots[node]:
                asked |= index.corners[step]
                if step in waiting:
                    waiting[step].append(after * width + start)
                else:
                    waiting[step] = [after * width + start]
            if skips[node]:
                self._land([after * width + start for after in skips[node]], items, agenda)
            wanted = self._asked[start]
            for left in ends[node]:
                if wanted >> left & 1:
                    self._land(self._find(left, start, position, node), items, agenda)
        self._asked[position] = asked

    @staticmethod
    def _land(moved: list[int], items: set[int], agenda: list[int]) -> None:
        for item in moved:
            if item not in items:
                items.add(item)
                agenda.append(item)

    def _find(self, left: int, start: int, end: int, node: int) -> list[int]:
        """Note a constituent; the items that move over it, those that begin with it included."""
        starts = self.found[end].get(left)
        if starts is None:
            self.found[end][left] = {start: [node]}
        elif start in starts:
            starts[start].append(node)
            return []
        else:
            starts[start] = [node]
        moved = self.waiting[start].get(left, [])
        first = self._index.starts.get(left)
        if first is not None and first[1] & self._asked[start]:
            return [*moved, first[0] * self.width + start]
        return moved
