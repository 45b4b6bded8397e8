"""Read a file of weights, as ``sglc fit`` writes it or an author does by hand.

Three sections, each a mapping from categories to the weights of what builds them::

    rules:
      S[form=past]:
        active: 0.5
      VP[form=past]:
        transitive: {"V[form=past] NP": 0.25}      one expansion of a rule
    words:
      Det: {the: 0.5, a: 0.5}
    lexicons:
      N:
        animals: {dog: 0.2, cat: 0.1}

A section ``fitted`` says where the weights come from and is not looked at.  The file
is read as a stream of events, like a lexicon table (:mod:`sgl.lang.yaml_table`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from yaml.events import (
    CollectionEndEvent,
    CollectionStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    StreamEndEvent,
)

from sgl.diagnostics import Diagnostics, SourceFile, Span
from sgl.lang.yaml_relation import Cell
from sgl.lang.yaml_table import MAX_ROWS, MalformedTable, line_of, read_events, report_rows

#: The sections that have weights; words that are declared by themselves have no parts.
_SECTIONS = ("rules", "words", "lexicons")
_WITHOUT_PARTS = "words"

#: The section that says where the weights come from.
PROVENANCE = "fitted"

_SHAPE = "a file of weights has rows such as `NP: {np: 2, np_pp: 1}` below `rules:`"


@dataclass(frozen=True, slots=True)
class WeightRow:
    """One weight: ``part`` is None where it is that of the whole rule or lexicon."""

    section: str
    category: Cell
    name: Cell
    part: Cell | None
    weight: Cell


def read_weights(source: SourceFile, diagnostics: Diagnostics) -> tuple[WeightRow, ...] | None:
    """The weights in a YAML file, in their order; None after a report."""
    rows = read_events(
        source,
        lambda events: tuple(islice(_Reader(source, events).rows(), MAX_ROWS + 1)),
        _SHAPE,
        diagnostics,
    )
    if rows is not None and len(rows) > MAX_ROWS:
        report_rows(source, rows[-1].name.span, diagnostics)
        return None
    return rows


class _Reader:
    """One pass over the events of a file."""

    def __init__(self, source: SourceFile, events: Iterator[Event]) -> None:
        self._source = source
        self._events = events

    def rows(self) -> Iterator[WeightRow]:
        """The rows of all sections, one after the other."""
        for event in self._events:
            if isinstance(event, MappingStartEvent):
                yield from self._mapping(self._section)
            elif isinstance(event, CollectionStartEvent) or _has_text(event):
                raise MalformedTable(line_of(event), "a file of weights is a mapping")

    def _mapping(self, inner: Callable[[Cell], Iterator[WeightRow]]) -> Iterator[WeightRow]:
        """What ``inner`` reads after each key, up to the end of the mapping."""
        seen: set[str] = set()
        for event in self._events:
            if isinstance(event, MappingEndEvent):
                return
            key = self._cell(event)
            if key.text in seen:
                raise MalformedTable(line_of(event), f"`{key.text}` stands here twice")
            seen.add(key.text)
            yield from inner(key)

    def _section(self, name: Cell) -> Iterator[WeightRow]:
        start = next(self._events)
        if name.text == PROVENANCE:
            self._skip(start)
            return
        if name.text not in _SECTIONS:
            known = ", ".join(f"`{section}`" for section in _SECTIONS)
            line = self._source.position(name.span.start)[0] - 1
            raise MalformedTable(line, f"there is no section `{name.text}`; there are {known}")
        if not isinstance(start, MappingStartEvent):
            if _has_text(start):
                raise MalformedTable(line_of(start), "a section is a mapping from categories")
            return
        yield from self._mapping(lambda category: self._category(name.text, category))

    def _category(self, section: str, category: Cell) -> Iterator[WeightRow]:
        start = next(self._events)
        if not isinstance(start, MappingStartEvent):
            message = f"below `{category.text}` stand the names of what builds it"
            raise MalformedTable(line_of(start), message)
        yield from self._mapping(lambda name: self._name(section, category, name))

    def _name(self, section: str, category: Cell, name: Cell) -> Iterator[WeightRow]:
        start = next(self._events)
        if not isinstance(start, MappingStartEvent):
            yield WeightRow(section, category, name, None, self._cell(start))
            return
        if section == _WITHOUT_PARTS:
            raise MalformedTable(line_of(start), "the weight of a word is a number")

        def part(key: Cell) -> Iterator[WeightRow]:
            yield WeightRow(section, category, name, key, self._cell(next(self._events)))

        yield from self._mapping(part)

    def _skip(self, start: Event) -> None:
        """Go past a value, whatever it is."""
        depth = int(isinstance(start, CollectionStartEvent))
        while depth:
            event = next(self._events)
            if isinstance(event, StreamEndEvent):
                return
            depth += isinstance(event, CollectionStartEvent)
            depth -= isinstance(event, CollectionEndEvent)

    def _cell(self, event: Event) -> Cell:
        if not isinstance(event, ScalarEvent):
            raise MalformedTable(line_of(event), "here stands a name or a number")
        return Cell(event.value, self._span(event))

    def _span(self, event: Event) -> Span:
        """The very place of a value, which may share its line with others."""
        begin, end = event.start_mark, event.end_mark
        if begin is None or end is None or begin.line >= len(self._source.line_starts):
            return self._source.span(0, 1)
        start = self._source.line_starts[begin.line] + begin.column
        width = end.column - begin.column if end.line == begin.line else 1
        return self._source.span(start, start + max(width, 1))


def _has_text(event: Event) -> bool:
    """Whether an event is a value that is not empty."""
    return isinstance(event, ScalarEvent) and bool(event.value or event.style)
