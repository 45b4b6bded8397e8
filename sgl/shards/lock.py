"""A lock that the operating system takes back when its process ends, however it ends."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import BinaryIO

if sys.platform == "win32":
    import msvcrt

    def _take(stream: BinaryIO) -> None:
        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(stream: BinaryIO) -> None:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)


class FolderLock:
    """Says that this process works in a folder, by a lock on a file in it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stream: BinaryIO | None = None

    def take(self) -> bool:
        """Take the lock; False if another process has it."""
        stream = self._path.open("ab")
        try:
            _take(stream)
        except OSError:
            stream.close()
            return False
        self._stream = stream
        return True

    def release(self) -> None:
        """Give the lock back, if this process has it."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None
