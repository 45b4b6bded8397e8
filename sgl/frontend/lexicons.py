"""Lower words and lexicon tables to productions without children."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sgl.core.grammar import Fragment, GraphLayer, Node, Token
from sgl.diagnostics import Label, Span
from sgl.frontend.attributes import check_attribute_name
from sgl.frontend.entry_values import rows_with_values
from sgl.frontend.morphology import Evaluation, check_morphology
from sgl.frontend.names import Scope
from sgl.frontend.productions import (
    Attributes,
    FragmentSketch,
    Production,
    TemplateSketch,
    category_pattern,
)
from sgl.frontend.rules import check_layers, rule_weight
from sgl.frontend.state import CompilerState
from sgl.frontend.tables import (
    LexiconTables,
    Weighting,
    apply_variants,
    check_columns,
    report_idle_variants,
    select,
    weighting_of,
)
from sgl.lang import syntax as s
from sgl.lang.yaml_files import LexiconTable, TableRow

_NO_COLUMNS: Mapping[str, str] = {}


def lower_words(state: CompilerState) -> None:
    """Turn words, and the rows of the tables of lexicons, into productions without children.

    Before: ``productions`` with those of the rules.  After: with those of the words as well.
    """
    found: list[Production] = []
    for word, scope in state.names.of(s.WordDecl):
        found.extend(_word(word, scope, state))
    tables = LexiconTables(state)
    for lexicon, scope in state.names.of(s.Lexicon):
        found.extend(_lexicon(lexicon, scope, state, tables))
    check_morphology(state)
    if state.diagnostics.errors == 0:
        tables.report_unused()
        report_idle_variants(tables.all_read, state)
    state.productions += found


def _word(word: s.WordDecl, scope: Scope, state: CompilerState) -> list[Production]:
    evaluation = Evaluation(scope, _NO_COLUMNS, (), None, state.diagnostics)
    source = state.signature.source.name
    own = s.LayerClause(word.text.span, s.Name(source, word.text.span), (word.text,), None)
    if not check_layers((own, *word.layers), state):
        return []
    weight = rule_weight(word.weight, state)
    name = f'word "{word.text}"'
    return _entry(
        _EntryInput(name, word.category, (own, *word.layers), evaluation, weight, word.span), state
    )


@dataclass(frozen=True)
class _EntryInput:
    """One word to be lowered: its category, clauses, row and weight."""

    name: str
    category: s.CategoryRef
    clauses: tuple[s.LayerClause, ...]
    evaluation: Evaluation
    share: float
    span: Span
    pool: str = ""
    pool_weight: float = 1.0
    rank_exponent: float | None = None


def _entry(entry: _EntryInput, state: CompilerState) -> list[Production]:
    """Return the production of one word; empty after a report."""
    evaluation = entry.evaluation
    lhs = category_pattern(
        entry.category,
        evaluation.scope,
        None,
        evaluation.columns if evaluation.row else None,
        state,
    )
    clauses = {clause.layer.text: clause for clause in entry.clauses}
    texts = [
        _words(layer.name, clauses.get(layer.name), entry, state)
        for layer in state.signature.text_layers
    ]
    fragments = [
        _fragment(layer, clauses.get(layer.name), entry, texts, state)
        for layer in state.signature.graph_layers
    ]
    if lhs is None or any(text is None for text in texts) or any(f is None for f in fragments):
        return []
    templates: list[TemplateSketch] = [
        tuple(Token(token) for token in text) for text in texts if text is not None
    ]
    return [
        Production(
            name=entry.name,
            lhs=lhs,
            rhs=(),
            domains={},
            templates=tuple(templates),
            fragments=tuple(fragment for fragment in fragments if fragment is not None),
            share=entry.share,
            span=entry.span,
            word=not entry.pool,
            pool=entry.pool,
            pool_weight=entry.pool_weight,
            rank_exponent=entry.rank_exponent,
        )
    ]


def _words(
    layer: str, clause: s.LayerClause | None, entry: _EntryInput, state: CompilerState
) -> list[str] | None:
    """Return the words of an entry in a text layer; None after a report."""
    if clause is None and state.signature.has_strange(entry.clauses):
        return None
    if clause is None:
        state.diagnostics.error(
            "SGL0303",
            entry.category.span,
            f"this word has no clause for the layer `{layer}`",
            hint=f'add a line `{layer} …`; `{layer} ""` if it has no word there',
        )
        return None
    words = _text(layer, clause, entry, state)
    if words == [] and layer == state.signature.source.name:
        state.diagnostics.error(
            "SGL0604",
            entry.evaluation.row or clause.span,
            f"this word is empty in the layer `{layer}`",
            labels=[Label(clause.span, "it should come from here")],
            hint="fill in the column, or write `x or y` for a fallback",
        )
        return None
    return words


def _text(
    layer: str, clause: s.LayerClause, entry: _EntryInput, state: CompilerState
) -> list[str] | None:
    """Return what a clause says about a text layer, cut at the spaces; None after a report."""
    if clause.template is None:
        state.diagnostics.error(
            "SGL0306", clause.span, f"`{layer}` is a text layer, this clause is about a graph"
        )
        return None
    words: list[str] = []
    for item in clause.template:
        if isinstance(item, s.Mention):
            state.diagnostics.error(
                "SGL0305",
                item.span,
                f"a word has no child `{item.name}`",
                hint=f'for a column write `${item.name}`, for a text `"{item.name}"`',
            )
            return None
        text = entry.evaluation.value(item)
        if text is None:
            return None
        words.extend(text.split())
    return words


def _fragment(
    layer: GraphLayer,
    clause: s.LayerClause | None,
    entry: _EntryInput,
    texts: Sequence[list[str] | None],
    state: CompilerState,
) -> FragmentSketch | None:
    if clause is None and layer.free:
        return FragmentSketch(Fragment((Node((), 0),), (), (0,)), {0: ()})
    if clause is None and state.signature.has_strange(entry.clauses):
        return None
    if clause is None:
        state.diagnostics.error(
            "SGL0303",
            entry.category.span,
            f"this word has no clause for the layer `{layer.name}`",
            hint=f"add a line `{layer.name} node(upos=…)`",
        )
        return None
    statements = clause.statements or ()
    if len(statements) != 1 or not isinstance(statements[0], s.NodeStatement):
        state.diagnostics.error(
            "SGL0306",
            clause.span,
            f"in the layer `{layer.name}` a word is one node",
            hint=f"write `{layer.name} node(lemma=…, upos=…)`",
        )
        return None
    words = texts[
        next(
            index
            for index, text in enumerate(state.signature.text_layers)
            if text.name == layer.anchor
        )
    ]
    if words is None or not _check_single(words, layer, entry, state):
        return None
    attributes = _attributes(statements[0], layer, words[0], entry.evaluation, state)
    if attributes is None:
        return None
    return FragmentSketch(Fragment((Node((), 0),), (), (0,)), {0: attributes})


def _check_single(
    words: Sequence[str], layer: GraphLayer, entry: _EntryInput, state: CompilerState
) -> bool:
    if len(words) == 1:
        return True
    state.diagnostics.error(
        "SGL0609",
        entry.evaluation.row or entry.span,
        f"`{' '.join(words)}` is {len(words)} words of `{layer.anchor}`, "
        f"but a node of `{layer.name}` is one word",
        hint="make it a rule with several words, or write it without spaces",
    )
    return False


def _attributes(
    statement: s.NodeStatement,
    layer: GraphLayer,
    word: str,
    evaluation: Evaluation,
    state: CompilerState,
) -> Attributes | None:
    values: dict[str, str] = {"lemma": word}
    for attribute in statement.attributes:
        check_attribute_name(attribute, layer, state)
        value = evaluation.value(attribute.value)
        if value is None:
            return None
        if value:
            values[attribute.name.text] = value
    return tuple(sorted(values.items()))


# ---- tables


@dataclass(frozen=True)
class _Rows:
    """The rows that a lexicon takes from its table, and how they share its weight."""

    lexicon: s.Lexicon
    scope: Scope
    table: LexiconTable
    rows: Sequence[TableRow]
    weighting: Weighting


def _lexicon(
    lexicon: s.Lexicon, scope: Scope, state: CompilerState, tables: LexiconTables
) -> list[Production]:
    table = tables.of(lexicon, scope)
    groups = (lexicon.shared, *(entry.layers for entry in lexicon.entries))
    clear = [check_layers(group, state) for group in groups]
    if not all(clear):
        return []
    if not lexicon.entries:
        state.diagnostics.error(
            "SGL0610",
            lexicon.name.span,
            f"the lexicon `{lexicon.name}` lists no category",
            hint="write a category and its layers below it",
        )
    if table is None or not check_columns(lexicon, table, state):
        return []
    table = apply_variants(lexicon, table, state)
    if table is None:
        return []
    weighting = weighting_of(lexicon, state)
    chosen = select(lexicon, table, state)
    rows = _Rows(lexicon, scope, table, chosen, weighting)
    return [
        production
        for number, entry in enumerate(lexicon.entries)
        for production in _of_category(number, entry, rows, state)
    ]


def _of_category(
    number: int, entry: s.Entry, rows: _Rows, state: CompilerState
) -> Iterator[Production]:
    """Yield the words that the rows give for one category of a lexicon."""
    layers = clauses_of(rows.lexicon, entry)
    place = rows.lexicon.span
    seen: dict[tuple[object, ...], TableRow] = {}
    for row in rows_with_values(entry, rows.rows, rows.table, state):
        evaluation = Evaluation(
            rows.scope, row.cells, rows.table.columns, row.span, state.diagnostics
        )
        word = _EntryInput(
            name=rows.lexicon.name.text,
            category=entry.category,
            clauses=layers,
            evaluation=evaluation,
            share=rows.weighting.share(row, evaluation),
            span=row.span,
            pool=f"{rows.lexicon.name}/{number} {place.file}:{place.start}",
            pool_weight=rows.weighting.total,
            rank_exponent=rows.weighting.exponent,
        )
        for production in _entry(word, state):
            _check_duplicate(production, row, seen, state)
            yield production


def clauses_of(lexicon: s.Lexicon, entry: s.Entry) -> tuple[s.LayerClause, ...]:
    """Return the layer clauses of an entry: its own, and those of the lexicon that it lacks."""
    named = {clause.layer.text for clause in entry.layers}
    return (*(clause for clause in lexicon.shared if clause.layer.text not in named), *entry.layers)


def _check_duplicate(
    production: Production,
    row: TableRow,
    seen: dict[tuple[object, ...], TableRow],
    state: CompilerState,
) -> None:
    key = (production.lhs.slots, production.templates)
    earlier = seen.setdefault(key, row)
    if earlier is not row:
        state.diagnostics.error(
            "SGL0605",
            row.span,
            "this row gives the same word as an earlier one",
            labels=[Label(earlier.span, "the same word, in the same category")],
            hint="remove one of the rows",
        )
