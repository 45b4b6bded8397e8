"""The Parquet files of a dataset: their columns, and how rows are encoded."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from sgl.core.plan import Plan
from sgl.dataset.chunk import ROWS

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
    """The columns of the Parquet files, one more for each further target."""
    schema = SCHEMA
    for name in plan.further:
        schema = schema.append(pa.field(f"target_{name}", pa.string()))
    return schema


def row_groups(
    table: Any,  # noqa: ANN401
    dictionary: Sequence[str] = DICTIONARY,
    level: int = LEVEL,
    rows: int = ROWS,
) -> bytes:
    """A table of Arrow as a Parquet file; one without rows has no row groups.

    The values of the columns ``dictionary`` are numbered.  No column has statistics: the
    least and the greatest of distinct sentences say nothing.
    """
    stream = io.BytesIO()
    with pq.ParquetWriter(
        stream,
        table.schema,
        version="2.6",
        compression="zstd",
        compression_level=level,
        use_dictionary=list(dictionary) or False,
        write_statistics=False,
        store_schema=False,
    ) as writer:
        if table.num_rows:
            writer.write_table(table, row_group_size=rows)
    return stream.getvalue()
