"""Check glued semantic graphs and lay them out for views, as ``sgl.rendering.meaning`` does.

What the attributes of a node say is found out beforehand, once for all nodes that have
them: whether they are those of a noun, a name, an event, or of none of these.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sgl.accel.jit import part

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

#: Kinds of nodes: a function word, a determiner, a name or wh-word, and three that have
#: variables; ``WRONG`` is a node that cannot be written.
NOTHING, DETERMINER, CONSTANT, NOUN, PROPERTY, EVENT, WRONG = range(7)

# Columns of the table of nodes of a sentence: the kind, whether it is definite, its number
# of edges; a view may use two more.
KIND, DEFINITE, DEGREE, FIRST_OWN, SECOND_OWN, COLUMNS = range(6)


#: In place of a piece: there is none; there is none and the word by itself has no form.
NO_TEXT, NO_FORM = -1, -2


@part
def understand(
    head: int,
    node: int,
    count: int,
    nodes: Ints,
    first_edge: Longs,
    edges: Ints,
    kind: Bytes,
    definite: Bytes,
    is_open: Bytes,
    label: Longs,
    table: Ints,
) -> int:
    """Fill the table of nodes; how many nodes mean something, or -1 if one is wrong.

    ``kind`` to ``is_open`` are by the number of attributes, the last for a node without
    any; ``label`` are pieces of a pool.
    """
    meaning = opened = 0
    for k in range(count):
        attributes = nodes[node + k, 0]
        table[k, KIND] = kind[attributes]
        table[k, DEFINITE] = kind[attributes] == NOUN and definite[attributes]
        table[k, DEGREE] = 0
        meaning += kind[attributes] > DETERMINER
        opened += kind[attributes] > DETERMINER and is_open[attributes]
        if kind[attributes] == WRONG:
            return -1
    for k in range(count):
        for edge in range(first_edge[node + k], first_edge[node + k + 1]):
            target = edges[edge, 1]
            if table[target, KIND] == DETERMINER and table[k, KIND] == NOUN:
                table[k, DEFINITE] = definite[nodes[node + target, 0]]
            elif not _leads(table[k, KIND], table[target, KIND], label[edges[edge, 0]]):
                return -1
            else:
                table[k, DEGREE] += 1
    if table[head, KIND] <= DETERMINER or (opened > 0 and meaning > 1):
        return -1
    return meaning


@part
def _leads(source: int, target: int, label: int) -> bool:
    """Whether an edge leads from and to a word with meaning, and can be written."""
    return source > DETERMINER and target > DETERMINER and label >= 0
