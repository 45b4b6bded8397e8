"""Scores of an output against the tree of its sentence: BLEU, edges kept, freedom of order.

BLEU is the geometric mean of the precisions of n-grams, n = 1 to 4, times a penalty for
texts that are shorter than their reference (Papineni et al. 2002).  A sentence often has no
4-gram of its reference, which would make it 0.  Smoothing 2 (Lin & Och 2004; Chen & Cherry
2014) adds one to both sides of the precisions from n = 2 on::

    reference  a b c d e     output  a x c
    precisions 2/3, (0+1)/(2+1), (0+1)/(1+1), (0+1)/(1+1)     penalty e^(1 - 5/3)
    BLEU       0.249

A text of fewer than four words counts as having one 4-gram, so that even a perfect one of
three words has 0.841.  NLTK (3.5 and later) computes it in this way.  sacreBLEU's ``add-k``
is the same for texts of four words and more, and counts no 4-gram for shorter ones.

*Dependency edge accuracy* (DEA) is the share of the edges of a tree that a text has, where
an edge is its two words and the signed distance between them (Shimorina, Parmentier &
Gardent 2021)::

    I enjoy my time at Franklin High School      (enjoy, I, -1), (enjoy, time, 2), ...
    i enjoy my time at high franklin school      5 of 7: not (school, high, -1),
                                                 nor (school, franklin, -2)

An edge that a text has once counts once, however often the tree has it.

The *entropy* of a relation says how free the order of its words is: 0 bits if the dependent
always stands on one side of its governor, 1 bit if on either side equally often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import exp, log, log2
from typing import NamedTuple

_ORDER = 4


def sentence_bleu(reference: Sequence[str], output: Sequence[str]) -> float:
    """BLEU-4 of an output with smoothing 2, from 0 to 1; 0 if no word is right."""
    if len(output) >= _ORDER and list(reference) == list(output):
        return 1.0
    logarithms = 0.0
    for order in range(1, _ORDER + 1):
        matches, ngrams = _matches(reference, output, order)
        if order > 1:
            matches, ngrams = matches + 1, ngrams + 1
        if not matches:
            return 0.0
        logarithms += log(matches / ngrams)
    penalty = min(0.0, 1 - len(reference) / len(output))
    return exp(logarithms / _ORDER + penalty)


def _matches(reference: Sequence[str], output: Sequence[str], order: int) -> tuple[int, int]:
    """How many n-grams of the output are in the reference, and how many it has, at least 1."""
    number = len(output) - order + 1
    if number < 1:
        return 0, 1
    wanted, given = (
        Counter(zip(*(words[at:] for at in range(order)), strict=False))
        for words in (reference, output)
    )
    return sum(min(count, wanted.get(gram, 0)) for gram, count in given.items()), number


class EdgeAccuracy(NamedTuple):
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
        edge = governor, dependent, distance = words[head - 1], words[word - 1], word - head
        if edge not in left:
            ends = (place + distance for place in places.get(governor, ()))
            left[edge] = sum(0 <= end < len(text) and text[end] == dependent for end in ends)
        found.append(left[edge] > 0)
        if clipped:
            left[edge] -= 1
    return found


def edge_accuracy(
    words: Sequence[str], heads: Sequence[int], text: Sequence[str], *, clipped: bool = True
) -> EdgeAccuracy:
    """How many edges of a tree a text has."""
    found = edges_kept(words, heads, text, clipped=clipped)
    return EdgeAccuracy(found.count(True), len(found) - found.count(None))


def relation_accuracy(
    relations: Sequence[str], found: Sequence[bool | None]
) -> dict[str, EdgeAccuracy]:
    """How many edges are kept of each relation, from what ``edges_kept`` says."""
    kept: Counter[str] = Counter()
    edges: Counter[str] = Counter()
    for relation, is_kept in zip(relations, found, strict=True):
        if is_kept is not None:
            edges[relation] += 1
            kept[relation] += is_kept
    return {relation: EdgeAccuracy(kept[relation], number) for relation, number in edges.items()}


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
    """Return the mean over relations, each counted once; 0 without any."""
    return sum(entry.entropy for entry in sides.values()) / len(sides) if sides else 0.0
