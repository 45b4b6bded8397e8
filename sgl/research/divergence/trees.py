r"""Represent labelled trees as flat arrays, read them, and count their atoms and compounds.

Derivations (s-expressions, with places as labels of edges) and dependency trees (lemmas and relations) look alike here:
nodes are in any order, and name their parents by number.  A label is anything without spaces and parentheses; quoted
parts may have them, with ``\`` before inner quotes.

A compound is a connected piece of a tree with at least two nodes.  Pieces of two nodes are edges, counted by sorting
numbers.  Larger pieces are counted by their forms, which show labels and edges: ``s(0:np(0:the), 1:slept)``.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.research.divergence.problem import Occurrences, count_names, count_pairs
from sgl.research.treebank import TreebankSentence

_SYMBOL = re.compile(r'[()]|(?:[^\s()"]|"(?:[^"\\]|\\.)*")+|\S')


class Trees(NamedTuple):
    """Tree ``i`` has the nodes from ``start[i]`` to ``start[i + 1]``.

    ``parent`` is the index of the parent among all nodes, or -1 for a root; the labels of nodes and edges are indices
    into ``labels`` and ``relations``.
    """

    labels: Sequence[str]
    relations: Sequence[str]
    start: NDArray[np.int64]
    label: NDArray[np.int64]
    parent: NDArray[np.int64]
    edge: NDArray[np.int64]

    @property
    def number(self) -> int:
        """The number of trees."""
        return len(self.start) - 1

    @property
    def items(self) -> NDArray[np.int64]:
        """The tree of each node."""
        return np.repeat(np.arange(self.number), np.diff(self.start))


#: A node of one tree: its label, the index of its parent in this tree, the label of its edge.
_Node = tuple[str, int, str]


def _trees(rows: Iterable[Sequence[_Node]]) -> Trees:
    labels: dict[str, int] = {}
    relations: dict[str, int] = {}
    nodes: list[tuple[int, int, int]] = []
    starts = [0]
    for row in rows:
        first = starts[-1]
        for label, parent, relation in row:
            number = labels.setdefault(label, len(labels))
            edge = relations.setdefault(relation, len(relations))
            nodes.append((number, parent if parent < 0 else first + parent, edge))
        starts.append(len(nodes))
    arrays = np.array(nodes, np.int64).reshape(-1, 3).T.copy()
    return Trees(list(labels), list(relations), np.array(starts, np.int64), *arrays)


class NotADerivationError(ValueError):
    """A text is not an s-expression; ``row`` is its index, from 0."""

    def __init__(self, row: int) -> None:
        super().__init__(f"row {row + 1} has no derivation")
        self.row = row


def read_derivations(texts: Iterable[str]) -> Trees:
    """Return the trees of s-expressions; raises ``NotADerivationError`` for any other text."""
    return _trees(_derivation(row, text) for row, text in enumerate(texts))


def _derivation(row: int, text: str) -> list[_Node]:
    nodes: list[_Node] = []
    # The open phrases, as [node, children so far]; -1 is above the root.
    above = [[-1, 0]]
    opening = False
    for symbol in _SYMBOL.findall(text):
        if opening and symbol in "()":
            raise NotADerivationError(row)
        if symbol == "(":
            opening = True
        elif symbol == ")":
            above.pop()
            if not above:
                raise NotADerivationError(row)
        else:
            parent, place = above[-1]
            above[-1][1] += 1
            if opening:
                above.append([len(nodes), 0])
                opening = False
            nodes.append((symbol, parent, str(place)))
    if opening or len(above) != 1 or above[0][1] != 1:
        raise NotADerivationError(row)
    return nodes


def dependency_trees(sentences: Iterable[TreebankSentence]) -> Trees:
    """Return the basic trees of sentences."""
    return _trees([(word.lemma, word.head - 1, word.deprel) for word in sentence.words] for sentence in sentences)


def node_atoms(trees: Trees) -> Occurrences:
    """Return the labels of nodes."""
    return count_pairs(trees.labels, trees.number, trees.items, trees.label)


def node_and_edge_atoms(trees: Trees) -> Occurrences:
    """Return the labels of nodes and edges, which are different atoms even if spelt alike."""
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
    names = [f"{trees.labels[head]} -{trees.relations[edge]}-> {trees.labels[child]}" for head, edge, child in parts]
    return count_pairs(names, trees.number, trees.items[inner], kind)


#: Weights are counted in these parts of 1.
UNIT = 1000

#: Characters with a meaning in forms.
_RESERVED = frozenset("(),: '\"")

_Nodes = frozenset[int]


def pieces(trees: Trees, size: int) -> Occurrences:
    """Return the pieces of two to ``size`` nodes in each tree, by their forms."""
    return count_names((form for nodes, form in found if len(nodes) > 1) for found in _connected(trees, size))


def weighted_pieces(trees: Trees, size: int) -> Occurrences:
    """Return the pieces, each once per tree, with their weights there in ``UNIT`` parts.

    A piece that occurs almost always inside the same larger piece adds nothing to it (Keysers et al. 2020, section
    2.1).  With P(G'|G), the share of occurrences of G inside an occurrence of G',

        w(G, x) = max over the occurrences g of G in x of  1 - max over G' around g of P(G'|G)

    P(G'|G) falls as G' grows, so only pieces with one more node need to be examined.  Pieces with weight zero are left
    out.
    """
    numbers: dict[str, int] = {}
    occurrences: Counter[int] = Counter()
    inside: Counter[tuple[int, int]] = Counter()
    rows: list[list[tuple[int, set[int]]]] = []
    for found in _connected(trees, size + 1):
        forms = {nodes: numbers.setdefault(form, len(numbers)) for nodes, form in found if len(nodes) > 1}
        around: dict[_Nodes, set[int]] = {nodes: set() for nodes in forms if len(nodes) <= size}
        for nodes, form in forms.items():
            for node in nodes if len(nodes) > 2 else ():
                # Without an inner node, the rest is not connected and so not a piece.
                smaller = nodes - {node}
                if smaller in around:
                    around[smaller].add(form)
        row = [(forms[nodes], larger) for nodes, larger in around.items()]
        occurrences.update(form for form, _ in row)
        inside.update((form, more) for form, larger in row for more in larger)
        rows.append(row)
    weights: Counter[tuple[int, int]] = Counter()
    for item, row in enumerate(rows):
        for form, larger in row:
            number = occurrences[form]
            most = max((inside[form, more] for more in larger), default=0)
            # Round to the nearest part, halves up, in whole numbers.
            weight = (2 * UNIT * (number - most) + number) // (2 * number)
            weights[item, form] = max(weights[item, form], weight)
    weighing = sorted((*key, weight) for key, weight in weights.items() if weight)
    items, used, times = np.array(weighing, np.int64).reshape(-1, 3).T.copy()
    used, kinds = np.unique(used, return_inverse=True)
    names = list(numbers)
    start = np.searchsorted(items, np.arange(len(rows) + 1))
    return Occurrences([names[form] for form in used], start, kinds.astype(np.int32), times, UNIT)


def _connected(trees: Trees, size: int) -> Iterator[Iterator[tuple[_Nodes, str]]]:
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
    """One tree: the name of each node, its children, and the edges to them."""

    names: list[str]
    children: list[list[tuple[str, int]]]

    def rooted(self, node: int, size: int) -> Iterator[tuple[_Nodes, str]]:
        for nodes, parts in self._below(node, 0, size - 1):
            # Children are sorted by their edges.
            below = ", ".join(f"{edge}:{form}" for edge, form in sorted(parts))
            yield nodes | {node}, f"{self.names[node]}({below})" if parts else self.names[node]

    def _below(self, node: int, first: int, size: int) -> Iterator[tuple[_Nodes, tuple[tuple[str, str], ...]]]:
        yield frozenset(), ()
        if size == 0:
            return
        for number, (edge, child) in enumerate(self.children[node][first:], first):
            for nodes, form in self.rooted(child, size):
                for more, parts in self._below(node, number + 1, size - len(nodes)):
                    yield nodes | more, ((edge, form), *parts)


def _quoted(label: str) -> str:
    return repr(label) if _RESERVED & set(label) else label
