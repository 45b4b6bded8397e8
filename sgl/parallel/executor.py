"""Run tasks: in this process, on processes of this machine, or on a cluster.

A task is a function of the *work*, a value that every worker gets once, and a few small arguments::

    with open_executor(work, Parallelism(workers=4)) as executor:
        tasks = (executor.submit(encode, part) for part in parts)     encode(work, part)
        for data in ordered(tasks, executor.ahead):
            ...

Tasks are pure, so a task whose worker died is simply run again.
"""

from __future__ import annotations

import pickle
import signal
import tempfile
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from sgl.children import begin, starting

#: Called with the work and its own arguments.
Function = Callable[..., Any]

#: The engines that tasks can run on; the first is this machine.
LOCAL, DASK = "local", "dask"
ENGINES = (LOCAL, DASK)

#: Tasks in flight for each worker: one that runs and one that waits.
IN_FLIGHT = 2

#: How often a task is begun at most, if its worker dies each time.
ATTEMPTS = 5


class WorkerLostError(Exception):
    """A task could not be finished: its workers died, or the engine is gone."""


@dataclass(frozen=True)
class Parallelism:
    """How a run is divided among workers, and what happens to an interrupted one.

    ``scheduler`` is the address of a running Dask cluster.  An interrupted run is resumed
    (``resume``), replaced (``force``), or reported as an error.
    """

    workers: int = 1
    engine: str = LOCAL
    scheduler: str = ""
    resume: bool = False
    force: bool = False

    @property
    def resumable(self) -> bool:
        """Whether a run with these options leaves something to resume from."""
        return self != Parallelism(force=self.force)


#: A task that was submitted: waits for it, and returns what it returns or raises what it raises.
Task = Callable[[], Any]


class Executor(AbstractContextManager["Executor"]):
    """Runs tasks until its context is left; ``ahead`` is how many are worth having in flight."""

    ahead = 1

    @abstractmethod
    def submit(self, function: Function, *arguments: Any) -> Task:  # noqa: ANN401
        """Run ``function(work, *arguments)`` on some worker."""

    def __exit__(self, *_: object) -> None:
        """Stop the workers."""


class InProcess(Executor):
    """Runs each task at once, in this process."""

    def __init__(self, work: object) -> None:
        self._work = work

    def submit(self, function: Function, *arguments: Any) -> Task:  # noqa: ANN401
        """Run the task now."""
        result = function(self._work, *arguments)
        return lambda: result


def open_executor(work: object, parallelism: Parallelism, folder: Path | None = None) -> Executor:
    """Return the executor for some work.  One local worker is this process.

    Processes leave results in ``folder`` until they are fetched, or in one for temporary files.

    Raises:
        ImportError: the engine is not installed.
        WorkerLostError: the scheduler does not answer, or its workers cannot do the work.
    """
    if parallelism.engine == DASK:
        from sgl.parallel.cluster import DaskExecutor

        return DaskExecutor(work, parallelism.workers, parallelism.scheduler)
    if parallelism.workers == 1:
        return InProcess(work)
    return Processes(work, parallelism.workers, folder)


def ordered(tasks: Iterable[Task], ahead: int) -> Iterator[Any]:
    """Yield results in order; tasks are submitted as ``tasks`` is read, ``ahead`` at a time."""
    flight: deque[Task] = deque()
    for task in tasks:
        flight.append(task)
        if len(flight) >= ahead:
            yield flight.popleft()()
    while flight:
        yield flight.popleft()()


# ---- processes


class Processes(Executor):
    """Runs tasks on processes of this machine.

    They are a ``ProcessPoolExecutor``, which breaks as a whole when one of its processes is
    killed: then a new one is started, and each task that is not finished is submitted again
    when its result is wanted.

    Results come back as files.  A process that is killed while it sends a long result through
    the queue of the pool would leave the reader waiting for the rest.
    """

    def __init__(self, work: object, workers: int, folder: Path | None = None) -> None:
        self.ahead = IN_FLIGHT * workers
        self._workers = workers
        self._work = pickle.dumps(work, pickle.HIGHEST_PROTOCOL)
        self._results = tempfile.TemporaryDirectory(
            prefix="results-", dir=folder, ignore_cleanup_errors=True
        )
        self._pool = self._new_pool()

    def submit(self, function: Function, *arguments: Any) -> Task:  # noqa: ANN401
        """Run a task on the next process that is free; again if its pool breaks."""
        pool, file = self._begin(function, arguments)

        def result() -> Any:  # noqa: ANN401
            nonlocal pool, file
            for _ in range(ATTEMPTS):
                try:
                    path = Path(file.result())
                except BrokenProcessPool:
                    self._replace(pool)
                    pool, file = self._begin(function, arguments)
                else:
                    data = path.read_bytes()
                    path.unlink()
                    return pickle.loads(data)  # noqa: S301 - its own process wrote it
            raise WorkerLostError(
                f"a task was begun {ATTEMPTS} times, and its process died each time"
            )

        return result

    def _begin(
        self, function: Function, arguments: tuple[Any, ...]
    ) -> tuple[ProcessPoolExecutor, Future[str]]:
        """Submit a task; return the pool that has it, and the file of its result to come."""
        task = partial(_perform, function, arguments, self._results.name)
        # Processes start when they are first needed, which may be now.
        with starting():
            try:
                return self._pool, self._pool.submit(task)
            except BrokenProcessPool:
                self._replace(self._pool)
                return self._pool, self._pool.submit(task)

    def _replace(self, broken: ProcessPoolExecutor) -> None:
        """Start a new pool, unless that is done already."""
        if broken is self._pool:
            broken.shutdown()
            self._pool = self._new_pool()

    def __exit__(self, *_: object) -> None:
        """Stop the processes as soon as each has finished its task."""
        self._pool.shutdown(cancel_futures=True)
        self._results.cleanup()

    def _new_pool(self) -> ProcessPoolExecutor:
        # Spawned, never forked, so that this works alike on all systems.
        return ProcessPoolExecutor(self._workers, get_context("spawn"), _prepare, (self._work,))


#: What a worker process knows.
_known: dict[str, Any] = {}


def _prepare(work: bytes) -> None:
    """Unpack the work."""
    begin()
    # An interruption from the keyboard reaches all; the driver decides what follows.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _known["work"] = pickle.loads(work)  # noqa: S301 - its parent sent it


def _perform(function: Function, arguments: tuple[Any, ...], folder: str) -> str:
    """Do a task; return the file that holds its result."""
    result = function(_known["work"], *arguments)
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
        pickle.dump(result, file, pickle.HIGHEST_PROTOCOL)
    return file.name
