"""Columns of texts as the lines of a file and as arrays of Arrow."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sgl.core.column import SLACK, Column
from sgl.dataset.errors import TextTooLongError
from sgl.sampling.rows import row_of

#: Bytes that the texts of one array of Arrow can have.
MOST_BYTES = (1 << 31) - 1


def rows_of(source: Column, target: Column, category: str) -> bytes:
    """Return rows of source, target and category, as ``sgl.sampling.rows.row_of`` writes them.

    Raises:
        ValueError: a field has a tab or line end.
    """
    rows = pc.binary_join_element_wise(arrow_array(source), arrow_array(target), category, "\t")
    lines = b"".join(map(lines_of, rows.chunks))
    if lines.count(b"\t") != 2 * len(rows) or len(lines.decode().splitlines()) != len(rows):
        for first, second in zip(source.texts(), target.texts(), strict=True):
            row_of(first, second, category)
    return lines


def lines_of(texts: Any) -> bytes:  # noqa: ANN401 - pyarrow ships no types
    """Return the texts of an array of Arrow, each with a line end."""
    # The texts of a new array lie one behind the other.
    _, offsets, data = pc.binary_join_element_wise(texts, "", "\n").buffers()
    if not len(texts):
        return b""
    size = int(np.frombuffer(offsets, np.int32)[len(texts)])
    lines: bytes = data.slice(0, size).to_pybytes()
    return lines


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

    An array counts the bytes of its texts with 32 bits.  A column with more of them becomes
    several arrays, one behind the other; in files that is the same column.

    Raises:
        TextTooLongError: there is a text that no array can hold.
    """
    cuts = _cuts(column.offsets)
    arrays = [_array(column, first, last) for first, last in pairwise(cuts)]
    return pa.chunked_array(arrays, pa.string())


def _cuts(offsets: NDArray[np.int64]) -> list[int]:
    """Return row numbers between which there are as many texts as an array can hold."""
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
    """Return the texts of some rows as one array."""
    start, end = column.offsets[first], column.offsets[last]
    offsets = (column.offsets[first : last + 1] - start).astype(np.int32)
    data = np.ascontiguousarray(column.data[start:end])
    return pa.StringArray.from_buffers(last - first, pa.py_buffer(offsets), pa.py_buffer(data))
