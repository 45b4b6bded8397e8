"""Strongly connected components of a directed graph (Tarjan 1972), without recursion."""

from __future__ import annotations

from collections.abc import Sequence


def components(successors: Sequence[Sequence[int]]) -> list[list[int]]:
    """The components of the graph, each sorted, successors before predecessors."""
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
