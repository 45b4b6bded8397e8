"""Workers of a Dask cluster: on this machine, or wherever a scheduler runs.

The work is sent as a plugin, which Dask also gives to workers that join later or restart.  ``docs/scaling.md`` says why
this is Dask and not Ray.
"""

import pickle
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from sgl import __version__
from sgl.parallel.executor import ATTEMPTS, IN_FLIGHT, Executor, Function, Task, WorkerLostError

try:
    import distributed
    from distributed import Client, LocalCluster, WorkerPlugin
except ImportError:
    raise ImportError("the engine `dask` is not installed; `pip install 'sgl-compiler[cluster]'` installs it") from None

Answer = TypeVar("Answer")

_NAME = "sgl-work"

#: Seconds to wait for a scheduler.
_PATIENCE = 10


class _Work(WorkerPlugin):  # type: ignore[misc]
    """A plugin that holds the work on a worker."""

    name = _NAME

    def __init__(self, work: bytes) -> None:
        self._packed, self._version = work, __version__

    def setup(self, worker: object) -> None:  # noqa: ARG002
        if __version__ != self._version:
            raise WorkerLostError(f"they have sglc {__version__}, and this is {self._version}")
        self.work = pickle.loads(self._packed)  # noqa: S301


class DaskExecutor(Executor):
    """An executor that runs tasks on a Dask cluster."""

    def __init__(self, work: object, workers: int, scheduler: str = "") -> None:
        """Start ``workers`` processes on this machine, or join the cluster of a scheduler."""
        self._cluster = None if scheduler else _local(workers)
        try:
            self._client = Client(self._cluster or scheduler, timeout=_PATIENCE)
        except (OSError, ValueError) as problem:
            raise WorkerLostError(f"no scheduler answers at `{scheduler}`") from problem
        try:
            found = _prepare(self._client, pickle.dumps(work, pickle.HIGHEST_PROTOCOL))
        except BaseException:
            self.__exit__()
            raise
        self.ahead = IN_FLIGHT * found

    def submit(self, function: Function, *arguments: Any) -> Task:  # noqa: ANN401
        """Run a task on some worker."""
        # Dask would send large arrays separately from their pickle, and they would arrive read-only.
        task = pickle.dumps((function, arguments), pickle.HIGHEST_PROTOCOL)
        future = self._client.submit(_perform, task, pure=False, retries=ATTEMPTS)

        def result() -> Any:  # noqa: ANN401
            try:
                return pickle.loads(future.result())  # noqa: S301 - its own worker sent it
            except (distributed.KilledWorker, distributed.CancelledError) as problem:
                raise WorkerLostError("the workers of the cluster keep dying") from problem

        return result

    def __exit__(self, *_: object) -> None:
        """Leave the cluster, and stop it if it was started here."""
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()


def _perform(task: bytes) -> bytes:
    function, arguments = pickle.loads(task)  # noqa: S301 - the driver sent it
    result = function(distributed.get_worker().plugins[_NAME].work, *arguments)
    return pickle.dumps(result, pickle.HIGHEST_PROTOCOL)


def _local(workers: int) -> LocalCluster:
    begin = partial(
        LocalCluster,
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        # Use any free port: another run may hold Dask's default.
        dashboard_address="127.0.0.1:0",
        silence_logs=50,
        memory_limit=None,
    )
    try:
        return _attempt(begin, RuntimeError)
    except RuntimeError as problem:
        raise WorkerLostError(f"no cluster can be started here: {problem}") from problem


def _prepare(client: Client, work: bytes) -> int:
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except TimeoutError as problem:
        raise WorkerLostError("the cluster has no workers") from problem

    try:
        # If a worker dies, its connection is lost; it restarts, or other workers take over.
        _attempt(lambda: client.register_plugin(_Work(work)), OSError)
    # An exception that workers raise while they load the work is raised here as well.
    except Exception as problem:
        raise WorkerLostError(f"the workers of the cluster cannot run sglc: {problem}") from problem
    return len(client.scheduler_info(n_workers=-1)["workers"])


def _attempt(begin: Callable[[], Answer], passing: type[Exception]) -> Answer:
    for _ in range(ATTEMPTS - 1):
        with suppress(passing):
            return begin()
    return begin()
