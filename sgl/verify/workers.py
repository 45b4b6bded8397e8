"""Share the work with other processes.

Ranges of files are read, frames searched and the certificate judged each by itself, so
that processes can share these tasks; results are taken in the order of the tasks, and the
report is the same however many processes there are.  With one worker no other process is
started; with more, this one cuts the files and puts the results together.

A process that is killed, perhaps for memory, is no fault of the dataset: what it has not
done is done here.  When this one is killed, the others end with it.

Processes take a second to start.  Whoever knows that there will be something to verify can
have them started meanwhile (:func:`standing_by`).
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext, suppress
from functools import lru_cache
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TypeVar

from sgl import foreign
from sgl.foreign import read_bytes
from sgl.verify.manifest import CERTIFICATE
from sgl.verify.reading import Knowledge, ReadingTask

T = TypeVar("T")
R = TypeVar("R")

#: Says what is wrong with a certificate, given its bytes.
Judge = Callable[[bytes], tuple[str, ...]]

#: More workers than these have nothing to do: the checks themselves are made by one.
USEFUL = 8

#: Processes are worth their start above so many bytes of CoNLL-U; a byte of a certificate
#: takes as long as some thirty of these.
WORTH_IT = 1 << 23
_CERTIFICATE_BYTE = 30


class Workers:
    """Do the tasks of one verification: this process, or those of a pool."""

    def __init__(self, task: ReadingTask, pool: ProcessPoolExecutor | None = None) -> None:
        self.known = Knowledge(task)
        self._pool = pool
        self._packed = pickle.dumps(task, pickle.HIGHEST_PROTOCOL)

    def results(self, function: Callable[[Knowledge, T], R], tasks: Iterable[T]) -> Iterator[R]:
        """Yield what a function returns for some tasks, in their order."""
        submitted = deque(self.submit(function, task) for task in tasks)
        while submitted:
            yield submitted.popleft()()

    def submit(self, function: Callable[[Knowledge, T], R], task: T) -> Callable[[], R]:
        """Submit a task; return a function that waits for its result."""
        future: Future[R] | None = None
        with suppress(BrokenProcessPool):
            if self._pool is not None:
                future = self._pool.submit(_call, function, self._packed, task)

        def result() -> R:
            with suppress(BrokenProcessPool):
                if future is not None:
                    return future.result()
            return function(self.known, task)

        return result

    def judging(self, directory: Path, judge: Judge) -> Judge:
        """Return the judge of the certificate, at work from now on if there is a pool."""
        path = directory / CERTIFICATE
        with suppress(OSError):
            if self._pool is not None:
                text = read_bytes(path, foreign.CERTIFICATE, inside=directory)
                return judging(self._pool, judge, text)
        return judge


def judging(pool: ProcessPoolExecutor, judge: Judge, text: bytes) -> Judge:
    """Have a process of a pool judge a certificate; return the judge who knows its verdict."""
    verdict: Future[tuple[str, ...]] | None = None
    with suppress(BrokenProcessPool):
        verdict = pool.submit(judge, text)

    def known(asked: bytes) -> tuple[str, ...]:
        with suppress(BrokenProcessPool):
            # The file may have changed when the check reads it.
            if verdict is not None and asked == text:
                return verdict.result()
        return judge(asked)

    return known


@contextmanager
def workers_for(
    directory: Path, task: ReadingTask, number: int, standby: ProcessPoolExecutor | None = None
) -> Iterator[Workers]:
    """Give workers, of ``standby`` or a new pool; a small dataset is read by this process."""
    work = 0
    with suppress(OSError):
        work = sum(path.stat().st_size for path in (directory / "conllu").glob("*.conllu"))
        work += _CERTIFICATE_BYTE * (directory / CERTIFICATE).stat().st_size
    if number < 2 or work < WORTH_IT:
        yield Workers(task)
        return
    with nullcontext(standby) if standby else standing_by(number) as pool:
        yield Workers(task, pool)


@contextmanager
def standing_by(number: int) -> Iterator[ProcessPoolExecutor | None]:
    """Start ``number`` processes at once for a verification to come; none for one worker."""
    if number < 2:
        yield None
        return
    pool = ProcessPoolExecutor(number, get_context("spawn"), _begin)
    try:
        with _starting():
            for _ in range(number):
                pool.submit(os.getpid)  # any task: a process starts with its first one
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


#: The signals that end a command.
_ENDS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def _starting() -> Iterator[None]:
    """Keep processes that start in this block from hearing Ctrl-C; here signals to end wait.

    They import modules first, and Python would answer with a traceback there.  So it would if
    this process were stopped before it has told them what to do.
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


def _begin() -> None:
    """Have this process end when the one that has started it does: what it does first.

    It also ends with Ctrl-C, and says nothing, unless interruptions are ignored.
    """
    # Reading makes many small values and hardly a cycle among them.
    gc.set_threshold(100_000, 50, 50)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _call(function: Callable[[Knowledge, T], R], packed: bytes, task: T) -> R:
    return function(_known(packed), task)


@lru_cache(maxsize=1)
def _known(packed: bytes) -> Knowledge:
    """Return what this process knows, if it was started to work for another."""
    return Knowledge(pickle.loads(packed))  # noqa: S301 - its parent sends it
