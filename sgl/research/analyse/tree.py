"""Measure a dependency tree: how deep, long, wide and tangled it is.

The example of Shimorina, Parmentier and Gardent (2021), *I enjoy my time at Franklin High
School*, with the governors ``2 0 4 2 8 8 8 4``::

    position      I|enjoy|my|time|at|Franklin|High|School
    flux size      1     1  2    1  2        3    4           mean 2
    flux weight    1     1  1    1  1        1    1           mean 1
    depth 3, length 8, mean dependency distance 2, arity 7/8, projective

The *flux* at a position between two words is the set of edges that pass over it (Kahane,
Yan & Botalla 2017).  Its size is their number; its weight is the largest number of them
that share no word.  The mean size over all positions is the mean dependency distance: an
edge of distance d is counted at d positions, and there is one position less than words, as
there is one edge less.

Edges are bits of an integer, one for each position, so that all positions are computed
together.  The weight is a largest matching in a forest: taken from the leaves up, an edge
belongs to it at all positions where both of its ends are still free.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sgl.research.treebank import TreebankSentence, TreebankWord


class Measures(NamedTuple):
    """What is measured of a tree; means over nothing are 0."""

    length: int
    depth: int
    distance: float
    flux_size: float
    flux_weight: float
    arity: float
    projective: bool


class Skeleton(NamedTuple):
    """A tree without its punctuation: governors, and the places (from 0) of what is left."""

    heads: tuple[int, ...]
    kept: tuple[int, ...]


def measure(heads: Sequence[int]) -> Measures:
    """Return the measures of a tree, whose governors are numbered from 1; the root has 0."""
    length = len(heads)
    edges = max(length - 1, 1)
    depths = word_depths(heads)
    distance = sum(abs(word - head) for word, head in enumerate(heads, 1) if head) / edges
    return Measures(
        length=length,
        depth=max(depths),
        distance=distance,
        flux_size=distance,
        flux_weight=sum(map(int.bit_count, matched_edges(heads, depths))) / edges,
        arity=(length - 1) / length,
        projective=_is_projective(heads, depths),
    )


def word_depths(heads: Sequence[int]) -> list[int]:
    """How many edges are above each word."""
    depths = [-1] * len(heads)
    for word in range(len(heads)):
        path = []
        at = word
        while depths[at] < 0 and heads[at]:
            path.append(at)
            at = heads[at] - 1
        if not heads[at]:
            depths[at] = 0
        depth = depths[at]
        for below in reversed(path):
            depth += 1
            depths[below] = depth
    return depths


def _upwards(depths: Sequence[int]) -> list[int]:
    """Return the words, each before its governor."""
    return sorted(range(len(depths)), key=depths.__getitem__, reverse=True)


def matched_edges(heads: Sequence[int], depths: Sequence[int]) -> list[int]:
    """Return for each edge the positions at which it is in the largest matching, as bits."""
    taken = [0] * len(heads)
    matched = []
    for word in _upwards(depths):
        above = heads[word] - 1
        if above >= 0:
            spanned = ((1 << abs(word - above)) - 1) << min(word, above)
            edge = spanned & ~(taken[word] | taken[above])
            taken[above] |= edge
            matched.append(edge)
    return matched


def _is_projective(heads: Sequence[int], depths: Sequence[int]) -> bool:
    """Tell whether each word and all that is below it stand side by side.

    That is so if and only if every word between the ends of an edge is below its governor.
    """
    first, last, size = list(range(len(heads))), list(range(len(heads))), [1] * len(heads)
    for word in _upwards(depths):
        if last[word] - first[word] + 1 != size[word]:
            return False
        above = heads[word] - 1
        if above >= 0:
            first[above] = min(first[above], first[word])
            last[above] = max(last[above], last[word])
            size[above] += size[word]
    return True


def skeleton_of(sentence: TreebankSentence, *, punctuation: bool) -> Skeleton:
    """Return the tree of a sentence, with or without its punctuation."""
    if punctuation:
        return Skeleton(sentence.heads, tuple(range(len(sentence.words))))
    return without_punctuation(sentence.words)


def without_punctuation(words: Sequence[TreebankWord]) -> Skeleton:
    """Return the tree less the words with the relation ``punct``, or a subtype of it.

    What depends on one of them goes to the nearest governor that is kept.  The root is kept
    whatever its relation is.
    """
    kept = [
        place
        for place, word in enumerate(words)
        if word.head == 0 or word.deprel.partition(":")[0] != "punct"
    ]
    number = {0: 0} | {place + 1: at for at, place in enumerate(kept, 1)}
    heads = []
    for place in kept:
        head = words[place].head
        while head not in number:
            head = words[head - 1].head
        heads.append(number[head])
    return Skeleton(tuple(heads), tuple(kept))
