"""Solve ``(I - M) x = b`` for a non-negative matrix with spectral radius below 1.

Library solvers use fused or reordered operations that differ between machines,
and the probabilities that samplers compare random numbers with must not.  The
elimination below is a fixed sequence of elementwise IEEE operations.  It needs no
pivoting: ``I - M`` is an M-matrix, whose pivots are positive.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


def solve(matrix: Matrix, right: Vector) -> Vector | None:
    """The solution ``x`` of ``(I - matrix) x = right``.

    Returns:
        The solution, or ``None`` if a pivot is not positive, which means that
        the spectral radius of ``matrix`` is not below 1.
    """
    size = len(right)
    left = np.where(np.eye(size, dtype=bool), 1.0 - matrix, -matrix)
    solution = right.astype(np.float64)
    for column in range(size):
        pivot = left[column, column]
        if not pivot > 0.0:
            return None
        rows = column + 1 + np.flatnonzero(left[column + 1 :, column])
        factors = left[rows, column] / pivot
        left[rows, column:] -= factors[:, None] * left[column, column:][None, :]
        solution[rows] -= factors * solution[column]
    for column in range(size - 1, -1, -1):
        solution[column] /= left[column, column]
        solution[:column] -= left[:column, column] * solution[column]
    return solution
