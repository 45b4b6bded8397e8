r"""Labelled trees in flat arrays, where they come from, and the atoms and edges that they have.

Derivations and dependency trees look alike here.  Nodes stand in any order in which parents
can be named by their number; an edge has a label, the relation or the place of a child::

    (np the dog)           label   np  the  dog        atoms      np  the  dog
                           parent  -1   0    0         compounds  np -0-> the
                           edge     0   0    1                    np -1-> dog

In the Parquet files of a dataset a derivation is an s-expression; each rule is a node, and
the edge to a child is labelled with its place.  A label is anything without spaces and
parentheses; parts in quotes may have them (``modified:"NP[num=sg, anim=yes]"``), with ``\``
before quotes of their own.  In a dependency tree a node is a lemma, an edge a relation.

A compound is a connected piece of a tree with at least two nodes.  Pieces of two nodes are
edges, and counted by sorting numbers; :mod:`sgl.research.divergence.pieces` has larger ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.research.divergence.elements import Occurrences, count_pairs
from sgl.research.treebank import TreebankSentence

_SYMBOL = re.compile(r'[()]|(?:[^\s()"]|"(?:[^"\\]|\\.)*")+|\S')


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


class _TreeList:
    """Trees while they are read, node by node."""

    def __init__(self) -> None:
        self._labels: dict[str, int] = {}
        self._relations: dict[str, int] = {}
        #: Where each tree begins; whoever reads one adds its end.
        self.start = [0]
        self.nodes: list[tuple[int, int, int]] = []

    def add(self, label: str, parent: int, relation: str) -> None:
        """Add a node; its parent is the number of a node, -1 for none."""
        number = self._labels.setdefault(label, len(self._labels))
        edge = self._relations.setdefault(relation, len(self._relations))
        self.nodes.append((number, parent, edge))

    def trees(self) -> Trees:
        """Return the trees in arrays."""
        label, parent, edge = np.array(self.nodes, np.int64).reshape(-1, 3).T.copy()
        start = np.array(self.start, np.int64)
        return Trees(list(self._labels), list(self._relations), start, label, parent, edge)


class NotADerivationError(ValueError):
    """A text is no s-expression; ``row`` is its number, from 0."""

    def __init__(self, row: int) -> None:
        super().__init__(f"row {row + 1} has no derivation")
        self.row = row


def read_derivations(texts: Iterable[str]) -> Trees:
    """Return the trees of s-expressions.

    Raises:
        NotADerivationError: a text is not one s-expression.
    """
    found = _TreeList()
    for row, text in enumerate(texts):
        # The open phrases, as [node, children so far]; -1 stands above the root.
        above = [[-1, 0]]
        opening = False
        for symbol in _SYMBOL.findall(text):
            if symbol == ")":
                if opening or len(above) == 1:
                    raise NotADerivationError(row)
                above.pop()
            elif symbol == "(":
                if opening:
                    raise NotADerivationError(row)
                opening = True
            else:
                parent, place = above[-1]
                above[-1][1] += 1
                if opening:
                    above.append([len(found.nodes), 0])
                    opening = False
                found.add(symbol, parent, str(place))
        if opening or len(above) != 1 or above[0][1] != 1:
            raise NotADerivationError(row)
        found.start.append(len(found.nodes))
    return found.trees()


def dependency_trees(sentences: Iterable[TreebankSentence]) -> Trees:
    """Return the basic trees of sentences."""
    found = _TreeList()
    for sentence in sentences:
        before = len(found.nodes)
        for word in sentence.words:
            found.add(word.lemma, before + word.head - 1 if word.head else -1, word.deprel)
        found.start.append(len(found.nodes))
    return found.trees()


def node_atoms(trees: Trees) -> Occurrences:
    """Return the labels of nodes."""
    return count_pairs(trees.labels, trees.number, trees.items, trees.label)


def node_and_edge_atoms(trees: Trees) -> Occurrences:
    """Return the labels of nodes and of edges, which are different atoms if they look alike."""
    inner = trees.parent >= 0
    names = [*trees.labels, *(f"-{relation}->" for relation in trees.relations)]
    item = np.concatenate((trees.items, trees.items[inner]))
    kind = np.concatenate((trees.label, trees.edge[inner] + len(trees.labels)))
    return count_pairs(names, trees.number, item, kind)


def edge_compounds(trees: Trees) -> Occurrences:
    """Return the edges with the labels at both ends: the pieces of two nodes."""
    inner = np.flatnonzero(trees.parent >= 0)
    labels, relations = len(trees.labels), len(trees.relations)
    above = trees.label[trees.parent[inner]]
    keys = (above * relations + trees.edge[inner]) * labels + trees.label[inner]
    kinds, kind = np.unique(keys, return_inverse=True)
    parts = np.transpose(np.unravel_index(kinds, (labels, relations, labels))).tolist()
    names = [
        f"{trees.labels[head]} -{trees.relations[edge]}-> {trees.labels[child]}"
        for head, edge, child in parts
    ]
    return count_pairs(names, trees.number, trees.items[inner], kind)
