"""Workers that are processes of this machine.

They are a ``ProcessPoolExecutor``, which breaks as a whole when one of its processes is
killed: then a new one is started, and each task that is not finished is submitted again when
its result is wanted.

Results come back as files.  A process that is killed while it sends a long result through
the queue of the pool would leave the reader waiting for the rest.

A process ends within moments when the one that has started it does, even if that is killed.
"""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from sgl.garbage import collect_rarely
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
        with starting_processes():
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
    _begin()
    _known["work"] = pickle.loads(work)  # noqa: S301 - its parent sent it


def _begin(folder: str = "") -> None:
    """End when the driver ends, and remove a folder of one's own: what a process does first."""

    def end_with(parent: BaseProcess) -> None:
        parent.join()
        if folder:
            shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)

    collect_rarely()
    # An interruption from the keyboard reaches all; the driver decides what follows.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=end_with, args=(parent,), daemon=True).start()


def _perform(function: Function, arguments: tuple[Any, ...], folder: str) -> str:
    """Do a task; return the file that holds its result."""
    result = function(_known["work"], *arguments)
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
        pickle.dump(result, file, pickle.HIGHEST_PROTOCOL)
    return file.name


@contextmanager
def process_in(module: str, function: str) -> Iterator[BaseProcess]:
    """Have another process call a function with a folder that is its own, while the block runs.

    The process imports the module when it is ready to end with this one.
    """
    with tempfile.TemporaryDirectory(prefix="sgl-", ignore_cleanup_errors=True) as folder:
        process = get_context("spawn").Process(
            target=_call, args=(module, function, folder), daemon=True
        )
        with starting_processes():
            process.start()
        try:
            yield process
        finally:
            process.terminate()
            process.join()


def _call(module: str, function: str, folder: str) -> None:
    _begin(folder)
    getattr(import_module(module), function)(Path(folder))


#: The signals that end a command.
_ENDS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def starting_processes() -> Iterator[None]:
    """Start processes in this block, which do not hear Ctrl-C; here signals to end wait for it.

    Ctrl-C reaches all processes of a terminal, and the first of them decides what follows.
    A new process imports modules for a second before it can ignore the signal, so it starts
    with the signal blocked, which it inherits.  And it would complain if it were told only
    half of what it is to do.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # It starts with the first process, and unblocks the signal when it has.
    resource_tracker.ensure_running()
    waiting: list[int] = []
    heard = {}
    if threading.current_thread() is threading.main_thread():
        heard = {end: signal.getsignal(end) for end in _ENDS if callable(signal.getsignal(end))}
    for end in heard:
        signal.signal(end, lambda number, _: waiting.append(number))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for end, handler in heard.items():
            signal.signal(end, handler)
        if waiting:
            signal.raise_signal(waiting[0])
