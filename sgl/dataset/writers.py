"""Writers of one split: TSV, Parquet and CoNLL-U, row by row the same items."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from hashlib import file_digest
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self, TextIO

import pyarrow as pa
import pyarrow.parquet as pq

from sgl.core.grammar import CoreGrammar
from sgl.core.plan import Plan
from sgl.dataset.manifest import DataFile
from sgl.dataset.records import Record
from sgl.graph import conllu
from sgl.sample.rows import row_of

#: Rows in a row group of a Parquet file.
ROW_GROUP = 10_000

#: Columns of the Parquet files: attributes of ``Record``.
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


class Writer(Protocol):
    """Writes the records of one split to one file."""

    path: Path

    def write(self, record: Record) -> None:
        """Append a record."""

    def close(self) -> None:
        """Write what is left and close the file."""


def _create(path: Path) -> TextIO:
    """A new text file, in a folder that need not exist yet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("w", encoding="utf-8", newline="\n")


class TsvWriter:
    """Rows of source, target and category, as in COGS, SLOG and SGET.

    ``folder`` is that of a further ``target``, by number; the first has none of its own.
    """

    def __init__(self, directory: Path, split: str, folder: str = "", target: int = 0) -> None:
        self.path = directory / "data" / folder / f"{split}.tsv"
        self._target = target
        self._file = _create(self.path)

    def write(self, record: Record) -> None:
        """Append a row; raises ``ValueError`` for a text with a tab or line end."""
        self._file.write(row_of(record.source, record.targets[self._target], record.category))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class ConlluWriter:
    """Sentences with the graph layer of the plan, over the words of its text layer."""

    def __init__(self, directory: Path, split: str, grammar: CoreGrammar, plan: Plan) -> None:
        self.path = directory / "conllu" / f"{split}.conllu"
        self._file = _create(self.path)
        self._graph = grammar.graph_layer(plan.lemma_layer)
        anchor = grammar.text_layer(grammar.graph_layers[self._graph].anchor)
        layers = range(len(grammar.text_layers))
        self._order = (anchor, *(layer for layer in layers if layer != anchor))
        self._names = [grammar.text_layers[layer].name for layer in self._order]
        #: The targets that are no text layer, by number.
        self._views = [
            (number, name) for number, name in enumerate(plan.targets) if name not in self._names
        ]

    def write(self, record: Record) -> None:
        """Append a sentence; raises ``ConlluError`` if it has no such form."""
        item = record.item
        texts = [item.texts[layer] for layer in self._order]
        views = [(name, record.targets[number]) for number, name in self._views]
        self._file.write(
            conllu(
                item.graphs[self._graph],
                item.tokens[self._order[0]],
                [*zip(self._names, texts, strict=True), *views],
                sent_id=record.name,
                category=record.category,
            )
        )

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class ParquetWriter:
    """Rows with the columns of ``SCHEMA``; equal rows give equal bytes.

    A further target has a column ``target_`` and its name.
    """

    def __init__(self, directory: Path, split: str, further: Sequence[str] = ()) -> None:
        self.path = directory / "parquet" / f"{split}.parquet"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._schema = SCHEMA
        for name in further:
            self._schema = self._schema.append(pa.field(f"target_{name}", pa.string()))
        self._columns: list[list[object]] = [[] for _ in self._schema]
        self._writer = pq.ParquetWriter(
            self.path,
            self._schema,
            version="2.6",
            compression="zstd",
            compression_level=3,
            use_dictionary=["category", "split_kind", "features"],
            write_statistics=False,
            store_schema=False,
        )

    def write(self, record: Record) -> None:
        """Append a row."""
        own = [getattr(record, name) for name in SCHEMA.names]
        for column, value in zip(self._columns, [*own, *record.targets[1:]], strict=True):
            column.append(value)
        if len(self._columns[0]) == ROW_GROUP:
            self._flush()

    def close(self) -> None:
        """Write the last row group and the footer."""
        if self._columns[0]:
            self._flush()
        self._writer.close()

    def _flush(self) -> None:
        arrays = [
            pa.array(column, field.type)
            for column, field in zip(self._columns, self._schema, strict=True)
        ]
        self._writer.write_table(pa.table(arrays, schema=self._schema), row_group_size=ROW_GROUP)
        self._columns = [[] for _ in self._schema]


class SplitWriters:
    """The writers of every split; CoNLL-U only for a grammar with a graph layer."""

    def __init__(self, directory: Path, grammar: CoreGrammar, plan: Plan) -> None:
        self._directory = directory
        self._grammar = grammar
        self._plan = plan
        self._writers: dict[str, tuple[Writer, ...]] = {}
        self._rows: dict[str, int] = {}
        self._open = ExitStack()

    def __enter__(self) -> Self:
        """Open the writers for use in a ``with`` block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close all files."""
        self._open.__exit__(kind, error, traceback)

    def open(self, split: str) -> None:
        """Create the files of a split, empty if no record follows."""
        if split in self._writers:
            return
        self._rows[split] = 0
        writers: list[Writer] = []
        writers.append(TsvWriter(self._directory, split))
        self._open.callback(writers[-1].close)
        writers.append(ParquetWriter(self._directory, split, self._plan.further))
        self._open.callback(writers[-1].close)
        for target, name in enumerate(self._plan.further, 1):
            writers.append(TsvWriter(self._directory, split, name, target))
            self._open.callback(writers[-1].close)
        if self._plan.lemma_layer:
            writers.append(ConlluWriter(self._directory, split, self._grammar, self._plan))
            self._open.callback(writers[-1].close)
        self._writers[split] = tuple(writers)

    def write(self, record: Record) -> None:
        """Append a record to the files of its split."""
        for writer in self._writers[record.split]:
            writer.write(record)
        self._rows[record.split] += 1

    def files(self) -> tuple[DataFile, ...]:
        """The written files, by folder; to be asked for when all are closed."""
        return tuple(
            data_file(self._directory, writer.path, self._rows[split])
            for kind in zip(*self._writers.values(), strict=True)
            for split, writer in zip(self._writers, kind, strict=True)
        )


def data_file(directory: Path, path: Path, rows: int) -> DataFile:
    """The entry of the manifest for a written file."""
    with path.open("rb") as stream:
        digest = file_digest(stream, "sha256").hexdigest()
    return DataFile(path.relative_to(directory).as_posix(), digest, rows)
