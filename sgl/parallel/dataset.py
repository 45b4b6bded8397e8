"""Define the tasks of a dataset, and of a sample in one file, and what a run's folder keeps of them.

Workers survey candidates ahead, and the driver settles them in order; workers then encode the accepted ones in chunks,
which the driver writes in order.  ``survey`` and ``encode`` depend only on the tables and the numbers of candidates,
settling does not depend on the size of batches, and chunks have a fixed number of rows.

Memory is bounded: 8 bytes per row, the table of hashes (``sgl.sampling.screening``: 36 to 72 bytes per row until it
moves to a file), and a few batches and chunks per worker.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sgl.core.arrays import Column, Derivations
from sgl.core.grammar import CoreGrammar
from sgl.core.plan import Plan
from sgl.dataset.maker import ChunkMaker
from sgl.dataset.rows import Chunk, Selection, arrow_array, lines_of, parquet_writer
from sgl.dataset.staged import FormatError, TextTooLongError
from sgl.disk import Folder, create
from sgl.parallel.executor import Executor, RunFolder, Task, ordered
from sgl.rendering import outputs
from sgl.rendering.meaning import ViewError
from sgl.rendering.output import TemplateWriter
from sgl.sampling.engine import Tables
from sgl.sampling.screening import seen_sentences
from sgl.sampling.strata import Batch, BatchAcceptance, Sampler, StratumSample, Survey, sampler_for
from sgl.values import dataclass, replace

#: A chunk to make: its split, the number of its first row, its candidates.
ChunkPlace = tuple[str, int, list[Selection]]


@dataclass(eq=False)
class DatasetWork:
    """The values that workers need to make chunks."""

    grammar: CoreGrammar
    plan: Plan
    tables: Tables

    @cached_property
    def maker(self) -> ChunkMaker:
        """The maker of chunks."""
        return ChunkMaker(self.grammar, self.plan, sampler_for(self.tables))


def make_chunk(work: DatasetWork, split: str, first: int, selections: list[Selection]) -> Chunk:
    """Make the chunk of one split that starts at row ``first``."""
    return work.maker.chunk(split, first, selections)


def parallel_chunks(executor: Executor, run: RunFolder, places: Iterable[ChunkPlace]) -> Iterator[Chunk]:
    """Yield the chunks at these places in order, made by workers or read from the folder of the run."""
    tasks = (run.submit(executor, f"chunk-{place[0]}-{place[1]:09d}", make_chunk, *place) for place in places)
    return ordered(tasks, executor.ahead)


TSV, PARQUET = "tsv", "parquet"

#: Texts of one language are much alike; higher zstd levels save little and take longer.
COMPRESSION_LEVEL = 1

_NO_RULES = Derivations(np.zeros(0, np.int32), np.zeros(1, np.int64))
_NO_TEXTS = Column(np.zeros(0, np.uint8), np.zeros(1, np.int64))


@dataclass(eq=False)
class SentenceWork:
    """The values that workers need: tables, grammar, the layers and views (columns) by name, and the file format."""

    tables: Tables
    grammar: CoreGrammar
    layers: tuple[str, ...]
    form: str

    @contextmanager
    def open_file(self, path: Path) -> Iterator[Callable[[Any], object]]:
        """Open the file and yield the function that appends a chunk returned by ``encode``."""
        if self.form == TSV:
            with create(path) as file:
                yield file.write
            return
        schema = pa.schema([(name, pa.string()) for name in self.layers])
        # Sentences are distinct, so a dictionary of them would only repeat them.
        with create(path) as file, parquet_writer(file, schema, dictionary=(), level=COMPRESSION_LEVEL) as writer:
            yield writer.write_table

    @cached_property
    def sampler(self) -> Sampler:
        """The sampler of candidates."""
        return sampler_for(self.tables)

    def column(self, name: str, batch: Batch) -> pa.Array:
        """Return a batch's texts in a text layer or view; raises ``FormatError`` if a graph has no form in the view."""
        if name == self.tables.source.name:
            return arrow_array(batch.sources)
        try:
            return arrow_array(self._writers[name].column(batch.derivations))
        except ViewError as problem:
            reason = f"a text cannot be rendered in the view `{name}`: {problem}"
            raise FormatError(reason) from problem

    @cached_property
    def _writers(self) -> dict[str, TemplateWriter]:
        items = self.tables.strata[0].wanted
        known = outputs(self.grammar)
        return {name: TemplateWriter(known[name], items) for name in self.layers}


def survey(work: SentenceWork, first: int, count: int) -> Survey:
    """Survey ``count`` candidates and return the findings without the candidates themselves."""
    numbers = np.arange(first, first + count, dtype=np.int64)
    sampler = work.sampler
    every = np.ones(sampler.lemmas, np.uint8)
    found = sampler.survey(work.tables.strata[0], numbers, every)
    return found._replace(batch=Batch(numbers, _NO_RULES, _NO_TEXTS, found.batch.too_long))


def encode(work: SentenceWork, numbers: NDArray[np.int64]) -> bytes | pa.Table:
    """Return candidates as lines or a table; raises ``FormatError`` if a text in a line has a tab or a line end."""
    batch = work.sampler.derive(work.tables.strata[0], numbers)
    try:
        columns = [work.column(name, batch) for name in work.layers]
    except TextTooLongError as problem:
        raise FormatError(str(problem)) from problem
    table = pa.table(columns, names=list(work.layers))
    return _lines(table) if work.form == TSV else table


def _lines(table: pa.Table) -> bytes:
    columns = [column.cast(pa.large_string()) for column in table.columns]
    tab = pa.scalar("\t", pa.large_string())
    text = b"".join(map(lines_of, pc.binary_join_element_wise(*columns, tab).chunks))
    ends, tabs = table.num_rows, table.num_rows * (table.num_columns - 1)
    if (text.count(b"\n"), text.count(b"\t"), text.count(b"\r")) != (ends, tabs, 0):
        raise FormatError("a text has a tab or a line end; write Parquet, which can hold them")
    return text


#: A callback that gets the name of the stage, the amount done and the total.
Stage = Callable[[str, int, int], None]


class Sizes(NamedTuple):
    """The sizes of divided work: rows per chunk and row group, candidates per task, accepted candidates per segment."""

    chunk: int = 50_000
    batch: int = 100_000
    segment: int = 100_000


SIZES = Sizes()


def sample_into(
    target: Path, work: SentenceWork, executor: Executor, run: RunFolder, stage: Stage, sizes: Sizes = SIZES
) -> StratumSample:
    """Write the sentences and return the sample; raises ``NotEnoughError``, or ``FormatError`` for a text."""
    sampled = _sampled(work, executor, run, stage, sizes)
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
    with Folder(run.path, own=True) as folder, Folder(target.parent) as parent:
        folder.move("whole", parent, target.name)
    return sampled


def _sampled(work: SentenceWork, executor: Executor, run: RunFolder, stage: Stage, sizes: Sizes) -> StratumSample:
    """Survey candidates and decide which to accept.

    Accepted candidates are kept in segments, each under the number of its first candidate.  A segment that is made
    again may end elsewhere, as batches depend on the workers; then later segments no longer follow it and are not
    found.
    """
    stratum, seen = work.tables.strata[0], seen_sentences(work.tables, folder=run.path)
    acceptance = BatchAcceptance(work.tables, 0, seen)
    begun, parts = 0, list[NDArray[np.int64]]()
    while (found := run.get(_segment_key(begun))) is not None:
        kept, hashes = found
        seen.add(hashes, np.ones(len(hashes), np.bool_), 0)
        parts.append(kept.numbers)
        begun = kept.candidates
        acceptance.restore(replace(kept, numbers=np.concatenate(parts)))
    accepted: list[tuple[NDArray[np.int64], NDArray[np.uint64]]] = []
    flight: deque[Task] = deque()
    ahead = acceptance.candidates
    while acceptance.missing:
        needed = acceptance.candidates + acceptance.expected()
        while len(flight) < executor.ahead and (ahead < needed or not flight):
            count = min(needed - ahead, sizes.batch)
            flight.append(executor.submit(survey, ahead, count))
            ahead += count
        found = flight.popleft()()
        rows = acceptance.add(found)
        accepted.append((found.batch.numbers[rows], found.hashes[rows]))
        stage("sampling", stratum.wanted - acceptance.missing, stratum.wanted)
        if sum(len(numbers) for numbers, _ in accepted) >= sizes.segment or not acceptance.missing:
            numbers, hashes = map(np.concatenate, zip(*accepted, strict=True))
            segment = replace(acceptance.sample(), numbers=numbers)
            hashes = hashes[: work.tables.distinct_sentences * len(hashes)]
            run.put(_segment_key(begun), (segment, hashes))
            begun, accepted = acceptance.candidates, []
    return acceptance.sample()


def _segment_key(first: int) -> str:
    return f"settled-{first:012d}"
