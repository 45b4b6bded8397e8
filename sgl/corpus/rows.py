r"""Read a corpus line by line, whatever is in it.

A corpus is a file of lines with columns between tabs, in UTF-8: sentences in one or
more languages, and after them, if the file has it, a *kind* that rows are counted by::

    The book was respected.\t本が尊敬された。\tin_distribution

The first line with a possible number of columns decides whether there is a kind.
Lines that do not fit are kept with their number and the reason; none is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from sgl.foreign import ROWS, Kind, opened

#: A longer line is not read to its end, in bytes.
LONGEST_LINE = 100_000

#: A batch ends with so many rows, or with so many bytes.
_BATCH_ROWS, _BATCH_BYTES = 4_096, 8_000_000

#: Rows of each sort that are listed for people; how many there are is always counted.
LISTED = 1_000

#: Called with the file, the number of rows so far and the share of the file that is read.
Progress = Callable[[str, int, float], None]


@dataclass(frozen=True, slots=True)
class CorpusRow:
    """A line that can be read: the texts of the columns, and the kind (or nothing)."""

    line: int
    texts: tuple[str, ...]
    kind: str
    size: int


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A line that cannot be read, and why."""

    line: int
    reason: str
    size: int


@dataclass(frozen=True, slots=True)
class ListedRow:
    """A row with its place (line from 1), its sentence and what there is to say of it."""

    file: str
    line: int
    sentence: str
    detail: str

    def data(self, detail: str) -> dict[str, object]:
        """Return the row as plain values, its detail under this name."""
        place = {"file": self.file, "line": self.line}
        return {**place, "sentence": self.sentence, detail: self.detail}


def list_row(rows: list[ListedRow], row: ListedRow) -> None:
    """Add a row to a list unless it is full."""
    if len(rows) < LISTED:
        rows.append(row)


class Corpus:
    """A file of rows with the given number of text columns.

    ``kind`` says how large it may be; ``inside`` is the dataset that links may not leave.
    """

    def __init__(
        self, path: Path, columns: int, kind: Kind = ROWS, inside: Path | None = None
    ) -> None:
        self.path = path
        self._columns = columns
        self._kind = kind
        self._inside = inside
        self._width = 0

    def rows(self) -> Iterator[CorpusRow | Unreadable]:
        """All lines in order, numbered from 1; ``size`` is their length in bytes."""
        with opened(self.path, self._kind, inside=self._inside) as stream:
            for number in count(1):
                raw = rest = stream.readline(LONGEST_LINE)
                if not raw:
                    return
                size = len(raw)
                while len(rest) == LONGEST_LINE and not rest.endswith(b"\n"):
                    rest = stream.readline(LONGEST_LINE)
                    size += len(rest)
                if rest is raw:
                    yield self._row(number, raw, size)
                else:
                    yield Unreadable(number, f"the line has more than {LONGEST_LINE:,} bytes", size)

    def batches(self, progress: Progress) -> Iterator[list[CorpusRow | Unreadable]]:
        """Yield the same lines, thousands at a time, so that they can be read together."""
        batch: list[CorpusRow | Unreadable] = []
        size = done = 0
        for row in self.rows():
            batch.append(row)
            size += row.size
            if len(batch) == _BATCH_ROWS or size > _BATCH_BYTES:
                yield batch
                done += size
                progress(str(self.path), row.line, done / max(self.path.stat().st_size, 1))
                batch, size = [], 0
        if batch:
            yield batch

    def _row(self, number: int, raw: bytes, size: int) -> CorpusRow | Unreadable:
        try:
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as problem:
            return Unreadable(number, f"byte {problem.start + 1} is not UTF-8", size)
        text = text.rstrip("\r\n")
        if not text.strip():
            return Unreadable(number, "the line is empty", size)
        cells = text.split("\t")
        if not self._width and len(cells) in (self._columns, self._columns + 1):
            self._width = len(cells)
        if len(cells) != (self._width or self._columns):
            wanted = self._width or f"{self._columns} or {self._columns + 1}"
            found = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
            return Unreadable(number, f"{found} instead of {wanted}", size)
        texts = tuple(cells[: self._columns])
        empty = next((index for index, cell in enumerate(texts, 1) if not cell.strip()), None)
        if empty is not None:
            return Unreadable(number, f"column {empty} is empty", size)
        return CorpusRow(number, texts, "".join(cells[self._columns :]), size)
