"""The words between two children as literals: pieces of one array of bytes.

A literal holds words with the separator behind each; one that starts with a word that
attaches takes the separator before it back, if there is one.  A word with a raised letter
may attach where the plain one does not, or the other way round::

    NP -> "the" N          the·
    S  -> ~NP VP "."       [back 1].·
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.core.column import SHIFT, StringPool
from sgl.core.interpret import capitalised
from sgl.sampling.engine import PackedText

#: What an instruction of a text layer does: the lowest bits of its number, its argument above.
LITERAL, CHILD, RETURN, RAISE, RAISED = range(5)
OPERATION_BITS = 3


#: A piece is start, length and, above these bits, the bytes that are taken back: texts of
#: rules up to 16 MiB, separators up to 127 bytes.
BACK = 56


class Literals(NamedTuple):
    """Words with their separators: pieces of a pool, plain and with the first letter raised.

    ``shown[i]`` is 1 if literal ``i`` has a word that is not empty, which takes the capital.
    ``longest`` is the number of bytes of the longest literal.
    """

    plain: NDArray[np.int64]
    raised: NDArray[np.int64]
    shown: NDArray[np.uint8]
    pool: NDArray[np.uint8]
    longest: int


def instruction(operation: int, argument: int = 0) -> int:
    """An operation with its argument as one number."""
    return argument << OPERATION_BITS | operation


class LiteralPool:
    """Collects the literals of a text layer."""

    def __init__(self, text: PackedText) -> None:
        self._text = text
        self._pool = StringPool()
        self._numbers: dict[tuple[str, ...], int] = {}
        self._rows: list[tuple[int, int, int]] = []

    def add(self, words: Sequence[str]) -> int:
        """The number of the literal that is these words."""
        key = tuple(words)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._rows)
            plain, capital = self._piece(words), self._piece(raised(words))
            self._rows.append((plain, capital, int(any(words))))
        return number

    def _piece(self, words: Sequence[str]) -> int:
        back = len(self._text.join.encode()) if attaches(self._text, words) else 0
        text = closed(self._text, words).encode()
        if back >= 1 << (63 - BACK) or len(text) >= 1 << (BACK - SHIFT):
            raise ValueError("a separator or the words of a rule are too long to be packed")
        return self._pool.add(text) | back << BACK

    def code(self, words: Sequence[str]) -> list[int]:
        """The instruction that writes these words, if there are any."""
        if not words:
            return []
        return [instruction(LITERAL, self.add(words))]

    def literals(self) -> Literals:
        """All literals, as arrays."""
        rows = self._rows or [(0, 0, 0)]
        return Literals(
            np.array([row[0] for row in rows], np.int64),
            np.array([row[1] for row in rows], np.int64),
            np.array([row[2] for row in rows], np.uint8),
            self._pool.packed(),
            max((piece >> SHIFT) & (1 << BACK - SHIFT) - 1 for row in rows for piece in row[:2]),
        )


def raised(words: Sequence[str]) -> list[str]:
    """The words with the first letter of the first one that is not empty raised."""
    result = list(words)
    for number, word in enumerate(result):
        if word:
            result[number] = capitalised(word)
            break
    return result


def attaches(text: PackedText, words: Sequence[str]) -> bool:
    """Whether no separator stands before the first of these words."""
    return bool(words and text.join) and words[0] in text.attach


def closed(text: PackedText, words: Sequence[str]) -> str:
    """The words as one string, with a separator behind the last as well."""
    result = ""
    for number, word in enumerate(words):
        if number and word in text.attach and text.join:
            result = result[: -len(text.join)]
        result += word + text.join
    return result
