"""Compile the jobs on which a dataset of a million items spends its time.

A *kernel* is a function over flat arrays that Numba compiles to machine code.  Kernels know no grammar: its tables are
their arguments, so one compilation serves all grammars and is kept on disk.  There are three jobs: *draw*, *parse* and
*write*.  Plain Python functions in ``sgl.sampling``, ``sgl.parsing`` and ``sgl.rendering`` define each of them; the
results are the same, bit for bit.

The code of a job is imported inside the function that decides, after it has called :func:`pays`.  Everything works
without Numba.
"""

import hashlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from sgl.cache import Cache, installation, open_cache

#: Seconds to load cached machine code, and to compile the kernels of a job.
_LOADING, _COMPILING = 0.5, 4.0

#: The kind of cache entries that hold machine code, or say that a job has some.
KIND = "kernels"

#: Libraries whose versions affect machine code.
_LIBRARIES = ("numba-", "llvmlite-", "numpy-")

_PACKAGE = Path(__file__).parent.parent

#: Callbacks before a kernel is compiled; see :func:`announcing`.
_listeners: list[Callable[[], None]] = []


def pays(job: str, seconds: float) -> bool:
    """Return whether to load or compile machine code for work that takes plain code this many seconds."""
    if f"sgl.accel.{job}" in sys.modules:
        return True
    if seconds <= _LOADING or find_spec("numba") is None:
        return False
    return (seconds > _COMPILING or is_kept(job)) and compiles()


@cache
def compiles() -> bool:
    """Return whether Numba is installed and compiles; ``NUMBA_DISABLE_JIT`` forbids it."""
    try:
        config = import_module("numba").config
    except Exception:  # noqa: BLE001 - of another package, for whatever reason
        return False
    return not config.DISABLE_JIT


@contextmanager
def announcing(listener: Callable[[], None]) -> Iterator[None]:
    """Call ``listener`` whenever a kernel is about to be compiled, for about a second."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def announce() -> None:
    """Tell all listeners that a kernel is about to be compiled."""
    for listener in _listeners:
        listener()


def is_kept(job: str) -> bool:
    """Return whether machine code of a job is cached on disk."""
    kept = kernel_cache()
    return kept is not None and kept.get(bool, KIND, job) is True


@cache
def kernel_cache() -> Cache | None:
    """Return the cache of machine code, keyed by the sources of kernels, or None if there can be none."""
    return open_cache(_digest)


def _digest() -> str | None:
    try:
        text = [*installation(_LIBRARIES), *(text for _, text in sorted(sources().items()))]
    except OSError:
        return None
    return hashlib.sha256("\0".join(text).encode()).hexdigest()


def sources() -> dict[Path, str]:
    """Return the sources of kernels and of the packages that they import; raises ``OSError``."""
    folders = (_PACKAGE / name for name in ("accel", "core", "parsing", "sampling"))
    paths = {*_PACKAGE.rglob("*_kernel.py"), *(path for folder in folders for path in folder.rglob("*.py"))}
    return {path: path.read_text("utf-8") for path in paths}
