"""Read Parquet from strangers, where a few kilobytes can expand to any number of rows and letters.

A column is a sequence of pages.  The header of each states how many values it has and how many bytes they take when
unpacked, and Arrow allocates as much.  So the headers are read first, and a file with a page larger than any table of
texts and numbers needs is refused before a page is unpacked.  Values that rows share stay shared until their total
length is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from errno import EINVAL
from importlib import import_module
from importlib.util import find_spec
from io import SEEK_END, BufferedReader, BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from sgl.foreign import TABLE, ForeignFileError, opened

#: Whether the library that reads Parquet is installed.
READABLE = find_spec("pyarrow") is not None

#: The most bytes of an unpacked page.  Most programs write pages of 1 MiB.
LARGEST_PAGE = 64 << 20

#: The most rows and bytes of one file that are kept in memory.
MOST_ROWS = 10_000_000
LARGEST_TABLE = 2 << 30

#: Rows that are examined together before they are kept.
_BATCH = 1 << 16

#: The most bytes that a value takes besides its letters.
_VALUE = 8

#: The type of lists of texts, as datasets have them of right answers.
TEXTS = "list<element: string>"

#: The encoding in which a value repeats the beginning of the one before: a page can have more letters than bytes.
_REPEATING = 7

#: For each kind of page, the header field that has its number of values, and the place of their encoding in that field.
_PAGES = {0: (5, 2), 2: (7, 2), 3: (8, 4)}

#: The deepest nesting of structures and lists that is read.
_DEEPEST = 10

_DAMAGED = "it is damaged or not a Parquet file"


@contextmanager
def parquet(
    path: Path, shared: Sequence[str] = (), *, inside: Path | None = None, whole: bool = False
) -> Iterator[Any]:
    """Open a file as Arrow's ``ParquetFile``; errors in the block become ``ForeignFileError``.

    Values of the ``shared`` columns are kept once.  A file that is to be read ``whole`` is refused if it has more rows
    or bytes than memory may hold.
    """
    arrow, reader = import_module("pyarrow"), import_module("pyarrow.parquet").ParquetFile
    try:
        with opened(path, TABLE, inside=inside) as stream:
            size = _size(path, stream)
            # Use one thread: Arrow's own threads end the process if memory runs short.
            file = reader(stream, read_dictionary=[*shared], pre_buffer=False)
            if whole and (rows := file.metadata.num_rows) > MOST_ROWS:
                raise ForeignFileError(path, f"it has {rows:,} rows; it may have at most {MOST_ROWS:,}")
            if whole and size > LARGEST_TABLE:
                raise _too_large(path)
            yield file
    except ForeignFileError:
        raise
    except MemoryError:
        raise ForeignFileError(path, "it is damaged, or needs more memory than is available") from None
    except OSError as problem:
        # Arrow reports damage as an OSError without a number, or as a bad place in the file.
        reason = problem.strerror if problem.errno != EINVAL else None
        raise ForeignFileError(path, reason or _DAMAGED) from None
    except (arrow.ArrowException, ValueError, LookupError, TypeError, AttributeError, OverflowError):
        raise ForeignFileError(path, _DAMAGED) from None


def table_of(path: Path, *, inside: Path | None = None) -> Any:  # noqa: ANN401 - Arrow has no types
    """Return all rows of a file of texts and numbers, lists of texts and structures of numbers, as a table of Arrow."""
    arrow = import_module("pyarrow")
    with parquet(path, inside=inside, whole=True) as file:
        schema, types = file.schema_arrow, arrow.types
        for column in schema:
            own = [each.type for each in (column.type.fields if types.is_struct(column.type) else [column])]
            numbers = all(types.is_primitive(kind) or types.is_null(kind) for kind in own)
            if not (numbers or _is_text(column.type) or str(column.type) == TEXTS):
                raise ForeignFileError(path, f"the column `{column.name}` has neither texts nor numbers")
    size, batches = 0, []
    shared = [column.name for column in schema if _is_text(column.type)]
    shared += [f"{column.name}.list.element" for column in schema if str(column.type) == TEXTS]
    with parquet(path, shared, inside=inside) as file:
        for batch in file.iter_batches(_BATCH, use_threads=False):
            size += sum(map(_bytes, batch.columns))
            if size > LARGEST_TABLE:
                raise _too_large(path)
            batches.append(batch.cast(schema))
            # Arrow does not guarantee that its texts are valid.
            batches[-1].validate(full=True)
        return arrow.Table.from_batches(batches, schema)


def longest_value(column: Any) -> int:  # noqa: ANN401 - an array of Arrow
    """Return the length in bytes of the longest value of a shared column."""
    compute = import_module("pyarrow.compute")
    return int(compute.max(compute.binary_length(column.dictionary)).as_py() or 0)


def _bytes(column: Any) -> int:  # noqa: ANN401 - an array of Arrow
    """Return how many bytes the values of a column take if none are shared."""
    if hasattr(column, "value_lengths"):
        return _VALUE * len(column) + _bytes(column.flatten())
    if not hasattr(column, "dictionary"):
        return int(column.nbytes)
    compute = import_module("pyarrow.compute")
    lengths = compute.take(compute.binary_length(column.dictionary).cast("int64"), column.indices)
    return _VALUE * len(column) + (compute.sum(lengths).as_py() or 0)


def _is_text(kind: Any) -> bool:  # noqa: ANN401 - a type of Arrow
    types = import_module("pyarrow").types
    kind = kind.value_type if types.is_dictionary(kind) else kind
    return bool(types.is_string(kind) or types.is_large_string(kind))


def _too_large(path: Path) -> ForeignFileError:
    reason = f"it has more than {LARGEST_TABLE:,} bytes when unpacked"
    return ForeignFileError(path, reason, hint="read it in pieces, with `pyarrow.parquet.ParquetFile`")


def _size(path: Path, stream: BufferedReader) -> int:
    """Return the total size of all unpacked pages in bytes; raises ``ForeignFileError`` for a page that is not allowed.

    Arrow ends the process if it is asked for a column whose footer contradicts itself, so the footer is read here.
    """
    stream.seek(-8, SEEK_END)
    length = int.from_bytes(stream.read(4), "little")
    stream.seek(-8 - length, SEEK_END)
    size = 0
    for group in _Thrift(BytesIO(stream.read(length))).struct()[4]:
        for chunk in group[1]:
            column = chunk[3]
            begin = min(filter(None, (column.get(11), column[9])), default=0)
            end = stream.seek(begin) + column[7]
            while stream.tell() < end:
                size += _page(path, stream)
    return size


def _page(path: Path, stream: BufferedReader) -> int:
    """Skip a page and return its size in bytes."""
    header = _Thrift(stream).struct()
    member, place = _PAGES[header[1]]
    unpacked, packed, values, encoding = header[2], header[3], header[member][1], header[member][place]
    if min(unpacked, packed, values) < 0:
        raise ValueError
    if unpacked > LARGEST_PAGE:
        raise ForeignFileError(path, f"a page of it has {unpacked:,} bytes when unpacked")
    if encoding == _REPEATING:
        raise ForeignFileError(path, "a column of it is written as differences of texts (DELTA_BYTE_ARRAY)")
    stream.seek(packed, 1)
    return int(unpacked + _VALUE * values)


class _Thrift:
    """A reader of structures with numbered fields in Thrift's compact protocol; it skips texts."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Return the fields by number; raises ``ValueError`` for anything that no Parquet file has."""
        fields, number = dict[int, Any](), 0
        while kind := self._byte():
            number = number + (kind >> 4) if kind >> 4 else self._number()
            fields[number] = kind & 15 == 1 if kind & 15 in (1, 2) else self._value(kind & 15, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:  # noqa: ANN401 - of any type of Thrift
        if depth > _DEEPEST:
            raise ValueError
        if kind in (1, 2, 3):
            return self._byte()
        if kind in (4, 5, 6):
            return self._number()
        if kind == 8:
            return self._stream.seek(self._varint(), 1)
        if kind == 9:
            head = self._byte()
            length = head >> 4 if head >> 4 < 15 else self._varint()
            return [self._value(head & 15, depth + 1) for _ in range(length)]
        if kind == 12:
            return self.struct(depth + 1)
        raise ValueError

    def _number(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise ValueError

    def _byte(self) -> int:
        byte = self._stream.read(1)
        if not byte:
            raise ValueError
        return byte[0]
