"""Lower words and lexicon tables to productions without children."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sgl.core.grammar import Fragment, GraphLayer, Node, Token
from sgl.diagnostics import Label, Span
from sgl.frontend.entry_values import rows_with_values
from sgl.frontend.fragments import check_attribute_name
from sgl.frontend.morphology import Evaluation, check_morphology
from sgl.frontend.names import Scope
from sgl.frontend.productions import (
    Attributes,
    FragmentSketch,
    Production,
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
from sgl.lang.yaml_files import TableRow


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


def _word(word: s.WordDecl, scope: Scope, state: CompilerState) -> Iterator[Production]:
    source = state.signature.source.name
    own = s.LayerClause(word.text.span, s.Name(source, word.text.span), (word.text,), None)
    clauses = (own, *word.layers)
    if check_layers(clauses, state):
        evaluation = Evaluation(scope, {}, (), None, state.diagnostics)
        name, share = f'word "{word.text}"', rule_weight(word.weight, state)
        alone = Weighting()
        entry = _WordLowering(
            state, name, word.category, clauses, evaluation, share, word.span, alone
        )
        yield from entry.lower()


@dataclass(frozen=True)
class _WordLowering:
    """One word to be lowered: its category, clauses, row and weight."""

    state: CompilerState
    name: str
    category: s.CategoryRef
    clauses: tuple[s.LayerClause, ...]
    evaluation: Evaluation
    share: float
    span: Span
    weighting: Weighting
    pool: str = ""

    def lower(self) -> Iterator[Production]:
        """Yield the production of the word; nothing after a report."""
        evaluation, signature = self.evaluation, self.state.signature
        columns = evaluation.columns if evaluation.row else None
        lhs = category_pattern(self.category, evaluation.scope, None, columns, self.state)
        texts = {layer.name: self._words(layer.name) for layer in signature.text_layers}
        graphs = [self._fragment(layer, texts[layer.anchor]) for layer in signature.graph_layers]
        templates = [tuple(map(Token, text)) for text in texts.values() if text is not None]
        fragments = [fragment for fragment in graphs if fragment is not None]
        if lhs is None or len(templates) < len(texts) or len(fragments) < len(graphs):
            return
        yield Production(
            name=self.name,
            lhs=lhs,
            rhs=(),
            domains={},
            templates=tuple(templates),
            fragments=tuple(fragments),
            share=self.share,
            span=self.span,
            word=not self.pool,
            pool=self.pool,
            pool_weight=self.weighting.total,
            rank_exponent=self.weighting.exponent,
        )

    def _clause(self, layer: str, hint: str) -> s.LayerClause | None:
        """Return what is said about a layer, the last clause if there are several."""
        found = [clause for clause in self.clauses if clause.layer.text == layer]
        if not found and not self.state.signature.has_strange(self.clauses):
            message = f"this word has no clause for the layer `{layer}`"
            self.state.error("SGL0303", self.category.span, message, hint)
        return found[-1] if found else None

    def _words(self, layer: str) -> list[str] | None:
        """Return the words in a text layer; None after a report."""
        hint = f'add a line `{layer} …`; `{layer} ""` if it has no word there'
        clause = self._clause(layer, hint)
        words = self._text(layer, clause) if clause is not None else None
        if clause is not None and words == [] and layer == self.state.signature.source.name:
            self.state.error(
                "SGL0604",
                self.evaluation.row or clause.span,
                f"this word is empty in the layer `{layer}`",
                "fill in the column, or write `x or y` for a fallback",
                labels=[Label(clause.span, "it should come from here")],
            )
            return None
        return words

    def _text(self, layer: str, clause: s.LayerClause) -> list[str] | None:
        """Return what a clause says about a text layer, cut at the spaces; None after a report."""
        if clause.template is None:
            message = f"`{layer}` is a text layer, this clause is about a graph"
            self.state.error("SGL0306", clause.span, message)
            return None
        words: list[str] = []
        for item in clause.template:
            if isinstance(item, s.Mention):
                hint = f'for a column write `${item.name}`, for a text `"{item.name}"`'
                self.state.error("SGL0305", item.span, f"a word has no child `{item.name}`", hint)
                return None
            text = self.evaluation.value(item)
            if text is None:
                return None
            words.extend(text.split())
        return words

    def _fragment(self, layer: GraphLayer, words: list[str] | None) -> FragmentSketch | None:
        """Return the node of the word, if it is one word; None after a report."""
        name = layer.name
        if layer.free and all(clause.layer.text != name for clause in self.clauses):
            return _one_node(())
        clause = self._clause(name, f"add a line `{name} node(upos=…)`")
        if clause is None:
            return None
        statements = clause.statements or ()
        if len(statements) != 1 or not isinstance(statements[0], s.NodeStatement):
            message = f"in the layer `{name}` a word is one node"
            hint = f"write `{name} node(lemma=…, upos=…)`"
            self.state.error("SGL0306", clause.span, message, hint)
            return None
        if words is not None and len(words) != 1:
            self.state.error(
                "SGL0609",
                self.evaluation.row or self.span,
                f"`{' '.join(words)}` is {len(words)} words of `{layer.anchor}`, "
                f"but a node of `{name}` is one word",
                "make it a rule with several words, or write it without spaces",
            )
            return None
        return self._node(statements[0], layer, words[0]) if words is not None else None

    def _node(
        self, statement: s.NodeStatement, layer: GraphLayer, word: str
    ) -> FragmentSketch | None:
        values: dict[str, str] = {"lemma": word}
        for attribute in statement.attributes:
            check_attribute_name(attribute, layer, self.state)
            value = self.evaluation.value(attribute.value)
            if value is None:
                return None
            if value:
                values[attribute.name.text] = value
        return _one_node(tuple(sorted(values.items())))


def _one_node(attributes: Attributes) -> FragmentSketch:
    return FragmentSketch(Fragment((Node((), 0),), (), (0,)), {0: attributes})


def _lexicon(
    lexicon: s.Lexicon, scope: Scope, state: CompilerState, tables: LexiconTables
) -> Iterator[Production]:
    written = tables.of(lexicon, scope)
    groups = (lexicon.shared, *(entry.layers for entry in lexicon.entries))
    clear = [check_layers(group, state) for group in groups]
    if not all(clear):
        return
    if not lexicon.entries:
        message = f"the lexicon `{lexicon.name}` lists no category"
        hint = "write a category and its layers below it"
        state.error("SGL0610", lexicon.name.span, message, hint)
    if written is None or not check_columns(lexicon, written, state):
        return
    table = apply_variants(lexicon, written, state)
    if table is None:
        return
    weighting = weighting_of(lexicon, state)
    chosen = select(lexicon, table, state)
    for number, category in enumerate(lexicon.entries):
        pool = f"{lexicon.name}/{number} {lexicon.span.file}:{lexicon.span.start}"
        layers = clauses_of(lexicon, category)
        seen: dict[tuple[object, ...], TableRow] = {}
        for row in rows_with_values(category, chosen, table, state):
            evaluation = Evaluation(scope, row.cells, table.columns, row.span, state.diagnostics)
            entry = _WordLowering(
                state=state,
                name=lexicon.name.text,
                category=category.category,
                clauses=layers,
                evaluation=evaluation,
                share=weighting.share(row, evaluation),
                span=row.span,
                weighting=weighting,
                pool=pool,
            )
            for production in entry.lower():
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
        state.error(
            "SGL0605",
            row.span,
            "this row gives the same word as an earlier one",
            "remove one of the rows",
            labels=[Label(earlier.span, "the same word, in the same category")],
        )
