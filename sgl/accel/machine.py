"""Single machine operations that Numba has no name for.

They take the place of loops over bytes and of 128-bit products::

    copy32(target, 100, source, 7)     target[100:132] = source[7:39], one instruction
    load64(bytes, 7)                   eight bytes as one number, the first the lowest
    high64(a, b)                       a * b >> 64

Nothing checks the bounds: buffers end with slack that nobody reads (``sgl.core.column.SLACK``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray


def _copier(size: int) -> Any:
    @intrinsic
    def copy(typing: Any, target: Any, at: Any, source: Any, start: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            vector = ir.VectorType(ir.IntType(8), size).as_pointer()
            to, _, origin, _ = (
                context.make_array(signature.args[i])(context, builder, arguments[i]).data
                if i % 2 == 0
                else None
                for i in range(4)
            )
            pointer = builder.bitcast(builder.gep(origin, [arguments[3]]), vector)
            value = builder.load(pointer, align=1)
            place = builder.bitcast(builder.gep(to, [arguments[1]]), vector)
            builder.store(value, place, align=1)
            return context.get_dummy_value()

        return types.void(target, types.int64, source, types.int64), generate

    return copy


@intrinsic
def _load64(typing: Any, source: Any, at: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.gep(data, [arguments[1]])
        return builder.load(builder.bitcast(place, ir.IntType(64).as_pointer()), align=1)

    return types.uint64(source, types.int64), generate


@intrinsic
def _high64(typing: Any, first: Any, second: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(*(builder.zext(value, wide) for value in arguments))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), generate


Bytes = NDArray[np.uint8]
Index = int | np.integer[Any]

#: Copy 32 bytes to a place in a byte array from a place in another.
copy32 = cast("Callable[[Bytes, Index, Bytes, Index], None]", _copier(32))
#: Eight bytes from a place of a byte array as a number, little-endian.
load64 = cast("Callable[[Bytes, Index], np.uint64]", _load64)
#: The upper 64 bits of the product of two unsigned 64-bit numbers.
high64 = cast("Callable[[np.uint64, np.uint64], np.uint64]", _high64)
