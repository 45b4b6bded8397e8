"""Put Parquet files together whose row groups were written apart.

A file is a body of row groups and a footer that says where each column of each group is::

    PAR1 | group group ... | footer | length of the footer | PAR1

Pieces with the same columns become one file without being decompressed: bodies are copied,
and in the footers every place is moved by as much as its piece was.  The result is the file
that one writer would have written, byte for byte; Arrow itself can only put together files
that stay apart.
"""

from __future__ import annotations

from typing import BinaryIO

from sgl.dataset.thrift import Field, Items, Struct, decode, encode, replaced, value_of

_MAGIC = b"PAR1"

#: Fields of the footer, of a row group, of a column and of what a column is: parquet.thrift.
_ROWS, _GROUPS = 3, 4
_COLUMNS, _GROUP_PLACE, _ORDINAL = 1, 5, 7
_COLUMN_PLACE, _META = 2, 3
_PLACES = (9, 10, 11)


class ParquetJoin:
    """Writes pieces, one after the other, as one Parquet file.

    ``empty`` is a piece without rows, which says what the file is if no other does.
    """

    def __init__(self, stream: BinaryIO, empty: bytes = b"") -> None:
        self._stream = stream
        self._stream.write(_MAGIC)
        self._end = len(_MAGIC)
        self._footer: Struct = []
        self._rows = 0
        self._groups: list[Struct] = []
        if empty:
            self.append(empty)

    def append(self, piece: bytes) -> None:
        """Append the row groups of a complete file."""
        length = int.from_bytes(piece[-8:-4], "little")
        if not piece.startswith(_MAGIC) or not piece.endswith(_MAGIC) or length > len(piece) - 12:
            raise ValueError("a piece is not a Parquet file")
        footer = decode(piece[-8 - length : -8])
        body = memoryview(piece)[len(_MAGIC) : len(piece) - 8 - length]
        shift = self._end - len(_MAGIC)
        self._stream.write(body)
        self._end += len(body)
        # Only a footer with groups says of what type these are.
        if not self._groups:
            self._footer = footer
        self._rows += value_of(footer, _ROWS)
        for group in value_of(footer, _GROUPS).values:
            self._groups.append(_moved_group(group, shift, len(self._groups)))

    def close(self) -> None:
        """Write the footer."""
        groups = Items(value_of(self._footer, _GROUPS).type, list(self._groups))
        footer = encode(replaced(self._footer, {_ROWS: self._rows, _GROUPS: groups}))
        self._stream.write(footer + len(footer).to_bytes(4, "little") + _MAGIC)


def _moved_group(group: Struct, shift: int, ordinal: int) -> Struct:
    columns = value_of(group, _COLUMNS)
    moved = columns._replace(values=[_moved_column(column, shift) for column in columns.values])
    values = {_COLUMNS: moved, _ORDINAL: ordinal}
    return _shifted(replaced(group, values), (_GROUP_PLACE,), shift)


def _moved_column(column: Struct, shift: int) -> Struct:
    meta = _shifted(value_of(column, _META), _PLACES, shift)
    return _shifted(replaced(column, {_META: meta}), (_COLUMN_PLACE,), shift)


def _shifted(struct: Struct, places: tuple[int, ...], shift: int) -> Struct:
    """The struct with these places moved; a place of 0 says that there is none."""
    return [
        Field(number, kind, value + shift)
        if number in places and value
        else Field(number, kind, value)
        for number, kind, value in struct
    ]
