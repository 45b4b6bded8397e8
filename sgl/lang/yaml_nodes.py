"""Read a YAML file as texts, lists and mappings, never as Python objects.

A file can neither construct anything nor exhaust the stack or the memory: nothing goes deeper than
the shapes that are asked for, and no value is repeated by an alias.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

import yaml
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceStartEvent,
)
from yaml.reader import ReaderError

from sgl.characters import CONFUSABLES, code_of, hidden
from sgl.diagnostics import Diagnostics, Label, SourceFile, Span
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

    def __init__(self, event: Event) -> None:
        self.event = event
        self.text: str | None = event.value if isinstance(event, ScalarEvent) else None

    @property
    def is_empty(self) -> bool:
        """Whether it is a value with nothing in it: ``x:``, ``x: ~`` or ``x: null``."""
        event = self.event
        return isinstance(event, ScalarEvent) and event.value in _EMPTY and not event.style


class MalformedTable(Exception):
    """A YAML file of another shape: the value that does not fit, and what is wrong with it."""

    def __init__(self, node: YamlNode, message: str) -> None:
        super().__init__(message)
        self.node = node
        self.message = message


class HiddenCharacter(MalformedTable):
    """A value has a character that nobody sees."""


@dataclass(frozen=True)
class YamlFile:
    """A file, or what follows the beginning of a line (0-based) in it."""

    source: SourceFile
    first: int = 0

    def documents(self) -> Iterator[YamlNode]:
        """Yield the value of each document; ``MalformedTable`` if it is too deep, or an alias."""
        begin = self.source.line_starts[self.first]
        events: Iterator[Event] = yaml.parse(self.source.text[begin:], Loader=_LOADER)
        for event in events:
            if isinstance(event, NodeEvent):
                yield _node(event, events, 0)

    def name(self, node: YamlNode, what: str) -> Name:
        """Return a text with its place, which may share its line with others.

        Raises ``MalformedTable`` if it is no text; ``what`` says what it should be.
        """
        return Name(text_of(node, what), self.place(node))

    def line(self, node: YamlNode) -> Span:
        """Return the span of the line that a value begins on, without its indentation."""
        mark = node.event.start_mark
        return _line(self.source, self.first + (mark.line if mark is not None else 0))

    def hidden(self, node: YamlNode) -> Span:
        """Return the span of the character that nobody sees, or of the value with its escape."""
        place = self.place(node)
        at = place.start + hidden(self.source.text[place.start : place.end])
        return place if at < place.start else self.source.span(at, at + 1)

    def place(self, node: YamlNode) -> Span:
        """Return the span of a value."""
        begin, end, starts = node.event.start_mark, node.event.end_mark, self.source.line_starts
        if begin is None or end is None or self.first + begin.line >= len(starts):
            return self.source.span(0, 1)
        start = starts[self.first + begin.line] + begin.column
        width = end.column - begin.column if end.line == begin.line else 1
        return self.source.span(start, start + max(width, 1))


def _node(event: Event, events: Iterator[Event], depth: int) -> YamlNode:
    """Return the value that begins with an event; the events after it are left."""
    node = YamlNode(event)
    if isinstance(event, AliasEvent):
        raise MalformedTable(node, f"`*{event.anchor}` stands for another value: write that value")
    if depth >= MAX_DEPTH:
        raise MalformedTable(node, "this is nested too deep")
    parts = _parts(events, depth + 1)
    if isinstance(event, MappingStartEvent):
        pairs = zip(parts, parts, strict=True)
        node.pairs = list(pairs) if depth else pairs
    elif isinstance(event, SequenceStartEvent):
        node.items = list(parts) if depth else parts
    return node


def _parts(events: Iterator[Event], depth: int) -> Iterator[YamlNode]:
    """Yield the items of a list, or the keys and values of a mapping by turns, up to its end."""
    for event in events:
        if isinstance(event, CollectionEndEvent):
            return
        yield YamlNode(event) if isinstance(event, ScalarEvent) else _node(event, events, depth)


def text_of(node: YamlNode, what: str) -> str:
    """Return a value that is a text.

    Raises ``MalformedTable`` if it is none (``what`` says what it should be), ``HiddenCharacter`` if it is not plain.
    """
    if node.text is None:
        raise MalformedTable(node, what)
    at = hidden(node.text)
    if at >= 0:
        code = code_of(node.text[at])
        raise HiddenCharacter(node, f"this value has a character that cannot be seen, {code}")
    return node.text


def read_rows(
    source: SourceFile,
    rows: Callable[[YamlFile, YamlNode], Iterator[_Row]],
    shape: str,
    span: Callable[[_Row], Span],
    diagnostics: Diagnostics,
) -> tuple[_Row, ...] | None:
    """Return the rows that a function finds in the documents of a file; None after a report.

    Where the function raises ``MalformedTable``, ``shape`` tells the author what is right;
    ``span`` says where a row is.
    """
    file = YamlFile(source)
    try:
        found = (row for root in file.documents() for row in rows(file, root))
        kept = tuple(islice(found, MAX_ROWS + 1))
    except yaml.MarkedYAMLError as problem:
        _report_malformed(source, problem, diagnostics)
    except ReaderError as problem:
        code: int | str = problem.character
        character = chr(code) if isinstance(code, int) else code
        start = max(source.text.find(character), 0)
        message = f"this is not YAML: it has the control character U+{ord(character):04X}"
        hint = "remove it; it cannot be seen in most editors"
        diagnostics.error("SGL0601", source.span(start, start + 1), message, hint)
    except HiddenCharacter as problem:
        diagnostics.error("SGL0107", file.hidden(problem.node), problem.message, REMOVE)
    except MalformedTable as problem:
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
    hint = ""
    if wide:
        hint = f"if you mean `{CONFUSABLES[wide]}`, write it (of ASCII) in place of `{wide}`"
    elif any("\t" in text for text in lines):
        hint = "YAML is indented by spaces; write them in place of tabs"
    elif began != line and "indicator" in str(problem.problem):
        hint = "the columns of a row begin exactly below one another"
    labels = [Label(_line(source, began), "in what begins here")] if began != line else []
    message = f"this is not YAML: {problem.problem or problem}"
    diagnostics.error("SGL0601", _line(source, line), message, hint, labels=labels)
