"""Run tasks in this process, on processes of this machine or on a cluster, and keep their results.

A task is a function of the *work*, a value that every worker gets once, and a few small arguments:
``executor.submit(encode, part)`` runs ``encode(work, part)``.  Tasks are pure, so a task whose worker died is simply
run again.

The folder of an unfinished run is next to its target, ``out/.pairs.parquet.partial``.  It has the *identity* of the run
(version, grammar, seed and options) and the results of finished tasks.  Each of these files is sealed with a key that
only the user has: an incomplete or changed result is made again, and a folder that somebody else has forged is neither
resumed nor cleared.
"""

import hmac
import json
import pickle
import re
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any

from sgl.cache import seal_key
from sgl.disk import Folder, InTheWayError, make_way
from sgl.disk.stages import HOLDER, LOCK, FolderLockedError, LockedFolder
from sgl.values import dataclass

#: A function of the work and arguments of its own.
Function = Callable[..., Any]

#: A submitted task: calling it waits, then returns what the task returns or raises what it raises.
Task = Callable[[], Any]

#: The values that identify a run, by name.
Identity = Mapping[str, object]

#: The engines that can run tasks; the first is this machine.
LOCAL, DASK = "local", "dask"
ENGINES = (LOCAL, DASK)

#: Tasks in flight per worker: one running and one waiting.
IN_FLIGHT = 2

#: How often to start a task whose worker dies each time.
ATTEMPTS = 5


class WorkerLostError(Exception):
    """A task could not be finished: its workers died, or the engine is not available."""


@dataclass(frozen=True)
class Parallelism:
    """How a run is divided among workers, and what happens to an interrupted one.

    ``scheduler`` is the address of a running Dask cluster.  An interrupted run is resumed (``resume``), replaced
    (``force``) or reported as an error.
    """

    workers: int = 1
    engine: str = LOCAL
    scheduler: str = ""
    resume: bool = False
    force: bool = False

    @property
    def resumable(self) -> bool:
        """Whether a run with these options leaves anything to resume."""
        return self != Parallelism(force=self.force)


class Executor(AbstractContextManager["Executor"]):
    """A runner of tasks until its context ends; ``ahead`` is the number of tasks worth having in flight."""

    ahead = 1

    @abstractmethod
    def submit(self, function: Function, *arguments: Any) -> Task:  # noqa: ANN401
        """Run ``function(work, *arguments)`` on some worker."""

    def __exit__(self, *_: object) -> None:
        """Stop the workers."""


class InProcess(Executor):
    """An executor that runs each task at once, in this process."""

    def __init__(self, work: object) -> None:
        self._work = work

    def submit(self, function: Function, *arguments: Any) -> Task:  # noqa: ANN401
        """Run the task now."""
        result = function(self._work, *arguments)
        return lambda: result


def open_executor(work: object, parallelism: Parallelism, folder: Path | None = None) -> Executor:
    """Return an executor for some work; a single local worker is this process.

    Processes store results in ``folder``, or in a temporary folder, until they are fetched.  Raises ``ImportError`` if
    the engine is not installed and ``WorkerLostError`` if the workers cannot do the work.
    """
    if parallelism.engine == DASK:
        from sgl.parallel.cluster import DaskExecutor

        return DaskExecutor(work, parallelism.workers, parallelism.scheduler)
    if parallelism.workers == 1:
        return InProcess(work)
    # Processes take longer to load than most commands.
    from sgl.parallel.processes import Processes

    return Processes(work, parallelism.workers, folder)


def ordered(tasks: Iterable[Task], ahead: int) -> Iterator[Any]:
    """Yield results in order, submitting tasks by reading ``tasks`` up to ``ahead`` at a time."""
    flight: deque[Task] = deque()
    for task in tasks:
        flight.append(task)
        if len(flight) >= ahead:
            yield flight.popleft()()
    while flight:
        yield flight.popleft()()


FORMAT = "sgl-run/5"

_IDENTITY = "run.json"

#: The prefix of the folder for results of processes.
RESULTS = "results-"

#: The files that a run writes into its folder: those of no use to another run; then all, with results of tasks.
_SCRATCH = rf"whole|again|{RESULTS}\w+|\..+-[0-9a-f]{{8}}\.new"
_NAMES = rf"run\.json|stage|(drawn|settled|chunk|rows)-[\w.-]+|{_SCRATCH}"

#: The files that exist before a run has begun.
_BEGUN = re.compile(rf"{LOCK}|{HOLDER}|\..+-[0-9a-f]{{8}}\.new")

#: Reasons to stop that come from outside the run.
_OUTSIDE = (KeyboardInterrupt, OSError, MemoryError, WorkerLostError)


class InterruptedRunError(Exception):
    """An interrupted run is in the way or cannot be resumed; the message says why."""


class BusyRunError(InterruptedRunError):
    """The run in the way is not interrupted: another process is working on it."""


@dataclass
class RunFolder(AbstractContextManager["RunFolder"]):
    """The folder of a run, locked until it is closed; ``resumed`` says whether it continues an interrupted run.

    If the ``with`` block fails, the folder stays if another attempt could get further.  Without ``seals`` nothing is
    kept, as nobody could tell it from other people's results.
    """

    locked: LockedFolder
    parallelism: Parallelism
    resumed: bool
    seals: "_Seals | None"

    def __post_init__(self) -> None:
        self.path, self._has_results = self.locked.path, self.resumed

    def get(self, key: str) -> Any:  # noqa: ANN401
        """Return a result if it is finished and unchanged, else None."""
        if self.seals is not None:
            with suppress(OSError), Folder(self.path, own=True) as folder:
                data = self.seals.opened(key, folder.read(key))
                return None if data is None else pickle.loads(data)  # noqa: S301 - its seal is this user's
        return None

    def put(self, key: str, result: object) -> None:
        """Store a result."""
        if self.seals is not None:
            data = pickle.dumps(result, pickle.HIGHEST_PROTOCOL)
            with Folder(self.path, own=True) as folder:
                folder.write(key, self.seals.of(key, data), data)
            self._has_results = True

    def submit(self, executor: Executor, key: str, function: Function, *arguments: Any) -> Task:  # noqa: ANN401
        """Return a task whose result is read from the folder or else stored there."""
        known = self.get(key)
        if known is not None:
            return lambda: known
        task = executor.submit(function, *arguments)

        def result() -> Any:  # noqa: ANN401
            found = task()
            self.put(key, found)
            return found

        return result

    def discard(self) -> None:
        """Delete the folder with everything that the run has written."""
        self.locked.delete()

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        """Release the folder, and delete it if no attempt could continue from it."""
        outside = any(isinstance(e, _OUTSIDE) for e in (error, getattr(error, "__cause__", None)))
        if error is not None and not (self._has_results and outside):
            self.discard()
        self.locked.release()


@dataclass(frozen=True)
class _Seals:
    """Tell files that this user's SGL has written for one run from all others."""

    key: bytes
    run: bytes = b""

    def of(self, name: str, data: bytes) -> bytes:
        """Return the seal of a run's file with this name and content."""
        seal = hmac.new(self.key, b"%d %s %d " % (len(self.run), self.run, len(name)) + name.encode(), "sha256")
        seal.update(data)
        return seal.digest()

    def opened(self, name: str, content: bytes) -> bytes | None:
        """Return the sealed data, or None if it is damaged or was sealed for another run or name, or by others."""
        seal, data = content[:32], content[32:]
        return data if hmac.compare_digest(seal, self.of(name, data)) else None


def partial_folder(target: Path) -> Path:
    """Return the folder of the run that writes ``target``."""
    target = target.absolute()
    return target.with_name(f".{target.name}.partial")


def interrupted(target: Path) -> bool:
    """Return whether this user has an interrupted run that was writing ``target``."""
    return _kept_identity(partial_folder(target)) is not None


def _kept_identity(path: Path) -> bytes | None:
    """Return the identity of the run in a folder, or None if this user's SGL has not written it."""
    key = seal_key()
    if key is not None:
        with suppress(OSError), Folder(path, own=True) as folder:
            return _Seals(key).opened(_IDENTITY, folder.read(_IDENTITY))
    return None


def open_run(
    target: Path, identity: Identity, parallelism: Parallelism, when_locked: Callable[[], None] = lambda: None
) -> RunFolder:
    """Start or resume the run that writes ``target``.

    The folder is examined only once it is locked, so of two runs that start together one is refused; ``when_locked`` is
    called before anything in a kept run is read or deleted.  Raises ``BusyRunError`` if another process works there,
    ``InterruptedRunError`` if another run is in the way, and ``OSError``.
    """
    path = partial_folder(target)
    make_way(path)
    try:
        locked = LockedFolder.take(path, _NAMES)
    except FolderLockedError as problem:
        raise BusyRunError(str(problem)) from None
    try:
        kept = _kept_identity(path)
        if kept is None:
            _check_new(path)
        else:
            when_locked()
            if not parallelism.force:
                _check_resumed(json.loads(kept), identity, parallelism)
        stated = json.dumps({**identity, "format": FORMAT}).encode()
        resumed = kept is not None and not parallelism.force
        locked.clear(_SCRATCH if resumed else "")
        key = seal_key()
        if key is not None:
            with Folder(path, own=True) as folder:
                folder.write(_IDENTITY, _Seals(key).of(_IDENTITY, stated), stated)
        seals = None if key is None else _Seals(key, stated)
        return RunFolder(locked, parallelism, resumed, seals)
    except BaseException as problem:
        if isinstance(problem, InTheWayError):
            locked.leave()
        elif interrupted(target):
            locked.release()
        else:
            locked.delete()
        raise


def _check_new(path: Path) -> None:
    """Raise ``InTheWayError`` if a folder has more in it than a run leaves that was killed before it began."""
    with Folder(path, own=True) as folder:
        if not all(_BEGUN.fullmatch(name) for name in folder.names()):
            raise InTheWayError(path, "no unfinished run of yours has written it; delete it if you do not need it")


def _check_resumed(kept: Identity, identity: Identity, parallelism: Parallelism) -> None:
    if not parallelism.resume:
        raise InterruptedRunError("there is an interrupted run of it")
    if kept.get("format") != FORMAT:
        raise InterruptedRunError("it was started with another version of SGL")
    differing = [name for name in identity if kept.get(name) != identity[name]]
    if differing:
        raise InterruptedRunError(f"it was started with another {' and another '.join(differing)}")
