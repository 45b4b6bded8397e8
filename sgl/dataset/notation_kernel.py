"""Derivations as text from flat arrays, as ``sgl.dataset.notation`` writes them one by one.

An s-expression is the labels of the rules in preorder; a bracket closes when the last child
of its rule is written::

    rules     statement  clause  np  the  dog  ran
    open              1      2 1  3 2 1    ..   ..   children that are left: 0 closes
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sgl.accel.jit import kernel, part
from sgl.accel.text import put, put_number

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@part
def _closed(left: Ints, depth: int) -> int:
    """How many rules are open when one more child is complete."""
    while depth > 0:
        left[depth - 1] -= 1
        if left[depth - 1] > 0:
            break
        depth -= 1
    return depth


@kernel
def write_expressions(
    rules: Ints,
    offsets: Longs,
    arity: Ints,
    pool: Bytes,
    label: Longs,
    longest: int,
    left: Ints,
    data: Bytes,
    ends: Longs,
    item: int,
) -> int:
    """Write items from one on; the first for which there is no room.

    ``label`` are pieces of the pool by rule, an opening bracket before those of rules with
    children; ``left`` is a table as long as the longest derivation.
    """
    while item < len(offsets) - 1:
        at = ends[item]
        if at + (offsets[item + 1] - offsets[item]) * (longest + 2) > len(data):
            return item
        depth = 0
        for place in range(offsets[item], offsets[item + 1]):
            rule = rules[place]
            at = put(data, at, pool, label[rule])
            if arity[rule] > 0:
                left[depth] = arity[rule]
                depth += 1
            else:
                still_open = _closed(left, depth)
                for _ in range(depth - still_open):
                    data[at] = 41
                    at += 1
                depth = still_open
            data[at] = 32
            at += 1
        item += 1
        ends[item] = at - 1
    return item


@kernel
def measure_heights(rules: Ints, offsets: Longs, arity: Ints, left: Ints, heights: Ints) -> None:
    """The number of rules on the longest path of each derivation."""
    for item in range(len(offsets) - 1):
        depth = height = 0
        for place in range(offsets[item], offsets[item + 1]):
            height = max(height, depth + 1)
            if arity[rules[place]] > 0:
                left[depth] = arity[rules[place]]
                depth += 1
            else:
                depth = _closed(left, depth)
        heights[item] = height


@kernel
def count_labels(
    first_node: Longs, first_edge: Longs, edges: Ints, place: Ints, counts: NDArray[np.int64]
) -> None:
    """Count the labels of each graph; ``place[label]`` is its column in counts, or -1."""
    for item in range(len(first_node) - 1):
        for edge in range(first_edge[first_node[item]], first_edge[first_node[item + 1]]):
            column = place[edges[edge, 0]]
            if column >= 0:
                counts[item, column] += 1


@kernel
def write_counts(
    odd: Bytes,
    counts: NDArray[np.int64],
    pool: Bytes,
    names: Longs,
    longest: int,
    data: Bytes,
    ends: Longs,
    item: int,
) -> int:
    """Write rows of counts, each with its name before it; the first without room.

    An item that is ``odd`` is ``-1 - item``.
    """
    while item < len(counts):
        if odd[item]:
            return -1 - item
        at = ends[item]
        if at + len(names) * (longest + 20) > len(data):
            return item
        for column in range(len(names)):
            at = put(data, at, pool, names[column])
            at = put_number(data, at, counts[item, column])
        item += 1
        ends[item] = at
    return item
