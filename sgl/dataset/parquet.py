"""Write Parquet files: their columns, and how tables of rows come to them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

from sgl.core.plan import Plan

#: Columns of the Parquet files.
SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("source", pa.string()),
        ("target", pa.string()),
        ("category", pa.string()),
        ("split_kind", pa.string()),
        ("derivation", pa.string()),
        ("depth", pa.int32()),
        ("features", pa.string()),
        ("seed_stream", pa.string()),
    ]
)


#: Columns with few values.
DICTIONARY = ("category", "split_kind", "features")

#: The level of compression by zstd.
LEVEL = 3


def schema_of(plan: Plan) -> Any:  # noqa: ANN401 - pyarrow ships no types
    """Return the columns of the Parquet files, one more for each further target."""
    further = [pa.field(f"target_{name}", pa.string()) for name in plan.further]
    return pa.schema([*SCHEMA, *further])


class ParquetFile:
    """A Parquet file that takes packed tables, each of which becomes a row group.

    The values of the columns ``dictionary`` are numbered.  No column has statistics: the
    least and the greatest of distinct sentences say nothing.
    """

    def __init__(
        self,
        path: Path,
        schema: Any,  # noqa: ANN401
        dictionary: Sequence[str] = DICTIONARY,
        level: int = LEVEL,
    ) -> None:
        self._writer = pq.ParquetWriter(
            path,
            schema,
            version="2.6",
            compression="zstd",
            compression_level=level,
            use_dictionary=list(dictionary) or False,
            write_statistics=False,
            store_schema=False,
        )

    def write(self, packed: bytes) -> None:
        """Append the rows of a packed table."""
        self.append(unpacked_table(packed))

    def append(self, table: Any) -> None:  # noqa: ANN401
        """Append the rows of a table."""
        self._writer.write_table(table, row_group_size=max(table.num_rows, 1))

    def close(self) -> None:
        """Complete the file."""
        self._writer.close()

    def __enter__(self) -> Self:
        """Use the file in a ``with`` block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Complete the file."""
        self.close()


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
