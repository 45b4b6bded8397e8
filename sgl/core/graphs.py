"""Answer the few questions about graphs that every command asks, faster than a library for them would load.

A graph is a mapping from nodes to their successors.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from math import inf
from typing import TypeVar

_T = TypeVar("_T", bound=Hashable)


def components(below: Mapping[_T, Iterable[_T]]) -> Iterator[set[_T]]:
    """Yield the strongly connected components, successors before predecessors (Tarjan 1972).

    >>> [sorted(component) for component in components({"a": "b", "b": "ac"})]
    [['c'], ['a', 'b']]
    """
    #: When each node was met, or infinity once its component is complete, and the earliest node that it leads back to.
    met, back = dict[_T, float](), dict[_T, float]()
    for start in below:
        open_nodes, path = list[_T](), [start] if start not in met else []
        rest: dict[_T, Iterator[_T]] = {}
        while path:
            node = path[-1]
            if node not in met:
                met[node] = back[node] = len(met)
                rest[node] = iter(below.get(node, ()))
                open_nodes.append(node)
            for child in rest[node]:
                if child not in met:
                    path.append(child)
                    break
                back[node] = min(back[node], met[child])
            else:
                path.pop()
                if path:
                    back[path[-1]] = min(back[path[-1]], back[node])
                if back[node] == met[node]:
                    place = open_nodes.index(node)
                    component, open_nodes[place:] = set(open_nodes[place:]), []
                    met.update(dict.fromkeys(component, inf))
                    yield component


def circles(below: Mapping[_T, Iterable[_T]]) -> Iterator[set[_T]]:
    """Yield the sets of nodes that lead back to themselves, one for each component."""
    for component in components(below):
        if len(component) > 1 or any(node in below.get(node, ()) for node in component):
            yield component


def reachable(starts: Iterable[_T], below: Mapping[_T, Iterable[_T]]) -> set[_T]:
    """Return the given nodes and all nodes that they lead to.

    >>> sorted(reachable("b", {"a": "b", "b": "c"}))
    ['b', 'c']
    """
    found, waiting = set[_T](), [*starts]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += below.get(node, ())
    return found


class United(dict[_T, _T]):
    """The representative of each thing: itself, or the representative of the things it was united with."""

    def __missing__(self, thing: _T) -> _T:
        """Return the thing itself."""
        return thing

    def union(self, first: _T, second: _T) -> None:
        """Unite two things, and everything united with either."""
        one, other = self[first], self[second]
        self.update({thing: one for thing in (*self, other) if self[thing] == other})
