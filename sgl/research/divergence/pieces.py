"""Connected pieces of trees as compounds, and what they weigh.

A piece is a connected set of nodes; its form says its labels and edges, so that equal forms
are the same compound.  Of ``(s (np the dog) slept)`` the pieces of at most three nodes are::

    two    s(0:np)   s(1:slept)   np(0:the)   np(1:dog)
    three  s(0:np, 1:slept)   s(0:np(0:the))   s(0:np(1:dog))   np(0:the, 1:dog)

Larger pieces contain smaller ones.  A piece that occurs almost always inside the same larger
piece says nothing that the larger one does not say, so Keysers et al. (2020, section 2.1)
weigh compounds.  With P(G'|G), the share of occurrences of G that lie in an occurrence of G',

    w(G, x) = max over the occurrences g of G in x of  1 - max over G' around g of P(G'|G)

If 9 of 10 ``np(0:the)`` lie in ``np(0:the, 1:dog)``, each of these nine weighs 0.1.  Since
P(G'|G) falls when G' grows, only pieces with one more node have to be looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from sgl.research.divergence.elements import Occurrences, count_names
from sgl.research.divergence.trees import Trees

#: Weights are counted in these parts of 1.
UNIT = 1000

#: Characters that have a meaning in a form.
_RESERVED = frozenset("(),: '\"")

_Nodes = frozenset[int]


def pieces(trees: Trees, size: int) -> Occurrences:
    """Return the pieces of two to ``size`` nodes in each tree, by their forms."""
    return count_names(
        (form for nodes, form in found if len(nodes) > 1) for found in _connected(trees, size)
    )


def weighted_pieces(trees: Trees, size: int) -> Occurrences:
    """Return the same pieces, each once in a tree, with its weight there in ``UNIT`` parts.

    Pieces that weigh nothing are left out.
    """
    numbers: dict[str, int] = {}
    occurrences: Counter[int] = Counter()
    inside: Counter[tuple[int, int]] = Counter()
    rows: list[list[tuple[int, set[int]]]] = []
    for found in _connected(trees, size + 1):
        forms = {
            nodes: numbers.setdefault(form, len(numbers)) for nodes, form in found if len(nodes) > 1
        }
        around: dict[_Nodes, set[int]] = {nodes: set() for nodes in forms if len(nodes) <= size}
        for nodes, form in forms.items():
            for node in nodes if len(nodes) > 2 else ():
                # What is left without an inner node is not connected, and so no piece.
                smaller = nodes - {node}
                if smaller in around:
                    around[smaller].add(form)
        row = [(forms[nodes], larger) for nodes, larger in around.items()]
        occurrences.update(form for form, _ in row)
        inside.update((form, more) for form, larger in row for more in larger)
        rows.append(row)
    bags: list[dict[int, int]] = []
    for row in rows:
        weights: dict[int, int] = {}
        for form, larger in row:
            number = occurrences[form]
            most = max((inside[form, more] for more in larger), default=0)
            # Rounded to the nearest part, halves up, in whole numbers.
            weight = (2 * UNIT * (number - most) + number) // (2 * number)
            weights[form] = max(weights.get(form, 0), weight)
        bags.append({form: weights[form] for form in sorted(weights) if weights[form]})
    used = {form: kind for kind, form in enumerate(sorted({form for bag in bags for form in bag}))}
    return Occurrences(
        [name for name, form in numbers.items() if form in used],
        np.cumsum([0, *map(len, bags)], dtype=np.int64),
        np.array([used[form] for bag in bags for form in bag], np.int32),
        np.array([weight for bag in bags for weight in bag.values()], np.int64),
        UNIT,
    )


def _connected(trees: Trees, size: int) -> Iterator[Iterator[tuple[_Nodes, str]]]:
    """Yield for each tree its pieces of up to ``size`` nodes, with their forms."""
    for first, last in pairwise(trees.start.tolist()):
        names = [_quoted(trees.labels[label]) for label in trees.label[first:last].tolist()]
        children: list[list[tuple[str, int]]] = [[] for _ in names]
        parents, edges = trees.parent[first:last].tolist(), trees.edge[first:last].tolist()
        for node, (parent, edge) in enumerate(zip(parents, edges, strict=True)):
            if parent >= 0:
                children[parent - first].append((trees.relations[edge], node))
        tree = _LabelledTree(names, children)
        yield (piece for node in range(len(names)) for piece in tree.rooted(node, size))


class _LabelledTree(NamedTuple):
    """One tree: for each node its name, its children and the edges to them."""

    names: list[str]
    children: list[list[tuple[str, int]]]

    def rooted(self, node: int, size: int) -> Iterator[tuple[_Nodes, str]]:
        """Yield the pieces of up to ``size`` nodes with this node on top, with their forms."""
        for nodes, parts in self._below(node, 0, size - 1):
            # Children are in the order of their edges.
            below = ", ".join(f"{edge}:{form}" for edge, form in sorted(parts))
            yield nodes | {node}, f"{self.names[node]}({below})" if parts else self.names[node]

    def _below(
        self, node: int, first: int, size: int
    ) -> Iterator[tuple[_Nodes, tuple[tuple[str, str], ...]]]:
        """Yield what a piece can have below a node, from its child ``first`` on."""
        yield frozenset(), ()
        if size == 0:
            return
        for number, (edge, child) in enumerate(self.children[node][first:], first):
            for nodes, form in self.rooted(child, size):
                for more, parts in self._below(node, number + 1, size - len(nodes)):
                    yield nodes | more, ((edge, form), *parts)


def _quoted(label: str) -> str:
    """Return the label, in quotes if it could be taken for a part of a form."""
    return repr(label) if _RESERVED & set(label) else label
