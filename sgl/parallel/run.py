"""The folder of an unfinished run: the results of its finished tasks, and a list of them.

It lies beside the file or directory that it is to become, under a name that follows from it::

    out/.pairs.parquet.partial/finished.jsonl
    out/.pairs.parquet.partial/rows-000000
    out/.pairs.parquet.partial/rows-000001

The first line of the list says what the run is (its *identity*: version, grammar, seed, what
is asked for); each further line names a result, which is a file, and its SHA-256::

    {"key": "rows-000000", "sha256": "9f86d0…"}

A file is compared with its hash before it is used again, so that one which is incomplete, or
was changed, is made again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from hashlib import sha256
from pathlib import Path
from typing import Any

from sgl.parallel.executor import Executor, Function, Parallelism, Task, WorkerLostError
from sgl.parallel.lock import FolderLockedError, LockedFolder

FORMAT = "sgl-run/2"

_LIST = "finished.jsonl"

#: What stops a run for reasons that do not lie in it.
_OUTSIDE = (KeyboardInterrupt, OSError, MemoryError, WorkerLostError)

#: What a run is: plain values by name.
Identity = Mapping[str, object]


class InterruptedRunError(Exception):
    """An interrupted run is in the way, or cannot be resumed; the message says why."""


class BusyRunError(InterruptedRunError):
    """A run is in the way that is not interrupted: another process works on it."""


class RunFolder(AbstractContextManager["RunFolder"]):
    """The folder of a run, locked until it is closed.

    When the ``with`` block fails, the folder stays if another attempt could get further: an
    interruption, a full disk or lost workers are no reason to give up what is finished.
    """

    def __init__(
        self,
        locked: LockedFolder,
        identity: Identity,
        parallelism: Parallelism,
        hashes: Mapping[str, str] | None = None,
    ) -> None:
        self.path = locked.path
        self.parallelism = parallelism
        #: Whether an interrupted run goes on.
        self.resumed = hashes is not None
        self._locked = locked
        self._hashes = dict(hashes or {})
        first = json.dumps({**identity, "format": FORMAT}, ensure_ascii=False).encode() + b"\n"
        replace_file(self.path / _LIST, first + b"".join(map(_line, self._hashes.items())))
        self._list = (self.path / _LIST).open("ab")

    def get(self, key: str) -> bytes | None:
        """Return a result if it is finished and still what it was."""
        try:
            data = (self.path / key).read_bytes() if key in self._hashes else b""
        except OSError:
            data = b""
        return data if sha256(data).hexdigest() == self._hashes.get(key) else None

    def put(self, key: str, data: bytes) -> None:
        """Keep a result."""
        (self.path / key).write_bytes(data)
        self._hashes[key] = sha256(data).hexdigest()
        self._list.write(_line((key, self._hashes[key])))
        self._list.flush()

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
        self._list.close()
        self._locked.delete()

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        """Release the folder, or delete it if nobody could go on with it."""
        outside = isinstance(error, _OUTSIDE) or isinstance(
            getattr(error, "__cause__", 0), _OUTSIDE
        )
        if error is not None and not (self._hashes and outside):
            self.discard()
        self._list.close()
        self._locked.release()


def partial_folder(target: Path) -> Path:
    """Return the folder of the run that is to become ``target``."""
    target = target.absolute()
    return target.with_name(f".{target.name}.partial")


def interrupted(target: Path) -> bool:
    """Return whether there is an interrupted run that was to become ``target``."""
    return (partial_folder(target) / _LIST).is_file()


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
        if parallelism.force or not interrupted(target):
            locked.clear()
            return RunFolder(locked, identity, parallelism)
        if parallelism.resume:
            return RunFolder(locked, identity, parallelism, _hashes(locked.path, identity))
        raise InterruptedRunError("an interrupted run of it is there")
    except BaseException:
        if interrupted(target):
            locked.release()
        else:
            locked.delete()
        raise


def _hashes(folder: Path, identity: Identity) -> dict[str, str]:
    """Read the list of an interrupted run: the hash of each result."""
    entries = list(map(_read, (folder / _LIST).read_bytes().splitlines()))
    if not entries or entries[0].get("format") != FORMAT:
        raise InterruptedRunError("its list of results cannot be read")
    differing = [name for name in identity if entries[0].get(name) != identity[name]]
    if differing:
        raise InterruptedRunError(f"it was started with another {' and another '.join(differing)}")
    found: dict[str, str] = {}
    for entry in entries[1:]:
        match entry:
            # A line that is damaged, or names a file elsewhere, is dropped.
            case {"key": str(key), "sha256": str(digest)} if Path(key).name == key:
                found[key] = digest
    return found


def replace_file(path: Path, data: bytes) -> None:
    """Write a file so that it is there completely or not at all, also after a crash."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.new")
    with temporary.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(path)


def _line(entry: tuple[str, str]) -> bytes:
    return json.dumps(dict(zip(("key", "sha256"), entry, strict=True))).encode() + b"\n"


def _read(line: bytes) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except ValueError:
        return {}
    return entry if isinstance(entry, dict) else {}
