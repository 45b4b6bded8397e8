"""From Lark's parse tree of a declaration to the syntax tree.

One method per production of ``grammar.lark``, named like it.  Most productions become the
node that has their parts in their order; these are listed as :func:`node` and the like.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from lark import Token, Transformer, Tree, v_args
from lark.tree import Meta

from sgl.diagnostics import SourceFile, Span
from sgl.lang import syntax as s

#: A method of the builder: from the place and the parts of a production to its tree.
Build = Callable[["TreeBuilder", Meta, list[Any]], Any]


def node(kind: type[s.SyntaxNode], **constants: object) -> Build:
    """Build a node whose fields, but for the constants, are the parts in their order."""
    names = _given(kind, constants)
    return lambda self, meta, parts: kind(
        self._span(meta), **constants, **dict(zip(names, parts, strict=False))
    )


def listing(kind: type[s.SyntaxNode], **constants: object) -> Build:
    """Build a node whose last field is a tuple of all parts that are left."""
    *names, last = _given(kind, constants)

    def build(self: TreeBuilder, meta: Meta, parts: list[Any]) -> Any:
        listed = tuple(part for part in parts[len(names) :] if part is not None)
        given = {**constants, **dict(zip(names, parts, strict=False)), last: listed}
        return kind(self._span(meta), **given)

    return build


def _given(kind: type[s.SyntaxNode], constants: Mapping[str, object]) -> list[str]:
    """Return the fields of a node that come from its parts."""
    return [f.name for f in fields(kind) if f.name != "span" and f.name not in constants]


def first(_: TreeBuilder, __: Meta, parts: list[Any]) -> Any:
    """Return the only part."""
    return parts[0]


def every_part(_: TreeBuilder, __: Meta, parts: list[Any]) -> tuple[Any, ...]:
    """Return the parts, without those that are left out."""
    return tuple(part for part in parts if part is not None)


def all_parts(_: TreeBuilder, __: Meta, parts: list[Any]) -> list[Any]:
    """Return the parts as they are."""
    return parts


def tagged(tag: str, *, whole: bool = False) -> Build:
    """Return the part, or all parts, with a tag that says which production it was."""
    return lambda _, __, parts: (tag, parts if whole else parts[0])


def structure_clause(kind: str) -> Build:
    """Build a clause about a structure, which may have an amount and conditions on it."""

    def build(self: TreeBuilder, meta: Meta, parts: list[Any]) -> s.StructureClause:
        graph = next(part for part in parts if isinstance(part, (s.GraphPattern, s.Name)))
        repeated = any(isinstance(part, Token) and part.type == "REPEATED" for part in parts)
        # A keyword without a method, `each target`, stays the tree of its production.
        each = any(isinstance(part, Tree) for part in parts)
        amount = _only(parts, s.Amount)
        return s.StructureClause(self._span(meta), kind, graph, amount, each, repeated)

    return build


def dataset_clause(key: str, *, conditional: bool = False) -> Build:
    """Build a clause of a dataset whose name is a keyword of the grammar."""

    def build(self: TreeBuilder, meta: Meta, parts: list[Any]) -> s.DatasetClause:
        values, when = (parts[:-1], parts[-1]) if conditional else (parts, None)
        span = self._span(meta)
        place = self.source.span(span.start, span.start + len(key))
        return s.DatasetClause(span, s.Name(key, place), tuple(values), when=when)

    return build


class TokenBuilder(Transformer[Token, Any]):
    """Builds names, numbers and quotations, with their places in ``source``."""

    def __init__(self, source: SourceFile, offset: int) -> None:
        super().__init__()
        self.source = source
        self.offset = offset

    def _span(self, meta: Meta) -> Span:
        if meta.empty:
            return self.source.span(self.offset, self.offset + 1)
        return self.source.span(self.offset + meta.start_pos, self.offset + meta.end_pos)

    def UPPER(self, token: Token, sign: int = 0) -> s.Name:
        """Return a name, after a sign such as `$` or `@`."""
        start = self.offset + (token.start_pos or 0)
        return s.Name(str(token)[sign:], self.source.span(start + sign, start + len(token)))

    NAME = NUMBER = WHOLE = UPPER

    def SET(self, token: Token) -> s.Name:
        return self.UPPER(token, 1)

    def COLUMN(self, token: Token) -> s.Column:
        return s.Column(self.UPPER(token).span, self.UPPER(token, 1))

    def STRING(self, token: Token) -> s.Name:
        text = re.sub(r"\\(.)", r"\1", str(token)[1:-1])
        return s.Name(text, self.UPPER(token).span, quoted=True)

    def name(self, children: list[s.Name | Token]) -> s.Name:
        child = children[0]
        return self.UPPER(child) if isinstance(child, Token) else child

    def comparison(self, children: list[Token]) -> s.Name:
        return self.UPPER(children[0])


def shifted_amount(sign: int) -> Build:
    """Build the sum, or the difference, of a parameter and a number."""
    return lambda self, meta, parts: s.Amount(self._span(meta), parts[0], sign * int(parts[1].text))


@v_args(meta=True)
class TreeBuilder(TokenBuilder):
    """Builds the syntax tree of one declaration that starts at ``offset``."""

    # ---- files and switches

    start = first
    names = used_names = names_list = dotted = every_part
    module = node(s.Module)
    use = node(s.Use)
    param = node(s.Param)

    def when(self, meta: Meta, children: list[Any]) -> s.When:
        negated, name, comparison, value = children
        symbol = comparison.text if comparison is not None else None
        return s.When(self._span(meta), name, negated is not None, symbol, value)

    # ---- layers, features, categories

    layer = listing(s.Layer)
    view = node(s.ViewDecl)
    weighted_value = all_parts
    ports = every_part
    labels = listing(s.Labels)
    words = listing(s.WordSet)

    def option(self, meta: Meta, children: list[Any]) -> s.Option:
        name, *values, when = children
        return s.Option(self._span(meta), name, tuple(values), when)

    def feature(self, meta: Meta, children: list[Any]) -> s.Feature:
        name, *values = children
        texts, weights = zip(*values, strict=True)
        return s.Feature(self._span(meta), name, texts, weights)

    def port(self, _: Meta, children: list[Any]) -> s.Port:
        return s.Port(*children)

    def category(self, meta: Meta, children: list[Any]) -> s.CategoryDecl:
        name, features, ports, title = children
        return s.CategoryDecl(self._span(meta), name, features or (), ports or (), title)

    # ---- rules

    cat = listing(s.CategoryRef)
    setting = listing(s.Setting)
    column_or = fallback = node(s.Fallback)
    child = node(s.Child, capital=False)
    quoted = text = column = entry = structure_name = in_split = first
    keep = node(s.Keep)
    name_item = node(s.Mention, mode="")
    capital_item = node(s.Mention, mode="capital")
    drop_item = node(s.Mention, mode="drop")
    repeat_item = node(s.Mention, mode="repeat")
    concat = node(s.Concat)
    call = listing(s.Call)
    template = every_part
    statements = all_parts
    attribute = node(s.Attribute)
    attributes = every_part
    node_ref = port_ref = node(s.NodeRef)
    word_ref = node(s.NodeRef, port=None)
    bind_statement = node(s.BindStatement)
    forget_statement = node(s.ForgetStatement)
    node_statement = node(s.NodeStatement)
    weight_number = tagged("factor")
    weight_name = tagged("kind", whole=True)
    weight_column = tagged("column")

    def capital_child(self, meta: Meta, children: list[s.Child]) -> s.Child:
        return s.Child(self._span(meta), children[0].role, children[0].category, True)

    def weight(self, meta: Meta, children: list[tuple[str, Any]]) -> s.Weight:
        parts: dict[str, Any] = {}
        for key, value in children:
            parts.setdefault(key, value)
        kind, argument = parts.get("kind", (None, None))
        return s.Weight(self._span(meta), parts.get("factor"), kind, argument, parts.get("column"))

    def layer_clause(self, meta: Meta, children: list[Any]) -> s.LayerClause:
        layer, content = children
        if isinstance(content, tuple):
            return s.LayerClause(self._span(meta), layer, content, None)
        return s.LayerClause(self._span(meta), layer, None, tuple(content))

    def edge_statement(self, meta: Meta, children: list[Any]) -> s.EdgeStatement:
        source, edge, target, last = children
        return s.EdgeStatement(self._span(meta), source, edge, target, last is not None)

    def rule(self, meta: Meta, children: list[Any]) -> s.Rule:
        name, lhs, *rest = children
        rhs = _every(rest, (s.Child, s.Name))
        weight, keep = _only(rest, s.Weight), _only(rest, s.Keep)
        layers, when = _every(rest, s.LayerClause), _every(rest, s.When)
        return s.Rule(self._span(meta), name, lhs, rhs, weight, layers, keep, when)

    # ---- words and tables

    variant = node(s.Variant)
    where = every_part
    paradigm_line = listing(s.ParadigmLine)
    rewrite = every_part
    paradigm = listing(s.Paradigm)

    def word(self, meta: Meta, children: list[Any]) -> s.WordDecl:
        category, text, *rest = children
        layers, when = _every(rest, s.LayerClause), _every(rest, s.When)
        return s.WordDecl(self._span(meta), category, text, _only(rest, s.Weight), layers, when)

    def condition(self, meta: Meta, children: list[Any]) -> s.Condition:
        column, comparison, *values = children
        return s.Condition(self._span(meta), column, comparison.text, tuple(values))

    def lexicon(self, meta: Meta, children: list[Any]) -> s.Lexicon:
        name, path, where, weight, *clauses = children
        shared, entries = _group_entries(clauses)
        variants, when = _every(clauses, s.Variant), _every(clauses, s.When)
        span = self._span(meta)
        return s.Lexicon(span, name, path, where or (), weight, shared, entries, variants, when)

    def function(self, meta: Meta, children: list[Any]) -> s.Function:
        name, parameters, body = children
        return s.Function(self._span(meta), name, parameters or (), body)

    # ---- structures

    structure = node(s.StructureDecl)
    all_labels = node(s.LabelSet, labels=(), negated=True)
    other_labels = listing(s.LabelSet, negated=True)
    these_labels = listing(s.LabelSet, negated=False)
    amount = node(s.Amount)
    more = shifted_amount(1)
    less = shifted_amount(-1)
    degree_test = node(s.CountTest)
    equal_test = listing(s.AttributeTest, negated=False, word_set=None)
    unequal_test = listing(s.AttributeTest, negated=True, word_set=None)
    in_test = node(s.AttributeTest, negated=False, values=())
    not_in_test = node(s.AttributeTest, negated=True, values=())
    variable = listing(s.VariableRef)
    repeat = node(s.Repeat)
    body = listing(s.BodyPattern)
    graph = listing(s.GraphPattern)
    comma_bound = all_parts

    def label(self, meta: Meta, children: list[Any]) -> s.LabelText:
        mark = "~" if isinstance(children[0], Token) else ""
        parts = [
            f"${child.name.text}" if isinstance(child, s.Column) else child.text
            for child in children
            if isinstance(child, s.Column | s.Name)
        ]
        return s.LabelText(self._span(meta), mark + ":".join(parts), False)

    def label_name(self, meta: Meta, children: list[s.Column]) -> s.LabelText:
        return s.LabelText(self._span(meta), children[0].name.text, True)

    def any_edge(self, meta: Meta, _: list[Any]) -> s.EdgePattern:
        span = self._span(meta)
        return s.EdgePattern(span, s.LabelSet(span, (), True), False, None, None)

    def labelled_edge(self, meta: Meta, children: list[Any]) -> s.EdgePattern:
        labels, bounds = children
        low, high = bounds or (None, None)
        return s.EdgePattern(self._span(meta), labels, bounds is not None, low, high)

    def unbounded(self, meta: Meta, _: list[Any]) -> tuple[s.Amount, None]:
        span = self._span(meta)
        return s.Amount(span, s.Name("1", span)), None

    def bounded(self, _: Meta, children: list[Any]) -> tuple[s.Amount, s.Amount | None]:
        low, high = children
        return (low, low) if high is None else (low, high[0])

    def chain(self, meta: Meta, children: list[Any]) -> s.Chain:
        return s.Chain(self._span(meta), tuple(children[0::2]), tuple(children[1::2]))

    # ---- patterns and the dataset

    forbid = structure_clause("forbid")
    never = structure_clause("never")
    gen = structure_clause("gen")
    apart = structure_clause("apart")
    need = structure_clause("need")
    waive = structure_clause("waive")
    expose = structure_clause("expose")
    only = structure_clause("only")
    exclude = structure_clause("not")
    allow = node(s.AllowClause)
    within = tagged("within")
    outside = tagged("outside")
    size = listing(s.SizeClause)
    repeated_lemmas = node(s.RepeatedLemmas)
    part = listing(s.PartDecl)
    relation = node(s.Relation)
    restrict = listing(s.Restrict)
    weights = listing(s.Weights)
    from_clause = dataset_clause("from")
    distinct = dataset_clause("distinct")
    ambiguous = dataset_clause("ambiguous")
    target_clause = dataset_clause("target", conditional=True)
    dataset = listing(s.Dataset)
    expected_text = every_part
    gen_like = node(s.LikeClause, split="gen")
    train_like = node(s.LikeClause, split="train")

    def targets(self, meta: Meta, children: list[Any]) -> s.TargetsClause:
        *words, only = children
        return s.TargetsClause(self._span(meta), tuple(words), only is not None)

    def size_item(self, meta: Meta, children: list[Any]) -> s.SizeItem:
        amount, each, split, *conditions, when = children
        within = tuple(graph for kind, graph in conditions if kind == "within")
        outside = tuple(graph for kind, graph in conditions if kind == "outside")
        return s.SizeItem(self._span(meta), amount, each is not None, split, within, outside, when)

    def pattern(self, meta: Meta, children: list[Any]) -> s.PatternDecl:
        name, title, groups, *clauses = children
        return s.PatternDecl(self._span(meta), name, title, groups or (), tuple(clauses))

    def amount_clause(self, meta: Meta, children: list[Any]) -> s.DatasetClause:
        return s.DatasetClause(self._span(meta), children[0], (), children[1])

    def expected_graph(self, _: Meta, children: list[Any]) -> s.ExpectedGraph:
        return s.ExpectedGraph(*children)

    def test_derives(self, meta: Meta, children: list[Any]) -> s.Test:
        sentence, *rest = children
        texts, graphs = _every(rest, tuple), _every(rest, s.ExpectedGraph)
        return s.Test(self._span(meta), sentence, texts, _every(rest, s.When), graphs)

    def test_rejects(self, meta: Meta, children: list[Any]) -> s.Test:
        return s.Test(self._span(meta), children[0], None, _every(children, s.When))


def _only(children: list[Any], kind: type) -> Any:
    """Return the first child of a kind, or None."""
    return next((child for child in children if isinstance(child, kind)), None)


def _every(children: list[Any], kind: type | tuple[type, ...]) -> tuple[Any, ...]:
    """Return the children of a kind."""
    return tuple(child for child in children if isinstance(child, kind))


def _group_entries(clauses: list[Any]) -> tuple[tuple[s.LayerClause, ...], tuple[s.Entry, ...]]:
    """Layer clauses before the first category are shared, the others belong to theirs."""
    shared: list[s.LayerClause] = []
    entries: list[tuple[s.CategoryRef, list[s.LayerClause]]] = []
    for clause in clauses:
        if isinstance(clause, s.CategoryRef):
            entries.append((clause, []))
        elif isinstance(clause, s.LayerClause):
            (entries[-1][1] if entries else shared).append(clause)
    return tuple(shared), tuple(
        s.Entry(category.span.to([category, *layers][-1].span), category, tuple(layers))
        for category, layers in entries
    )
