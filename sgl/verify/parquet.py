"""Read the Parquet files of a dataset, whose columns are texts and whole numbers.

A file of some kilobytes can stand for texts of any size: one long value that all rows share,
or zeros that were compressed.  So few rows are read at a time, values that rows share stay
shared, and what is longer than any row of a benchmark is refused before it becomes a text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sgl.foreign import TABLE, opened

#: Whether the library that reads Parquet is installed.
READABLE = find_spec("pyarrow") is not None

#: The columns of a dataset, to which one for each further target is added.
COLUMNS = (
    *("id", "source", "target", "category", "split_kind"),
    *("derivation", "depth", "features", "seed_stream"),
)
_TYPES = {"string", "int32"}

#: Rows that are read at a time, and the most bytes of a value.
_BATCH = 1_000
_LONGEST = 1 << 20

#: What other libraries note of the types of columns.
_NOTED = {b"ARROW:schema"}


class ParquetError(Exception):
    """A Parquet file that cannot be read; the message says why."""


def rows_in(path: Path) -> int:
    """Return the number of rows that a file says it has."""
    with _parquet(path) as file:
        return int(file.metadata.num_rows)


def read_columns(path: Path, wanted: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield the values of some columns, row by row."""
    with _parquet(path) as file:
        types = {field.name: str(field.type) for field in file.schema_arrow}
    missing = [name for name in wanted if types.get(name) not in _TYPES]
    if missing:
        raise ParquetError(f"no column {', '.join(missing)} of texts or numbers")
    texts = [name for name in wanted if types[name] == "string"]
    with _parquet(path, texts) as file:
        for batch in file.iter_batches(_BATCH, columns=[*wanted], use_threads=False):
            yield from zip(*[_values(batch.column(name)) for name in wanted], strict=True)


def other_columns(path: Path, further: Sequence[str]) -> str:
    """Return how the columns differ from those of a dataset with further targets, if they do."""
    expected = {name: "int32" if name == "depth" else "string" for name in COLUMNS}
    expected |= {f"target_{name}": "string" for name in further}
    with _parquet(path) as file:
        found = [(field.name, str(field.type), field.metadata) for field in file.schema_arrow]
        notes = {*(file.metadata.metadata or ())} | {*(file.schema_arrow.metadata or ())}
    if found != [(name, kind, None) for name, kind in expected.items()]:
        shown = ", ".join(f"{name} ({kind})" for name, kind, _ in found)
        return f"the columns are {shown}, not {', '.join(expected)}"
    return "the file has notes that no dataset has" if notes - _NOTED else ""


@contextmanager
def _parquet(path: Path, shared: Sequence[str] = ()) -> Iterator[Any]:
    """Open a Parquet file; whatever is wrong with it raises ``ParquetError``."""
    arrow = import_module("pyarrow")
    try:
        with opened(path, TABLE) as stream:
            reader = import_module("pyarrow.parquet").ParquetFile
            # One thread: those that Arrow starts end the process where memory is short.
            yield reader(stream, read_dictionary=[*shared], pre_buffer=False)
    except (arrow.ArrowException, OSError, ValueError, KeyError, MemoryError) as error:
        # What Arrow says of damage is for those who write Arrow.
        damage = "it is damaged, or no Parquet file"
        if isinstance(error, MemoryError):
            damage = "it is damaged, or needs more memory than there is"
        reason = getattr(error, "strerror", None) or damage
        raise ParquetError(reason) from None


def _values(column: Any) -> list[Any]:  # noqa: ANN401 - an array of Arrow
    """Return the values of a column; rows with the same one have the same object."""
    if not hasattr(column, "dictionary"):
        return list(column.to_pylist())
    compute = import_module("pyarrow.compute")
    if (compute.max(compute.binary_length(column.dictionary)).as_py() or 0) > _LONGEST:
        raise ParquetError(f"a value has more than {_LONGEST:,} bytes")
    texts = [*column.dictionary.to_pylist(), None]
    return [texts[-1 if place is None else place] for place in column.indices.to_pylist()]
