"""The edges of a graph that is being glued: with its nodes by number, dealt out to these.

While a graph is glued, its edges are between nodes that may still be merged.  At the end
each gets the numbers of the nodes in the graph, and is moved to the others of its source::

    7 -obj-> 5, 7 -nsubj-> 2, 5 -det-> 4        1 -obj-> 2, 1 -nsubj-> 0, 2 -det-> 3
    first_edge                                  0: 0   1: 0   2: 2   3: 3   4: 3
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sgl.accel.jit import part

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

# Columns of the table of nodes: union-find, attributes and word, number in the graph, the
# next node at the same position.
PARENT, ATTRIBUTE, WORD, RANK, BEHIND = range(5)

# Columns of the table of edges.
SOURCE, LABEL, TARGET = range(3)


@part
def find(nodes: Ints, node: int) -> int:
    """The node that a node has become a part of."""
    while nodes[node, PARENT] != node:
        nodes[node, PARENT] = nodes[nodes[node, PARENT], PARENT]
        node = nodes[node, PARENT]
    return node


@part
def resolve(low: int, high: int, count: int, nodes: Ints, edges: Ints, degree: Ints) -> None:
    """Give edges the numbers of the graph, -1 as source where an end has no word."""
    for k in range(count):
        degree[k] = 0
    for k in range(low, high):
        source = nodes[find(nodes, edges[k, SOURCE]), RANK]
        target = nodes[find(nodes, edges[k, TARGET]), RANK]
        if source >= 0 and target >= 0:
            degree[source] += 1
        else:
            source = -1
        edges[k, SOURCE] = source
        edges[k, TARGET] = target


@part
def _known(edges: Ints, begin: int, end: int, label: int, target: int) -> bool:
    """Whether an edge is among those written."""
    for k in range(begin, end):  # noqa: SIM110 -- kernels have no generators
        if edges[k, 0] == label and edges[k, 1] == target:
            return True
    return False


@part
def _insert(edges: Ints, begin: int, at: int, label: int, target: int) -> None:
    """Write an edge at the place where it belongs among those before an entry."""
    while at > begin and (
        edges[at - 1, 0] > label or (edges[at - 1, 0] == label and edges[at - 1, 1] > target)
    ):
        edges[at, 0] = edges[at - 1, 0]
        edges[at, 1] = edges[at - 1, 1]
        at -= 1
    edges[at, 0] = label
    edges[at, 1] = target


@part
def deal(
    low: int,
    high: int,
    count: int,
    free: bool,
    edges: Ints,
    degree: Ints,
    first_edge: Longs,
    written: Ints,
    to: int,
) -> None:
    """Write the edges node by node, equal ones once, for ``count`` nodes from one on."""
    first = at = first_edge[to]
    for node in range(count):
        begin = at
        at += degree[node]
        degree[node] = begin - first
    for k in range(low, high):
        source = edges[k, SOURCE]
        if source >= 0:
            written[first + degree[source], 0] = edges[k, LABEL]
            written[first + degree[source], 1] = edges[k, TARGET]
            degree[source] += 1
    read = end = first
    for node in range(count):
        begin = end
        while read < first + degree[node]:
            label = written[read, 0]
            target = written[read, 1]
            read += 1
            if not _known(written, begin, end, label, target):
                _insert(written, end if free else begin, end, label, target)
                end += 1
        first_edge[to + node + 1] = end
