"""The contents of the YAML files of a grammar: tables, relations and weights.

A file is read again only if its text has changed.
"""

from collections.abc import Mapping
from pkgutil import resolve_name
from typing import Any

from sgl.diagnostics import Diagnostic, Diagnostics, SourceFile, Span
from sgl.foreign import limits
from sgl.lang.syntax import Name
from sgl.memory import kept
from sgl.values import dataclass, field

#: The key for kinds of words in a relation.
KINDS = "of"


@dataclass(frozen=True)
class TableRow:
    """One row: its cells by column name, its place, and the cells of its variants."""

    cells: Mapping[str, str]
    span: Span
    variants: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class LexiconTable:
    """A table, with ``columns`` and ``variants`` in order of first mention."""

    name: str
    rows: tuple[TableRow, ...]
    columns: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()


@dataclass(frozen=True)
class RelationRow:
    """A word and its partners: ``words``, and all words of ``kinds``."""

    word: Name
    words: tuple[Name, ...]
    kinds: tuple[Name, ...]


@dataclass(frozen=True)
class WeightRow:
    """One weight; ``part`` is None if it applies to the whole rule or lexicon."""

    section: str
    category: Name
    name: Name
    part: Name | None
    weight: Name


def read_table(source: SourceFile, diagnostics: Diagnostics) -> LexiconTable | None:
    """Return the table in a YAML file; report errors and return None."""
    table: LexiconTable | None = _read("sgl.lang.yaml_files:read_table", source, diagnostics)
    return table


def read_relation(source: SourceFile, diagnostics: Diagnostics) -> tuple[RelationRow, ...] | None:
    """Return the rows of a relation in a YAML file, in order; report errors and return None."""
    rows: tuple[RelationRow, ...] | None = _read("sgl.lang.mapping_files:read_relation", source, diagnostics)
    return rows


def read_weights(source: SourceFile, diagnostics: Diagnostics) -> tuple[WeightRow, ...] | None:
    """Return the weights in a YAML file, in order; report errors and return None."""
    rows: tuple[WeightRow, ...] | None = _read("sgl.lang.mapping_files:read_weights", source, diagnostics)
    return rows


def _read(reader: str, source: SourceFile, diagnostics: Diagnostics) -> Any:  # noqa: ANN401 - what the reader returns
    def compute() -> tuple[object, tuple[Diagnostic, ...]]:
        found = Diagnostics()
        # YAML takes longer to load than a small grammar.
        return resolve_name(reader)(source, found), found.found

    rows, told = kept(reader, (), (source.name, source.text, limits()), compute)
    diagnostics.extend(told)
    return rows
