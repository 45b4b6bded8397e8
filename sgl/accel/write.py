"""Fill columns of texts from templates, for many derivations at once.

One kernel numbers the shapes of derivations; the other fills in constants, words and other columns.  The plain
definition is ``sgl.rendering.output.TemplateWriter``.
"""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sgl.accel.jit import kernel
from sgl.accel.machine import copy, put, rehash, slot
from sgl.core.arrays import SLACK, Column, Derivations, Heading, StringPool, as_bytes

Value = TypeVar("Value", np.int64, np.int32)

#: Operations that write no word: none, and columns, numbered down from ``COLUMN``.
NOTHING, COLUMN = -1, -2

#: An operation that writes a word has the place of its rule in the lowest bits and its table above.
PLACE_BITS = 32

#: With fewer derivations per shape, templates do not pay.
_FEW = 2

#: The initial rows of the table of shapes, which grows with the first shape; it is at most half full.
_ROWS = 1


class TemplateTable:
    """The templates of an output, by number of shape; 0 means no shape."""

    def __init__(self) -> None:
        #: The number of numbered shapes.
        self.shapes = 0
        self._table = np.zeros((_ROWS, 3), np.uint64)
        self._classes: NDArray[np.uint64] | None = None
        self._pool = StringPool()
        self._words = np.zeros((0, 0), np.int64)
        #: The number of derivations so far, and the code of each shape, 0 until a template was sought.
        self._written = 0
        self._codes = np.zeros(1, np.int32)
        # Code 0 copies the text from the first column.
        self._ends = np.array([0, 1], np.int64)
        self._constants = np.array([self._pool.add("")], np.int64)
        self._operations = np.array([COLUMN], np.int64)
        #: Estimated bytes per text, from the last column written.
        self._guess = 64

    def numbers(
        self, derivations: Derivations, classes: Sequence[int], most: int
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the shape of each derivation, at most ``most``, and the first row of each that needs a template."""
        if self._classes is None:
            # Scramble the class numbers into values that look random.
            mixed = (np.array(classes, np.uint64) + np.uint64(1)) * np.uint64(0xBF58476D1CE4E5B9)
            self._classes = (mixed ^ (mixed >> np.uint64(31))) * np.uint64(0x94D049BB133111EB)
        while 2 * (self.shapes + derivations.number) > len(self._table):
            larger = np.zeros((2 * len(self._table), 3), np.uint64)
            rehash(self._table, larger)
            self._table = larger
        numbers = np.empty(derivations.number, np.int32)
        rules, offsets = derivations.rules, derivations.offsets
        found = number_shapes(rules, offsets, self._classes, self._table, self.shapes, most, numbers)
        self.shapes += found
        self._written += derivations.number
        self._codes = _longer(self._codes, [0] * found)
        worth = self._written >= _FEW * self.shapes
        rows = np.flatnonzero((self._codes[numbers] == 0) & (numbers > 0) & worth)
        return numbers, rows[np.unique(numbers[rows], return_index=True)[1]]

    def add(
        self, shapes: NDArray[np.int32], templates: Sequence[tuple[Sequence[str], Sequence[tuple[int, int]]] | None]
    ) -> None:
        """Add the templates of some shapes; None leaves a shape to the definition.

        A template has constants and, between them, words, each given by the place of a rule and a table.
        """
        constants: list[int] = []
        operations: list[int] = []
        ends: list[int] = []
        for template in templates:
            texts, words = template or (("",), ())
            constants += map(self._pool.add, texts)
            operations += [place | table << PLACE_BITS for place, table in words]
            operations.append(COLUMN if template is None else NOTHING)
            ends.append(len(self._constants) + len(constants))
        self._codes[shapes] = np.arange(len(ends)) + len(self._ends) - 1
        self._constants = _longer(self._constants, constants)
        self._operations = _longer(self._operations, operations)
        self._ends = _longer(self._ends, ends)

    def others(self, numbers: NDArray[np.int32]) -> list[int]:
        """Return the rows that have no template."""
        without = self._operations[self._ends[1:] - 1] == COLUMN
        found: list[int] = np.flatnonzero(without[self._codes[numbers]]).tolist()
        return found

    def column(
        self,
        derivations: Derivations,
        numbers: NDArray[np.int32],
        tables: Sequence[Sequence[str]],
        heading: Sequence[Heading],
        others: Mapping[int, str],
    ) -> Column:
        """Return the texts of derivations of these shapes, each after its heading.

        ``tables`` has the tables of words; ``others`` the texts of rows without a template.
        """
        rows = len(numbers)
        self._add_words(tables)
        columns = [_scattered(others, rows)]
        code = self._code_of(heading, columns)
        rules, offsets = derivations.rules, derivations.offsets
        given = (
            *(rules, offsets, self._codes[numbers]),
            *(self._ends, self._constants, self._operations),
            *(self._words, self._pool.packed(), self._pool.longest + SLACK),
            *(code, *_side_by_side(columns)),
        )
        data = np.empty(self._guess * rows + 4 * self._pool.longest + 4 * SLACK, np.uint8)
        ends = np.zeros(rows + 1, np.int64)
        row = 0
        while (row := fill(*given, data, ends, row)) < rows:
            data = np.concatenate([data, np.empty(len(data) + columns[0].size, np.uint8)])
        self._guess = max(64, int(ends[-1]) * 17 // (16 * max(rows, 1)))
        return Column(data, ends)

    def _code_of(self, heading: Sequence[Heading], columns: list[Column]) -> NDArray[np.int64]:
        code = []
        for piece in heading:
            if isinstance(piece, str):
                code.append((self._pool.add(piece), NOTHING))
            else:
                code.append((self._pool.add(""), COLUMN - len(columns)))
                columns.append(piece)
        return np.array(code, np.int64).reshape(len(code), 2)

    def _add_words(self, tables: Sequence[Sequence[str]]) -> None:
        new = [list(map(self._pool.add, table)) for table in tables[len(self._words) :]]
        if new:
            added = np.array(new, np.int64)
            self._words = added if not len(self._words) else np.concatenate([self._words, added])
        elif not tables:
            self._words = np.zeros((0, 1), np.int64)


def _longer(array: NDArray[Value], values: Sequence[int]) -> NDArray[Value]:
    return np.concatenate((array, np.array(values, array.dtype)))


def _scattered(texts: Mapping[int, str], rows: int) -> Column:
    pieces = {row: text.encode() for row, text in sorted(texts.items())}
    lengths = np.zeros(rows + 1, np.int64)
    lengths[[row + 1 for row in pieces]] = [len(piece) for piece in pieces.values()]
    return Column(as_bytes(b"".join(pieces.values())), np.cumsum(lengths))


def _side_by_side(columns: Sequence[Column]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    parts = [column.data[column.offsets[0] : column.offsets[-1]] for column in columns]
    starts = np.cumsum([0, *(len(part) for part in parts[:-1])])
    moved = zip(columns, starts, strict=True)
    ends = [column.offsets - column.offsets[0] + start for column, start in moved]
    return np.concatenate([*parts, np.zeros(SLACK, np.uint8)]), np.array(ends, np.int64)


@kernel
def number_shapes(
    rules: NDArray[np.int32],
    offsets: NDArray[np.int64],
    classes: NDArray[np.uint64],
    table: NDArray[np.uint64],
    known: int,
    most: int,
    numbers: NDArray[np.int32],
) -> int:
    """Write the number of each derivation's shape, from 1; return how many shapes are new.

    A shape is identified by a 128-bit hash of the classes of its rules.  New shapes are numbered after the ``known``
    ones, up to ``most``; shapes beyond that, and empty derivations, get 0.
    """
    found = 0
    for row in range(len(offsets) - 1):
        first, second = np.uint64(offsets[row + 1] - offsets[row]), np.uint64(0x5EED)
        if first == 0:
            numbers[row] = 0
            continue
        for at in range(offsets[row], offsets[row + 1]):
            value = classes[rules[at]]
            first = (first ^ value) * np.uint64(0x9E3779B97F4A7C15)
            first ^= first >> np.uint64(32)
            second = (second + value) * np.uint64(0xD6E8FEB86659FD93)
            second ^= second >> np.uint64(29)
        spot = slot(table, first, second)
        if table[spot, 2] == 0:
            if known + found >= most:
                numbers[row] = 0
                continue
            found += 1
            table[spot, 0], table[spot, 1], table[spot, 2] = first, second, np.uint64(known + found)
        numbers[row] = np.int32(table[spot, 2])
    return found


@kernel
def fill(
    rules: NDArray[np.int32],
    offsets: NDArray[np.int64],
    codes: NDArray[np.int32],
    ends: NDArray[np.int64],
    constants: NDArray[np.int64],
    operations: NDArray[np.int64],
    words: NDArray[np.int64],
    pool: NDArray[np.uint8],
    longest: int,
    heading: NDArray[np.int64],
    columns: NDArray[np.uint8],
    column_ends: NDArray[np.int64],
    data: NDArray[np.uint8],
    data_ends: NDArray[np.int64],
    row: int,
) -> int:
    """Write derivations from ``row`` on, each after its heading; return the row that did not fit, or their number.

    The code of a template is pairs of a constant and an operation; code ``n`` has those from ``ends[n]`` to ``ends[n +
    1]``, and ``heading`` has the pairs before them.  ``words[t, r]`` is the word of rule ``r`` in table ``t``, as a
    piece of the pool like the constants.  Texts of column ``c`` end at ``column_ends[c]`` in ``columns``.
    """
    limit = len(data) - 2 * longest
    at = data_ends[row]
    while row < len(codes):
        first = ends[codes[row]]
        for step in range(first - len(heading), ends[codes[row] + 1]):
            if at > limit:
                return row
            if step < first:
                before = step - first + len(heading)
                constant, operation = heading[before, 0], heading[before, 1]
            else:
                constant, operation = constants[step], operations[step]
            at = put(data, at, pool, constant)
            if operation >= 0:
                rule = rules[offsets[row] + (operation & 0xFFFFFFFF)]
                at = put(data, at, pool, words[operation >> PLACE_BITS, rule])
            elif operation <= COLUMN:
                column = COLUMN - operation
                start = column_ends[column, row]
                length = column_ends[column, row + 1] - start
                if at + length > limit:
                    return row
                at = copy(data, at, columns, start, length)
        row += 1
        data_ends[row] = at
    return row
