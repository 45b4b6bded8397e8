"""A value of ``manifest.json`` with its path in the file, asked for by name and kind.

What is missing or of another kind raises ``ManifestError``, which says where::

    patterns[2].need[0].minimum: a whole number expected, found "ten"
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TypeVar

#: NUL, and halves of characters that JSON can spell but UTF-8 cannot.
_NOT_TEXT = re.compile("[\x00\ud800-\udfff]")

Value = TypeVar("Value")


class ManifestError(ValueError):
    """The manifest is not what it should be; the message says where."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """A value in the file with its path."""

    value: object
    path: str = ""

    def member(self, name: str) -> Cursor:
        """A member by name."""
        path = f"{self.path}.{name}" if self.path else name
        members = self._expect(dict, "an object")
        if name not in members:
            raise ManifestError(f"{path}: missing")
        return Cursor(members[name], path)

    def members(self) -> list[tuple[str, Cursor]]:
        """All members with their names."""
        return [(name, self.member(name)) for name in self._expect(dict, "an object")]

    def elements(self) -> list[Cursor]:
        """The elements of a list."""
        values = self._expect(list, "a list")
        return [Cursor(value, f"{self.path}[{rank}]") for rank, value in enumerate(values)]

    def text(self) -> str:
        """A string that can be part of a text."""
        text = self._expect(str, "a string")
        if _NOT_TEXT.search(text):
            raise ManifestError(f"{self.path}: a string with characters that no text has")
        return text

    def flag(self) -> bool:
        """True or false."""
        return self._expect(bool, "true or false")

    def option(self, name: str) -> bool:
        """A flag that may be missing: then it is false."""
        return self.has(name) and self.member(name).flag()

    def optional(self, name: str) -> list[Cursor]:
        """The elements of a member that may be missing."""
        return self.member(name).elements() if self.has(name) else []

    def has(self, name: str) -> bool:
        """Whether an object has a member."""
        return name in self._expect(dict, "an object")

    def count(self) -> int:
        """A whole number, not negative."""
        if isinstance(self.value, bool) or self._expect(int, "a whole number") < 0:
            raise ManifestError(f"{self.path}: a whole number expected, found {self._shown()}")
        return self._expect(int, "a whole number")

    def texts(self) -> tuple[str, ...]:
        """A list of strings."""
        return tuple(element.text() for element in self.elements())

    def _expect(self, kind: type[Value], description: str) -> Value:
        if not isinstance(self.value, kind):
            place = self.path or "manifest"
            raise ManifestError(f"{place}: {description} expected, found {self._shown()}")
        return self.value

    def _shown(self) -> str:
        if isinstance(self.value, dict | list):
            return "an object" if isinstance(self.value, dict) else "a list"
        shown = json.dumps(self.value)
        return shown if len(shown) <= 40 else f"{shown[:39]}…"
