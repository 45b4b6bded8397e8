"""The folder of an unfinished run: what the run is, and the results of its finished tasks.

It lies beside the file or directory that it is to become, under a name that follows from it::

    out/.pairs.parquet.partial/run.json         {"format": "sgl-run/3", "seed": 1, …}
    out/.pairs.parquet.partial/rows-000000      SHA-256 of a result, and the result
    out/.pairs.parquet.partial/rows-000001

The *identity* of a run is its version, grammar, seed, and what is asked for.  A result is
compared with its hash before it is used again, so that one which is incomplete, or was changed,
is made again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from hashlib import sha256
from pathlib import Path
from typing import Any

from sgl.dataset.lock import FolderLockedError, LockedFolder
from sgl.foreign import MANIFEST, ForeignFileError, read_document
from sgl.parallel.executor import Executor, Function, Parallelism, Task, WorkerLostError

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


class RunFolder(AbstractContextManager["RunFolder"]):
    """The folder of a run, locked until it is closed; ``resumed`` if an interrupted run goes on.

    When the ``with`` block fails, the folder stays if another attempt could get further: an
    interruption, a full disk or lost workers are no reason to give up what is finished.
    """

    def __init__(self, locked: LockedFolder, parallelism: Parallelism, *, resumed: bool) -> None:
        self.path = locked.path
        self.parallelism = parallelism
        self.resumed = resumed
        self._locked = locked
        self._has_results = resumed

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

    def submit(
        self,
        executor: Executor,
        key: str,
        function: Function,
        *arguments: Any,  # noqa: ANN401
    ) -> Task:
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
        self._locked.delete()

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        """Release the folder, or delete it if nobody could go on with it."""
        outside = any(isinstance(e, _OUTSIDE) for e in (error, getattr(error, "__cause__", None)))
        if error is not None and not (self._has_results and outside):
            self.discard()
        self._locked.release()


def partial_folder(target: Path) -> Path:
    """Return the folder of the run that is to become ``target``."""
    target = target.absolute()
    return target.with_name(f".{target.name}.partial")


def interrupted(target: Path) -> bool:
    """Return whether there is an interrupted run that was to become ``target``."""
    return (partial_folder(target) / _IDENTITY).is_file()


def open_run(
    target: Path,
    identity: Identity,
    parallelism: Parallelism,
    when_locked: Callable[[], None] = lambda: None,
) -> RunFolder:
    """Begin the run that is to become ``target``, or resume it.

    The folder is looked at once it is locked, so of two runs that start at the same moment
    one gets it, and the other is refused.  ``when_locked`` is called before anything in the
    folder is read or deleted.

    Raises:
        BusyRunError: another process works in the folder.
        InterruptedRunError: an interrupted run is in the way, or it is not this one.
        OSError: the operating system refuses.
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
        return RunFolder(locked, parallelism, resumed=resumed)
    except BaseException:
        if interrupted(target):
            locked.release()
        else:
            locked.delete()
        raise


def _check_identity(file: Path, identity: Identity) -> None:
    """Raise ``InterruptedRunError`` unless the interrupted run is the one that is wanted."""
    try:
        kept = read_document(file, MANIFEST, inside=file.parent).of(dict)
    except ForeignFileError:
        kept = {}
    if kept.get("format") != FORMAT:
        raise InterruptedRunError(f"its {_IDENTITY} cannot be read")
    differing = [name for name in identity if kept.get(name) != identity[name]]
    if differing:
        raise InterruptedRunError(f"it was started with another {' and another '.join(differing)}")
