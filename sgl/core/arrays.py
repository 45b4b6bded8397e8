"""Store texts, derivations and counts in bulk, as flat arrays for kernels.

A column is one array of UTF-8 bytes with the offsets of its texts, the layout of Arrow.  A pool holds the pieces of
texts, each once, and represents a piece by one number: its start and its length.  Derivations use arrays in the same
way.

The *divergence* of two frequency distributions is based on the Chernoff coefficient.  With relative frequencies p in
training and q in test, it is ``1 - sum_k p_k^a q_k^(1-a)`` (Chung et al. 1989): 0 for equal distributions, 1 if they
have nothing in common.  Keysers et al. (2020, section 2.2) take a = 0.5 for atoms, so that both sides count equally,
and a = 0.1 for compounds, where it matters whether training has shown a compound at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.values import dataclass

#: Bytes at the end of every buffer that copies of whole vectors may overrun.
SLACK = 64

#: A piece of a pool is ``start | length << SHIFT``.
SHIFT = 32


class Column(NamedTuple):
    """Texts in UTF-8: text ``i`` is ``data[offsets[i]:offsets[i + 1]]``; more data may follow."""

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    @property
    def rows(self) -> int:
        """The number of texts."""
        return len(self.offsets) - 1

    @property
    def size(self) -> int:
        """The number of bytes of all texts."""
        return int(self.offsets[-1] - self.offsets[0])

    def texts(self) -> Iterator[str]:
        """Yield the texts in order."""
        data = self.data.tobytes()
        ends = self.offsets.tolist()
        for start, end in pairwise(ends):
            yield data[start:end].decode()

    def take(self, rows: NDArray[np.int64]) -> Column:
        """Return the texts with these indices, in this order."""
        places, offsets = _taken(self.offsets, rows)
        data = np.zeros(len(places) + SLACK, np.uint8)
        data[: len(places)] = self.data[places]
        return Column(data, offsets)

    @classmethod
    def of(cls, texts: Sequence[str]) -> Column:
        """Return a column of these texts."""
        pieces = [text.encode() for text in texts]
        offsets = np.zeros(len(pieces) + 1, np.int64)
        np.cumsum([len(piece) for piece in pieces], out=offsets[1:])
        return cls(as_bytes(b"".join(pieces)), offsets)


#: A prefix of the texts of a column: a constant, or a text for each.
Heading = str | Column


class StringPool:
    """Strings packed into one array of bytes, without repetition."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._known: dict[str | bytes, int] = {}
        self._end = 0
        #: The most bytes of a text.
        self.longest = 0
        self._packed: NDArray[np.uint8] | None = None

    def add(self, text: str | bytes) -> int:
        """Add a text and return the number that represents it: its start and its length."""
        known = self._known.get(text)
        if known is None:
            piece = text.encode() if isinstance(text, str) else text
            known = self._known[text] = self._end | len(piece) << SHIFT
            self._pieces.append(piece)
            self._end += len(piece)
            self.longest = max(self.longest, len(piece))
            self._packed = None
        return known

    def packed(self) -> NDArray[np.uint8]:
        """Return all strings as bytes, followed by slack."""
        if self._packed is None:
            self._packed = as_bytes(b"".join(self._pieces))
        return self._packed


def as_bytes(data: bytes) -> NDArray[np.uint8]:
    """Return a writable array of these bytes, followed by slack."""
    array = np.zeros(len(data) + SLACK, np.uint8)
    array[: len(data)] = np.frombuffer(data, np.uint8)
    return array


class Derivations(NamedTuple):
    """Derivations in preorder: derivation ``i`` is ``rules[offsets[i]:offsets[i + 1]]``; more may follow."""

    rules: NDArray[np.int32]
    offsets: NDArray[np.int64]

    def __iter__(self) -> Iterator[tuple[int, ...]]:  # type: ignore[override]
        """Yield the derivations as tuples."""
        rules = self.rules.tolist()
        ends = self.offsets.tolist()
        for start, end in pairwise(ends):
            yield tuple(rules[start:end])

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the arrays, as iterating would yield tuples instead."""
        return Derivations, (self.rules, self.offsets)

    @property
    def number(self) -> int:
        """The number of derivations."""
        return len(self.offsets) - 1

    def at(self, item: int) -> tuple[int, ...]:
        """Return the derivation with this index."""
        return tuple(self.rules[self.offsets[item] : self.offsets[item + 1]].tolist())

    def take(self, wanted: NDArray[np.int64]) -> Derivations:
        """Return the derivations with these indices, in this order."""
        places, offsets = _taken(self.offsets, wanted)
        return Derivations(self.rules[places], offsets)

    def nodes(self, arity: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the rules of all nodes, their parents, and their places among siblings.

        A parent is the index of a node among all nodes, -1 for a root; ``arity`` has the
        number of children of each rule.

        >>> derivations = Derivations.of([[0, 1, 1], [1]])
        >>> [column.tolist() for column in derivations.nodes(np.array([2, 0]))]
        [[0, 1, 1, 1], [-1, 0, 0, -1], [0, 0, 1, 0]]
        """
        rules = self.rules[: int(self.offsets[-1])].astype(np.int64)
        children = arity[rules]
        # The places open before each node.  Only nodes below its left siblings have more, so its parent is the last
        # node before it that does not.
        opened = np.cumsum(children - 1) - (children - 1)
        parent = np.arange(-1, len(rules) - 1)
        parent[self.offsets[:-1]] = -1
        late = np.flatnonzero(parent >= 0)
        while len(late := late[opened[parent[late]] > opened[late]]):
            parent[late] = parent[parent[late]]
        place = np.where(parent < 0, 0, opened[parent] + children[parent] - 1 - opened)
        return rules, parent, place

    def heights(self, arity: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the number of rules on the longest path from each root, which is 1 for a single rule.

        Derivations must not be empty; ``arity`` has the number of children of each rule.

        >>> Derivations.of([[0, 1, 0, 1, 1], [1]]).heights(np.array([2, 0])).tolist()
        [3, 1]
        """
        _, parent, _ = self.nodes(arity)
        height = np.zeros(len(parent), np.int32)
        below, above = np.arange(len(parent)), np.arange(len(parent))
        while len(above):
            height[below] += 1
            above = parent[above]
            below, above = below[above >= 0], above[above >= 0]
        return np.maximum.reduceat(height, self.offsets[:-1])

    @classmethod
    def of(cls, derivations: Iterable[Sequence[int]]) -> Derivations:
        """Return these derivations as arrays."""
        rows = list(derivations)
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum([len(row) for row in rows], out=offsets[1:])
        flat = [rule for row in rows for rule in row]
        return cls(np.array(flat, np.int32), offsets)


def _taken(offsets: NDArray[np.int64], rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    lengths = offsets[rows + 1] - offsets[rows]
    ends = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(lengths, out=ends[1:])
    return np.arange(int(ends[-1])) + np.repeat(offsets[:-1][rows] - ends[:-1], lengths), ends


#: The exponents of training, as in the literature.
ATOM_ALPHA, COMPOUND_ALPHA = 0.5, 0.1


def divergence(
    train: NDArray[np.int64] | NDArray[np.float64], test: NDArray[np.int64] | NDArray[np.float64], alpha: float
) -> float:
    """Return the divergence of two arrays of counts or weights, which is 1 if one of them is empty.

    >>> round(divergence(np.array([1, 3]), np.array([3, 1]), ATOM_ALPHA), 3)
    0.134
    """
    totals = float(train.sum()), float(test.sum())
    both = (train > 0) & (test > 0)
    if not all(totals) or not both.any():
        return 1.0
    products = (train[both] / totals[0]) ** alpha * (test[both] / totals[1]) ** (1 - alpha)
    # Rounding may exceed the bounds.
    return min(1.0, max(0.0, 1 - math.fsum(products.tolist())))


class ElementCounts(NamedTuple):
    """The counts of each kind of atom and each kind of compound in a set of items."""

    atoms: NDArray[np.int64]
    compounds: NDArray[np.int64]


@dataclass(frozen=True)
class SplitDivergence:
    """The differences between a set of items and training.

    ``kinds`` is its number of kinds of compounds, and ``unseen`` how many of them training lacks; ``unseen_share`` is
    their share of the occurrences of compounds, and ``examples`` are the most frequent of them.
    """

    atoms: float
    compounds: float
    kinds: int
    unseen: int
    unseen_share: float
    unseen_atoms: int
    examples: tuple[str, ...] = ()


def compare_counts(
    train: ElementCounts, test: ElementCounts, names: Sequence[str] = (), examples: int = 0
) -> SplitDivergence:
    """Compare a set of items with training; ``names`` are the names of the compounds."""
    new = np.flatnonzero((train.compounds == 0) & (test.compounds > 0))
    order = new[np.argsort(-test.compounds[new], kind="stable")]
    total = int(test.compounds.sum())
    return SplitDivergence(
        atoms=divergence(train.atoms, test.atoms, ATOM_ALPHA),
        compounds=divergence(train.compounds, test.compounds, COMPOUND_ALPHA),
        kinds=int(np.count_nonzero(test.compounds)),
        unseen=len(new),
        unseen_share=int(test.compounds[new].sum()) / total if total else 0.0,
        unseen_atoms=int(np.count_nonzero((train.atoms == 0) & (test.atoms > 0))),
        examples=tuple(names[kind] for kind in order[:examples].tolist()),
    )
