"""Placeholders: strings that stand for the words of a derivation while a template is learned.

A placeholder is one unusual word, whose first letter has a capital and so shows whether a sentence has raised it; the
letters behind say where in the derivation its rule is, and in which table its words.  Where a notation may look at
its words, the placeholder is ``Watched``: it can be joined to other strings, and whoever looks closer is interrupted.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

_OPEN, _RAISED, _CLOSE, _FILL = "\U00010428", "\U00010400", "\U00010429", "\U0001042a"

#: Letters that stand for numbers: ideographs, of which there are more than 42,000.
_FIRST, MOST_NUMBERS = 0x20000, 40_000

_PLACEHOLDER = re.compile(f"([{_OPEN}{_RAISED}][^{_CLOSE}][^{_CLOSE}]{_FILL}*{_CLOSE})")
_MARK = re.compile(f"[{_OPEN}{_RAISED}{_CLOSE}]")

#: Characters of a placeholder, if nobody measures it.
SHORT = 4

#: Characters of one that may be measured, and of the longest word that it can stand for.
LONG = 32


#: What a placeholder stands for: the place of a rule, the table of its word, whether raised.
Slot = tuple[int, int, bool]


def placeholder(place: int, table: int, length: int = SHORT) -> str:
    """Return the string that stands for a word; both numbers are below ``MOST_NUMBERS``."""
    return f"{_OPEN}{chr(_FIRST + place)}{chr(_FIRST + table)}{_FILL * (length - 4)}{_CLOSE}"


def is_marked(text: str) -> bool:
    """Return whether a text has letters of placeholders."""
    return not text.isascii() and _MARK.search(text) is not None


@lru_cache(maxsize=1 << 16)
def _slot(mark: str) -> Slot:
    return ord(mark[1]) - _FIRST, ord(mark[2]) - _FIRST, mark[0] == _RAISED


def split(text: str) -> tuple[list[str], list[Slot]]:
    """Return the pieces of a text around its placeholders, and the slots of these."""
    pieces = _PLACEHOLDER.split(text)
    return pieces[::2], list(map(_slot, pieces[1::2]))


class InspectedError(Exception):
    """A notation has looked at a word instead of only writing it."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def tables(self) -> Iterator[int]:
        """Yield the tables of the words that were looked at."""
        for _, table, _ in split(self.text)[1]:
            yield table


def _inspect(text: Any, *_given: object, **_named: object) -> Any:  # noqa: ANN401 - any method
    raise InspectedError(str.__str__(text))


#: What can be done to a string without looking at it.
_HARMLESS = frozenset(
    f"__{name}__"
    for name in (
        *("new", "init", "class", "doc", "str", "getattribute", "setattr", "delattr", "dir"),
        *("init_subclass", "subclasshook", "reduce", "reduce_ex", "getstate", "sizeof"),
    )
)

_Inspecting: Any = type("_Inspecting", (str,), {name: _inspect for name in dir(str) if name not in _HARMLESS})


class Watched(_Inspecting):  # type: ignore[misc]
    """A text with placeholders that can be written and joined; else ``InspectedError``."""

    def __add__(self, other: str) -> "Watched":
        return Watched("".join((self, other)))

    def __radd__(self, other: str) -> "Watched":
        return Watched("".join((other, self)))


def watched(value: Any) -> Any:  # noqa: ANN401 - any value goes through
    """Return ``value``, watched if it is a text with placeholders."""
    if isinstance(value, Watched) or not isinstance(value, str) or not is_marked(value):
        return value
    return Watched(value)


def inspect(value: Any) -> Any:  # noqa: ANN401 - any value goes through
    """Return ``value``; a text with placeholders is looked at."""
    return _inspect(value) if isinstance(value, Watched) else value


def size(value: Any) -> int:  # noqa: ANN401 - whatever has a length
    """Return the length of a value; a ``LONG`` placeholder has that of the longest word that it can stand for."""
    return str.__len__(value) if isinstance(value, str) else len(value)
