"""Who does the work: this process, or others beside it.

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

import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TypeVar

from sgl.verify.certificate_checks import CERTIFICATE
from sgl.verify.dataset import Judge
from sgl.verify.reading import Tables, Task

_T = TypeVar("_T")
_R = TypeVar("_R")

#: More workers than these have nothing to do: the checks themselves are made by one.
USEFUL = 8

#: Processes are worth their start above so many bytes of CoNLL-U; a byte of a certificate
#: takes as long as some thirty of these.
WORTH_IT = 1 << 23
_CERTIFICATE_BYTE = 30


class Workers:
    """Those who do the tasks of one verification."""

    def __init__(self, task: Task, pool: ProcessPoolExecutor | None = None) -> None:
        self.task = task
        self._pool = pool

    @cached_property
    def _packed(self) -> bytes:
        """What others have to know."""
        return pickle.dumps(self.task, pickle.HIGHEST_PROTOCOL)

    @cached_property
    def tables(self) -> Tables:
        """What this process knows, if it works itself."""
        return Tables(self.task)

    def results(self, function: Callable[[Tables, _T], _R], tasks: Iterable[_T]) -> Iterator[_R]:
        """What a function makes of some tasks, in their order."""
        asked = deque((task, self._submit(function, task)) for task in tasks)
        while asked:
            task, future = asked.popleft()
            try:
                yield function(self.tables, task) if future is None else future.result()
            except BrokenProcessPool:
                yield function(self.tables, task)

    def judging(self, directory: Path, judge: Judge) -> Judge:
        """A judge for the certificate of a dataset, at work from now on if others work."""
        path = directory / CERTIFICATE
        try:
            text = path.read_bytes() if self._pool and path.is_file() else b""
        except OSError:
            return judge
        verdict = self._submit(_judge, (judge, text)) if text else None
        return judge if verdict is None else _Ahead(judge, text, verdict)

    def _submit(self, function: Callable[[Tables, _T], _R], task: _T) -> Future[_R] | None:
        """The result to come; none if nobody else works."""
        if self._pool is None:
            return None
        try:
            return self._pool.submit(_call, function, self._packed, task)
        except BrokenProcessPool:
            return None


@contextmanager
def workers_for(
    directory: Path, task: Task, number: int, standby: ProcessPoolExecutor | None = None
) -> Iterator[Workers]:
    """So many workers, those that stand by or new ones; this process alone for a small dataset."""
    if number < 2 or _work(directory) < WORTH_IT:
        yield Workers(task)
        return
    if standby is not None:
        yield Workers(task, standby)
        return
    with _pool(number) as pool:
        yield Workers(task, pool)


@contextmanager
def standing_by(number: int) -> Iterator[ProcessPoolExecutor | None]:
    """So many processes for a verification to come, which start at once; none for one worker."""
    if number < 2:
        yield None
        return
    with _pool(number) as pool:
        yield pool


@contextmanager
def _pool(number: int) -> Iterator[ProcessPoolExecutor]:
    """So many processes, which start at once."""
    pool = ProcessPoolExecutor(number, get_context("spawn"), _begin)
    try:
        with _unheard_by_children():
            for _ in range(number):
                pool.submit(_ready)
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _unheard_by_children() -> Iterator[None]:
    """Processes that start meanwhile hear no Ctrl-C until they ask for it.

    They import modules first, and Python would answer with a traceback there.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # It starts with the first process, and unblocks the signal when it has.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(directory: Path) -> int:
    """How much there is to do, in bytes of CoNLL-U."""
    files = [*(directory / "conllu").glob("*.conllu")]
    try:
        certificate = directory / CERTIFICATE
        more = _CERTIFICATE_BYTE * certificate.stat().st_size if certificate.is_file() else 0
        return more + sum(path.stat().st_size for path in files)
    except OSError:
        return 0


@dataclass(frozen=True, slots=True)
class _Ahead:
    """A judge that has been asked about some bytes in advance."""

    judge: Judge
    text: bytes
    verdict: Future[tuple[str, ...]]

    def __call__(self, text: bytes) -> tuple[str, ...]:
        """The verdict of the other process, if it is about these bytes."""
        if text != self.text:
            return self.judge(text)
        try:
            return self.verdict.result()
        except BrokenProcessPool:
            return self.judge(text)


def _begin() -> None:
    """What a process does first: it ends when the one does that has started it.

    So it does with Ctrl-C, and says nothing, unless interruptions are ignored.
    """
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


def _ready() -> None:
    """The first task of a process that stands by: to be there."""


def _call(function: Callable[[Tables, _T], _R], packed: bytes, task: _T) -> _R:
    return function(_tables(packed), task)


@lru_cache(maxsize=1)
def _tables(packed: bytes) -> Tables:
    """What this process knows, if it is one that was started to work for another."""
    return Tables(pickle.loads(packed))  # noqa: S301 - its parent sends it


def _judge(_: Tables, asked: tuple[Judge, bytes]) -> tuple[str, ...]:
    judge, text = asked
    return judge(text)
