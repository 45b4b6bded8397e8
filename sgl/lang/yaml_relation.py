"""Read the table of a relation: which words go with which.

A YAML mapping from a word to a list of words, or to the kinds that they are of::

    drink: [milk, water]
    see:   {of: [animal, thing]}

It is read as a stream of events, like a lexicon table (:mod:`sgl.lang.yaml_table`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from yaml.events import (
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from sgl.diagnostics import Diagnostics, SourceFile, Span
from sgl.lang.yaml_table import (
    MAX_ROWS,
    MalformedTable,
    line_of,
    line_span,
    read_events,
    report_rows,
)

#: The key of the kinds that words are of.
KINDS = "of"

_SHAPE = "a relation has rows such as `drink: [milk, water]` or `see: {of: [animal]}`"


@dataclass(frozen=True, slots=True)
class Cell:
    """A word or the name of a kind, and the line that it stands on."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class RelationRow:
    """A word with those that it goes with: ``words``, and all words of ``kinds``."""

    word: Cell
    words: tuple[Cell, ...]
    kinds: tuple[Cell, ...]


def read_relation(source: SourceFile, diagnostics: Diagnostics) -> tuple[RelationRow, ...] | None:
    """The rows of a relation in a YAML file, in their order; None after a report."""
    rows = read_events(
        source,
        lambda events: tuple(islice(_Reader(source, events).rows(), MAX_ROWS + 1)),
        _SHAPE,
        diagnostics,
    )
    if rows is not None and len(rows) > MAX_ROWS:
        report_rows(source, rows[-1].word.span, diagnostics)
        return None
    return rows


class _Reader:
    """One pass over the events of a file."""

    def __init__(self, source: SourceFile, events: Iterator[Event]) -> None:
        self._source = source
        self._events = events

    def rows(self) -> Iterator[RelationRow]:
        """The rows, one after the other."""
        for event in self._events:
            if isinstance(event, MappingStartEvent):
                yield from self._mapping()
            elif isinstance(event, SequenceStartEvent) or _has_text(event):
                raise MalformedTable(line_of(event), "a relation is a mapping from words to words")

    def _mapping(self) -> Iterator[RelationRow]:
        """The rows up to the end of the mapping; ``rows`` reads what is after it."""
        for event in self._events:
            if isinstance(event, MappingEndEvent):
                return
            word = self._cell(event)
            following = next(self._events)
            if isinstance(following, MappingStartEvent):
                yield RelationRow(word, (), self._kinds(following))
            else:
                yield RelationRow(word, self._cells(following), ())

    def _kinds(self, start: MappingStartEvent) -> tuple[Cell, ...]:
        key = next(self._events)
        if not (isinstance(key, ScalarEvent) and key.value == KINDS):
            raise MalformedTable(line_of(start), f"the kinds of words stand after `{KINDS}:`")
        cells = self._cells(next(self._events))
        end = next(self._events)
        if not isinstance(end, MappingEndEvent):
            raise MalformedTable(line_of(end), f"a row has nothing else beside `{KINDS}`")
        return cells

    def _cells(self, start: Event) -> tuple[Cell, ...]:
        """The words of a list; those of an empty row are none."""
        if isinstance(start, ScalarEvent) and not _has_text(start):
            return ()
        if not isinstance(start, SequenceStartEvent):
            raise MalformedTable(line_of(start), "a word goes with a list of words")
        cells = []
        for event in self._events:
            if isinstance(event, SequenceEndEvent | StreamEndEvent):
                break
            cells.append(self._cell(event))
        return tuple(cells)

    def _cell(self, event: Event) -> Cell:
        if not isinstance(event, ScalarEvent):
            raise MalformedTable(line_of(event), "a relation is between single words")
        return Cell(event.value, line_span(self._source, line_of(event)))


def _has_text(event: Event) -> bool:
    """Whether an event is a value that is not empty."""
    return isinstance(event, ScalarEvent) and (
        bool(event.style) or event.value not in ("", "~", "null")
    )
