"""The tables of lexicons: which rows a lexicon takes, with which cells and which weights.

Every column that a lexicon mentions must be in its table, and every column of a
table must be mentioned by some lexicon: a misspelt column is in one of the two
lists only::

    - {en: go, ja: 行く, pats: went}        en  $past or ed($en)

A *variant* of a row has cells that replace others under a setting.  So a table says in one
place what a word is, and what it is elsewhere: in data with mistakes, in another dialect::

    - {en: guy, ja: 男, published: {ja: 人}}        variant published when published
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from sgl.diagnostics import Diagnostics, Label, suggest
from sgl.frontend.morphology import Evaluation
from sgl.frontend.names import Scope
from sgl.frontend.parameters import ORDERINGS, compare, decimal
from sgl.frontend.state import CompilerState
from sgl.lang import MAX_TABLE
from sgl.lang import syntax as s
from sgl.lang.yaml_files import LexiconTable, TableRow, read_table


@dataclass
class LexiconTables:
    """The tables that were read so far, by the name that diagnostics show."""

    state: CompilerState
    read: dict[Path, LexiconTable | None] = field(default_factory=dict)

    def of(self, lexicon: s.Lexicon, scope: Scope) -> LexiconTable | None:
        """Return the table of a lexicon; None after a report."""
        path = scope.locate(lexicon.path)
        if path is None:
            return None
        if path not in self.read:
            source = scope.read(lexicon.path, MAX_TABLE)
            diagnostics = self.state.diagnostics
            self.read[path] = read_table(source, diagnostics) if source is not None else None
        table = self.read[path]
        if table is not None and not table.rows:
            self.state.error("SGL0610", lexicon.path.span, f"the table `{table.name}` has no rows")
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


def _warn_unused(
    table: LexiconTable, column: str, mentioned: list[str], state: CompilerState
) -> None:
    first = next(
        row
        for row in table.rows
        for cells in (row.cells, *row.variants.values())
        if column in cells
    )
    hint = suggest(column, mentioned, f"the lexicons of `{table.name}` mention")
    state.warning("SGL0612", first.span, f"no lexicon mentions the column `{column}`", hint)


def select(lexicon: s.Lexicon, table: LexiconTable, state: CompilerState) -> list[TableRow]:
    """Return the rows that fulfil all conditions after ``where``; none after a report."""
    rows = list(table.rows)
    for condition in lexicon.where:
        kept = _fulfilling(condition, rows, state)
        if kept is None:
            return []
        rows = kept
    if not rows:
        message = f"no row of `{table.name}` is left for the lexicon `{lexicon.name}`"
        state.error("SGL0610", lexicon.where[-1].span, message, "check the values after `where`")
    return rows


def _fulfilling(
    condition: s.Condition, rows: list[TableRow], state: CompilerState
) -> list[TableRow] | None:
    column = condition.column.text
    if condition.comparison not in ORDERINGS:
        wanted = {value.text for value in condition.values}
        keep = condition.comparison != "!="
        return [row for row in rows if (row.cells.get(column, "") in wanted) == keep]
    bound, *others = condition.values
    if others or decimal(bound.text) is None:
        message = f"`{condition.comparison}` compares with one number"
        hint = "for several values write `=`, as in `kind = mammal | bird`"
        state.error("SGL0613", condition.span, message, hint)
        return None
    strange = [row for row in rows if decimal(row.cells.get(column, "")) is None]
    if strange:
        cell = strange[0].cells.get(column)
        state.error(
            "SGL0613",
            strange[0].span,
            f"this row has no `{column}`" if cell is None else f"`{column}` is `{cell}` here",
            "write a number in plain digits, such as `12` or `0.5`",
            labels=[Label(condition.span, "a number is asked for here")],
        )
        return None
    return [row for row in rows if compare(row.cells[column], condition.comparison, bound.text)]


def check_columns(lexicon: s.Lexicon, table: LexiconTable, state: CompilerState) -> bool:
    """Return whether the table has all columns of categories and conditions; report the others.

    Those in expressions are checked when these are evaluated.
    """
    names = [condition.column for condition in lexicon.where]
    categories = tuple(entry.category for entry in lexicon.entries)
    names += [column.name for column in s.parts_of(s.Column, categories)]
    unknown = [name for name in names if name.text not in table.columns]
    for name in unknown:
        hint = suggest(name.text, table.columns, "its columns are")
        state.error("SGL0603", name.span, f"the table has no column `{name}`", hint)
    return not unknown


def columns_of(lexicon: s.Lexicon) -> list[s.Name]:
    """Return the columns that a lexicon mentions anywhere."""
    categories = tuple(entry.category for entry in lexicon.entries)
    layers = tuple(entry.layers for entry in lexicon.entries)
    parts = (lexicon.weight, categories, lexicon.shared, layers)
    named = [column.name for column in s.parts_of(s.Column, parts)]
    return [*(condition.column for condition in lexicon.where), *named]


def apply_variants(
    lexicon: s.Lexicon, table: LexiconTable, state: CompilerState
) -> LexiconTable | None:
    """Return the table with the cells of the variants in force; None after a report.

    Where several variants have a cell, the one that the lexicon names last gives it.
    """
    known = [_is_known(variant, table, state) for variant in lexicon.variants]
    if not all(known):
        return None
    in_force = [
        variant.name.text
        for variant in lexicon.variants
        if variant.when is None or state.parameters.holds(variant.when)
    ]
    return replace(table, rows=tuple(_varied(row, in_force) for row in table.rows))


def _is_known(variant: s.Variant, table: LexiconTable, state: CompilerState) -> bool:
    """Return whether some row has the variant; report it otherwise."""
    name = variant.name
    if name.text in table.variants:
        return True
    column = next((row for row in table.rows if name.text in row.cells), None)
    state.error(
        "SGL0616",
        name.span,
        f"no row of `{table.name}` has a variant `{name}`",
        suggest(name.text, table.variants)
        or f"a row with a variant: `{{en: guy, ja: 男, {name}: {{ja: 人}}}}`",
        labels=[Label(column.span, f"`{name}` is a column here")] if column is not None else [],
    )
    return False


def _varied(row: TableRow, variants: list[str]) -> TableRow:
    cells = dict(row.cells)
    for variant in variants:
        cells |= row.variants.get(variant, {})
    return replace(row, cells=cells)


def report_idle_variants(tables: list[LexiconTable], state: CompilerState) -> None:
    """Warn about variants that no lexicon speaks of, and those that change nothing."""
    spoken = {
        v.name.text for lexicon, _ in state.names.declared(s.Lexicon) for v in lexicon.variants
    }
    for table in tables:
        for variant in table.variants:
            rows = [row for row in table.rows if variant in row.variants]
            if variant not in spoken:
                state.warning(
                    "SGL0616",
                    rows[0].span,
                    f"no lexicon mentions the variant `{variant}`",
                    suggest(variant, spoken)
                    or f"add a line `variant {variant} when …` to the lexicon",
                )
            for row in rows if variant in spoken else ():
                _check_change(row, variant, state)


def _check_change(row: TableRow, variant: str, state: CompilerState) -> None:
    for column, cell in row.variants[variant].items():
        if row.cells.get(column, "") == cell:
            state.warning(
                "SGL0616",
                row.span,
                f"the variant `{variant}` of this row changes nothing in the column `{column}`",
                "remove the cell from the variant",
            )


_DISTRIBUTIONS = ("zipf", "uniform")
_LARGEST = 1e12
_STEEPEST = 20.0


@dataclass(frozen=True, slots=True)
class Weighting:
    """The total weight of a lexicon and what the shares of its words follow.

    ``exponent`` is that of Zipf's law (None: not by rank), ``column`` the column
    with the shares, if there is one.
    """

    total: float = 1.0
    exponent: float | None = None
    column: s.Column | None = None

    def share(self, row: TableRow, evaluation: Evaluation) -> float:
        """Return the share of one row before ranks are known."""
        if self.column is None:
            return 1.0
        text = evaluation.value(self.column)
        number = decimal(text or "")
        if number is not None and 0 < number < _LARGEST:
            return number
        if text is not None:
            evaluation.diagnostics.error(
                "SGL0701",
                row.span,
                f"the weight in the column `{self.column.name}` is `{text}`, not a positive number",
                labels=[Label(self.column.span, "asked for here")],
            )
        return 1.0


def weighting_of(lexicon: s.Lexicon, state: CompilerState) -> Weighting:
    """Return what is written after ``~``; equal shares of 1 without it or after a report."""
    weight = lexicon.weight
    if weight is None:
        return Weighting()
    total = _number(weight.factor, state)
    exponent = _exponent(weight, state)
    if not 0 < total < _LARGEST or (exponent is not None and not 0 < exponent < _STEEPEST):
        message = "the weight of a lexicon and the exponent must be positive"
        hint = f"an exponent is below {_STEEPEST:g}; that of natural vocabularies is about 1"
        state.error("SGL0701", weight.span, message, hint)
        return Weighting()
    return Weighting(total, exponent, weight.column)


def _exponent(weight: s.Weight, state: CompilerState) -> float | None:
    kind = weight.kind
    if kind is None or kind.text == "uniform":
        return None
    if kind.text == "zipf":
        return _number(weight.argument, state)
    hint = suggest(kind.text, _DISTRIBUTIONS) or "write `zipf(1.0)` or `uniform`"
    state.error("SGL0701", kind.span, f"there is no distribution `{kind}`", hint)
    return None


def _number(name: s.Name | None, state: CompilerState) -> float:
    """Return the number that is written or named; 1 without one or after a report."""
    number = state.parameters.number(name) if name is not None else None
    return number if number is not None else 1.0
