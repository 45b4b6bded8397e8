"""Measure dependency trees, and score outputs against them.

The measures follow Shimorina, Parmentier and Gardent (2021).  The *flux* at a position between two words is the
set of edges that pass over it (Kahane, Yan & Botalla 2017).  Its size is their number, whose mean is the mean
dependency distance; its weight is the largest number of them that share no word, computed as a largest matching in a
forest, from the leaves up.

*BLEU* of a sentence uses smoothing 2 (Lin & Och 2004; Chen & Cherry 2014), which adds one to both sides of the
precisions from n = 2 on, as in NLTK (3.5 and later).  A text of fewer than four words counts as having one 4-gram;
sacreBLEU's ``add-k`` differs only for these.

*Dependency edge accuracy* (DEA) is the share of a tree's edges that a text has; an edge is its two words and the signed
distance between them, counted as often as the text has it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import exp, log, log2
from typing import NamedTuple

from sgl.research.treebank import TreebankWord


class Measures(NamedTuple):
    """The measures of a tree; means over nothing are 0."""

    length: int
    depth: int
    distance: float
    flux_size: float
    flux_weight: float
    arity: float
    projective: bool


def measure(heads: Sequence[int]) -> Measures:
    """Return the measures of a tree; governors are numbered from 1, and the root's is 0."""
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
    """Return the number of edges above each word."""
    below: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for word, head in enumerate(heads, 1):
        below[head].append(word)
    depths = [0] * len(heads)
    # The list grows while it is read: governors come before their dependents.
    for word in (words := below[0]):
        for dependent in below[word]:
            depths[dependent - 1] = depths[word - 1] + 1
        words += below[word]
    return depths


def upwards(depths: Sequence[int]) -> list[int]:
    """Return the words of a tree, dependents before governors."""
    return sorted(range(len(depths)), key=depths.__getitem__, reverse=True)


def matched_edges(heads: Sequence[int], depths: Sequence[int]) -> list[int]:
    """Return for each edge the positions where the largest matching uses it, as bits."""
    taken = [0] * len(heads)
    matched = []
    for word in upwards(depths):
        above = heads[word] - 1
        if above >= 0:
            spanned = ((1 << abs(word - above)) - 1) << min(word, above)
            edge = spanned & ~(taken[word] | taken[above])
            taken[above] |= edge
            matched.append(edge)
    return matched


def _is_projective(heads: Sequence[int], depths: Sequence[int]) -> bool:
    first, last, size = list(range(len(heads))), list(range(len(heads))), [1] * len(heads)
    for word in upwards(depths):
        if last[word] - first[word] + 1 != size[word]:
            return False
        above = heads[word] - 1
        if above >= 0:
            first[above] = min(first[above], first[word])
            last[above] = max(last[above], last[word])
            size[above] += size[word]
    return True


class Skeleton(NamedTuple):
    """A tree without its punctuation: governors, and the original places (from 0) of the remaining words."""

    heads: tuple[int, ...]
    kept: tuple[int, ...]


def without_punctuation(words: Sequence[TreebankWord]) -> Skeleton:
    """Return the tree without punctuation, keeping its root and moving dependents to the nearest governor kept."""
    kept = [place for place, word in enumerate(words) if word.head == 0 or word.deprel.partition(":")[0] != "punct"]
    return Skeleton(contracted([word.head for word in words], kept), tuple(kept))


def contracted(heads: Sequence[int], kept: Sequence[int]) -> tuple[int, ...]:
    """Return the renumbered governors of the words at these places, as if there were no other words."""
    number = {0: 0} | {place + 1: at for at, place in enumerate(kept, 1)}
    found = []
    for place in kept:
        head = heads[place]
        while head not in number:
            head = heads[head - 1]
        found.append(number[head])
    return tuple(found)


_ORDER = 4


def sentence_bleu(reference: Sequence[str], output: Sequence[str]) -> float:
    """Return BLEU-4 of an output with smoothing 2, from 0 to 1; 0 if no word is right."""
    if len(output) >= _ORDER and list(reference) == list(output):
        return 1.0
    logarithms = 0.0
    for order in range(1, _ORDER + 1):
        wanted, given = (
            Counter(zip(*(words[at:] for at in range(order)), strict=False)) for words in (reference, output)
        )
        # From pairs on, both sides get one more; a text without n-grams counts as having one.
        matches, ngrams = (wanted & given).total() + (order > 1), max(given.total(), 1) + (order > 1)
        if not matches:
            return 0.0
        logarithms += log(matches / ngrams)
    return exp(logarithms / _ORDER + min(0.0, 1 - len(reference) / len(output)))


class EdgeAccuracy(NamedTuple):
    """How many of some edges a text has."""

    kept: int
    edges: int

    @classmethod
    def of(cls, found: Sequence[bool | None]) -> "EdgeAccuracy":
        """Count the results of ``edges_kept``."""
        return cls(found.count(True), len(found) - found.count(None))

    @property
    def share(self) -> float | None:
        """The accuracy, or None if there are no edges."""
        return self.kept / self.edges if self.edges else None


def edges_kept(words: Sequence[str], heads: Sequence[int], text: Sequence[str]) -> list[bool | None]:
    """Return for each word whether the text has the edge to its governor, or None for the root."""
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
        left[edge] -= 1
    return found


def edge_accuracy(words: Sequence[str], heads: Sequence[int], text: Sequence[str]) -> EdgeAccuracy:
    """Return how many edges of a tree a text has."""
    return EdgeAccuracy.of(edges_kept(words, heads, text))


class Sides(NamedTuple):
    """The numbers of dependents of a relation to the left and to the right of their governors."""

    left: int
    right: int

    @property
    def edges(self) -> int:
        """The number of all edges."""
        return self.left + self.right

    @property
    def entropy(self) -> float:
        """The entropy of the order, in bits."""
        return -sum(part / self.edges * log2(part / self.edges) for part in self if part) + 0.0


def mean_entropy(sides: Mapping[str, Sides]) -> float:
    """Return the mean over relations, each counted once, or 0 without any."""
    return sum(entry.entropy for entry in sides.values()) / len(sides) if sides else 0.0
