"""The chart: which categories cover which spans of the input.

The recogniser goes through the positions from left to right and works bottom-up on dotted rules that share their
beginnings (``sgl.parsing.templates``).  An *active* item is a node of the prefix tree with the position where it
began; when it stands before a child that has been found, it moves on.

Nothing is built that what precedes does not ask for: at each position the symbols are known that an
item from the left can use there, directly or as a beginning of what it waits for (its *corners*).
So an item proves that the input up to there is the beginning of a sentence.  Algorithm: Graham,
Harrison & Ruzzo (1980), *An Improved Context-Free Recognizer*, with items shared between rules.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Set

from sgl import limits
from sgl.core.grammar import TextLayer
from sgl.parsing.templates import ROOT, TemplateIndex, symbol

#: Returns the words that stand at a position of an input, with their ends.
WordsAt = Callable[[int], Iterable[tuple[str, int]]]

#: Words, and the lengths of those with one first character.
_Lengths = tuple[Set[str], dict[str, list[int]]]


class TooLongError(Exception):
    """A sentence is not parsed: it has too many words, or takes too many steps."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"not parsed: too long: {reason}")


class Steps:
    """The steps that the parsing of one sentence may still take."""

    def __init__(self) -> None:
        self._allowed = self._left = limits.current().steps

    def take(self, number: int) -> None:
        """Take so many steps; raise ``TooLongError`` if there are not so many left."""
        self._left -= number
        if self._left < 0:
            raise TooLongError(f"it takes more than {self._allowed:,} steps")


class WordIndex:
    """The words of a text layer, found by their beginnings."""

    def __init__(self, words: Set[str], layer: TextLayer) -> None:
        self._join = layer.join
        attached = words & layer.attach if layer.join else words
        self._attached = by_first(attached)
        self._separate = by_first(words - attached)

    def words_at(self, text: str, position: int) -> list[tuple[str, int]]:
        """Return the words that stand at an offset of a text, with their ends.

        A separator before them is included.  Behind a word there is the end of the text, or another word.
        """
        join = self._join
        found = list(standing(self._attached, text, position))
        if not join:
            return found
        if not position:
            found += standing(self._separate, text, 0)
        elif text.startswith(join, position):
            found += standing(self._separate, text, position + len(join))
        return [
            (word, end)
            for word, end in found
            if end == len(text) or text.startswith(join, end) or any(standing(self._attached, text, end))
        ]


def by_first(words: Set[str]) -> _Lengths:
    """Return words with the lengths of those that begin with a character."""
    lengths: dict[str, set[int]] = {}
    for word in words:
        lengths.setdefault(word[0], set()).add(len(word))
    return words, {first: sorted(found) for first, found in lengths.items()}


def standing(words: _Lengths, text: str, start: int) -> Iterator[tuple[str, int]]:
    """Return the words that stand at ``start``, shorter ones first, with their ends."""
    known, lengths = words
    for length in lengths.get(text[start : start + 1], ()):
        end = start + length
        word = text[start:end]
        if word in known and end <= len(text):
            yield word, end


class Chart:
    """What was found in one input.

    An item is one number, ``node * width + start``; ``width`` is one more than the last position.  Active ``items``
    are by where they end; ``found`` has for each end, symbol and start the nodes whose rules cover the span; ``arcs``
    for each end and word the positions from which it leads there.  So many ``steps`` are left.
    """

    def __init__(self, index: TemplateIndex, end: int, words_at: WordsAt) -> None:
        self.end = end
        self.width = end + 1
        self.steps = Steps()
        self.items: defaultdict[int, set[int]] = defaultdict(set)
        self.found: defaultdict[int, dict[int, dict[int, list[int]]]] = defaultdict(dict)
        self.arcs: defaultdict[int, dict[str, list[int]]] = defaultdict(dict)
        #: For each position and symbol the items that wait for it there.
        self.waiting: defaultdict[int, dict[int, list[int]]] = defaultdict(dict)
        self._asked: dict[int, int] = {}
        self.index = index
        self._start = symbol(index.grammar.start, False)
        self._asked[0] = index.corners[self._start]
        self._scan(0, words_at)
        for position in range(1, self.width):
            if position in self.items:
                self._complete(position)
                self._scan(position, words_at)

    def passes(self, position: int) -> bool:
        """Return whether the beginning of a sentence leads to a position."""
        return position in self.items

    def covers(self, position: int) -> bool:
        """Return whether the start category may cover the input up to a position."""
        if not position:
            return self._start // 2 in self.index.nullable
        return 0 in self.found[position].get(self._start, {})

    @property
    def reached(self) -> int:
        """Up to where the input is the beginning of a sentence."""
        return max(self.items, default=0)

    def expected(self) -> tuple[set[str], set[int]]:
        """Return the words and the categories that may stand behind what was reached."""
        nodes = {item // self.width for item in self.items[self.reached]}
        words = {word for node in nodes for word in self.index.words[node]}
        return words, {step // 2 for step in self.waiting[self.reached]}

    def _scan(self, position: int, words_at: WordsAt) -> None:
        """Move items before a word, and new ones, over the words at ``position``."""
        index, width, asked = self.index, self.width, self._asked[position]
        items = self.items.get(position, ())
        before_words = [item for item in items if index.words[item // width]]
        first = index.words[ROOT]
        for word, end in words_at(position):
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
        index, width, items = self.index, self.width, self.items[position]
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
            moved = [after * width + start for after in skips[node]]
            wanted = self._asked[start]
            for left in ends[node]:
                if not wanted >> left & 1:
                    continue
                nodes = self.found[position].setdefault(left, {}).setdefault(start, [])
                nodes.append(node)
                if len(nodes) > 1:
                    continue
                # A constituent: the items before it move over it, and others begin with it.
                before = self.waiting[start].get(left, ())
                self.steps.take(len(before))
                moved += before
                first = index.starts.get(left)
                if first is not None and first[1] & wanted:
                    moved.append(first[0] * width + start)
            self.steps.take(1 + len(slots[node]))
            for item in moved:
                if item not in items:
                    items.add(item)
                    agenda.append(item)
        self._asked[position] = asked
