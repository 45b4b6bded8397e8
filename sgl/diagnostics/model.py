"""The one diagnostic type, the collection that passes add to, and the sources that it is about."""

import hashlib
import os
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import TypedDict, Unpack

from sgl.foreign import SOURCE, sha256_of

#: Places that a message shows beside its own.
_MOST_PLACES = 4


class Severity(Enum):
    """How bad it is: an error stops the compilation, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, order=True)
class Span:
    """A part of a source file: characters ``start`` to ``end`` (0-based, end excluded)."""

    file: str
    start: int
    end: int

    def to(self, other: "Span") -> "Span":
        """Return the span from the start of this one to the end of ``other``."""
        return Span(self.file, self.start, max(self.end, other.end))


@dataclass(frozen=True)
class Label:
    """A second place that matters, with a few words about it."""

    span: Span
    text: str


@dataclass(frozen=True)
class Diagnostic:
    """One finding.

    ``code`` is stable (``SGL0301``) and has a page; ``span`` is where, or ``None`` when it is about
    the whole run; ``message`` says what is wrong; ``label`` stands beside the caret; ``notes`` say
    why it matters or show a witness sentence; ``hint`` says what to do.
    """

    code: str
    severity: Severity
    span: Span | None
    message: str
    label: str = ""
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    hint: str = ""


class UserError(Exception):
    """A mistake of a user, and what to do; raised in a command it becomes a diagnostic with the code of its class."""

    code = ""

    def __init__(self, message: str, hint: str = "", notes: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.message, self.hint, self.notes = message, hint, tuple(notes)

    @property
    def diagnostic(self) -> Diagnostic:
        """The message about it."""
        return Diagnostic(self.code, Severity.ERROR, None, self.message, notes=self.notes, hint=self.hint)


class _Beside(TypedDict, total=False):
    """What may be said of a finding beside its message and its hint."""

    label: str
    labels: Iterable[Label]
    notes: Iterable[str]


def _diagnostic(
    severity: Severity, code: str, span: Span | None, message: str, hint: str, beside: _Beside
) -> Diagnostic:
    label, labels, notes = beside.get("label", ""), beside.get("labels", ()), beside.get("notes", ())
    return Diagnostic(code, severity, span, message, label, tuple(labels), tuple(notes), hint)


@dataclass
class Diagnostics:
    """The findings of a run, each once, in source order when listed; ``judge`` may change or drop one that is added."""

    judge: Callable[[Diagnostic], Diagnostic | None] | None = None
    _found: dict[tuple[str, Span | None, str], Diagnostic] = field(default_factory=dict)
    told: int = 0
    _more: dict[tuple[str, Span | None, str], int] = field(default_factory=dict)

    def error(self, code: str, span: Span | None, message: str, hint: str = "", **beside: Unpack[_Beside]) -> None:
        """Add an error."""
        self.add(_diagnostic(Severity.ERROR, code, span, message, hint, beside))

    def warning(self, code: str, span: Span | None, message: str, hint: str = "", **beside: Unpack[_Beside]) -> None:
        """Add a warning."""
        self.add(_diagnostic(Severity.WARNING, code, span, message, hint, beside))

    def add(self, diagnostic: Diagnostic) -> None:
        """Add a diagnostic unless the same one is there already."""
        self.told += 1
        judged = diagnostic if self.judge is None else self.judge(diagnostic)
        if judged is not None:
            self._found.setdefault((judged.code, judged.span, judged.message), judged)

    def also_at(self, code: str, first: Span, place: Span) -> None:
        """Add another place to what was said of the first one, instead of saying it again."""
        self.told += 1
        for key, found in self._found.items():
            if (found.code, found.span) != (code, first):
                continue
            if len(found.labels) < _MOST_PLACES:
                self._found[key] = replace(found, labels=(*found.labels, Label(place, "and here")))
                return
            # What the message does not show is counted.
            self._more[key] = self._more.get(key, 0) + 1
            notes = found.notes[: len(found.notes) - (self._more[key] > 1)]
            told = f"it is the same in {self._more[key]:,} more place{'s' * (self._more[key] > 1)}"
            self._found[key] = replace(found, notes=(*notes, told))
            return

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Add several diagnostics in turn."""
        for diagnostic in diagnostics:
            self.add(diagnostic)

    @property
    def found(self) -> tuple[Diagnostic, ...]:
        """All diagnostics in the order in which they were added."""
        return tuple(self._found.values())

    def __iter__(self) -> Iterator[Diagnostic]:
        def place(diagnostic: Diagnostic) -> tuple[int, str, int]:
            if diagnostic.span is None:
                return (1, "", 0)
            return (0, diagnostic.span.file, diagnostic.span.start)

        return iter(sorted(self._found.values(), key=place))

    def __len__(self) -> int:
        return len(self._found)

    @property
    def errors(self) -> int:
        """How many errors there are."""
        return sum(d.severity is Severity.ERROR for d in self._found.values())

    @property
    def warnings(self) -> int:
        """How many warnings there are."""
        return len(self._found) - self.errors


#: So many names may be equally close, for a name that is longer than that: `VP` is none of `NP` and `PP`.
_ALIKE = 2


def suggest(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return a hint ``did you mean `x`?``; for a name like none, all after ``otherwise``."""
    known = list(known)
    near = _nearest(name, known)
    if len(near) == 1 or (len(near) == _ALIKE and len(name) > _ALIKE):
        return f"did you mean {' or '.join(f'`{candidate}`' for candidate in near)}?"
    return f"{otherwise}: {', '.join(known)}" if otherwise else ""


def one_of(name: str, known: Collection[str]) -> str:
    """Return what to say of an unknown name: the one that is meant, or those there are."""
    return suggest(name, known) or f"there is: {shortlist(known, 12) or 'none'}"


def shortlist(names: Iterable[str], most: int = 8) -> str:
    """Return the first of some names in a row."""
    names = list(names)
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def suggested(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that a misspelt one most likely means, if one is closest."""
    near = _nearest(name, known)
    return near[0] if len(near) == 1 else None


def _nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names that are closest to a misspelt one.

    They differ in capital letters only, are at most two edits away (one for up to three letters) and
    share some letter, or have ``name`` as a prefix.
    """
    limit = 1 if len(name) <= 3 else 2
    ranked: list[tuple[int, str]] = []
    for candidate in sorted(set(known)):
        distance = _edits(name, candidate, limit)
        if candidate.casefold() == name.casefold():
            ranked.append((0, candidate))
        elif distance <= limit and distance < max(len(name), len(candidate)):
            ranked.append((distance, candidate))
        elif len(name) >= 2 and candidate.startswith(name):
            ranked.append((limit + 1, candidate))
    return [candidate for distance, candidate in ranked if distance == min(ranked)[0]]


def one_slip(first: str, second: str) -> bool:
    """Return whether two names differ in one letter, or in the order of two neighbours."""
    return first != second and _edits(first, second, 1) == 1


def _edits(first: str, second: str, limit: int) -> int:
    """Optimal string alignment distance, or more than ``limit`` if it exceeds it."""
    # Most names are like no other: an edit makes two letters differ at most.
    if abs(len(first) - len(second)) > limit or len(set(first) ^ set(second)) > 2 * limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(second) + 1))
    for i, left in enumerate(first, 1):
        before, previous, row = row, before, [i]
        for j, right in enumerate(second, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right))
            swapped = i > 1 and j > 1 and left == second[j - 2] and first[i - 2] == right
            row.append(min(cost, previous[j - 2] + 1) if swapped else cost)
    return row[-1]


@dataclass(frozen=True)
class SourceFile:
    """A text that was read, under the name that the author knows it by."""

    name: str
    text: str
    line_starts: tuple[int, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        starts = (0, *(end.end() for end in re.finditer("\n", self.text)))
        object.__setattr__(self, "line_starts", starts)

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column of a character offset, both 1-based, columns in characters."""
        offset = self.real(offset)
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """Return the text of a line (1-based), without its end."""
        start = self.line_starts[number - 1]
        end = self.line_starts[number] if number < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def around(self, offset: int, most: int) -> tuple[str, int]:
        """Return the line of an offset, so much on both sides at most, and what is before it."""
        offset = self.real(offset)
        number = bisect_right(self.line_starts, offset)
        start = max(self.line_starts[number - 1], offset - most)
        end = self.line_starts[number] if number < len(self.line_starts) else len(self.text)
        return self.text[start : min(end, offset + most)].rstrip("\r\n"), offset - start

    def span(self, start: int, end: int) -> Span:
        """Return a span of this file."""
        first = self.place(start)
        return Span(self.name, first, first + end - start)

    def real(self, offset: int) -> int:
        """Return where in the text an offset of a span is."""
        return offset

    def place(self, offset: int) -> int:
        """Return the offset that spans have for a character of the text."""
        return offset


#: Where places begin: no file is so large.
FIRST_PLACE = 1 << 40


@dataclass(frozen=True)
class EditedFile(SourceFile):
    """A file whose declaration at ``starts[i]`` has the place ``places[i]``."""

    starts: tuple[int, ...] = ()
    places: tuple[int, ...] = ()

    def real(self, offset: int) -> int:
        """Return where in the text a place is."""
        number = bisect_right(self.places, offset) - 1
        return offset if number < 0 else min(self.starts[number] + offset - self.places[number], len(self.text))

    def place(self, offset: int) -> int:
        """Return the place of a character of the text."""
        number = bisect_right(self.starts, offset) - 1
        return offset if offset >= FIRST_PLACE else self.places[number] + offset - self.starts[number]


@dataclass
class FileDependencies:
    """The answers of the file system that a result depends on: ``links``, hashes of ``contents``.

    ``names`` are those that diagnostics have for the files; ``absent`` are files that were looked for and are none.

    While all answers stay the same, reading a grammar again would give the same.  After a look at something that is
    missing or cannot be read, ``complete`` is false: a message about it may name other files of the directory.
    """

    links: dict[str, str] = field(default_factory=dict)
    contents: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    absent: set[str] = field(default_factory=set)
    complete: bool = True

    def followed(self, asked: Path, found: Path) -> None:
        """Note where a path led, symbolic links followed."""
        self._note(self.links, os.fspath(asked), os.fspath(found))

    def read(self, path: Path, content: bytes, name: str) -> None:
        """Note what a file contained."""
        self.names[os.fspath(path)] = name
        self._note(self.contents, os.fspath(path), hashlib.sha256(content).hexdigest())

    def lacked(self, path: Path) -> None:
        """Note that there was no file at a path, and that this is no mistake."""
        self.absent.add(os.fspath(path))

    def missed(self) -> None:
        """Note that something was not there, or not as it should be."""
        self.complete = False

    def _note(self, known: dict[str, str], path: str, answer: str) -> None:
        if known.setdefault(path, answer) != answer:
            # It was changed between two looks.
            self.complete = False

    def hold(self) -> bool:
        """Return whether the file system would give the same answers now."""
        return self.changed() == []

    def changed(self) -> list[Path] | None:
        """Return the files with other contents; None if another answer of the file system is another."""
        with suppress(OSError, RuntimeError, ValueError):
            there = any(Path(path).is_file() for path in self.absent)
            if self.complete and not there and all(str(Path(a).resolve()) == led for a, led in self.links.items()):
                return [Path(path) for path, hash_ in self.contents.items() if sha256_of(Path(path), SOURCE) != hash_]
        return None

    def digest(self) -> str:
        """Return the SHA-256 of all answers."""
        found = hashlib.sha256()
        for known in (self.links.items(), self.contents.items(), self.absent):
            found.update(repr(sorted(known)).encode("utf-8", "backslashreplace"))
        return found.hexdigest()


@dataclass
class SourceMap:
    """All files of a run, by name, and the answers of the file system on the way to them."""

    files: dict[str, SourceFile] = field(default_factory=dict)
    dependencies: FileDependencies = field(default_factory=FileDependencies)

    def add(self, file: SourceFile) -> SourceFile:
        """Remember a file, so that diagnostics can show its lines."""
        self.files[file.name] = file
        return file

    def real(self, span: Span) -> Span:
        """Return a span with the offsets of the text of its file."""
        file = self.files.get(span.file)
        return span if file is None else Span(span.file, *map(file.real, (span.start, span.end)))

    def get(self, name: str) -> SourceFile | None:
        """Return the file of this name, if it was read."""
        return self.files.get(name)


def display_width(text: str) -> int:
    """Return how many terminal columns a text takes (Unicode Standard Annex 11).

    East Asian wide and fullwidth characters take two, combining marks and format characters none.
    """
    width = 0
    for character in text:
        if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Cf"):
            continue
        width += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return width
