r"""The rows that a baseline learns from and those that it predicts.

A dataset of ``sglc compile`` has a split ``train``, perhaps one called ``dev``, and others,
which are predicted::

    train   43,800   learnt
    dev      5,000   decides which state of the model is kept
    test     5,000   predicted
    gen     76,000   predicted

The texts that training and its choice depend on have a hash, so that a checkpoint is never
continued with others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sgl.research.evaluate import benchmark

TRAIN, DEV = "train", "dev"

#: How many batches are made from rows of about the same length.
_POOL = 40


@dataclass(frozen=True, slots=True)
class BaselineData:
    """A dataset as a baseline sees it; ``predicted`` are splits in the order of the manifest."""

    name: str
    signature: str
    source: str
    target: str
    train: tuple[benchmark.BenchmarkRow, ...]
    dev: tuple[benchmark.BenchmarkRow, ...]
    predicted: tuple[benchmark.Benchmark, ...]

    @property
    def digest(self) -> str:
        """A hash of everything that the weights of a model can depend on."""
        told = hashlib.sha256(f"{self.signature}\n{self.source}\n{self.target}\n".encode())
        for rows in (self.train, self.dev):
            told.update(b"\0")
            for row in rows:
                told.update(f"{row.source}\t{row.target}\n".encode())
        return told.hexdigest()


def read_data(path: Path, target: str | None) -> BaselineData:
    """Read all splits; raises ``DatasetError`` if there is nothing to learn or to predict."""
    if path.is_file():
        raise benchmark.DatasetError(
            f"`{path}` is a file, not a dataset",
            hint="DATASET is a directory that `sglc compile` has written",
        )
    train = benchmark.read_benchmark(path, TRAIN, target)
    names = list(benchmark.manifest_of(path)["splits"].members())
    # Files of a run are called by these names, and have to stay in its directory.
    for name in (train.name, *names):
        if name in ("", "..") or name != Path(name).name:
            raise benchmark.DatasetError(f"`{path}` has a name that no file can have: {name!r}")
    others = [name for name in names if name not in (TRAIN, DEV)]
    if not others:
        raise benchmark.DatasetError(
            f"`{path}` has nothing to predict", hint="it has no split but train and dev"
        )
    return BaselineData(
        name=train.name,
        signature=train.signature,
        source=train.source,
        target=train.target,
        train=train.rows,
        dev=benchmark.read_benchmark(path, DEV, target).rows if DEV in names else (),
        predicted=tuple(benchmark.read_benchmark(path, name, target) for name in others),
    )


class BatchOrder:
    """The batches of a training run by their number: a function of the seed.

    In each round all rows are shuffled.  Batches of rows of about the same length are made
    within pools of many batches, and shuffled again, so that little is padded and yet no round
    is like another::

        rows by chance        7 2 9 4 | 1 8 ...        pools
        by length in a pool   2 9 4 7                  batches of two: 2 9, 4 7
        batches by chance     4 7, 2 9, ...
    """

    def __init__(self, lengths: Sequence[int], batch: int, seed: int) -> None:
        self._lengths = np.asarray(lengths)
        self._batch = batch
        self._seed = seed
        self.round = -(-len(lengths) // batch)
        self._of_round = lru_cache(maxsize=2)(self._shuffled)

    def rows(self, number: int) -> NDArray[np.int64]:
        """Return the rows of a batch."""
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
