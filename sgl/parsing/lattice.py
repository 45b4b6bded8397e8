"""Where which words can stand in the input: a text or a sequence of tokens.

A text is not cut into words beforehand.  Positions are offsets into it, and the
known words that fit at a position lead to later ones.  So a layer without spaces
is segmented by its grammar, and an attached full stop is found where it stands::

    犬が寝た。        0 -犬-> 1 -が-> 2 -寝た-> 4 -。-> 5
    The dog ran.     0 -The-> 3 -dog-> 7 -ran-> 11 -.-> 12

A word takes the separator before it along, except at the start and for words that
attach to what precedes; this inverts ``sgl.core.interpret.finish``.  With a
separator, a word ends where one, an attached word or nothing follows: there is no
*book* in *books*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Protocol

from sgl.core.grammar import TextLayer


class Lattice(Protocol):
    """An input with positions from 0 to ``end``."""

    end: int

    def words(self, position: int) -> Iterable[tuple[str, int]]:
        """The known words that stand at ``position``, with their ends."""


class TokenLattice:
    """A sequence of tokens; positions count them."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens = tokens
        self.end = len(tokens)

    def words(self, position: int) -> Iterable[tuple[str, int]]:
        """The token at ``position``."""
        return ((self._tokens[position], position + 1),) if position < self.end else ()


class Vocabulary:
    """The words of a text layer, found by their beginnings."""

    def __init__(self, words: Set[str], layer: TextLayer) -> None:
        self.join = layer.join
        attached = words & layer.attach if layer.join else words
        self._attached = _Words(attached)
        self._separate = _Words(words - attached)

    def attached(self, text: str, start: int) -> Iterator[tuple[str, int]]:
        """The words at ``start`` that take no separator, with their ends."""
        return self._attached.at(text, start)

    def separate(self, text: str, start: int) -> Iterator[tuple[str, int]]:
        """The words at ``start`` that do, with their ends."""
        return self._separate.at(text, start)


class _Words:
    """A set of words; ``lengths`` are those of the words with one first character."""

    def __init__(self, words: Set[str]) -> None:
        self._words = words
        lengths: dict[str, set[int]] = {}
        for word in words:
            lengths.setdefault(word[0], set()).add(len(word))
        self._lengths = {first: tuple(sorted(all_)) for first, all_ in lengths.items()}

    def at(self, text: str, start: int) -> Iterator[tuple[str, int]]:
        """The words that stand at ``start``, shorter ones first, with their ends."""
        for length in self._lengths.get(text[start : start + 1], ()):
            end = start + length
            word = text[start:end]
            if word in self._words and end <= len(text):
                yield word, end


class TextLattice:
    """A text as its layer writes it; positions are offsets of characters."""

    def __init__(self, text: str, vocabulary: Vocabulary) -> None:
        self._text = text
        self._vocabulary = vocabulary
        self._join = vocabulary.join
        self.end = len(text)

    def words(self, position: int) -> Iterable[tuple[str, int]]:
        """The known words that stand at ``position``, the separator before them included."""
        if not self._join:
            return self._vocabulary.attached(self._text, position)
        start = position + len(self._join) if position else 0
        found = list(self._vocabulary.attached(self._text, position))
        if not position or self._text.startswith(self._join, position):
            found += self._vocabulary.separate(self._text, start)
        return [(word, end) for word, end in found if self._ends_at(end)]

    def _ends_at(self, end: int) -> bool:
        """Whether a word may end at ``end``."""
        return (
            end == self.end
            or self._text.startswith(self._join, end)
            or next(iter(self._vocabulary.attached(self._text, end)), None) is not None
        )
