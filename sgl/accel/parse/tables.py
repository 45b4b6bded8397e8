"""A text layer as flat arrays, for the kernel.

What the chart holds is numbered.  First come the *symbols*, so that what a production of
one part makes of a symbol has a higher number than the symbol; words of longer productions
count as symbols.  Then come the *beginnings*, two or more parts of a production, shared by
all productions that begin so::

    S = NP VP "."          beginning  (NP VP)
                           moves      NP over VP gives (NP VP);  (NP VP) over "." gives S

Sets of symbols are rows of 64-bit words.  They say what may be built where: below what is
asked for, and ahead of the next word.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from graphlib import TopologicalSorter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.accel.parse.productions import Part, Production, Productions, UnsuitableLayerError
from sgl.accel.parse.trie import Trie, trie_of
from sgl.core.interpret import finish
from sgl.parsing.batch import SATURATED
from sgl.parsing.templates import TemplateIndex

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Bits = NDArray[np.uint64]

_WORD = 64


class Goals(NamedTuple):
    """What things give: those of number ``n`` are ``first[n]`` to ``first[n + 1]``.

    Each is an item, by a production (-1 for a beginning or a word), which is possible in
    so many ways, and the logarithm of the probability of the best of them.
    """

    first: Ints
    item: Ints
    production: Ints
    ways: Bits
    score: Floats


class Tables(NamedTuple):
    """The arrays of a layer.

    Attributes:
        start: the symbol of whole texts.
        symbols, items, moves, texts: how many there are; texts are what the trie has.
        width, wide: the words of a set of symbols, and of one of items.
        separated: the node of the trie after the separator; -1 if there is none.
        attached: the number of the first word of the trie that has the separator before it.
        longest: the number of bytes of the longest string of the trie.
        base, check, value: the trie of words that stand together, with their separator.
        words: for each of these the symbols that it is.
        ones: for each symbol what productions of that part alone make of it.
        steps: for each move what it gives.
        move: the number of the move of an item (row) over a symbol; -1 if there is none.
        seconds: the symbols that an item moves over.
        below: for each item the symbols of the productions that it is the beginning of.
        corners: the symbols that each symbol can begin with.
        heads: for each entry of the trie the symbols that can begin with it.
        rule, order_first, order: for each production its rule and where its children are.
        unseen_first, unseen: the derivations of unseen children.
    """

    start: int
    symbols: int
    items: int
    moves: int
    texts: int
    width: int
    wide: int
    separated: int
    attached: int
    longest: int
    base: Ints
    check: Ints
    value: Ints
    words: Goals
    ones: Goals
    steps: Goals
    move: Ints
    seconds: Bits
    below: Bits
    corners: Bits
    heads: Bits
    rule: Ints
    parts: Ints
    order_first: Ints
    order: Ints
    unseen_first: Ints
    unseen: Ints


class _Goal(NamedTuple):
    """What something gives: an item, by a production (-1 for none)."""

    item: int
    production: int = -1
    ways: int = 1
    score: float = 0.0


def tables_of(index: TemplateIndex) -> Tables:
    """Return the arrays of a text layer; raises ``UnsuitableLayerError``."""
    return _Packing(index).tables()


class _Packing:
    """The numbering of one layer."""

    def __init__(self, index: TemplateIndex) -> None:
        self._layer = index.grammar.text_layers[index.layer]
        self._productions = Productions(index)
        rules = self._productions.all
        self._longer = [rule for rule in rules if len(rule.right) > 1]
        ones = [rule for rule in rules if len(rule.right) == 1]
        self._ones = [rule for rule in ones if isinstance(rule.right[0], int)]
        self._lexical = [rule for rule in ones if isinstance(rule.right[0], tuple)]
        self._production = {id(rule): number for number, rule in enumerate(rules)}
        self._number = self._numbered()
        self._width = -(-len(self._number) // _WORD)

    def _numbered(self) -> dict[Part, int]:
        """Return a number for each symbol, those of productions of one part in their order."""
        order: TopologicalSorter[Part] = TopologicalSorter()
        order.add(self._productions.start)
        for rule in self._productions.all:
            order.add(rule.left)
            if len(rule.right) > 1:
                for part in rule.right:
                    order.add(part)
        for rule in self._ones:
            order.add(rule.left, rule.right[0])
        return {part: number for number, part in enumerate(order.static_order())}

    def tables(self) -> Tables:
        words = self._words()
        trie, separated, longest = self._trie(list(words))
        ones: list[list[_Goal]] = [[] for _ in self._number]
        for rule in self._ones:
            ones[self._number[rule.right[0]]].append(self._goal(rule))
        moves, move, seconds, below = self._moves()
        corners, above = self._corners()
        rules = self._productions.all
        return Tables(
            self._number[self._productions.start],
            move.shape[1],
            len(move),
            len(moves),
            len(words),
            self._width,
            -(-len(move) // _WORD),
            separated,
            sum(attached for _, attached in words),
            longest,
            *trie,
            _goals(words.values()),
            _goals(ones),
            _goals(moves),
            move,
            seconds,
            below,
            self._bits(corners),
            self._bits([_union(above[goal.item] for goal in goals) for goals in words.values()]),
            np.array([rule.rule for rule in rules], np.int32),
            np.array([len(rule.right) for rule in rules], np.int32),
            *_rows([rule.order for rule in rules]),
            *_rows(self._productions.unseen),
        )

    def _goal(self, rule: Production) -> _Goal:
        ways = min(rule.ways, SATURATED)
        number = self._production[id(rule)]
        return _Goal(self._number[rule.left], number, ways, rule.log_weight)

    def _words(self) -> dict[tuple[str, bool], list[_Goal]]:
        """Return what the words that stand together are, by their text and whether it attaches.

        Those that attach come first.
        """
        goals: dict[tuple[str, bool], list[_Goal]] = {}
        for part, number in self._number.items():
            if isinstance(part, tuple):
                goals.setdefault(self._spelt(part), []).append(_Goal(number))
        for rule in self._lexical:
            part = rule.right[0]
            assert isinstance(part, tuple)
            goals.setdefault(self._spelt(part), []).append(self._goal(rule))
        return dict(sorted(goals.items(), key=lambda entry: not entry[0][1]))

    def _spelt(self, words: tuple[str, ...]) -> tuple[str, bool]:
        attached = not self._layer.join or words[0] in self._layer.attach
        if attached and self._layer.join and words[0].startswith(self._layer.join):
            raise UnsuitableLayerError("an attached word begins with the separator")
        return finish(self._layer, words), attached

    def _trie(self, words: Sequence[tuple[str, bool]]) -> tuple[Trie, int, int]:
        """Return the trie, its node after the separator, and the length of its longest string."""
        join = self._layer.join.encode()
        try:
            strings = [(b"" if attached else join) + text.encode() for text, attached in words]
        except UnicodeEncodeError as error:
            raise UnsuitableLayerError("a word is not Unicode") from error
        trie = trie_of(strings)
        return trie, trie.node(join) if join else -1, max(map(len, strings), default=0)

    def _moves(self) -> tuple[list[list[_Goal]], Ints, Bits, Bits]:
        """Return the moves, their numbers, and for each item what it moves over and leads to."""
        beginnings: dict[tuple[Part, ...], int] = {}
        goals: dict[tuple[int, int], list[_Goal]] = {}
        below: dict[int, int] = {}
        offset = self._width * _WORD
        for rule in self._longer:
            item = self._number[rule.right[0]]
            left = 1 << self._number[rule.left]
            for place, part in enumerate(rule.right[1:], start=2):
                below[item] = below.get(item, 0) | left
                found = goals.setdefault((item, self._number[part]), [])
                if place == len(rule.right):
                    found.append(self._goal(rule))
                    break
                beginning = rule.right[:place]
                item = beginnings.get(beginning, -1)
                if item < 0:
                    item = beginnings[beginning] = offset + len(beginnings)
                    found.append(_Goal(item))
        items = offset + len(beginnings)
        move = np.full((items, max(len(self._number), 1)), -1, np.int32)
        seconds = [0] * items
        for number, (item, part_number) in enumerate(goals):
            move[item, part_number] = number
            seconds[item] |= 1 << part_number
        return (
            list(goals.values()),
            move,
            self._bits(seconds),
            self._bits([below.get(item, 0) for item in range(items)]),
        )

    def _corners(self) -> tuple[list[int], list[int]]:
        """Return for each symbol the set that it can begin with, and that can begin with it."""
        first: dict[int, set[int]] = {number: set() for number in self._number.values()}
        for rule in (*self._ones, *self._longer):
            first[self._number[rule.left]].add(self._number[rule.right[0]])
        after: dict[int, set[int]] = {number: set() for number in first}
        for number, symbols in first.items():
            for other in symbols:
                after[other].add(number)
        return _closure(first), _closure(after)

    def _bits(self, sets: Sequence[int]) -> Bits:
        rows = np.zeros((max(len(sets), 1), self._width), np.uint64)
        for row, members in enumerate(sets):
            for word in range(self._width):
                rows[row, word] = members >> (_WORD * word) & (2**_WORD - 1)
        return rows


def _goals(table: Iterable[list[_Goal]]) -> Goals:
    """Goals as columns, and where those of each row begin."""
    rows = list(table)
    flat = [goal for goals in rows for goal in goals]
    first = np.zeros(len(rows) + 1, np.int32)
    np.cumsum([len(goals) for goals in rows], out=first[1:])
    return Goals(
        first,
        np.array([goal.item for goal in flat], np.int32),
        np.array([goal.production for goal in flat], np.int32),
        np.array([goal.ways for goal in flat], np.uint64),
        np.array([goal.score for goal in flat], np.float64),
    )


def _rows(rows: Iterable[tuple[int, ...]]) -> tuple[Ints, Ints]:
    """Return where each row begins, and the rows one after the other."""
    lists = list(rows)
    first = np.zeros(len(lists) + 1, np.int32)
    np.cumsum([len(row) for row in lists], out=first[1:])
    return first, np.array([number for row in lists for number in row], np.int32)


def _union(sets: Iterable[int]) -> int:
    united = 0
    for members in sets:
        united |= members
    return united


def _closure(first: Mapping[int, Iterable[int]]) -> list[int]:
    """For each number the set of all that can be reached, itself included."""
    reached = [1 << number for number in range(len(first))]
    changed = True
    while changed:
        changed = False
        for number, others in first.items():
            united = _union((reached[number], *(reached[other] for other in others)))
            changed = changed or united != reached[number]
            reached[number] = united
    return reached
