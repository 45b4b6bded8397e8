"""The diagnostic type, the collection that passes add to, and the source files."""

import hashlib
import os
import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import NoReturn, TypedDict, Unpack

from sgl.foreign import SOURCE, sha256_of
from sgl.values import dataclass, field, replace

#: Maximum number of further places that a message shows.
_MOST_PLACES = 4


class Severity(Enum):
    """The severity of a diagnostic: an error stops the compilation, a warning does not."""

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
    """A further place that matters, with a short text."""

    span: Span
    text: str


@dataclass(frozen=True)
class Diagnostic:
    """One finding.

    ``code`` is stable (``SGL0301``) and has a page; ``span`` is the place, or ``None`` for the whole run; ``message``
    says what is wrong; ``label`` follows the caret; ``notes`` explain why it matters or show a witness sentence;
    ``hint`` says what to do.
    """

    code: str
    severity: Severity
    span: Span | None
    message: str
    label: str = ""
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    hint: str = ""


class Reported(Exception):
    """A mistake has been reported, and ends what it is in: see :mod:`sgl.diagnostics.parts`."""


class UserError(Exception):
    """A user's mistake with its remedy; in a command it becomes a diagnostic with the code of its class."""

    code = ""

    def __init__(self, message: str, hint: str = "", notes: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.message, self.hint, self.notes = message, hint, tuple(notes)

    @property
    def diagnostic(self) -> Diagnostic:
        """The diagnostic for this mistake."""
        return Diagnostic(self.code, Severity.ERROR, None, self.message, notes=self.notes, hint=self.hint)


class _Beside(TypedDict, total=False):
    """Optional parts of a diagnostic."""

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
    """The findings of a run, without duplicates, listed in source order; ``judge`` may change or drop a new one."""

    judge: Callable[[Diagnostic], Diagnostic | None] | None = None
    _found: dict[tuple[str, Span | None, str], Diagnostic] = field(default_factory=dict)
    told: int = 0
    _more: dict[tuple[str, Span | None, str], int] = field(default_factory=dict)

    def error(self, code: str, span: Span | None, message: str, hint: str = "", **beside: Unpack[_Beside]) -> None:
        """Add an error."""
        self.add(_diagnostic(Severity.ERROR, code, span, message, hint, beside))

    def fail(self, code: str, span: Span | None, message: str, hint: str = "", **beside: Unpack[_Beside]) -> NoReturn:
        """Add an error, and end what it is in."""
        self.error(code, span, message, hint, **beside)
        raise Reported

    def warning(self, code: str, span: Span | None, message: str, hint: str = "", **beside: Unpack[_Beside]) -> None:
        """Add a warning."""
        self.add(_diagnostic(Severity.WARNING, code, span, message, hint, beside))

    def add(self, diagnostic: Diagnostic) -> None:
        """Add a diagnostic unless it is already known."""
        self.told += 1
        judged = diagnostic if self.judge is None else self.judge(diagnostic)
        if judged is not None:
            self._found.setdefault((judged.code, judged.span, judged.message), judged)

    def also_at(self, code: str, first: Span, place: Span) -> None:
        """Add another place to the diagnostic at ``first``, instead of repeating it."""
        self.told += 1
        for key, found in self._found.items():
            if (found.code, found.span) != (code, first):
                continue
            if len(found.labels) < _MOST_PLACES:
                self._found[key] = replace(found, labels=(*found.labels, Label(place, "and here")))
                return
            # Further places are only counted.
            self._more[key] = self._more.get(key, 0) + 1
            notes = found.notes[: len(found.notes) - (self._more[key] > 1)]
            told = f"the same occurs in {self._more[key]:,} more place{'s' * (self._more[key] > 1)}"
            self._found[key] = replace(found, notes=(*notes, told))
            return

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Add several diagnostics in turn."""
        for diagnostic in diagnostics:
            self.add(diagnostic)

    @property
    def found(self) -> tuple[Diagnostic, ...]:
        """All diagnostics in order of addition."""
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
        """The number of errors."""
        return sum(d.severity is Severity.ERROR for d in self._found.values())

    @property
    def warnings(self) -> int:
        """The number of warnings."""
        return len(self._found) - self.errors


#: This many names may be equally close, for a name that is longer than this: `VP` suggests neither `NP` nor `PP`.
_ALIKE = 2


def suggest(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return a hint ``did you mean `x`?``; if no name is close, ``otherwise`` with all names."""
    known = list(known)
    near = _nearest(name, known)
    if len(near) == 1 or (len(near) == _ALIKE and len(name) > _ALIKE):
        return f"did you mean {' or '.join(f'`{candidate}`' for candidate in near)}?"
    return f"{otherwise}: {', '.join(known)}" if otherwise else ""


def one_of(name: str, known: Collection[str]) -> str:
    """Return a hint for an unknown name: the closest name, or the known ones."""
    return suggest(name, known) or f"there is: {shortlist(known, 12) or 'none'}"


def shortlist(names: Iterable[str], most: int = 8) -> str:
    """Return the first names of a list, with an ellipsis if there are more."""
    names = list(names)
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def suggested(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is closest to a misspelt one, if exactly one is."""
    near = _nearest(name, known)
    return near[0] if len(near) == 1 else None


def _nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names that are closest to a misspelt one.

    A close name differs only in case, is at most two edits away (one for up to three letters) and shares some letter,
    or has ``name`` as a prefix.
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
    """Return the optimal string alignment distance, or a number above ``limit`` if it is greater."""
    # A quick test excludes most names: one edit changes at most two members of the symmetric difference.
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
    """A text that was read, under the file name that the author knows."""

    name: str
    text: str
    line_starts: tuple[int, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        starts = (0, *(end.end() for end in re.finditer("\n", self.text)))
        object.__setattr__(self, "line_starts", starts)

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and column of a character offset, both 1-based, columns in characters."""
        offset = self.real(offset)
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """Return the text of a line (1-based), without its end."""
        start = self.line_starts[number - 1]
        end = self.line_starts[number] if number < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def around(self, offset: int, most: int) -> tuple[str, int]:
        """Return the line at an offset, cut to ``most`` characters on each side, and the offset within it."""
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
        """Return the position in the text of an offset in a span."""
        return offset

    def place(self, offset: int) -> int:
        """Return the offset in spans of a character of the text."""
        return offset


#: The first place, beyond the size of any file.
FIRST_PLACE = 1 << 40


@dataclass(frozen=True)
class EditedFile(SourceFile):
    """A file whose declaration at ``starts[i]`` has the place ``places[i]``."""

    starts: tuple[int, ...] = ()
    places: tuple[int, ...] = ()

    def real(self, offset: int) -> int:
        """Return the position in the text of a place."""
        number = bisect_right(self.places, offset) - 1
        return offset if number < 0 else min(self.starts[number] + offset - self.places[number], len(self.text))

    def place(self, offset: int) -> int:
        """Return the place of a character of the text."""
        number = bisect_right(self.starts, offset) - 1
        return offset if offset >= FIRST_PLACE else self.places[number] + offset - self.starts[number]


@dataclass
class FileDependencies:
    """The answers of the file system that a result depends on: ``links``, hashes of ``contents``.

    ``names`` are the names of the files in diagnostics; ``absent`` are files that were looked for and do not exist.

    As long as all answers stay the same, reading the grammar again gives the same result.  ``complete`` is false after
    an attempt to read something missing or unreadable: the message about it may name other files of the directory.
    """

    links: dict[str, str] = field(default_factory=dict)
    contents: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    absent: set[str] = field(default_factory=set)
    complete: bool = True

    def followed(self, asked: Path, found: Path) -> None:
        """Record the target of a path, with symbolic links followed."""
        self._note(self.links, os.fspath(asked), os.fspath(found))

    def read(self, path: Path, content: bytes, name: str) -> None:
        """Record the content of a file."""
        self.names[os.fspath(path)] = name
        self._note(self.contents, os.fspath(path), hashlib.sha256(content).hexdigest())

    def lacked(self, path: Path) -> None:
        """Record that there was no file at a path, which is not an error."""
        self.absent.add(os.fspath(path))

    def missed(self) -> None:
        """Record that something was missing or unreadable."""
        self.complete = False

    def _note(self, known: dict[str, str], path: str, answer: str) -> None:
        if known.setdefault(path, answer) != answer:
            # The file changed between two reads.
            self.complete = False

    def hold(self) -> bool:
        """Return whether the file system would give the same answers now."""
        return self.changed() == []

    def changed(self) -> list[Path] | None:
        """Return the files whose contents have changed; None if any other answer has changed."""
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
    """All files of a run, by name, and the answers of the file system while they were found."""

    files: dict[str, SourceFile] = field(default_factory=dict)
    dependencies: FileDependencies = field(default_factory=FileDependencies)

    def add(self, file: SourceFile) -> SourceFile:
        """Add a file, so that diagnostics can show its lines."""
        self.files[file.name] = file
        return file

    def real(self, span: Span) -> Span:
        """Return a span with offsets in the text of its file."""
        file = self.files.get(span.file)
        return span if file is None else Span(span.file, *map(file.real, (span.start, span.end)))

    def told(self, found: Diagnostic) -> Diagnostic:
        """Return a diagnostic with offsets in the texts of its files."""
        labels = tuple(replace(label, span=self.real(label.span)) for label in found.labels)
        return replace(found, span=None if found.span is None else self.real(found.span), labels=labels)

    def get(self, name: str) -> SourceFile | None:
        """Return the file of this name, or None if it was not read."""
        return self.files.get(name)
