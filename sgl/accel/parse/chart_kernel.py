"""The kernel: texts of one layer are read, each into a chart, in machine code.

A text is cut into words in every way that reaches its end: from every byte that is reached the trie finds the words
that stand there, with the separator before them, at the beginning also without.  Only what leads to the end of the text
matters, so arcs are gone through backwards before positions are numbered.  The chart goes through positions from
left to right; at each, what ends there is built from the later beginnings to the earlier, so that
every part is complete, with its count and its best derivation, when something is made of it::

    0 The 1 dog 2 saw 3 Emma 4       at 4:  from 3  NP           words, then productions of
                                            from 2  VP = V NP    one part, then what waited
                                            from 0  S = NP VP    at 3, at 2, at 0

A complete entry waits at its end in a list for each symbol that it can move over.  An entry is made
only if something that precedes asks for it and the next word can go on.  Counts beyond 64 bits stay
at their greatest value.  Algorithm: Graham, Harrison & Ruzzo (1980), with Viterbi's derivations.
"""

import numpy as np
from numpy.typing import NDArray

from sgl.accel.jit import kernel, part
from sgl.accel.machine import add, bits_at, has, int_at, lowest, meet, plus, real_at, set_bits, set_int, set_real, times
from sgl.accel.parse.tables import Space, Tables

#: What ``Space.used`` counts: entries of the chart, and those that wait.
ENTRIES, WAITING = 0, 1

#: What ended a run: all texts were read, or there was no room for entries or derivations.
DONE, ENTRIES_FULL, RULES_FULL = 0, 1, 2

#: What a chart has in place of the entry of the whole text.
_NONE, _FULL = -1, -2


@kernel
def read(
    tables: Tables,
    space: Space,
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    first: int,
    counts: NDArray[np.uint64],
    scores: NDArray[np.float64],
    rules: NDArray[np.int32],
    ends: NDArray[np.int64],
    derive: bool,
) -> tuple[int, int]:
    """Read texts from the one numbered ``first`` on: why it ended, and the next number.

    ``counts`` and ``scores`` receive the readings and the logarithm of the best probability; if ``derive``, its rules
    go to ``rules``, their ends to ``ends``, one place later.  ``tables`` and ``space`` are addresses.
    """
    for number in range(first, len(counts)):
        counts[number] = np.uint64(0)
        scores[number] = -np.inf
        ends[number + 1] = ends[number]
        last = _lattice(tables, space, data, offsets[number], offsets[number + 1])
        if last <= 0:
            continue
        root = _chart(tables, space, last)
        if root == _FULL:
            return ENTRIES_FULL, number
        if root == _NONE:
            continue
        counts[number] = bits_at(space.ways, root)
        scores[number] = real_at(space.score, root)
        if derive:
            end = _derivation(tables, space, root, rules, ends[number])
            if end < 0:
                return RULES_FULL, number
            ends[number + 1] = end
    return DONE, len(counts)


#: What is known of a byte: nothing, that words lead to it, that they lead on to the end.
UNREACHED, REACHED, LIVE = 0, 1, 2


@part
def _lattice(tables: Tables, space: Space, data: NDArray[np.uint8], first: int, last: int) -> int:
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


@part
def _chart(tables: Tables, space: Space, last: int) -> int:
    set_int(space.used, ENTRIES, 0)
    set_int(space.used, WAITING, 0)
    width = tables.width
    for word in range(width):
        set_bits(space.waited, word, np.uint64(0))
        corners = bits_at(tables.corners, tables.start * width + word)
        set_bits(space.asked, word, corners & bits_at(space.ahead, word))
    for position in range(last):
        set_int(space.reached, position, 0)
    for end in range(1, last + 1):
        if int_at(space.used, ENTRIES) + (last + 1) * tables.items > space.room:
            return _FULL
        for word in range(width):
            set_bits(space.waited, end * width + word, np.uint64(0))
        arc = int_at(space.arcs_into, end)
        for start in range(end - 1, -1, -1):
            while arc >= 0 and int_at(space.arc_start, arc) == start:
                word = int_at(space.arc_word, arc)
                _give(tables, space, word, start, end, -1, -1, 0.0, np.uint64(1))
                arc = int_at(space.arc_next, arc)
            if int_at(space.reached, start) == end:
                if int_at(space.used, WAITING) + tables.moves > space.room:
                    return _FULL
                _complete(tables, space, start, end)
                _move(tables, space, start, end)
        _ask(tables, space, end)
    if int_at(space.reached, 0) == last and has(space.cells, 0, tables.start):
        return int_at(space.entry_at, tables.start)
    return _NONE


@part
def _complete(tables: Tables, space: Space, start: int, end: int) -> None:
    """Apply productions of one part, which lead to higher numbers, to what is here; let it wait."""
    for word in range(tables.wide):
        done = np.uint64(0)
        while True:
            rest = bits_at(space.cells, start * tables.wide + word) & ~done
            if rest == np.uint64(0):
                break
            place = lowest(rest)
            done |= np.uint64(1) << np.uint64(place)
            item = word * 64 + place
            entry = int_at(space.entry_at, start * tables.items + item)
            if word < tables.width:
                score, ways = real_at(space.score, entry), bits_at(space.ways, entry)
                number = tables.texts + item
                _give(tables, space, number, start, end, entry, -1, score, ways)
            _wait(tables, space, item, entry, start, end)


@part
def _wait(tables: Tables, space: Space, item: int, entry: int, start: int, end: int) -> None:
    if not meet(tables.below, item, space.asked, start, tables.width):
        return
    for word in range(tables.width):
        here = end * tables.width + word
        rest = bits_at(tables.seconds, item * tables.width + word) & bits_at(space.ahead, here)
        while rest:
            symbol = word * 64 + lowest(rest)
            rest &= rest - np.uint64(1)
            waiting = int_at(space.used, WAITING)
            set_int(space.used, WAITING, waiting + 1)
            before = -1
            if has(space.waited, here - word, symbol):
                before = int_at(space.wait_first, end * tables.symbols + symbol)
            set_int(space.wait_entry, waiting, entry)
            set_int(space.wait_move, waiting, int_at(tables.move, item * tables.symbols + symbol))
            set_int(space.wait_next, waiting, before)
            set_int(space.wait_first, end * tables.symbols + symbol, waiting)
            add(space.waited, here - word, symbol)


@part
def _move(tables: Tables, space: Space, at: int, end: int) -> None:
    for word in range(tables.width):
        rest = bits_at(space.waited, at * tables.width + word)
        rest &= bits_at(space.cells, at * tables.wide + word)
        while rest:
            symbol = word * 64 + lowest(rest)
            rest &= rest - np.uint64(1)
            right = int_at(space.entry_at, at * tables.items + symbol)
            waiting = int_at(space.wait_first, at * tables.symbols + symbol)
            while waiting >= 0:
                left = int_at(space.wait_entry, waiting)
                move, start = int_at(space.wait_move, waiting), int_at(space.start, left)
                score = real_at(space.score, left) + real_at(space.score, right)
                ways = times(bits_at(space.ways, left), bits_at(space.ways, right))
                _give(tables, space, move, start, end, left, right, score, ways)
                waiting = int_at(space.wait_next, waiting)


@part
def _ask(tables: Tables, space: Space, end: int) -> None:
    """Note what is asked for at a position: what is waited for, and what that begins with."""
    width = tables.width
    here = end * width
    for word in range(width):
        set_bits(space.asked, here + word, np.uint64(0))
    for word in range(width):
        rest = bits_at(space.waited, here + word)
        while rest:
            row = (word * 64 + lowest(rest)) * width
            rest &= rest - np.uint64(1)
            for other in range(width):
                asked = bits_at(tables.corners, row + other) & bits_at(space.ahead, here + other)
                set_bits(space.asked, here + other, bits_at(space.asked, here + other) | asked)


@part
def _give(
    tables: Tables,
    space: Space,
    number: int,
    start: int,
    end: int,
    left: int,
    right: int,
    score: float,
    ways: np.uint64,
) -> None:
    """Enter the goals of a word, a symbol or a move, which is made of two entries (or -1).

    A goal that the chart has gets another derivation; a new one is entered if what precedes
    asks for it: for a symbol itself, for a beginning some symbol that it leads to.
    """
    asked = start * tables.width
    for goal in range(int_at(tables.goals, number), int_at(tables.goals, number + 1)):
        if int_at(space.reached, start) != end:
            set_int(space.reached, start, end)
            for word in range(tables.wide):
                set_bits(space.cells, start * tables.wide + word, np.uint64(0))
        item = int_at(tables.item, goal)
        total = score + real_at(tables.score, goal)
        count = times(ways, bits_at(tables.ways, goal))
        if has(space.cells, start * tables.wide, item):
            entry = int_at(space.entry_at, start * tables.items + item)
            set_bits(space.ways, entry, plus(bits_at(space.ways, entry), count))
            if total <= real_at(space.score, entry):
                continue
        else:
            if item < tables.width * 64:
                if not has(space.asked, asked, item):
                    continue
            elif not meet(tables.below, item, space.asked, start, tables.width):
                continue
            entry = int_at(space.used, ENTRIES)
            set_int(space.used, ENTRIES, entry + 1)
            add(space.cells, start * tables.wide, item)
            set_int(space.entry_at, start * tables.items + item, entry)
            set_int(space.start, entry, start)
            set_bits(space.ways, entry, count)
        set_real(space.score, entry, total)
        set_int(space.left, entry, left)
        set_int(space.right, entry, right)
        set_int(space.production, entry, int_at(tables.production, goal))


@part
def _derivation(tables: Tables, space: Space, root: int, rules: NDArray[np.int32], end: int) -> int:
    """Write the best derivation of an entry; where it ends, or -1 if there is no room.

    The stack holds entries, and unseen derivations as -1 minus their number.
    """
    set_int(space.stack, 0, root)
    size = 1
    while size:
        size -= 1
        top = int_at(space.stack, size)
        if top < 0:
            first, last = int_at(tables.unseen_first, -1 - top), int_at(tables.unseen_first, -top)
            if end + last - first > len(rules):
                return -1
            for place in range(first, last):
                rules[end] = int_at(tables.unseen, place)
                end += 1
            continue
        if end == len(rules):
            return -1
        production = int_at(space.production, top)
        rules[end] = int_at(tables.rule, production)
        end += 1
        first = int_at(tables.order_first, production)
        last = int_at(tables.order_first, production + 1)
        for child in range(last - 1, first - 1, -1):
            number = int_at(tables.order, child)
            if number >= 0:
                number = _part_of(space, top, number, int_at(tables.parts, production))
            set_int(space.stack, size, number)
            size += 1
    return end


@part
def _part_of(space: Space, entry: int, number: int, parts: int) -> int:
    """Return the entry of one part of a production, by its number.

    Entries go back over the last part to a beginning with one part less; the first two
    parts, or the only one, are what the shortest was made of.
    """
    for _ in range(parts - 1 - max(number, 1)):
        entry = int_at(space.left, entry)
    return int_at(space.left, entry) if number == 0 else int_at(space.right, entry)
