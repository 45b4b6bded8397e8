"""Powers of counts that are the same on every machine.

Libraries of different machines disagree in the last digit of ``pow``, and a search that
compares sums of such numbers would go another way after some thousand steps.  Here only
additions, products, quotients and square roots are used, which IEEE 754 rounds correctly
everywhere.  With r(v), the tenth root of v,

    v ** 0.1 = r(v)        w ** 0.9 = w / r(w)        (v * w) ** 0.5 = sqrt(v * w)

The root of 1,000 is the fifth root of sqrt(1000) = 31.6, found by Newton's method from
above: 2, 1.9952, ... 1.99526231.

Sums are kept in whole numbers: a product is rounded to a multiple of 1 / scale.  Adding a
term and taking it away again then leaves nothing behind, in whatever order it is done.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Roots of numbers below this are looked up; larger ones are found from a shorter number.
TABLE = 1 << 20

#: From a start at most twice the root, these many steps reach the last digit.
_STEPS = 10

#: Sums of terms stay below 2 to this power.
_SUM_BITS = 61
#: More digits than these do not help: a term is a product of two rounded numbers.
_MOST_BITS = 36


def tenth_roots(size: int) -> NDArray[np.float64]:
    """The tenth roots of 0, 1, … as far as a table of numbers up to ``size`` needs them."""
    squares = np.sqrt(np.arange(min(size + 1, TABLE), dtype=np.float64))
    squares[0] = 1.0
    _, exponents = np.frexp(squares)
    roots = np.ldexp(1.0, (exponents + 4) // 5)
    for _ in range(_STEPS):
        fourth = roots * roots
        fourth = fourth * fourth
        roots = (4.0 * roots + squares / fourth) / 5.0
    roots[0] = 0.0
    result: NDArray[np.float64] = roots
    return result


def scale_for(total: int) -> float:
    """A power of two with which the sum of terms of so many occurrences is a 64-bit number."""
    return float(1 << max(0, min(_MOST_BITS, _SUM_BITS - total.bit_length())))
