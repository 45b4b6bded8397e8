"""Read the tables of a dataset: TSV and Parquet, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from sgl.verify.conllu import Malformed

#: No row of a benchmark comes near this number of bytes.
_LONGEST_ROW = 1 << 20
_BATCH = 10_000
_COLUMNS = ("source", "target", "category", "split_kind")


class ParquetError(Exception):
    """A Parquet file that cannot be read; the message says why."""


class Row(NamedTuple):
    """A row; ``kind`` is ``iid``, ``exposure`` or ``gen``, in Parquet only."""

    source: str
    target: str
    category: str
    kind: str = ""


def tsv_path(split: str, folder: str = "") -> str:
    """The TSV file of a split, inside the dataset; a further target has a folder of its own."""
    return f"data/{folder}/{split}.tsv" if folder else f"data/{split}.tsv"


def parquet_path(split: str) -> str:
    """The Parquet file of a split, inside the dataset."""
    return f"parquet/{split}.parquet"


def parquet_is_readable() -> bool:
    """Whether the library that reads Parquet is installed."""
    return find_spec("pyarrow") is not None


def read_tsv(path: Path) -> Iterator[Row | Malformed]:
    """The rows of a TSV file in order; raises ``OSError`` only."""
    with path.open("rb") as stream:
        number = 0
        while line := stream.readline(_LONGEST_ROW):
            number += 1
            yield _read_row(line, number)


def count_lines(path: Path) -> int:
    """The number of lines of a file, counting a last one that is not ended."""
    with path.open("rb") as stream:
        count = 0
        last = b"\n"
        while chunk := stream.read(1 << 20):
            count += chunk.count(b"\n")
            last = chunk[-1:]
    return count + (last != b"\n")


def read_parquet(path: Path, target: str = "target") -> Iterator[Row]:
    """The rows of a Parquet file in order, with one of its targets; raises ``ParquetError``."""
    wanted = [target if name == "target" else name for name in _COLUMNS]
    arrow = import_module("pyarrow")
    try:
        file = import_module("pyarrow.parquet").ParquetFile(path)
        missing = [name for name in wanted if name not in file.schema_arrow.names]
        if missing:
            raise ParquetError(f"no column {', '.join(missing)}")
        for batch in file.iter_batches(_BATCH, columns=wanted):
            columns = [batch.column(name).to_pylist() for name in wanted]
            yield from map(Row, *columns)
    except (arrow.ArrowException, OSError, ValueError) as error:
        raise ParquetError(str(error).partition("\n")[0]) from None


def count_parquet(path: Path) -> int:
    """The number of rows of a Parquet file; raises ``ParquetError``."""
    arrow = import_module("pyarrow")
    try:
        return int(import_module("pyarrow.parquet").ParquetFile(path).metadata.num_rows)
    except (arrow.ArrowException, OSError, ValueError) as error:
        raise ParquetError(str(error).partition("\n")[0]) from None


def _read_row(line: bytes, number: int) -> Row | Malformed:
    if not line.endswith(b"\n"):
        return Malformed(number, "the line is cut off or too long")
    try:
        cells = line[:-1].decode("utf-8").split("\t")
    except UnicodeDecodeError as error:
        return Malformed(number, f"not UTF-8 at byte {error.start + 1} of the line")
    if len(cells) != 3 or "\r" in cells[-1]:
        return Malformed(number, "not a source, a target and a category")
    return Row(*cells)
