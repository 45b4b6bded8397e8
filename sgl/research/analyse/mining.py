"""Error mining: which structures are to blame for the sentences that fail.

Every structure of a sentence that failed could be the cause.  Those that occur in few other
sentences are suspected more, and what one structure explains need not be explained by
another (Sagot & de la Clergerie 2006; for trees Gardent & Narayan 2012).  With n the number
of times that a structure occurs in a sentence, and |s| the number of all occurrences there::

    at first          the blame in a failed sentence is divided evenly: n / |s|
    suspicion S       the mean blame of an occurrence, over all sentences
    in each round     the blame in a failed sentence is divided by suspicion: n S / sum of n S
    score             S · ln(number of occurrences)

In the sentences ``AB AC ABC`` that fail and ``BC CC`` that do not, S is 4/9, 5/18, 1/6 for A,
B, C at first, and 0.843, 0.123, 0.021 after three rounds: A is the cause.

Structures that occur in the same sentences cannot be told apart and would share their blame;
the smallest stands for all of them (``collapsed``).  Rare ones are left out before blame is
divided (``frequent``), because a structure that occurs once explains its sentence perfectly.

Trees repeat, above all those of generated sentences.  Each is held once, with the number of
sentences that have it; only short trees are remembered, since long ones hardly ever repeat::

    tree 0: (obj (det))    once        0  17  1
            (obj)          twice       0   4  2
    tree 1: ...                        tree, structure, times
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sgl.research.analyse.subtrees import (
    Subtree,
    TooManySubtreesError,
    labels_of,
    subtrees,
)
from sgl.research.analyse.tree import Skeleton
from sgl.research.treebank import TreebankWord

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Which structures occur how often in which trees: one row for each pair.

    ``sentences`` is the number of sentences with each tree.  Rows are in the order of
    structures, then of trees.
    """

    subtrees: tuple[Subtree, ...]
    sentences: Ints
    tree: Ints
    structure: Ints
    times: Ints

    @property
    def support(self) -> Ints:
        """In how many sentences each structure occurs."""
        return self._sum(self.structure, self.sentences[self.tree])

    @property
    def total(self) -> Ints:
        """How often each structure occurs, in all sentences."""
        return self._sum(self.structure, self.sentences[self.tree] * self.times)

    def failing(self, failed: Ints) -> Ints:
        """In how many failed sentences each structure occurs; ``failed`` counts them by tree."""
        return self._sum(self.structure, failed[self.tree])

    def _sum(self, by: Ints, values: Ints) -> Ints:
        sums = np.zeros(len(self.subtrees), np.int64)
        np.add.at(sums, by, values)
        return sums

    def only(self, kept: NDArray[np.bool_]) -> Occurrences:
        """Return the same without some structures."""
        number = np.cumsum(kept, dtype=np.int64) - 1
        rows = kept[self.structure]
        return Occurrences(
            tuple(entry for entry, keep in zip(self.subtrees, kept, strict=True) if keep),
            self.sentences,
            self.tree[rows],
            number[self.structure[rows]],
            self.times[rows],
        )


def frequent(table: Occurrences, least: int) -> Occurrences:
    """Return the structures that occur in at least so many sentences."""
    return table.only(table.support >= least)


def collapsed(table: Occurrences) -> Occurrences:
    """Of structures that occur in the same trees only the smallest."""
    starts = np.searchsorted(table.structure, np.arange(len(table.subtrees) + 1))
    best: dict[bytes, int] = {}
    for at in range(len(table.subtrees)):
        rows = slice(starts[at], starts[at + 1])
        where = table.tree[rows].tobytes()
        if where not in best or _rank(table.subtrees[at]) < _rank(table.subtrees[best[where]]):
            best[where] = at
    kept = np.zeros(len(table.subtrees), np.bool_)
    kept[list(best.values())] = True
    return table.only(kept)


def _rank(structure: Subtree) -> tuple[int, int, str]:
    return structure.words, len(structure.text), structure.text


def suspicion(table: Occurrences, failed: Ints, rounds: int) -> Floats:
    """Return the suspicion of each structure; ``failed`` counts failed sentences by tree."""
    number, total = len(table.subtrees), table.total
    times = table.times.astype(np.float64)
    blame = failed[table.tree] * times
    size = np.bincount(table.tree, times, len(table.sentences))
    found = np.bincount(table.structure, blame / size[table.tree], number) / total
    for _ in range(rounds):
        weighed = times * found[table.structure]
        size = np.bincount(table.tree, weighed, len(table.sentences))
        share = np.divide(
            failed[table.tree] * weighed,
            size[table.tree],
            out=np.zeros_like(weighed),
            where=size[table.tree] > 0,
        )
        found = np.bincount(table.structure, share, number) / total
    return found


def scores(table: Occurrences, suspicions: Floats) -> Floats:
    """Return suspicions, weighed by how often each structure occurs."""
    return suspicions * np.log(table.total)


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
        self._structures: dict[Subtree, int] = {}
        self._number = 0
        self._of_sentence = array("q")
        self._rows = array("q"), array("q"), array("q")

    def add(self, words: Sequence[TreebankWord], skeleton: Skeleton) -> None:
        """Add the tree of the next sentence."""
        labels = labels_of(words, skeleton, self.view)
        key = (skeleton.heads, labels)
        tree = self._trees.get(key)
        if tree is None:
            try:
                tree = self.add_tree(subtrees(skeleton.heads, labels, *self._sizes))
            except TooManySubtreesError:
                tree = _NONE
            if len(labels) <= _LONGEST_REMEMBERED:
                if len(self._trees) > _REMEMBERED:
                    self._trees.clear()
                self._trees[key] = tree
        self.too_broad += tree == _NONE
        self.sentence_has(tree)

    def sentence_has(self, tree: int) -> None:
        """Count the next sentence, which has the tree of this number."""
        self._of_sentence.append(tree)

    def add_tree(self, counts: Mapping[Subtree, int]) -> int:
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
        """Return the table of what has been collected."""
        tree, structure, times = (np.array(row, np.int64) for row in self._rows)
        order = np.lexsort((tree, structure))
        sentences = self.by_tree(np.ones(len(self._of_sentence), np.bool_))
        return Occurrences(
            tuple(self._structures), sentences, tree[order], structure[order], times[order]
        )
