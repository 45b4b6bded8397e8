"""Draw a number of sentences into one file, on any workers, with a journal.

Candidates are surveyed ahead, settled in their order, and encoded in chunks::

    workers    survey 0 … 99,999   survey 100,000 …      encode rows 0 … 49,999
    driver        └─> settle          └─> settle            └─> journal
                        └─> journal: which were accepted, and their hashes

The file depends on the tables and the number of rows alone: batches settle to the same
whatever their size, and chunks have a fixed number of rows.

Memory is bounded: 8 bytes for each row, the table of hashes (``sgl.sampling.seen``: 24 to 48
bytes for each row until it is kept in a file), and a few batches and chunks per worker.
"""

from __future__ import annotations

import io
import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.dataset.parquet_join import ParquetJoin
from sgl.parallel.arrays import writable
from sgl.parallel.executor import Executor
from sgl.parallel.journal import Journal
from sgl.parallel.sentences import PARQUET, SentenceWork, encode, survey
from sgl.sampling.drawing import Settled, Settling
from sgl.sampling.drawn import Drawn
from sgl.sampling.sampler import Survey
from sgl.sampling.seen import Seen

#: Rows of a chunk, which is a row group of a Parquet file.
CHUNK = 50_000

#: Candidates that are surveyed by one task at most.
BATCH = 100_000

#: Accepted candidates whose settlement is entered in the journal at once, at least.
SEGMENT = 100_000

#: Called with what is being done, how much is done and how much there is.
Stage = Callable[[str, int, int], None]


class Sizes(NamedTuple):
    """How work is divided; the sizes of chunks decide the row groups of the file."""

    chunk: int = CHUNK
    batch: int = BATCH
    segment: int = SEGMENT


SIZES = Sizes()


def export(
    work: SentenceWork,
    executor: Executor,
    seen: Seen,
    journal: Journal,
    stage: Stage,
    sizes: Sizes = SIZES,
) -> Drawn:
    """Make all shards of the file; what was drawn.

    Raises:
        NotEnoughError: there are not as many sentences.
        FormatError: the file cannot hold a text.
    """
    return _Export(work, executor, seen, journal, stage, sizes).run()


class _Export:
    """The state of one run."""

    def __init__(
        self,
        work: SentenceWork,
        executor: Executor,
        seen: Seen,
        journal: Journal,
        stage: Stage,
        sizes: Sizes,
    ) -> None:
        self._executor = executor
        self._seen = seen
        self._journal = journal
        self._stage = stage
        self._sizes = sizes
        self._wanted = work.tables.strata[0].wanted
        self._distinct = work.tables.distinct_sentences
        self._settling = Settling(work.tables, 0, seen, None)
        # Where the open settlement begins, by the number of its first candidate.
        self._begun = 0
        self._open: list[tuple[NDArray[np.int64], NDArray[np.uint64]]] = []
        self._chunks = _Chunks(executor, journal, sizes.chunk, self._wanted)

    def run(self) -> Drawn:
        self._restore()
        flight: deque[Future[Survey]] = deque()
        ahead = self._settling.candidates
        while self._settling.missing:
            needed = self._settling.candidates + self._settling.expected()
            while len(flight) < self._executor.ahead and (ahead < needed or not flight):
                count = min(needed - ahead, self._sizes.batch)
                flight.append(self._executor.submit(survey, ahead, count))
                ahead += count
            self._settle(flight.popleft().result())
            self._stage("drawing and writing", self._done(), self._wanted)
        for future in flight:
            future.cancel()
        self._close_segment()
        for _ in self._chunks.finish():
            self._stage("drawing and writing", self._done(), self._wanted)
        return self._settling.drawn()

    def _done(self) -> int:
        """How many rows are done: half of the work is to find them, half to write them."""
        return (self._wanted - self._settling.missing + self._chunks.written) // 2

    def _settle(self, found: Survey) -> None:
        found = found._replace(
            verdicts=writable(found.verdicts),
            targets=writable(found.targets),
            hashes=writable(found.hashes),
        )
        accepted = self._settling.add(found, None)
        numbers = found.batch.numbers[accepted]
        self._open.append((numbers, found.hashes[accepted]))
        self._chunks.add(numbers)
        if sum(len(part) for part, _ in self._open) >= self._sizes.segment:
            self._close_segment()

    def _close_segment(self) -> None:
        """Enter in the journal what was accepted since the last time."""
        if not self._open:
            return
        numbers = np.concatenate([part for part, _ in self._open])
        hashes = np.concatenate([part for _, part in self._open])
        data = _packed(numbers, hashes if self._distinct else hashes[:0], self._settling.settled())
        self._journal.put(_segment_key(self._begun), data, len(numbers))
        self._begun = self._settling.candidates
        self._open = []

    def _restore(self) -> None:
        """Take over what the journal has of candidates that are settled."""
        parts: list[NDArray[np.int64]] = []
        last: Settled | None = None
        while self._journal.get(_segment_key(self._begun)) is not None:
            data = self._journal.read(_segment_key(self._begun))
            numbers, hashes, last = _unpacked(data)
            self._seen.add(hashes, np.ones(len(hashes), np.bool_), 0)
            parts.append(numbers)
            self._begun = last.candidates
        if last is not None:
            self._settling.restore(np.concatenate(parts), last)
            for part in parts:
                self._chunks.add(part)


class _Chunks:
    """Cuts accepted candidates into chunks, and has those encoded that the journal lacks."""

    def __init__(self, executor: Executor, journal: Journal, size: int, wanted: int) -> None:
        self.written = 0
        self._executor = executor
        self._journal = journal
        self._size = size
        self._wanted = wanted
        self._number = 0
        self._parts: list[NDArray[np.int64]] = []
        self._held = 0
        self._cut = 0
        self._flight: deque[tuple[str, int, Future[bytes]]] = deque()

    def add(self, numbers: NDArray[np.int64]) -> None:
        """Take further candidates; start what can be started."""
        self._parts.append(numbers)
        self._held += len(numbers)
        while self._held >= self._size or (self._held and self._cut + self._held == self._wanted):
            self._start(self._taken(min(self._size, self._held)))
        self._collect(self._executor.ahead)

    def finish(self) -> Iterator[None]:
        """Wait for all chunks; yields after each."""
        while self._flight:
            self._collect(len(self._flight) - 1)
            yield

    def _taken(self, count: int) -> NDArray[np.int64]:
        held = np.concatenate(self._parts)
        self._parts, self._held = [held[count:]], self._held - count
        self._cut += count
        return held[:count]

    def _start(self, numbers: NDArray[np.int64]) -> None:
        key = chunk_key(self._number)
        self._number += 1
        if self._journal.get(key) is not None:
            self.written += len(numbers)
            return
        future = self._executor.submit(encode, np.ascontiguousarray(numbers))
        self._flight.append((key, len(numbers), future))

    def _collect(self, left: int) -> None:
        """Enter finished chunks in the journal, until so many are in flight."""
        while self._flight and (len(self._flight) > left or self._flight[0][2].done()):
            key, rows, future = self._flight.popleft()
            self._journal.put(key, future.result(), rows)
            self.written += rows


def assemble(work: SentenceWork, journal: Journal, target: Path, sizes: Sizes = SIZES) -> None:
    """Put the file together of its shards, and in the place of ``target``."""
    chunks = -(-work.tables.strata[0].wanted // sizes.chunk)
    with _replacing(journal.folder / "whole", target) as stream:
        if work.form != PARQUET:
            for number in range(chunks):
                stream.write(journal.read(chunk_key(number)))
            return
        join = ParquetJoin(stream)
        for number in range(chunks):
            join.append(journal.read(chunk_key(number)))
        join.close()


def chunk_key(number: int) -> str:
    """The key of a chunk in the journal."""
    return f"rows-{number:06d}"


def _segment_key(first: int) -> str:
    """The key of the settlement that begins with a candidate.

    One that is made anew may end elsewhere than it did, as batches depend on the workers;
    then what followed it does not follow, and is not found.
    """
    return f"settled-{first:012d}"


@contextmanager
def _replacing(temporary: Path, target: Path) -> Iterator[BinaryIO]:
    """A file that takes the place of ``target`` when it is complete."""
    with temporary.open("wb") as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(target)


def _packed(numbers: NDArray[np.int64], hashes: NDArray[np.uint64], settled: Settled) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, numbers=numbers, hashes=hashes, **settled._asdict())
    return stream.getvalue()


def _unpacked(data: bytes) -> tuple[NDArray[np.int64], NDArray[np.uint64], Settled]:
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        settled = Settled(
            int(arrays["candidates"]), arrays["outcomes"], arrays["shares"], arrays["ambiguous"]
        )
        return arrays["numbers"], arrays["hashes"].reshape(-1, 2), settled
