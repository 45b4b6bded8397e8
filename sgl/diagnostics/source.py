"""Source files, the places in them, and what reading them depended on."""

from __future__ import annotations

import hashlib
import os
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path

from sgl.diagnostics.model import Span
from sgl.foreign import SOURCE, read_bytes


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
        """Return line and column of a character offset, both 1-based, columns in characters."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """Return the text of a line (1-based), without its end."""
        start = self.line_starts[number - 1]
        end = self.line_starts[number] if number < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def around(self, offset: int, most: int) -> tuple[str, int]:
        """Return the line of an offset, so much on both sides at most, and what is before it."""
        number = bisect_right(self.line_starts, offset)
        start = max(self.line_starts[number - 1], offset - most)
        end = self.line_starts[number] if number < len(self.line_starts) else len(self.text)
        return self.text[start : min(end, offset + most)].rstrip("\r\n"), offset - start

    def span(self, start: int, end: int) -> Span:
        """Return a span of this file."""
        return Span(self.name, start, end)


@dataclass
class FileDependencies:
    """The answers of the file system that a result depends on.

    Reading a grammar follows names to files and reads these.  While all answers stay the
    same, reading again would give the same::

        links["/home/animals.yaml"]              "/home/tables/animals.yaml"
        contents["/home/tables/animals.yaml"]    SHA-256 of its bytes

    After a look at something that is missing or cannot be read, ``complete`` is false: a
    message about it may name other files of the directory, so that more counts than one path.
    """

    links: dict[str, str] = field(default_factory=dict)
    contents: dict[str, str] = field(default_factory=dict)
    complete: bool = True

    def followed(self, asked: Path, found: Path) -> None:
        """Note where a path led, symbolic links followed."""
        self._note(self.links, os.fspath(asked), os.fspath(found))

    def read(self, path: Path, content: bytes) -> None:
        """Note what a file contained."""
        self._note(self.contents, os.fspath(path), hashlib.sha256(content).hexdigest())

    def missed(self) -> None:
        """Note that something was not there, or not as it should be."""
        self.complete = False

    def _note(self, known: dict[str, str], path: str, answer: str) -> None:
        if known.setdefault(path, answer) != answer:
            # It was changed between two looks.
            self.complete = False

    def hold(self) -> bool:
        """Return whether the file system would give the same answers now."""
        try:
            return (
                self.complete
                and all(str(Path(asked).resolve()) == led for asked, led in self.links.items())
                and all(_digest(path) == digest for path, digest in self.contents.items())
            )
        except (OSError, RuntimeError, ValueError):
            return False

    def digest(self) -> str:
        """Return the SHA-256 of all answers."""
        found = hashlib.sha256()
        for known in (self.links, self.contents):
            found.update(repr(sorted(known.items())).encode("utf-8", "backslashreplace"))
        return found.hexdigest()


def _digest(path: str) -> str:
    """Return the hash of a file; no file is larger than those that were read."""
    return hashlib.sha256(read_bytes(Path(path), SOURCE)).hexdigest()


@dataclass
class SourceMap:
    """All files of a run, by name, and the answers of the file system on the way to them."""

    files: dict[str, SourceFile] = field(default_factory=dict)
    dependencies: FileDependencies = field(default_factory=FileDependencies)

    def add(self, file: SourceFile) -> SourceFile:
        """Remember a file, so that diagnostics can show its lines."""
        self.files[file.name] = file
        return file

    def get(self, name: str) -> SourceFile | None:
        """Return the file of this name, if it was read."""
        return self.files.get(name)


def display_width(text: str) -> int:
    """Return how many terminal columns a text takes.

    East Asian wide and fullwidth characters take two columns, combining marks
    and format characters none (Unicode Standard Annex 11).
    """
    width = 0
    for character in text:
        if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Cf"):
            continue
        width += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return width
