"""Tables of forms for values of features: ``table concord[cl, number] from "concord.yaml"``.

A row has values of the features, and forms; one that does not name a feature is for all its values.  The first row that
fits counts.  Rules and entries write ``$concord.subject``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from sgl.diagnostics import Diagnostic, Diagnostics, SourceFile, suggest
from sgl.foreign import limits
from sgl.frontend.names.scopes import Resolved, Scope
from sgl.lang import MAX_TABLE
from sgl.lang import syntax as s
from sgl.lang.yaml_files import LexiconTable, cell_span, read_table
from sgl.memory import kept


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """A table with the features that it is about."""

    declaration: s.Table
    features: tuple[str, ...]
    table: LexiconTable

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns with values of the features."""
        return tuple(name.text for name in self.declaration.columns)

    def row(self, values: Sequence[str]) -> int | None:
        """Return the number of the first row that fits values of the features, if any."""
        found = (rows.get(tuple([values[at] for at in places])) for places, rows in self._rows.items())
        return min((number for number in found if number is not None), default=None)

    @cached_property
    def _rows(self) -> dict[tuple[int, ...], dict[tuple[str, ...], int]]:
        """The first row by its values, for each choice of the features that rows name; others fit any value."""
        found: dict[tuple[int, ...], dict[tuple[str, ...], int]] = {}
        for number, row in enumerate(self.table.rows):
            named = {at: row.cells[column] for at, column in enumerate(self.columns) if column in row.cells}
            found.setdefault((*named,), {}).setdefault((*named.values(),), number)
        return found

    def cell(self, values: Sequence[str], column: str) -> str | None:
        """Return the form for values of the features; None if no row has it."""
        number = self.row(values)
        return None if number is None else self.table.rows[number].cells.get(column)


def read_tables(features: Mapping[str, Sequence[str]], state: Resolved) -> dict[str, FeatureTable]:
    """Return the tables by name; report features, and values of them, that there are not."""
    found: dict[str, FeatureTable] = {}
    for declaration, scope in state.names.of(s.Table):
        known = [scope.find(s.Feature, name) is not None for name in declaration.features]
        table = table_in(declaration.path, scope, state)
        if table is not None and all(known):
            names = tuple(name.text for name in declaration.features)
            own = FeatureTable(declaration, names, table)
            # What depends on a table is kept as long as that is the same object.
            own = kept("feature table", (declaration, table), None, lambda own=own: own)  # type: ignore[misc]
            if _has_values(own, features, state):
                found[declaration.name.text] = own
    return found


def table_in(path: s.Name, scope: Scope, state: Resolved) -> LexiconTable | None:
    """Return the table in a file; None after a report."""
    source = scope.read(path, MAX_TABLE)
    if source is None:
        return None
    table, told = kept("table", (), (source.name, source.text, limits()), partial(_read, source))
    state.diagnostics.extend(told)
    return table


def _read(source: SourceFile) -> tuple[LexiconTable | None, tuple[Diagnostic, ...]]:
    found = Diagnostics()
    return read_table(source, found), found.found


def _has_values(own: FeatureTable, features: Mapping[str, Sequence[str]], state: Resolved) -> bool:
    """Return whether a table has only values that there are."""
    source, errors = state.sources.get(own.table.name), state.diagnostics.errors
    for row in own.table.rows:
        for column, feature in zip(own.columns, own.features, strict=True):
            value, values = row.cells.get(column), features.get(feature, ())
            if value is not None and value not in values and source is not None:
                message = f"`{value}` is not a value of the feature `{feature}`"
                hint = suggest(value, values, "its values are")
                state.error("SGL0402", cell_span(source, row, column, value), message, hint)
    return state.diagnostics.errors == errors
