"""Columns of texts as lines of a file, as arrays of Arrow, and as columns of Parquet files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sgl.core.arrays import SLACK, Column, Derivations
from sgl.core.plan import Plan
from sgl.dataset.chunk import Selection, TextTooLongError
from sgl.sampling.rows import row_of

#: Bytes that the texts of one array of Arrow can have.
MOST_BYTES = (1 << 31) - 1

#: Columns of the Parquet files.
_NAMES = (*("id", "source", "target", "category", "split_kind"), *("derivation", "depth", "features", "seed_stream"))
SCHEMA = pa.schema([(x, pa.int32() if x == "depth" else pa.string()) for x in _NAMES])

#: Columns with few values.
DICTIONARY = ("category", "split_kind", "features")

#: The level of compression by zstd.
LEVEL = 3


def rows_of(source: Column, target: Column, category: str) -> bytes:
    """Return rows as ``sgl.sampling.rows.row_of``; raises ``ValueError`` for tabs or line ends."""
    rows = pc.binary_join_element_wise(arrow_array(source), arrow_array(target), category, "\t")
    lines = b"".join(map(lines_of, rows.chunks))
    if lines.count(b"\t") != 2 * len(rows) or len(lines.decode().splitlines()) != len(rows):
        for first, second in zip(source.texts(), target.texts(), strict=True):
            row_of(first, second, category)
    return lines


def lines_of(texts: Any) -> bytes:  # noqa: ANN401
    """Return the texts of an array of Arrow, each with a line end."""
    # The texts of a new array lie one behind the other.
    end = (pa.scalar(part, texts.type) for part in ("", "\n"))
    _, offsets, data = pc.binary_join_element_wise(texts, *end).buffers()
    if not len(texts):
        return b""
    width = np.int64 if pa.types.is_large_string(texts.type) else np.int32
    size = int(np.frombuffer(offsets, width)[len(texts)])
    lines: bytes = data.slice(0, size).to_pybytes()
    return lines


def streams_of(selection: Selection) -> Any:  # noqa: ANN401
    """Return which candidates of which stream these are, as texts in an array of Arrow."""
    numbers = pc.cast(pa.array(selection.numbers), pa.string())
    return pc.binary_join_element_wise(selection.stratum.stream, numbers, "#")


def derivation_lines(streams: Any, derivations: Derivations) -> bytes:  # noqa: ANN401
    """Return a line for each candidate: which it is, and the rules of a derivation in preorder."""
    offsets = pa.array(derivations.offsets.astype(np.int32))
    numbers = pa.array(derivations.rules[: int(derivations.offsets[-1])])
    rules = pa.ListArray.from_arrays(offsets, pc.cast(numbers, pa.string()))
    return lines_of(pc.binary_join_element_wise(streams, pc.binary_join(rules, " "), "\t"))


def content(column: Column) -> NDArray[np.uint8]:
    """Return the bytes of all texts of a column, one behind the other."""
    return column.data[column.offsets[0] : column.offsets[-1]]


def joined(columns: Sequence[Column]) -> Column:
    """Return the texts of several columns, one column after the other."""
    if len(columns) == 1:
        return columns[0]
    parts = [content(column) for column in columns]
    lengths = [np.diff(column.offsets) for column in columns]
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(lengths))])
    return Column(np.concatenate([*parts, np.zeros(SLACK, np.uint8)]), offsets)


def arrow_array(column: Column) -> Any:  # noqa: ANN401
    """Return a column as a chunked array of Arrow, over the same bytes.

    A chunk counts its bytes with 32 bits, so a long column has several; in files there is no
    difference.  Raises ``TextTooLongError`` if no chunk can hold a text.
    """
    arrays, first = [], 0
    while first < column.rows:
        start = column.offsets[first]
        end = int(np.searchsorted(column.offsets, start + MOST_BYTES, "right")) - 1
        if end == first:
            raise TextTooLongError("a text has more than 2 GiB, too many for a column of a file")
        end = min(end, column.rows)
        offsets = (column.offsets[first : end + 1] - start).astype(np.int32)
        data = np.ascontiguousarray(column.data[start : column.offsets[end]])
        buffers = pa.py_buffer(offsets), pa.py_buffer(data)
        arrays.append(pa.StringArray.from_buffers(end - first, *buffers))
        first = end
    return pa.chunked_array(arrays, pa.string())


def schema_of(plan: Plan) -> Any:  # noqa: ANN401
    """Return the columns of the Parquet files, one more for each further target."""
    further = [pa.field(f"target_{name}", pa.string()) for name in plan.further]
    return pa.schema([*SCHEMA, *further])


def parquet_writer(
    path: Path,
    schema: Any,  # noqa: ANN401
    dictionary: Sequence[str] = DICTIONARY,
    level: int = LEVEL,
) -> Any:  # noqa: ANN401
    """Open a Parquet file, whose ``write_table`` makes a row group of each table.

    The values of the columns ``dictionary`` are numbered.  No column has statistics: the
    least and the greatest of distinct sentences say nothing.
    """
    return pq.ParquetWriter(
        path,
        schema,
        version="2.6",
        compression="zstd",
        compression_level=level,
        use_dictionary=list(dictionary) or False,
        write_statistics=False,
        store_schema=False,
    )


def packed_table(table: Any) -> bytes:  # noqa: ANN401
    """Return a table of Arrow as bytes, on its way from a worker to the file."""
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, table.schema, options=options) as stream:
        stream.write_table(table)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def unpacked_table(packed: bytes) -> Any:  # noqa: ANN401
    """Return the table that was packed."""
    return pa.ipc.open_stream(packed).read_all()
