"""Compiled code for the jobs that a dataset of a million items spends its time on.

A *kernel* is a function over flat arrays that Numba compiles to machine code.  Kernels know
no grammar: its tables are their arguments, so one compilation serves all grammars and is kept
on disk.  There is one package for each job, and the plain Python functions beside it are its
definition; the results are the same, bit for bit::

    job      compiled           definition       who decides which is used
    draw     sgl.accel.draw     sgl.sampling     sgl.sampling.batch, sgl.sampling.seen
    parse    sgl.accel.parse    sgl.parsing      sgl.parsing.batch
    write    sgl.accel.write    sgl.rendering    sgl.rendering.templates

Nobody imports a job's package when a module is loaded, but inside the function that decides,
after it has asked :func:`pays`.  Everything works where Numba is not installed.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from sgl.cache import cache_directory, is_private

#: Seconds that it takes to load machine code that is kept, and to compile the kernels of a job.
_LOADING, _COMPILING = 0.5, 4.0

#: The modules of ``sgl`` that a source imports from, without ``sgl``.
_IMPORTED = re.compile(r"^from sgl\.([\w.]+) import", re.MULTILINE)

_PACKAGE = Path(__file__).parent.parent

#: Called when a kernel is about to be compiled; see :func:`announcing`.
_listeners: list[Callable[[], None]] = []


def pays(job: str, seconds: float) -> bool:
    """Return whether compiled code is worth using for work that takes plain code so long.

    It is not if to load it, or to compile it where no machine code is kept, takes longer than
    the work itself.  Once a process has loaded it, it is always used.
    """
    if f"sgl.accel.{job}" in sys.modules:
        return True
    if seconds <= _LOADING or find_spec("numba") is None:
        return False
    return seconds > _COMPILING or is_kept(job)


@contextmanager
def announcing(listener: Callable[[], None]) -> Iterator[None]:
    """Have ``listener`` called whenever a kernel is about to be compiled, for a second or so."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def announce() -> None:
    """Tell whoever listens that a kernel is about to be compiled."""
    for listener in _listeners:
        listener()


def is_kept(job: str) -> bool:
    """Return whether some machine code of a job is kept on disk."""
    directory = kernel_directory()
    # Numba names folders after those of the sources.
    return bool(directory) and next(Path(directory).glob(f"{job}_*/*.nbi"), None) is not None


@cache
def kernel_directory() -> str:
    """Return the directory where machine code is kept, or "" if it cannot be kept.

    Numba keeps compiled functions by the file they are written in, and does not notice when a
    function changes that they call in another file.  So the name of the directory has a digest
    of all sources of kernels, ``~/.cache/sgl/kernels-5f2c…/``.  Who can write there can run
    code, as in the cache of the compiler.
    """
    base = cache_directory()
    if base is None:
        return ""
    directory = base / f"kernels-{_digest()}"
    try:
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        directory.mkdir(mode=0o700, exist_ok=True)
        usable = is_private(base) and is_private(directory)
    except (OSError, ValueError):
        return ""
    return str(directory) if usable and os.access(directory, os.W_OK) else ""


def _digest() -> str:
    """Return a digest of the sources of kernels, and of all that they import from ``sgl``."""
    waiting = sorted({*_PACKAGE.joinpath("accel").rglob("*.py"), *_PACKAGE.rglob("*_kernel.py")})
    sources: dict[Path, str] = {}
    while waiting:
        path = waiting.pop()
        if path not in sources and path.is_file():
            sources[path] = path.read_text("utf-8")
            names = _IMPORTED.findall(sources[path])
            waiting += [_PACKAGE.joinpath(*name.split(".")).with_suffix(".py") for name in names]
    digest = hashlib.sha256()
    for path in sorted(sources):
        digest.update(sources[path].encode())
    return digest.hexdigest()[:16]
