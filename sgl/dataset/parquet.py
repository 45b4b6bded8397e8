"""The Parquet files of a dataset: their columns, and how rows are encoded."""

from __future__ import annotations

import io
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


def schema_of(plan: Plan) -> Any:  # noqa: ANN401 - pyarrow ships no types
    """The columns of the Parquet files, one more for each further target."""
    schema = SCHEMA
    for name in plan.further:
        schema = schema.append(pa.field(f"target_{name}", pa.string()))
    return schema


def row_groups(table: Any) -> bytes:  # noqa: ANN401
    """A table of Arrow as a Parquet file; one without rows has no row groups."""
    stream = io.BytesIO()
    with pq.ParquetWriter(
        stream,
        table.schema,
        version="2.6",
        compression="zstd",
        compression_level=3,
        use_dictionary=["category", "split_kind", "features"],
        write_statistics=False,
        store_schema=False,
    ) as writer:
        if table.num_rows:
            writer.write_table(table, row_group_size=ROWS)
    return stream.getvalue()
