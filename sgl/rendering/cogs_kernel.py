"""Write the logical forms of COGS from glued graphs, as ``sgl.rendering.cogs`` does.

A statement is four pieces and its positions::

    tray ( x _ |4| )        tray| . nmod . in ( x _ |4| , x _ |7| )
"""

from __future__ import annotations

from sgl.accel.jit import kernel, part
from sgl.accel.text import put, put_number
from sgl.rendering.meaning_kernel import (
    CONSTANT,
    DEFINITE,
    DEGREE,
    DETERMINER,
    EVENT,
    KIND,
    NO_FORM,
    NO_TEXT,
    NOUN,
    PROPERTY,
    Bytes,
    Ints,
    Longs,
    understand,
)

#: Places of the fixed pieces: what is between definite nouns, before and between other
#: atoms, before a variable and a constant as second argument, and at the end of an atom.
STAR, NEXT, AND, OPEN, VARIABLE, ARGUMENT, CLOSE = range(7)
FIXED = ("* ", " ; ", " AND ", " ( x _ ", " , x _ ", " , ", " )")


@part
def _conjunctive(node: int, count: int, nodes: Ints, table: Ints) -> bool:
    """Whether a conjunction of atoms keeps what the graph says."""
    taken = -1
    for k in range(count):
        kind = table[k, KIND]
        if kind == CONSTANT:
            if table[k, DEGREE] > 0:
                return False
        elif kind > DETERMINER:
            if nodes[node + k, 1] == taken or (kind == EVENT and table[k, DEGREE] == 0):
                return False
            taken = nodes[node + k, 1]
    return True


@part
def _statement(data: Bytes, at: int, pool: Bytes, fixed: Longs, lemma: int, position: int) -> int:
    at = put(data, at, pool, lemma)
    at = put(data, at, pool, fixed[OPEN])
    at = put_number(data, at, position)
    return put(data, at, pool, fixed[CLOSE])


@part
def _definite_nouns(
    data: Bytes,
    at: int,
    pool: Bytes,
    fixed: Longs,
    lemma: Longs,
    node: int,
    count: int,
    nodes: Ints,
    table: Ints,
) -> int:
    """The definite nouns; where they end."""
    start = at
    for k in range(count):
        if table[k, KIND] == NOUN and table[k, DEFINITE]:
            if at > start:
                at = put(data, at, pool, fixed[NEXT])
            at = put(data, at, pool, fixed[STAR])
            at = _statement(data, at, pool, fixed, lemma[nodes[node + k, 0]], nodes[node + k, 1])
    return at


@part
def _atoms(
    data: Bytes,
    at: int,
    pool: Bytes,
    fixed: Longs,
    lemma: Longs,
    label: Longs,
    node: int,
    k: int,
    nodes: Ints,
    first_edge: Longs,
    edges: Ints,
    table: Ints,
    before: int,
) -> int:
    """The atoms of one word, each with a piece before it, first ``before``."""
    position = nodes[node + k, 1]
    word = lemma[nodes[node + k, 0]]
    if (table[k, KIND] == NOUN and not table[k, DEFINITE]) or table[k, KIND] == PROPERTY:
        at = put(data, at, pool, before)
        at = _statement(data, at, pool, fixed, word, position)
        before = fixed[AND]
    for edge in range(first_edge[node + k], first_edge[node + k + 1]):
        target = edges[edge, 1]
        if table[target, KIND] == DETERMINER:
            continue
        at = put(data, at, pool, before)
        at = put(data, at, pool, word)
        at = put(data, at, pool, label[edges[edge, 0]])
        at = put_number(data, at, position)
        if table[target, KIND] == CONSTANT:
            at = put(data, at, pool, fixed[ARGUMENT])
            at = put(data, at, pool, lemma[nodes[node + target, 0]])
        else:
            at = put(data, at, pool, fixed[VARIABLE])
            at = put_number(data, at, nodes[node + target, 1])
        at = put(data, at, pool, fixed[CLOSE])
        before = fixed[AND]
    return at


@part
def _single(node: int, count: int, nodes: Ints, single: Longs, table: Ints) -> int:
    """The text of the only word that means something, by itself."""
    for k in range(count):
        if table[k, KIND] > DETERMINER:
            return int(single[nodes[node + k, 0]])
    return NO_TEXT


@kernel
def write_cogs(
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
    single: Longs,
    label: Longs,
    fixed: Longs,
    longest: int,
    table: Ints,
    data: Bytes,
    ends: Longs,
    item: int,
) -> int:
    """Write items from one on; the result is that of ``write_conllu``.

    ``single`` are the texts of words by themselves; ``longest`` is a bound for an atom.
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
        alone = _single(node, count, nodes, single, table) if meaning == 1 else NO_TEXT
        if (
            meaning < 0
            or alone == NO_FORM
            or (alone < 0 and not _conjunctive(node, count, nodes, table))
        ):
            return -1 - item
        at = start = ends[item]
        atoms = count + first_edge[node + count] - first_edge[node]
        if at + (atoms + 1) * longest > len(data):
            return item
        if alone >= 0:
            at = put(data, at, pool, alone)
        else:
            at = _definite_nouns(data, at, pool, fixed, lemma, node, count, nodes, table)
            before = fixed[NEXT] if at > start else 0
            for k in range(count):
                if table[k, KIND] > CONSTANT:
                    end = _atoms(
                        data,
                        at,
                        pool,
                        fixed,
                        lemma,
                        label,
                        node,
                        k,
                        nodes,
                        first_edge,
                        edges,
                        table,
                        before,
                    )
                    before = fixed[AND] if end > at else before
                    at = end
        item += 1
        ends[item] = at
    return item
