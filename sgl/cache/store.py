"""A directory of entries: one file each, named by a hash of what its value depends on.

A file has a line that names the format, the SHA-256 of what follows, and the value as a
pickle.  It is written under another name and put in place when it is whole, so that runs
at the same time do not disturb each other::

    proofs-1f0c…e2    SGL cache 1  /  32 bytes  /  pickle

When all entries together are larger than the limit, those that were not used for the
longest time are removed; reading an entry sets its time.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import os
import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

from sgl.cache.directory import cache_directory, environment, is_private

_T = TypeVar("_T")

_FORMAT = b"SGL cache 1\n"
_DIGEST = 32
_PARTIAL = ".partial"

#: Bytes that all entries may have together, and to which share they are brought back.
LIMIT = 1 << 30
_ROOM = 0.8

#: Seconds after which a partial file was left by a run that is no more.
_ABANDONED = 3600.0


class Entry(NamedTuple):
    """A file of the cache: when it was last used, its size, its path."""

    used: float
    size: int
    path: Path

    @property
    def kind(self) -> str:
        """What the entry holds."""
        return self.path.name.partition("-")[0]


@dataclass(frozen=True)
class Cache:
    """The entries of one directory.

    ``environment`` is the digest of the program.  Whatever the operating system refuses is
    no error: there is then no entry.
    """

    directory: Path
    environment: str
    limit: int = LIMIT

    def get(self, expected: type[_T], kind: str, *parts: str) -> _T | None:
        """Return the value that was kept under these parts; None if there is none of that type."""
        path = self._path(kind, parts)
        try:
            content = path.read_bytes()
            os.utime(path)
        except OSError:
            return None
        value = _unpickled(content)
        return value if isinstance(value, expected) else None

    def put(self, value: object, kind: str, *parts: str) -> None:
        """Keep a value under these parts."""
        if environment() != self.environment:
            # The code was edited while it ran: nobody knows which of the two has run.
            return
        try:
            payload = pickle.dumps(value, protocol=5)
        except Exception:  # noqa: BLE001 - pickle raises what it likes for what has no pickle
            return
        path = self._path(kind, parts)
        partial = path.with_name(f"{path.name}-{os.getpid()}-{time.monotonic_ns()}{_PARTIAL}")
        try:
            with partial.open("xb") as file:
                file.write(_FORMAT + hashlib.sha256(payload).digest())
                file.write(payload)
            partial.replace(path)
        except OSError:
            with contextlib.suppress(OSError):
                partial.unlink(missing_ok=True)
        self._make_room()

    def entries(self) -> list[Entry]:
        """Return all entries, those that were not used for the longest time first."""
        return sorted(entry for entry in self._files() if entry.path.suffix != _PARTIAL)

    def clear(self) -> int:
        """Remove all entries, and return how many there were.

        Raises:
            OSError: an entry cannot be removed.
        """
        number = len(self.entries())
        for entry in list(self._files()):
            entry.path.unlink(missing_ok=True)
        return number

    def _path(self, kind: str, parts: tuple[str, ...]) -> Path:
        digest = hashlib.sha256()
        for part in (self.environment, kind, *parts):
            # Lengths keep the parts apart: ("a", "bc") is not ("ab", "c").
            content = part.encode("utf-8", "surrogateescape")
            digest.update(f"{len(content)}:".encode())
            digest.update(content)
        return self.directory / f"{kind}-{digest.hexdigest()}"

    def _files(self) -> Iterator[Entry]:
        """Yield the files that this class has written; others in the directory are left alone."""
        with contextlib.suppress(OSError), os.scandir(self.directory) as files:
            for file in files:
                _, _, digest = file.name.removesuffix(_PARTIAL).partition("-")
                if len(digest) >= 2 * _DIGEST and file.is_file(follow_symlinks=False):
                    with contextlib.suppress(OSError):
                        found = file.stat(follow_symlinks=False)
                        yield Entry(found.st_mtime, found.st_size, Path(file.path))

    def _make_room(self) -> None:
        """Remove what an interrupted run has left and, above the limit, the oldest entries."""
        files = sorted(self._files())
        total = sum(entry.size for entry in files)
        wanted = total if total <= self.limit else int(self.limit * _ROOM)
        now = time.time()
        for entry in files:
            partial = entry.path.suffix == _PARTIAL
            if now - entry.used > _ABANDONED if partial else total > wanted:
                with contextlib.suppress(OSError):
                    entry.path.unlink(missing_ok=True)
                    total -= entry.size


def _unpickled(content: bytes) -> object:
    """Return the value of an entry; None if the file is damaged or of another format."""
    start = len(_FORMAT) + _DIGEST
    payload = memoryview(content)[start:]
    if content[:start] != _FORMAT + hashlib.sha256(payload).digest():
        return None
    # Reading makes many values and no garbage.
    collecting = gc.isenabled()
    gc.disable()
    try:
        # The hash is right, and nobody else can write here: it is what `put` has written.
        return pickle.loads(payload)  # noqa: S301
    except Exception:  # noqa: BLE001 - a class of the value may be gone
        return None
    finally:
        if collecting:
            gc.enable()


def open_cache() -> Cache | None:
    """Return the user's cache; None if it is switched off or its directory cannot be used."""
    directory = cache_directory()
    if directory is None:
        return None
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not is_private(directory):
            return None
    except (OSError, ValueError):
        return None
    digest = environment()
    return Cache(directory, digest) if digest is not None else None


# ---- the cache of the running command

_CURRENT: ContextVar[Cache | None] = ContextVar("_CURRENT", default=None)


def current() -> Cache | None:
    """Return the cache to be used; None if nothing is to be kept."""
    return _CURRENT.get()


@contextmanager
def using(cache: Cache | None) -> Iterator[None]:
    """Use this cache, or none, for as long as the block runs."""
    before = _CURRENT.set(cache)
    try:
        yield
    finally:
        _CURRENT.reset(before)


def cached(expected: type[_T], kind: str, parts: Sequence[str], compute: Callable[[], _T]) -> _T:
    """Return the value that is kept under these parts, or else compute and keep it.

    ``parts`` have to name all that the value depends on, but for the program itself.  An
    empty part says that something is not known; then nothing is kept.
    """
    cache = current()
    if cache is None or not all(parts):
        return compute()
    known = cache.get(expected, kind, *parts)
    if known is None:
        known = compute()
        cache.put(known, kind, *parts)
    return known
