"""Run tasks: in this process, on processes of this machine, or on a cluster; keep their results.

A task is a function of the *work*, a value that every worker gets once, and a few small arguments:
``executor.submit(encode, part)`` runs ``encode(work, part)``.  Tasks are pure, so a task whose
worker died is simply run again.

The folder of an unfinished run lies beside what it is to become, ``out/.pairs.parquet.partial``. It
has the *identity* of the run (its version, grammar, seed, and what is asked for) and the results of
finished tasks, each with a hash, so that an incomplete or changed one is made again.
"""

import json
import pickle
import signal
import tempfile
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from sgl.children import begin, starting
from sgl.dataset.staged import FolderLockedError, LockedFolder
from sgl.foreign import MANIFEST, ForeignFileError
from sgl.foreign.json import read_document

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
    Raises ``ImportError`` without the engine, ``WorkerLostError`` if workers cannot do the work.
    """
    if parallelism.engine == DASK:
        from sgl.parallel.cluster import DaskExecutor

        return DaskExecutor(work, parallelism.workers, parallelism.scheduler)
    if parallelism.workers == 1:
        return InProcess(work)
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


class Processes(Executor):
    """Runs tasks on processes of this machine.

    A ``ProcessPoolExecutor`` breaks as a whole when one of its processes is killed: then a new one
    is started, and unfinished tasks are submitted again when their results are wanted.  Results
    come back as files: a process that is killed while it sends one through the queue would block
    the reader.  For the same reason the work goes to them as a file: who starts a process waits until
    it has read what it is given, and one that was killed never reads more than a pipe holds.
    """

    def __init__(self, work: object, workers: int, folder: Path | None = None) -> None:
        self.ahead = IN_FLIGHT * workers
        self._workers = workers
        self._results = tempfile.TemporaryDirectory(prefix="results-", dir=folder, ignore_cleanup_errors=True)
        self._work = Path(self._results.name) / "work"
        self._work.write_bytes(pickle.dumps(work, pickle.HIGHEST_PROTOCOL))
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
            raise WorkerLostError(f"a task was begun {ATTEMPTS} times, and its process died each time")

        return result

    def _begin(self, function: Function, arguments: tuple[Any, ...]) -> tuple[ProcessPoolExecutor, Future[str]]:
        task = partial(_perform, function, arguments, self._results.name)
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
        """Stop the processes as soon as each has finished its task."""
        self._pool.shutdown(cancel_futures=True)
        self._results.cleanup()

    def _new_pool(self) -> ProcessPoolExecutor:
        # Spawned, never forked, so that this works alike on all systems.
        return ProcessPoolExecutor(self._workers, get_context("spawn"), _prepare, (str(self._work),))


#: What a worker process knows.
_known: dict[str, Any] = {}


def _prepare(work: str) -> None:
    begin()
    # An interruption from the keyboard reaches all; the driver decides what follows.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _known["work"] = pickle.loads(Path(work).read_bytes())  # noqa: S301 - its parent wrote it


def _perform(function: Function, arguments: tuple[Any, ...], folder: str) -> str:
    result = function(_known["work"], *arguments)
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
        pickle.dump(result, file, pickle.HIGHEST_PROTOCOL)
    return file.name


FORMAT = "sgl-run/3"

_IDENTITY = "run.json"

_DIGEST = sha256().digest_size

#: What stops a run for reasons that do not lie in it.
_OUTSIDE = (KeyboardInterrupt, OSError, MemoryError, WorkerLostError)

#: What a run is: plain values by name.
Identity = Mapping[str, object]


class InterruptedRunError(Exception):
    """An interrupted run is in the way, or cannot be resumed; the message says why."""


class BusyRunError(InterruptedRunError):
    """A run is in the way that is not interrupted: another process works on it."""


@dataclass
class RunFolder(AbstractContextManager["RunFolder"]):
    """The folder of a run, locked until it is closed; ``resumed`` if an interrupted run goes on.

    When the ``with`` block fails, the folder stays if another attempt could get further: an
    interruption, a full disk or lost workers are no reason to give up what is finished.
    """

    locked: LockedFolder
    parallelism: Parallelism
    resumed: bool

    def __post_init__(self) -> None:
        self.path, self._has_results = self.locked.path, self.resumed

    def get(self, key: str) -> bytes | None:
        """Return a result if it is finished and still what it was."""
        try:
            with (self.path / key).open("rb") as file:
                digest, data = file.read(_DIGEST), file.read()
        except OSError:
            return None
        return data if sha256(data).digest() == digest else None

    def put(self, key: str, data: bytes) -> None:
        """Keep a result."""
        self._has_results = True
        with (self.path / key).open("wb") as file:
            file.write(sha256(data).digest())
            file.write(data)

    def submit(self, executor: Executor, key: str, function: Function, *arguments: Any) -> Task:  # noqa: ANN401
        """Return a task whose result is taken from the folder, or kept there."""
        known = self.get(key)
        if known is not None:
            return lambda: known
        task = executor.submit(function, *arguments)

        def result() -> bytes:
            data: bytes = task()
            self.put(key, data)
            return data

        return result

    def discard(self) -> None:
        """Delete the folder with everything in it."""
        self.locked.delete()

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        """Release the folder, or delete it if nobody could go on with it."""
        outside = any(isinstance(e, _OUTSIDE) for e in (error, getattr(error, "__cause__", None)))
        if error is not None and not (self._has_results and outside):
            self.discard()
        self.locked.release()


def partial_folder(target: Path) -> Path:
    """Return the folder of the run that is to become ``target``."""
    target = target.absolute()
    return target.with_name(f".{target.name}.partial")


def interrupted(target: Path) -> bool:
    """Return whether there is an interrupted run that was to become ``target``."""
    return (partial_folder(target) / _IDENTITY).is_file()


def open_run(
    target: Path, identity: Identity, parallelism: Parallelism, when_locked: Callable[[], None] = lambda: None
) -> RunFolder:
    """Begin the run that is to become ``target``, or resume it.

    The folder is looked at once it is locked, so of two runs that start together one is refused; ``when_locked`` is
    called before anything in it is read or deleted.  Raises ``BusyRunError`` if another process works there,
    ``InterruptedRunError`` if another run is in the way, and ``OSError``.
    """
    try:
        locked = LockedFolder.take(partial_folder(target))
    except FolderLockedError as problem:
        raise BusyRunError(str(problem)) from None
    try:
        when_locked()
        resumed = interrupted(target) and not parallelism.force
        if resumed and not parallelism.resume:
            raise InterruptedRunError("an interrupted run of it is there")
        file = locked.path / _IDENTITY
        if resumed:
            _check_identity(file, identity)
        else:
            locked.clear()
            # It is there completely or not at all, also after a crash.
            partial = file.with_suffix(".new")
            partial.write_text(json.dumps({**identity, "format": FORMAT}), "utf-8")
            partial.replace(file)
        return RunFolder(locked, parallelism, resumed)
    except BaseException:
        if interrupted(target):
            locked.release()
        else:
            locked.delete()
        raise


def _check_identity(file: Path, identity: Identity) -> None:
    try:
        kept = read_document(file, MANIFEST, inside=file.parent).of(dict)
    except ForeignFileError:
        kept = {}
    if kept.get("format") != FORMAT:
        raise InterruptedRunError(f"its {_IDENTITY} cannot be read")
    differing = [name for name in identity if kept.get(name) != identity[name]]
    if differing:
        raise InterruptedRunError(f"it was started with another {' and another '.join(differing)}")
