"""Source files and the places in them."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from dataclasses import dataclass, field

from sgl.diagnostics.looks import Looks
from sgl.diagnostics.model import Span


@dataclass(frozen=True)
class SourceFile:
    """A text that was read, under the name that the author knows it by."""

    name: str
    text: str
    line_starts: tuple[int, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        starts = [0]
        starts.extend(i + 1 for i, character in enumerate(self.text) if character == "\n")
        object.__setattr__(self, "line_starts", tuple(starts))

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a character offset, both 1-based, columns in characters."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line (1-based), without its end."""
        start = self.line_starts[number - 1]
        end = self.line_starts[number] if number < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def span(self, start: int, end: int) -> Span:
        """A span of this file."""
        return Span(self.name, start, end)


@dataclass
class SourceMap:
    """All files of a run, by name, and what was found out about files for reading them."""

    files: dict[str, SourceFile] = field(default_factory=dict)
    looks: Looks = field(default_factory=Looks)

    def add(self, file: SourceFile) -> SourceFile:
        """Remember a file, so that diagnostics can show its lines."""
        self.files[file.name] = file
        return file

    def get(self, name: str) -> SourceFile | None:
        """The file of this name, if it was read."""
        return self.files.get(name)


def visible(text: str) -> str:
    """The text with characters that a terminal would obey, or could not show, made visible.

    Control characters become their pictures (U+2400 and on); marks of the direction of
    writing, line separators and lone surrogates become U+FFFD; a tab takes four columns.
    """
    return text.replace("\t", "    ").translate(_PICTURES)


_PICTURES = {
    **{code: 0x2400 + code for code in range(0x20)},
    **dict.fromkeys((*range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD),
    **dict.fromkeys((0x2028, 0x2029, *range(0xD800, 0xE000)), 0xFFFD),
}


def display_width(text: str) -> int:
    """How many terminal columns a text takes.

    East Asian wide and fullwidth characters take two columns, combining marks
    and format characters none (Unicode Standard Annex 11).
    """
    width = 0
    for character in text:
        if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Cf"):
            continue
        width += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return width
