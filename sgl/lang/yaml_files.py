"""The YAML files of a grammar: tables of lexicons, relations between words, weights.

::

    - {en: dog, ja: 犬}                      a table: rows from columns to cells
    - {en: guy, ja: 男, old: {ja: 人}}       with a variant of the row

    drink: [milk, water]                     a relation: the words that a word goes with
    see:   {of: [animal, thing]}             or the kinds that they are of

    rules:                                   weights, as `sglc fit` writes them
      VP[form=past]:
        transitive: {"V[form=past] NP": 0.25}    one expansion of a rule
    words:
      Det: {the: 0.5, a: 0.5}
    lexicons:
      N: {animals: {dog: 0.2, cat: 0.1}}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import yaml
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from sgl.diagnostics import Diagnostics, SourceFile, Span
from sgl.lang.yaml_events import Cell, MalformedTable, YamlEvents, has_text, read_rows, scalar

#: The key of the kinds that words are of, in a relation.
KINDS = "of"

#: The sections that have weights; words that are declared by themselves have no parts.
_SECTIONS = ("rules", "words", "lexicons")
_WITHOUT_PARTS = "words"

#: The section of a file of weights that says where they come from, and is not looked at.
PROVENANCE = "fitted"

# ---- tables of lexicons


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row: its cells by column name, where it begins, and the cells of its variants."""

    cells: Mapping[str, str]
    span: Span
    variants: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LexiconTable:
    """A table as it was read; ``columns`` and ``variants`` in the order of their first mention.

    The columns are those of the variants as well.
    """

    name: str
    rows: tuple[TableRow, ...]
    columns: tuple[str, ...] = field(default=())
    variants: tuple[str, ...] = field(default=())


def read_table(source: SourceFile, diagnostics: Diagnostics) -> LexiconTable | None:
    """Return the table in a YAML file; None after a report."""
    shape = "a table is a list of rows such as `- {en: dog, ja: 犬}`"
    rows = read_rows(source, _table_rows, shape, lambda row: row.span, diagnostics)
    if rows is None:
        return None
    columns = dict.fromkeys(
        column for row in rows for cells in (row.cells, *row.variants.values()) for column in cells
    )
    variants = dict.fromkeys(name for row in rows for name in row.variants)
    return LexiconTable(source.name, rows, tuple(columns), tuple(variants))


def _table_rows(file: YamlEvents) -> Iterator[TableRow]:
    depth = 0
    for event in file.events:
        if isinstance(event, SequenceStartEvent):
            depth += 1
            if depth > 1:
                raise MalformedTable(event, "a table has a list inside its list")
        elif isinstance(event, SequenceEndEvent):
            depth -= 1
        elif isinstance(event, MappingStartEvent):
            if depth == 0:
                raise MalformedTable(event, "a table is a list, this is a mapping")
            yield _table_row(file, event)
        elif isinstance(event, ScalarEvent | AliasEvent):
            if depth == 0 and isinstance(event, ScalarEvent) and not event.value:
                continue
            what = "a row of a table is a mapping from columns to values"
            if depth == 0:
                what = "a table is a list of rows, this is a single value"
            raise MalformedTable(event, what)


def _table_row(file: YamlEvents, start: MappingStartEvent) -> TableRow:
    span = file.line(start)
    cells: dict[str, str] = {}
    variants: dict[str, dict[str, str]] = {}
    for key, value in _columns(file, "row", (cells, variants)):
        if (":" in key or "：" in key) and _is_missing(value):
            colon = ":" if ":" in key else "："
            raise MalformedTable(
                value,
                f"`{key}` has no value: a column is followed by `:` and a space"
                + ("" if colon == ":" else f", and `{colon}` is another character"),
            )
        if isinstance(value, MappingStartEvent):
            own = variants[key] = {}
            for column, cell in _columns(file, "variant", (own,)):
                own[column] = _cell_text(cell)
        else:
            cells[key] = _cell_text(value)
    return TableRow(cells, span, variants)


def _columns(
    file: YamlEvents, whole: str, known: tuple[Mapping[str, object], ...]
) -> Iterator[tuple[str, Event]]:
    """Yield the columns of a row, or of a variant, with the first events of their values."""
    for key, value in file.pairs("the name of a column is a word"):
        if any(key.value in columns for columns in known):
            raise MalformedTable(value, f"the column `{key.value}` occurs twice in a {whole}")
        yield key.value, value


def _is_missing(value: Event) -> bool:
    """Return whether nothing at all stands where a value is read: ``{en:dog}`` is a key alone."""
    return isinstance(value, ScalarEvent) and not value.value and not value.style


def _cell_text(event: Event) -> str:
    value = scalar(event, "a value in a table is a word or a number")
    return value.value if has_text(value) else ""


def cell_span(source: SourceFile, row: TableRow, column: str, value: str) -> Span:
    """Return where a row, or one of its variants, has this value in this column; else the row.

    Rows keep no places of their cells; the few that are spoken of are read once more.
    """
    number, _ = source.position(row.span.start)
    begin = source.line_starts[number - 1]
    # The lines from the row on need not be YAML by themselves.
    with suppress(yaml.YAMLError, StopIteration):
        event = _cell_event(YamlEvents(source, begin).events, column, value)
        if event is not None and event.start_mark is not None and event.end_mark is not None:
            first, last = event.start_mark, event.end_mark
            line = source.line_starts[min(number - 1 + first.line, len(source.line_starts) - 1)]
            end = last.column if first.line == last.line else first.column + 1
            return source.span(line + first.column, line + end)
    return row.span


def _cell_event(events: Iterator[Event], column: str, value: str) -> ScalarEvent | None:
    """Return the event of a cell, in the first mapping of the events."""
    depth = 0
    for event in events:
        depth += isinstance(event, MappingStartEvent) - isinstance(event, MappingEndEvent)
        if isinstance(event, MappingEndEvent) and depth <= 0:
            return None
        if isinstance(event, ScalarEvent) and depth and event.value == column:
            following = next(events)
            depth += isinstance(following, MappingStartEvent)
            if isinstance(following, ScalarEvent) and following.value == value:
                return following
    return None


# ---- relations between words


@dataclass(frozen=True, slots=True)
class RelationRow:
    """A word with those that it goes with: ``words``, and all words of ``kinds``."""

    word: Cell
    words: tuple[Cell, ...]
    kinds: tuple[Cell, ...]


def read_relation(source: SourceFile, diagnostics: Diagnostics) -> tuple[RelationRow, ...] | None:
    """Return the rows of a relation in a YAML file, in their order; None after a report."""
    shape = "a relation has rows such as `drink: [milk, water]` or `see: {of: [animal]}`"
    return read_rows(source, _relation_rows, shape, lambda row: row.word.span, diagnostics)


def _relation_rows(file: YamlEvents) -> Iterator[RelationRow]:
    for event in file.events:
        if isinstance(event, MappingStartEvent):
            for key, value in file.pairs(_SINGLE):
                word = Cell(key.value, file.line(key))
                if isinstance(value, MappingStartEvent):
                    yield RelationRow(word, (), _related_kinds(file, value))
                else:
                    yield RelationRow(word, _related_words(file, value), ())
        elif isinstance(event, SequenceStartEvent) or has_text(event):
            raise MalformedTable(event, "a relation is a mapping from words to words")


_SINGLE = "a relation is between single words"


def _related_kinds(file: YamlEvents, start: MappingStartEvent) -> tuple[Cell, ...]:
    key = next(file.events)
    if not (isinstance(key, ScalarEvent) and key.value == KINDS):
        raise MalformedTable(start, f"the kinds of words are written after `{KINDS}:`")
    cells = _related_words(file, next(file.events))
    end = next(file.events)
    if not isinstance(end, MappingEndEvent):
        raise MalformedTable(end, f"a row has nothing else beside `{KINDS}`")
    return cells


def _related_words(file: YamlEvents, start: Event) -> tuple[Cell, ...]:
    """Return the words of a list; an empty row has none."""
    if isinstance(start, ScalarEvent) and not has_text(start):
        return ()
    if not isinstance(start, SequenceStartEvent):
        raise MalformedTable(start, "a word goes with a list of words")
    return tuple(Cell(scalar(item, _SINGLE).value, file.line(item)) for item in file.items())


# ---- weights


@dataclass(frozen=True, slots=True)
class WeightRow:
    """One weight: ``part`` is None where it is that of the whole rule or lexicon."""

    section: str
    category: Cell
    name: Cell
    part: Cell | None
    weight: Cell


def read_weights(source: SourceFile, diagnostics: Diagnostics) -> tuple[WeightRow, ...] | None:
    """Return the weights in a YAML file, in their order; None after a report."""
    shape = "a file of weights has rows such as `NP: {np: 2, np_pp: 1}` below `rules:`"
    return read_rows(source, _weight_rows, shape, lambda row: row.name.span, diagnostics)


def _weight_rows(file: YamlEvents) -> Iterator[WeightRow]:
    for event in file.events:
        if isinstance(event, MappingStartEvent):
            for section, start in _named(file):
                if section.value == PROVENANCE:
                    _skip(file.events, start)
                elif section.value not in _SECTIONS:
                    known = ", ".join(f"`{name}`" for name in _SECTIONS)
                    message = f"there is no section `{section.value}`; there are {known}"
                    raise MalformedTable(section, message)
                elif isinstance(start, MappingStartEvent):
                    yield from _section_rows(file, section.value)
                elif has_text(start) or not isinstance(start, ScalarEvent):
                    raise MalformedTable(start, "a section is a mapping from categories")
        elif isinstance(event, CollectionStartEvent) or has_text(event):
            raise MalformedTable(event, "a file of weights is a mapping")


def _section_rows(file: YamlEvents, section: str) -> Iterator[WeightRow]:
    for key, below in _named(file):
        category = _weight_cell(file, key)
        if not isinstance(below, MappingStartEvent):
            message = f"below `{category.text}` are the names of what builds it"
            raise MalformedTable(below, message)
        for name_key, start in _named(file):
            name = _weight_cell(file, name_key)
            if not isinstance(start, MappingStartEvent):
                yield WeightRow(section, category, name, None, _weight_cell(file, start))
            elif section == _WITHOUT_PARTS:
                raise MalformedTable(start, "the weight of a word is a number")
            else:
                for part, weight in _named(file):
                    cells = _weight_cell(file, part), _weight_cell(file, weight)
                    yield WeightRow(section, category, name, *cells)


_NAME_OR_NUMBER = "a name or a number is needed here"


def _weight_cell(file: YamlEvents, event: Event) -> Cell:
    return Cell(scalar(event, _NAME_OR_NUMBER).value, file.place(event))


def _named(file: YamlEvents) -> Iterator[tuple[ScalarEvent, Event]]:
    """Yield the keys of a mapping, each once, with the first events of their values."""
    seen: set[str] = set()
    for key, value in file.pairs(_NAME_OR_NUMBER):
        if key.value in seen:
            raise MalformedTable(key, f"`{key.value}` occurs here twice")
        seen.add(key.value)
        yield key, value


def _skip(events: Iterator[Event], start: Event) -> None:
    """Go past a value, whatever it is."""
    depth = int(isinstance(start, CollectionStartEvent))
    while depth:
        event = next(events)
        if isinstance(event, StreamEndEvent):
            return
        depth += isinstance(event, CollectionStartEvent)
        depth -= isinstance(event, CollectionEndEvent)
