"""Keep results of earlier runs on disk.

A value is stored under a hash of everything that it depends on: the code of ``sgl``, the Python and the libraries that
run it, and the parts that the caller names, which are hashes of contents and never dates.  So no entry can be stale.
Entries appear whole or not at all, a damaged one is ignored, and the directory can be deleted at any time.  Commands
switch the cache on; for callers of the library it is off by default.

Whoever can write a pickle can run code.  So the cache is never inside the directory of a grammar, and SGL ignores
entries, directories and parent directories that belong to another user or that others can write to.  Above the size
limit, the least recently used entries are removed.

The memory of :mod:`sgl.memory` is kept from one command to the next as one entry, in which shared objects stay shared;
large values have entries of their own.
"""

import gc
import hashlib
import os
import pickle
import platform
import stat
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple, TypeVar

from sgl.disk import FILE, Folder, make, remove
from sgl.foreign import during
from sgl.memory import APART, Memory, keep_in, keeping, kept, key_of, memory
from sgl.values import dataclass, field

_T = TypeVar("_T")

#: The environment variable that names the cache directory; if empty, there is no cache.
VARIABLE = "SGL_CACHE_DIR"

_PACKAGE = Path(__file__).resolve().parent
_FORMAT, _DIGEST, _PARTIAL = b"SGL cache 1\n", 32, ".new"

#: The most bytes that all entries may have together, and the share of them that is left after a clean-up.
LIMIT, _ROOM = 1 << 30, 0.8

#: Flags for opening an entry, which must be neither a link nor a pipe.
_OLD = os.O_RDONLY | sum(getattr(os, x, 0) for x in ("O_BINARY", "O_NOFOLLOW", "O_NONBLOCK"))

#: The file that holds the key of seals.
_KEY = "seal.key"

#: Seconds after which a partial file counts as left by a dead run.
_ABANDONED = 3600.0


class Entry(NamedTuple):
    """A file of the cache: when it was last used, its size and its path."""

    used: float
    size: int
    path: Path

    @property
    def kind(self) -> str:
        """The kind of value that the entry holds."""
        return self.path.name.partition("-")[0]


@dataclass(frozen=True)
class Cache:
    """The entries of one directory; an error of the operating system counts as a missing entry.

    ``environment`` is the digest of the program; ``program`` computes it if the values depend on less than all of
    ``sgl``.
    """

    directory: Path
    environment: str
    limit: int = LIMIT
    program: Callable[[], str | None] | None = None
    _put_off: dict[tuple[str, ...], object] = field(default_factory=dict, compare=False)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the cache for another process: values that were put off are stored by this one."""
        return Cache, (self.directory, self.environment, self.limit, self.program)

    def get(self, expected: type[_T], kind: str, *parts: str) -> _T | None:
        """Return the value of this type that is stored under these parts, or None."""
        if isinstance(value := self._put_off.get((kind, *parts)), expected):
            return value
        path = self._path(kind, parts)
        try:
            with os.fdopen(os.open(path, _OLD), "rb") as file:
                found = os.fstat(file.fileno())
                # Read only what nobody but the user can have written.
                if not (stat.S_ISREG(found.st_mode) and _is_own(found)):
                    return None
                content = file.read()
            os.utime(path)
        except OSError:
            return None
        value = _unpickled(content)
        return value if isinstance(value, expected) else None

    def put(self, value: object, kind: str, *parts: str) -> None:
        """Store a value under these parts."""
        self._write({(kind, *parts): value})

    def _write(self, values: dict[tuple[str, ...], object]) -> None:
        if values and (self.program or environment)() != self.environment:
            # The code was edited while it ran: nobody knows which version made the values.
            values.clear()
        number = len(values)
        while values:
            (kind, *parts), value = values.popitem()
            try:
                payload = pickle.dumps(value, protocol=5)
            except Exception as problem:  # noqa: BLE001 - pickle may raise anything
                # It is computed again next time.  Python hides this warning by default; in tests it is an error.
                warnings.warn(f"`{kind}` cannot be kept: {problem!r}", ResourceWarning, stacklevel=2)
                continue
            name = self._path(kind, tuple(parts)).name
            with suppress(OSError), Folder(self.directory, own=True) as folder:
                folder.write(name, _FORMAT + hashlib.sha256(payload).digest(), payload, mode=0o600)
        if number:
            self._make_room()

    def put_off(self, value: object, kind: str, *parts: str) -> None:
        """Store a value at the end of the block that uses the cache, when nobody is waiting."""
        self._put_off[kind, *parts] = value

    def put_all(self) -> None:
        """Store the values that were put off."""
        self._write(self._put_off)

    def entries(self) -> list[Entry]:
        """Return all entries, the least recently used first."""
        return sorted(entry for entry in self._files() if entry.path.suffix != _PARTIAL)

    def clear(self) -> int:
        """Remove all entries and return their number; raises ``OSError`` if one cannot be removed."""
        number = len(self.entries())
        for entry in list(self._files()):
            with suppress(FileNotFoundError):
                remove(entry.path)
        return number

    def _path(self, kind: str, parts: tuple[str, ...]) -> Path:
        # Quotation marks keep the parts apart: ("a", "bc") is not ("ab", "c").
        text = repr((self.environment, kind, *parts))
        return self.directory / f"{kind}-{hashlib.sha256(text.encode()).hexdigest()}"

    def _files(self) -> Iterator[Entry]:
        """Yield the files that this class has written; it leaves others in the directory alone."""
        with suppress(OSError), os.scandir(self.directory) as files:
            for file in files:
                _, _, digest = file.name.removesuffix(_PARTIAL).partition("-")
                if len(digest) >= 2 * _DIGEST and file.is_file(follow_symlinks=False):
                    with suppress(OSError):
                        found = file.stat(follow_symlinks=False)
                        yield Entry(found.st_mtime, found.st_size, Path(file.path))

    def _make_room(self) -> None:
        """Remove files of interrupted runs and, above the limit, the oldest entries."""
        files = sorted(self._files())
        total = sum(entry.size for entry in files)
        wanted = total if total <= self.limit else int(self.limit * _ROOM)
        now = time.time()
        for entry in files:
            partial = entry.path.suffix == _PARTIAL
            if now - entry.used > _ABANDONED if partial else total > wanted:
                with suppress(OSError):
                    remove(entry.path)
                    total -= entry.size


def _unpickled(content: bytes) -> object:
    """Return the value of an entry, or None if the file is damaged or in another format."""
    start = len(_FORMAT) + _DIGEST
    payload = memoryview(content)[start:]
    if content[:start] != _FORMAT + hashlib.sha256(payload).digest():
        return None
    # Unpickling makes many values and no garbage: spare the collector now, and later scans of them.
    collecting = gc.isenabled()
    gc.disable()
    try:
        # The hash is right, and nobody else can write here: `put` has written this.
        return pickle.loads(payload)  # noqa: S301
    except Exception:  # noqa: BLE001 - a class of the value may be gone
        return None
    finally:
        if collecting:
            gc.freeze()
            gc.enable()


def cache_directory() -> Path | None:
    """Return the directory of the cache, which need not exist, or None if the user wants none."""
    chosen = os.environ.get(VARIABLE)
    try:
        if chosen is not None and not ignored_variable():
            return Path(chosen).expanduser() if chosen else None
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches" / "sgl"
        if sys.platform == "win32":
            local = os.environ.get("LOCALAPPDATA")
            return (Path(local) if local else Path.home() / "AppData" / "Local") / "sgl" / "Cache"
        base = Path(os.environ.get("XDG_CACHE_HOME") or "")
        # The XDG specification says to ignore relative paths.
        return (base if base.is_absolute() else Path.home() / ".cache") / "sgl"
    except (OSError, RuntimeError):
        # The home directory is unknown.
        return None


def ignored_variable() -> str:
    """Return the value of ``SGL_CACHE_DIR`` if it is relative, and therefore ignored; else an empty string.

    A relative path could lead into the directory of a grammar, which may come from a stranger with a cache.
    """
    chosen = os.environ.get(VARIABLE, "")
    return "" if chosen.startswith("~") or Path(chosen).is_absolute() else chosen


def is_private(directory: Path) -> bool:
    """Return whether only the user and the superuser can change a directory.

    Anyone who can write to a parent directory could swap in another, unless only the owner of a file can rename it
    there, as in ``/tmp``.  Windows gives a new directory inside the user's own the same rights.
    """
    found = directory.stat()
    if not (stat.S_ISDIR(found.st_mode) and _is_own(found)):
        return False
    return sys.platform == "win32" or all(
        above.st_uid in (0, os.geteuid()) and (above.st_mode & stat.S_ISVTX or not above.st_mode & _OTHERS)
        for above in (parent.stat() for parent in directory.parents)
    )


#: Write permission for others.
_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def _is_own(found: os.stat_result) -> bool:
    """Return whether the user owns a file or directory and nobody else may write to it."""
    if sys.platform == "win32":
        return True
    return found.st_uid == os.geteuid() and not found.st_mode & _OTHERS


def environment() -> str | None:
    """Return the SHA-256 of code, libraries and Python, or None if the code cannot be read.

    Every call computes it again, as the code can be edited while it runs.  A library is identified by the name of its
    ``.dist-info`` directory, which is ten times as quick as ``importlib.metadata``.
    """
    digest = hashlib.sha256()
    try:
        files = sorted(_files(str(_PACKAGE)))
        for name in files:
            with open(name, "rb", buffering=0) as file:  # noqa: PTH123 - a path would take as long as the rest
                content = file.read()
            digest.update(f"{name} {len(content)}\n".encode("utf-8", "surrogateescape") + content)
        running = installation()
    except OSError:
        return None
    digest.update("\n".join(running).encode("utf-8", "surrogateescape"))
    # The package may be inside an archive, for example.
    return digest.hexdigest() if any(name.endswith(".py") for name in files) else None


def build() -> str:
    """Return a short hash of the code, which tells two states of one version apart."""
    digest = hashlib.sha256()
    # In a checkout, bundled data are in another directory.
    for path in sorted(_PACKAGE.rglob("*.py")):
        digest.update(f"{path.relative_to(_PACKAGE).as_posix()}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def installation(names: tuple[str, ...] = ("",)) -> list[str]:
    """Return the versions of Python, machine and libraries whose names start with ``names``; raises ``OSError``."""
    directories = (Path(name) for name in sys.path if Path(name).is_dir())
    installed = {path.name for directory in directories for path in directory.iterdir()}
    versions = (n for n in installed if n.endswith((".dist-info", ".egg-info")))
    chosen = sorted(name for name in versions if name.startswith(names))
    return [sys.version, sys.platform, platform.machine(), *chosen]


def _files(directory: str) -> Iterator[str]:
    """Yield the files of the package, both code and data, except compiled bytecode."""
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _files(entry.path)
            elif not entry.name.startswith("."):
                yield entry.path


def open_cache(program: Callable[[], str | None] | None = None) -> Cache | None:
    """Return the user's cache, or None if it is switched off or its directory cannot be used.

    ``program`` computes the digest of the code that makes the values; by default, of all of ``sgl``.
    """
    directory = _usable_directory()
    digest = None if directory is None else (program or environment)()
    return None if directory is None or digest is None else Cache(directory, digest, program=program)


def _usable_directory() -> Path | None:
    """Return the cache directory, creating it if needed, or None if caching is off or others can change it."""
    try:
        if (directory := cache_directory()) is not None:
            directory = directory.resolve()
            make(directory, 0o700)
        return directory if directory is not None and is_private(directory) else None
    except (OSError, ValueError):
        return None


def seal_key() -> bytes | None:
    """Return this user's secret random bytes, the same at every call, or None without a private cache directory.

    Whatever carries a seal made with them was written by the user's own SGL, wherever it is found.
    """
    if (directory := _usable_directory()) is None:
        return None
    with suppress(OSError), Folder(directory, own=True) as folder:
        if not folder.check(_KEY, FILE) or len(folder.read(_KEY)) != _DIGEST:
            folder.write(_KEY, os.urandom(_DIGEST), mode=0o600)
        found = folder.status(_KEY)
        key = folder.read(_KEY)
        return key if found is not None and _is_own(found) and len(key) == _DIGEST else None
    return None


_CURRENT: ContextVar[Cache | None] = ContextVar("cache", default=None)

#: The cache in use, or None.
current = _CURRENT.get


@contextmanager
def using(cache: Cache | None) -> Iterator[None]:
    """Use this cache, or none, in the block; values that were put off are stored at the end of its outermost block."""
    try:
        with during(_CURRENT, cache), keeping(memory()):
            yield
    finally:
        if cache is not None and cache is not current():
            cache.put_all()


def recall(*parts: str) -> None:
    """Continue with the work stored under these parts, until the block that uses the cache ends."""
    cache = current()
    if cache is not None:
        started = time.process_time()
        known = cache.get(Memory, "memory", *parts) or Memory()
        known.parts = parts
        known.turn()
        known.was_read(since=started)
        keep_in(known)


def retain(*large: str) -> None:
    """Store the memory, if it is worth it, and the ``large`` kinds, at the end of the block that uses the cache."""
    known, cache = memory(), current()
    if known is not None and known.parts and cache is not None and known.worth:
        cache.put_off(known, "memory", *known.parts)
        for kind in large:
            if (value := known.find(key_of(APART, (), kind))) is not None:
                cache.put_off(value, kind, *known.parts)


def cached(expected: type[_T], kind: str, parts: Sequence[str], compute: Callable[[], _T]) -> _T:
    """Return the value stored under these parts, or compute and store it.

    ``parts`` must name everything that the value depends on except the program itself.  An empty part means unknown;
    then nothing is stored.
    """
    cache = current()
    if cache is None or not all(parts):
        return compute()
    if (known := cache.get(expected, kind, *parts)) is None:
        known = compute()
        cache.put_off(known, kind, *parts)
    return known


def kept_apart(kind: str, compute: Callable[[], _T]) -> _T:
    """Return the value of a kind that has a cache entry of its own, reading or computing it when it is first needed."""
    keeper, cache, key = memory(), current(), key_of(APART, (), kind)
    if keeper is not None and keeper.parts and cache is not None and keeper.find(key) is None:
        started, new = time.process_time(), compute()
        keeper.keep(key, cache.get(type(new), kind, *keeper.parts) or new)
        keeper.was_read(since=started)
    return kept(APART, (), kind, compute)
