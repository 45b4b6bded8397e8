"""Labelled trees in flat arrays, and the atoms and compounds that they have.

Derivations and dependency trees look alike here.  Nodes stand in any order in which parents
can be named by their number; an edge has a label, the relation or the place of a child::

    (np the dog)           label   np  the  dog        atoms      np  the  dog
                           parent  -1   0    0         compounds  np -0-> the
                           edge     0   0    1                    np -1-> dog

A compound is a connected piece of a tree with at least two nodes.  Pieces of two nodes are
edges, and counted by sorting numbers; larger ones are the business of ``pieces``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.research.divergence.elements import Occurrences, counted


class Trees(NamedTuple):
    """Tree ``i`` has the nodes from ``start[i]`` to ``start[i + 1]``.

    ``parent`` is the number of a node among all nodes, -1 for a root; the labels of nodes
    and edges are numbers of ``labels`` and ``relations``.
    """

    labels: Sequence[str]
    relations: Sequence[str]
    start: NDArray[np.int64]
    label: NDArray[np.int64]
    parent: NDArray[np.int64]
    edge: NDArray[np.int64]

    @property
    def number(self) -> int:
        """How many trees there are."""
        return len(self.start) - 1

    @property
    def items(self) -> NDArray[np.int64]:
        """The tree of each node."""
        return np.repeat(np.arange(self.number), np.diff(self.start))


def node_atoms(trees: Trees) -> Occurrences:
    """The labels of nodes."""
    return counted(trees.labels, trees.number, trees.items, trees.label)


def node_and_edge_atoms(trees: Trees) -> Occurrences:
    """The labels of nodes and of edges, which are different atoms though they look alike."""
    inner = trees.parent >= 0
    names = [*trees.labels, *(f"-{relation}->" for relation in trees.relations)]
    item = np.concatenate((trees.items, trees.items[inner]))
    kind = np.concatenate((trees.label, trees.edge[inner] + len(trees.labels)))
    return counted(names, trees.number, item, kind)


def edge_compounds(trees: Trees) -> Occurrences:
    """The edges with the labels at both ends: the pieces of two nodes."""
    inner = np.flatnonzero(trees.parent >= 0)
    labels, relations = len(trees.labels), len(trees.relations)
    above = trees.label[trees.parent[inner]]
    keys = (above * relations + trees.edge[inner]) * labels + trees.label[inner]
    kinds, kind = np.unique(keys, return_inverse=True)
    names = []
    for key in kinds.tolist():
        rest, below = divmod(key, labels)
        head, edge = divmod(rest, relations)
        names.append(edge_name(trees.labels[head], trees.relations[edge], trees.labels[below]))
    return counted(names, trees.number, trees.items[inner], kind)


def edge_name(head: str, relation: str, dependent: str) -> str:
    """An edge as text."""
    return f"{head} -{relation}-> {dependent}"
