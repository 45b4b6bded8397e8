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
divided (``frequent``), as a structure that occurs once explains its sentence perfectly.

Trees are held once, with the number of sentences that have them: sentences with the same tree
have the same structures.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sgl.research.analyse.structures import Structure

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Which structures occur how often in which trees: one row for each pair.

    ``sentences`` is the number of sentences with each tree.  Rows are in the order of
    structures, then of trees.
    """

    structures: tuple[Structure, ...]
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
        sums = np.zeros(len(self.structures), np.int64)
        np.add.at(sums, by, values)
        return sums

    def only(self, kept: NDArray[np.bool_]) -> Occurrences:
        """The same without some structures."""
        number = np.cumsum(kept, dtype=np.int64) - 1
        rows = kept[self.structure]
        return Occurrences(
            tuple(entry for entry, keep in zip(self.structures, kept, strict=True) if keep),
            self.sentences,
            self.tree[rows],
            number[self.structure[rows]],
            self.times[rows],
        )


def sorted_occurrences(
    structures: tuple[Structure, ...], sentences: Ints, tree: Ints, structure: Ints, times: Ints
) -> Occurrences:
    """The table of these rows, in the order that it has."""
    order = np.lexsort((tree, structure))
    return Occurrences(structures, sentences, tree[order], structure[order], times[order])


def frequent(table: Occurrences, least: int) -> Occurrences:
    """The structures that occur in at least so many sentences."""
    return table.only(table.support >= least)


def collapsed(table: Occurrences) -> Occurrences:
    """Of structures that occur in the same trees only the smallest."""
    starts = np.searchsorted(table.structure, np.arange(len(table.structures) + 1))
    best: dict[bytes, int] = {}
    for at in range(len(table.structures)):
        rows = slice(starts[at], starts[at + 1])
        where = table.tree[rows].tobytes()
        other = best.get(where)
        if other is None or _rank(table.structures[at]) < _rank(table.structures[other]):
            best[where] = at
    kept = np.zeros(len(table.structures), np.bool_)
    kept[list(best.values())] = True
    return table.only(kept)


def _rank(structure: Structure) -> tuple[int, int, str]:
    return structure.words, len(structure.text), structure.text


def suspicion(table: Occurrences, failed: Ints, rounds: int) -> Floats:
    """The suspicion of each structure; ``failed`` is the number of failed sentences by tree."""
    number, total = len(table.structures), table.total
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
    """Suspicion, weighed by how often the structure occurs."""
    return suspicions * np.log(table.total)
