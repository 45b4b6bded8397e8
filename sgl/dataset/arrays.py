"""Columns of texts as rows of a file and as arrays of Arrow."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sgl.core.column import SLACK, Column, as_bytes
from sgl.dataset.errors import TextTooLongError
from sgl.dataset.row_kernel import breaks, write_rows
from sgl.sampling.rows import row_of

#: Bytes that the texts of one array of Arrow can have.
MOST_BYTES = (1 << 31) - 1


def rows_of(source: Column, target: Column, category: str) -> bytes:
    """Rows of source, target and category, as ``sgl.sampling.rows.row_of`` writes them.

    Raises ``ValueError`` if a field has a tab or line end.
    """
    ending = f"\t{category}\n".encode()
    for column in (source, target, Column.of([category])):
        if breaks(column.data, column.offsets[0], column.offsets[-1]):
            _check_rows(source, target, category)
            break
    size = source.size + target.size + source.rows * (len(ending) + 2)
    rows = np.empty(size + 2 * SLACK, np.uint8)
    end = write_rows(
        source.data,
        source.offsets,
        target.data,
        target.offsets,
        as_bytes(ending),
        len(ending),
        rows,
    )
    return rows[:end].tobytes()


def _check_rows(source: Column, target: Column, category: str) -> None:
    for first, second in zip(source.texts(), target.texts(), strict=True):
        row_of(first, second, category)


def content(column: Column) -> NDArray[np.uint8]:
    """The bytes of all texts of a column, one behind the other."""
    return column.data[column.offsets[0] : column.offsets[-1]]


def joined(columns: Sequence[Column]) -> Column:
    """The texts of several columns, one column after the other."""
    if len(columns) == 1:
        return columns[0]
    parts = [content(column) for column in columns]
    lengths = [np.diff(column.offsets) for column in columns]
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(lengths))])
    return Column(np.concatenate([*parts, np.zeros(SLACK, np.uint8)]), offsets)


def arrow_array(column: Column) -> Any:  # noqa: ANN401 - pyarrow ships no types
    """A column as a chunked array of Arrow, over the same bytes.

    An array counts the bytes of its texts with 32 bits.  A column with more of them becomes
    several arrays, one behind the other; in files that is the same column.

    Raises ``TextTooLongError`` if there is a text that no array can hold.
    """
    cuts = _cuts(column.offsets)
    arrays = [_array(column, first, last) for first, last in pairwise(cuts)]
    return pa.chunked_array(arrays, pa.string())


def _cuts(offsets: NDArray[np.int64]) -> list[int]:
    """Row numbers between which there are as many texts as an array can hold."""
    rows = len(offsets) - 1
    cuts = [0]
    while cuts[-1] < rows:
        room = offsets[cuts[-1]] + MOST_BYTES
        cut = int(np.searchsorted(offsets, room, "right")) - 1
        if cut == cuts[-1]:
            raise TextTooLongError("a text has more than 2 GiB, too many for a column of a file")
        cuts.append(min(cut, rows))
    return cuts


def _array(column: Column, first: int, last: int) -> Any:  # noqa: ANN401
    """The texts of some rows as one array."""
    start, end = column.offsets[first], column.offsets[last]
    offsets = (column.offsets[first : last + 1] - start).astype(np.int32)
    data = np.ascontiguousarray(column.data[start:end])
    return pa.StringArray.from_buffers(last - first, pa.py_buffer(offsets), pa.py_buffer(data))
