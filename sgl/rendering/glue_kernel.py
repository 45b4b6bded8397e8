"""Glue the graphs of many derivations together, as ``sgl.core.gluing`` does for one.

A derivation is read twice.  From the back, when the children of a rule are known, nodes
are made and merged, and edges are noted; from the front, when the place of the parent is
known, each word gets its position::

    rules      clause  np  the  dog  slept
    back to front      widths 3  2  1  1  1      nodes 0 slept, 1 dog, 2 the
    front to back      starts 0  0  0  1  2      the 0, dog 1, slept 2

Edges are written from the middle of a table outwards: the edges of each rule in front of
those that are there, since inner rules come first, and last edges behind them.  So the
table is in the order of ``written`` when the first rule is reached.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sgl.accel.jit import kernel, part
from sgl.core.derivations import Derivations
from sgl.rendering.edge_kernel import (
    ATTRIBUTE,
    BEHIND,
    LABEL,
    PARENT,
    RANK,
    SOURCE,
    TARGET,
    WORD,
    Ints,
    Longs,
    deal,
    find,
    resolve,
)
from sgl.rendering.packed import Graphs, Limits, Programs

#: Texts of more words, which take children several times, are left to plain Python.
_MOST_WORDS = 1 << 30

# Columns of the table of phrases, which has a row for each rule of a derivation: the place
# behind its last rule, its number of words, whether one of them is not empty, the number of
# its first own word, the position of its first word (-1: left out), whether its first
# letter is raised.
_END, _WIDTH, _FULL, _OWN, _START, _CAPITAL = range(6)

# Columns of the table of words: the position, and at a position the first node.
_POSITION, _AT = range(2)


def glue_all(programs: Programs, limits: Limits, derivations: Derivations, *, free: bool) -> Graphs:
    """The graphs of all derivations; in a free layer edges are in the order of writing."""
    offsets = np.array(derivations.offsets, np.int64)
    longest = int(np.diff(offsets).max(initial=0))
    graphs = _room(limits, derivations, int(offsets[-1] - offsets[0]))
    _glue(
        *programs,
        np.ascontiguousarray(derivations.rules, np.int32),
        offsets,
        free,
        longest * limits.edges,
        np.zeros((longest + 1, 6), np.int32),
        np.zeros((longest + 1, max(limits.ports, 1)), np.int32),
        np.zeros(limits.children + 1, np.int32),
        np.zeros((longest * limits.nodes + 1, 5), np.int32),
        np.zeros(limits.nodes + 1, np.int32),
        np.zeros((longest * limits.words + 1, 2), np.int32),
        np.zeros((longest * (limits.edges + limits.last) + 1, 3), np.int32),
        np.zeros(longest * limits.nodes + 1, np.int32),
        graphs.odd,
        graphs.head,
        graphs.first_node,
        graphs.nodes,
        graphs.first_edge,
        graphs.edges,
        graphs.first_word,
        graphs.words,
    )
    return graphs


def _room(limits: Limits, derivations: Derivations, rules: int) -> Graphs:
    """Arrays that are large enough for the graphs of so many rules."""
    items, nodes = derivations.number, rules * limits.nodes
    return Graphs(
        derivations,
        odd=np.zeros(items, np.uint8),
        head=np.zeros(items, np.int32),
        first_node=np.zeros(items + 1, np.int64),
        nodes=np.empty((nodes, 2), np.int32),
        first_edge=np.zeros(nodes + 1, np.int64),
        edges=np.empty((rules * (limits.edges + limits.last), 2), np.int32),
        first_word=np.zeros(items + 1, np.int64),
        words=np.empty(rules * limits.words, np.int32),
    )


@part
def _children(phrases: Ints, child: Ints, place: int, arity: int) -> int:
    """Note the places of the children of a rule; the place behind the last."""
    at = place + 1
    for number in range(arity):
        child[number] = at
        at = phrases[at, _END]
    return at


@part
def _measure(code: Ints, at: int, items: int, place: int, phrases: Ints, child: Ints) -> None:
    """The width of a phrase, and whether it has a letter that could be raised."""
    width = 0
    full = 0
    for k in range(at, at + items):
        item = code[k]
        if item < 0:
            width += 1
            full |= item & 1
        else:
            width += phrases[child[item >> 1], _WIDTH]
            full |= phrases[child[item >> 1], _FULL]
    phrases[place, _WIDTH] = min(width, _MOST_WORDS)
    phrases[place, _FULL] = full


@part
def _glued(code: Ints, at: int, glued: int, ports: Ints, child: Ints, nodes: Ints) -> int:
    """The node that some ports of children are merged to, under the number of the first."""
    node = find(nodes, ports[child[code[at]], code[at + 1]])
    for k in range(at + 2, at + 2 * glued, 2):
        other = find(nodes, ports[child[code[k]], code[k + 1]])
        if other != node:
            nodes[other, PARENT] = node
            if nodes[node, ATTRIBUTE] < 0:
                nodes[node, ATTRIBUTE] = nodes[other, ATTRIBUTE]
                nodes[node, WORD] = nodes[other, WORD]
    return node


@part
def _make(
    code: Ints, at: int, own: int, made: int, ports: Ints, child: Ints, nodes: Ints, local: Ints
) -> tuple[int, int]:
    """Make the nodes of a rule in ``local``; where its program goes on, all nodes so far."""
    number = code[at]
    at += 1
    for k in range(number):
        attribute = code[at]
        token = code[at + 1]
        glued = code[at + 2]
        at += 3
        if glued > 0:
            node = _glued(code, at, glued, ports, child, nodes)
            at += 2 * glued
        else:
            node = made
            made += 1
            nodes[node, PARENT] = node
            nodes[node, ATTRIBUTE] = -1
            nodes[node, WORD] = -1
        if attribute >= 0:
            nodes[node, ATTRIBUTE] = attribute
            if token >= 0:
                nodes[node, WORD] = own + token
        local[k] = node
    return at, made


@part
def _note(code: Ints, at: int, number: int, edges: Ints, to: int, local: Ints) -> None:
    """Note the edges of a rule, from a row of the table on."""
    for k in range(number):
        edges[to + k, SOURCE] = local[code[at]]
        edges[to + k, LABEL] = code[at + 1]
        edges[to + k, TARGET] = local[code[at + 2]]
        at += 3


@part
def _build(
    code: Ints,
    start: Ints,
    rules: Ints,
    first: int,
    length: int,
    middle: int,
    phrases: Ints,
    ports: Ints,
    child: Ints,
    nodes: Ints,
    local: Ints,
    edges: Ints,
) -> tuple[int, int, int, int]:
    """Read a derivation from the back: words, nodes, and the range of its edges."""
    words = made = 0
    low = high = middle
    for place in range(length - 1, -1, -1):
        at = start[rules[first + place]]
        items = code[at + 3]
        phrases[place, _END] = _children(phrases, child, place, code[at])
        phrases[place, _OWN] = words
        _measure(code, at + 4, items, place, phrases, child)
        own = words
        words += code[at + 2]
        at, made = _make(code, at + 4 + items, own, made, ports, child, nodes, local)
        plain = code[at]
        low -= plain
        _note(code, at + 1, plain, edges, low, local)
        at += 1 + 3 * plain
        last = code[at]
        _note(code, at + 1, last, edges, high, local)
        high += last
        at += 1 + 3 * last
        for k in range(code[at]):
            ports[place, k] = local[code[at + 1 + k]]
    return words, made, low, high


@part
def _leave_out(phrases: Ints, child: Ints, arity: int, table: Ints, own: int, end: int) -> None:
    """Mark all children of a rule, and its own words, as left out."""
    for k in range(arity):
        phrases[child[k], _START] = -1
    for k in range(own, end):
        table[k, _POSITION] = -1


@part
def _place(
    code: Ints,
    start: Ints,
    rules: Ints,
    first: int,
    length: int,
    phrases: Ints,
    child: Ints,
    table: Ints,
    words: Ints,
    to: int,
) -> None:
    """Read a derivation from the front: its words, from an entry on, and their positions."""
    phrases[0, _START] = 0
    phrases[0, _CAPITAL] = 0
    for place in range(length):
        at = start[rules[first + place]]
        _children(phrases, child, place, code[at])
        position = phrases[place, _START]
        own = phrases[place, _OWN]
        if position < 0 or code[at + 1]:
            _leave_out(phrases, child, code[at], table, own, own + code[at + 2])
        if position < 0:
            continue
        capital = phrases[place, _CAPITAL]
        for k in range(at + 4, at + 4 + code[at + 3]):
            item = code[k]
            if item < 0:
                full = item & 1
                table[own, _POSITION] = position
                words[to + position] = ((-1 - item) & -2) | (capital & full)
                own += 1
                position += 1
            else:
                below = child[item >> 1]
                full = phrases[below, _FULL]
                phrases[below, _START] = position
                phrases[below, _CAPITAL] = (item & 1) | capital
                position += phrases[below, _WIDTH]
            capital &= 1 - full


@part
def _order(size: int, made: int, nodes: Ints, table: Ints, written: Ints, to: int) -> int:
    """Put the nodes that have words in the order of these; how many there are."""
    for k in range(size):
        table[k, _AT] = -1
    for node in range(made - 1, -1, -1):
        nodes[node, RANK] = -1
        word = nodes[node, WORD]
        if nodes[node, PARENT] == node and word >= 0:
            position = table[word, _POSITION]
            if position >= 0:
                nodes[node, BEHIND] = table[position, _AT]
                table[position, _AT] = node
    count = 0
    for k in range(size):
        node = table[k, _AT]
        while node >= 0:
            nodes[node, RANK] = count
            written[to + count, 0] = nodes[node, ATTRIBUTE]
            written[to + count, 1] = k
            count += 1
            node = nodes[node, BEHIND]
    return count


@kernel
def _glue(
    code: Ints,
    start: Ints,
    rules: Ints,
    offsets: Longs,
    free: bool,
    middle: int,
    phrases: Ints,
    ports: Ints,
    child: Ints,
    nodes: Ints,
    local: Ints,
    table: Ints,
    edges: Ints,
    degree: Ints,
    odd: NDArray[np.uint8],
    head: Ints,
    first_node: Longs,
    all_nodes: Ints,
    first_edge: Longs,
    all_edges: Ints,
    first_word: Longs,
    all_words: Ints,
) -> None:
    """Glue all derivations; the arrays from ``odd`` on are those of ``Graphs``."""
    node = word = 0
    for item in range(len(offsets) - 1):
        first = offsets[item]
        length = offsets[item + 1] - first
        words, made, low, high = _build(
            code, start, rules, first, length, middle, phrases, ports, child, nodes, local, edges
        )
        size = phrases[0, _WIDTH]
        odd[item] = size > words
        if size <= words:
            _place(code, start, rules, first, length, phrases, child, table, all_words, word)
            count = _order(size, made, nodes, table, all_nodes, node)
            resolve(low, high, count, nodes, edges, degree)
            deal(low, high, count, free, edges, degree, first_edge, all_edges, node)
            head[item] = nodes[find(nodes, ports[0, 0]), RANK]
            odd[item] = head[item] < 0
            word += size
            node += count
        first_node[item + 1] = node
        first_word[item + 1] = word
