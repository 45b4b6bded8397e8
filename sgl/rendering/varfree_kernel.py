"""Write variable-free forms from glued graphs, as ``sgl.rendering.varfree`` does.

The way down from the head is a stack of nodes with the edges that are left to be written::

    hope ( agent = Emma , ccomp = smile ( agent = girl        path: hope, smile
"""

from __future__ import annotations

from sgl.accel.jit import kernel, part
from sgl.accel.text import put
from sgl.rendering.meaning_kernel import (
    DEFINITE,
    DEGREE,
    DETERMINER,
    KIND,
    Bytes,
    Ints,
    Longs,
    understand,
)
from sgl.rendering.meaning_kernel import FIRST_OWN as ON_PATH
from sgl.rendering.meaning_kernel import SECOND_OWN as WRITTEN

#: Places of the fixed pieces.
STAR, OPEN, NEXT, CLOSE = range(4)
FIXED = ("* ", " ( ", " , ", " )")

#: What ``_unfold`` gives in place of an end.
_FORMLESS, _NO_ROOM = -1, -2


@part
def _next_edge(at: int, end: int, edges: Ints, table: Ints) -> int:
    """The first edge from one on that does not lead to a determiner."""
    while at < end and table[edges[at, 1], KIND] == DETERMINER:
        at += 1
    return at


@part
def _unfold(
    data: Bytes,
    at: int,
    pool: Bytes,
    fixed: Longs,
    lemma: Longs,
    label: Longs,
    longest: int,
    head: int,
    node: int,
    nodes: Ints,
    first_edge: Longs,
    edges: Ints,
    table: Ints,
    path: Longs,
    most_heads: int,
) -> int:
    """Write the term of a graph; its end, or why there is none."""
    depth = heads = 0
    here = head
    while True:
        heads += 1
        if heads > most_heads or depth >= len(path):
            return _FORMLESS
        if at + longest > len(data):
            return _NO_ROOM
        if table[here, DEFINITE]:
            at = put(data, at, pool, fixed[STAR])
        at = put(data, at, pool, lemma[nodes[node + here, 0]])
        table[here, WRITTEN] = 1
        before = fixed[NEXT]
        if table[here, DEGREE] > 0 and not table[here, ON_PATH]:
            table[here, ON_PATH] = 1
            path[depth, 0] = here
            path[depth, 1] = first_edge[node + here]
            depth += 1
            before = fixed[OPEN]
        here = -1
        while depth > 0 and here < 0:
            top = path[depth - 1, 0]
            end = first_edge[node + top + 1]
            edge = _next_edge(path[depth - 1, 1], end, edges, table)
            if edge == end:
                at = put(data, at, pool, fixed[CLOSE])
                table[top, ON_PATH] = 0
                depth -= 1
            else:
                at = put(data, at, pool, before)
                at = put(data, at, pool, label[edges[edge, 0]])
                path[depth - 1, 1] = edge + 1
                here = edges[edge, 1]
        if here < 0:
            return at


@part
def _all_written(count: int, table: Ints) -> bool:
    """Whether no word with meaning is left out."""
    for k in range(count):  # noqa: SIM110 -- kernels have no generators
        if table[k, KIND] > DETERMINER and not table[k, WRITTEN]:
            return False
    return True


@kernel
def write_varfree(
    odd: Bytes,
    head: Ints,
    first_node: Longs,
    nodes: Ints,
    first_edge: Longs,
    edges: Ints,
    pool: Bytes,
    kind: Bytes,
    definite: Bytes,
    is_open: Bytes,
    lemma: Longs,
    single: Longs,  # noqa: ARG001 -- as for ``write_cogs``
    label: Longs,
    fixed: Longs,
    longest: int,
    table: Ints,
    path: Longs,
    most_heads: int,
    data: Bytes,
    ends: Longs,
    item: int,
) -> int:
    """Write items from one on; the result is that of ``write_conllu``.

    ``path`` has as many rows as a term may have levels.
    """
    while item < len(odd):
        node = first_node[item]
        count = first_node[item + 1] - node
        if odd[item]:
            return -1 - item
        meaning = understand(
            head[item],
            node,
            count,
            nodes,
            first_edge,
            edges,
            kind,
            definite,
            is_open,
            label,
            table,
        )
        if meaning < 0:
            return -1 - item
        for k in range(count):
            table[k, ON_PATH] = table[k, WRITTEN] = 0
        at = _unfold(
            data,
            ends[item],
            pool,
            fixed,
            lemma,
            label,
            longest,
            head[item],
            node,
            nodes,
            first_edge,
            edges,
            table,
            path,
            most_heads,
        )
        if at == _NO_ROOM:
            return item
        if at == _FORMLESS or not _all_written(count, table):
            return -1 - item
        item += 1
        ends[item] = at
    return item
