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
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Protocol

from sgl.core.grammar import TextLayer
from sgl.parsing.templates import ROOT, TemplateIndex, symbol


class Lattice(Protocol):
    """An input with positions from 0 to ``end``."""

    end: int

    def words(self, position: int) -> Iterable[tuple[str, int]]:
        """Return the known words that stand at ``position``, with their ends."""


class TokenLattice:
    """A sequence of tokens; positions count them."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens = tokens
        self.end = len(tokens)

    def words(self, position: int) -> Iterable[tuple[str, int]]:
        """Return the token at ``position``."""
        return ((self._tokens[position], position + 1),) if position < self.end else ()


class WordIndex:
    """The words of a text layer, found by their beginnings."""

    def __init__(self, words: Set[str], layer: TextLayer) -> None:
        self.join = layer.join
        attached = words & layer.attach if layer.join else words
        self._attached = _Words(attached)
        self._separate = _Words(words - attached)

    def attached(self, text: str, start: int) -> Iterator[tuple[str, int]]:
        """Return the words at ``start`` that take no separator, with their ends."""
        return self._attached.at(text, start)

    def separate(self, text: str, start: int) -> Iterator[tuple[str, int]]:
        """Return the words at ``start`` that do, with their ends."""
        return self._separate.at(text, start)


class _Words:
    """A set of words; ``lengths`` are those of the words with one first character."""

    def __init__(self, words: Set[str]) -> None:
        self._words = words
        lengths: dict[str, set[int]] = {}
        for word in words:
            lengths.setdefault(word[0], set()).add(len(word))
        self._lengths = {first: tuple(sorted(all_)) for first, all_ in lengths.items()}

    def at(self, text: str, start: int) -> Iterator[tuple[str, int]]:
        """Return the words that stand at ``start``, shorter ones first, with their ends."""
        for length in self._lengths.get(text[start : start + 1], ()):
            end = start + length
            word = text[start:end]
            if word in self._words and end <= len(text):
                yield word, end


class TextLattice:
    """A text as its layer writes it; positions are offsets of characters."""

    def __init__(self, text: str, vocabulary: WordIndex) -> None:
        self._text = text
        self._vocabulary = vocabulary
        self._join = vocabulary.join
        self.end = len(text)

    def words(self, position: int) -> Iterable[tuple[str, int]]:
        """Return the known words that stand at ``position``, the separator before them included."""
        if not self._join:
            return self._vocabulary.attached(self._text, position)
        start = position + len(self._join) if position else 0
        found = list(self._vocabulary.attached(self._text, position))
        if not position or self._text.startswith(self._join, position):
            found += self._vocabulary.separate(self._text, start)
        return [(word, end) for word, end in found if self._ends_at(end)]

    def _ends_at(self, end: int) -> bool:
        """Return whether a word may end at ``end``."""
        return (
            end == self.end
            or self._text.startswith(self._join, end)
            or next(iter(self._vocabulary.attached(self._text, end)), None) is not None
        )


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
