"""Syntax of rules, words, lexicon tables and morphology."""

from __future__ import annotations

from sgl.lang.syntax.base import (
    Column,
    EdgePattern,
    Expression,
    Fallback,
    Name,
    NamedDeclaration,
    SyntaxNode,
)


class When(SyntaxNode):
    """``when not topics`` or ``when size >= 100``."""

    negated: bool
    name: Name
    comparison: Name | None
    value: Name | None


class Setting(SyntaxNode):
    """``form=past|pres`` in the brackets of a category."""

    feature: Name
    values: tuple[Name | Column | Fallback, ...]


class CategoryRef(SyntaxNode):
    """``NP[anim=a]``."""

    name: Name
    settings: tuple[Setting, ...]


class Child(SyntaxNode):
    """``obj:NP[anim=a]`` on the right-hand side."""

    role: Name | None
    category: CategoryRef
    capital: bool


class Attribute(SyntaxNode):
    """``upos=NOUN`` in ``node(…)``."""

    name: Name
    value: Expression


class NodeRef(SyntaxNode):
    """A node in a graph statement: a child's head, a port, or a quoted word of the rule."""

    name: Name
    port: Name | None = None
    attributes: tuple[Attribute, ...] | None = None


class EdgeStatement(SyntaxNode):
    """``V -[obj]-> NP``, ``V -[agent]-> By last``."""

    source: NodeRef
    edge: EdgePattern
    target: NodeRef
    last: bool = False


class BindStatement(SyntaxNode):
    """``RC.gap = N`` or ``gap = S.gap`` or ``head = V``."""

    left: NodeRef
    right: NodeRef


class ForgetStatement(SyntaxNode):
    """``forget S.gap``."""

    node: NodeRef


class NodeStatement(SyntaxNode):
    """``node(lemma=$en, upos=NOUN)``: the node of a word."""

    attributes: tuple[Attribute, ...]


Statement = EdgeStatement | BindStatement | ForgetStatement | NodeStatement
TemplateItem = Expression


class LayerClause(SyntaxNode):
    """What a rule says about one layer: a template or graph statements.

    Which of the two is meant follows from the layer, except that a clause with
    an edge, ``=`` or ``node`` can only be about a graph.
    """

    layer: Name
    template: tuple[TemplateItem, ...] | None
    statements: tuple[Statement, ...] | None


class Weight(SyntaxNode):
    """``~ 2``, ``~ zipf(1.0)``, ``~ 2 zipf(1.0)``, ``~ $count``: its terms in order."""

    factor: Name | None
    kind: Name | None
    argument: Name | None
    column: Column | None


class Keep(SyntaxNode):
    """``keep in train``."""


class Rule(NamedDeclaration):
    """``rule np: NP -> Det N`` with its clauses."""

    lhs: CategoryRef
    rhs: tuple[Child | Name, ...]
    weight: Weight | None
    layers: tuple[LayerClause, ...]
    keep: Keep | None
    when: tuple[When, ...]


class WordDecl(SyntaxNode):
    """``word Det: "the"`` with its clauses."""

    category: CategoryRef
    text: Name
    weight: Weight | None
    layers: tuple[LayerClause, ...]
    when: tuple[When, ...]


class Condition(SyntaxNode):
    """``frame = trans | ditrans`` after ``where``."""

    column: Name
    comparison: Name
    values: tuple[Name, ...]


class Entry(SyntaxNode):
    """One category of a lexicon with its layer clauses."""

    category: CategoryRef
    layers: tuple[LayerClause, ...]


class Variant(SyntaxNode):
    """``variant published when published``: cells of rows that stand in place of others."""

    name: Name
    when: When | None


class Lexicon(NamedDeclaration):
    """``lexicon nouns from "nouns.yaml"``: a table that expands into words."""

    path: Name
    where: tuple[Condition, ...]
    weight: Weight | None
    shared: tuple[LayerClause, ...]
    entries: tuple[Entry, ...]
    variants: tuple[Variant, ...]
    when: tuple[When, ...]


class ParadigmLine(SyntaxNode):
    """``godan "く" -> "いた", "う" -> "った"``."""

    inflection_class: Name
    rewrites: tuple[tuple[Name, Name], ...]


class Paradigm(NamedDeclaration):
    """A table of ending rewrites by inflection class."""

    title: Name | None
    lines: tuple[ParadigmLine, ...]


class Function(NamedDeclaration):
    """``function f(x) = …``: an abbreviation for an expression."""

    parameters: tuple[Name, ...]
    body: Expression
