"""Lock a folder, so that one process at a time works in it.

The lock is one of the operating system (``filelock``), which takes it back when the process ends, also when it is
killed.  A file ``holder`` beside it says who has it.  The folder may be deleted just as another process is about to
lock it:  ``filelock`` takes no lock whose file has lost its name, and the other makes the folder again.
"""

import os
import platform
import shutil
import sys
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Self

from filelock import BaseFileLock, FileLock, Timeout

#: The file that is locked, and the file that says by whom.
LOCK, HOLDER = "lock", "holder"

#: How often a folder is made that another process deletes at the same moment.
_ATTEMPTS = 100


class FolderLockedError(Exception):
    """Another process works in the folder; the message says which, if that is known."""


class LockedFolder:
    """A folder in which only this process works, until it is released or deleted."""

    def __init__(self, path: Path, lock: BaseFileLock) -> None:
        self.path = path
        self._lock = lock

    @classmethod
    def take(cls, path: Path) -> Self:
        """Make the folder if need be, and lock it; raises ``FolderLockedError``."""
        # A soft lock would outlive a process that is killed.
        lock = FileLock(path / LOCK, blocking=False, fallback_to_soft=False)
        for _ in range(_ATTEMPTS):
            try:
                path.mkdir(exist_ok=True)
                lock.acquire()
            except (FileNotFoundError, FileExistsError):
                # `mkdir` reports a folder that was there, and is gone when it looks again.
                if not path.parent.is_dir() or (path.exists() and not path.is_dir()):
                    raise
                continue
            except Timeout:
                raise FolderLockedError(_holder(path)) from None
            locked = cls(path, lock)
            try:
                since = datetime.now().astimezone().isoformat(" ", "seconds")
                holder = f"process {os.getpid()} on {platform.node()}, since {since}"
                (path / HOLDER).write_text(holder, "utf-8")
            except BaseException:
                locked.leave()
                raise
            return locked
        raise OSError(f"the folder {path} is deleted again and again")

    @classmethod
    def without_lock(cls, path: Path) -> Self:
        """Make the folder where the file system has no locks, under a name that nobody else has."""
        path.mkdir(exist_ok=True)
        return cls(path, FileLock(path / LOCK))

    def clear(self) -> None:
        """Delete everything in the folder but the lock."""
        for child in self.path.iterdir():
            if child.name in (LOCK, HOLDER):
                continue
            if child.is_dir() and not child.is_symlink():
                shutil.rmtree(child)
            else:
                child.unlink()

    def release(self) -> None:
        """Leave the folder to others as it is."""
        self._lock.release()

    def delete(self) -> None:
        """Delete the folder with everything in it, and release it."""
        with suppress(OSError):
            self.clear()
        self.leave()

    def leave(self) -> None:
        """Release the folder without the lock's files; delete it if nothing else is in it."""
        if sys.platform == "win32":
            # Files that are open cannot be deleted there: neither by others, nor here.
            self.release()
        for name in (HOLDER, LOCK):
            with suppress(OSError):
                (self.path / name).unlink()
        self.release()
        # Another process may have begun in it by now, and then its lock lies there.
        with suppress(OSError):
            self.path.rmdir()


def _holder(path: Path) -> str:
    try:
        who = (path / HOLDER).read_text("utf-8")
    except (OSError, ValueError):
        who = ""
    return f"another run is writing here{who and ': '}{who}"
