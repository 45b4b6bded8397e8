"""Compile functions over arrays to machine code, and keep the result on disk.

Numba keeps compiled functions by the file they are written in, and does not notice when a
function changes that they call in another file.  So the machine code of this package is
kept in a directory named by a digest of the sources of all kernels::

    ~/.cache/sgl/kernels-5f2c…/      valid for exactly these sources

Where no such directory can be made, kernels are compiled anew by each process.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.extending import register_jitable

from sgl.cache.place import cache_directory, is_private

#: Numba's types know neither its settings nor all of its options.
_njit: Any = numba.njit
_register: Any = register_jitable
_settings: Any = numba.config

#: Kernels allocate nothing, so references are not counted in them (``_nrt``): counting the
#: arrays that are passed to parts takes more time than many a part.
_OPTIONS: dict[str, Any] = {"nogil": True, "boundscheck": False, "_nrt": False}

#: The modules of this package that a source names, without ``sgl``.
_IMPORTED = re.compile(r"^from sgl\.([\w.]+) import", re.MULTILINE)

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """A function over arrays and integers as machine code, free of the interpreter's lock.

    Indices are not checked: a kernel's tests run it against plain Python.  It has an entry
    for Python alone: one for C would take as long to compile as a small kernel.
    """
    directory = kernel_directory()
    before = _settings.CACHE_DIR
    _settings.CACHE_DIR = directory
    try:
        compiled = _njit(cache=bool(directory), no_cfunc_wrapper=True, **_OPTIONS)(function)
    finally:
        _settings.CACHE_DIR = before
    return cast("Function", compiled)


def part(function: Function) -> Function:
    """A function that kernels call; it is compiled into each of them.

    Only kernels call its machine code, so it has no entry for Python; called from Python,
    it is the plain function.
    """
    options = {**_OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast("Function", _register(forceinline=True, **options)(function))


@cache
def kernel_directory() -> str:
    """Where machine code is kept; empty if it cannot be kept.

    Who can write there can run code, as in the cache of the compiler: so it is kept there.
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
    """A digest of the sources of kernels, and of the modules whose constants they use."""
    package = Path(__file__).parent.parent
    sources = {path: path.read_text("utf-8") for path in sorted(package.rglob("*.py"))}
    kernels = {path for path, source in sources.items() if "sgl.accel.jit import" in source}
    used = {
        package.joinpath(*name.split(".")).with_suffix(".py")
        for path in kernels
        for name in _IMPORTED.findall(sources[path])
    }
    digest = hashlib.sha256()
    for path in sorted(kernels | (used & sources.keys())):
        digest.update(sources[path].encode())
    return digest.hexdigest()[:16]
