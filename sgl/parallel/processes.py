"""Workers that are processes of this machine.

They are a ``ProcessPoolExecutor``, which breaks as a whole when one of its processes is
killed: then a new one is started, and each task that is not finished is submitted again when
its result is wanted.

Results come back as files.  A process that is killed while it sends a long result through
the queue of the pool would leave the reader waiting for the rest.
"""

from __future__ import annotations

import pickle
import signal
import tempfile
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from sgl.children import begin, starting
from sgl.parallel.executor import ATTEMPTS, IN_FLIGHT, Executor, Function, Task, WorkerLostError


class Processes(Executor):
    """Runs tasks on processes of this machine."""

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
