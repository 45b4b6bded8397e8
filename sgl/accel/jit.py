"""Compile functions over arrays to machine code, and keep the result on disk.

Numba's own cache loads whatever it finds, and machine code with one wrong bit ends the process.  So machine code is
kept in the cache of the commands, whose entries are hashed and belong to the user alone.  Without that cache
(:func:`sgl.accel.kernel_cache`), each process compiles its kernels again.
"""

import pickle
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import event
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps
from numba.extending import register_jitable

from sgl.accel import KIND, announce, kernel_cache
from sgl.cache import Cache

#: Numba's types cover neither its settings nor all of its options.
_njit: Any = numba.njit
_register: Any = register_jitable
_serialized: Any = dumps
_rebuilt: Any = CompileResult._rebuild  # noqa: SLF001 - what Numba's own cache calls
_events: Any = event

#: Kernels allocate nothing, so they do not count references (``_nrt``): counting references to the arrays passed to a
#: part takes longer than many parts do.
_OPTIONS: dict[str, Any] = {"nogil": True, "boundscheck": False, "_nrt": False}

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a function over arrays and integers to machine code that runs without the interpreter's lock.

    Indices are not checked; the tests of a kernel run it against plain Python.  It has no entry point for C, which
    would take as long to compile as a small kernel.
    """
    compiled = _njit(no_cfunc_wrapper=True, **_OPTIONS)(function)
    kept = kernel_cache()
    if kept is not None:
        compiled._cache = _MachineCode(function, kept)  # noqa: SLF001 - as `cache=True` does
    return cast("Function", compiled)


class _MachineCode(NullCache):
    """The machine code of one function on disk, for each signature and processor."""

    def __init__(self, function: Callable[..., Any], kept: Cache) -> None:
        self._place = (function.__module__, function.__qualname__)
        self._kept = kept

    def load_overload(self, sig: object, target_context: Any) -> object:  # noqa: ANN401 - Numba's
        """Return the machine code for a signature, or None if it must be compiled."""
        target_context.refresh()
        content = self._kept.get(bytes, KIND, *self._key(sig, target_context.codegen()))
        if content is None:
            return None
        try:
            # The cache has checked the hash.
            return _rebuilt(target_context, *pickle.loads(content))  # noqa: S301
        except Exception:  # noqa: BLE001 - Numba and pickle raise what they like
            return None

    def save_overload(self, sig: object, data: Any) -> None:  # noqa: ANN401 - Numba's
        """Store machine code, unless it contains addresses of this process."""
        if not data.library.has_dynamic_globals:
            content = _serialized(data._reduce())  # noqa: SLF001 - what Numba's own cache calls
            self._kept.put(content, KIND, *self._key(sig, data.codegen))
            job = self._place[0].removeprefix("sgl.accel.").partition(".")[0]
            self._kept.put(True, KIND, job)

    def _key(self, sig: object, codegen: Any) -> tuple[str, ...]:  # noqa: ANN401 - Numba's
        return (*self._place, str(sig), str(codegen.magic_tuple()))


def part(function: Function) -> Function:
    """Let kernels call a function, compiled into each of them; from Python it stays plain."""
    options = {**_OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast("Function", _register(forceinline=True, **options)(function))


class _Compilations(_events.Listener):  # type: ignore[misc]
    def on_start(self, event: object) -> None:  # noqa: ARG002 - the signature is Numba's
        announce()

    def on_end(self, event: object) -> None:
        pass


_events.register("numba:compile", _Compilations())
