"""The syntax trees of all declarations: the builder that the reader uses."""

from __future__ import annotations

from typing import Any

from lark import Token, v_args
from lark.tree import Meta

from sgl.lang import syntax as s
from sgl.lang.builder.rules import RuleBuilder
from sgl.lang.builder.tokens import every, only


@v_args(meta=True)
class TreeBuilder(RuleBuilder):
    """Builds the syntax tree of one declaration of ``source`` that starts at ``offset``."""

    def start(self, _: Meta, children: list[Any]) -> Any:
        return children[0]

    def names(self, _: Meta, children: list[s.Name]) -> tuple[s.Name, ...]:
        return tuple(children)

    used_names = names
    names_list = names
    dotted = names

    def module(self, meta: Meta, children: list[Any]) -> s.Module:
        return s.Module(children[0], children[1], self._span(meta))

    def use(self, meta: Meta, children: list[Any]) -> s.Use:
        return s.Use(children[0], children[1], self._span(meta))

    def param(self, meta: Meta, children: list[Any]) -> s.Param:
        return s.Param(children[0], children[1], children[2], self._span(meta))

    def option(self, meta: Meta, children: list[Any]) -> s.Option:
        name, *values, when = children
        return s.Option(name, tuple(values), when, self._span(meta))

    def layer(self, meta: Meta, children: list[Any]) -> s.Layer:
        name, kind, anchor, *options = children
        return s.Layer(
            name, kind, anchor, tuple(o for o in options if o is not None), self._span(meta)
        )

    def view(self, meta: Meta, children: list[Any]) -> s.View:
        name, kind, arguments, path = children
        return s.View(name, kind, arguments, path, self._span(meta))

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

    def ports(self, _: Meta, children: list[s.Port]) -> tuple[s.Port, ...]:
        return tuple(children)

    def port(self, _: Meta, children: list[Any]) -> s.Port:
        return s.Port(children[0], children[1])

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
        amount = only(children, s.Amount)
        graph = next(c for c in children if isinstance(c, (s.GraphPattern, s.Name)))
        repeated = any(isinstance(child, Token) for child in children)
        each = any(child is True for child in children)
        return s.StructureClause(kind, graph, amount, each, repeated, self._span(meta))

    def forbid(self, meta: Meta, children: list[Any]) -> s.StructureClause:
        return self._structure_clause("forbid", meta, children)

    def never(self, meta: Meta, children: list[Any]) -> s.StructureClause:
        return self._structure_clause("never", meta, children)

    def gen(self, meta: Meta, children: list[Any]) -> s.StructureClause:
        return self._structure_clause("gen", meta, children)

    def exclude(self, meta: Meta, children: list[Any]) -> s.StructureClause:
        return self._structure_clause("not", meta, children[-1:])

    def apart(self, meta: Meta, children: list[Any]) -> s.StructureClause:
        return self._structure_clause("apart", meta, children)

    def need(self, meta: Meta, children: list[Any]) -> s.StructureClause:
        return self._structure_clause("need", meta, children)

    def waive(self, meta: Meta, children: list[Any]) -> s.StructureClause:
        return self._structure_clause("waive", meta, children)

    def expose(self, meta: Meta, children: list[Any]) -> s.StructureClause:
        return self._structure_clause("expose", meta, children)

    def allow(self, meta: Meta, children: list[Any]) -> s.AllowClause:
        return s.AllowClause(children[0], self._span(meta))

    def seenonly(self, _: Meta, __: list[Any]) -> bool:
        return True

    def targets(self, meta: Meta, children: list[Any]) -> s.TargetsClause:
        *words, only = children
        return s.TargetsClause(tuple(words), only is not None, self._span(meta))

    def in_split(self, _: Meta, children: list[s.Name]) -> s.Name:
        return children[0]

    def each_target(self, _: Meta, __: list[Any]) -> bool:
        return True

    def within(self, _: Meta, children: list[Any]) -> tuple[str, Any]:
        return "within", children[0]

    def outside(self, _: Meta, children: list[Any]) -> tuple[str, Any]:
        return "outside", children[0]

    def size_item(self, meta: Meta, children: list[Any]) -> s.SizeItem:
        amount, each, split, *conditions, when = children
        return s.SizeItem(
            amount,
            each is not None,
            split,
            tuple(graph for kind, graph in conditions if kind == "within"),
            tuple(graph for kind, graph in conditions if kind == "outside"),
            when,
            self._span(meta),
        )

    def size(self, meta: Meta, children: list[s.SizeItem]) -> s.SizeClause:
        return s.SizeClause(tuple(children), self._span(meta))

    def gen_like(self, meta: Meta, children: list[Any]) -> s.LikeClause:
        return s.LikeClause("gen", children[0], children[1], self._span(meta))

    def train_like(self, meta: Meta, children: list[Any]) -> s.LikeClause:
        return s.LikeClause("train", children[0], children[1], self._span(meta))

    def pattern(self, meta: Meta, children: list[Any]) -> s.Pattern:
        name, title, groups, *clauses = children
        return s.Pattern(name, title, groups or (), tuple(clauses), self._span(meta))

    def only(self, meta: Meta, children: list[Any]) -> s.StructureClause:
        return self._structure_clause("only", meta, children)

    def repeated_lemmas(self, meta: Meta, _: list[Any]) -> s.RepeatedLemmas:
        return s.RepeatedLemmas(self._span(meta))

    def part(self, meta: Meta, children: list[Any]) -> s.Part:
        name, title, *clauses = children
        return s.Part(name, title, tuple(clauses), self._span(meta))

    def relation(self, meta: Meta, children: list[s.Name]) -> s.Relation:
        return s.Relation(children[0], children[1], self._span(meta))

    def restrict(self, meta: Meta, children: list[Any]) -> s.Restrict:
        graph, relation, first, second, *when = children
        return s.Restrict(graph, relation, first, second, tuple(when), self._span(meta))

    def weights(self, meta: Meta, children: list[Any]) -> s.Weights:
        name, path, *when = children
        return s.Weights(name, path, tuple(when), self._span(meta))

    def from_clause(self, meta: Meta, children: list[s.Name]) -> s.DatasetClause:
        return self._dataset_clause("from", meta, children)

    def distinct(self, meta: Meta, children: list[s.Name]) -> s.DatasetClause:
        return self._dataset_clause("distinct", meta, children)

    def ambiguous(self, meta: Meta, children: list[s.Name]) -> s.DatasetClause:
        return self._dataset_clause("ambiguous", meta, children)

    def target_clause(self, meta: Meta, children: list[Any]) -> s.DatasetClause:
        *names, when = children
        return self._dataset_clause("target", meta, names, when)

    def _dataset_clause(
        self, key: str, meta: Meta, children: list[s.Name], when: s.When | None = None
    ) -> s.DatasetClause:
        span = self._span(meta)
        place = self.source.span(span.start, span.start + len(key))
        return s.DatasetClause(s.Name(key, place), tuple(children), span, when=when)

    def amount_clause(self, meta: Meta, children: list[Any]) -> s.DatasetClause:
        return s.DatasetClause(children[0], (), self._span(meta), children[1])

    def dataset(self, meta: Meta, children: list[Any]) -> s.Dataset:
        return s.Dataset(tuple(children), self._span(meta))

    def expected_text(self, _: Meta, children: list[s.Name]) -> tuple[s.Name, s.Name]:
        return children[0], children[1]

    def expected_graph(self, _: Meta, children: list[Any]) -> s.ExpectedGraph:
        return s.ExpectedGraph(*children)

    def test_derives(self, meta: Meta, children: list[Any]) -> s.Test:
        return s.Test(
            children[0],
            every(children[1:], tuple),
            every(children, s.When),
            self._span(meta),
            every(children[1:], s.ExpectedGraph),
        )

    def test_rejects(self, meta: Meta, children: list[Any]) -> s.Test:
        return s.Test(children[0], None, every(children, s.When), self._span(meta))
