"""Syntax of rules, words, lexicon tables and morphology."""

from __future__ import annotations

from dataclasses import dataclass

from sgl.diagnostics import Span
from sgl.lang.syntax.base import Column, EdgePattern, Expression, Fallback, Name


@dataclass(frozen=True, slots=True)
class When:
    """``when not topics`` or ``when size >= 100``."""

    name: Name
    negated: bool
    comparison: str | None
    value: Name | None
    span: Span


@dataclass(frozen=True, slots=True)
class Setting:
    """``form=past|pres`` in the brackets of a category."""

    feature: Name
    values: tuple[Name | Column | Fallback, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class CategoryRef:
    """``NP[anim=a]``."""

    name: Name
    settings: tuple[Setting, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Child:
    """``obj:NP[anim=a]`` on the right-hand side."""

    role: Name | None
    category: CategoryRef
    capital: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Attribute:
    """``upos=NOUN`` in ``node(…)``."""

    name: Name
    value: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class NodeRef:
    """A node in a graph statement: a child's head, a port, or a word of the rule."""

    name: Name
    port: Name | None
    attributes: tuple[Attribute, ...] | None
    span: Span

    @property
    def is_word(self) -> bool:
        """Whether it names a word written in the rule (``"was"``)."""
        return self.name.quoted


@dataclass(frozen=True, slots=True)
class EdgeStatement:
    """``V -[obj]-> NP``, ``V -[agent]-> By last``."""

    source: NodeRef
    edge: EdgePattern
    target: NodeRef
    span: Span
    last: bool = False


@dataclass(frozen=True, slots=True)
class BindStatement:
    """``RC.gap = N`` or ``gap = S.gap`` or ``head = V``."""

    left: NodeRef
    right: NodeRef
    span: Span


@dataclass(frozen=True, slots=True)
class ForgetStatement:
    """``forget S.gap``."""

    node: NodeRef
    span: Span


@dataclass(frozen=True, slots=True)
class NodeStatement:
    """``node(lemma=$en, upos=NOUN)``: the node of a word."""

    attributes: tuple[Attribute, ...]
    span: Span


Statement = EdgeStatement | BindStatement | ForgetStatement | NodeStatement
TemplateItem = Expression


@dataclass(frozen=True, slots=True)
class LayerClause:
    """What a rule says about one layer: a template or graph statements.

    Which of the two is meant follows from the layer, except that a clause with
    an edge, ``=`` or ``node`` can only be about a graph.
    """

    layer: Name
    template: tuple[TemplateItem, ...] | None
    statements: tuple[Statement, ...] | None
    span: Span


@dataclass(frozen=True, slots=True)
class Weight:
    """``~ 2``, ``~ zipf(1.0)``, ``~ 2 zipf(1.0)``, ``~ $count``: its terms in order."""

    factor: Name | None
    kind: Name | None
    argument: Name | None
    column: Column | None
    span: Span


@dataclass(frozen=True, slots=True)
class Keep:
    """``keep in train``."""

    span: Span


@dataclass(frozen=True, slots=True)
class Rule:
    """``rule np: NP -> Det N`` with its clauses."""

    name: Name
    lhs: CategoryRef
    rhs: tuple[Child | Name, ...]
    weight: Weight | None
    layers: tuple[LayerClause, ...]
    keep: Keep | None
    when: tuple[When, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class WordDecl:
    """``word Det: "the"`` with its clauses."""

    category: CategoryRef
    text: Name
    weight: Weight | None
    layers: tuple[LayerClause, ...]
    when: tuple[When, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Condition:
    """``frame = trans | ditrans`` after ``where``."""

    column: Name
    comparison: str
    values: tuple[Name, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Entry:
    """One category of a lexicon with its layer clauses."""

    category: CategoryRef
    layers: tuple[LayerClause, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Variant:
    """``variant published when published``: cells of rows that stand in place of others."""

    name: Name
    when: When | None
    span: Span


@dataclass(frozen=True, slots=True)
class Lexicon:
    """``lexicon nouns from "nouns.yaml"``: a table that expands into words."""

    name: Name
    path: Name
    where: tuple[Condition, ...]
    weight: Weight | None
    shared: tuple[LayerClause, ...]
    entries: tuple[Entry, ...]
    variants: tuple[Variant, ...]
    when: tuple[When, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ParadigmLine:
    """``godan "く" -> "いた", "う" -> "った"``."""

    inflection_class: Name
    rewrites: tuple[tuple[Name, Name], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Paradigm:
    """A table of ending rewrites by inflection class."""

    name: Name
    title: Name | None
    lines: tuple[ParadigmLine, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Function:
    """``function f(x) = …``: an abbreviation for an expression."""

    name: Name
    parameters: tuple[Name, ...]
    body: Expression
    span: Span
