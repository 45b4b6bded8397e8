"""Where the cache is: in the user's own directory, which nobody else may write.

Entries are pickles, and whoever can write a pickle can run code.  So the cache is never
in the directory of a grammar, which may come from a stranger, and a directory that
belongs to another user, or that others may write, is not used.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from sgl.cache.program import environment
from sgl.cache.store import Cache

#: Says where the cache is; empty, that there is none.
VARIABLE = "SGL_CACHE_DIR"


def cache_directory() -> Path | None:
    """The directory of the cache, which need not exist; None if the user wants none."""
    chosen = os.environ.get(VARIABLE)
    try:
        if chosen is not None:
            return Path(chosen).expanduser().absolute() if chosen else None
        return _usual()
    except (OSError, RuntimeError):
        # Nobody knows the home directory.
        return None


def _usual() -> Path:
    """Where programs keep such things on this system."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "sgl"
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "sgl" / "Cache"
    base = Path(os.environ.get("XDG_CACHE_HOME") or "")
    # The specification of these directories has relative paths ignored.
    return (base if base.is_absolute() else Path.home() / ".cache") / "sgl"


def open_cache() -> Cache | None:
    """The user's cache; None if it is switched off or its directory cannot be used."""
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


def is_private(directory: Path) -> bool:
    """Whether nobody but its owner, who is the user, may write to a directory.

    Windows gives a new directory below the user's own the rights of that one.
    """
    found = directory.stat()
    if sys.platform == "win32":
        return stat.S_ISDIR(found.st_mode)
    others = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not others
