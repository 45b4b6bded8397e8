"""Values of features that a lexicon takes from a column: which rows have one that exists.

The slip is in the table, and there it is shown, once for each value, however many rows
have it::

    N[num=$num]            - {en: dog, ja: 犬, num: singular}
                                                    ^^^^^^^^ not a value of the feature `num`

If a column has many such values, or no other, it is most likely the wrong one, which is
then shown itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sgl.diagnostics import Label, Span, suggest
from sgl.frontend.productions import column_of
from sgl.frontend.signature import Signature
from sgl.frontend.state import CompilerState
from sgl.lang import syntax as s
from sgl.lang.yaml_files import LexiconTable, TableRow, cell_span

#: So many values of a column may be slips, also if it has no others; with more of them it is
#: another column.
_SLIPS, _SLIPS_ALONE = 5, 2


@dataclass(frozen=True, slots=True)
class _Asked:
    """A place in the brackets of a category that takes the value of a feature from a column."""

    feature: str
    values: tuple[str, ...]
    column: str
    otherwise: str
    span: Span

    def of(self, row: TableRow) -> str:
        """Return the value that a row has, empty if there is none."""
        return row.cells.get(self.column, "") or self.otherwise


def rows_with_values(
    entry: s.Entry, rows: Sequence[TableRow], table: LexiconTable, state: CompilerState
) -> list[TableRow]:
    """Return the rows whose values all exist; what is wrong with the others is reported."""
    strange: set[int] = set()
    for asked in _asked(entry, state.signature):
        wrong: dict[str, list[TableRow]] = {}
        for row in rows:
            if asked.of(row) not in asked.values:
                wrong.setdefault(asked.of(row), []).append(row)
                strange.add(id(row))
        alone = sum(map(len, wrong.values())) == len(rows)
        if len(wrong) > (_SLIPS_ALONE if alone else _SLIPS):
            _report_column(asked, list(wrong), state)
            continue
        for value, of_value in wrong.items():
            _report(asked, value, of_value, table, state)
    return [row for row in rows if id(row) not in strange]


def _asked(entry: s.Entry, signature: Signature) -> Iterator[_Asked]:
    """Yield the columns in the brackets of a category, of those features that it has."""
    info = signature.categories.get(entry.category.name.text)
    for setting in entry.category.settings:
        feature = setting.feature.text
        if info is None or feature not in info.features:
            continue
        values = signature.features.get(feature, ())
        for value in setting.values:
            if not isinstance(value, s.Name):
                column, otherwise = column_of(value)
                yield _Asked(feature, values, column.name.text, otherwise, column.span)


def _report(
    asked: _Asked, value: str, rows: Sequence[TableRow], table: LexiconTable, state: CompilerState
) -> None:
    row, feature = rows[0], asked.feature
    source = state.sources.get(table.name)
    span, message = row.span, f"`{value}` is not a value of the feature `{feature}`"
    hint = suggest(value, asked.values, "its values are")
    if not value:
        message = f"this row has no `{asked.column}`, which the feature `{feature}` is taken from"
        hint = f"fill it in, or write `{feature}=${asked.column} or {asked.values[0]}`"
    elif value != asked.otherwise and source is not None:
        span = cell_span(source, row, asked.column, value)
    state.error(
        "SGL0402",
        span,
        message,
        hint,
        labels=[Label(asked.span, "it is taken from the table here")],
        notes=[f"{len(rows):,} rows are like this"] if len(rows) > 1 else (),
    )


def _report_column(asked: _Asked, values: Sequence[str], state: CompilerState) -> None:
    shown = ", ".join(f"`{value}`" for value in values[:_SLIPS])
    state.error(
        "SGL0402",
        asked.span,
        f"{len(values):,} values of the column `{asked.column}` are none of the feature "
        f"`{asked.feature}`",
        f"is it another column? the values of the feature are: {', '.join(asked.values)}",
        notes=[f"the first of them: {shown}"],
    )
