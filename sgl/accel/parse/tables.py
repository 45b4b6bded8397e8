"""A text layer as flat arrays, for the kernel, and the memory that the kernel works in.

What the chart holds is numbered.  First come the *symbols*, so that what a production of one part
makes of a symbol has a higher number; words of longer productions count as symbols.  Then come the
*beginnings*, two or more parts, shared by all productions that begin so.  What a word gives, a
symbol by productions of one part, or a move, are its *goals*.

Words that stand together are found with a trie, laid out as a *double array* (Aoe 1989): the child
of node ``s`` over byte ``c`` is the place ``base[s] + c``, if ``check`` says there that it belongs
to ``s``.  Sets of symbols are rows of 64-bit words.  They say what may be built where.
"""

from collections.abc import Iterable, Sequence
from functools import reduce
from graphlib import TopologicalSorter
from operator import or_
from typing import Any, NamedTuple, TypeVar

import numpy as np

from sgl.accel.machine import Bits, Ints, Reals
from sgl.accel.parse.productions import Part, Production, Productions, UnsuitableLayerError
from sgl.core.interpret import finish
from sgl.parsing.layer import TemplateIndex, closure
from sgl.parsing.parser import SATURATED

_WORD = 64

Value = TypeVar("Value")


class Tables(NamedTuple):
    """The arrays of a layer.

    Attributes:
        start: the symbol of whole texts.
        symbols, items, moves, texts: how many there are; texts are what the trie has.
        width, wide: the words of a set of symbols, and of one of items.
        separated: the node of the trie after the separator; -1 if there is none.
        attached: the number of the first word of the trie that has the separator before it.
        longest: the number of bytes of the longest string of the trie.
        base, check, value: the trie; value is the number of the string that ends at a node,
            or -1.
        goals: where the goals begin of each word, then of each symbol, then of each move.
        item, production: each goal is an item, by a production (-1 for a beginning or a word),
        ways, score: in so many ways, the best of which has a probability of this logarithm.
        move: what gives the goals of the move of an item (row) over a symbol; -1 if none.
        seconds: the symbols that an item moves over.
        below: for each item the symbols of the productions that it is the beginning of.
        corners: the symbols that each symbol can begin with.
        heads: for each entry of the trie the symbols that can begin with it.
        rule, parts: for each production its rule and the number of its parts.
        order_first, order: for each production where its children are.
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
    goals: Ints
    item: Ints
    production: Ints
    ways: Bits
    score: Reals
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


class Space(NamedTuple):
    """Arrays by what they are indexed with.

    By byte of the text, with one more for its end: ``live``, and ``position``, the number of the place in the
    lattice.  By arc of the lattice: ``arc_start``, ``arc_end``, ``arc_word``, and ``arc_next``, the next arc into the
    same position.

    By position: ``arcs_into``, the first arc that ends there; ``ahead``, the symbols that can begin there by the next
    word; ``asked``, those that are also asked for by what precedes; ``waited``, those that an entry waits for there,
    each with a list from ``wait_first``; ``reached``, the last position at which an entry that begins there ends; and
    of the entries between these two ``cells`` and ``entry_at``, by item.

    By entry: ``start``, ``left``, ``right``, ``production``, ``score`` and ``ways``.  By waiting entry:
    ``wait_entry``, ``wait_move``, ``wait_next``.  There is ``room`` for so many of both, of which ``used`` counts
    those in use.
    """

    live: Ints
    position: Ints
    arc_start: Ints
    arc_end: Ints
    arc_word: Ints
    arc_next: Ints
    arcs_into: Ints
    ahead: Bits
    asked: Bits
    waited: Bits
    wait_first: Ints
    reached: Ints
    cells: Bits
    entry_at: Ints
    start: Ints
    left: Ints
    right: Ints
    production: Ints
    score: Reals
    ways: Bits
    wait_entry: Ints
    wait_move: Ints
    wait_next: Ints
    stack: Ints
    used: Ints
    room: int


def space_for(tables: Tables, longest: int, entries: int) -> Space:
    """Return memory for texts of up to ``longest`` bytes with up to so many entries."""
    positions = longest + 1
    arcs = (positions + 1) * max(tables.longest, 1)
    widest = max(int(np.diff(tables.order_first).max(initial=1)), 1)
    ints = {
        **dict.fromkeys(("live", "position", "arcs_into", "reached"), positions),
        **dict.fromkeys(("arc_start", "arc_end", "arc_word", "arc_next"), arcs),
        **dict.fromkeys(("start", "left", "right", "production"), entries),
        **dict.fromkeys(("wait_entry", "wait_move", "wait_next"), entries),
        "wait_first": positions * tables.symbols,
        "entry_at": positions * tables.items,
        "stack": entries * widest,
        "used": 2,
    }
    bits = {
        **dict.fromkeys(("ahead", "asked", "waited"), positions * tables.width),
        "cells": positions * tables.wide,
        "ways": entries,
    }
    arrays: dict[str, Any] = {
        **{name: np.zeros(size, np.int32) for name, size in ints.items()},
        **{name: np.zeros(size, np.uint64) for name, size in bits.items()},
    }
    return Space(score=np.zeros(entries, np.float64), room=entries, **arrays)


class Trie(NamedTuple):
    """Strings of bytes as a double array."""

    base: Ints
    check: Ints
    value: Ints

    def node(self, text: bytes) -> int:
        """Return the node that a string leads to, or -1 if none does."""
        node = 0
        for byte in text:
            place = int(self.base[node]) + byte
            if self.check[place] != node:
                return -1
            node = place
        return node


class _Goal(NamedTuple):
    """What something gives: an item, by a production (-1 for none)."""

    item: int
    production: int = -1
    ways: int = 1
    score: float = 0.0


def tables_of(index: TemplateIndex) -> Tables:
    """Return the arrays of a text layer; raises ``UnsuitableLayerError``."""
    return _Numbering(index).tables()


class _Numbering:
    """The numbers of the parts of one layer's productions."""

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
        self._width = -(-len(self._number) // _WORD)

    def tables(self) -> Tables:
        words, ones = self._words_and_symbols()
        goals, move, seconds, below = self._moves(len(words) + len(ones))
        join = self._layer.join.encode()
        strings = [(b"" if attached else join) + text.encode() for text, attached in words]
        trie = trie_of(strings)
        corners, above = self._corners()
        rules = self._productions.all
        order_first, order = _rows([rule.order for rule in rules])
        unseen_first, unseen = _rows(self._productions.unseen)
        return Tables(
            start=self._number[self._productions.start],
            symbols=len(self._number),
            items=len(move),
            moves=len(goals),
            texts=len(words),
            width=self._width,
            wide=-(-len(move) // _WORD),
            separated=trie.node(join) if join else -1,
            attached=sum(attached for _, attached in words),
            longest=max(map(len, strings), default=0),
            **trie._asdict(),
            **_goal_columns([*words.values(), *ones, *goals]),
            move=move,
            seconds=self._bits(seconds),
            below=self._bits(below),
            corners=self._bits(corners),
            heads=self._bits([_union(above[g.item] for g in goals) for goals in words.values()]),
            rule=np.array([rule.rule for rule in rules], np.int32),
            parts=np.array([len(rule.right) for rule in rules], np.int32),
            order_first=order_first,
            order=np.array(order, np.int32),
            unseen_first=unseen_first,
            unseen=np.array(unseen, np.int32),
        )

    def _goal(self, production: int, rule: Production) -> _Goal:
        ways = min(rule.ways, SATURATED)
        return _Goal(self._number[rule.left], production, ways, rule.log_weight)

    def _words_and_symbols(self) -> tuple[dict[tuple[str, bool], list[_Goal]], list[list[_Goal]]]:
        """Return what words and symbols give by themselves; words that attach come first."""
        words: dict[tuple[str, bool], list[_Goal]] = {}
        ones: list[list[_Goal]] = [[] for _ in self._number]
        for part, number in self._number.items():
            if isinstance(part, tuple):
                words.setdefault(self._spelt(part), []).append(_Goal(number))
        for production, rule in enumerate(self._productions.all):
            if len(rule.right) > 1:
                continue
            part = rule.right[0]
            goals = words.setdefault(self._spelt(part), []) if isinstance(part, tuple) else ones[self._number[part]]
            goals.append(self._goal(production, rule))
        return dict(sorted(words.items(), key=lambda entry: not entry[0][1])), ones

    def _spelt(self, words: tuple[str, ...]) -> tuple[str, bool]:
        join = self._layer.join
        text = finish(self._layer, words)
        attached = not join or words[0] in self._layer.attach
        if attached and join and words[0].startswith(join):
            raise UnsuitableLayerError("an attached word begins with the separator")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise UnsuitableLayerError("a word is not Unicode") from error
        return text, attached

    def _moves(self, goals_before: int) -> tuple[list[list[_Goal]], Ints, list[int], list[int]]:
        """Return the goals of each move, the number of each; what each item moves over, and leads to."""
        beginnings: dict[tuple[Part, ...], int] = {}
        goals: dict[tuple[int, int], list[_Goal]] = {}
        below: dict[int, int] = {}
        offset = self._width * _WORD
        for production, rule in enumerate(self._productions.all):
            if len(rule.right) == 1:
                continue
            item = self._number[rule.right[0]]
            for place, part in enumerate(rule.right[1:], start=2):
                below[item] = below.get(item, 0) | 1 << self._number[rule.left]
                found = goals.setdefault((item, self._number[part]), [])
                if place == len(rule.right):
                    found.append(self._goal(production, rule))
                    break
                beginning = rule.right[:place]
                item = beginnings.get(beginning, -1)
                if item < 0:
                    item = beginnings[beginning] = offset + len(beginnings)
                    found.append(_Goal(item))
        items = offset + len(beginnings)
        number = np.full((items, len(self._number)), -1, np.int32)
        seconds = [0] * items
        for move, (item, part_number) in enumerate(goals, start=goals_before):
            number[item, part_number] = move
            seconds[item] |= 1 << part_number
        return [*goals.values()], number, seconds, [below.get(item, 0) for item in range(items)]

    def _corners(self) -> tuple[list[int], list[int]]:
        first: dict[int, set[int]] = {number: set() for number in self._number.values()}
        after: dict[int, set[int]] = {number: set() for number in first}
        for rule in self._productions.all:
            if len(rule.right) > 1 or isinstance(rule.right[0], int):
                left, right = self._number[rule.left], self._number[rule.right[0]]
                first[left].add(right)
                after[right].add(left)
        return closure(first), closure(after)

    def _bits(self, sets: Sequence[int]) -> Bits:
        rows = b"".join(members.to_bytes(8 * self._width, "little") for members in sets or [0])
        return np.frombuffer(rows, "<u8").astype(np.uint64).reshape(-1, self._width)


def _goal_columns(rows: Sequence[Sequence[_Goal]]) -> dict[str, Any]:
    first, goals = _rows(rows)
    return {
        "goals": first,
        "item": np.array([goal.item for goal in goals], np.int32),
        "production": np.array([goal.production for goal in goals], np.int32),
        "ways": np.array([goal.ways for goal in goals], np.uint64),
        "score": np.array([goal.score for goal in goals], np.float64),
    }


def _rows(rows: Sequence[Sequence[Value]]) -> tuple[Ints, list[Value]]:
    first = np.zeros(len(rows) + 1, np.int32)
    np.cumsum([len(row) for row in rows], out=first[1:])
    return first, [value for row in rows for value in row]


def _union(sets: Iterable[int]) -> int:
    return reduce(or_, sets, 0)


def _lowest_zero(bits: int) -> int:
    return (~bits & (bits + 1)).bit_length() - 1


def trie_of(strings: Sequence[bytes]) -> Trie:
    """Return the trie of different strings that are not empty."""
    base: dict[int, int] = {}
    check: dict[int, int] = {0: -1}
    value: dict[int, int] = {}
    taken = 1  # the places that are taken, as bits
    waiting = [(0, 0, list(range(len(strings))))]
    while waiting:
        node, depth, below = waiting.pop()
        children: dict[int, list[int]] = {}
        for number in below:
            if len(strings[number]) == depth:
                value[node] = number
            else:
                children.setdefault(strings[number][depth], []).append(number)
        if not children:
            continue
        # A base conflicts where a child would come to a place that is taken: the first that
        # does not is the lowest zero of all the shifted sets together.
        first = max(_lowest_zero(taken) - min(children), 0)
        base[node] = first + _lowest_zero(_union(taken >> (first + byte) for byte in children))
        for byte, numbers in children.items():
            check[base[node] + byte] = node
            taken |= 1 << (base[node] + byte)
            waiting.append((base[node] + byte, depth + 1, numbers))
    arrays = np.full((3, max(check) + 257), [[0], [-1], [-1]], np.int32)
    for array, numbers_at in zip(arrays, (base, check, value), strict=True):
        array[list(numbers_at)] = list(numbers_at.values())
    return Trie(*arrays)
