"""The YAML files of a grammar: tables of lexicons, relations between words, weights.

::

    - {en: guy, ja: 男, old: {ja: 人}}       a table: rows, with variants, from columns to cells
    see:   {of: [animal, thing]}             a relation: the words or the kinds for a word

    rules:                                   weights, as `sglc fit` writes them
      VP[form=past]:
        transitive: {"V[form=past] NP": 0.25}    one expansion of a rule

They are read as texts, lists and mappings, never as Python objects.  A file can neither construct anything nor
exhaust the stack or the memory: nothing goes deeper than the shapes that are asked for, and no value is repeated by
an alias.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

import yaml
from yaml.reader import ReaderError

from sgl.characters import CONFUSABLES, code_of, hidden
from sgl.diagnostics import Diagnostics, Label, SourceFile, Span
from sgl.foreign import limits
from sgl.lang.chunks import REMOVE
from sgl.lang.syntax import Name

#: Rows that a table may have.
MAX_ROWS = 200_000

#: Lists and mappings may stand in one another this deep; no shape needs more.
MAX_DEPTH = 5

_Row = TypeVar("_Row")
_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_INDENT = re.compile(r"\s*")

#: What stands for no value, where it is not quoted.
_EMPTY = ("", "~", "null")


class YamlNode:
    """A value: a ``text``, the ``items`` of a list, or the ``pairs`` of a mapping.

    ``event`` is where it begins.  What a whole document consists of is read as it is asked
    for, once; a table is never kept as nodes.
    """

    items: "Iterable[YamlNode] | None" = None
    pairs: "Iterable[tuple[YamlNode, YamlNode]] | None" = None

    def __init__(self, event: yaml.Event) -> None:
        self.event = event
        self.text: str | None = event.value if isinstance(event, yaml.ScalarEvent) else None

    @property
    def is_empty(self) -> bool:
        """Whether it is a value with nothing in it: ``x:``, ``x: ~`` or ``x: null``."""
        return self.text in _EMPTY and isinstance(self.event, yaml.ScalarEvent) and not self.event.style


class MalformedTable(Exception):
    """A YAML file of another shape: the value that does not fit, and why; it may have a character that ``hides``."""

    def __init__(self, node: YamlNode, message: str, *, hides: bool = False) -> None:
        super().__init__(message)
        self.node, self.message, self.hides = node, message, hides


@dataclass(frozen=True)
class YamlFile:
    """A file, or what follows the beginning of a line (0-based) in it."""

    source: SourceFile
    first: int = 0

    def documents(self) -> Iterator[YamlNode]:
        """Yield the value of each document; ``MalformedTable`` if it is too deep, or an alias."""
        begin = self.source.line_starts[self.first]
        events: Iterator[yaml.Event] = yaml.parse(self.source.text[begin:], Loader=_LOADER)
        for event in events:
            if isinstance(event, yaml.NodeEvent):
                yield _node(event, events, 0)

    def name(self, node: YamlNode, what: str) -> Name:
        """Return a text with its place, which may share its line with others; ``what`` says what it should be."""
        return Name(text_of(node, what), self.place(node))

    def line(self, node: YamlNode) -> Span:
        """Return the span of the line that a value begins on, without its indentation."""
        mark = node.event.start_mark
        return _line(self.source, self.first + (mark.line if mark is not None else 0))

    def place(self, node: YamlNode) -> Span:
        """Return the span of a value."""
        begin, end, starts = node.event.start_mark, node.event.end_mark, self.source.line_starts
        if begin is None or end is None or self.first + begin.line >= len(starts):
            return self.source.span(0, 1)
        start = starts[self.first + begin.line] + begin.column
        width = end.column - begin.column if end.line == begin.line else 1
        return self.source.span(start, start + max(width, 1))


def _node(event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> YamlNode:
    """Return the value that begins with an event; the events after it are left."""
    node = YamlNode(event)
    if isinstance(event, yaml.AliasEvent):
        raise MalformedTable(node, f"`*{event.anchor}` stands for another value: write that value")
    if depth >= MAX_DEPTH:
        raise MalformedTable(node, "this is nested too deep")
    parts = _parts(events, depth + 1)
    if isinstance(event, yaml.MappingStartEvent):
        pairs = zip(parts, parts, strict=True)
        node.pairs = list(pairs) if depth else pairs
    elif isinstance(event, yaml.SequenceStartEvent):
        node.items = list(parts) if depth else parts
    return node


def _parts(events: Iterator[yaml.Event], depth: int) -> Iterator[YamlNode]:
    """Yield the items of a list, or the keys and values of a mapping by turns, up to its end."""
    for event in events:
        if isinstance(event, yaml.CollectionEndEvent):
            return
        yield YamlNode(event) if isinstance(event, yaml.ScalarEvent) else _node(event, events, depth)


def text_of(node: YamlNode, what: str) -> str:
    """Return a value that is a plain text, as ``what`` says; raise ``MalformedTable`` for any other."""
    if node.text is None:
        raise MalformedTable(node, what)
    at = hidden(node.text)
    if at >= 0:
        message = f"this value has a character that cannot be seen, {code_of(node.text[at])}"
        raise MalformedTable(node, message, hides=True)
    return node.text


def read_rows(
    source: SourceFile,
    rows: Callable[[YamlFile, YamlNode], Iterator[_Row]],
    shape: str,
    span: Callable[[_Row], Span],
    diagnostics: Diagnostics,
) -> tuple[_Row, ...] | None:
    """Return the rows that a function finds in the documents of a file; None after a report.

    Where the function raises ``MalformedTable``, ``shape`` tells what is right; ``span`` says where a row is.
    """
    file = YamlFile(source)
    try:
        found = (row for root in file.documents() for row in rows(file, root))
        kept = tuple(islice(found, MAX_ROWS + 1))
    except yaml.MarkedYAMLError as problem:
        _report_malformed(source, problem, diagnostics)
    except ReaderError as problem:
        character = chr(problem.character) if isinstance(problem.character, int) else problem.character
        start = max(source.text.find(character), 0)
        message = f"this is not YAML: it has the control character U+{ord(character):04X}"
        hint = "remove it; it cannot be seen in most editors"
        diagnostics.error("SGL0601", source.span(start, start + 1), message, hint)
    except MalformedTable as problem:
        if problem.hides:
            # The character, or the value if it is written there as an escape.
            place = file.place(problem.node)
            at = place.start + hidden(source.text[place.start : place.end])
            place = place if at < place.start else source.span(at, at + 1)
            diagnostics.error("SGL0107", place, problem.message, REMOVE)
        else:
            diagnostics.error("SGL0602", file.line(problem.node), problem.message, shape)
    else:
        if len(kept) <= MAX_ROWS:
            return kept
        message = f"the table `{source.name}` has more than {MAX_ROWS:,} rows"
        diagnostics.error("SGL0003", span(kept[-1]), message, "keep the most frequent words")
    return None


def _line(source: SourceFile, line: int) -> Span:
    """Return the span of a line (0-based) without its indentation."""
    starts, text = source.line_starts, source.text
    number = min(line, len(starts) - 1)
    end = starts[number + 1] if number + 1 < len(starts) else len(text)
    while end > starts[number] and text[end - 1] in "\r\n":
        end -= 1
    # A line may be as long as the file, and have all of its values: it is not copied.
    found = _INDENT.match(text, starts[number], end)
    begin = found.end() if found is not None else end
    return source.span(begin, max(end, begin + 1))


def _report_malformed(source: SourceFile, problem: yaml.MarkedYAMLError, diagnostics: Diagnostics) -> None:
    """Say where YAML cannot be read, where that began, and what signs are not its own."""
    mark = problem.problem_mark or problem.context_mark
    line = mark.line if mark is not None else 0
    began = problem.context_mark.line if problem.context_mark is not None else line
    lines = [source.line(min(n, len(source.line_starts) - 1) + 1) for n in (began, line)]
    wide = next((c for text in lines for c in text if CONFUSABLES.get(c, " ") in ',:"-'), "")
    hint = f"if you mean `{CONFUSABLES[wide]}`, write it (of ASCII) in place of `{wide}`" if wide else ""
    if not wide and any("\t" in text for text in lines):
        hint = "YAML is indented by spaces; write them in place of tabs"
    elif not wide and began != line and "indicator" in str(problem.problem):
        hint = "the columns of a row begin exactly below one another"
    labels = [Label(_line(source, began), "in what begins here")] if began != line else []
    # PyYAML looks ahead, and may give up before MAX_DEPTH is reached.
    deep = "nesting depth" in str(problem.problem)
    code, said = ("SGL0602", "nested too deep") if deep else ("SGL0601", f"not YAML: {problem.problem or problem}")
    diagnostics.error(code, _line(source, line), f"this is {said}", hint, labels=labels)


_CELL = "a value in a table is a word or a number"

#: The key of the kinds that words are of, in a relation.
KINDS = "of"

#: The sections that have weights; words that are declared by themselves have no parts.
_SECTIONS = ("rules", "words", "lexicons")
_WITHOUT_PARTS = "words"

#: The section of a file of weights that says where they come from, and is not looked at.
PROVENANCE = "fitted"


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row: its cells by column name, where it begins, and the cells of its variants."""

    cells: Mapping[str, str]
    span: Span
    variants: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LexiconTable:
    """A table as it was read, its ``columns`` and ``variants`` in the order of first mention."""

    name: str
    rows: tuple[TableRow, ...]
    columns: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()


def read_table(source: SourceFile, diagnostics: Diagnostics) -> LexiconTable | None:
    """Return the table in a YAML file; None after a report."""
    shape = "a table is a list of rows such as `- {en: dog, ja: 犬}`"
    rows = read_rows(source, _table_rows, shape, lambda row: row.span, diagnostics)
    if rows is None:
        return None
    columns = dict.fromkeys(column for row in rows for cells in (row.cells, *row.variants.values()) for column in cells)
    variants = dict.fromkeys(name for row in rows for name in row.variants)
    return LexiconTable(source.name, rows, tuple(columns), tuple(variants))


def _table_rows(file: YamlFile, root: YamlNode) -> Iterator[TableRow]:
    if root.pairs is not None:
        raise MalformedTable(root, "a table is a list, this is a mapping")
    if root.text:
        raise MalformedTable(root, "a table is a list of rows, this is a single value")
    for node in root.items or ():
        if node.pairs is None:
            a_list, other = "a table has a list inside its list", "a row of a table is a mapping from columns to values"
            raise MalformedTable(node, other if node.items is None else a_list)
        cells: dict[str, str] = {}
        variants: dict[str, dict[str, str]] = {}
        for column, value in _columns(node, "row"):
            colon = ":" if ":" in column else "：" if "：" in column else ""
            if colon and not value.text and value.is_empty:
                # `{en:dog}` is a key alone.
                more = "" if colon == ":" else f", and `{colon}` is another character"
                message = f"`{column}` has no value: a column is followed by `:` and a space"
                raise MalformedTable(value, message + more)
            if value.pairs is None:
                cells[column] = text_of(value, _CELL) if not value.is_empty else ""
            else:
                pairs = _columns(value, "variant")
                variants[column] = {name: "" if cell.is_empty else text_of(cell, _CELL) for name, cell in pairs}
        yield TableRow(cells, file.line(node), variants)


def _columns(node: YamlNode, whole: str) -> Iterator[tuple[str, YamlNode]]:
    seen: set[str] = set()
    for key, value in node.pairs or ():
        if len(seen) == limits().columns:
            message = f"a {whole} has more than {len(seen):,} columns; `--limit columns=NUMBER` allows more"
            raise MalformedTable(value, message)
        column = text_of(key, "the name of a column is a word")
        if column in seen:
            raise MalformedTable(value, f"the column `{column}` occurs twice in a {whole}")
        seen.add(column)
        yield column, value


def cell_span(source: SourceFile, row: TableRow, column: str, value: str) -> Span:
    """Return where a row, or one of its variants, has this value in this column; else the row.

    Rows keep no places of their cells; the few that are spoken of are read once more.
    """
    file = YamlFile(source, source.position(row.span.start)[0] - 1)
    # The lines from the row on need not be YAML by themselves.
    with suppress(yaml.YAMLError, MalformedTable, StopIteration):
        root = next(file.documents())
        node = root if root.items is None else next(iter(root.items))
        pairs = list(node.pairs or ())
        pairs += [pair for _, variant in pairs for pair in variant.pairs or ()]
        for key, cell in pairs:
            if key.text == column and cell.text == value:
                return file.place(cell)
    return row.span


@dataclass(frozen=True, slots=True)
class RelationRow:
    """A word with those that it goes with: ``words``, and all words of ``kinds``."""

    word: Name
    words: tuple[Name, ...]
    kinds: tuple[Name, ...]


_SINGLE = "a relation is between single words"


def read_relation(source: SourceFile, diagnostics: Diagnostics) -> tuple[RelationRow, ...] | None:
    """Return the rows of a relation in a YAML file, in their order; None after a report."""
    shape = "a relation has rows such as `drink: [milk, water]` or `see: {of: [animal]}`"
    return read_rows(source, _relation_rows, shape, lambda row: row.word.span, diagnostics)


def _relation_rows(file: YamlFile, root: YamlNode) -> Iterator[RelationRow]:
    if root.pairs is None and not root.is_empty:
        raise MalformedTable(root, "a relation is a mapping from words to words")
    for key, value in root.pairs or ():
        word, listed = Name(text_of(key, _SINGLE), file.line(key)), value
        if value.pairs is not None:
            (kind, listed), *more = list(value.pairs) or [(value, value)]
            if kind.text != KINDS:
                raise MalformedTable(value, f"the kinds of words are written after `{KINDS}:`")
            if more:
                raise MalformedTable(more[0][0], f"a row has nothing else beside `{KINDS}`")
        if listed.items is None and not listed.is_empty:
            raise MalformedTable(listed, "a word goes with a list of words")
        names = tuple(Name(text_of(item, _SINGLE), file.line(item)) for item in listed.items or ())
        yield RelationRow(word, *((names, ()) if value.pairs is None else ((), names)))


@dataclass(frozen=True, slots=True)
class WeightRow:
    """One weight: ``part`` is None where it is that of the whole rule or lexicon."""

    section: str
    category: Name
    name: Name
    part: Name | None
    weight: Name


_NAME_OR_NUMBER = "a name or a number is needed here"


def read_weights(source: SourceFile, diagnostics: Diagnostics) -> tuple[WeightRow, ...] | None:
    """Return the weights in a YAML file, in their order; None after a report."""
    shape = "a file of weights has rows such as `NP: {np: 2, np_pp: 1}` below `rules:`"
    return read_rows(source, _weight_rows, shape, lambda row: row.name.span, diagnostics)


def _weight_rows(file: YamlFile, root: YamlNode) -> Iterator[WeightRow]:
    sections = _named(file, root, "a file of weights is a mapping", (*_SECTIONS, PROVENANCE))
    for section, categories in ((name.text, node) for name, node in sections if name.text != PROVENANCE):
        for category, names in _named(file, categories, "a section is a mapping from categories"):
            below = f"below `{category}` are the names of what builds it"
            if names.pairs is None:
                raise MalformedTable(names, below)
            for name, value in _named(file, names, below):
                if value.pairs is not None and section == _WITHOUT_PARTS:
                    raise MalformedTable(value, "the weight of a word is a number")
                cells = [(None, value)] if value.pairs is None else _named(file, value, below)
                for part, cell in cells:
                    yield WeightRow(section, category, name, part, file.name(cell, _NAME_OR_NUMBER))


def _named(file: YamlFile, node: YamlNode, what: str, known: Sequence[str] = ()) -> Iterator[tuple[Name, YamlNode]]:
    """Yield the keys of a mapping, each once and ``known`` if any are, with their values."""
    if node.pairs is None and not node.is_empty:
        raise MalformedTable(node, what)
    seen: set[str] = set()
    for key, value in node.pairs or ():
        name = file.name(key, _NAME_OR_NUMBER)
        if known and name.text not in known:
            sections = ", ".join(f"`{section}`" for section in _SECTIONS)
            raise MalformedTable(key, f"there is no section `{name}`; there are {sections}")
        if name.text in seen:
            raise MalformedTable(key, f"`{name}` occurs here twice")
        seen.add(name.text)
        yield name, value
