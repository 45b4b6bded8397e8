"""Tables of forms for values of features: ``table concord[cl, number] from "concord.yaml"``.

A row has values of the features, and forms; one that does not name a feature is for all its values.  The first row that
fits counts.  Rules and entries write ``$concord.subject``.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from itertools import product

from sgl.diagnostics import Label, attempt, each, shortlist, suggest, there
from sgl.frontend.names.parameters import Session
from sgl.frontend.names.scopes import Resolved, Scope
from sgl.lang import MAX_TABLE
from sgl.lang import syntax as s
from sgl.lang.tables import LexiconTable, read_table
from sgl.memory import kept
from sgl.values import dataclass


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

    @property
    def forms(self) -> list[str]:
        """The other columns, with forms."""
        return [column for column in self.table.columns if column not in self.columns]

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

    def cells(self, cell: s.TableCell, domains: Sequence[Sequence[str]], state: Session) -> dict[tuple[str, ...], str]:
        """Return what a cell that an author names is for values of the features."""
        if len(domains) != len(self.features):
            message = f"`{cell.table}` needs values of {len(self.features)} features: {', '.join(self.features)}"
            state.fail("SGL0622", cell.span, message, labels=[Label(self.declaration.name.span, "declared here")])
        if cell.column.text not in self.forms:
            hint = suggest(cell.column.text, self.forms, "its columns are")
            state.fail("SGL0603", cell.column.span, f"the table has no column `{cell.column}`", hint)
        found = {values: self.cell(values, cell.column.text) for values in product(*domains)}
        lacking = [values for values, form in found.items() if form is None]
        if lacking:
            pairs = [", ".join(map(" = ".join, zip(self.columns, values, strict=True))) for values in lacking]
            message = f"`{self.table.name}` has no `{cell.column}` for {shortlist([f'`{pair}`' for pair in pairs], 4)}"
            hint = "add a row, or end with a row without feature values, which covers all others"
            state.fail("SGL0622", cell.span, message, hint)
        for form in (form for form in found.values() if form and form.split() != [form]):
            message = f"`{form}` contains a space; a form is one word, or a part of one"
            state.fail("SGL0609", cell.span, message, "write it without spaces")
        return {values: form or "" for values, form in found.items()}


def read_tables(features: Mapping[str, Sequence[str]], state: Resolved) -> dict[str, FeatureTable]:
    """Return the tables by name; report features, and values of them, that there are not."""
    found: dict[str, FeatureTable] = {}
    for declaration, scope in state.names.of(s.Table):
        known = attempt(each, partial(scope.find, s.Feature), declaration.features)
        table = attempt(table_in, declaration.path, scope, state)
        if table is not None and known is not None:
            names = tuple(name.text for name in declaration.features)
            own = FeatureTable(declaration, names, table)
            # What depends on a table is kept as long as that is the same object.
            own = kept("feature table", (declaration, table), None, lambda own=own: own)  # type: ignore[misc]
            if _has_values(own, features, state):
                found[declaration.name.text] = own
    return found


def table_in(path: s.Name, scope: Scope, state: Resolved) -> LexiconTable:
    """Return the table in a file."""
    source = scope.read(path, MAX_TABLE)
    return there(read_table(source, state.diagnostics))


def _has_values(own: FeatureTable, features: Mapping[str, Sequence[str]], state: Resolved) -> bool:
    """Return whether a table has only values that there are."""
    source, errors = state.sources.get(own.table.name), state.diagnostics.errors
    for row in own.table.rows:
        for column, feature in zip(own.columns, own.features, strict=True):
            value, values = row.cells.get(column), features.get(feature, ())
            if value is not None and value not in values and source is not None:
                from sgl.lang.yaml_files import cell_span

                message = f"`{value}` is not a value of the feature `{feature}`"
                hint = suggest(value, values, "its values are")
                state.error("SGL0402", cell_span(source, row, column, value), message, hint)
    return state.diagnostics.errors == errors
