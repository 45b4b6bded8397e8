"""Write the items of a plan into a directory: TSV, Parquet and CoNLL-U, row by row equal.

::

    with staged_directory(target) as directory:
        samples = list(sample_strata(sampler))
        files = write_items(directory, plan, ChunkMaker(grammar, plan, sampler), samples)
        write_manifest(directory, manifest(..., samples, ..., files))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from hashlib import file_digest
from pathlib import Path
from typing import Protocol

from sgl.core.plan import Plan
from sgl.dataset.chunk import Chunk, Piece, chunks_of
from sgl.dataset.manifest import DataFile
from sgl.dataset.rows import parquet_writer, schema_of
from sgl.sampling.strata import StratumSample


class Maker(Protocol):
    """Makes chunks: here (``sgl.dataset.maker``), or on workers (``sgl.parallel.dataset``)."""

    def chunks(self, parts: Iterable[tuple[str, int, list[Piece]]]) -> Iterator[Chunk]:
        """Return the chunks that these parts of splits are made into, in their order."""


class SplitFiles:
    """The files of one split: those of its targets, Parquet, and CoNLL-U if it has graphs.

    The first target has the file ``data/train.tsv``, each other a folder of its name.
    ``paths`` are all files, in the order in which the manifest lists them.
    """

    def __init__(self, directory: Path, split: str, plan: Plan, closing: ExitStack) -> None:
        """Create the files; ``closing`` completes them."""
        folders = ["", *plan.further]
        lines = [directory / "data" / folder / f"{split}.tsv" for folder in folders]
        parquet = directory / "parquet" / f"{split}.parquet"
        sentences = [directory / "conllu" / f"{split}.conllu"] if plan.lemma_layer else []
        self.paths = [lines[0], parquet, *lines[1:], *sentences]
        for path in self.paths:
            path.parent.mkdir(parents=True, exist_ok=True)
        self._texts = [closing.enter_context(path.open("wb")) for path in (*lines, *sentences)]
        self._table = closing.enter_context(parquet_writer(parquet, schema_of(plan)))
        self.rows = 0

    def write(self, chunk: Chunk) -> None:
        """Append a chunk."""
        texts = chunk.rows if chunk.conllu is None else (*chunk.rows, chunk.conllu)
        for file, text in zip(self._texts, texts, strict=True):
            file.write(text)
        self._table.write_table(chunk.table)
        self.rows += len(chunk.words)


def write_items(
    directory: Path,
    plan: Plan,
    maker: Maker,
    samples: Sequence[StratumSample],
    observe: Callable[[Chunk], None] | None = None,
) -> list[DataFile]:
    """Write ``data``, ``parquet`` and ``conllu`` files for every split of the plan, by folder.

    The files of a split without items are empty.  ``observe`` sees every chunk once it is
    written.

    Raises:
        ConlluError, ViewError, ValueError: the formats cannot hold a text.
        OSError: the operating system refuses to write.
    """
    with ExitStack() as closing:
        names = dict.fromkeys(stratum.split for stratum in plan.strata)
        splits = {name: SplitFiles(directory, name, plan, closing) for name in names}
        for chunk in maker.chunks(chunks_of(samples)):
            splits[chunk.split].write(chunk)
            if observe is not None:
                observe(chunk)
    written = []
    for folder in zip(*(files.paths for files in splits.values()), strict=True):
        for path, files in zip(folder, splits.values(), strict=True):
            with path.open("rb") as stream:
                digest = file_digest(stream, "sha256").hexdigest()
            written.append(DataFile(path.relative_to(directory).as_posix(), digest, files.rows))
    return written
