"""Where which words can stand in the input: a text or a sequence of tokens.

A text is not cut into words beforehand.  Positions are offsets into it, and the
known words that fit at a position lead to later ones.  So a layer without spaces
is segmented by its grammar, and an attached full stop is found where it stands::

    犬が寝た。        0 -犬-> 1 -が-> 2 -寝た-> 4 -。-> 5
    The dog ran.     0 -The-> 3 -dog-> 7 -ran-> 11 -.-> 12

A word takes the separator before it along, except at the start and for words that
attach to what precedes; this inverts ``sgl.core.interpret.finish``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Protocol

from sgl.core.grammar import TextLayer


class Lattice(Protocol):
    """An input with positions from 0 to ``end``."""

    end: int

    def step(self, position: int, word: str) -> int | None:
        """Where ``word`` ends if it stands at ``position``, else ``None``."""

    def words(self, position: int) -> Iterator[tuple[str, int]]:
        """The known words that stand at ``position``, with their ends."""


class TokenLattice:
    """A sequence of tokens; positions count them."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens = tokens
        self.end = len(tokens)

    def step(self, position: int, word: str) -> int | None:
        """The next position, if ``word`` is the token there."""
        fits = position < self.end and self._tokens[position] == word
        return position + 1 if fits else None

    def words(self, position: int) -> Iterator[tuple[str, int]]:
        """The token at ``position``."""
        if position < self.end:
            yield self._tokens[position], position + 1


class TextLattice:
    """A text as its layer writes it; positions are offsets of characters.

    ``lengths`` are those of the words of the ``vocabulary``, ascending.
    """

    def __init__(
        self, text: str, layer: TextLayer, vocabulary: Set[str], lengths: Sequence[int]
    ) -> None:
        self._text = text
        self._join = layer.join
        self._attach = layer.attach if layer.join else vocabulary
        self._vocabulary = vocabulary
        self._lengths = lengths
        self.end = len(text)

    def step(self, position: int, word: str) -> int | None:
        """The offset after ``word``, taking the separator before it along."""
        start = position if position == 0 or word in self._attach else self._after_join(position)
        if start is None or not self._text.startswith(word, start):
            return None
        return start + len(word)

    def words(self, position: int) -> Iterator[tuple[str, int]]:
        """The known words that stand at ``position``, shorter ones first."""
        for word in self._candidates(position):
            if position == 0 or word in self._attach:
                yield word, position + len(word)
        start = self._after_join(position)
        if position and start is not None:
            for word in self._candidates(start):
                if word not in self._attach:
                    yield word, start + len(word)

    def _after_join(self, position: int) -> int | None:
        if not self._text.startswith(self._join, position):
            return None
        return position + len(self._join)

    def _candidates(self, start: int) -> Iterator[str]:
        for length in self._lengths:
            word = self._text[start : start + length]
            if len(word) == length and word in self._vocabulary:
                yield word
