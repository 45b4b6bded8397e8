"""The memory that the kernel works in, kept from text to text."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sgl.accel.machine import Bits, Ints, Reals
from sgl.accel.parse.tables import Tables

#: What ``Space.used`` counts: entries of the chart, and those that wait.
ENTRIES, WAITING = 0, 1


class Space(NamedTuple):
    """Arrays by what they are indexed with.

    By byte of the text, with one more for its end: ``live``, and ``position``, the number
    of the place in the lattice.  By arc of the lattice: ``arc_start``, ``arc_end``,
    ``arc_word``, and ``arc_next``, the next arc into the same position.

    By position: ``arcs_into``, the first arc that ends there; ``ahead``, the symbols that
    can begin there by the next word; ``asked``, those that are also asked for by what
    precedes; ``waited``, those that an entry waits for there, each with a list from
    ``wait_first``; ``reached``, the last position at which an entry that begins there
    ends; and of the entries between these two ``cells`` and ``entry_at``, by item.

    By entry: ``start``, ``left``, ``right``, ``production``, ``score`` and ``ways``.  By
    waiting entry: ``wait_entry``, ``wait_move``, ``wait_next``.  There is ``room`` for so
    many of both, of which ``used`` counts those in use.
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
