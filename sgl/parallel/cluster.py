"""Workers of a Dask cluster: on this machine, or wherever a scheduler runs.

The work is sent as a plugin, which Dask also gives to workers that join later or are started
again.  Dask begins the task of a dead worker again by itself.  A thread waits for each task,
so that several results are on their way at once.

Dask was chosen over Ray after both had been measured on the same tasks: see
``docs/scaling.md``.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TypeVar

from sgl import __version__
from sgl.parallel.arrays import writable
from sgl.parallel.executor import ATTEMPTS, Function, WorkerLostError, in_flight
from sgl.parallel.partitions import Hashes, Marks
from sgl.sampling.seen import Earlier, SeenSentences

try:
    import distributed
    from distributed import Client, LocalCluster, WorkerPlugin
except ImportError:
    raise ImportError(
        "the engine `dask` is not installed; `pip install 'sgl-compiler[cluster]'` installs it"
    ) from None

Answer = TypeVar("Answer")

_NAME = "sgl-work"

#: Seconds to wait for a scheduler.
_PATIENCE = 10

#: What Dask raises, in one version or another, when the worker of a table is gone.
_GONE = (OSError, ValueError, RuntimeError)


class _Work(WorkerPlugin):  # type: ignore[misc]
    """Holds the work on a worker."""

    name = _NAME

    def __init__(self, work: bytes) -> None:
        self._packed = work

    def setup(self, worker: object) -> None:  # noqa: ARG002
        """Unpack the work once."""
        self.work = pickle.loads(self._packed)  # noqa: S301


class DaskExecutor:
    """Runs tasks on a Dask cluster."""

    def __init__(self, work: object, workers: int, scheduler: str = "") -> None:
        """Start ``workers`` processes on this machine, or join the cluster of a scheduler."""
        self._cluster = None if scheduler else _local(workers)
        try:
            self._client = Client(self._cluster or scheduler, timeout=_PATIENCE)
        except (OSError, ValueError) as problem:
            raise WorkerLostError(f"no scheduler answers at `{scheduler}`") from problem
        try:
            found = _ready(self._client, pickle.dumps(work, pickle.HIGHEST_PROTOCOL))
        except BaseException:
            self._leave()
            raise
        #: How many workers there are.
        self.workers = found
        self.ahead = in_flight(self.workers)
        self._threads = ThreadPoolExecutor(self.ahead, "task")

    def submit(self, function: Function, *arguments: Any) -> Future[Any]:  # noqa: ANN401
        """Run a task on some worker."""
        return self._threads.submit(self._wait, function, arguments)

    def table(self, number: int) -> _ActorTable:  # noqa: ARG002
        """Start a table of sentences on some worker."""
        made = self._client.submit(_Sentences, actor=True, pure=False)
        return _ActorTable(self._guarded(_promised(lambda: made)))

    def __enter__(self) -> Self:
        """Workers run already."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Leave the cluster; one that was started here is stopped."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._leave()
        self._threads.shutdown()

    def _leave(self) -> None:
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()

    def _wait(self, function: Function, arguments: tuple[Any, ...]) -> object:
        future = self._client.submit(
            _run, __version__, function, arguments, pure=False, retries=ATTEMPTS
        )
        return self._guarded(future.result)

    def _guarded(self, wait: Callable[[], Answer]) -> Answer:
        try:
            return wait()
        except (distributed.KilledWorker, distributed.CancelledError) as problem:
            raise WorkerLostError("the workers of the cluster die") from problem


class _Sentences(SeenSentences):
    """A table for arrays that came over the network, which may be read only."""

    def earlier(self, hashes: Hashes, asked: Marks) -> Earlier:
        """Where the sentences of the ``asked`` candidates occurred before."""
        return super().earlier(writable(hashes), writable(asked))

    def add(self, hashes: Hashes, accepted: Marks, stratum: int) -> None:
        """Take the sentences of the accepted candidates for a stratum."""
        super().add(writable(hashes), writable(accepted), stratum)


class _ActorTable:
    """A table that a worker holds as an actor."""

    def __init__(self, actor: Any) -> None:  # noqa: ANN401
        self._actor = actor

    def earlier(self, hashes: Hashes, asked: Marks) -> Callable[[], Earlier]:
        """Ask for sentences that occurred before."""
        return _promised(lambda: self._actor.earlier(hashes, asked))

    def add(self, hashes: Hashes, accepted: Marks, stratum: int) -> Callable[[], None]:
        """Add accepted sentences."""
        return _promised(lambda: self._actor.add(hashes, accepted, stratum))


def _promised(ask: Callable[[], Any]) -> Callable[[], Any]:
    """Ask an actor now; what comes of it when the answer is wanted."""
    try:
        future = ask()
    except _GONE as problem:
        raise WorkerLostError("a worker with a table is gone") from problem

    def answer() -> object:
        try:
            return future.result()
        except _GONE as problem:
            raise WorkerLostError("a worker with a table is gone") from problem

    return answer


def _local(workers: int) -> LocalCluster:
    """A cluster on this machine, begun anew if a worker dies before it has joined."""
    try:
        return _attempted(
            lambda: LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                # Any free port: another run may have the one that Dask would take.
                dashboard_address="127.0.0.1:0",
                silence_logs=50,
                memory_limit=None,
            ),
            RuntimeError,
        )
    except RuntimeError as problem:
        raise WorkerLostError(f"no cluster can be started here: {problem}") from problem


def _ready(client: Client, work: bytes) -> int:
    """Give the work to the workers of a cluster; how many there are.

    Raises ``WorkerLostError`` if there are none, or if they cannot do it.
    """
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except TimeoutError as problem:
        raise WorkerLostError("the cluster has no workers") from problem
    try:
        # The connection to a worker that dies is lost; it is started again, or others are there.
        versions = _attempted(lambda: _prepared(client, work), OSError)
    # Whatever the workers raise when they load the work is raised here as well.
    except Exception as problem:
        raise WorkerLostError(f"the workers of the cluster cannot run sglc: {problem}") from problem
    for version in sorted(versions - {__version__}):
        raise WorkerLostError(_differing(version))
    return len(client.scheduler_info(n_workers=-1)["workers"])


def _prepared(client: Client, work: bytes) -> set[str]:
    """Have the workers load the work; which versions of ``sglc`` they have."""
    client.register_plugin(_Work(work))
    return set(client.run(_version).values())


def _attempted(begin: Callable[[], Answer], passing: type[Exception]) -> Answer:
    """What comes of a beginning, which is made again after an exception that may pass."""
    for _ in range(ATTEMPTS - 1):
        with suppress(passing):
            return begin()
    return begin()


def _differing(version: str) -> str:
    return f"workers of the cluster have sglc {version}, and this is {__version__}"


def _version() -> str:
    return __version__


def _run(version: str, function: Function, arguments: tuple[Any, ...]) -> object:
    """Do a task on a worker."""
    if __version__ != version:
        raise WorkerLostError(f"a worker of the cluster has sglc {__version__}, not {version}")
    return function(distributed.get_worker().plugins[_NAME].work, *arguments)
