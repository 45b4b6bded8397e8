r"""Read labelled trees, and count their atoms and compounds.

Derivations (s-expressions, with places as labels of edges) and dependency trees (lemmas and relations) look alike here:
nodes are in any order, and name their parents by number.  A label is anything without spaces and parentheses; quoted
parts may have them, with ``\`` before inner quotes.

A compound is a connected piece of a tree with at least two nodes.  Pieces of two nodes are edges.  Larger pieces are
counted by their forms, which show labels and edges: ``s(0:np(0:the), 1:slept)``.
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from sgl.research.divergence.problem import Occurrences, count_names
from sgl.research.treebank import TreebankSentence

_SYMBOL = re.compile(r'[()]|(?:[^\s()"]|"(?:[^"\\]|\\.)*")+|\S')


class TreeNode(NamedTuple):
    """A node of a tree: its label, the place of its parent (-1 for a root), and the label of the edge to it."""

    label: str
    parent: int
    edge: str


Tree = Sequence[TreeNode]


class NotADerivationError(ValueError):
    """A text is not an s-expression; ``row`` is its index, from 0."""

    def __init__(self, row: int) -> None:
        super().__init__(f"row {row + 1} has no derivation")
        self.row = row


def read_derivations(texts: Iterable[str]) -> list[Tree]:
    """Return the trees of s-expressions; raises ``NotADerivationError`` for any other text."""
    labels: dict[str, str] = {}
    return [_derivation(row, text, labels) for row, text in enumerate(texts)]


def _derivation(row: int, text: str, labels: dict[str, str]) -> Tree:
    """Return the tree of a derivation; equal ``labels`` are one object."""
    nodes: list[TreeNode] = []
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
            nodes.append(TreeNode(labels.setdefault(symbol, symbol), parent, str(place)))
    if opening or len(above) != 1 or above[0][1] != 1:
        raise NotADerivationError(row)
    return nodes


def dependency_trees(sentences: Iterable[TreebankSentence]) -> list[Tree]:
    """Return the basic trees of sentences."""
    return [[TreeNode(word.lemma, word.head - 1, word.deprel) for word in sentence.words] for sentence in sentences]


def _numbered(values: Iterable[Hashable]) -> dict[Hashable, int]:
    """Return different values with their numbers, in the order in which they first occur."""
    return {value: number for number, value in enumerate(dict.fromkeys(values))}


def node_atoms(trees: Sequence[Tree]) -> Occurrences:
    """Return the labels of nodes."""
    return count_names([node.label for node in tree] for tree in trees)


def node_and_edge_atoms(trees: Sequence[Tree]) -> Occurrences:
    """Return the labels of nodes and edges, which are different atoms even if spelt alike."""
    atoms = dict.fromkeys((node.label, "") for tree in trees for node in tree)
    atoms |= dict.fromkeys(("", f"-{node.edge}->") for tree in trees for node in tree)
    inner = ([("", f"-{node.edge}->") for node in tree if node.parent >= 0] for tree in trees)
    rows = ([*((node.label, "") for node in tree), *edges] for tree, edges in zip(trees, inner, strict=True))
    return count_names(rows, _numbered(atoms))._replace(names=[label or edge for label, edge in atoms])


def edge_compounds(trees: Sequence[Tree]) -> Occurrences:
    """Return the edges with the labels at both ends: the pieces of two nodes."""
    labels, edges = (_numbered(node[of] for tree in trees for node in tree) for of in (0, 2))
    rows = [[(tree[node.parent].label, node.edge, node.label) for node in tree if node.parent >= 0] for tree in trees]
    order = sorted({edge for row in rows for edge in row}, key=lambda e: (labels[e[0]], edges[e[1]], labels[e[2]]))
    return count_names(rows, _numbered(order))._replace(names=[f"{head} -{edge}-> {end}" for head, edge, end in order])


#: Weights are counted in these parts of 1.
UNIT = 1000

#: Characters with a meaning in forms.
_RESERVED = frozenset("(),: '\"")

_Nodes = frozenset[int]


def pieces(trees: Sequence[Tree], size: int) -> Occurrences:
    """Return the pieces of two to ``size`` nodes in each tree, by their forms."""
    return count_names((form for nodes, form in found if len(nodes) > 1) for found in _connected(trees, size))


def weighted_pieces(trees: Sequence[Tree], size: int) -> Occurrences:
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


def _connected(trees: Sequence[Tree], size: int) -> Iterator[Iterator[tuple[_Nodes, str]]]:
    for tree in trees:
        children: list[list[tuple[str, int]]] = [[] for _ in tree]
        for place, node in enumerate(tree):
            if node.parent >= 0:
                children[node.parent].append((node.edge, place))
        labelled = _LabelledTree([_quoted(node.label) for node in tree], children)
        yield (piece for place in range(len(tree)) for piece in labelled.rooted(place, size))


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
