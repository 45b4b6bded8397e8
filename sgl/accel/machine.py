"""Define machine operations that Numba has no name for, and functions that kernels share.

``copy32`` and ``high64`` replace loops over bytes and 128-bit products.  Nothing checks bounds: buffers end with slack
that nobody reads (``sgl.core.arrays.SLACK``).
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from sgl.accel.jit import kernel, part
from sgl.sampling import screening

_WORD, _VECTOR = ir.IntType(64), ir.VectorType(ir.IntType(8), 32)


def _bytes(context: Any, builder: Any, signature: Any, arguments: Any, kind: Any) -> Any:
    """Return a pointer into an array, the first argument, at an index, the second."""
    data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
    return builder.bitcast(builder.gep(data, [arguments[1]]), kind.as_pointer())


@intrinsic
def _copy32(typing: Any, target: Any, at: Any, source: Any, start: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        to = _bytes(context, builder, signature, arguments, _VECTOR)
        of_source = signature.replace(args=signature.args[2:])
        value = builder.load(_bytes(context, builder, of_source, arguments[2:], _VECTOR), align=1)
        builder.store(value, to, align=1)
        return context.get_dummy_value()

    return types.void(target, types.int64, source, types.int64), generate


@intrinsic
def _high64(typing: Any, first: Any, second: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(*(builder.zext(value, wide) for value in arguments))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), _WORD)

    return types.uint64(types.uint64, types.uint64), generate


Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]
Bits = NDArray[np.uint64]
Index = int | np.integer[Any]

#: Copy 32 bytes to an index of one byte array from an index of another.
copy32 = cast("Callable[[Bytes, Index, Bytes, Index], None]", _copy32)
#: The upper 64 bits of the product of two unsigned 64-bit numbers.
high64 = cast("Callable[[np.uint64, np.uint64], np.uint64]", _high64)

#: A number in 64 bits.  For each kind of number that a part takes, it is compiled again.
long = cast("Callable[[Index], int]", np.int64)

#: Functions over tables of hashes.
slot, rehash = part(screening.slot), kernel(screening.rehash)


@part
def has(sets: Bits, row: int, member: int) -> bool:
    """Return whether the set whose row begins at ``row`` has a member."""
    return bool(sets[row + (member >> 6)] >> np.uint64(member & 63) & np.uint64(1))


@part
def lowest(bits: np.uint64) -> int:
    """Return the lowest member of a non-empty set; compilers recognise this way of counting bits."""
    below = ~bits & (bits - np.uint64(1))
    below = below - ((below >> np.uint64(1)) & np.uint64(0x5555555555555555))
    pairs = np.uint64(0x3333333333333333)
    below = (below & pairs) + ((below >> np.uint64(2)) & pairs)
    below = (below + (below >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return long((below * np.uint64(0x0101010101010101)) >> np.uint64(56))


@part
def put(data: Bytes, at: int, pool: Bytes, piece: int) -> int:
    """Write a piece of a pool at a position and return where it ends."""
    return copy(data, at, pool, piece & 0xFFFFFFFF, piece >> 32)


@part
def copy(data: Bytes, at: int, source: Bytes, start: int, length: int) -> int:
    """Copy ``length`` bytes of a buffer, plus up to 31 that are overwritten later, and return where they end."""
    copy32(data, at, source, start)
    done = 32
    while done < length:
        copy32(data, at + done, source, start + done)
        done += 32
    return at + length
