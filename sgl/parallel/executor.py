"""Run tasks: in this process, on processes of this machine, or on a cluster.

A task is a function of the *work*, a value that every worker gets once, and a few small arguments::

    with open_executor(work, Parallelism(workers=4)) as executor:
        tasks = (executor.submit(encode, part) for part in parts)     encode(work, part)
        for data in ordered(tasks, executor.ahead):
            ...

Tasks are pure, so a task whose worker died is simply run again.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
    from sgl.parallel.processes import Processes

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
