"""Sample a number of sentences into one file, on any workers, so that it can be resumed.

Candidates are surveyed ahead and settled in their order; then those that were accepted are
encoded in chunks, which the driver writes in their order::

    workers    survey 0 … 99,999   survey 100,000 …      encode rows 0 … 49,999
    driver        └─> settle          └─> settle            └─> write

The file depends on the tables and the number of rows alone: batches settle to the same
whatever their size, and chunks have a fixed number of rows.

Memory is bounded: 8 bytes for each row, the table of hashes (``sgl.accel.draw``: 24 to 48
bytes for each row until it is kept in a file), and a few batches and chunks per worker.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.parallel.dataset import pack_sample, unpack_sample
from sgl.parallel.executor import Executor, Task, ordered
from sgl.parallel.run import RunFolder
from sgl.parallel.sentences import SentenceWork, encode, survey
from sgl.sampling.seen import seen_sentences
from sgl.sampling.strata import BatchAcceptance, StratumSample

#: Called with what is being done, how much is done and how much there is.
Stage = Callable[[str, int, int], None]


class Sizes(NamedTuple):
    """How work is divided; ``chunk`` decides the row groups of the file.

    ``chunk`` is in rows, ``batch`` in candidates that one task surveys at most, ``segment`` in
    accepted candidates that are kept for resuming at once, at least.
    """

    chunk: int = 50_000
    batch: int = 100_000
    segment: int = 100_000


SIZES = Sizes()


def sample_into(
    target: Path,
    work: SentenceWork,
    executor: Executor,
    run: RunFolder,
    stage: Stage,
    sizes: Sizes = SIZES,
) -> StratumSample:
    """Write the sentences to ``target``; return what was sampled.

    Raises:
        NotEnoughError: there are not as many sentences.
        FormatError: the file cannot hold a text.
    """
    sampled = _Acceptance(work, executor, run, stage, sizes).run()
    numbers = sampled.numbers
    chunks = (
        run.submit(executor, f"rows-{first:012d}", encode, numbers[first : first + sizes.chunk])
        for first in range(0, len(numbers), sizes.chunk)
    )
    whole = run.path / "whole"
    with work.open_file(whole) as append:
        for index, data in enumerate(ordered(chunks, executor.ahead)):
            append(data)
            stage("writing", min((index + 1) * sizes.chunk, len(numbers)), len(numbers))
    whole.replace(target)
    return sampled


class _Acceptance:
    """Surveys candidates and settles which of them are accepted.

    What was accepted is kept in segments, each under the number of its first candidate.  One
    that is made again may end elsewhere, as batches depend on the workers; then what followed
    it does not follow, and is not found.
    """

    def __init__(
        self, work: SentenceWork, executor: Executor, run: RunFolder, stage: Stage, sizes: Sizes
    ) -> None:
        self._executor = executor
        self._run = run
        self._stage = stage
        self._sizes = sizes
        self._stratum = work.tables.strata[0]
        self._distinct = work.tables.distinct_sentences
        self._seen = seen_sentences(work.tables, folder=run.path)
        self._acceptance = BatchAcceptance(work.tables, 0, self._seen)

    def run(self) -> StratumSample:
        """Settle candidates until there are enough."""
        acceptance = self._acceptance
        begun = self._restore()
        accepted: list[tuple[NDArray[np.int64], NDArray[np.uint64]]] = []
        flight: deque[Task] = deque()
        ahead = acceptance.candidates
        while acceptance.missing:
            needed = acceptance.candidates + acceptance.expected()
            while len(flight) < self._executor.ahead and (ahead < needed or not flight):
                count = min(needed - ahead, self._sizes.batch)
                flight.append(self._executor.submit(survey, ahead, count))
                ahead += count
            found = flight.popleft()()
            rows = acceptance.add(found)
            accepted.append((found.batch.numbers[rows], found.hashes[rows]))
            wanted = self._stratum.wanted
            self._stage("sampling", wanted - acceptance.missing, wanted)
            kept = sum(len(numbers) for numbers, _ in accepted)
            if kept >= self._sizes.segment or not acceptance.missing:
                numbers, hashes = map(np.concatenate, zip(*accepted, strict=True))
                segment = replace(acceptance.sample(), numbers=numbers)
                hashes = hashes[: self._distinct * len(hashes)]
                self._run.put(_segment_key(begun), pack_sample(segment, hashes=hashes))
                begun, accepted = acceptance.candidates, []
        return acceptance.sample()

    def _restore(self) -> int:
        """Take over what is settled; return the number of the first candidate that is not."""
        parts: list[NDArray[np.int64]] = []
        first = 0
        while (data := self._run.get(_segment_key(first))) is not None:
            segment, _, hashes = unpack_sample(data, self._stratum)
            self._seen.add(hashes, np.ones(len(hashes), np.bool_), 0)
            parts.append(segment.numbers)
            first = segment.candidates
            self._acceptance.restore(replace(segment, numbers=np.concatenate(parts)))
        return first


def _segment_key(first: int) -> str:
    return f"settled-{first:012d}"
