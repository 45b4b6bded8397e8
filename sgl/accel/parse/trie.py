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

from collections.abc import Mapping, Sequence
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
        """Return the node that a string leads to, or -1 if none does."""
        node = TOP
        for byte in text:
            place = int(self.base[node]) + byte
            if self.check[place] != node:
                return -1
            node = place
        return node


def trie_of(strings: Sequence[bytes]) -> Trie:
    """Return the trie of different strings that are not empty."""
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
    size = places.end + _BYTES
    return Trie(_filled(size, base, 0), _filled(size, places.check, -1), _filled(size, values, -1))


def _filled(size: int, numbers: Mapping[int, int], other: int) -> NDArray[np.int32]:
    array = np.full(size, other, np.int32)
    array[list(numbers)] = list(numbers.values())
    return array


class _Places:
    """Which places are taken: as a set of bits, and for each the node that it belongs to."""

    def __init__(self) -> None:
        self.check: dict[int, int] = {}
        self.end = 1
        self._taken = 1
        self._free = 1

    def fit(self, children: Sequence[int], node: int) -> int:
        """Take places for the children of a node; their base.

        A base conflicts if any child would come to a place that is taken, so the first one
        that does not is the lowest zero of all the shifted sets together.
        """
        self._free += _lowest_zero(self._taken >> self._free)
        first = max(self._free - children[0], 0)
        conflicts = 0
        for byte in children:
            conflicts |= self._taken >> (first + byte)
        base = first + _lowest_zero(conflicts)
        for byte in children:
            self.check[base + byte] = node
            self._taken |= 1 << (base + byte)
        self.end = max(self.end, base + children[-1] + 1)
        return base


def _lowest_zero(bits: int) -> int:
    return (~bits & (bits + 1)).bit_length() - 1
