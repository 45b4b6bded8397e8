"""The tasks of a dataset, and what its journal holds: drawn strata, finished chunks.

::

    drawn-0000            which candidates of the first stratum were accepted
    drawn-0001            …
    chunk-train-0000001   rows, sentences and row groups of the first chunk of train
"""

from __future__ import annotations

import io
import json
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from functools import cached_property
from typing import Any

import numpy as np

from sgl.core.grammar import CoreGrammar
from sgl.core.plan import Plan
from sgl.dataset import Chunk, Piece
from sgl.dataset.maker import ChunkMaker
from sgl.parallel.arrays import writable
from sgl.parallel.executor import Executor
from sgl.parallel.journal import Journal
from sgl.sampling.drawn import Drawn
from sgl.sampling.engine import PackedStratum, Tables
from sgl.sampling.sampler import Sampler

Part = tuple[str, int, list[Piece]]


class DatasetWork:
    """What workers need to know to make chunks."""

    def __init__(self, grammar: CoreGrammar, plan: Plan, tables: Tables) -> None:
        self.grammar = grammar
        self.plan = plan
        self.tables = tables

    @cached_property
    def maker(self) -> ChunkMaker:
        """Makes chunks."""
        return ChunkMaker(self.grammar, self.plan, Sampler(self.tables))


def make_chunk(work: DatasetWork, split: str, first: int, pieces: list[Piece]) -> bytes:
    """A chunk, packed."""
    own = [Piece(piece.stratum, writable(piece.numbers)) for piece in pieces]
    return packed(work.maker.chunk(split, first, own))


class ShardMaker:
    """Makes chunks on the workers of an executor, or takes them from the journal."""

    def __init__(self, executor: Executor, journal: Journal) -> None:
        self._executor = executor
        self._journal = journal

    def chunks(self, parts: Iterable[Part]) -> Iterator[Chunk]:
        """The chunks that these parts of splits are made into, in their order."""
        flight: deque[tuple[Part, Future[bytes] | None]] = deque()
        for part in parts:
            known = self._journal.get(_chunk_key(part)) is not None
            future = None if known else self._executor.submit(make_chunk, *part)
            flight.append((part, future))
            if sum(one is not None for _, one in flight) >= self._executor.ahead:
                yield self._finished(*flight.popleft())
        while flight:
            yield self._finished(*flight.popleft())

    def _finished(self, part: Part, future: Future[bytes] | None) -> Chunk:
        key = _chunk_key(part)
        if future is None:
            return unpacked(self._journal.read(key), part)
        data = future.result()
        chunk = unpacked(data, part)
        self._journal.put(key, data, len(chunk.words))
        return chunk


def keep_drawn(journal: Journal, number: int, drawn: Drawn, counted: dict[str, object]) -> None:
    """Enter a stratum that is drawn in the journal, and what was counted of its readings."""
    said = {
        "candidates": drawn.candidates,
        "rejected": drawn.rejected,
        "shares": drawn.shares,
        "ambiguous": list(drawn.ambiguous),
        "counted": counted,
    }
    stream = io.BytesIO()
    np.savez(stream, numbers=drawn.numbers, said=_bytes(json.dumps(said).encode()))
    journal.put(_drawn_key(number), stream.getvalue(), len(drawn.numbers))


def kept_drawn(
    journal: Journal, number: int, stratum: PackedStratum
) -> tuple[Drawn, dict[str, Any]] | None:
    """What the journal has of a stratum: what was drawn, and what was counted."""
    if journal.get(_drawn_key(number)) is None:
        return None
    with np.load(io.BytesIO(journal.read(_drawn_key(number))), allow_pickle=False) as arrays:
        said = json.loads(arrays["said"].tobytes())
        drawn = Drawn(
            stratum,
            arrays["numbers"],
            said["candidates"],
            said["rejected"],
            said["shares"],
            tuple(said["ambiguous"]),
        )
    return drawn, said["counted"]


def packed(chunk: Chunk) -> bytes:
    """A chunk as bytes, without what it is made of."""
    arrays: dict[str, Any] = {
        f"rows{number}": _bytes(rows) for number, rows in enumerate(chunk.rows)
    }
    if chunk.conllu is not None:
        arrays["conllu"] = _bytes(chunk.conllu)
    stream = io.BytesIO()
    np.savez(stream, words=chunk.words, parquet=_bytes(chunk.parquet), **arrays)
    return stream.getvalue()


def unpacked(data: bytes, part: Part) -> Chunk:
    """The chunk of a part of a split."""
    split, first, pieces = part
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        targets = sum(name.startswith("rows") for name in arrays.files)
        return Chunk(
            split=split,
            first=first,
            rows=tuple(arrays[f"rows{number}"].tobytes() for number in range(targets)),
            conllu=arrays["conllu"].tobytes() if "conllu" in arrays.files else None,
            parquet=arrays["parquet"].tobytes(),
            words=arrays["words"],
            pieces=tuple(pieces),
        )


def _bytes(data: bytes) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.frombuffer(data, np.uint8)


def _chunk_key(part: Part) -> str:
    split, first, _ = part
    return f"chunk-{split}-{first:09d}"


def _drawn_key(number: int) -> str:
    return f"drawn-{number:04d}"
