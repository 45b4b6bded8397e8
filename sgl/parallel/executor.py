"""Executors: where tasks run.

A task is a function of the *work*, a value that every worker gets once, and a few small
arguments::

    with open_executor(work, workers=4) as executor:
        future = executor.submit(encode, 0, 50_000)      encode(work, 0, 50_000), somewhere
        future.result()

Tasks are pure, so a task whose worker died is simply run again, and tasks may be run whose
result nobody will ask for.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Protocol, Self

#: Called with the work and its own arguments.
Function = Callable[..., Any]

#: The engines that tasks can run on; the first is this machine.
LOCAL, DASK = "local", "dask"
ENGINES = (LOCAL, DASK)

#: Tasks in flight for each worker: one that runs and one that waits.
_IN_FLIGHT = 2

#: How often a task is begun at most, if its worker dies each time.
ATTEMPTS = 5


class WorkerLostError(Exception):
    """A task could not be finished: its workers died, or the engine is gone."""


class Executor(Protocol):
    """Runs tasks; ``ahead`` is how many are worth having in flight."""

    @property
    def ahead(self) -> int:
        """How many tasks are worth having in flight."""

    def submit(self, function: Function, *arguments: Any) -> Future[Any]:  # noqa: ANN401
        """Run ``function(work, *arguments)``; the future may be cancelled."""

    def __enter__(self) -> Self:
        """Use the executor in a ``with`` block."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop the workers; what they were doing is lost."""


class InProcess:
    """Runs each task at once, in this process."""

    ahead = 1

    def __init__(self, work: object) -> None:
        self._work = work

    def submit(self, function: Function, *arguments: Any) -> Future[Any]:  # noqa: ANN401
        """Run the task now."""
        future: Future[Any] = Future()
        future.set_result(function(self._work, *arguments))
        return future

    def __enter__(self) -> Self:
        """Nothing has to be started."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Nothing has to be stopped."""


def open_executor(
    work: object, workers: int = 1, engine: str = LOCAL, scheduler: str = ""
) -> Executor:
    """The executor for some work.

    One local worker is this process itself.  Raises ``ImportError`` if the engine is not
    installed, and ``WorkerLostError`` if its ``scheduler`` does not answer.
    """
    if engine == DASK:
        from sgl.parallel.cluster import DaskExecutor

        return DaskExecutor(work, workers, scheduler)
    if workers == 1:
        return InProcess(work)
    from sgl.parallel.processes import Processes

    return Processes(work, workers)


def in_flight(workers: int) -> int:
    """How many tasks keep so many workers busy."""
    return _IN_FLIGHT * workers


def ordered(executor: Executor, calls: Iterable[tuple[Function, tuple[Any, ...]]]) -> Iterator[Any]:
    """The results of some tasks in their order, with few of them in flight."""
    flight: deque[Future[Any]] = deque()
    for function, arguments in calls:
        flight.append(executor.submit(function, *arguments))
        if len(flight) >= executor.ahead:
            yield flight.popleft().result()
    while flight:
        yield flight.popleft().result()
