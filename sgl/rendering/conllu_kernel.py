"""Write CoNLL-U from glued graphs, byte for byte as ``sgl.rendering.conllu`` does.

Everything that does not depend on the sentence is a piece of a pool: a word, its columns
LEMMA to FEATS, its part of MISC, a label, the beginnings of comments.  A line is such
pieces with the numbers of governors between them::

    3 | she | she PRON _ Case=Nom,Person=3 | 4 | nsubj | 4 : nsubj | _
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.accel.jit import kernel, part
from sgl.accel.text import copy, put, put_item_number, put_number
from sgl.rendering.tree_kernel import (
    GOVERNOR,
    MARK,
    RANK,
    Ints,
    Longs,
    incoming,
    make_tree,
    proper,
    sort,
)

Bytes = NDArray[np.uint8]

#: Bits of ``Pieces.kind``.
WRITABLE, ATTACHED = 1, 2

#: Places in ``Pieces.fixed``.
SENT_ID, CATEGORY, EXTRACTED, NO_SPACE, FIXED = range(5)


class Pieces(NamedTuple):
    """What the lines are made of.

    ``word`` and ``kind`` are by word and capital, ``columns`` (-1 if they cannot be
    written) and ``misc`` by attributes, the last of them those of a node without any;
    ``arc_of`` is by label, ``label`` by the rank in an arc.  ``fixed`` are single pieces,
    followed by the beginnings of the comments with texts.  ``longest`` is at least the
    length of a line with one edge, and more than that of a further edge.
    """

    pool: Bytes
    word: Longs
    kind: Bytes
    columns: Longs
    misc: Longs
    arc_of: Longs
    label: Longs
    fixed: Longs
    longest: int
    root: int
    spaced: bool


@part
def _breaking(data: Bytes, at: int) -> bool:
    """Whether a character is white space other than the space between words."""
    one, two, three = int(data[at]), int(data[at + 1]), int(data[at + 2])
    if one < 0x20:
        return 9 <= one <= 13 or one >= 28
    if one == 0xC2:
        return two in (0x85, 0xA0)
    if one == 0xE2:
        general = three <= 0x8A or three in (0xA8, 0xA9, 0xAF)
        return (two == 0x80 and general) or (two == 0x81 and three == 0x9F)
    return (one == 0xE1 and two == 0x9A and three == 0x80) or (
        one == 0xE3 and two == 0x80 and three == 0x80
    )


@part
def _one_line(data: Bytes, start: int, end: int) -> bool:
    """Whether a text has no white space but spaces."""
    for at in range(start, end):
        byte = data[at]
        if (byte < 0x20 or 0xC2 <= byte <= 0xE3) and _breaking(data, at):
            return False
    return True


@part
def _words_fit(
    word: int, size: int, words: Ints, kind: Bytes, pieces: Longs, spaced: bool, length: int
) -> bool:
    """Whether all words can be written, and with their spaces are as long as the text."""
    for k in range(word, word + size):
        form = words[k]
        if not kind[form] & WRITABLE:
            return False
        length -= pieces[form] >> 32
        if spaced and k > word and not kind[form] & ATTACHED:
            length -= 1
    return length == 0


@part
def _each_has_a_node(node: int, count: int, size: int, nodes: Ints, columns: Longs) -> bool:
    """Whether the nodes are those of the words, one by one, with columns."""
    if count != size or size == 0:
        return False
    for k in range(size):
        if nodes[node + k, 1] != k or columns[nodes[node + k, 0]] < 0:
            return False
    return True


@part
def _comments(
    data: Bytes,
    at: int,
    item: int,
    number: int,
    pool: Bytes,
    fixed: Longs,
    texts: Bytes,
    offsets: NDArray[np.int64],
) -> int:
    """The comments of an item; its end, or -1 if a text is not one line."""
    at = put(data, at, pool, fixed[SENT_ID])
    at = put_item_number(data, at, number)
    at = put(data, at, pool, fixed[CATEGORY])
    for text in range(len(offsets)):
        start = offsets[text, item]
        end = offsets[text, item + 1]
        if not _one_line(texts, start, end):
            return -1
        at = put(data, at, pool, fixed[FIXED + text])
        at = copy(data, at, texts, start, end - start)
        data[at] = 10
        at += 1
    return at


@part
def _edge_columns(
    data: Bytes,
    at: int,
    begin: int,
    end: int,
    basic: int,
    arcs: Longs,
    pool: Bytes,
    label: Longs,
) -> int:
    """Columns HEAD, DEPREL and DEPS with the tabs behind them; sorts the arcs anew."""
    arc = arcs[basic] & (MARK - 1)
    at = put_number(data, at, arc >> GOVERNOR)
    data[at] = 9
    at = put(data, at + 1, pool, label[arc & RANK])
    data[at] = 9
    for one in range(begin, end):
        arcs[one] &= MARK - 1
    sort(arcs, begin, end)
    for one in range(begin, end):
        if one > begin:
            data[at] = 124
        at = put_number(data, at + 1, arcs[one] >> GOVERNOR)
        data[at] = 58
        at = put(data, at + 1, pool, label[arcs[one] & RANK])
    data[at] = 9
    return at + 1


@part
def _misc(
    data: Bytes, at: int, piece: int, extracted: bool, space: bool, pool: Bytes, fixed: Longs
) -> int:
    """Column MISC and the end of the line."""
    start = at
    at = put(data, at, pool, piece)
    if extracted:
        if at > start:
            data[at] = 124
            at += 1
        at = put(data, at, pool, fixed[EXTRACTED])
    if not space:
        if at > start:
            data[at] = 124
            at += 1
        at = put(data, at, pool, fixed[NO_SPACE])
    if at == start:
        data[at] = 95
        at += 1
    data[at] = 10
    return at + 1


@part
def _room(
    item: int, size: int, arcs: int, fixed: Longs, offsets: NDArray[np.int64], longest: int
) -> int:
    """An upper bound of the bytes of an item."""
    room = 64 + (size + arcs) * longest
    for piece in range(len(fixed)):
        room += fixed[piece] >> 32
    for text in range(len(offsets)):
        room += offsets[text, item + 1] - offsets[text, item] + 1
    return room


@kernel
def write_conllu(
    odd: Bytes,
    head: Ints,
    first_node: Longs,
    nodes: Ints,
    first_edge: Longs,
    edges: Ints,
    first_word: Longs,
    words: Ints,
    pool: Bytes,
    word: Longs,
    kind: Bytes,
    columns: Longs,
    misc: Longs,
    arc_of: Longs,
    label: Longs,
    fixed: Longs,
    longest: int,
    root: int,
    spaced: bool,
    texts: Bytes,
    offsets: NDArray[np.int64],
    arcs: Longs,
    tables: Ints,
    number: int,
    data: Bytes,
    ends: Longs,
    item: int,
) -> int:
    """Write items from one on; the number of the first that is not written.

    The arguments are ``Graphs``, ``Pieces``, the texts of all comments in one buffer with
    their offsets, tables for the arcs and the four of ``make_tree`` of one sentence, and
    the number of the first item.  An item that has no form, or is odd, is ``-1 - item``;
    one for which there is no room in ``data`` is ``item``.
    """
    first, basic, reached, fronted = tables[0], tables[1], tables[2], tables[3]
    while item < len(odd):
        node = first_node[item]
        start = first_word[item]
        size = first_word[item + 1] - start
        length = offsets[0, item + 1] - offsets[0, item]
        if (
            odd[item]
            or not _each_has_a_node(node, first_node[item + 1] - node, size, nodes, columns)
            or not _words_fit(start, size, words, kind, word, spaced, length)
            or not incoming(node, size, head[item], root, first_edge, edges, arc_of, first, arcs)
            or not proper(size, first, arcs, basic)
            or not make_tree(size, first, arcs, basic, reached, fronted)
        ):
            return -1 - item
        at = ends[item]
        if at + _room(item, size, first[size], fixed, offsets, longest) > len(data):
            return item
        at = _comments(data, at, item, number + item, pool, fixed, texts, offsets)
        if at < 0:
            return -1 - item
        for k in range(size):
            at = put_number(data, at, k + 1)
            data[at] = 9
            at = put(data, at + 1, pool, word[words[start + k]])
            data[at] = 9
            at = put(data, at + 1, pool, columns[nodes[node + k, 0]])
            data[at] = 9
            extracted = arcs[basic[k]] >= MARK
            at = _edge_columns(data, at + 1, first[k], first[k + 1], basic[k], arcs, pool, label)
            space = k + 1 == size or (spaced and not kind[words[start + k + 1]] & ATTACHED)
            at = _misc(data, at, misc[nodes[node + k, 0]], extracted, space, pool, fixed)
        data[at] = 10
        item += 1
        ends[item] = at + 1
    return item
