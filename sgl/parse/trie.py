"""Strings of bytes as a trie in three flat arrays.

A *double array* (Aoe 1989) lays the children of all nodes into one another's gaps: the
child of node ``s`` over byte ``c`` is the place ``base[s] + c``, if ``check`` says there
that it belongs to ``s``::

    dog, dot      0 -d-> 104 -o-> 117 -g-> 110      value[110] = 0
                                      -t-> 123      value[123] = 1

So a step costs one addition and one comparison, and the arrays of a lexicon of a thousand
words fit into the fastest memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

#: The node that every string begins at.
TOP = 0

_BYTES = 256


class Trie(NamedTuple):
    """A trie; ``value`` is the number of the string that ends at a node, or -1."""

    base: NDArray[np.int32]
    check: NDArray[np.int32]
    value: NDArray[np.int32]

    def node(self, text: bytes) -> int:
        """The node that a string leads to; -1 if none does."""
        node = TOP
        for byte in text:
            place = int(self.base[node]) + byte
            if self.check[place] != node:
                return -1
            node = place
        return node


def trie_of(strings: Sequence[bytes]) -> Trie:
    """The trie of different strings that are not empty."""
    places = _Places()
    values = {TOP: -1}
    waiting: list[tuple[int, int, list[int]]] = [(TOP, 0, list(range(len(strings))))]
    base: dict[int, int] = {}
    while waiting:
        node, depth, below = waiting.pop()
        children: dict[int, list[int]] = {}
        for number in below:
            text = strings[number]
            if len(text) == depth:
                values[node] = number
            else:
                children.setdefault(text[depth], []).append(number)
        if not children:
            continue
        base[node] = places.fit(sorted(children), node)
        for byte, numbers in children.items():
            child = base[node] + byte
            values[child] = -1
            waiting.append((child, depth + 1, numbers))
    size = len(places.check) + _BYTES
    arrays = [np.full(size, fill, np.int32) for fill in (0, -1, -1)]
    for array, filled in zip(arrays, (base, places.check, values), strict=True):
        pairs = filled.items() if isinstance(filled, dict) else enumerate(filled)
        for place, number in pairs:
            array[place] = number
    return Trie(*arrays)


class _Places:
    """Which places are taken, by the node that each belongs to; -1 for free ones."""

    def __init__(self) -> None:
        self.check = [TOP]
        self._free = 1

    def fit(self, children: Sequence[int], node: int) -> int:
        """Take places for the children of a node; their base."""
        while self._free < len(self.check) and self.check[self._free] >= 0:
            self._free += 1
        base = max(self._free - children[0], 0)
        while not all(self._is_free(base + byte) for byte in children):
            base += 1
        lacking = base + children[-1] + 1 - len(self.check)
        self.check += [-1] * max(lacking, 0)
        for byte in children:
            self.check[base + byte] = node
        return base

    def _is_free(self, place: int) -> bool:
        return place >= len(self.check) or (place > 0 and self.check[place] < 0)
