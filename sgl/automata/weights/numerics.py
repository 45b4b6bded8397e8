"""Reproducible numerics: strongly connected components, and linear systems of M-matrices.

Library solvers use fused or reordered operations that differ between machines, and the
probabilities that samplers compare random numbers with must not.
"""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx
import numpy as np
from numpy.typing import NDArray


def components(successors: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the components of the graph, each sorted, successors before predecessors.

    >>> components([[1], [0, 2], []])
    [[2], [0, 1]]
    """
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(successors)))
    graph.add_edges_from((node, other) for node, own in enumerate(successors) for other in own)
    return [sorted(component) for component in nx.strongly_connected_components(graph)]


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
