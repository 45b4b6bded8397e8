"""Write a file or a directory so that it is there completely or not at all.

Everything is written into a hidden directory beside the target, the *stage*, and renamed, which is atomic, when it is
finished.  A directory that the target is already is moved into the stage first and deleted last; if anything fails in
between, it is moved back.  A stage is locked as long as its process lives, so the next run knows which stages are
dead, and deletes those.

A folder of an earlier run is known by its entries: all of them have names that SGL gives, or else the folder stays as
it is, and the message names what is in the way.
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

#: The file that is locked, and the file that says by whom.
LOCK, HOLDER = "lock", "holder"

#: How often a folder is made that another process deletes at the same moment.
_ATTEMPTS = 100

#: What SGL writes into each locked folder, and into a stage.
_LOCKING = rf"{LOCK}|{HOLDER}|\.{HOLDER}-[0-9a-f]{{8}}\.new"
_STAGED = "new|old"

#: Entries that are named in a message.
_NAMED = 5


class FolderLockedError(Exception):
    """Another process works in the folder; the message says which, if that is known."""


class LockedFolder:
    """A folder in which only this process works, until it is released or deleted.

    The lock is one of the operating system, which takes it back when the process ends, also when it is killed.  A file
    ``holder`` beside it says who has it.  Without a lock, where the file system has none, nobody can tell whether the
    process lives.
    """

    def __init__(self, path: Path, names: str, lock: "BaseFileLock | None" = None) -> None:
        self.path, self._names, self._lock = path, names, lock

    @classmethod
    def take(cls, path: Path, names: str) -> Self:
        """Create the folder if need be, and lock it; its entries have ``names``, a regular expression.

        The folder may be deleted just as another process is about to lock it:  ``filelock`` takes no lock whose file
        has lost its name, and the other creates the folder again.  Raises ``FolderLockedError``, ``OSError``, and
        ``InTheWayError`` if the folder is not one of SGL.
        """
        # It takes longer to load than most commands need, and most write nothing.
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
                # A directory that was removed is one still for a process that is in it, but without a name.
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
        raise OSError(f"the folder {path} is deleted again and again")

    def clear(self, names: str = "") -> None:
        """Delete the entries with these names, or every one that SGL has made, but for the lock."""
        with Folder(self.path, own=True) as folder:
            for name in folder.names():
                if re.fullmatch(names or self._names, name):
                    folder.remove_tree(name)

    def release(self) -> None:
        """Leave the folder to others as it is."""
        if self._lock:
            self._lock.release()

    def delete(self) -> None:
        """Delete the folder with every entry that SGL has made, and release it."""
        with suppress(OSError):
            self.clear()
        self.leave()

    def leave(self) -> None:
        """Release the folder without the lock's files; delete it if nothing else is in it."""
        if sys.platform == "win32":
            # Files that are open cannot be deleted there: neither by others, nor here.
            self.release()
        with suppress(OSError), Folder(self.path, own=True) as folder:
            for name in (HOLDER, LOCK):
                with suppress(OSError):
                    folder.remove(name)
        self.release()
        # Another process may have begun in it by now, and then its lock is there.
        remove_empty(self.path)


def check_names(folder: Folder, names: str) -> None:
    """Raise ``InTheWayError`` if an entry of a folder has a name that SGL does not give."""
    strangers = [name for name in folder.names() if not re.fullmatch(f"{_LOCKING}|{names}", name)]
    if strangers:
        shown = ", ".join(strangers[:_NAMED]) + (", …" if strangers[_NAMED:] else "")
        raise InTheWayError(folder.path, f"it contains files that SGL has not made: {shown}")


@contextmanager
def _gone() -> Iterator[None]:
    """Call a folder that was deleted while the lock asked for it not found: the lock sees that it is there, and not."""
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
    """Yield a path; the file that is created there takes the place of ``target``, and its permissions.

    On any exception ``target`` stays as it was.  Raises ``InTheWayError`` if it is neither a file nor nothing.
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
    """Yield a new directory that takes the place of ``target`` when the block ends.

    On any exception, also an interruption, what was written is deleted and ``target`` stays.  ``place`` is where the
    stage is to be; one that a killed process has left there is deleted.  ``check`` raises an error if ``target`` may
    not be replaced; it is asked before and after.  Raises ``OldMovedError`` and ``OSError``.
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
    """The directory that was at the target could not be put back, and is now at ``old``."""

    def __init__(self, old: Path) -> None:
        super().__init__(f"the dataset that it held is now in {old}")


@contextmanager
def _stage(target: Path, place: Path | None) -> Iterator[Path]:
    """Yield an empty stage, which is deleted at the end, as far as it can be, unless it has the only old dataset."""
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
    """Delete stages of this target whose process was killed; put back what one has moved away."""
    name = re.compile(rf"\.{re.escape(target.name)}-[0-9a-f]{{8}}\.partial")
    with suppress(OSError), Folder(target.parent) as parent:
        for found in filter(name.fullmatch, parent.names()):
            with suppress(FolderLockedError, NotImplementedError, OSError):
                with Folder(parent.path / found, own=True) as folder:
                    # One that was killed has said who it was before it wrote anything.
                    if not folder.check(HOLDER, FILE) and set(folder.names()) - {LOCK}:
                        continue
                stage = LockedFolder.take(parent.path / found, _STAGED)
                put_back(stage.path, target)
                stage.delete()


def put_back(place: Path, target: Path) -> None:
    """Put back a directory, perhaps the only copy, that a killed process had moved away."""
    if kind(place / "old") == DIRECTORY and not kind(target):
        with Folder(place, own=True) as stage, Folder(target.parent) as parent:
            stage.move("old", parent, target.name)
