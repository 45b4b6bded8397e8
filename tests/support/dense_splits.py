"""The greedy procedure of Moisio, Creutz & Kurimo (2023), as its authors run it: the measure of ``sgl``'s own.

1,000 candidates, drawn anew for every second choice, and the divergences of all of them with dense matrices of
candidates and kinds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sgl.core.arrays import ATOM_ALPHA, COMPOUND_ALPHA
from sgl.research.divergence import TEST, TRAIN, Bounds, Elements, Greedy, SplitTarget, SplitTask
from sgl.research.divergence.problem import Occurrences
from sgl.research.divergence.search import choose
from sgl.sampling.engine import candidate_key, stream_key

#: As the authors run it.
CANDIDATES, EVERY = 1000, 2

#: Scores that differ by less are equal; which of two equal candidates is taken is chance.
EQUAL = 1e-9

Matrix = NDArray[np.floating]


@dataclass
class Dense:
    """The greedy procedure with dense matrices, on the candidates that ours would draw.

    Each choice computes the divergences of all candidates on either side anew: logarithms,
    a sum and exponentials of matrices with a column for each kind.
    """

    elements: Elements
    target: float
    bounds: Bounds
    seed: int
    real: type[np.floating]

    def __post_init__(self) -> None:
        items = self.elements.atoms.items
        self.labels = np.full(items, 2, np.int8)
        self._pool = np.arange(items)
        self._sums = [np.zeros((2, len(part.names)), self.real) for part in self.elements]

    def choices(self, number: int, given: Sequence[tuple[int, int]] = ()) -> Iterator[tuple[int, int, float]]:
        """Make choices one after the other: which item, to which side.

        Where a choice is ``given`` it is made, and the last number says how much better the
        best one would have been.
        """
        key = stream_key(self.seed, "split/greedy")
        left = len(self._pool)
        rows: list[Matrix] = []
        for choice in range(number):
            since = 0 if choice < 2 else (choice - 2) % EVERY
            drawn = min(CANDIDATES - since, left)
            lost = 0.0
            if choice == 0:
                at, side = _below(candidate_key(key, 0), left), 0
            else:
                if since == 0:
                    self._draw(candidate_key(key, choice), drawn, left)
                    rows = [_dense(part, self._pool[:drawn], self.real) for part in self.elements]
                scores = self._scores([matrix[:drawn] for matrix in rows])
                best = max(scores, key=lambda one: float(scores[one].max()))
                side, at = best, int(scores[best].argmax())
                if choice < len(given):
                    item, side = given[choice]
                    at = self._pool[:drawn].tolist().index(item)
                    lost = float(scores[best].max() - scores[side][at])
                for matrix in rows:
                    matrix[at] = matrix[drawn - 1]
            item = int(self._pool[at])
            for part, sums in zip(self.elements, self._sums, strict=True):
                sums[side] += _dense(part, np.array([item]), self.real)[0]
            self.labels[item] = side
            if choice > 0:
                self._swap(at, drawn - 1)
                at = drawn - 1
            self._swap(at, left - 1)
            left -= 1
            yield item, side, lost

    def _swap(self, one: int, other: int) -> None:
        self._pool[one], self._pool[other] = self._pool[other], self._pool[one]

    def _draw(self, key: int, drawn: int, left: int) -> None:
        for index in range(drawn):
            other = index + _below(candidate_key(key, index), left - index)
            self._swap(index, other)

    def _scores(self, rows: Sequence[Matrix]) -> dict[int, Matrix]:
        """The scores of all candidates on each side that the bounds allow."""
        train, test = (int(np.count_nonzero(self.labels == side)) for side in (TRAIN, TEST))
        least, most, used = self.bounds.least, self.bounds.most, train + test
        to_test = test + 1 <= most * (used + 1) or test < least * used
        to_train = test >= least * (used + 1) or not to_test
        return {
            side: -np.abs(self._divergence(0, rows[0], side, ATOM_ALPHA))
            - np.abs(self._divergence(1, rows[1], side, COMPOUND_ALPHA) - self.target)
            for side, allowed in ((TEST, to_test), (TRAIN, to_train))
            if allowed
        }

    def _divergence(self, part: int, rows: Matrix, side: int, alpha: float) -> Matrix:
        """The divergence with each candidate added to a side."""
        sums = self._sums[part]
        other = sums[1 - side] / max(sums[1 - side].sum(), 1)
        candidates = rows + sums[side]
        exponent = alpha if side == TRAIN else 1 - alpha
        candidates /= candidates.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            logs = np.log(candidates) * self.real(exponent)
            logs += np.log(other) * self.real(1 - exponent)
        divergence: Matrix = 1 - np.exp(logs).sum(axis=1)
        return divergence


def _dense(part: Occurrences, items: NDArray[np.int64], real: type[np.floating]) -> Matrix:
    """The rows of items as a dense matrix."""
    matrix = np.zeros((len(items), len(part.names)), real)
    for row, item in enumerate(items.tolist()):
        entries = slice(part.start[item], part.start[item + 1])
        matrix[row, part.kinds[entries]] = part.times[entries]
    return matrix


def _below(bits: int, limit: int) -> int:
    return bits * limit >> 64


def agreement(elements: Elements, target: float, bounds: Bounds, seed: int, number: int) -> int:
    """How many of the first choices of ours are best by the dense procedure as well."""
    dense = Dense(elements, target, bounds, seed, np.float64)
    settings = Greedy(CANDIDATES, EVERY)
    labels, order = choose(SplitTask(elements, SplitTarget(target), bounds, seed), settings, number)
    ours = [(item, int(labels[item])) for item in order]
    return sum(lost < EQUAL for _, _, lost in dense.choices(number, ours))
