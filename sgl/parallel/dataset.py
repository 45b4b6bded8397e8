"""The tasks of a dataset, and what the folder of its run keeps.

::

    drawn-0000            which candidates of the first stratum were accepted
    drawn-0001            …
    chunk-train-0000001   the rows of the first chunk of train, in the form of each file
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
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


class DatasetWork:
    """What workers need to know to make chunks."""

    def __init__(self, grammar: CoreGrammar, plan: Plan, tables: Tables) -> None:
        self.grammar = grammar
        self.plan = plan
        self.tables = tables

    @cached_property
    def maker(self) -> ChunkMaker:
        """Makes chunks."""
        return ChunkMaker(self.grammar, self.plan, sampler_for(self.tables))


def make_chunk(work: DatasetWork, split: str, first: int, pieces: list[Piece]) -> bytes:
    """Make a chunk; return it without what it is made of."""
    chunk = work.maker.chunk(split, first, pieces)
    parts: dict[str, Any] = {f"rows{number}": rows for number, rows in enumerate(chunk.rows)}
    parts["table"] = packed_table(chunk.table)
    if chunk.conllu is not None:
        parts["conllu"] = chunk.conllu
    arrays: dict[str, Any] = {name: np.frombuffer(part, np.uint8) for name, part in parts.items()}
    stream = io.BytesIO()
    np.savez(stream, words=chunk.words, **arrays)
    return stream.getvalue()


def read_chunk(data: bytes, place: ChunkPlace) -> Chunk:
    """Return the chunk that ``make_chunk`` has made for a place."""
    split, first, pieces = place
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        targets = sum(name.startswith("rows") for name in arrays.files)
        return Chunk(
            split=split,
            first=first,
            rows=tuple(arrays[f"rows{number}"].tobytes() for number in range(targets)),
            conllu=arrays["conllu"].tobytes() if "conllu" in arrays.files else None,
            table=unpacked_table(arrays["table"].tobytes()),
            words=arrays["words"],
            pieces=tuple(pieces),
        )


class ParallelMaker:
    """Makes chunks on the workers of an executor, or takes them from the folder of the run."""

    def __init__(self, executor: Executor, run: RunFolder) -> None:
        self._executor = executor
        self._run = run

    def chunks(self, places: Iterable[ChunkPlace]) -> Iterator[Chunk]:
        """Yield the chunks of some places, in their order."""
        listed = list(places)
        tasks = (
            self._run.submit(self._executor, f"chunk-{split}-{first:09d}", make_chunk, *place)
            for place in listed
            for split, first, _ in [place]
        )
        for place, data in zip(listed, ordered(tasks, self._executor.ahead), strict=True):
            yield read_chunk(data, place)


def keep_drawn(
    run: RunFolder, number: int, sample: StratumSample, counted: dict[str, object]
) -> None:
    """Keep a stratum that is sampled, and what was counted of its readings."""
    run.put(_drawn_key(number), pack_sample(sample, counted=as_json(counted)))


def kept_drawn(
    run: RunFolder, number: int, stratum: PackedStratum
) -> tuple[StratumSample, dict[str, Any]] | None:
    """Return what the run has kept of a stratum: what was sampled, and what was counted."""
    data = run.get(_drawn_key(number))
    if data is None:
        return None
    sample, others = unpack_sample(data, stratum)
    return sample, json.loads(others["counted"].tobytes())


def _drawn_key(number: int) -> str:
    return f"drawn-{number:04d}"


def pack_sample(sample: StratumSample, **others: NDArray[Any]) -> bytes:
    """Return what was sampled for a stratum, and other arrays, as bytes."""
    said = [sample.candidates, sample.rejected, sample.shares, sample.ambiguous]
    arrays: dict[str, Any] = {"numbers": sample.numbers, "said": as_json(said), **others}
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def unpack_sample(
    data: bytes, stratum: PackedStratum
) -> tuple[StratumSample, dict[str, NDArray[Any]]]:
    """Return what ``pack_sample`` has packed."""
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        others = dict(arrays.items())
    candidates, rejected, shares, ambiguous = json.loads(others.pop("said").tobytes())
    numbers = others.pop("numbers")
    sample = StratumSample(stratum, numbers, candidates, rejected, shares, tuple(ambiguous))
    return sample, others


def as_json(value: object) -> NDArray[np.uint8]:
    """Return a plain value as an array of bytes."""
    return np.frombuffer(json.dumps(value).encode(), np.uint8)
