"""The parts of trees that errors are mined in: connected, unordered, labelled.

A structure of a tree is some of its words that hang together, with the edges between them;
what is below or beside them may be left out, and order does not matter.  It is written as
its top word with what is below in brackets, sorted::

    conj ─┬─ advmod            (conj (advmod))                2 times
          └─ advmod ── aux     (conj (advmod) (advmod))       once
                               (conj (advmod (aux)))          once
                               (advmod (aux))                 once

Words have labels by *view*: the relation to their governor (``dep``), the part of speech
(``pos``), or both (``pos-dep``, as ``NOUN-nsubj``).

Structures are counted from the leaves up: those with a given top word are made of choices
among those of its dependents, and equal choices are counted together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sgl.research.analyse.tree import Skeleton, word_depths
from sgl.research.treebank import TreebankWord

#: What the label of a word is, by the name of the view.
VIEWS: Mapping[str, Callable[[TreebankWord], str]] = {
    "dep": lambda word: word.deprel,
    "pos": lambda word: word.upos,
    "pos-dep": lambda word: f"{word.upos}-{word.deprel}",
}

#: A tree with more different structures at one word than this is not taken apart.
_MOST = 20_000

#: Brackets in labels would be taken for those of structures.
_SPELT = str.maketrans({"(": "⟨", ")": "⟩", " ": "_"})


class TooManySubtreesError(Exception):
    """A tree has more structures than can be listed."""


class Subtree(NamedTuple):
    """A structure: its label and those of its parts, and how many words it has."""

    text: str
    words: int


#: Structures with a given top word, and how often each is there.
_Rooted = dict[Subtree, int]


def labels_of(words: Sequence[TreebankWord], skeleton: Skeleton, view: str) -> tuple[str, ...]:
    """Return the labels of the words that are kept."""
    label = VIEWS[view]
    return tuple([label(words[place]).translate(_SPELT) for place in skeleton.kept])


def subtrees(
    heads: Sequence[int], labels: Sequence[str], smallest: int, largest: int
) -> Counter[Subtree]:
    """Return the structures of a tree with so many words, and how often each occurs.

    Raises:
        TooManySubtreesError: the tree is so broad that they cannot be listed.
    """
    depths = word_depths(heads)
    below: list[list[_Rooted]] = [[] for _ in heads]
    found: Counter[Subtree] = Counter()
    for word in sorted(range(len(heads)), key=depths.__getitem__, reverse=True):
        rooted = _rooted(labels[word], below[word], largest)
        below[word] = []
        for structure, number in rooted.items():
            if structure.words >= smallest:
                found[structure] += number
        if len(found) > 10 * _MOST:
            raise TooManySubtreesError
        if heads[word]:
            below[heads[word] - 1].append(rooted)
    return found


def _rooted(label: str, below: Sequence[_Rooted], largest: int) -> _Rooted:
    """Return the structures of which a word is the top, from those of its dependents."""
    chosen: dict[tuple[int, tuple[str, ...]], int] = {(1, ()): 1}
    for rooted in below:
        for (size, parts), number in list(chosen.items()):
            if size == largest:
                continue
            for (text, more), times in rooted.items():
                if size + more <= largest:
                    key = (size + more, tuple(sorted((*parts, text))))
                    chosen[key] = chosen.get(key, 0) + number * times
            if len(chosen) > _MOST:
                raise TooManySubtreesError
    return {
        Subtree(f"({' '.join((label, *parts))})", size): number
        for (size, parts), number in chosen.items()
    }


def occurrence(heads: Sequence[int], labels: Sequence[str], text: str) -> frozenset[int] | None:
    """Return the words (from 0) of the first occurrence of a structure in a tree."""
    below: list[list[int]] = [[] for _ in heads]
    for word, head in enumerate(heads):
        if head:
            below[head - 1].append(word)
    wanted = _read(text)
    for word in range(len(heads)):
        for words in _occurrences(word, wanted, below, labels):
            return words
    return None


#: A structure as a label and its parts.
_Parsed = tuple[str, tuple["_Parsed", ...]]


def _read(text: str) -> _Parsed:
    """Parse a written structure at its brackets."""
    stack: list[tuple[str, list[_Parsed]]] = [("", [])]
    for piece in text.replace("(", " ( ").replace(")", " ) ").split():
        if piece == "(":
            stack.append(("", []))
        elif piece == ")":
            label, parts = stack.pop()
            stack[-1][1].append((label, tuple(parts)))
        else:
            stack[-1] = (piece, stack[-1][1])
    return stack[0][1][0]


def _occurrences(
    word: int, wanted: _Parsed, below: Sequence[Sequence[int]], labels: Sequence[str]
) -> Iterator[frozenset[int]]:
    label, parts = wanted
    if labels[word] == label:
        yield from _filled(frozenset((word,)), parts, below[word], below, labels)


def _filled(
    words: frozenset[int],
    parts: Sequence[_Parsed],
    free: Sequence[int],
    below: Sequence[Sequence[int]],
    labels: Sequence[str],
) -> Iterator[frozenset[int]]:
    """All ways to find the parts below different ones of the free words."""
    if not parts:
        yield words
        return
    for at, word in enumerate(free):
        for part in _occurrences(word, parts[0], below, labels):
            rest = [*free[:at], *free[at + 1 :]]
            yield from _filled(words | part, parts[1:], rest, below, labels)
