"""Many cases on several processes; one that dies or hangs is named, and the others go on.

A worker takes a stretch of numbers of one target, and says after each case what became of it.
Case ``n`` of a target depends on the seed and on ``n`` alone, so that the result is the same
on any number of workers, and a case that has killed its worker can be made again::

    driver ──(target, first, last)──> worker 1 ──Finished, Finished, …──> driver
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from random import Random

from fuzz.case import Case, Failure, Finished
from fuzz.guard import PROBLEMS, WAITING, finish, settle_process
from fuzz.targets import Target

#: Cases of a stretch: what a process has kept from them is given back at its end.
_STRETCH = 250

#: Failures of a target and a problem that are written; the others are counted.
_WRITTEN = 20

#: Seconds after which a worker that says nothing is ended from outside.
_SILENCE = 2 * WAITING


@dataclass
class Tally:
    """What became of the cases of a target: how many, and which took most time and memory.

    ``slowest`` and ``largest`` are of those that were accepted, ``longest`` and ``most`` of all.
    """

    cases: int = 0
    accepted: int = 0
    seconds: float = 0.0
    slowest: tuple[float, int] = (0.0, -1)
    largest: tuple[float, int] = (0.0, -1)
    longest: tuple[float, int] = (0.0, -1)
    most: tuple[float, int] = (0.0, -1)
    problems: Counter[str] = field(default_factory=Counter)

    def add(self, number: int, finished: Finished) -> None:
        """Count a case."""
        self.cases += 1
        self.accepted += finished.accepted
        self.seconds += finished.seconds
        self.longest = max(self.longest, (finished.seconds, number))
        self.most = max(self.most, (finished.megabytes, number))
        if finished.accepted:
            self.slowest = max(self.slowest, (finished.seconds, number))
            self.largest = max(self.largest, (finished.megabytes, number))
        if finished.problem:
            self.problems[finished.problem] += 1

    def join(self, other: Tally) -> None:
        """Add what another has counted."""
        self.cases += other.cases
        self.accepted += other.accepted
        self.seconds += other.seconds
        self.problems += other.problems
        for name in ("longest", "most", "slowest", "largest"):
            setattr(self, name, max(getattr(self, name), getattr(other, name)))

    def row(self) -> list[object]:
        """The cells of the table."""
        return [
            *(self.cases, self.accepted),
            *(self.problems[problem] for problem in PROBLEMS),
            *(self.seconds, self.longest[0], self.slowest[0], self.largest[0]),
        ]


#: Of the times and the memory of accepted inputs there are the greatest.
COLUMNS = ("inputs", "accepted", *PROBLEMS, "CPU s", "slowest s", "accepted s", "accepted MiB")


@dataclass
class _Worker:
    """A process, and what it has to do; ``next`` is the case that it is at."""

    process: multiprocessing.process.BaseProcess
    connection: Connection
    target: str
    next: int
    last: int
    since: float


@dataclass
class Fleet:
    """Runs cases; ``tallies`` and ``failures`` grow, so that they are there at any moment."""

    targets: Mapping[str, Target]
    seed: int
    workers: int
    folder: Path | None = None
    patience: float = 1.0
    tallies: dict[str, Tally] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)

    def run(self, numbers: Mapping[str, int], seconds: float = float("inf")) -> None:
        """Run so many cases of each target, or until the time is over."""
        end = time.monotonic() + seconds
        self.tallies |= {name: Tally() for name in numbers}
        waiting = deque(_stretches(numbers))
        busy: dict[Connection, _Worker] = {}
        try:
            while (waiting or busy) and time.monotonic() < end:
                while waiting and len(busy) < self.workers:
                    worker = self._start(*waiting.popleft())
                    busy[worker.connection] = worker
                for connection in wait(list(busy), timeout=1.0):
                    self._hear(busy[connection], busy, waiting)  # type: ignore[index]
                for worker in list(busy.values()):
                    if time.monotonic() - worker.since > _SILENCE * self.patience:
                        self._lose(worker, "hang", "the process did not answer", busy, waiting)
        finally:
            for worker in busy.values():
                _end(worker)

    def case(self, target: str, number: int) -> Case:
        """The case of a number: it depends on nothing but the seed."""
        return self.targets[target].make(Random(f"{target}/{self.seed}/{number}"))  # noqa: S311

    def _start(self, target: str, first: int, last: int) -> _Worker:
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=self._work, args=(target, first, last, theirs))
        process.start()
        theirs.close()
        return _Worker(process, ours, target, first, last, time.monotonic())

    def _work(self, target: str, first: int, last: int, connection: Connection) -> None:
        """Run a stretch, in a process of its own."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        settle_process()
        reader = self.targets[target].read
        with suppress(BrokenPipeError):
            for number in range(first, last):
                connection.send(finish(self.case(target, number), reader, self.patience))
        connection.close()
        os._exit(0)

    def _hear(self, worker: _Worker, busy: dict[Connection, _Worker], waiting: deque[tuple[str, int, int]]) -> None:
        try:
            finished: Finished = worker.connection.recv()
        except EOFError:
            worker.process.join()
            code = worker.process.exitcode
            if worker.next < worker.last:
                self._lose(worker, "traceback", f"the process died: {code}", busy, waiting)
            else:
                del busy[worker.connection]
                _end(worker)
            return
        self._note(worker.target, worker.next, finished)
        worker.next += 1
        worker.since = time.monotonic()

    def _lose(
        self,
        worker: _Worker,
        problem: str,
        said: str,
        busy: dict[Connection, _Worker],
        waiting: deque[tuple[str, int, int]],
    ) -> None:
        """A worker is gone: its case has failed, and the rest of its stretch is for another."""
        del busy[worker.connection]
        _end(worker)
        self._note(worker.target, worker.next, Finished(False, 0.0, 0.0, problem, said))
        if worker.next + 1 < worker.last:
            waiting.appendleft((worker.target, worker.next + 1, worker.last))

    def _note(self, target: str, number: int, finished: Finished) -> None:
        tally = self.tallies[target]
        tally.add(number, finished)
        if not finished.problem or tally.problems[finished.problem] > _WRITTEN:
            return
        case = self.case(target, number)
        failure = Failure(target, number, case, finished.problem, finished.said)
        self.failures.append(failure)
        if self.folder is not None:
            failure.write(self.folder)


def _stretches(numbers: Mapping[str, int]) -> Iterable[tuple[str, int, int]]:
    """Stretches of all targets in turn, so that a run that is stopped has some of each."""
    rounds: Sequence[range] = [range(0, number, _STRETCH) for number in numbers.values()]
    names = list(numbers)
    parts = [
        (at / numbers[name], name, at, min(at + _STRETCH, numbers[name]))
        for name, starts in zip(names, rounds, strict=True)
        for at in starts
    ]
    return [(name, first, last) for _, name, first, last in sorted(parts)]


def _end(worker: _Worker) -> None:
    worker.connection.close()
    if worker.process.is_alive():
        worker.process.kill()
    worker.process.join()
