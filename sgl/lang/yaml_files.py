"""The YAML files of a grammar: tables of lexicons, relations between words, weights.

::

    - {en: guy, ja: 男, old: {ja: 人}}       a table: rows, with variants, from columns to cells
    see:   {of: [animal, thing]}             a relation: the words or the kinds for a word

    rules:                                   weights, as `sglc fit` writes them
      VP[form=past]:
        transitive: {"V[form=past] NP": 0.25}    one expansion of a rule
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import yaml

from sgl.diagnostics import Diagnostics, SourceFile, Span
from sgl.foreign import limits
from sgl.lang.syntax import Name
from sgl.lang.yaml_nodes import MalformedTable, YamlFile, YamlNode, read_rows, text_of

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
    columns: tuple[str, ...] = field(default=())
    variants: tuple[str, ...] = field(default=())


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
        if node.items is not None:
            raise MalformedTable(node, "a table has a list inside its list")
        if node.pairs is None:
            raise MalformedTable(node, "a row of a table is a mapping from columns to values")
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
                cells[column] = _cell(value)
            else:
                variants[column] = {name: _cell(cell) for name, cell in _columns(value, "variant")}
        yield TableRow(cells, file.line(node), variants)


def _columns(node: YamlNode, whole: str) -> Iterator[tuple[str, YamlNode]]:
    seen: set[str] = set()
    for key, value in node.pairs or ():
        if len(seen) == limits().columns:
            message = f"a {whole} has more than {len(seen):,} columns"
            raise MalformedTable(value, f"{message}; `--limit columns=NUMBER` allows more")
        column = text_of(key, "the name of a column is a word")
        if column in seen:
            raise MalformedTable(value, f"the column `{column}` occurs twice in a {whole}")
        seen.add(column)
        yield column, value


def _cell(node: YamlNode) -> str:
    return "" if node.is_empty else text_of(node, "a value in a table is a word or a number")


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
        word = Name(text_of(key, _SINGLE), file.line(key))
        if value.pairs is None:
            yield RelationRow(word, _related(file, value), ())
            continue
        pairs = list(value.pairs)
        if not pairs or pairs[0][0].text != KINDS:
            raise MalformedTable(value, f"the kinds of words are written after `{KINDS}:`")
        if len(pairs) > 1:
            raise MalformedTable(pairs[1][0], f"a row has nothing else beside `{KINDS}`")
        yield RelationRow(word, (), _related(file, pairs[0][1]))


def _related(file: YamlFile, node: YamlNode) -> tuple[Name, ...]:
    if node.items is None and not node.is_empty:
        raise MalformedTable(node, "a word goes with a list of words")
    return tuple(Name(text_of(item, _SINGLE), file.line(item)) for item in node.items or ())


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
    known = (*_SECTIONS, PROVENANCE)
    for section, categories in _named(file, root, "a file of weights is a mapping", known):
        if section.text != PROVENANCE:
            yield from _section_rows(file, section.text, categories)


def _section_rows(file: YamlFile, section: str, categories: YamlNode) -> Iterator[WeightRow]:
    for category, names in _named(file, categories, "a section is a mapping from categories"):
        below = f"below `{category}` are the names of what builds it"
        if names.pairs is None:
            raise MalformedTable(names, below)
        for name, value in _named(file, names, below):
            if value.pairs is None:
                weight = file.name(value, _NAME_OR_NUMBER)
                yield WeightRow(section, category, name, None, weight)
            elif section == _WITHOUT_PARTS:
                raise MalformedTable(value, "the weight of a word is a number")
            else:
                for part, cell in _named(file, value, below):
                    weight = file.name(cell, _NAME_OR_NUMBER)
                    yield WeightRow(section, category, name, part, weight)


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
