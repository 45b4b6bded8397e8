"""The tasks of a sample: survey candidates, and write accepted ones as rows.

Both are functions of the tables and of numbers of candidates alone::

    survey(work, 0, 100_000)           verdicts and hashes of the first 100,000 candidates
    encode(work, [3, 5, 8, ...])       a chunk of the file with these candidates as rows
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sgl.core.arrays import Column, Derivations
from sgl.core.grammar import CoreGrammar
from sgl.dataset.chunk import FormatError, TextTooLongError
from sgl.dataset.rows import arrow_array, lines_of, packed_table, parquet_writer, unpacked_table
from sgl.rendering import outputs
from sgl.rendering.meaning import ViewError
from sgl.rendering.templates import TemplateWriter
from sgl.sampling.batch import Batch, Sampler, Survey, sampler_for
from sgl.sampling.engine import Tables

TSV, PARQUET = "tsv", "parquet"

#: Texts of one language are much alike; higher levels of zstd save little and take longer.
COMPRESSION_LEVEL = 1

_NO_RULES = Derivations(np.zeros(0, np.int32), np.zeros(1, np.int64))
_NO_TEXTS = Column(np.zeros(0, np.uint8), np.zeros(1, np.int64))


@dataclass(eq=False)
class SentenceWork:
    """What workers need to know: the tables, the grammar, the columns, the form of the file.

    ``layers`` are text layers and views by name, in the order of the columns.
    """

    tables: Tables
    grammar: CoreGrammar
    layers: tuple[str, ...]
    form: str

    @contextmanager
    def open_file(self, path: Path) -> Iterator[Callable[[bytes], object]]:
        """Open the file; yield what appends to it a chunk that ``encode`` returns."""
        if self.form == TSV:
            with path.open("wb") as file:
                yield file.write
            return
        schema = pa.schema([(name, pa.string()) for name in self.layers])
        # Sentences are distinct, so that a dictionary of them would only repeat them.
        with parquet_writer(path, schema, dictionary=(), level=COMPRESSION_LEVEL) as writer:
            yield lambda packed: writer.write_table(unpacked_table(packed))

    @cached_property
    def sampler(self) -> Sampler:
        """Draws candidates."""
        return sampler_for(self.tables)

    def column(self, name: str, batch: Batch) -> pa.Array:
        """Return the texts of a batch in a text layer or a view.

        Raises ``FormatError`` if a graph has no form in the view.
        """
        if name == self.tables.source.name:
            return arrow_array(batch.sources)
        try:
            return arrow_array(self._writers[name].column(batch.derivations))
        except ViewError as problem:
            reason = f"a text has no form in the view `{name}`: {problem}"
            raise FormatError(reason) from problem

    @cached_property
    def _writers(self) -> dict[str, TemplateWriter]:
        items = self.tables.strata[0].wanted
        known = outputs(self.grammar)
        return {name: TemplateWriter(known[name], items) for name in self.layers}


def survey(work: SentenceWork, first: int, count: int) -> Survey:
    """Return what there is to say of each of ``count`` candidates, without the candidates."""
    numbers = np.arange(first, first + count, dtype=np.int64)
    sampler = work.sampler
    every = np.ones(sampler.lemmas, np.uint8)
    found = sampler.survey(work.tables.strata[0], numbers, every)
    return found._replace(batch=Batch(numbers, _NO_RULES, _NO_TEXTS, found.batch.too_long))


def encode(work: SentenceWork, numbers: NDArray[np.int64]) -> bytes:
    """Return these candidates as rows: lines, or a packed table.

    Raises ``FormatError`` for a text with a tab or a line end where rows are lines.
    """
    batch = work.sampler.derive(work.tables.strata[0], numbers)
    try:
        columns = [work.column(name, batch) for name in work.layers]
    except TextTooLongError as problem:
        raise FormatError(str(problem)) from problem
    table = pa.table(columns, names=list(work.layers))
    return _lines(table) if work.form == TSV else packed_table(table)


def _lines(table: pa.Table) -> bytes:
    """Return rows as lines; together they may have more than 2 GiB."""
    columns = [column.cast(pa.large_string()) for column in table.columns]
    tab = pa.scalar("\t", pa.large_string())
    text = b"".join(map(lines_of, pc.binary_join_element_wise(*columns, tab).chunks))
    ends, tabs = table.num_rows, table.num_rows * (table.num_columns - 1)
    if (text.count(b"\n"), text.count(b"\t"), text.count(b"\r")) != (ends, tabs, 0):
        raise FormatError("a text has a tab or a line end; write Parquet, which can hold them")
    return text
