"""A folder that one process at a time works in, however its processes begin and end.

A file in the folder is locked by the operating system, which takes the lock back when the
process ends, also when it is killed; so a folder that was left behind is never in the way.
The file says who has it::

    out/.pairs.parquet.partial/lock      {"process": 4711, "host": "ada", "since": "…"}

Two runs may start at the same moment, one of them may just be deleting the folder when the
other begins.  A lock counts only if its file is still the one that has the name, and the
file is deleted by its holder alone, as the last file of the folder::

    run 1   make folder · lock ─────────── works ────────── delete files · delete lock · folder
    run 2      make folder · lock? no: run 1 has it
    run 3                                 open the file ·       lock it · it has no name: again
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Self

if sys.platform == "win32":
    import msvcrt

    #: Locked bytes cannot be read there, so one is locked that nobody writes.
    _FAR = 1 << 30

    def _take(stream: BinaryIO) -> None:
        stream.seek(_FAR)
        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(stream: BinaryIO) -> None:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)


#: The file that is locked.
LOCK = "lock"

#: For how many seconds a holder's signature is waited for, if its file has none.
_SIGNING = 0.5

#: How often a folder is made that another process deletes at the same moment.
_ATTEMPTS = 100


class HeldError(Exception):
    """Another process works in the folder; the message says which, if that is known."""


class HeldFolder:
    """A folder that only this process works in, until it is released or deleted."""

    def __init__(self, path: Path, stream: BinaryIO) -> None:
        self.path = path
        self._stream = stream

    @classmethod
    def take(cls, path: Path) -> Self:
        """Make the folder if it is not there, and hold it.

        Raises:
            HeldError: another process holds it.
            OSError: the operating system refuses.
        """
        for _ in range(_ATTEMPTS):
            path.mkdir(exist_ok=True)
            try:
                stream = (path / LOCK).open("a+b")
            except FileNotFoundError:
                continue
            try:
                _take(stream)
            except (BlockingIOError, PermissionError):
                with stream:
                    raise HeldError(_holder(stream)) from None
            except OSError as problem:
                # Some file systems of clusters have no locks, and say it in riddles.
                stream.close()
                reason = f"its file system locks no files ({problem.strerror})"
                raise OSError(problem.errno, reason, str(path)) from problem
            except BaseException:
                stream.close()
                raise
            if _is_named(stream, path / LOCK):
                _sign(stream)
                return cls(path, stream)
            stream.close()
        raise OSError(f"the folder {path} is deleted again and again")

    def clear(self) -> None:
        """Delete everything in the folder but the lock."""
        for child in self.path.iterdir():
            if child.name == LOCK:
                continue
            if child.is_dir() and not child.is_symlink():
                shutil.rmtree(child)
            else:
                child.unlink()

    def release(self) -> None:
        """Leave the folder to others as it is."""
        self._stream.close()

    def delete(self) -> None:
        """Delete the folder with everything in it, and release it."""
        with suppress(OSError):
            self.clear()
            self.leave()
        self.release()

    def leave(self) -> None:
        """Release the folder as it is, without the lock; if nothing else is in it, delete it."""
        with suppress(OSError):
            if sys.platform == "win32":
                # Files that are open cannot be deleted there: neither by others, nor here.
                self.release()
            (self.path / LOCK).unlink()
        self.release()
        # Only now: where a server has the files, one that is open keeps a name in the folder.
        # Another process may have begun in it by now, and then its lock lies there.
        with suppress(OSError):
            self.path.rmdir()


def _is_named(stream: BinaryIO, path: Path) -> bool:
    """Whether an open file is the one that has this name."""
    try:
        return os.path.samestat(os.fstat(stream.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _sign(stream: BinaryIO) -> None:
    """Write into the file who has the lock."""
    since = datetime.now().astimezone().isoformat(" ", "seconds")
    holder = {"process": os.getpid(), "host": platform.node(), "since": since}
    stream.truncate(0)
    stream.write(json.dumps(holder).encode() + b"\n")
    stream.flush()


def _holder(stream: BinaryIO) -> str:
    """Who has the lock, as a sentence."""
    end = time.monotonic() + _SIGNING
    while not (who := _signature(stream)) and time.monotonic() < end:
        # A process signs just after it has locked the file, so it may be about to.
        time.sleep(0.01)
    return f"another run is writing here{who and ': '}{who}"


def _signature(stream: BinaryIO) -> str:
    """What the holder of the lock has written about itself; empty if it has not yet."""
    try:
        stream.seek(0)
        holder = json.loads(stream.read())
        return f"process {holder['process']} on {holder['host']}, since {holder['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return ""
