"""The tasks of a dataset, and what the folder of its run keeps.

::

    drawn-0000            which candidates of the first stratum were accepted
    drawn-0001            …
    chunk-train-0000001   the rows of the first chunk of train, in the form of each file
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgl.core.grammar import CoreGrammar
from sgl.core.plan import Plan
from sgl.dataset import Chunk, Piece
from sgl.dataset.maker import ChunkMaker
from sgl.dataset.rows import packed_table, unpacked_table
from sgl.parallel.executor import Executor, ordered
from sgl.parallel.run import RunFolder
from sgl.sampling.batch import sampler_for
from sgl.sampling.engine import PackedStratum, Tables
from sgl.sampling.strata import StratumSample

#: A chunk to be made: its split, the number of its first row, its candidates.
ChunkPlace = tuple[str, int, list[Piece]]


@dataclass(eq=False)
class DatasetWork:
    """What workers need to know to make chunks."""

    grammar: CoreGrammar
    plan: Plan
    tables: Tables

    @cached_property
    def maker(self) -> ChunkMaker:
        """Makes chunks."""
        return ChunkMaker(self.grammar, self.plan, sampler_for(self.tables))


def make_chunk(work: DatasetWork, split: str, first: int, pieces: list[Piece]) -> bytes:
    """Make a chunk; return it without what it is made of."""
    chunk = work.maker.chunk(split, first, pieces)
    parts = {f"rows{number}": rows for number, rows in enumerate(chunk.rows)}
    parts["derivations"] = chunk.derivations
    parts["table"] = packed_table(chunk.table)
    if chunk.conllu is not None:
        parts["conllu"] = chunk.conllu
    arrays = {name: np.frombuffer(part, np.uint8) for name, part in parts.items()}
    return _packed(words=chunk.words, **arrays)


def read_chunk(data: bytes, place: ChunkPlace) -> Chunk:
    """Return the chunk that ``make_chunk`` has made for a place."""
    split, first, pieces = place
    arrays = _unpacked(data)
    words = arrays.pop("words")
    parts = {name: array.tobytes() for name, array in arrays.items()}
    return Chunk(
        split=split,
        first=first,
        rows=tuple(part for name, part in parts.items() if name.startswith("rows")),
        conllu=parts.get("conllu"),
        derivations=parts["derivations"],
        table=unpacked_table(parts["table"]),
        words=words,
        pieces=tuple(pieces),
    )


@dataclass(frozen=True)
class ParallelMaker:
    """Makes chunks on the workers of an executor, or takes them from the folder of the run."""

    executor: Executor
    run: RunFolder

    def chunks(self, places: Iterable[ChunkPlace]) -> Iterator[Chunk]:
        """Yield the chunks of some places, in their order."""
        listed = list(places)
        tasks = (
            self.run.submit(self.executor, f"chunk-{place[0]}-{place[1]:09d}", make_chunk, *place)
            for place in listed
        )
        for place, data in zip(listed, ordered(tasks, self.executor.ahead), strict=True):
            yield read_chunk(data, place)


#: The hashes of no sentences.
_NO_HASHES = np.zeros((0, 2), np.uint64)


def pack_sample(
    sample: StratumSample,
    *,
    counted: Mapping[str, object] | None = None,
    hashes: NDArray[np.uint64] = _NO_HASHES,
) -> bytes:
    """Pack what was sampled and counted, and the hashes that later sentences must not have."""
    said = [sample.candidates, sample.rejected, sample.shares, sample.ambiguous, counted]
    text = np.frombuffer(json.dumps(said).encode(), np.uint8)
    return _packed(numbers=sample.numbers, said=text, hashes=hashes)


def unpack_sample(
    data: bytes, stratum: PackedStratum
) -> tuple[StratumSample, dict[str, Any], NDArray[np.uint64]]:
    """Return what ``pack_sample`` has packed: the sample, what was counted, the hashes."""
    arrays = _unpacked(data)
    candidates, rejected, shares, ambiguous, counted = json.loads(arrays["said"].tobytes())
    found = arrays["numbers"], candidates, rejected, shares, tuple(ambiguous)
    return StratumSample(stratum, *found), counted, arrays["hashes"]


def _packed(**arrays: NDArray[Any]) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]
    return stream.getvalue()


def _unpacked(data: bytes) -> dict[str, NDArray[Any]]:
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return dict(arrays.items())
