"""The syntax trees of graph patterns."""

from __future__ import annotations

from typing import Any

from lark import Token, v_args
from lark.tree import Meta

from sgl.lang import syntax as s
from sgl.lang.builder.tokens import TokenBuilder


@v_args(meta=True)
class StructureBuilder(TokenBuilder):
    """Graph patterns."""

    def label(self, meta: Meta, children: list[Any]) -> s.LabelText:
        mark = "~" if isinstance(children[0], Token) else ""
        parts = [
            f"${child.name.text}" if isinstance(child, s.Column) else child.text
            for child in children
            if isinstance(child, s.Column | s.Name)
        ]
        return s.LabelText(mark + ":".join(parts), False, self._span(meta))

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

    def more(self, meta: Meta, children: list[s.Name]) -> s.Amount:
        return s.Amount(children[0], self._span(meta), int(children[1].text))

    def less(self, meta: Meta, children: list[s.Name]) -> s.Amount:
        return s.Amount(children[0], self._span(meta), -int(children[1].text))

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
