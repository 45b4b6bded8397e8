"""Collect the structures of many trees into one table.

Trees repeat, above all those of generated sentences: one that has been seen keeps its number,
and its structures are listed once.  Only short trees are remembered, as long ones hardly ever
repeat.  Rows are kept in flat arrays::

    tree 0: (obj (det))    once        0  17  1
            (obj)          twice       0   4  2
    tree 1: ...                        tree, structure, times
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sgl.research.analyse.mining import Ints, Occurrences, sorted_occurrences
from sgl.research.analyse.structures import (
    Structure,
    TooManyStructuresError,
    labels_of,
    structures,
)
from sgl.research.analyse.tree import Skeleton
from sgl.research.treebank import Word

#: Trees with more words are not remembered; nor are more trees than this.
_LONGEST_REMEMBERED = 32
_REMEMBERED = 1 << 16

#: Stands for the tree of a sentence that has too many structures.
_NONE = -1


class Collector:
    """The structures of one view, with ``smallest`` to ``largest`` words."""

    def __init__(self, view: str, smallest: int, largest: int) -> None:
        self.view = view
        self.too_broad = 0
        self._sizes = smallest, largest
        self._trees: dict[tuple[tuple[int, ...], tuple[str, ...]], int] = {}
        self._structures: dict[Structure, int] = {}
        self._number = 0
        self._of_sentence = array("q")
        self._rows = array("q"), array("q"), array("q")

    def add(self, words: Sequence[Word], skeleton: Skeleton) -> None:
        """Add the tree of the next sentence."""
        labels = labels_of(words, skeleton, self.view)
        key = (skeleton.heads, labels)
        tree = self._trees.get(key)
        if tree is None:
            try:
                tree = self.add_tree(structures(skeleton.heads, labels, *self._sizes))
            except TooManyStructuresError:
                tree = _NONE
            if len(labels) <= _LONGEST_REMEMBERED:
                if len(self._trees) > _REMEMBERED:
                    self._trees.clear()
                self._trees[key] = tree
        self.too_broad += tree == _NONE
        self.sentence_has(tree)

    def sentence_has(self, tree: int) -> None:
        """The next sentence has the tree of this number."""
        self._of_sentence.append(tree)

    def add_tree(self, counts: Mapping[Structure, int]) -> int:
        """Add a tree that has these structures so often; its number."""
        trees, kinds, times = self._rows
        for structure, count in counts.items():
            kind = self._structures.setdefault(structure, len(self._structures))
            trees.append(self._number)
            kinds.append(kind)
            times.append(count)
        self._number += 1
        return self._number - 1

    @property
    def of_sentence(self) -> Ints:
        """The tree of each sentence, -1 for one that was too broad."""
        return np.array(self._of_sentence, np.int64)

    def by_tree(self, chosen: NDArray[np.bool_]) -> Ints:
        """How many of the chosen sentences have each tree."""
        trees = self.of_sentence[chosen]
        return np.bincount(trees[trees != _NONE], minlength=self._number).astype(np.int64)

    def table(self) -> Occurrences:
        """What has been collected."""
        everything = np.ones(len(self._of_sentence), np.bool_)
        trees, kinds, times = (np.array(row, np.int64) for row in self._rows)
        return sorted_occurrences(
            tuple(self._structures), self.by_tree(everything), trees, kinds, times
        )
