"""The sentences that a dataset has, divided among several tables by their hashes.

Each table is a ``SeenSentences`` somewhere on an engine; which of them knows a sentence
follows from the first bits of its hash::

    hash 3f9a…  ─>  table 0          hash c071…  ─>  table 3

All that was added is also written to a file, one after the other.  A table that is lost with
its worker is made anew and filled from that file, so nothing is accepted twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sgl.parallel.executor import ATTEMPTS, Executor, WorkerLostError
from sgl.sampling.seen import Earlier, Seen, SeenSentences

#: Rows of the file that are read at once.
_BLOCK = 1 << 16

#: Bits of a hash that choose its table.
_BITS = 16

_LOG = "sentences"

_ROW = 24

Answer = TypeVar("Answer")

Hashes = NDArray[np.uint64]
Marks = NDArray[np.bool_]


class Table(Protocol):
    """A table on an engine; an answer is given when it is asked for.

    Methods and answers raise ``WorkerLostError`` when the table is lost.
    """

    def earlier(self, hashes: Hashes, asked: Marks) -> Callable[[], Earlier]:
        """Where the sentences of the ``asked`` candidates occurred before."""

    def add(self, hashes: Hashes, accepted: Marks, stratum: int) -> Callable[[], None]:
        """Take the sentences of the accepted candidates for a stratum."""


@runtime_checkable
class Engine(Protocol):
    """An executor whose workers can hold tables."""

    #: How many workers there are.
    workers: int

    def table(self, number: int) -> Table:
        """Start a table on some worker."""


def seen_on(executor: Executor, folder: Path) -> Seen:
    """Where the sentences of a run are remembered: in this process, or on the engine.

    A table that outgrows its memory, and the file behind tables on an engine, lie in ``folder``.
    """
    if isinstance(executor, Engine):
        return PartitionedSentences(executor.table, executor.workers, folder / _LOG)
    return SeenSentences(folder=folder)


class PartitionedSentences:
    """The hashes of all accepted sentences, in tables that ``start`` makes."""

    def __init__(self, start: Callable[[int], Table], number: int, log: Path) -> None:
        self._start = start
        self._tables = [start(index) for index in range(number)]
        self._log = log
        log.write_bytes(b"")

    def earlier(self, hashes: Hashes, asked: Marks) -> Earlier:
        """Where the sentences of the ``asked`` candidates occurred before."""
        found = Earlier(np.full(len(hashes), -1, np.int32), np.full(len(hashes), -1, np.int32))
        rows = self._divided(hashes, asked)
        every = [np.ones(len(part), np.bool_) for part in rows]
        answers = self._asked(
            lambda table, index: table.earlier(hashes[rows[index]], every[index]), rows
        )
        for part, answer in zip(rows, answers, strict=True):
            if answer is not None:
                found.stratum[part] = answer.stratum
                before = answer.candidate >= 0
                found.candidate[part[before]] = part[answer.candidate[before]]
        return found

    def add(self, hashes: Hashes, accepted: Marks, stratum: int) -> None:
        """Take the sentences of the accepted candidates for a stratum."""
        rows = self._divided(hashes, accepted)
        self._remember(hashes[accepted], stratum)
        self._asked(
            lambda table, index: table.add(
                hashes[rows[index]], np.ones(len(rows[index]), np.bool_), stratum
            ),
            rows,
        )

    def _divided(self, hashes: Hashes, wanted: Marks) -> list[NDArray[np.int64]]:
        """The rows that are wanted, by table."""
        bits = (hashes[:, 0] >> np.uint64(64 - _BITS)).astype(np.int64)
        place = bits * len(self._tables) >> _BITS
        return [
            np.flatnonzero(wanted & (place == index)).astype(np.int64)
            for index in range(len(self._tables))
        ]

    def _asked(
        self, ask: Callable[[Table, int], Callable[[], Answer]], rows: list[NDArray[np.int64]]
    ) -> list[Answer | None]:
        """The answers of all tables that have rows; those that are lost are asked again."""
        pending = {
            index: _promise(ask, self._tables[index], index)
            for index, part in enumerate(rows)
            if len(part)
        }
        answers: list[Answer | None] = [None] * len(rows)
        for index, promise in pending.items():
            answers[index] = self._answer(ask, index, promise)
        return answers

    def _answer(
        self,
        ask: Callable[[Table, int], Callable[[], Answer]],
        index: int,
        promise: Callable[[], Answer],
    ) -> Answer:
        """The answer of a table, which is made anew as often as it is lost."""

        def ask_anew(_: Table, index: int) -> Callable[[], Answer]:
            # The new table can be lost while it is filled, and that counts as a loss too.
            self._refill(index)
            return ask(self._tables[index], index)

        for _ in range(ATTEMPTS - 1):
            try:
                return promise()
            except WorkerLostError:
                promise = _promise(ask_anew, self._tables[index], index)
        return promise()

    def _remember(self, hashes: Hashes, stratum: int) -> None:
        rows = np.empty((len(hashes), 3), np.uint64)
        rows[:, :2] = hashes
        rows[:, 2] = stratum
        with self._log.open("ab") as stream:
            stream.write(rows.tobytes())

    def _refill(self, index: int) -> None:
        """Make a table anew, with what it had."""
        table = self._tables[index] = self._start(index)
        for hashes, strata in self._remembered():
            for stratum in np.unique(strata).tolist():
                rows = self._divided(hashes, strata == stratum)[index]
                table.add(hashes[rows], np.ones(len(rows), np.bool_), int(stratum))()

    def _remembered(self) -> Iterator[tuple[Hashes, Hashes]]:
        with self._log.open("rb") as stream:
            while block := stream.read(_BLOCK * _ROW):
                rows = np.frombuffer(block, np.uint64).reshape(-1, 3)
                yield np.ascontiguousarray(rows[:, :2]), rows[:, 2]


def _promise(
    ask: Callable[[Table, int], Callable[[], Answer]], table: Table, index: int
) -> Callable[[], Answer]:
    """Ask a table; a loss that is noticed at once is reported with the answer."""
    try:
        return ask(table, index)
    except WorkerLostError as problem:
        lost = problem

        def raising() -> Answer:
            raise lost

        return raising
