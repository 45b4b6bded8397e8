"""The tables of lexicons: which rows a lexicon takes, and which columns it speaks of.

Every column that a lexicon mentions must be in its table, and every column of a
table must be mentioned by some lexicon: a misspelt column is in one of the two
lists only::

    - {en: go, ja: 行く, pats: went}        en  $past or ed($en)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sgl.diagnostics import Diagnostics, Label, suggest
from sgl.frontend.names import Scope
from sgl.frontend.parameters import ORDERINGS, compare, decimal
from sgl.frontend.state import State
from sgl.lang import MAX_TABLE
from sgl.lang import syntax as s
from sgl.lang.yaml_files import LexiconTable, TableRow, read_table


@dataclass
class Tables:
    """The tables that were read so far, by the name that diagnostics show."""

    state: State
    read: dict[Path, LexiconTable | None] = field(default_factory=dict)

    def of(self, lexicon: s.Lexicon, scope: Scope) -> LexiconTable | None:
        """The table of a lexicon; None after a report."""
        path = scope.locate(lexicon.path)
        if path is None:
            return None
        if path not in self.read:
            source = scope.read(lexicon.path, MAX_TABLE)
            diagnostics = self.state.diagnostics
            self.read[path] = read_table(source, diagnostics) if source is not None else None
        table = self.read[path]
        if table is not None and not table.rows:
            self.state.diagnostics.error(
                "SGL0610", lexicon.path.span, f"the table `{table.name}` has no rows"
            )
            return None
        return table

    @property
    def all_read(self) -> list[LexiconTable]:
        """The tables that could be read."""
        return [table for table in self.read.values() if table is not None]

    def report_unused(self) -> None:
        """Warn about columns that no lexicon mentions, be it one that is switched off."""
        mentioned: dict[Path, dict[str, None]] = {}
        for lexicon, scope in self.state.names.declared(s.Lexicon):
            # What cannot be located was reported when it was to be read.
            path = scope.locate(lexicon.path, Diagnostics())
            if path is not None:
                columns = mentioned.setdefault(path, {})
                columns.update((name.text, None) for name in columns_of(lexicon))
        for path, table in self.read.items():
            for column in table.columns if table is not None else ():
                if table is not None and column not in mentioned[path]:
                    _warn_unused(table, column, list(mentioned[path]), self.state)


def _warn_unused(table: LexiconTable, column: str, mentioned: list[str], state: State) -> None:
    first = next(
        row
        for row in table.rows
        for cells in (row.cells, *row.variants.values())
        if column in cells
    )
    state.diagnostics.warning(
        "SGL0612",
        first.span,
        f"no lexicon speaks of the column `{column}`",
        hint=suggest(column, mentioned)
        or f"the lexicons of `{table.name}` speak of: {', '.join(mentioned)}",
    )


def select(lexicon: s.Lexicon, table: LexiconTable, state: State) -> list[TableRow]:
    """The rows that fulfil all conditions after ``where``; none after a report."""
    rows = list(table.rows)
    for condition in lexicon.where:
        kept = _fulfilling(condition, rows, state)
        if kept is None:
            return []
        rows = kept
    if not rows:
        state.diagnostics.error(
            "SGL0610",
            lexicon.where[-1].span,
            f"no row of `{table.name}` is left for the lexicon `{lexicon.name}`",
            hint="check the values after `where`",
        )
    return rows


def _fulfilling(
    condition: s.Condition, rows: list[TableRow], state: State
) -> list[TableRow] | None:
    column = condition.column.text
    if condition.comparison not in ORDERINGS:
        wanted = {value.text for value in condition.values}
        keep = condition.comparison != "!="
        return [row for row in rows if (row.cells.get(column, "") in wanted) == keep]
    bound, *others = condition.values
    if others or decimal(bound.text) is None:
        state.diagnostics.error(
            "SGL0613",
            condition.span,
            f"`{condition.comparison}` compares with one number",
            hint="for several values write `=`, as in `kind = mammal | bird`",
        )
        return None
    strange = [row for row in rows if decimal(row.cells.get(column, "")) is None]
    if strange:
        cell = strange[0].cells.get(column)
        state.diagnostics.error(
            "SGL0613",
            strange[0].span,
            f"this row has no `{column}`" if cell is None else f"`{column}` is `{cell}` here",
            labels=[Label(condition.span, "a number is asked for here")],
            hint="write a number in plain digits, such as `12` or `0.5`",
        )
        return None
    return [row for row in rows if compare(row.cells[column], condition.comparison, bound.text)]


def check_columns(lexicon: s.Lexicon, table: LexiconTable, state: State) -> bool:
    """Whether the table has all columns of categories and conditions; reports the others.

    Those in expressions are checked when these are evaluated.
    """
    names = [condition.column for condition in lexicon.where]
    names += [name for entry in lexicon.entries for name in _in_category(entry.category)]
    unknown = [name for name in names if name.text not in table.columns]
    for name in unknown:
        state.diagnostics.error(
            "SGL0603",
            name.span,
            f"the table has no column `{name}`",
            hint=suggest(name.text, table.columns)
            or f"its columns are: {', '.join(table.columns)}",
        )
    return not unknown


def columns_of(lexicon: s.Lexicon) -> Iterator[s.Name]:
    """The columns that a lexicon mentions anywhere."""
    for condition in lexicon.where:
        yield condition.column
    if lexicon.weight is not None and lexicon.weight.column is not None:
        yield lexicon.weight.column.name
    for entry in lexicon.entries:
        yield from _in_category(entry.category)
    for clause in (*lexicon.shared, *(c for entry in lexicon.entries for c in entry.layers)):
        for item in clause.template or ():
            yield from _in_expression(item)
        for statement in clause.statements or ():
            if isinstance(statement, s.NodeStatement):
                for attribute in statement.attributes:
                    yield from _in_expression(attribute.value)


def _in_category(category: s.CategoryRef) -> Iterator[s.Name]:
    for setting in category.settings:
        for value in setting.values:
            yield from _in_expression(value)


def _in_expression(expression: s.Expression) -> Iterator[s.Name]:
    if isinstance(expression, s.Column):
        yield expression.name
    elif isinstance(expression, s.Call):
        for argument in expression.arguments:
            yield from _in_expression(argument)
    elif isinstance(expression, s.Concat | s.Fallback):
        yield from _in_expression(expression.left)
        yield from _in_expression(expression.right)
