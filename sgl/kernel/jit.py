"""Compile functions over arrays to machine code, and keep the result on disk.

Numba keeps compiled functions by the file they are written in, and does not notice when a
function changes that they call in another file.  So the machine code of this package is
kept in a directory named by a digest of all source files that have kernels::

    ~/.cache/sgl/kernels-5f2c…/      valid for exactly these sources

Where no such directory can be made, kernels are compiled anew by each process.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

#: Numba's types know neither its settings nor all of its options.
_njit: Any = numba.njit
_settings: Any = numba.config

#: Kernels allocate nothing, so references are not counted in them (``_nrt``): counting the
#: arrays that are passed to parts takes more time than many a part.
_OPTIONS: dict[str, Any] = {"nogil": True, "boundscheck": False, "_nrt": False}

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """A function over arrays and integers as machine code, free of the interpreter's lock.

    Indices are not checked: a kernel's tests run it against plain Python.
    """
    directory = _directory()
    before = _settings.CACHE_DIR
    _settings.CACHE_DIR = directory
    try:
        compiled = _njit(cache=bool(directory), **_OPTIONS)(function)
    finally:
        _settings.CACHE_DIR = before
    return cast("Function", compiled)


def part(function: Function) -> Function:
    """A function that kernels call; it is compiled into each of them."""
    return cast("Function", _njit(forceinline=True, **_OPTIONS)(function))


@cache
def _directory() -> str:
    """Where machine code is kept; empty if it cannot be kept."""
    base = os.environ.get("SGL_CACHE_DIR")
    if base == "":
        return ""
    root = Path(base) if base else _user_cache()
    directory = root / f"kernels-{_digest()}"
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return ""
    return str(directory) if os.access(directory, os.W_OK) else ""


def _user_cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "sgl"


def _digest() -> str:
    """A digest of the sources of kernels, which are those that name this package."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.parent.rglob("*.py")):
        source = path.read_bytes()
        if b"sgl.kernel" in source:
            digest.update(source)
    return digest.hexdigest()[:16]
