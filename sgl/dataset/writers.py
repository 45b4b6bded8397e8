"""Write the chunks of every split to its files: TSV, Parquet and CoNLL-U, row by row equal."""

from __future__ import annotations

from contextlib import ExitStack
from hashlib import file_digest
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from sgl.core.plan import Plan
from sgl.dataset.chunk import Chunk
from sgl.dataset.manifest import DataFile
from sgl.dataset.parquet import ParquetFile, schema_of


class SplitFiles:
    """The files of one split: those of its targets, Parquet, and CoNLL-U if it has graphs.

    The first target has the file ``data/train.tsv``, each other a folder of its name.
    """

    def __init__(self, directory: Path, split: str, plan: Plan) -> None:
        self._open = ExitStack()
        folders = ["", *plan.further]
        self.tsv = [directory / "data" / folder / f"{split}.tsv" for folder in folders]
        self.parquet = directory / "parquet" / f"{split}.parquet"
        self.conllu = directory / "conllu" / f"{split}.conllu" if plan.lemma_layer else None
        self.rows = 0
        self._rows = [self._create(path) for path in self.tsv]
        self._sentences = None if self.conllu is None else self._create(self.conllu)
        self.parquet.parent.mkdir(parents=True, exist_ok=True)
        self._table = self._open.enter_context(ParquetFile(self.parquet, schema_of(plan)))

    @property
    def paths(self) -> list[Path]:
        """All files, in the order in which the manifest lists them."""
        first, *further = self.tsv
        return [first, self.parquet, *further, *([self.conllu] if self.conllu else [])]

    def write(self, chunk: Chunk) -> None:
        """Append a chunk."""
        for file, rows in zip(self._rows, chunk.rows, strict=True):
            file.write(rows)
        if self._sentences is not None and chunk.conllu is not None:
            self._sentences.write(chunk.conllu)
        self._table.append(chunk.table)
        self.rows += len(chunk.words)

    def close(self) -> None:
        """Complete and close all files."""
        self._open.close()

    def _create(self, path: Path) -> BinaryIO:
        path.parent.mkdir(parents=True, exist_ok=True)
        return self._open.enter_context(path.open("wb"))


class DatasetFiles:
    """The files of every split of a plan, empty where a split has no items."""

    def __init__(self, directory: Path, plan: Plan) -> None:
        self._directory = directory
        self._open = ExitStack()
        self._splits: dict[str, SplitFiles] = {}
        for stratum in plan.strata:
            if stratum.split not in self._splits:
                files = SplitFiles(directory, stratum.split, plan)
                self._open.callback(files.close)
                self._splits[stratum.split] = files

    def __enter__(self) -> Self:
        """Open the files for use in a ``with`` block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close all files."""
        self._open.__exit__(kind, error, traceback)

    def write(self, chunk: Chunk) -> None:
        """Append a chunk to the files of its split."""
        self._splits[chunk.split].write(chunk)

    def files(self) -> tuple[DataFile, ...]:
        """Return the written files, by folder; to be asked for when all are closed."""
        return tuple(
            data_file(self._directory, path, files.rows)
            for kind in zip(*(files.paths for files in self._splits.values()), strict=True)
            for path, files in zip(kind, self._splits.values(), strict=True)
        )


def data_file(directory: Path, path: Path, rows: int) -> DataFile:
    """Return the entry of the manifest for a written file."""
    with path.open("rb") as stream:
        digest = file_digest(stream, "sha256").hexdigest()
    return DataFile(path.relative_to(directory).as_posix(), digest, rows)
