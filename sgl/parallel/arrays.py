"""Arrays that came from elsewhere."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.generic)


def writable(array: NDArray[Number]) -> NDArray[Number]:
    """The array, or a copy of one that may not be written.

    To Numba an array that is read only has another type, for which it would compile again.
    """
    return array if array.flags.writeable and array.flags.c_contiguous else array.copy()
