"""Arrays as addresses, for kernels that hand many of them from function to function.

Numba counts who uses an array, with atomic operations, at each function that receives it
and at each field of a tuple that holds it.  Where inner loops go through a dozen arrays
this costs ten times what the loops do.  So such a kernel receives a tuple of addresses
(and such tuples)::

    tables = addresses(tables)             arrays become the addresses of their data
    int_at(tables.first, 7)                what was tables.first[7]
    set_int(tables.first, 7, 12)           tables.first[7] = 12

The arrays have to be contiguous, of these types, and alive as long as the kernel runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from sgl.accel.jit import part

Arrays = TypeVar("Arrays", bound=NamedTuple)

_WORD = ir.IntType(64)


def addresses(arrays: Arrays) -> Arrays:
    """Return the same tuple with the address of its data for each array."""
    return arrays._make(map(_addressed, arrays))


def _addressed(field: object) -> object:
    if isinstance(field, np.ndarray):
        return _address(field)
    return addresses(cast("NamedTuple", field)) if isinstance(field, tuple) else field


def _address(array: NDArray[Any]) -> int:
    assert array.flags.c_contiguous, "only the data of contiguous arrays is one block"
    return array.ctypes.data


def _place(builder: Any, value: Any, arguments: Any) -> Any:
    """Return a pointer to an element, from the address of the first and its number."""
    return builder.gep(builder.inttoptr(arguments[0], value.as_pointer()), [arguments[1]])


@intrinsic
def _int_at(typing: Any, array: Any, place: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.sext(builder.load(_place(builder, ir.IntType(32), arguments)), _WORD)

    return types.int64(types.int64, types.int64), generate


@intrinsic
def _set_int(typing: Any, array: Any, place: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.IntType(32)
        builder.store(builder.trunc(arguments[2], kind), _place(builder, kind, arguments))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


def _loader(kind: Any, value: Any) -> Any:
    @intrinsic
    def load(typing: Any, array: Any, place: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.load(_place(builder, kind, arguments))

        return value(types.int64, types.int64), generate

    return load


def _storer(kind: Any, value: Any) -> Any:
    @intrinsic
    def store(typing: Any, array: Any, place: Any, new: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            builder.store(arguments[2], _place(builder, kind, arguments))
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, value), generate

    return store


Ints = NDArray[np.int32]
Bits = NDArray[np.uint64]
Reals = NDArray[np.float64]

int_at = cast("Callable[[Ints, int], int]", _int_at)
set_int = cast("Callable[[Ints, int, int], None]", _set_int)
bits_at = cast("Callable[[Bits, int], np.uint64]", _loader(_WORD, types.uint64))
set_bits = cast("Callable[[Bits, int, np.uint64], None]", _storer(_WORD, types.uint64))
real_at = cast("Callable[[Reals, int], float]", _loader(ir.DoubleType(), types.float64))
set_real = cast("Callable[[Reals, int, float], None]", _storer(ir.DoubleType(), types.float64))


@part
def has(sets: Bits, row: int, member: int) -> bool:
    """Return whether the set whose row begins at ``row`` has a member."""
    bits = bits_at(sets, row + (member >> 6)) >> np.uint64(member & 63)
    return bool(bits & np.uint64(1))


@part
def meet(one: Bits, row: int, other: Bits, line: int, width: int) -> bool:
    """Return whether two sets, by the numbers of their rows, have a member in common."""
    for word in range(width):
        if bits_at(one, row * width + word) & bits_at(other, line * width + word):
            return True
    return False


@part
def lowest(bits: np.uint64) -> int:
    """Return the lowest member of a set that is not empty: the number of bits below it.

    Compilers know this way to count bits and make one instruction of it.
    """
    below = ~bits & (bits - np.uint64(1))
    below = below - ((below >> np.uint64(1)) & np.uint64(0x5555555555555555))
    pairs = np.uint64(0x3333333333333333)
    below = (below & pairs) + ((below >> np.uint64(2)) & pairs)
    below = (below + (below >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((below * np.uint64(0x0101010101010101)) >> np.uint64(56))


@part
def times(one: np.uint64, other: np.uint64) -> np.uint64:
    """Return the product, or the greatest number."""
    most = np.uint64(0xFFFFFFFFFFFFFFFF)
    if (one | other) >> np.uint64(32) and one > np.uint64(0) and other > most // one:
        return most
    return one * other


@part
def plus(one: np.uint64, other: np.uint64) -> np.uint64:
    """Return the sum, or the greatest number."""
    total = one + other
    return total if total >= one else np.uint64(0xFFFFFFFFFFFFFFFF)
