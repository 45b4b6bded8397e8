"""Variants of rows: cells that stand in place of others under a setting.

What differs from row to row under a switch is written in the row, beside what it
replaces, and the lexicon says when it holds::

    - {en: guy, ja: 男, published: {ja: 人}}        variant published when published

So a table says in one place what a word is, and what it is elsewhere: in data with
mistakes, in another dialect, in another spelling.
"""

from __future__ import annotations

from dataclasses import replace

from sgl.diagnostics import Label, suggest
from sgl.frontend.state import State
from sgl.lang import syntax as s
from sgl.lang.yaml_files import LexiconTable, TableRow


def apply_variants(lexicon: s.Lexicon, table: LexiconTable, state: State) -> LexiconTable | None:
    """The table with the cells of the variants in force; None after a report.

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


def _is_known(variant: s.Variant, table: LexiconTable, state: State) -> bool:
    """Whether some row has the variant; reports it otherwise."""
    name = variant.name
    if name.text in table.variants:
        return True
    column = next((row for row in table.rows if name.text in row.cells), None)
    state.diagnostics.error(
        "SGL0616",
        name.span,
        f"no row of `{table.name}` has a variant `{name}`",
        labels=[Label(column.span, f"`{name}` is a column here")] if column is not None else [],
        hint=suggest(name.text, table.variants)
        or f"a row with a variant: `{{en: guy, ja: 男, {name}: {{ja: 人}}}}`",
    )
    return False


def _varied(row: TableRow, variants: list[str]) -> TableRow:
    cells = dict(row.cells)
    for variant in variants:
        cells |= row.variants.get(variant, {})
    return replace(row, cells=cells)


def report_idle_variants(tables: list[LexiconTable], state: State) -> None:
    """Warn about variants that no lexicon speaks of, and those that change nothing."""
    spoken = {
        v.name.text for lexicon, _ in state.names.declared(s.Lexicon) for v in lexicon.variants
    }
    for table in tables:
        for variant in table.variants:
            rows = [row for row in table.rows if variant in row.variants]
            if variant not in spoken:
                state.diagnostics.warning(
                    "SGL0616",
                    rows[0].span,
                    f"no lexicon speaks of the variant `{variant}`",
                    hint=suggest(variant, spoken)
                    or f"add a line `variant {variant} when …` to the lexicon",
                )
            for row in rows if variant in spoken else ():
                _check_change(row, variant, state)


def _check_change(row: TableRow, variant: str, state: State) -> None:
    for column, cell in row.variants[variant].items():
        if row.cells.get(column, "") == cell:
            state.diagnostics.warning(
                "SGL0616",
                row.span,
                f"the variant `{variant}` of this row changes nothing in the column `{column}`",
                hint="remove the cell from the variant",
            )
