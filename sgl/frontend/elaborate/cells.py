"""Write out what depends on values of features: cells of tables, and entries that leave a feature open.

An entry whose texts use a feature that it leaves open stands for one entry for each value::

    V[cl=_, tense=t]  sw  $concord.subject + "li" + $sw        V[cl=m]  …    V[cl=ki]  …
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import product

from sgl.diagnostics import Label, shortlist, suggest
from sgl.frontend.elaborate.categories import ANY
from sgl.frontend.names.concord import FeatureTable
from sgl.frontend.names.signature import Signature, Signed
from sgl.lang import syntax as s


def cells_of(
    table: FeatureTable, cell: s.TableCell, domains: Sequence[Sequence[str]], state: Signed
) -> dict[tuple[str, ...], str] | None:
    """Return what a cell is for values of the features of its table; None after a report."""
    if len(domains) != len(table.features):
        message = f"`{cell.table}` needs values of {len(table.features)} features: {', '.join(table.features)}"
        state.error("SGL0622", cell.span, message, labels=[Label(table.declaration.name.span, "declared here")])
        return None
    columns = [column for column in table.table.columns if column not in table.columns]
    if cell.column.text not in columns:
        hint = suggest(cell.column.text, columns, "its columns are")
        state.error("SGL0603", cell.column.span, f"the table has no column `{cell.column}`", hint)
        return None
    found = {values: table.cell(values, cell.column.text) for values in product(*domains)}
    lacking = [values for values, form in found.items() if form is None]
    if lacking:
        pairs = [", ".join(map(" = ".join, zip(table.columns, values, strict=True))) for values in lacking]
        message = f"`{table.table.name}` has no `{cell.column}` for {shortlist([f'`{pair}`' for pair in pairs], 4)}"
        hint = "add a row, or end with a row without feature values, which covers all others"
        state.error("SGL0622", cell.span, message, hint)
        return None
    for form in (form for form in found.values() if form and form.split() != [form]):
        message = f"`{form}` contains a space; a form is one word, or a part of one"
        state.error("SGL0609", cell.span, message, "write it without spaces")
        return None
    return {values: form or "" for values, form in found.items()}


def opened(
    category: s.CategoryRef, layers: tuple[s.LayerClause, ...], columns: Collection[str], signature: Signature
) -> Iterator[s.CategoryRef]:
    """Yield the category of an entry, once for each of the values of features that it leaves open and its texts use."""
    info = signature.categories.get(category.name.text)
    used = {column.name.text for column in s.parts_of(s.Column, layers)}.difference(columns)
    for cell in s.parts_of(s.TableCell, layers):
        table = signature.tables.get(str(cell.table))
        used.update(map(str, cell.keys) if cell.keys or table is None else table.features)
    ranges = dict[str, list[str]]()
    for feature in info.features if info is not None else ():
        setting = next((one for one in category.settings if one.feature.text == feature), None)
        values = _values(setting, signature.features.get(feature, ()))
        if feature in used and len(values) > 1:
            ranges[feature] = values
    for chosen_values in product(*ranges.values()):
        span, kept_settings = category.span, (one for one in category.settings if one.feature.text not in ranges)
        chosen = zip(ranges, chosen_values, strict=True)
        own = (s.Setting(span, s.Name(name, span), None, (s.Name(value, span),)) for name, value in chosen)
        yield replace(category, settings=(*kept_settings, *own))


def _values(setting: s.Setting | None, every: Sequence[str]) -> list[str]:
    """Return the values of a feature that a category names, or all that it leaves open; none if they are unknown."""
    if setting is None:
        return [*every]
    given = [str(value) for value in setting.values if isinstance(value, s.Name)]
    if setting.comparison or not ({*given} <= {*every} or given == [ANY]):
        return []
    return [*every] if given == [ANY] else given
