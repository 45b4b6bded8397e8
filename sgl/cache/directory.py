"""Where the cache is, and the hash of the program that every cache key has.

Entries are pickles, and whoever can write a pickle can run code.  So the cache is never
in the directory of a grammar, which may come from a stranger, and a directory that
belongs to another user, or that others may write, is not used.
"""

from __future__ import annotations

import hashlib
import os
import platform
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

#: The variable that says where the cache is; empty, that there is none.
VARIABLE = "SGL_CACHE_DIR"

_PACKAGE = Path(__file__).resolve().parent.parent


def cache_directory() -> Path | None:
    """Return the directory of the cache, which need not exist; None if the user wants none."""
    chosen = os.environ.get(VARIABLE)
    try:
        if chosen is not None:
            return Path(chosen).expanduser().absolute() if chosen else None
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches" / "sgl"
        if sys.platform == "win32":
            local = os.environ.get("LOCALAPPDATA")
            return (Path(local) if local else Path.home() / "AppData" / "Local") / "sgl" / "Cache"
        base = Path(os.environ.get("XDG_CACHE_HOME") or "")
        # The XDG specification has relative paths ignored.
        return (base if base.is_absolute() else Path.home() / ".cache") / "sgl"
    except (OSError, RuntimeError):
        # Nobody knows the home directory.
        return None


def is_private(directory: Path) -> bool:
    """Return whether nobody but its owner, who is the user, may write to a directory.

    Windows gives a new directory below the user's own the rights of that one.
    """
    found = directory.stat()
    if sys.platform == "win32":
        return stat.S_ISDIR(found.st_mode)
    others = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not others


def environment() -> str | None:
    """Return the SHA-256 of code, libraries and Python; None if the code cannot be read.

    It is computed with each call, as the code can be edited while it runs.  Libraries count
    by the names of their ``.dist-info`` directories, which hold their versions: to read these
    is ten times as quick as ``importlib.metadata``.
    """
    digest = hashlib.sha256()
    try:
        files = sorted(_files(str(_PACKAGE)))
        for name in files:
            content = Path(name).read_bytes()
            digest.update(f"{name} {len(content)}\n".encode("utf-8", "surrogateescape"))
            digest.update(content)
        running = [sys.version, sys.platform, platform.machine(), *_distributions()]
    except OSError:
        return None
    if not any(name.endswith(".py") for name in files):
        # The package is in an archive, say.
        return None
    digest.update("\n".join(running).encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _files(directory: str) -> Iterator[str]:
    """Yield the files of the package, code and data, without what Python has compiled."""
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _files(entry.path)
            elif not entry.name.startswith("."):
                yield entry.path


def _distributions() -> list[str]:
    """Return what is installed, with versions."""
    directories = (Path(name) for name in sys.path if Path(name).is_dir())
    names = (path.name for directory in directories for path in directory.iterdir())
    return sorted({name for name in names if name.endswith((".dist-info", ".egg-info"))})
