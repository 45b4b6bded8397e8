"""The syntax trees of rules, words, tables and morphology."""

from __future__ import annotations

from typing import Any

from lark import v_args
from lark.tree import Meta

from sgl.diagnostics import Span
from sgl.lang import syntax as s
from sgl.lang.builder.structures import StructureBuilder
from sgl.lang.builder.tokens import every, only


@v_args(meta=True)
class RuleBuilder(StructureBuilder):
    """Rules, words, tables, morphology."""

    def setting(self, meta: Meta, children: list[Any]) -> s.Setting:
        return s.Setting(children[0], tuple(children[1:]), self._span(meta))

    def column_or(self, meta: Meta, children: list[Any]) -> s.Fallback:
        return s.Fallback(children[0], children[1], self._span(meta))

    def cat(self, meta: Meta, children: list[Any]) -> s.CategoryRef:
        settings = tuple(child for child in children[1:] if child is not None)
        return s.CategoryRef(children[0], settings, self._span(meta))

    def child(self, meta: Meta, children: list[Any]) -> s.Child:
        return s.Child(children[0], children[1], False, self._span(meta))

    def capital_child(self, meta: Meta, children: list[s.Child]) -> s.Child:
        return s.Child(children[0].role, children[0].category, True, self._span(meta))

    def quoted(self, _: Meta, children: list[s.Name]) -> s.Name:
        return children[0]

    def text(self, _: Meta, children: list[s.Name]) -> s.Name:
        return children[0]

    def weight_number(self, _: Meta, children: list[s.Name]) -> tuple[str, Any]:
        return "factor", children[0]

    def weight_name(self, _: Meta, children: list[Any]) -> tuple[str, Any]:
        return "kind", children

    def weight_column(self, _: Meta, children: list[s.Column]) -> tuple[str, Any]:
        return "column", children[0]

    def weight(self, meta: Meta, children: list[tuple[str, Any]]) -> s.Weight:
        parts: dict[str, Any] = {}
        for key, value in children:
            parts.setdefault(key, value)
        kind, argument = parts.get("kind", (None, None))
        return s.Weight(parts.get("factor"), kind, argument, parts.get("column"), self._span(meta))

    def keep(self, meta: Meta, _: list[Any]) -> s.Keep:
        return s.Keep(self._span(meta))

    def when(self, meta: Meta, children: list[Any]) -> s.When:
        negated, name, comparison, value = children
        symbol = comparison.text if comparison is not None else None
        return s.When(name, negated is not None, symbol, value, self._span(meta))

    def name_item(self, meta: Meta, children: list[s.Name]) -> s.Mention:
        return s.Mention(children[0], "", self._span(meta))

    def capital_item(self, meta: Meta, children: list[s.Name]) -> s.Mention:
        return s.Mention(children[0], "capital", self._span(meta))

    def drop_item(self, meta: Meta, children: list[s.Name]) -> s.Mention:
        return s.Mention(children[0], "drop", self._span(meta))

    def repeat_item(self, meta: Meta, children: list[s.Name]) -> s.Mention:
        return s.Mention(children[0], "repeat", self._span(meta))

    def column(self, _: Meta, children: list[s.Column]) -> s.Column:
        return children[0]

    def concat(self, meta: Meta, children: list[Any]) -> s.Concat:
        return s.Concat(children[0], children[1], self._span(meta))

    def fallback(self, meta: Meta, children: list[Any]) -> s.Fallback:
        return s.Fallback(children[0], children[1], self._span(meta))

    def call(self, meta: Meta, children: list[Any]) -> s.Call:
        arguments = tuple(child for child in children[1:] if child is not None)
        return s.Call(children[0], arguments, self._span(meta))

    def template(self, _: Meta, children: list[Any]) -> tuple[Any, ...]:
        return tuple(children)

    def statements(self, _: Meta, children: list[Any]) -> list[Any]:
        return children

    def layer_clause(self, meta: Meta, children: list[Any]) -> s.LayerClause:
        layer, content = children
        if isinstance(content, tuple):
            return s.LayerClause(layer, content, None, self._span(meta))
        return s.LayerClause(layer, None, tuple(content), self._span(meta))

    def attribute(self, meta: Meta, children: list[Any]) -> s.Attribute:
        return s.Attribute(children[0], children[1], self._span(meta))

    def attributes(self, _: Meta, children: list[Any]) -> tuple[s.Attribute, ...]:
        return tuple(child for child in children if child is not None)

    def node_ref(self, meta: Meta, children: list[s.Name]) -> s.NodeRef:
        return s.NodeRef(children[0], None, None, self._span(meta))

    def port_ref(self, meta: Meta, children: list[s.Name]) -> s.NodeRef:
        return s.NodeRef(children[0], children[1], None, self._span(meta))

    def word_ref(self, meta: Meta, children: list[Any]) -> s.NodeRef:
        return s.NodeRef(children[0], None, children[1], self._span(meta))

    def edge_statement(self, meta: Meta, children: list[Any]) -> s.EdgeStatement:
        source, edge, target, last = children
        return s.EdgeStatement(source, edge, target, self._span(meta), last is not None)

    def bind_statement(self, meta: Meta, children: list[Any]) -> s.BindStatement:
        return s.BindStatement(children[0], children[1], self._span(meta))

    def forget_statement(self, meta: Meta, children: list[Any]) -> s.ForgetStatement:
        return s.ForgetStatement(children[0], self._span(meta))

    def node_statement(self, meta: Meta, children: list[Any]) -> s.NodeStatement:
        return s.NodeStatement(children[0], self._span(meta))

    def rule(self, meta: Meta, children: list[Any]) -> s.Rule:
        name, lhs, *rest = children
        return s.Rule(
            name,
            lhs,
            tuple(child for child in rest if isinstance(child, (s.Child, s.Name))),
            only(rest, s.Weight),
            every(rest, s.LayerClause),
            only(rest, s.Keep),
            every(rest, s.When),
            self._span(meta),
        )

    def word(self, meta: Meta, children: list[Any]) -> s.Word:
        category, text, *rest = children
        return s.Word(
            category,
            text,
            only(rest, s.Weight),
            every(rest, s.LayerClause),
            every(rest, s.When),
            self._span(meta),
        )

    def where(self, _: Meta, children: list[s.Condition]) -> list[s.Condition]:
        return children

    def condition(self, meta: Meta, children: list[Any]) -> s.Condition:
        column, comparison, *values = children
        return s.Condition(column, comparison.text, tuple(values), self._span(meta))

    def entry(self, _: Meta, children: list[s.CategoryRef]) -> s.CategoryRef:
        return children[0]

    def variant(self, meta: Meta, children: list[Any]) -> s.Variant:
        return s.Variant(children[0], children[1], self._span(meta))

    def lexicon(self, meta: Meta, children: list[Any]) -> s.Lexicon:
        name, path, where, weight, *clauses = children
        shared, entries = _group_entries(clauses)
        return s.Lexicon(
            name,
            path,
            tuple(where or ()),
            weight,
            shared,
            entries,
            every(clauses, s.Variant),
            every(clauses, s.When),
            self._span(meta),
        )

    def paradigm_line(self, meta: Meta, children: list[Any]) -> s.ParadigmLine:
        return s.ParadigmLine(children[0], tuple(children[1:]), self._span(meta))

    def rewrite(self, _: Meta, children: list[s.Name]) -> tuple[s.Name, s.Name]:
        return children[0], children[1]

    def paradigm(self, meta: Meta, children: list[Any]) -> s.Paradigm:
        return s.Paradigm(children[0], children[1], tuple(children[2:]), self._span(meta))

    def function(self, meta: Meta, children: list[Any]) -> s.Function:
        name, parameters, body = children
        return s.Function(name, parameters or (), body, self._span(meta))


def _group_entries(
    clauses: list[Any],
) -> tuple[tuple[s.LayerClause, ...], tuple[s.Entry, ...]]:
    """Layer clauses before the first category are shared, the others belong to theirs."""
    shared: list[s.LayerClause] = []
    entries: list[tuple[s.CategoryRef, list[s.LayerClause]]] = []
    for clause in clauses:
        if isinstance(clause, s.CategoryRef):
            entries.append((clause, []))
        elif isinstance(clause, s.LayerClause):
            (entries[-1][1] if entries else shared).append(clause)
    return tuple(shared), tuple(
        s.Entry(category, tuple(layers), _reach(category.span, layers))
        for category, layers in entries
    )


def _reach(span: Span, layers: list[s.LayerClause]) -> Span:
    """The span of an entry: from its category to its last clause."""
    return span.to(layers[-1].span) if layers else span
