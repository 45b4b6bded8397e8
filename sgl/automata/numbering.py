"""Values, numbered in the order in which they are met.

Automata compare, hash and store the values that they compute again and again;
with a number in place of the value this costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

_T = TypeVar("_T", bound=Hashable)


class Numbering(Generic[_T]):
    """Gives equal values the same number, counting from 0; ``values[n]`` is number ``n``."""

    def __init__(self) -> None:
        self.values: list[_T] = []
        self._numbers: dict[_T, int] = {}

    def __len__(self) -> int:
        return len(self.values)

    def number(self, value: _T) -> int:
        """The number of a value, a new one if the value is new."""
        number = self._numbers.setdefault(value, len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number
