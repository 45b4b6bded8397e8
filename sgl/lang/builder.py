"""From Lark's parse tree of a declaration to the syntax tree.

One method per production of ``grammar.lark``, named like it.
"""

from __future__ import annotations

import re
from typing import Any

from lark import Token, Transformer, v_args
from lark.tree import Meta

from sgl.diagnostics import SourceFile, Span
from sgl.lang import syntax as s


class _Tokens(Transformer[Token, Any]):
    """Spans and tokens."""

    def __init__(self, source: SourceFile, offset: int) -> None:
        super().__init__()
        self.source = source
        self.offset = offset

    def _span(self, meta: Meta) -> Span:
        if meta.empty:
            return self.source.span(self.offset, self.offset + 1)
        return self.source.span(self.offset + meta.start_pos, self.offset + meta.end_pos)

    def _name(self, token: Token) -> s.Name:
        start = self.offset + (token.start_pos or 0)
        return s.Name(str(token), self.source.span(start, start + len(token)))

    def UPPER(self, token: Token) -> s.Name:
        return self._name(token)

    def NAME(self, token: Token) -> s.Name:
        return self._name(token)

    def NUMBER(self, token: Token) -> s.Name:
        return self._name(token)

    def SET(self, token: Token) -> s.Name:
        return self._after_sign(token)

    def COLUMN(self, token: Token) -> s.Column:
        return s.Column(self._after_sign(token), self._name(token).span)

    def _after_sign(self, token: Token) -> s.Name:
        """The name after the sign `$` or `@`."""
        start = self.offset + (token.start_pos or 0)
        return s.Name(str(token)[1:], self.source.span(start + 1, start + len(token)))

    def STRING(self, token: Token) -> s.Name:
        text = re.sub(r"\\(.)", r"\1", str(token)[1:-1])
        return s.Name(text, self._name(token).span, quoted=True)

    def name(self, children: list[s.Name | Token]) -> s.Name:
        child = children[0]
        return self._name(child) if isinstance(child, Token) else child

    def comparison(self, children: list[Token]) -> s.Name:
        return self._name(children[0])


@v_args(meta=True)
class _Structures(_Tokens):
    """Graph patterns."""

    def label(self, meta: Meta, children: list[Any]) -> s.LabelText:
        parts = [child for child in children if isinstance(child, s.Name)]
        mark = "~" if isinstance(children[0], Token) else ""
        return s.LabelText(mark + ":".join(p.text for p in parts), False, self._span(meta))

    def label_name(self, meta: Meta, children: list[s.Column]) -> s.LabelText:
        return s.LabelText(children[0].name.text, True, self._span(meta))

    def all_labels(self, meta: Meta, _: list[Any]) -> s.LabelSet:
        return s.LabelSet((), True, self._span(meta))

    def other_labels(self, meta: Meta, children: list[s.LabelText]) -> s.LabelSet:
        return s.LabelSet(tuple(children), True, self._span(meta))

    def these_labels(self, meta: Meta, children: list[s.LabelText]) -> s.LabelSet:
        return s.LabelSet(tuple(children), False, self._span(meta))

    def amount(self, meta: Meta, children: list[s.Name]) -> s.Amount:
        return s.Amount(children[0], self._span(meta))

    def any_edge(self, meta: Meta, _: list[Any]) -> s.EdgePattern:
        span = self._span(meta)
        return s.EdgePattern(s.LabelSet((), True, span), False, None, None, span)

    def labelled_edge(self, meta: Meta, children: list[Any]) -> s.EdgePattern:
        labels, bounds = children
        if bounds is None:
            return s.EdgePattern(labels, False, None, None, self._span(meta))
        return s.EdgePattern(labels, True, bounds[0], bounds[1], self._span(meta))

    def unbounded(self, meta: Meta, _: list[Any]) -> tuple[s.Amount, None]:
        span = self._span(meta)
        return s.Amount(s.Name("1", span), span), None

    def bounded(self, _: Meta, children: list[Any]) -> tuple[s.Amount, s.Amount | None]:
        low, high = children
        return (low, low) if high is None else (low, high[0])

    def comma_bound(self, _: Meta, children: list[Any]) -> list[Any]:
        return children

    def equal_test(self, meta: Meta, children: list[s.Name]) -> s.AttributeTest:
        return s.AttributeTest(children[0], False, tuple(children[1:]), None, self._span(meta))

    def unequal_test(self, meta: Meta, children: list[s.Name]) -> s.AttributeTest:
        return s.AttributeTest(children[0], True, tuple(children[1:]), None, self._span(meta))

    def in_test(self, meta: Meta, children: list[s.Name]) -> s.AttributeTest:
        return s.AttributeTest(children[0], False, (), children[1], self._span(meta))

    def not_in_test(self, meta: Meta, children: list[Any]) -> s.AttributeTest:
        return s.AttributeTest(children[0], True, (), children[2], self._span(meta))

    def degree_test(self, meta: Meta, children: list[Any]) -> s.DegreeTest:
        return s.DegreeTest(children[0], children[1], children[2], self._span(meta))

    def variable(self, meta: Meta, children: list[Any]) -> s.VariableRef:
        tests = tuple(test for test in children[1:] if test is not None)
        return s.VariableRef(children[0], tests, self._span(meta))

    def chain(self, meta: Meta, children: list[Any]) -> s.Chain:
        return s.Chain(tuple(children[0::2]), tuple(children[1::2]), self._span(meta))

    def repeat(self, meta: Meta, children: list[Any]) -> s.Repeat:
        return s.Repeat(children[0], children[1], children[2], children[3], self._span(meta))

    def body(self, meta: Meta, children: list[Any]) -> s.Body:
        return s.Body(tuple(children), self._span(meta))

    def graph(self, meta: Meta, children: list[s.Body]) -> s.GraphPattern:
        return s.GraphPattern(tuple(children), self._span(meta))

    def structure_name(self, _: Meta, children: list[s.Name]) -> s.Name:
        return children[0]


@v_args(meta=True)
class _Rules(_Structures):
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
        return s.Weight(
            parts.get("factor"), kind, argument, parts.get("column"), self._span(meta)
        )

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
        return s.EdgeStatement(children[0], children[1], children[2], self._span(meta))

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
            _only(rest, s.Weight),
            _all(rest, s.LayerClause),
            _only(rest, s.Keep),
            _all(rest, s.When),
            self._span(meta),
        )

    def word(self, meta: Meta, children: list[Any]) -> s.Word:
        category, text, *rest = children
        return s.Word(
            category,
            text,
            _only(rest, s.Weight),
            _all(rest, s.LayerClause),
            _all(rest, s.When),
            self._span(meta),
        )

    def where(self, _: Meta, children: list[s.Condition]) -> list[s.Condition]:
        return children

    def condition(self, meta: Meta, children: list[Any]) -> s.Condition:
        column, comparison, *values = children
        return s.Condition(column, comparison.text, tuple(values), self._span(meta))

    def entry(self, _: Meta, children: list[s.CategoryRef]) -> s.CategoryRef:
        return children[0]

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
            _all(clauses, s.When),
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


@v_args(meta=True)
class TreeBuilder(_Rules):
    """Builds the syntax tree of one declaration of ``source`` that starts at ``offset``."""

    def start(self, _: Meta, children: list[Any]) -> Any:
        return children[0]

    def names(self, _: Meta, children: list[s.Name]) -> tuple[s.Name, ...]:
        return tuple(children)

    names_list = names
    dotted = names

    def module(self, meta: Meta, children: list[Any]) -> s.Module:
        return s.Module(children[0], children[1], self._span(meta))

    def use(self, meta: Meta, children: list[Any]) -> s.Use:
        return s.Use(children[0], children[1], self._span(meta))

    def param(self, meta: Meta, children: list[Any]) -> s.Param:
        return s.Param(children[0], children[1], children[2], self._span(meta))

    def option(self, meta: Meta, children: list[s.Name]) -> s.Option:
        return s.Option(children[0], tuple(children[1:]), self._span(meta))

    def layer(self, meta: Meta, children: list[Any]) -> s.Layer:
        name, kind, anchor, *options = children
        return s.Layer(
            name, kind, anchor, tuple(o for o in options if o is not None), self._span(meta)
        )

    def view(self, meta: Meta, children: list[Any]) -> s.View:
        return s.View(children[0], children[1], children[2], self._span(meta))

    def weighted_value(self, _: Meta, children: list[Any]) -> list[Any]:
        return children

    def feature(self, meta: Meta, children: list[Any]) -> s.Feature:
        name, *values = children
        return s.Feature(
            name,
            tuple(value for value, _ in values),
            tuple(weight for _, weight in values),
            self._span(meta),
        )

    def category(self, meta: Meta, children: list[Any]) -> s.CategoryDecl:
        name, features, ports, title = children
        return s.CategoryDecl(name, features or (), ports or (), title, self._span(meta))

    def labels(self, meta: Meta, children: list[Any]) -> s.Labels:
        return s.Labels(children[0], tuple(children[1:]), self._span(meta))

    def words(self, meta: Meta, children: list[s.Name]) -> s.Words:
        return s.Words(children[0], tuple(children[1:]), self._span(meta))

    def structure(self, meta: Meta, children: list[Any]) -> s.StructureDecl:
        return s.StructureDecl(children[0], children[1], self._span(meta))

    def _structure_clause(self, kind: str, meta: Meta, children: list[Any]) -> s.StructureClause:
        amount = _only(children, s.Amount)
        graph = next(c for c in children if isinstance(c, (s.GraphPattern, s.Name)))
        repeated = any(isinstance(child, Token) for child in children)
        return s.StructureClause(kind, graph, amount, repeated, self._span(meta))

    def forbid(self, meta: Meta, children: list[Any]) -> s.StructureClause:
        return self._structure_clause("forbid", meta, children)

    def never(self, meta: Meta, children: list[Any]) -> s.StructureClause:
        return self._structure_clause("never", meta, children)

    def gen(self, meta: Meta, children: list[Any]) -> s.StructureClause:
        return self._structure_clause("gen", meta, children)

    def exclude(self, meta: Meta, children: list[Any]) -> s.StructureClause:
        return self._structure_clause("not", meta, children[-1:])

    def need(self, meta: Meta, children: list[Any]) -> s.StructureClause:
        return self._structure_clause("need", meta, children)

    def expose(self, meta: Meta, children: list[Any]) -> s.StructureClause:
        return self._structure_clause("expose", meta, children)

    def allow(self, meta: Meta, children: list[Any]) -> s.AllowClause:
        return s.AllowClause(children[0], self._span(meta))

    def seen_only(self, _: Meta, __: list[Any]) -> bool:
        return True

    def targets(self, meta: Meta, children: list[Any]) -> s.TargetsClause:
        *words, only = children
        return s.TargetsClause(tuple(words), only is not None, self._span(meta))

    def within(self, _: Meta, children: list[Any]) -> tuple[str, Any]:
        return "within", children[0]

    def outside(self, _: Meta, children: list[Any]) -> tuple[str, Any]:
        return "outside", children[0]

    def part(self, meta: Meta, children: list[Any]) -> s.SizePart:
        amount, *conditions = children
        return s.SizePart(
            amount,
            tuple(graph for kind, graph in conditions if kind == "within"),
            tuple(graph for kind, graph in conditions if kind == "outside"),
            self._span(meta),
        )

    def size(self, meta: Meta, children: list[s.SizePart]) -> s.SizeClause:
        return s.SizeClause(tuple(children), self._span(meta))

    def gen_like(self, meta: Meta, children: list[s.Name]) -> s.LikeClause:
        return s.LikeClause("gen", children[0], self._span(meta))

    def train_like(self, meta: Meta, children: list[s.Name]) -> s.LikeClause:
        return s.LikeClause("train", children[0], self._span(meta))

    def pattern(self, meta: Meta, children: list[Any]) -> s.Pattern:
        name, title, groups, *clauses = children
        return s.Pattern(name, title, groups or (), tuple(clauses), self._span(meta))

    def from_clause(self, meta: Meta, children: list[s.Name]) -> s.DatasetClause:
        return self._dataset_clause("from", meta, children)

    def distinct(self, meta: Meta, children: list[s.Name]) -> s.DatasetClause:
        return self._dataset_clause("distinct", meta, children)

    def _dataset_clause(self, key: str, meta: Meta, children: list[s.Name]) -> s.DatasetClause:
        span = self._span(meta)
        place = self.source.span(span.start, span.start + len(key))
        return s.DatasetClause(s.Name(key, place), tuple(children), span)

    def amount_clause(self, meta: Meta, children: list[Any]) -> s.DatasetClause:
        return s.DatasetClause(children[0], (children[1].value,), self._span(meta))

    def dataset(self, meta: Meta, children: list[Any]) -> s.Dataset:
        return s.Dataset(tuple(children), self._span(meta))

    def expected(self, _: Meta, children: list[s.Name]) -> tuple[s.Name, s.Name]:
        return children[0], children[1]

    def test_derives(self, meta: Meta, children: list[Any]) -> s.Test:
        return s.Test(children[0], tuple(children[1:]), self._span(meta))

    def test_rejects(self, meta: Meta, children: list[s.Name]) -> s.Test:
        return s.Test(children[0], None, self._span(meta))


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
        s.Entry(category, tuple(layers), category.span.to((layers or [category])[-1].span))
        for category, layers in entries
    )


def _only(children: list[Any], kind: type) -> Any:
    return next((child for child in children if isinstance(child, kind)), None)


def _all(children: list[Any], kind: type) -> tuple[Any, ...]:
    return tuple(child for child in children if isinstance(child, kind))
