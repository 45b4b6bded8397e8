"""Write the items of a plan into a directory.

::

    with staged_directory(target) as directory:
        drawn = list(sample_strata(sampler))
        written = write_items(directory, plan, ChunkMaker(grammar, plan, sampler), drawn)
        write_manifest(directory, manifest(..., written.strata, ..., written.files))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sgl.core.grammar import CoreGrammar
from sgl.core.plan import Plan
from sgl.dataset.chunk import Chunk, Piece, cut
from sgl.dataset.maker import ChunkMaker
from sgl.dataset.manifest import DataFile, StratumCount
from sgl.dataset.writers import DatasetFiles
from sgl.sampling.batch import sampler_for
from sgl.sampling.engine import Tables
from sgl.sampling.strata import StratumSample, sample_strata


@dataclass(frozen=True, slots=True)
class Written:
    """What was written: counts for each stratum, and the files with their hashes."""

    strata: tuple[StratumCount, ...]
    files: tuple[DataFile, ...]


class Maker(Protocol):
    """Makes chunks: here (``sgl.dataset.maker``), or on workers (``sgl.parallel.dataset``)."""

    def chunks(self, parts: Iterable[tuple[str, int, list[Piece]]]) -> Iterator[Chunk]:
        """Return the chunks that these parts of splits are made into, in their order."""


def write_items(
    directory: Path,
    plan: Plan,
    maker: Maker,
    drawn: Sequence[StratumSample],
    observe: Callable[[Chunk], None] | None = None,
) -> Written:
    """Write ``data``, ``parquet`` and ``conllu`` files for every split of the plan.

    ``observe`` sees every chunk once it is written.  Raises ``ConlluError``, ``ViewError``
    and ``ValueError`` for texts that the formats cannot hold, and ``OSError``.
    """
    with DatasetFiles(directory, plan) as files:
        for chunk in maker.chunks(chunks_of(drawn)):
            files.write(chunk)
            if observe is not None:
                observe(chunk)
    return Written(tuple(map(StratumCount.of, drawn)), files.files())


def draw_and_write(directory: Path, grammar: CoreGrammar, plan: Plan, tables: Tables) -> Written:
    """Draw a plan from its tables and write it; nobody judges the readings of sentences.

    Raises what ``sample_strata`` and ``write_items`` raise.
    """
    sampler = sampler_for(tables)
    drawn = list(sample_strata(sampler))
    return write_items(directory, plan, ChunkMaker(grammar, plan, sampler), drawn)


def chunks_of(drawn: Sequence[StratumSample]) -> Iterator[tuple[str, int, list[Piece]]]:
    """Yield the chunks that a dataset is made of: split, first row, candidates."""
    splits: dict[str, list[Piece]] = {}
    for draw in drawn:
        splits.setdefault(draw.stratum.split, []).append(Piece(draw.stratum, draw.numbers))
    for split, pieces in splits.items():
        for first, part in cut(pieces):
            yield split, first, part
