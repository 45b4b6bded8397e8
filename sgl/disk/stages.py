"""Write a file or a directory whole or not at all.

Everything is written into a hidden directory next to the target, the *stage*, and renamed, which is atomic, when it is
finished.  If the target is already a directory, it is moved into the stage first and deleted last; if anything fails in
between, it is moved back.  A stage is locked as long as its process lives, so the next run knows which stages are dead
and deletes them.

A folder of an earlier run is recognised by its entries: if all have names that SGL gives, it is one; otherwise it stays
as it is, and the message names the entries in the way.
"""

import os
import platform
import re
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from errno import ENOSYS, ENOTSUP
from pathlib import Path
from typing import TYPE_CHECKING, Self

from sgl.disk import DIRECTORY, FILE, Folder, InTheWayError, kind, make_way, remove_empty

if TYPE_CHECKING:
    from filelock import BaseFileLock

#: The file that is locked, and the file that says who has locked it.
LOCK, HOLDER = "lock", "holder"

#: How often to recreate a folder that another process deletes at the same moment.
_ATTEMPTS = 100

#: The files that SGL writes into each locked folder, and into a stage.
_LOCKING = rf"{LOCK}|{HOLDER}|\.{HOLDER}-[0-9a-f]{{8}}\.new"
_STAGED = "new|old"

#: The number of entries that a message names.
_NAMED = 5


class FolderLockedError(Exception):
    """Another process is working in the folder; the message names it if it is known."""


class LockedFolder:
    """A folder in which only this process works, until the folder is released or deleted.

    The lock belongs to the operating system, which takes it back when the process ends, even if it is killed.  A file
    ``holder`` next to it names the process.  On a file system without locks, nobody can tell whether the process is
    alive.
    """

    def __init__(self, path: Path, names: str, lock: "BaseFileLock | None" = None) -> None:
        self.path, self._names, self._lock = path, names, lock

    @classmethod
    def take(cls, path: Path, names: str) -> Self:
        """Create the folder if needed and lock it; its entries must match ``names``, a regular expression.

        Another process may delete the folder just before it is locked: ``filelock`` refuses a lock whose file has lost
        its name, and the folder is created again.  Raises ``FolderLockedError``, ``OSError``, and ``InTheWayError`` if
        the folder was not made by SGL.
        """
        # Loading this takes longer than most commands do, and most write nothing.
        from filelock import FileLock, Timeout

        # A soft lock would outlive a process that is killed.
        lock = FileLock(path / LOCK, blocking=False, fallback_to_soft=False)
        for _ in range(_ATTEMPTS):
            try:
                with Folder(path.parent) as parent:
                    parent.make(path.name)
                with Folder(path, own=True) as folder:
                    check_names(folder, names)
                    folder.check(LOCK, FILE)
                with _gone():
                    lock.acquire()
            except FileNotFoundError:
                # A process whose working directory was removed still sees a directory, but without a name.
                if not path.parent.is_dir() or not path.parent.stat().st_nlink:
                    raise
                continue
            except Timeout:
                raise FolderLockedError(f"another run is writing here{_holder(path)}") from None
            locked = cls(path, names, lock)
            try:
                since = datetime.now().astimezone().isoformat(" ", "seconds")
                with Folder(path, own=True) as folder:
                    folder.write(HOLDER, f"process {os.getpid()} on {platform.node()}, since {since}".encode())
            except BaseException:
                locked.leave()
                raise
            return locked
        raise OSError(f"the folder {path} keeps being deleted")

    def clear(self, names: str = "") -> None:
        """Delete the entries whose names match, or every one that SGL has made, except the lock."""
        with Folder(self.path, own=True) as folder:
            for name in folder.names():
                if re.fullmatch(names or self._names, name):
                    folder.remove_tree(name)

    def release(self) -> None:
        """Unlock the folder and leave it as it is."""
        if self._lock:
            self._lock.release()

    def delete(self) -> None:
        """Delete every entry that SGL has made, then the folder if it is empty, and release it."""
        with suppress(OSError):
            self.clear()
        self.leave()

    def leave(self) -> None:
        """Release the folder and remove the lock's files; delete the folder if it is empty."""
        if sys.platform == "win32":
            # Windows cannot delete open files, neither here nor in another process.
            self.release()
        with suppress(OSError), Folder(self.path, own=True) as folder:
            for name in (HOLDER, LOCK):
                with suppress(OSError):
                    folder.remove(name)
        self.release()
        # If another process has started in the folder by now, its lock is there.
        remove_empty(self.path)


def check_names(folder: Folder, names: str) -> None:
    """Raise ``InTheWayError`` if a folder has an entry with a name that SGL does not give."""
    strangers = [name for name in folder.names() if not re.fullmatch(f"{_LOCKING}|{names}", name)]
    if strangers:
        shown = ", ".join(strangers[:_NAMED]) + (", …" if strangers[_NAMED:] else "")
        raise InTheWayError(folder.path, f"it contains files that SGL did not write: {shown}")


@contextmanager
def _gone() -> Iterator[None]:
    """Turn ``FileExistsError``, raised if the folder vanishes while it is locked, into ``FileNotFoundError``."""
    try:
        yield
    except FileExistsError as problem:
        raise FileNotFoundError(problem.errno, "deleted meanwhile", problem.filename) from problem


def _holder(path: Path) -> str:
    with suppress(OSError, ValueError), Folder(path, own=True) as folder:
        return f": {folder.read(HOLDER).decode()}"
    return ""


@contextmanager
def staged_file(target: Path) -> Iterator[Path]:
    """Yield a path; the file created there replaces ``target`` and takes over its permissions.

    On any exception ``target`` stays as it was.  Raises ``InTheWayError`` if ``target`` exists and is not a file.
    """
    with Folder(target.parent) as parent:
        before = parent.status(target.name) if parent.check(target.name, FILE) else None
        stage = _new_stage(target)
        try:
            yield stage.path / "new"
            with Folder(stage.path, own=True) as folder:
                if before is not None:
                    folder.permit("new", stat.S_IMODE(before.st_mode))
                folder.move("new", parent, target.name)
        finally:
            stage.delete()


@contextmanager
def replaced_directory(target: Path, place: Path | None, check: Callable[[], None]) -> Iterator[Path]:
    """Yield a new directory that replaces ``target`` when the block ends.

    On any exception, including an interruption, the new directory is deleted and ``target`` stays.  ``place`` is the
    path of the stage; a stage that a killed process has left there is deleted.  ``check`` raises an error if ``target``
    may not be replaced; it is called before and after the block.  Raises ``OldMovedError`` and ``OSError``.
    """
    check()
    made: list[Path] = []
    try:
        made = make_way(target)
        with _stage(target, place) as stage, Folder(stage, own=True) as folder, Folder(target.parent) as parent:
            folder.make("new")
            yield stage / "new"
            check()
            try:
                if parent.kind(target.name):
                    parent.move(target.name, folder, "old")
                folder.move("new", parent, target.name)
            except BaseException:
                put_back(stage, target)
                raise
    finally:
        for directory in made:
            remove_empty(directory)


class OldMovedError(Exception):
    """The former directory of the target could not be put back and is now at ``old``."""

    def __init__(self, old: Path) -> None:
        super().__init__(f"the dataset that it held is now in {old}")


@contextmanager
def _stage(target: Path, place: Path | None) -> Iterator[Path]:
    """Yield an empty stage and delete it at the end, unless it holds the only copy of the old dataset."""
    if place is None:
        stage = _new_stage(target)
    else:
        put_back(place, target)
        with Folder(place.parent, own=True) as run:
            if run.kind(place.name):
                run.remove_tree(place.name)
            run.make(place.name)
        stage = LockedFolder(place, _STAGED)
    try:
        yield stage.path
    finally:
        old = stage.path / "old"
        if kind(old) and not kind(target):
            stage.release()
            raise OldMovedError(old)
        stage.delete()


def _new_stage(target: Path) -> LockedFolder:
    _delete_dead_stages(target)
    path = target.with_name(f".{target.name}-{os.urandom(4).hex()}.partial")
    try:
        return LockedFolder.take(path, _STAGED)
    except (NotImplementedError, OSError) as problem:
        if isinstance(problem, OSError) and problem.errno not in (ENOSYS, ENOTSUP):
            raise
        with Folder(path.parent) as parent:
            parent.make(path.name)
        return LockedFolder(path, _STAGED)


def _delete_dead_stages(target: Path) -> None:
    """Delete stages of this target whose process was killed, putting back a directory that one has moved away."""
    name = re.compile(rf"\.{re.escape(target.name)}-[0-9a-f]{{8}}\.partial")
    with suppress(OSError), Folder(target.parent) as parent:
        for found in filter(name.fullmatch, parent.names()):
            with suppress(FolderLockedError, NotImplementedError, OSError):
                with Folder(parent.path / found, own=True) as folder:
                    # A stage names its process before it holds anything else.
                    if not folder.check(HOLDER, FILE) and set(folder.names()) - {LOCK}:
                        continue
                stage = LockedFolder.take(parent.path / found, _STAGED)
                put_back(stage.path, target)
                stage.delete()


def put_back(place: Path, target: Path) -> None:
    """Put back a directory, perhaps the only copy, that a killed process has moved away."""
    if kind(place / "old") == DIRECTORY and not kind(target):
        with Folder(place, own=True) as stage, Folder(target.parent) as parent:
            stage.move("old", parent, target.name)
