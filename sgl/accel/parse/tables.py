"""Represent a text layer as flat arrays for the kernel, and allocate the memory that the kernel works in.

The items of the chart are numbered.  *Symbols* come first, ordered so that a production with one part leads to a higher
number; words in longer productions count as symbols.  Then come *beginnings*, two or more parts, shared by all
productions that begin with them.  The results of a word, of a symbol through productions with one part, or of a move
are its *goals*.
"""

from collections.abc import Sequence
from graphlib import TopologicalSorter
from itertools import chain
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sgl.accel.machine import Bits, Bytes, Ints
from sgl.accel.parse.productions import Part, Production, Productions, UnsuitableLayerError
from sgl.core.interpret import finish
from sgl.parsing.layer import TemplateIndex
from sgl.parsing.parser import SATURATED

_WORD = 64

Value = TypeVar("Value")

Floats = NDArray[np.float64]


class Tables(NamedTuple):
    """The arrays of a layer.

    Attributes:
        start: the symbol of whole texts.
        symbols, items, texts: how many there are; a text is a word or several adjacent words.
        wide: the machine words of a set of items.
        join: the separator.
        words, offsets: the texts, first those that attach and then the others, each group sorted, and where each text
            begins.
        sorts: the first text that attaches, the first other text, and the end.
        goals: where the goals of each text begin, then of each symbol, then of each move.
        item, production, ways: each goal is an item, by a production (-1 for a beginning or a text), in a number of
            ways.
        row: where the moves of an item begin in ``move``, a number for each symbol; -1 if it has none.
        move: the index in ``goals`` of the move of an item over a symbol; -1 if none.
        rule, parts: for each production its rule and the number of its parts.
        order_first, order: the children of each production, and where they begin.
        unseen_first, unseen: the derivations of unseen children.
    """

    start: int
    symbols: int
    items: int
    texts: int
    wide: int
    join: Bytes
    words: Bytes
    offsets: Ints
    sorts: Ints
    goals: Ints
    item: Ints
    production: Ints
    ways: Floats
    row: Ints
    move: Ints
    rule: Ints
    parts: Ints
    order_first: Ints
    order: Ints
    unseen_first: Ints
    unseen: Ints


class Space(NamedTuple):
    """Working memory, grouped by index.

    By byte of the text, with one more for its end: ``begin``, the first entry that begins there; ``reached``, the
    leftmost byte so far from which an entry ends there; and for the entries between those two bytes ``cells``, a set of
    items, and ``entry_at``, by item.  By entry: ``item``, ``end``, ``left``, ``right``, ``production``, ``ways``;
    ``used`` counts entries.
    """

    begin: Ints
    reached: Ints
    cells: Bits
    entry_at: Ints
    item: Ints
    end: Ints
    left: Ints
    right: Ints
    production: Ints
    ways: Floats
    stack: Ints
    used: Ints


def space_for(tables: Tables, longest: int, entries: int) -> Space:
    """Allocate memory for texts of up to ``longest`` bytes with up to ``entries`` entries."""
    places = longest + 1
    widest = max(int(np.diff(tables.order_first).max(initial=1)), 1)
    by_entry = {name: _ints(entries) for name in ("item", "end", "left", "right", "production")}
    return Space(
        begin=_ints(places),
        reached=_ints(places),
        cells=np.zeros(places * tables.wide, np.uint64),
        entry_at=_ints(places * tables.items),
        **by_entry,
        ways=np.zeros(entries),
        stack=_ints(entries * widest),
        used=_ints(1),
    )


def _ints(size: int) -> Ints:
    return np.zeros(size, np.int32)


class _Goal(NamedTuple):
    """A result: an item, by a production (-1 for none)."""

    item: int
    production: int = -1
    ways: int = 1


def tables_of(index: TemplateIndex) -> Tables:
    """Return the arrays of a text layer; raises ``UnsuitableLayerError``."""
    return _Numbering(index).tables()


class _Numbering:
    """A numbering of the parts of one layer's productions."""

    def __init__(self, index: TemplateIndex) -> None:
        self._layer = index.grammar.text_layers[index.layer]
        if self._layer.finish is not None:
            raise UnsuitableLayerError("its words are not written as they are")
        self._productions = Productions(index)
        order: TopologicalSorter[Part] = TopologicalSorter()
        order.add(self._productions.start)
        for rule in self._productions.all:
            order.add(rule.left)
            if len(rule.right) > 1:
                for part in rule.right:
                    order.add(part)
            elif isinstance(rule.right[0], int):
                order.add(rule.left, rule.right[0])
        self._number = {part: number for number, part in enumerate(order.static_order())}

    def tables(self) -> Tables:
        texts, ones = self._texts_and_symbols()
        goals, row, move = self._moves(len(texts) + len(ones))
        order_first, order = _rows([rule.order for rule in self._productions.all])
        unseen_first, unseen = _rows(self._productions.unseen)
        return Tables(
            start=self._number[self._productions.start],
            symbols=len(self._number),
            items=len(row),
            texts=len(texts),
            wide=-(-len(row) // _WORD),
            join=np.frombuffer(self._layer.join.encode(), np.uint8),
            words=np.frombuffer(b"".join(text for _, text in texts), np.uint8),
            offsets=_rows([text for _, text in texts])[0],
            sorts=_array([0, sum(not apart for apart, _ in texts), len(texts)]),
            **_goal_columns([*texts.values(), *ones, *goals]),
            row=row,
            move=move,
            rule=_array([rule.rule for rule in self._productions.all]),
            parts=_array([len(rule.right) for rule in self._productions.all]),
            order_first=order_first,
            order=_array(order),
            unseen_first=unseen_first,
            unseen=_array(unseen),
        )

    def _goal(self, production: int, rule: Production) -> _Goal:
        return _Goal(self._number[rule.left], production, min(rule.ways, SATURATED))

    def _texts_and_symbols(self) -> tuple[dict[tuple[bool, bytes], list[_Goal]], list[list[_Goal]]]:
        """Return the goals of texts, in order, and of single symbols."""
        texts: dict[tuple[bool, bytes], list[_Goal]] = {}
        ones: list[list[_Goal]] = [[] for _ in self._number]
        for part, number in self._number.items():
            if isinstance(part, tuple):
                texts.setdefault(self._spelt(part), []).append(_Goal(number))
        for production, rule in enumerate(self._productions.all):
            if len(rule.right) == 1:
                part = rule.right[0]
                goals = texts.setdefault(self._spelt(part), []) if isinstance(part, tuple) else ones[self._number[part]]
                goals.append(self._goal(production, rule))
        return dict(sorted(texts.items())), ones

    def _spelt(self, words: tuple[str, ...]) -> tuple[bool, bytes]:
        """Return whether words need a separator before them, and their spelling."""
        try:
            text = finish(self._layer, words).encode()
        except UnicodeEncodeError as error:
            raise UnsuitableLayerError("a word is not Unicode") from error
        return bool(self._layer.join) and words[0] not in self._layer.attach, text

    def _moves(self, goals_before: int) -> tuple[list[list[_Goal]], Ints, Ints]:
        """Return the goals of each move, where the moves of each item begin, and their numbers."""
        beginnings: dict[tuple[Part, ...], int] = {}
        goals: dict[tuple[int, int], list[_Goal]] = {}
        for production, rule in enumerate(self._productions.all):
            item = self._number.get(rule.right[0], -1)
            for place, part in enumerate(rule.right[1:], start=2):
                found = goals.setdefault((item, self._number[part]), [])
                if place == len(rule.right):
                    found.append(self._goal(production, rule))
                    break
                fresh = len(self._number) + len(beginnings)
                item = beginnings.setdefault(rule.right[:place], fresh)
                if item == fresh:
                    found.append(_Goal(item))
        symbols = len(self._number)
        row = np.full(symbols + len(beginnings), -1, np.int32)
        moving = sorted({item for item, _ in goals})
        row[moving] = np.arange(len(moving)) * symbols
        move = np.full(len(moving) * symbols, -1, np.int32)
        for number, (item, part_number) in enumerate(goals, start=goals_before):
            move[row[item] + part_number] = number
        return [*goals.values()], row, move


def _goal_columns(rows: Sequence[Sequence[_Goal]]) -> dict[str, Any]:
    first, goals = _rows(rows)
    return {
        "goals": first,
        "item": _array([goal.item for goal in goals]),
        "production": _array([goal.production for goal in goals]),
        "ways": np.array([goal.ways for goal in goals], np.float64),
    }


def _rows(rows: Sequence[Sequence[Value]]) -> tuple[Ints, list[Value]]:
    first = _ints(len(rows) + 1)
    np.cumsum([len(row) for row in rows], out=first[1:])
    return first, [*chain.from_iterable(rows)]


def _array(values: Sequence[int]) -> Ints:
    return np.array(values, np.int32)
