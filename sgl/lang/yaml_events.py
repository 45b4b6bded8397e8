"""Read a YAML file as a stream of events, never as Python objects.

So a file can neither construct anything nor exhaust the stack or the memory: whoever reads
it goes only as deep as the shape that is asked for (:mod:`sgl.lang.yaml_files`), and a file
of another shape is refused at the first event that does not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

import yaml
from yaml.events import CollectionEndEvent, Event, MappingEndEvent, ScalarEvent
from yaml.reader import ReaderError

from sgl.diagnostics import Diagnostics, Label, SourceFile, Span
from sgl.lang.confusables import CONFUSABLES

#: Rows that a table may have.
MAX_ROWS = 200_000

_Row = TypeVar("_Row")

_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class MalformedTable(Exception):
    """A YAML file of another shape: the event that does not fit, and what is wrong with it."""

    def __init__(self, event: Event, message: str) -> None:
        super().__init__(message)
        self.line = line_of(event)
        self.message = message


@dataclass(frozen=True, slots=True)
class Cell:
    """A word, a name or a number in a file, and where it stands."""

    text: str
    span: Span


class YamlEvents:
    """One pass over the events of a file, or of what follows an offset in it."""

    def __init__(self, source: SourceFile, begin: int = 0) -> None:
        self.source = source
        self.events: Iterator[Event] = yaml.parse(source.text[begin:], Loader=_LOADER)

    def pairs(self, key_is: str) -> Iterator[tuple[ScalarEvent, Event]]:
        """Yield the keys of a mapping that has begun, each with the first event of its value.

        Raises:
            MalformedTable: a key is no single value; ``key_is`` says what it should be.
        """
        for event in self.events:
            if isinstance(event, MappingEndEvent):
                return
            yield scalar(event, key_is), next(self.events)

    def items(self) -> Iterator[Event]:
        """Yield the first event of each item of a sequence that has begun."""
        for event in self.events:
            if isinstance(event, CollectionEndEvent):
                return
            yield event

    def line(self, event: Event) -> Span:
        """Return the span of the line that an event begins on, without its indentation."""
        return _line(self.source, line_of(event))

    def place(self, event: Event) -> Span:
        """Return the span of a value, which may share its line with others."""
        begin, end = event.start_mark, event.end_mark
        if begin is None or end is None or begin.line >= len(self.source.line_starts):
            return self.source.span(0, 1)
        start = self.source.line_starts[begin.line] + begin.column
        width = end.column - begin.column if end.line == begin.line else 1
        return self.source.span(start, start + max(width, 1))


def read_rows(
    source: SourceFile,
    rows: Callable[[YamlEvents], Iterator[_Row]],
    shape: str,
    span: Callable[[_Row], Span],
    diagnostics: Diagnostics,
) -> tuple[_Row, ...] | None:
    """Return the rows that a function finds in the events of a YAML file; None after a report.

    Where the function raises ``MalformedTable``, ``shape`` tells the author what is right;
    ``span`` says where a row is.
    """
    try:
        found = tuple(islice(rows(YamlEvents(source)), MAX_ROWS + 1))
    except yaml.MarkedYAMLError as problem:
        _report_malformed(source, problem, diagnostics)
    except ReaderError as problem:
        _report_character(source, problem, diagnostics)
    except MalformedTable as problem:
        diagnostics.error("SGL0602", _line(source, problem.line), problem.message, hint=shape)
    else:
        if len(found) <= MAX_ROWS:
            return found
        message = f"the table `{source.name}` has more than {MAX_ROWS:,} rows"
        diagnostics.error("SGL0003", span(found[-1]), message, "keep the most frequent words")
    return None


def scalar(event: Event, what: str) -> ScalarEvent:
    """Return an event that is a single value.

    Raises:
        MalformedTable: it is none; ``what`` says what it should be.
    """
    if not isinstance(event, ScalarEvent):
        raise MalformedTable(event, what)
    return event


def has_text(event: Event) -> bool:
    """Return whether an event is a value that is not empty."""
    return isinstance(event, ScalarEvent) and (
        bool(event.style) or event.value not in ("", "~", "null")
    )


def line_of(event: Event) -> int:
    """Return the line (0-based) that an event begins on."""
    return event.start_mark.line if event.start_mark is not None else 0


def _line(source: SourceFile, line: int) -> Span:
    """Return the span of a line (0-based) without its indentation."""
    number = min(line, len(source.line_starts) - 1)
    start, text = source.line_starts[number], source.line(number + 1)
    indent = len(text) - len(text.lstrip())
    return source.span(start + indent, start + max(len(text), indent + 1))


def _report_malformed(
    source: SourceFile, problem: yaml.MarkedYAMLError, diagnostics: Diagnostics
) -> None:
    """Say where YAML cannot be read, where that began, and what signs are not its own."""
    mark = problem.problem_mark or problem.context_mark
    line = mark.line if mark is not None else 0
    began = problem.context_mark.line if problem.context_mark is not None else line
    lines = [source.line(min(n, len(source.line_starts) - 1) + 1) for n in (began, line)]
    wide = next((c for text in lines for c in text if CONFUSABLES.get(c, " ") in ',:"-'), "")
    hint = ""
    if wide:
        hint = f"if you mean `{CONFUSABLES[wide]}`, write it (of ASCII) in place of `{wide}`"
    elif any("\t" in text for text in lines):
        hint = "YAML is indented by spaces; write them in place of tabs"
    diagnostics.error(
        "SGL0601",
        _line(source, line),
        f"this is not YAML: {problem.problem or problem}",
        labels=[Label(_line(source, began), "in what begins here")] if began != line else [],
        hint=hint,
    )


def _report_character(source: SourceFile, problem: ReaderError, diagnostics: Diagnostics) -> None:
    code: int | str = problem.character
    character = chr(code) if isinstance(code, int) else code
    start = max(source.text.find(character), 0)
    message = f"this is not YAML: it has the control character U+{ord(character):04X}"
    hint = "remove it; it cannot be seen in most editors"
    diagnostics.error("SGL0601", source.span(start, start + 1), message, hint)
