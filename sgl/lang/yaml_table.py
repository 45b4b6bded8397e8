"""Read a lexicon table: a YAML list of mappings, with the line of each row.

A cell is a word or a number.  A mapping in place of a cell is a *variant* of the row:
the cells that it has under some setting, ``{en: guy, ja: 男, published: {ja: 人}}``.

The table is read as a stream of events, never as Python objects, so that a file
can neither construct anything nor exhaust the stack or the memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

import yaml
from yaml.events import (
    AliasEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from yaml.reader import ReaderError

from sgl.diagnostics import Diagnostics, Label, SourceFile, Span
from sgl.lang.lookalikes import LOOKALIKES

#: Rows that a table may have.
MAX_ROWS = 200_000

_Read = TypeVar("_Read")

_Loader: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its cells by column name, where it begins, and the cells of its variants."""

    cells: Mapping[str, str]
    span: Span
    variants: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Table:
    """A table as it was read; ``columns`` and ``variants`` in the order of their first mention.

    The columns are those of the variants as well.
    """

    name: str
    rows: tuple[Row, ...]
    columns: tuple[str, ...] = field(default=())
    variants: tuple[str, ...] = field(default=())


class MalformedTable(Exception):
    """A YAML file that is no table: the line (0-based), and what is wrong there."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


def read_table(source: SourceFile, diagnostics: Diagnostics) -> Table | None:
    """The table in a YAML file; None after a report."""
    rows = read_events(
        source,
        lambda events: tuple(islice(_rows(source, events), MAX_ROWS + 1)),
        "a table is a list of rows such as `- {en: dog, ja: 犬}`",
        diagnostics,
    )
    if rows is None:
        return None
    if len(rows) > MAX_ROWS:
        report_rows(source, rows[-1].span, diagnostics)
        return None
    columns = dict.fromkeys(
        column for row in rows for cells in (row.cells, *row.variants.values()) for column in cells
    )
    variants = dict.fromkeys(name for row in rows for name in row.variants)
    return Table(source.name, rows, tuple(columns), tuple(variants))


def read_events(
    source: SourceFile,
    read: Callable[[Iterator[Event]], _Read],
    shape: str,
    diagnostics: Diagnostics,
) -> _Read | None:
    """What ``read`` makes of the events of a YAML file; None after a report.

    ``read`` raises ``MalformedTable``; ``shape`` then tells the author what is right.
    """
    try:
        return read(yaml.parse(source.text, Loader=_Loader))
    except yaml.MarkedYAMLError as problem:
        _report_malformed(source, problem, diagnostics)
    except ReaderError as problem:
        _report_character(source, problem, diagnostics)
    except MalformedTable as problem:
        span = line_span(source, problem.line)
        diagnostics.error("SGL0602", span, problem.message, hint=shape)
    return None


def report_rows(source: SourceFile, span: Span, diagnostics: Diagnostics) -> None:
    """Report a table with too many rows."""
    diagnostics.error(
        "SGL0003",
        span,
        f"the table `{source.name}` has more than {MAX_ROWS:,} rows",
        hint="keep the most frequent words",
    )


def _report_malformed(
    source: SourceFile, problem: yaml.MarkedYAMLError, diagnostics: Diagnostics
) -> None:
    """Say where YAML cannot be read, where that began, and what signs are not its own."""
    mark = problem.problem_mark or problem.context_mark
    line = mark.line if mark is not None else 0
    began = problem.context_mark.line if problem.context_mark is not None else line
    lines = [source.line(min(n, len(source.line_starts) - 1) + 1) for n in (began, line)]
    wide = next((c for text in lines for c in text if LOOKALIKES.get(c, " ") in ',:"-'), "")
    hint = ""
    if wide:
        hint = f"if you mean `{LOOKALIKES[wide]}`, write it (of ASCII) in place of `{wide}`"
    elif any("\t" in text for text in lines):
        hint = "YAML is indented by spaces; write them in place of tabs"
    diagnostics.error(
        "SGL0601",
        line_span(source, line),
        f"this is not YAML: {problem.problem or problem}",
        labels=[Label(line_span(source, began), "in what begins here")] if began != line else [],
        hint=hint,
    )


def _report_character(source: SourceFile, problem: ReaderError, diagnostics: Diagnostics) -> None:
    code: int | str = problem.character
    character = chr(code) if isinstance(code, int) else code
    start = max(source.text.find(character), 0)
    diagnostics.error(
        "SGL0601",
        source.span(start, start + 1),
        f"this is not YAML: it has the control character U+{ord(character):04X}",
        hint="remove it; it cannot be seen in most editors",
    )


def _rows(source: SourceFile, events: Iterator[Event]) -> Iterator[Row]:
    depth = 0
    for event in events:
        if isinstance(event, SequenceStartEvent):
            depth += 1
            if depth > 1:
                raise MalformedTable(line_of(event), "a table has a list inside its list")
        elif isinstance(event, SequenceEndEvent):
            depth -= 1
        elif isinstance(event, MappingStartEvent):
            if depth == 0:
                raise MalformedTable(line_of(event), "a table is a list, this is a mapping")
            yield _row(source, event, events)
        elif isinstance(event, ScalarEvent | AliasEvent):
            if depth == 0 and isinstance(event, ScalarEvent) and not event.value:
                continue
            what = "a row of a table is a mapping from columns to values"
            if depth == 0:
                what = "a table is a list of rows, this is a single value"
            raise MalformedTable(line_of(event), what)


def _row(source: SourceFile, start: MappingStartEvent, events: Iterator[Event]) -> Row:
    line = line_of(start)
    cells: dict[str, str] = {}
    variants: dict[str, dict[str, str]] = {}
    for key, value in _pairs(line, events):
        if key in cells or key in variants:
            raise MalformedTable(line_of(value), f"the column `{key}` stands twice in a row")
        if ":" in key or "：" in key:
            colon = ":" if ":" in key else "："
            raise MalformedTable(
                line_of(value),
                f"`{key}` has no value: a column is followed by `:` and a space"
                + ("" if colon == ":" else f", and `{colon}` is another character"),
            )
        if isinstance(value, MappingStartEvent):
            variants[key] = _variant(value, events)
        else:
            cells[key] = _cell(value)
    return Row(cells, line_span(source, line), variants)


def _variant(start: MappingStartEvent, events: Iterator[Event]) -> dict[str, str]:
    """The cells of a row under some setting."""
    cells: dict[str, str] = {}
    for key, value in _pairs(line_of(start), events):
        if key in cells:
            raise MalformedTable(line_of(value), f"the column `{key}` stands twice in a variant")
        cells[key] = _cell(value)
    return cells


def _pairs(line: int, events: Iterator[Event]) -> Iterator[tuple[str, Event]]:
    """The keys of a mapping, each with the event that its value begins with."""
    for event in events:
        if isinstance(event, MappingEndEvent):
            return
        if not isinstance(event, ScalarEvent):
            raise MalformedTable(line_of(event), "the name of a column is a word")
        yield event.value, next(events)
    raise MalformedTable(line, "the table ends inside a row")


def _cell(event: Event) -> str:
    if not isinstance(event, ScalarEvent):
        raise MalformedTable(line_of(event), "a value in a table is a word or a number")
    return "" if event.value in ("~", "null") and not event.style else event.value


def cell_span(source: SourceFile, row: Row, column: str, value: str) -> Span:
    """Where a row, or one of its variants, has this value in this column; else all of the row.

    Rows keep no places of their cells; the few that are spoken of are read once more.
    """
    number, _ = source.position(row.span.start)
    begin = source.line_starts[number - 1]
    found = None
    # The lines from the row on need not be YAML by themselves.
    with suppress(yaml.YAMLError, StopIteration):
        found = _cell_mark(yaml.parse(source.text[begin:], Loader=_Loader), column, value)
    if found is None:
        return row.span
    line, start, end = found
    offset = source.line_starts[min(number - 1 + line, len(source.line_starts) - 1)]
    return source.span(offset + start, offset + end)


def _cell_mark(events: Iterator[Event], column: str, value: str) -> tuple[int, int, int] | None:
    """Line and columns (0-based) of a cell, in the first mapping of the events."""
    depth = 0
    for event in events:
        depth += isinstance(event, MappingStartEvent) - isinstance(event, MappingEndEvent)
        if isinstance(event, MappingEndEvent) and depth <= 0:
            return None
        if isinstance(event, ScalarEvent) and depth and event.value == column:
            following = next(events)
            depth += isinstance(following, MappingStartEvent)
            if isinstance(following, ScalarEvent) and following.value == value:
                first, last = following.start_mark, following.end_mark
                assert first is not None
                assert last is not None
                on_one_line = first.line == last.line
                return first.line, first.column, last.column if on_one_line else first.column + 1
    return None


def line_of(event: Event) -> int:
    """The line (0-based) that an event begins on."""
    return event.start_mark.line if event.start_mark is not None else 0


def line_span(source: SourceFile, line: int) -> Span:
    """The span of a line (0-based) without its indentation."""
    number = min(line, len(source.line_starts) - 1)
    start = source.line_starts[number]
    text = source.line(number + 1)
    indent = len(text) - len(text.lstrip())
    return source.span(start + indent, start + max(len(text), indent + 1))
