"""Read texts of one layer into charts, in machine code.

The chart goes through a text from its last byte to its first.  The words that begin at a byte are found by binary
search: those that attach to the text before, and others after a separator.  By then everything that begins further
right is complete.  So an entry grows over the entries that begin where it ends, shorter ones first, and every entry has
its final count before it is used::

    The| dog| saw| Emma        from " Emma"   NP
                               from " saw"    V, and over that NP  VP = V NP
                               from " dog"    N
                               from "The"     Det, over N  NP = Det N, over VP  S = NP VP

Counts are floating-point numbers, exact below 2⁵³.  Parts take ``long`` numbers, so that each is compiled only once.
"""

import numpy as np
from numpy.typing import NDArray

from sgl.accel.jit import kernel, part
from sgl.accel.machine import has, long, lowest
from sgl.accel.parse.tables import Space, Tables

#: Return values of a chart without an entry for the whole text.
_NONE, _FULL = -1, -2

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@kernel
def read(
    tables: Tables,
    space: Space,
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    done: int,
    counts: NDArray[np.float64],
    unread: NDArray[np.bool_],
    rules: NDArray[np.int32],
    ends: NDArray[np.int64],
) -> int:
    """Read texts from index ``done`` on and return how many are done, fewer than all if ``rules`` is full.

    ``counts`` receives the numbers of readings, ``unread`` marks texts with too large a chart.  If a text has one
    reading, its rules go to ``rules`` and their end to ``ends``, one place later.
    """
    for number in range(done, len(counts)):
        ends[number + 1] = ends[number]
        root = _chart(tables, space, data, offsets[number], offsets[number + 1])
        unread[number] |= root == _FULL
        if root < 0:
            continue
        counts[number] = space.ways[root]
        if space.ways[root] == 1:
            end = _derivation(tables, space, root, rules, ends[number])
            if end < 0:
                return number
            ends[number + 1] = end
    return len(counts)


@part
def _chart(tables: Tables, space: Space, data: NDArray[np.uint8], first: int, last: int) -> int:
    size = last - first
    space.used[0] = 0
    for end in range(size + 1):
        space.reached[end] = -1
    for start in range(size - 1, -1, -1):
        space.begin[start] = space.used[0]
        _words_at(tables, space, data, first, last, start, start, 0)
        after = _behind_join(tables, data, first, last, start)
        if after >= 0:
            _words_at(tables, space, data, first, last, start, after, 1)
        for end in range(start + 1, size + 1):
            if space.reached[end] == start:
                _complete(tables, space, start, end, size)
        if space.used[0] == len(space.ways) - 1:
            return _FULL
    if size > 0 and space.reached[size] == 0 and has(space.cells, size * tables.wide, tables.start):
        return long(space.entry_at[size * tables.items + tables.start])
    return _NONE


@part
def _behind_join(tables: Tables, data: NDArray[np.uint8], first: int, last: int, start: int) -> int:
    """Return the byte after the separator at ``start``, or -1; the first word has none."""
    size = len(tables.join) if start else 0
    if first + start + size > last:
        return -1
    for at in range(size):
        if data[first + start + at] != tables.join[at]:
            return -1
    return start + size


@part
def _words_at(
    tables: Tables, space: Space, data: NDArray[np.uint8], first: int, last: int, start: int, behind: int, apart: int
) -> None:
    """Enter the words at ``behind``, after the separator if they are ``apart``, or else attached to the text before."""
    low, high = long(tables.sorts[apart]), long(tables.sorts[apart + 1])
    for depth in range(last - first - behind):
        byte = long(data[first + behind + depth])
        low = _bound(tables, low, high, depth, byte)
        high = _bound(tables, low, high, depth, byte + 1)
        if low == high:
            break
        if tables.offsets[low + 1] - tables.offsets[low] == depth + 1:
            _give(tables, space, low, start, behind + depth + 1, -1, -1, 1.0)
            low += 1


@part
def _bound(tables: Tables, low: int, high: int, depth: int, byte: int) -> int:
    """Return the first word between ``low`` and ``high`` whose byte at ``depth`` is not lower; all words have one."""
    while low < high:
        middle = (low + high) >> 1
        if tables.words[tables.offsets[middle] + depth] < byte:
            low = middle + 1
        else:
            high = middle
    return low


@part
def _complete(tables: Tables, space: Space, start: int, end: int, size: int) -> None:
    """Build everything that begins with the entries from one byte to another.

    Productions with one part lead to higher numbers over the same span.
    """
    later = space.begin[end - 1] if end < size else 0
    for word in range(tables.wide):
        done = _ZERO
        while True:
            rest = space.cells[end * tables.wide + word] & ~done
            if rest == _ZERO:
                break
            place = lowest(rest)
            done |= _ONE << np.uint64(place)
            item = word * 64 + place
            entry = long(space.entry_at[end * tables.items + item])
            if item < tables.symbols:
                _give(tables, space, tables.texts + item, start, end, entry, -1, space.ways[entry])
            if tables.row[item] >= 0 and end < size:
                for right in range(space.begin[end], later):
                    _move(tables, space, start, entry, right)


@part
def _move(tables: Tables, space: Space, start: int, left: int, right: int) -> None:
    symbol = space.item[right]
    if symbol < tables.symbols:
        move = long(tables.move[tables.row[space.item[left]] + symbol])
        if move >= 0:
            end = long(space.end[right])
            _give(tables, space, move, start, end, left, right, space.ways[left] * space.ways[right])


@part
def _give(tables: Tables, space: Space, number: int, start: int, end: int, left: int, right: int, ways: float) -> None:
    """Enter the goals of a word, a symbol or a move; ``left`` and ``right`` are its entries, -1 where it has none.

    If a goal is already in the chart, add its derivations.  The last entry has no meaning: all entries beyond the
    available room share it.
    """
    if space.reached[end] != start:
        space.reached[end] = start
        for word in range(tables.wide):
            space.cells[end * tables.wide + word] = _ZERO
    for goal in range(tables.goals[number], tables.goals[number + 1]):
        item = long(tables.item[goal])
        place = end * tables.items + item
        count = ways * tables.ways[goal]
        if has(space.cells, end * tables.wide, item):
            space.ways[space.entry_at[place]] += count
            continue
        entry = space.used[0]
        space.used[0] = min(entry + 1, len(space.ways) - 1)
        space.cells[end * tables.wide + (item >> 6)] |= _ONE << np.uint64(item & 63)
        space.entry_at[place] = entry
        space.item[entry] = item
        space.end[entry] = end
        space.ways[entry] = count
        space.left[entry] = left
        space.right[entry] = right
        space.production[entry] = tables.production[goal]


@part
def _derivation(tables: Tables, space: Space, root: int, rules: NDArray[np.int32], end: int) -> int:
    """Write the only derivation of an entry; return where it ends, or -1 if there is no room.

    The stack holds entries, and unseen derivations as -1 minus their number.
    """
    space.stack[0] = root
    size = 1
    while size:
        size -= 1
        top = space.stack[size]
        first, last = 0, 1
        if top < 0:
            first, last = tables.unseen_first[-1 - top], tables.unseen_first[-top]
        if end + last - first > len(rules):
            return -1
        if top < 0:
            for place in range(first, last):
                rules[end] = tables.unseen[place]
                end += 1
            continue
        production = space.production[top]
        rules[end] = tables.rule[production]
        end += 1
        for child in range(tables.order_first[production + 1] - 1, tables.order_first[production] - 1, -1):
            number = tables.order[child]
            space.stack[size] = _part_of(space, top, number, tables.parts[production]) if number >= 0 else number
            size += 1
    return end


@part
def _part_of(space: Space, entry: int, number: int, parts: int) -> int:
    """Return the entry of one part of a production, by its number.

    An entry leads back over its last part to a beginning with one part fewer; the shortest beginning is made of the
    first two parts, or of the only one.
    """
    for _ in range(parts - 1 - max(number, 1)):
        entry = space.left[entry]
    return long(space.left[entry] if number == 0 else space.right[entry])
