"""Workers that are processes of this machine.

Each worker has a pipe of its own and a thread that speaks with it::

    thread 1  ── work, task, task, ... ──>  process 1
              <──── result, result, ... ──
    thread 2  ───────────────────────────>  process 2

``concurrent.futures.ProcessPoolExecutor`` has one queue for all: when a process is killed
there, all are lost, and the reader may wait for ever for the rest of a result.  Here the end
of a pipe says which worker died and which task it had; that worker is started again and the
task with it, while the others go on.

Processes are spawned, never forked, so this works alike on all systems.  A worker whose pipe
ends has lost its driver and leaves.
"""

from __future__ import annotations

import pickle
import signal
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Self

from sgl.parallel.executor import ATTEMPTS, Function, WorkerLostError, in_flight
from sgl.parallel.interrupts import unheard_by_children

#: Seconds that a worker has to leave by itself.
_PATIENCE = 2.0


class Processes:
    """Runs tasks on processes of this machine."""

    def __init__(self, work: object, workers: int) -> None:
        self.ahead = in_flight(workers)
        self._work = pickle.dumps(work, pickle.HIGHEST_PROTOCOL)
        self._threads = ThreadPoolExecutor(workers, "worker")
        self._own = threading.local()
        self._lock = threading.Lock()
        self._all: set[_Worker] = set()
        self._closed = False

    def submit(self, function: Function, *arguments: Any) -> Future[Any]:  # noqa: ANN401
        """Run a task on the next worker that is free."""
        return self._threads.submit(self._run, function, arguments)

    def processes(self) -> list[int]:
        """The numbers of the processes that run at the moment."""
        with self._lock:
            return [worker.pid for worker in self._all]

    def __enter__(self) -> Self:
        """Processes start when they are needed."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop all processes; tasks that are not finished are lost."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            self._closed = True
            workers = list(self._all)
        # A thread that waits for a result sees the end of its pipe, and leaves.
        for worker in workers:
            worker.terminate()
        self._threads.shutdown()
        for worker in workers:
            worker.stop()

    def _run(self, function: Function, arguments: tuple[Any, ...]) -> object:
        """Have the worker of this thread do a task, and a new one if it dies."""
        for _ in range(ATTEMPTS):
            worker: _Worker | None = getattr(self._own, "worker", None)
            if worker is None:
                worker = self._own.worker = self._start()
            try:
                finished, result = worker.ask(function, arguments)
            except (EOFError, OSError):
                self._own.worker = None
                self._forget(worker)
                continue
            if finished:
                return result
            raise result
        raise WorkerLostError(f"a task was begun {ATTEMPTS} times, and its process died each time")

    def _start(self) -> _Worker:
        with self._lock:
            if self._closed:
                raise WorkerLostError("the workers are stopped")
            worker = _Worker(self._work)
            self._all.add(worker)
            return worker

    def _forget(self, worker: _Worker) -> None:
        with self._lock:
            self._all.discard(worker)
        worker.stop()


class _Worker:
    """One process and the pipe to it."""

    def __init__(self, work: bytes) -> None:
        self._work = work
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        with unheard_by_children():
            self._process.start()
        # The pipe has to end when the process does, so no other may have its end open.
        theirs.close()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid or 0

    def ask(self, function: Function, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
        """Whether a task was finished, and its result or else what it raised.

        Raises ``EOFError`` or ``OSError`` if the process is gone.
        """
        if self._work:
            self._pipe.send_bytes(self._work)
            self._work = b""
        self._pipe.send((function, arguments))
        answer: tuple[bool, Any] = self._pipe.recv()
        return answer

    def terminate(self) -> None:
        """Tell the process to end."""
        with suppress(OSError):
            self._process.terminate()

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self.terminate()
        self._process.join(_PATIENCE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._pipe.close()


def _serve(pipe: Connection) -> None:
    """Do tasks until the pipe ends: what a worker process runs."""
    # An interruption from the keyboard reaches all; the driver decides what follows.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError):
        work = pickle.loads(pipe.recv_bytes())  # noqa: S301
        while True:
            function, arguments = pipe.recv()
            pipe.send(_outcome(function, work, arguments))


def _outcome(function: Function, work: object, arguments: tuple[Any, ...]) -> tuple[bool, object]:
    """Whether a task was finished, and its result or else what it raised."""
    try:
        return True, function(work, *arguments)
    except Exception as problem:  # noqa: BLE001
        return False, _sendable(problem)


def _sendable(problem: Exception) -> Exception:
    """An exception that can be sent to the driver."""
    try:
        pickle.loads(pickle.dumps(problem))  # noqa: S301
    except Exception:  # noqa: BLE001
        return RuntimeError(f"{type(problem).__name__}: {problem}")
    return problem
