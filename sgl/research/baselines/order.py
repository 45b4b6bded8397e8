"""In which order the rows are learnt: a function of the seed, so that a run can be resumed.

In each round all rows are shuffled.  Batches of rows of about the same length are made
within pools of many batches, and shuffled again, so that little is padded and yet no round
is like another::

    rows by chance        7 2 9 4 | 1 8 ...        pools
    by length in a pool   2 9 4 7                  batches of two: 2 9, 4 7
    batches by chance     4 7, 2 9, ...
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

#: How many batches a pool has.
_POOL = 40


class Order:
    """The batches of a training run by their number."""

    def __init__(self, lengths: Sequence[int], batch: int, seed: int) -> None:
        self._lengths = np.asarray(lengths)
        self._batch = batch
        self._seed = seed
        self.round = -(-len(lengths) // batch)
        self._of_round = lru_cache(maxsize=2)(self._shuffled)

    def rows(self, number: int) -> NDArray[np.int64]:
        """The rows of a batch."""
        return self._of_round(number // self.round)[number % self.round]

    def _shuffled(self, which: int) -> list[NDArray[np.int64]]:
        random = np.random.Generator(np.random.PCG64([self._seed, which]))
        rows = random.permutation(len(self._lengths))
        batches: list[NDArray[np.int64]] = []
        for begin in range(0, len(rows), self._batch * _POOL):
            pool = rows[begin : begin + self._batch * _POOL]
            pool = pool[np.argsort(self._lengths[pool], kind="stable")]
            batches += [pool[at : at + self._batch] for at in range(0, len(pool), self._batch)]
        return [batches[place] for place in random.permutation(len(batches))]
