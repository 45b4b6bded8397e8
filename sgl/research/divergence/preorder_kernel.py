"""Parents of the nodes of trees that are written in preorder, in a kernel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sgl.accel.jit import kernel


@kernel
def find_parents(
    labels: NDArray[np.int64],
    start: NDArray[np.int64],
    arity: NDArray[np.int64],
    parent: NDArray[np.int64],
    place: NDArray[np.int64],
    stack: NDArray[np.int64],
) -> None:
    """Find the parent of each node, -1 for a root, and its place among the children.

    ``stack`` has a row for each node of the longest tree: an open node, and how many of its
    children have come.
    """
    for item in range(len(start) - 1):
        depth = 0
        for node in range(start[item], start[item + 1]):
            parent[node] = -1
            place[node] = 0
            if depth > 0:
                above = stack[depth - 1, 0]
                parent[node] = above
                place[node] = stack[depth - 1, 1]
                stack[depth - 1, 1] += 1
                if stack[depth - 1, 1] == arity[labels[above]]:
                    depth -= 1
            if arity[labels[node]] > 0:
                stack[depth, 0] = node
                stack[depth, 1] = 0
                depth += 1
