"""Workers that are processes of this machine."""

import pickle
import secrets
import signal
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from sgl.children import begin, starting
from sgl.disk import create, remove, temporary
from sgl.parallel.executor import ATTEMPTS, IN_FLIGHT, RESULTS, Executor, Function, Task, WorkerLostError


class Processes(Executor):
    """An executor that runs tasks on processes of this machine.

    A ``ProcessPoolExecutor`` breaks as a whole when one of its processes is killed.  Then a new pool is started, and
    unfinished tasks are submitted again when their results are wanted.  The work and the results are files: a pipe to
    or from a killed process would block for ever once it is full.
    """

    def __init__(self, work: object, workers: int, folder: Path | None = None) -> None:
        self.ahead = IN_FLIGHT * workers
        self._workers = workers
        self._closing = ExitStack()
        self._results = self._closing.enter_context(temporary(folder, RESULTS))
        self._work = self._results / "work"
        with create(self._work) as file:
            pickle.dump(work, file, pickle.HIGHEST_PROTOCOL)
        self._pool = self._new_pool()

    def submit(self, function: Function, *arguments: Any) -> Task:  # noqa: ANN401
        """Run a task on the next free process, and again if its pool breaks."""
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
                    remove(path)
                    return pickle.loads(data)  # noqa: S301 - its own process wrote it
            raise WorkerLostError(f"a task was begun {ATTEMPTS} times, and its process died each time")

        return result

    def _begin(self, function: Function, arguments: tuple[Any, ...]) -> tuple[ProcessPoolExecutor, Future[str]]:
        task = partial(_perform, function, arguments, str(self._results))
        # Processes start when they are first needed, which may be now.
        with starting():
            try:
                return self._pool, self._pool.submit(task)
            except BrokenProcessPool:
                self._replace(self._pool)
                return self._pool, self._pool.submit(task)

    def _replace(self, broken: ProcessPoolExecutor) -> None:
        if broken is self._pool:
            broken.shutdown()
            self._pool = self._new_pool()

    def __exit__(self, *_: object) -> None:
        """Stop each process as soon as it has finished its task."""
        self._pool.shutdown(cancel_futures=True)
        self._closing.close()

    def _new_pool(self) -> ProcessPoolExecutor:
        # Spawned, never forked, so that all systems behave alike.
        return ProcessPoolExecutor(self._workers, get_context("spawn"), _prepare, (str(self._work),))


#: The state of a worker process.
_known: dict[str, Any] = {}


def _prepare(work: str) -> None:
    begin()
    # An interruption from the keyboard reaches every process; the driver decides what to do.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _known["file"] = work


def _perform(function: Function, arguments: tuple[Any, ...], folder: str) -> str:
    if "work" not in _known:
        # Load the work only now, so that the driver and not the process reports a failure.
        _known["work"] = pickle.loads(Path(_known["file"]).read_bytes())  # noqa: S301 - its parent wrote it
    result = function(_known["work"], *arguments)
    path = Path(folder) / secrets.token_hex(8)
    with create(path) as file:
        pickle.dump(result, file, pickle.HIGHEST_PROTOCOL)
    return str(path)
