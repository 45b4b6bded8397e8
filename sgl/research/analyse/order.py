"""Word order: which edges of a tree are kept in a text, and how free relations are.

*Dependency edge accuracy* (DEA) is the share of the edges of a tree that a text has, where
an edge is its two words and the signed distance between them (Shimorina, Parmentier &
Gardent 2021)::

    I enjoy my time at Franklin High School      (enjoy, I, -1), (enjoy, time, 2), ...
    i enjoy my time at high franklin school      5 of 7: not (school, high, -1),
                                                 nor (school, franklin, -2)

A text that has an edge once has it once, however often the tree has it.

The *entropy* of a relation says how free the order of its words is: 0 bits if the dependent
always stands on one side of its governor, 1 bit if on either side equally often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log2
from typing import NamedTuple


class Kept(NamedTuple):
    """How many of some edges are in a text."""

    kept: int
    edges: int

    @property
    def share(self) -> float | None:
        """The accuracy; nothing where there is no edge."""
        return self.kept / self.edges if self.edges else None


def edges_kept(
    words: Sequence[str], heads: Sequence[int], text: Sequence[str], *, clipped: bool = True
) -> list[bool | None]:
    """For each word whether the text has the edge to its governor; none for the root.

    With ``clipped=False`` an edge that the text has once is kept each time the tree has it.
    """
    places: dict[str, list[int]] = {}
    for place, given in enumerate(text):
        places.setdefault(given, []).append(place)
    left: dict[tuple[str, str, int], int] = {}
    found: list[bool | None] = []
    for word, head in enumerate(heads, 1):
        if not head:
            found.append(None)
            continue
        edge = (words[head - 1], words[word - 1], word - head)
        if edge not in left:
            left[edge] = _occurrences(edge, places, text)
        found.append(left[edge] > 0)
        if clipped:
            left[edge] -= 1
    return found


def edge_accuracy(
    words: Sequence[str], heads: Sequence[int], text: Sequence[str], *, clipped: bool = True
) -> Kept:
    """How many edges of a tree a text has."""
    found = edges_kept(words, heads, text, clipped=clipped)
    return Kept(found.count(True), len(found) - found.count(None))


def relation_accuracy(relations: Sequence[str], found: Sequence[bool | None]) -> dict[str, Kept]:
    """How many edges are kept of each relation, from what ``edges_kept`` says."""
    kept: Counter[str] = Counter()
    edges: Counter[str] = Counter()
    for relation, is_kept in zip(relations, found, strict=True):
        if is_kept is not None:
            edges[relation] += 1
            kept[relation] += is_kept
    return {relation: Kept(kept[relation], number) for relation, number in edges.items()}


class Sides(NamedTuple):
    """How many dependents of a relation stand to the left and to the right of their governors."""

    left: int
    right: int

    @property
    def edges(self) -> int:
        """All of them."""
        return self.left + self.right

    @property
    def entropy(self) -> float:
        """How free the order is, in bits."""
        shares = [part / self.edges for part in self if part]
        return -sum(share * log2(share) for share in shares) + 0.0


def mean_entropy(sides: Mapping[str, Sides]) -> float:
    """The mean over relations, each counted once; 0 without any."""
    return sum(entry.entropy for entry in sides.values()) / len(sides) if sides else 0.0


def _occurrences(
    edge: tuple[str, str, int], places: Mapping[str, list[int]], text: Sequence[str]
) -> int:
    """How often a text has a word with another one at this distance."""
    governor, dependent, distance = edge
    return sum(
        0 <= place + distance < len(text) and text[place + distance] == dependent
        for place in places.get(governor, ())
    )
