"""Write out lexicons: a clause for each layer, the entries of blocks of forms, and the rows of tables.

A block of forms is written once, with a category and columns as parameters::

    forms finite(X, particle)
      X[form=past]
        en  $past or ed($en)                          lexicon verbs from "verbs.yaml"
        ja  governs($particle, past($ja, $class))       finite(Vt[order=first], $case)

The lexicon gets the entry ``Vt[form=past, order=first]`` with ``$case`` for ``$particle``. Functions are resolved in
the file that names them.

Every column that a lexicon mentions must be in its table, and every column of a table must be mentioned by some
lexicon: a misspelt column is in only one of them.  A *variant* of a row has cells that replace others under a setting.
A misspelt feature value is reported in the table, once per value.  If a column has many such values, or no others, it
is probably the wrong column, and is reported itself.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from sgl.diagnostics import Diagnostics, Label, attempt, each, suggest, there, whole
from sgl.frontend.elaborate.categories import ANY, column_of
from sgl.frontend.elaborate.columns import Evaluation
from sgl.frontend.elaborate.substitution import Substitution
from sgl.frontend.names.concord import table_in
from sgl.frontend.names.parameters import ORDERINGS, compare, decimal, is_weight
from sgl.frontend.names.scopes import Resolved, Scope
from sgl.frontend.names.signature import Signature, Signed
from sgl.lang import syntax as s
from sgl.lang.tables import LexiconTable, TableRow
from sgl.values import dataclass, field, replace


def each_layer(
    clauses: Iterable[s.LayerClause], state: Resolved, children: Collection[str] = ()
) -> tuple[s.LayerClause, ...]:
    """Return a clause for each named layer; ``children`` count as layers only before graph statements."""
    kinds = {layer.name.text: layer.kind.text for layer, _ in state.names.of(s.Layer)}
    found: list[s.LayerClause] = []
    for clause in clauses:
        items = clause.template or ()
        if clause.statements is None:
            # If something must remain for the template, the name is a child rather than a layer.
            own = kinds.get(clause.layer.text.partition(".")[0])
            same = {name for name, kind in kinds.items() if kind == own}
            named = _leading(items[:-1], same.difference(children))
            left = items[len(named) :] if clause.template is not None else None
        else:
            layers = [name for name, kind in kinds.items() if kind == "graph"]
            named, left = _leading(items, layers), None
            for item in items[len(named) : len(named) + 1]:
                hint = f"the graph layers are: {', '.join(layers)}; edges are separated by `;`"
                state.error("SGL0306", item.span, "only graph layers can be named before edges", hint)
        layers_of_clause = (clause.layer, *named)
        found += [replace(clause, layer=layer, template=left) for layer in layers_of_clause]
    return tuple(found)


def completed(clauses: tuple[s.LayerClause, ...], signature: Signature) -> tuple[s.LayerClause, ...]:
    """Return clauses with those that layers have from layers which they are like, under their own names.

    Own clauses with conditions leave the rest to one without.
    """
    for layer, other in signature.likes.items():
        said = clauses
        for clause in said:
            of, _, part = clause.layer.text.partition(".")
            name = f"{layer}.{part}" if part else layer
            own = [one for one in said if one.layer.text == name]
            if of == other and (not own or (not clause.conditions and all(one.conditions for one in own))):
                clauses += (replace(clause, layer=replace(clause.layer, text=name)),)
    return clauses


def _leading(items: Sequence[s.TemplateItem], layers: Collection[str]) -> list[s.Name]:
    """Return the names of layers, or of their parts, at the start of ``items``."""
    found: list[s.Name] = []
    for item in items:
        if not isinstance(item, s.Mention) or item.mode or item.name.text.partition(".")[0] not in layers:
            break
        found.append(item.name)
    return found


def entries_of(
    lexicon: s.Lexicon, scope: Scope, state: Resolved, signature: Signature | None = None
) -> tuple[s.Entry, ...]:
    """Return a lexicon's entries, with its blocks written out at their uses."""

    def written(entry: s.Entry | s.FormsUse) -> Sequence[s.Entry]:
        if isinstance(entry, s.Entry):
            return [replace(entry, layers=each_layer(entry.layers, state))]
        return _entries_of_use(entry, scope.find(s.Forms, entry.name), state, signature)

    with whole(state.diagnostics):
        return tuple(chain.from_iterable(each(written, lexicon.entries)))


def laid_over(over: tuple[s.LayerClause, ...], under: tuple[s.LayerClause, ...]) -> tuple[s.LayerClause, ...]:
    """Return clauses, together with the clauses of ``under`` for layers that they do not cover."""
    named = {clause.layer.text for clause in over}
    return (*(clause for clause in under if clause.layer.text not in named), *over)


def blocks_of(lexicon: s.Lexicon, scope: Scope) -> list[s.Forms]:
    """Return the blocks of forms that a lexicon uses."""
    uses = (entry for entry in lexicon.entries if isinstance(entry, s.FormsUse))
    return [block for use in uses if (block := scope.peek(s.Forms, use.name.text)) is not None]


def _entries_of_use(use: s.FormsUse, block: s.Forms, state: Resolved, signature: Signature | None) -> list[s.Entry]:
    wanted, given = [name.text for name in block.parameters], use.arguments
    if len(wanted) != len(given):
        takes = ", ".join(["a category", *(f"`${name}`" for name in wanted)])
        message = f"`{block.name}` takes {len(wanted) + 1} arguments, not {len(given) + 1}: {takes}"
        state.fail("SGL0617", use.span, message, labels=[Label(block.name.span, "declared here")])
    values = dict(zip(wanted, given, strict=True))

    def written(entry: s.Entry) -> s.Entry:
        if entry.category.name.text != block.category.text:
            message = f"an entry of `{block.name}` gets its category where it is used"
            state.fail("SGL0617", entry.category.name.span, message, f"write `{block.category}[…]`")
        settings = each(lambda one: _setting(one, use, values, state, signature), entry.category.settings)
        # The category comes from the use, with the settings of both.
        category = replace(use.category, settings=(*settings, *use.category.settings))
        own, shared, below = (each_layer(clauses, state) for clauses in (entry.layers, block.shared, use.layers))
        layers = laid_over(laid_over(own, shared), below)
        return s.Entry(use.span, category, Substitution(values, state).write_out(layers), block)

    return each(written, block.entries)


def _setting(
    written: s.Setting, use: s.FormsUse, values: Mapping[str, s.Expression], state: Resolved, known: Signature | None
) -> s.Setting:
    feature, own, problem = written.feature, use.category, ("", "", "")
    # Questions about a grammar are evaluated without its signature.
    info = known.categories.get(own.name.text) if known is not None else None
    possible = known.features.get(feature.text, ()) if known is not None else ()
    given: tuple[Any, ...] = Substitution(values, state).write_out(written.values)
    chosen = tuple(
        s.Name(value.name.text, value.name.span) if isinstance(value, s.Mention) else value for value in given
    )
    names = [value.text for value in chosen if isinstance(value, s.Name)]
    strange = next((name for name in names if name not in (*possible, ANY)), None)
    if any(setting.feature.text == feature.text for setting in own.settings):
        problem = ("SGL0403", f"`{feature}` is set here and in `{use.name}`", "remove one of them")
    elif info is not None and feature.text not in info.features:
        message = f"`{own.name}` has no feature `{feature}`, which `{use.name}` sets"
        problem = ("SGL0401", message, suggest(feature.text, info.features))
    elif info is not None and strange is not None:
        message = f"`{strange}` is not a value of the feature `{feature}`"
        problem = ("SGL0402", message, suggest(strange, possible, "its values are"))
    elif not all(isinstance(value, s.Name | s.Column | s.Fallback) for value in chosen):
        problem = ("SGL0617", f"the value of `{feature}` is a column or a plain value", "")
    code, message, hint = problem
    if code:
        state.fail(code, own.span, message, hint, labels=[Label(written.span, f"`{use.name}` sets it here")])
    return replace(written, values=chosen)


@dataclass
class LexiconTables:
    """The tables read so far, by path."""

    state: Resolved
    read: dict[Path, LexiconTable | None] = field(default_factory=dict)

    def of(self, lexicon: s.Lexicon, scope: Scope) -> LexiconTable:
        """Return the table of a lexicon."""
        path = scope.locate(lexicon.path)
        if path not in self.read:
            self.read[path] = attempt(table_in, lexicon.path, scope, self.state)
        table = there(self.read[path])
        if not table.rows:
            self.state.fail("SGL0610", lexicon.path.span, f"the table `{table.name}` has no rows")
        return table

    def report_blocks(self, features: Collection[str]) -> None:
        """Report columns in blocks of forms that no table of the lexicons using them has."""
        blocks: dict[str, tuple[s.Forms, list[LexiconTable | None]]] = {}
        for lexicon, scope in self.state.names.declared(s.Lexicon):
            # A path that cannot be located was reported on reading.
            if (path := attempt(scope.locate, lexicon.path, Diagnostics())) is not None:
                for block in blocks_of(lexicon, scope):
                    blocks.setdefault(block.name.text, (block, []))[1].append(self.read.get(path))
        for block, read in blocks.values():
            if len(tables := [table for table in read if table is not None]) == len(read):
                _report_block(block, tables, features, self.state)


def _report_block(block: s.Forms, tables: Sequence[LexiconTable], features: Collection[str], state: Resolved) -> None:
    known = {column for table in tables for column in table.columns}
    known |= {*features, *(parameter.text for parameter in block.parameters)}
    for column in s.parts_of(s.Column, block):
        if column.name.text not in known:
            message = f"no lexicon that uses `{block.name}` has a column `{column.name}`"
            state.error("SGL0603", column.span, message, suggest(column.name.text, known))


def rows_of(lexicon: s.Lexicon, table: LexiconTable, state: Resolved) -> list[TableRow]:
    """Return the rows that satisfy all conditions, with cells of variants, later ones first."""
    each(lambda variant: _check_known(variant.name, table, state), lexicon.variants)
    holds = state.parameters.holds
    in_force = [variant.name.text for variant in lexicon.variants if holds(variant.when)]
    rows = []
    for row in table.rows:
        cells = dict(row.cells)
        for variant in in_force:
            cells |= row.variants.get(variant, {})
        rows.append(replace(row, cells=cells))
    for condition in lexicon.where:
        rows = _fulfilling(condition, rows, state)
    if not rows:
        message = f"no row of `{table.name}` is left for the lexicon `{lexicon.name}`"
        state.error("SGL0610", lexicon.where[-1].span, message, "check the values after `where`")
    return rows


def _check_known(variant: s.Name, table: LexiconTable, state: Resolved) -> None:
    if variant.text in table.variants:
        return
    column = next((row for row in table.rows if variant.text in row.cells), None)
    labels = [Label(column.span, f"`{variant}` is a column here")] if column is not None else []
    hint = (
        suggest(variant.text, table.variants) or f"a row with a variant: `{{en: guy, ja: 男, {variant}: {{ja: 人}}}}`"
    )
    state.fail("SGL0616", variant.span, f"no row of `{table.name}` has a variant `{variant}`", hint, labels=labels)


def _fulfilling(condition: s.Condition, rows: list[TableRow], state: Resolved) -> list[TableRow]:
    column, comparison = condition.column.text, condition.comparison.text
    if comparison not in ORDERINGS:
        wanted = set(map(str, condition.values))
        return [row for row in rows if (row.cells.get(column, "") in wanted) == (comparison != "!=")]
    bound, *others = condition.values
    if others or decimal(str(bound)) is None:
        hint = "for several values write `=`, as in `kind = mammal | bird`"
        state.fail("SGL0613", condition.span, f"`{comparison}` compares with a single number", hint)
    strange = [row for row in rows if decimal(row.cells.get(column, "")) is None]
    if strange:
        cell = strange[0].cells.get(column)
        message = f"this row has no `{column}`" if cell is None else f"`{column}` is `{cell}` here"
        hint = "write a number in plain digits, such as `12` or `0.5`"
        labels = [Label(condition.span, "a number is needed here")]
        state.fail("SGL0613", strange[0].span, message, hint, labels=labels)
    return [row for row in rows if compare(row.cells[column], comparison, str(bound))]


def check_columns(lexicon: s.Lexicon, entries: Sequence[s.Entry], table: LexiconTable, state: Resolved) -> None:
    """Check that the table has the columns of categories and conditions; expressions are checked later."""
    names = [condition.column for condition in lexicon.where]
    categories = tuple(entry.category for entry in entries)
    names += [column.name for column in s.parts_of(s.Column, categories)]

    def check(name: s.Name) -> None:
        if name.text not in table.columns:
            hint = suggest(name.text, table.columns, "its columns are")
            state.fail("SGL0603", name.span, f"the table has no column `{name}`", hint)

    each(check, names)


_DISTRIBUTIONS = ("zipf", "uniform")
_STEEPEST = 20.0


@dataclass(frozen=True, eq=False)
class Weighting:
    """The weight of a lexicon in a category and the basis of shares: a ``column``, Zipf's law, or neither."""

    total: float = 1.0
    exponent: float | None = None
    column: s.Column | None = None

    def share(self, row: TableRow, evaluation: Evaluation) -> float:
        """Return the share of a row before ranks are known."""
        text = attempt(evaluation.value, self.column) if self.column is not None else None
        number = decimal(text or "")
        if is_weight(number):
            return number
        if self.column is not None and text is not None:
            name = self.column.name
            message = f"the weight in the column `{name}` is `{text}`, not a positive number"
            labels = (Label(self.column.span, "asked for here"),)
            found = evaluation.diagnostics
            # A column without numbers is one mistake, regardless of the number of rows.
            first = next((d.span for d in found if d.code == "SGL0701" and d.labels[:1] == labels), None)
            if first is None:
                found.error("SGL0701", row.span, message, labels=labels)
            elif first != row.span:
                found.also_at("SGL0701", first, row.span)
        return 1.0


def weighting_of(lexicon: s.Lexicon, state: Resolved) -> Weighting:
    """Return the weighting written after ``~``; by default, and after a report, equal shares of 1."""
    weight = lexicon.weight
    if weight is None:
        return Weighting()

    def number(name: s.Name | None) -> float:
        found = attempt(state.parameters.number, name) if name is not None else None
        return found if found is not None else 1.0

    total, kind, exponent = number(weight.factor), weight.kind, None
    if kind is not None and kind.text == "zipf":
        exponent = number(weight.argument)
    elif kind is not None and kind.text not in _DISTRIBUTIONS:
        hint = suggest(kind.text, _DISTRIBUTIONS) or "write `zipf(1.0)` or `uniform`"
        state.error("SGL0701", kind.span, f"there is no distribution `{kind}`", hint)
    if not is_weight(total) or (exponent is not None and not 0 < exponent < _STEEPEST):
        hint = f"an exponent must be below {_STEEPEST:g}; natural vocabularies have about 1"
        state.error("SGL0701", weight.span, "the weight of a lexicon and the exponent must be positive", hint)
        return Weighting()
    return Weighting(total, exponent, weight.column)


#: Up to this number of values of a column may be slips, also if it has no others; more suggest a wrong column.
_SLIPS, _SLIPS_ALONE = 5, 2


def rows_with_values(entry: s.Entry, rows: Sequence[TableRow], table: LexiconTable, state: Signed) -> list[TableRow]:
    """Return the rows whose values all exist; report the others."""
    strange: set[int] = set()
    info = state.signature.categories.get(entry.category.name.text)
    known = info.features if info is not None else ()
    for setting in (s_ for s_ in entry.category.settings if s_.feature.text in known):
        for value in setting.values:
            if not isinstance(value, s.Column | s.Fallback):
                continue
            column, otherwise = column_of(value)
            values = state.signature.features.get(setting.feature.text, ())
            wrong: dict[str, list[TableRow]] = {}
            for row in rows:
                cell = row.cells.get(column.name.text, "") or otherwise
                if cell not in values:
                    wrong.setdefault(cell, []).append(row)
                    strange.add(id(row))
            _report_values(setting.feature.text, value, wrong, len(rows), table, state)
    return [row for row in rows if id(row) not in strange]


_Wrong = Mapping[str, Sequence[TableRow]]


def _report_values(
    feature: str, value: s.Column | s.Fallback, wrong: _Wrong, rows: int, table: LexiconTable, state: Signed
) -> None:
    (column, otherwise), values = column_of(value), state.signature.features.get(feature, ())
    name, source = column.name, state.sources.get(table.name)
    alone = sum(map(len, wrong.values())) == rows
    if len(wrong) > (_SLIPS_ALONE if alone else _SLIPS):
        message = f"{len(wrong):,} values of the column `{name}` are not values of the feature `{feature}`"
        notes = ["the first of them: " + ", ".join(f"`{v}`" for v in list(wrong)[:_SLIPS])]
        hint = f"did you mean another column? The values of the feature are: {', '.join(values)}"
        state.error("SGL0402", column.span, message, hint, notes=notes)
        return
    for cell, having in wrong.items():
        span, message = having[0].span, f"`{cell}` is not a value of the feature `{feature}`"
        hint = suggest(cell, values, "its values are")
        if not cell:
            message = f"this row has no `{name}`, which the feature `{feature}` is taken from"
            hint = f"fill it in, or write `{feature}=${name} or {values[0]}`"
        elif cell != otherwise and source is not None:
            from sgl.lang.yaml_files import cell_span

            span = cell_span(source, having[0], name.text, cell)
        labels = [Label(column.span, "it is taken from the table here")]
        notes = [f"{len(having):,} rows are like this"] if len(having) > 1 else []
        state.error("SGL0402", span, message, hint, labels=labels, notes=notes)
