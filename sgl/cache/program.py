"""What a result depends on beside its inputs: the program, and what runs it.

The code of ``sgl`` counts by its contents, so that in a checkout every edit counts.  The
libraries count by the names of their ``.dist-info`` directories, which hold their
versions; to read these is ten times as quick as ``importlib.metadata``, and installing
anything makes the digest another one.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent

_INSTALLED = (".dist-info", ".egg-info")


def environment() -> str | None:
    """The SHA-256 of code, libraries and Python; None if the code cannot be read.

    It is computed anew with each call, as the code can be edited while it runs.
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
        # The package lies in an archive, say.
        return None
    digest.update("\n".join(running).encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _files(directory: str) -> Iterator[str]:
    """The files of the package, code and data, without what Python has compiled."""
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _files(entry.path)
            elif not entry.name.startswith("."):
                yield entry.path


def _distributions() -> list[str]:
    """What is installed, with versions."""
    found: set[str] = set()
    for directory in sys.path:
        if Path(directory).is_dir():
            names = (path.name for path in Path(directory).iterdir())
            found.update(name for name in names if name.endswith(_INSTALLED))
    return sorted(found)
