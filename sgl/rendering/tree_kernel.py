"""Find the basic tree of a dependency graph, as ``sgl.rendering.conllu`` does.

An edge into a word is one number, so that numbers are in the order of edges: without ``~``
before with, then by governor, then by the spelling of the label::

    4 -nsubj-> 3        0 | 4 | rank of nsubj
    5 -~nsubj-> 3       1 | 5 | rank of nsubj

A basic edge is followed to its governor and on, until a word is met about which it is
known whether the tree reaches it.  Where fronted words are left, the first of them that
has a governor in the tree is attached, and the words below it are tried again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sgl.accel.jit import part

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

#: In an arc: the bit of ``~``, and where the governor begins.
MARK = 1 << 60
GOVERNOR = 24

#: Rank of a label.
RANK = (1 << GOVERNOR) - 1

_UNKNOWN, _ON_THE_WAY, _BLOCKED, _REACHED = range(4)


@part
def incoming(
    node: int,
    size: int,
    head: int,
    root: int,
    first_edge: Longs,
    edges: Ints,
    arc_of: Longs,
    first: Ints,
    arcs: Longs,
) -> bool:
    """Sort the edges into each word: ``arcs[first[k]:first[k + 1]]``; False for no form.

    The words are the nodes from ``node`` on; ``arc_of`` has the arc of each label, with
    governor 0, and -1 for a label that cannot be written.
    """
    for k in range(size + 1):
        first[k] = 0
    first[head + 1] = 1
    for edge in range(first_edge[node], first_edge[node + size]):
        first[edges[edge, 1] + 1] += 1
    for k in range(size):
        first[k + 1] += first[k]
    # From here to the end first[k + 1] is where the next arc into k goes.
    for k in range(size, 0, -1):
        first[k] = first[k - 1]
    arcs[first[head + 1]] = root
    first[head + 1] += 1
    for k in range(size):
        for edge in range(first_edge[node + k], first_edge[node + k + 1]):
            target = edges[edge, 1]
            arc = arc_of[edges[edge, 0]]
            if arc < 0 or target == k:
                return False
            arcs[first[target + 1]] = arc | (k + 1) << GOVERNOR
            first[target + 1] += 1
    for k in range(size):
        sort(arcs, first[k], first[k + 1])
    return True


@part
def sort(arcs: Longs, begin: int, end: int) -> None:
    """Sort the few arcs from one to another."""
    for one in range(begin + 1, end):
        arc = arcs[one]
        place = one
        while place > begin and arcs[place - 1] > arc:
            arcs[place] = arcs[place - 1]
            place -= 1
        arcs[place] = arc


@part
def proper(size: int, first: Ints, arcs: Longs, basic: Ints) -> bool:
    """Whether each word has one place in the basic tree; ``basic`` is the arc to it."""
    for k in range(size):
        begin = first[k]
        end = first[k + 1]
        if begin == end or (end > begin + 1 and arcs[begin + 1] < MARK):
            return False
        for one in range(begin, end):
            for other in range(begin, one):
                if arcs[one] & ~MARK == arcs[other] & ~MARK:
                    return False
        basic[k] = begin
    return True


@part
def make_tree(
    size: int, first: Ints, arcs: Longs, basic: Ints, reached: Ints, fronted: Ints
) -> bool:
    """Let ``basic`` of fronted words be the arc by which they join the tree.

    ``fronted`` and ``reached`` are tables for this; False if a word stays outside.
    """
    waiting = 0
    for k in range(size):
        reached[k] = _UNKNOWN
        if arcs[basic[k]] >= MARK:
            reached[k] = _BLOCKED
            fronted[waiting] = k
            waiting += 1
    while _follow(size, arcs, basic, reached) > 0:
        if not _attach(waiting, first, arcs, basic, reached, fronted):
            return False
        for k in range(size):
            if reached[k] == _BLOCKED and arcs[basic[k]] < MARK:
                reached[k] = _UNKNOWN
    return True


@part
def _follow(size: int, arcs: Longs, basic: Ints, reached: Ints) -> int:
    """Find out of each unknown word whether the tree reaches it; how many it does not."""
    outside = 0
    for k in range(size):
        end = k
        while reached[end] == _UNKNOWN:
            reached[end] = _ON_THE_WAY
            governor = (arcs[basic[end]] & (MARK - 1)) >> GOVERNOR
            if governor == 0:
                reached[end] = _REACHED
            else:
                end = governor - 1
        # A circle is entered again on the way, and nothing reaches it.
        state = _REACHED if reached[end] == _REACHED else _BLOCKED
        at = k
        while reached[at] == _ON_THE_WAY:
            reached[at] = state
            at = ((arcs[basic[at]] & (MARK - 1)) >> GOVERNOR) - 1
        outside += reached[k] != _REACHED
    return outside


@part
def _attach(
    waiting: int, first: Ints, arcs: Longs, basic: Ints, reached: Ints, fronted: Ints
) -> bool:
    """Attach the first fronted word that has a governor in the tree."""
    for number in range(waiting):
        k = fronted[number]
        if reached[k] == _BLOCKED:
            for at in range(first[k], first[k + 1]):
                governor = (arcs[at] & (MARK - 1)) >> GOVERNOR
                if reached[governor - 1] == _REACHED:
                    basic[k] = at
                    reached[k] = _REACHED
                    return True
    return False
