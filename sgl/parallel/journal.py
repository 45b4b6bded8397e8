"""A journal of finished shards, and the folder that holds them.

The folder of a run that is not finished lies beside the file or directory that it is to
become, under a name that follows from it::

    out/.pairs.parquet.partial/journal.jsonl
    out/.pairs.parquet.partial/encoded-000000
    out/.pairs.parquet.partial/encoded-000001

The first line of the journal says what the run is (its *identity*: version, grammar, seed,
what is asked for); each further line names a shard, its file, the SHA-256 and the rows::

    {"key": "encoded-000000", "sha256": "9f86d0…", "rows": 50000}

A shard is written under another name, synced, renamed, and then entered, so whatever the
journal names is complete.  A process that is killed leaves at most half a line at the end,
which is dropped.  What a shard holds is compared with its hash before it is used again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Self

from sgl.parallel.executor import WorkerLostError
from sgl.parallel.lock import HeldError, HeldFolder

FORMAT = "sgl-journal/1"

_JOURNAL = "journal.jsonl"

#: What stops a run for reasons that do not lie in it.
_OUTSIDE = (KeyboardInterrupt, OSError, MemoryError, WorkerLostError)

#: What a run is: plain values by name.
Identity = Mapping[str, object]


class Shard(NamedTuple):
    """A finished shard: its key, which is its file name, its hash, and how many rows it has."""

    key: str
    sha256: str
    rows: int


class InterruptedRunError(Exception):
    """An interrupted run is in the way, or cannot be resumed; the message says why."""


class BusyRunError(InterruptedRunError):
    """A run is in the way that is not interrupted: another process works on it."""


class Journal:
    """The finished shards of a run, in a folder that is held until the journal is closed."""

    def __init__(
        self, held: HeldFolder, shards: Mapping[str, Shard], stream: BinaryIO, *, resumed: bool
    ) -> None:
        self.folder = held.path
        #: Whether an interrupted run goes on.
        self.resumed = resumed
        self._held = held
        self._shards = dict(shards)
        self._stream = stream

    def __enter__(self) -> Self:
        """The folder is held already."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the files; what is finished stays."""
        self._stream.close()
        self._held.release()

    @property
    def finished(self) -> int:
        """How many shards are finished."""
        return len(self._shards)

    def get(self, key: str) -> Shard | None:
        """The shard with a key, if it is finished and still what it was."""
        shard = self._shards.get(key)
        if shard is not None and _digest(self.folder / key) != shard.sha256:
            del self._shards[key]
            return None
        return shard

    def read(self, key: str) -> bytes:
        """What a finished shard holds."""
        return (self.folder / key).read_bytes()

    def put(self, key: str, data: bytes, rows: int) -> Shard:
        """Keep a finished shard."""
        write_synced(self.folder / key, data)
        shard = Shard(key, sha256(data).hexdigest(), rows)
        self._shards[key] = shard
        self._stream.write(_line(shard._asdict()))
        self._stream.flush()
        os.fsync(self._stream.fileno())
        return shard

    def discard(self) -> None:
        """Delete the folder with everything in it."""
        self._stream.close()
        self._held.delete()


@contextmanager
def kept_if_begun(journal: Journal) -> Iterator[None]:
    """Delete the folder when the block fails, unless another run could get further.

    An interruption, a full disk or lost workers are no reason to give up what is finished.
    """
    try:
        yield
    except BaseException as problem:
        outside = isinstance(problem, _OUTSIDE) or isinstance(problem.__cause__, _OUTSIDE)
        if not journal.finished or not outside:
            journal.discard()
        raise


def partial_folder(target: Path) -> Path:
    """The folder of the run that is to become ``target``."""
    target = target.absolute()
    return target.with_name(f".{target.name}.partial")


def open_journal(
    folder: Path,
    identity: Identity,
    *,
    going_on: bool = False,
    anew: bool = False,
    when_held: Callable[[], None] = lambda: None,
) -> Journal:
    """The journal of a run that begins, or goes on.

    An interrupted run is in the way, unless this run may go on with it or is to begin
    ``anew``.  What is there is looked at when the folder is held, so of two runs that start
    at the same moment one gets it, and the other is refused.  ``when_held`` is called before
    anything in the folder is read or deleted.

    Raises:
        BusyRunError: another process works in the folder.
        InterruptedRunError: an interrupted run is in the way, or it is not this one.
        OSError: the operating system refuses.
    """
    try:
        held = HeldFolder.take(folder)
    except HeldError as problem:
        raise BusyRunError(str(problem)) from None
    try:
        when_held()
        if anew or not interrupted(folder):
            return _begun(held, identity)
        if going_on:
            return _resumed(held, identity)
        raise InterruptedRunError("an interrupted run of it is there")
    except BaseException:
        if interrupted(folder):
            held.release()
        else:
            held.delete()
        raise


def begin(folder: Path, identity: Identity) -> Journal:
    """The journal of a new run; what is in the folder is deleted."""
    return open_journal(folder, identity, anew=True)


def resume(folder: Path, identity: Identity) -> Journal:
    """The journal of the run in a folder, or of a new one if there is none."""
    return open_journal(folder, identity, going_on=True)


def _begun(held: HeldFolder, identity: Identity) -> Journal:
    held.clear()
    path = held.path / _JOURNAL
    write_synced(path, _line({**identity, "format": FORMAT}))
    return Journal(held, {}, path.open("ab"), resumed=False)


def _resumed(held: HeldFolder, identity: Identity) -> Journal:
    path = held.path / _JOURNAL
    content = path.read_bytes()
    whole = content.split(b"\n")[:-1]
    entries = [_entry(line) for line in whole]
    if not entries or entries[0] is None or entries[0].get("format") != FORMAT:
        raise InterruptedRunError("its journal cannot be read")
    differing = [name for name in identity if entries[0].get(name) != identity[name]]
    if differing:
        raise InterruptedRunError(f"it was started with another {' and another '.join(differing)}")
    shards: dict[str, Shard] = {}
    good = len(whole[0]) + 1
    for line, entry in zip(whole[1:], entries[1:], strict=True):
        shard = _shard(entry)
        if shard is None:
            break
        shards[shard.key] = shard
        good += len(line) + 1
    stream = path.open("r+b")
    # What is behind the last good line is cut off, so that the next one starts a line.
    stream.truncate(good)
    stream.seek(good)
    return Journal(held, shards, stream, resumed=True)


def interrupted(folder: Path) -> bool:
    """Whether a folder has a run that was interrupted."""
    return (folder / _JOURNAL).is_file()


def write_synced(path: Path, data: bytes) -> None:
    """Write a file so that it is there completely or not at all, also after a crash."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.new")
    with temporary.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(path)


def _line(entry: Mapping[str, object]) -> bytes:
    return json.dumps(entry, ensure_ascii=False).encode() + b"\n"


def _entry(line: bytes) -> dict[str, Any] | None:
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) else None


def _shard(entry: dict[str, Any] | None) -> Shard | None:
    """The shard of a line; None if the line is damaged or names a file elsewhere."""
    match entry:
        case {"key": str(key), "sha256": str(digest), "rows": int(rows)} if Path(key).name == key:
            return Shard(key, digest, rows)
    return None


def _digest(path: Path) -> str:
    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
