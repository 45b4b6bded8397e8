"""The memory that the kernel works in, and the part of it that cuts a text into words.

From every byte that is reached, the trie finds the words that stand there, with the separator
before them; at the beginning also without.  Only what leads to the end of the text matters, so
arcs are gone through backwards before positions are numbered.  Memory is kept from text to text.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.accel.jit import part
from sgl.accel.machine import Bits, Ints, Reals, bits_at, int_at, set_bits, set_int
from sgl.accel.parse.tables import Tables

#: What ``Space.used`` counts: entries of the chart, and those that wait.
ENTRIES, WAITING = 0, 1


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


#: What is known of a byte: nothing, that words lead to it, that they lead on to the end.
UNREACHED, REACHED, LIVE = 0, 1, 2


@part
def lattice(tables: Tables, space: Space, data: NDArray[np.uint8], first: int, last: int) -> int:
    """Cut a text into words; the last position, or -1 if no way reaches the end."""
    size = last - first
    set_int(space.live, 0, REACHED)
    for at in range(1, size + 1):
        set_int(space.live, at, UNREACHED)
    arcs = 0
    for at in range(size):
        if int_at(space.live, at) == REACHED:
            words = tables.texts if at else tables.attached
            arcs = _words_at(tables, space, data, first, last, first + at, 0, words, arcs)
            if at == 0 and tables.separated >= 0:
                separated, words = tables.separated, tables.texts
                arcs = _words_at(tables, space, data, first, last, first, separated, words, arcs)
    if int_at(space.live, size) == UNREACHED:
        return -1
    set_int(space.live, size, LIVE)
    for arc in range(arcs - 1, -1, -1):
        if int_at(space.live, int_at(space.arc_end, arc)) == LIVE:
            set_int(space.live, int_at(space.arc_start, arc), LIVE)
    positions = 0
    for at in range(size + 1):
        if int_at(space.live, at) == LIVE:
            set_int(space.position, at, positions)
            set_int(space.arcs_into, positions, -1)
            for word in range(tables.width):
                set_bits(space.ahead, positions * tables.width + word, np.uint64(0))
            positions += 1
    _link(tables, space, arcs)
    return positions - 1


@part
def _words_at(
    tables: Tables,
    space: Space,
    data: NDArray[np.uint8],
    first: int,
    last: int,
    at: int,
    node: int,
    words: int,
    arcs: int,
) -> int:
    start = at - first
    while at < last:
        child = int_at(tables.base, node) + int(data[at])
        if int_at(tables.check, child) != node:
            break
        node = child
        at += 1
        word = int_at(tables.value, node)
        if 0 <= word < words:
            set_int(space.arc_start, arcs, start)
            set_int(space.arc_end, arcs, at - first)
            set_int(space.arc_word, arcs, word)
            set_int(space.live, at - first, REACHED)
            arcs += 1
    return arcs


@part
def _link(tables: Tables, space: Space, arcs: int) -> None:
    width = tables.width
    for arc in range(arcs):
        byte = int_at(space.arc_end, arc)
        if int_at(space.live, byte) == LIVE:
            start = int_at(space.position, int_at(space.arc_start, arc))
            end = int_at(space.position, byte)
            set_int(space.arc_start, arc, start)
            set_int(space.arc_next, arc, int_at(space.arcs_into, end))
            set_int(space.arcs_into, end, arc)
            heads = int_at(space.arc_word, arc) * width
            for word in range(width):
                before = bits_at(space.ahead, start * width + word)
                here = bits_at(tables.heads, heads + word)
                set_bits(space.ahead, start * width + word, before | here)
