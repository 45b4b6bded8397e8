"""Compile functions over arrays to machine code, and keep the result on disk.

Where there is no directory for it (:func:`sgl.accel.kernel_directory`), kernels are compiled
again by each process.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import event
from numba.extending import register_jitable

from sgl.accel import announce, kernel_directory

#: Numba's types know neither its settings nor all of its options.
_njit: Any = numba.njit
_register: Any = register_jitable
_settings: Any = numba.config
_events: Any = event

#: Kernels allocate nothing, so references are not counted in them (``_nrt``): counting the
#: arrays that are passed to parts takes more time than many a part.
_OPTIONS: dict[str, Any] = {"nogil": True, "boundscheck": False, "_nrt": False}

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Return a function over arrays and integers as machine code, free of the interpreter's lock.

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
    """Let kernels call a function, which is compiled into each of them; return it as it is.

    Only kernels call its machine code, so it has no entry for Python; called from Python,
    it is the plain function.
    """
    options = {**_OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast("Function", _register(forceinline=True, **options)(function))


class _Compilations(_events.Listener):  # type: ignore[misc]
    """Listens to Numba's compiler."""

    def on_start(self, event: object) -> None:  # noqa: ARG002 - the signature is Numba's
        announce()

    def on_end(self, event: object) -> None:
        pass


_events.register("numba:compile", _Compilations())
