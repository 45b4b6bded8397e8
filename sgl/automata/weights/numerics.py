"""Reproducible numerics: strongly connected components, and linear systems of M-matrices.

Library solvers use fused or reordered operations that differ between machines, and the
probabilities that samplers compare random numbers with must not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def components(successors: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the components of the graph, each sorted, successors before predecessors.

    >>> components([[1], [0, 2], []])
    [[2], [0, 1]]
    """
    order = [0] * len(successors)
    low = [0] * len(successors)
    on_path = [False] * len(successors)
    path: list[int] = []
    found: list[list[int]] = []
    clock = 0
    for root in range(len(successors)):
        if order[root]:
            continue
        stack = [(root, 0)]
        while stack:
            node, edge = stack.pop()
            if edge == 0:
                clock += 1
                order[node] = low[node] = clock
                path.append(node)
                on_path[node] = True
            elif on_path[successors[node][edge - 1]]:
                low[node] = min(low[node], low[successors[node][edge - 1]])
            if edge < len(successors[node]):
                stack.append((node, edge + 1))
                if not order[successors[node][edge]]:
                    stack.append((successors[node][edge], 0))
            elif low[node] == order[node]:
                found.append(_pop_component(path, on_path, node))
    return found


def _pop_component(path: list[int], on_path: list[bool], root: int) -> list[int]:
    component: list[int] = []
    while not component or component[-1] != root:
        component.append(path.pop())
        on_path[component[-1]] = False
    return sorted(component)


Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


def solve(matrix: Matrix, right: Vector) -> Vector | None:
    """Return the solution ``x`` of ``(I - matrix) x = right``.

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
