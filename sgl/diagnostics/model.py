"""The one diagnostic type, its spans, and the collection that passes add to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum

#: Places that a message shows beside its own.
_MOST_PLACES = 4


class Severity(Enum):
    """How bad it is: an error stops the compilation, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A part of a source file: characters ``start`` to ``end`` (0-based, end excluded)."""

    file: str
    start: int
    end: int

    def to(self, other: Span) -> Span:
        """Return the span from the start of this one to the end of ``other``."""
        return Span(self.file, self.start, max(self.end, other.end))


@dataclass(frozen=True, slots=True)
class Label:
    """A second place that matters, with a few words about it."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    ``code`` is stable (``SGL0301``) and has a page (``sglc explain SGL0301``);
    ``span`` is where, or ``None`` when it is about the whole run; ``message``
    says what is wrong; ``label`` stands beside the caret; ``notes`` say why it
    matters or show a witness sentence; ``hint`` says what to do.
    """

    code: str
    severity: Severity
    span: Span | None
    message: str
    label: str = ""
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    hint: str = ""


@dataclass
class Diagnostics:
    """The diagnostics of a run, without repetitions, in source order when listed."""

    _found: dict[tuple[str, Span | None, str], Diagnostic] = field(default_factory=dict)

    def error(
        self,
        code: str,
        span: Span | None,
        message: str,
        hint: str = "",
        *,
        label: str = "",
        labels: Iterable[Label] = (),
        notes: Iterable[str] = (),
    ) -> None:
        """Add an error."""
        parts = (span, message, label, tuple(labels), tuple(notes), hint)
        self.add(Diagnostic(code, Severity.ERROR, *parts))

    def warning(
        self,
        code: str,
        span: Span | None,
        message: str,
        hint: str = "",
        *,
        label: str = "",
        labels: Iterable[Label] = (),
        notes: Iterable[str] = (),
    ) -> None:
        """Add a warning."""
        parts = (span, message, label, tuple(labels), tuple(notes), hint)
        self.add(Diagnostic(code, Severity.WARNING, *parts))

    def add(self, diagnostic: Diagnostic) -> None:
        """Add a diagnostic unless the same one is there already."""
        key = (diagnostic.code, diagnostic.span, diagnostic.message)
        self._found.setdefault(key, diagnostic)

    def also_at(self, code: str, first: Span, place: Span, text: str = "and here") -> None:
        """Add another place to what was said of the first one, instead of saying it again."""
        for key, found in self._found.items():
            if (found.code, found.span) == (code, first):
                if len(found.labels) < _MOST_PLACES:
                    self._found[key] = replace(found, labels=(*found.labels, Label(place, text)))
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


def suggest(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return a hint ``did you mean `x`?`` for a misspelt name.

    For a name that is like none of those known, it lists them all after ``otherwise``;
    without one it is empty.
    """
    known = list(known)
    candidate = suggested(name, known)
    if candidate is not None:
        return f"did you mean `{candidate}`?"
    return f"{otherwise}: {', '.join(known)}" if otherwise else ""


def shortlist(names: Iterable[str], most: int = 8) -> str:
    """Return the first of some names in a row."""
    names = list(names)
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def suggested(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that a misspelt one most likely means, if any.

    A candidate differs in capital letters only, is at most two edits away (one for
    names of up to three letters) and shares some letter, or has ``name`` as a prefix;
    nothing is said when two candidates are equally close.
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
    ranked.sort()
    if not ranked or (len(ranked) > 1 and ranked[0][0] == ranked[1][0]):
        return None
    return ranked[0][1]


def one_slip(first: str, second: str) -> bool:
    """Return whether two names differ in one letter, or in the order of two neighbours."""
    return first != second and _edits(first, second, 1) == 1


def _edits(first: str, second: str, limit: int) -> int:
    """Optimal string alignment distance, or more than ``limit`` if it exceeds it."""
    if abs(len(first) - len(second)) > limit:
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
