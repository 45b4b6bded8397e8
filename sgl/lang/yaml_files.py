"""Read YAML files safely, among them tables, the rows of lexicons.

::

    - {en: guy, ja: 男, old: {ja: 人}}       a row, with a variant, from columns to cells

Files are read as texts, lists and mappings, never as Python objects.  A file can neither construct objects nor exhaust
the stack or the memory: nesting is limited to the shapes in use, and aliases are refused.  Grammars read files with
places for messages (:func:`read_rows`); settings and other files without places are plain values (:func:`yaml_of`).
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TypeVar

import yaml
from yaml.reader import ReaderError

from sgl.characters import CONFUSABLES, code_of, hidden
from sgl.diagnostics import Diagnostics, Label, SourceFile, Span
from sgl.foreign import ForeignFileError, limits, raising
from sgl.lang.chunks import REMOVE
from sgl.lang.syntax import Name
from sgl.lang.tables import LexiconTable, TableRow
from sgl.values import dataclass

MAX_ROWS = 200_000

#: Maximum nesting of lists and mappings; no shape needs more.
MAX_DEPTH = 5

_Row = TypeVar("_Row")
_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_INDENT = re.compile(r"\s*")

#: Unquoted texts for an empty value.
_EMPTY = ("", "~", "null")


class YamlNode:
    """A value: a ``text``, the ``items`` of a list, or the ``pairs`` of a mapping.

    ``event`` is its beginning.  The parts of a document are read lazily, once; a table is never stored as nodes.
    """

    items: "Iterable[YamlNode] | None" = None
    pairs: "Iterable[tuple[YamlNode, YamlNode]] | None" = None

    def __init__(self, event: yaml.Event) -> None:
        self.event = event
        self.text: str | None = event.value if isinstance(event, yaml.ScalarEvent) else None

    @property
    def is_empty(self) -> bool:
        """Whether the value is empty: ``x:``, ``x: ~`` or ``x: null``."""
        return self.text in _EMPTY and isinstance(self.event, yaml.ScalarEvent) and not self.event.style


class MalformedTable(Exception):
    """A YAML file with the wrong shape: the unfitting value, and why; ``hides`` if it has an invisible character."""

    def __init__(self, node: YamlNode, message: str, *, hides: bool = False) -> None:
        super().__init__(message)
        self.node, self.message, self.hides = node, message, hides


@dataclass(frozen=True)
class YamlFile:
    """A YAML file, or the rest of it from a line (0-based) on."""

    source: SourceFile
    first: int = 0

    def documents(self) -> Iterator[YamlNode]:
        """Yield the value of each document; raise ``MalformedTable`` if it is too deep, or an alias."""
        begin = self.source.line_starts[self.first]
        events: Iterator[yaml.Event] = yaml.parse(self.source.text[begin:], Loader=_LOADER)
        for event in events:
            if isinstance(event, yaml.NodeEvent):
                yield _node(event, events, 0)

    def name(self, node: YamlNode, what: str) -> Name:
        """Return a text with its place, which may be part of a line; ``what`` describes the expected value."""
        return Name(text_of(node, what), self.place(node))

    def line(self, node: YamlNode) -> Span:
        """Return the span of the line on which a value begins, without its indentation."""
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
    """Return the value that begins with an event, and leave the events after it."""
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
    """Yield the items of a list, or the keys and values of a mapping in turn, up to its end."""
    for event in events:
        if isinstance(event, yaml.CollectionEndEvent):
            return
        yield YamlNode(event) if isinstance(event, yaml.ScalarEvent) else _node(event, events, depth)


def text_of(node: YamlNode, what: str) -> str:
    """Return a plain text; raise ``MalformedTable`` with ``what`` for any other value."""
    if node.text is None:
        raise MalformedTable(node, what)
    at = hidden(node.text)
    if at >= 0:
        message = f"this value has an invisible character, {code_of(node.text[at])}"
        raise MalformedTable(node, message, hides=True)
    return node.text


def read_rows(
    source: SourceFile,
    rows: Callable[[YamlFile, YamlNode], Iterator[_Row]],
    shape: str,
    span: Callable[[_Row], Span],
    diagnostics: Diagnostics,
) -> tuple[_Row, ...] | None:
    """Return the rows that a function finds in the documents of a file; report errors and return None.

    If the function raises ``MalformedTable``, ``shape`` describes the right shape; ``span`` returns the place of a row.
    """
    file = YamlFile(source)
    try:
        found = (row for root in file.documents() for row in rows(file, root))
        kept = tuple(islice(found, MAX_ROWS + 1))
    except yaml.MarkedYAMLError as problem:
        _report_malformed(source, problem, diagnostics)
    except ReaderError as problem:
        start, message = _control(problem, source)
        hint = "remove it; most editors do not show it"
        diagnostics.error("SGL0601", source.span(start, start + 1), f"this is not YAML: {message}", hint)
    except MalformedTable as problem:
        if problem.hides:
            # Point at the character, or at the whole value if the character is escaped.
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


def _control(problem: ReaderError, source: SourceFile) -> tuple[int, str]:
    """Return the position of a character that YAML does not allow, and a message."""
    character = chr(problem.character) if isinstance(problem.character, int) else problem.character
    return max(source.text.find(character), 0), f"it has the control character U+{ord(character):04X}"


def yaml_of(text: str, path: Path, *, typed: bool = False) -> object:
    """Return the content of a YAML file without duplicate names; raise ``ForeignFileError``.

    With ``typed``, an unquoted value can be a number, true, false or None.
    """
    file = YamlFile(SourceFile(str(path), text))
    try:
        value, *others = [_plain(root, typed) for root in file.documents()] or [None]
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        reason, line = f"it is not YAML: {problem.problem or problem}", mark.line + 1 if mark is not None else 0
    except ReaderError as problem:
        start, message = _control(problem, file.source)
        reason, line = f"it is not YAML: {message}", file.source.position(start)[0]
    except MalformedTable as problem:
        reason, line = problem.message, file.source.position(file.line(problem.node).start)[0]
    else:
        if not others:
            return value
        reason, line = "it has several documents; only one can be read", 0
    raise ForeignFileError(path, reason, line=line)


def _plain(node: YamlNode, typed: bool) -> object:
    """Return a value as a Python object."""
    tag = getattr(node.event, "tag", None)
    if tag:
        raise MalformedTable(node, f"`{tag}` is a type tag: write the value without it")
    if node.items is not None:
        return [_plain(item, typed) for item in node.items]
    if node.pairs is None:
        text, quoted = text_of(node, ""), getattr(node.event, "style", None)
        return _scalar(node, text) if typed and not quoted else text
    found: dict[str, object] = {}
    for key, value in node.pairs:
        name = text_of(key, "a name is text, not a list or a mapping")
        if name in found:
            raise MalformedTable(key, f"`{name}` occurs twice")
        found[name] = _plain(value, typed)
    return found


#: Types of plain values, besides texts.
_KNOWN = tuple(f"tag:yaml.org,2002:{kind}" for kind in ("bool", "float", "int", "null"))


def _scalar(node: YamlNode, text: str) -> object:
    """Return a plain value as YAML reads it: a number, true, false, None or a text."""
    loader = yaml.SafeLoader("")
    tag = loader.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
    try:
        return loader.construct_object(yaml.ScalarNode(tag, text)) if tag in _KNOWN else text
    except ValueError:
        raise MalformedTable(node, "a number has too many digits") from None


def _line(source: SourceFile, line: int) -> Span:
    """Return the span of a line (0-based) without its indentation."""
    starts, text = source.line_starts, source.text
    number = min(line, len(starts) - 1)
    end = starts[number + 1] if number + 1 < len(starts) else len(text)
    while end > starts[number] and text[end - 1] in "\r\n":
        end -= 1
    # A line may be as long as the file, so it is not copied.
    found = _INDENT.match(text, starts[number], end)
    begin = found.end() if found is not None else end
    return source.span(begin, max(end, begin + 1))


def _report_malformed(source: SourceFile, problem: yaml.MarkedYAMLError, diagnostics: Diagnostics) -> None:
    """Report where a file is not YAML, where the construct began, and which characters resemble YAML's."""
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
    # PyYAML looks ahead, and may fail before MAX_DEPTH is reached.
    deep = "nesting depth" in str(problem.problem)
    code, said = ("SGL0602", "nested too deep") if deep else ("SGL0601", f"not YAML: {problem.problem or problem}")
    diagnostics.error(code, _line(source, line), f"this is {said}", hint, labels=labels)


_CELL = "a value in a table is a word or a number"


def read_table(source: SourceFile, diagnostics: Diagnostics) -> LexiconTable | None:
    """Return the table in a YAML file; report errors and return None."""
    shape = "a table is a list of rows such as `- {en: dog, ja: 犬}`"
    rows = read_rows(source, _table_rows, shape, lambda row: row.span, diagnostics)
    if rows is None:
        return None
    columns = dict.fromkeys(column for row in rows for cells in (row.cells, *row.variants.values()) for column in cells)
    variants = dict.fromkeys(name for row in rows for name in row.variants)
    return LexiconTable(source.name, rows, tuple(columns), tuple(variants))


def _table_rows(file: YamlFile, root: YamlNode) -> Iterator[TableRow]:
    if root.pairs is not None:
        raise MalformedTable(root, "a table is a list, but this is a mapping")
    if root.text:
        raise MalformedTable(root, "a table is a list of rows, but this is a single value")
    for node in root.items or ():
        if node.pairs is None:
            a_list, other = "a table has a list inside its list", "a row of a table is a mapping from columns to values"
            raise MalformedTable(node, other if node.items is None else a_list)
        cells: dict[str, str] = {}
        variants: dict[str, dict[str, str]] = {}
        for column, value in _columns(node, "row"):
            colon = ":" if ":" in column else "：" if "：" in column else ""
            if colon and not value.text and value.is_empty:
                # `{en:dog}` is only a key.
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
            message = f"a {whole} has more than {len(seen):,} columns; {raising('columns')} allows more"
            raise MalformedTable(value, message)
        column = text_of(key, "the name of a column is a word")
        if column in seen:
            raise MalformedTable(value, f"the column `{column}` occurs twice in a {whole}")
        seen.add(column)
        yield column, value


def cell_span(source: SourceFile, row: TableRow, column: str, value: str) -> Span:
    """Return the place of a cell of a row or variant, or of the row; the row, which keeps no places, is read again."""
    file = YamlFile(source, source.position(row.span.start)[0] - 1)
    # The lines from the row on need not be valid YAML on their own.
    with suppress(yaml.YAMLError, MalformedTable, StopIteration):
        root = next(file.documents())
        node = root if root.items is None else next(iter(root.items))
        pairs = list(node.pairs or ())
        pairs += [pair for _, variant in pairs for pair in variant.pairs or ()]
        for key, cell in pairs:
            if key.text == column and cell.text == value:
                return file.place(cell)
    return row.span
