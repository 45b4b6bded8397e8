"""Syntax of rules and words, and what all declarations are made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

from sgl.diagnostics import Span

_Part = TypeVar("_Part")


@dataclass_transform(frozen_default=True)
@dataclass(frozen=True)
class SyntaxNode:
    """Something that an author wrote; every kind of it is a frozen dataclass."""

    span: Span

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)


@dataclass(frozen=True, slots=True)
class Name:
    """A word at a place: an identifier, a feature value, a number or a quoted string."""

    text: str
    span: Span
    quoted: bool = False

    def __str__(self) -> str:
        return self.text


class NamedDeclaration(SyntaxNode):
    """A declaration of something that others mention by its name."""

    name: Name


class Amount(SyntaxNode):
    """A number, the name of a parameter, or a parameter and a number: ``depth+1``."""

    value: Name
    offset: int = 0

    def __str__(self) -> str:
        return f"{self.value}{self.offset:+}" if self.offset else str(self.value)


class Column(SyntaxNode):
    """``$en``: a column of a table, a parameter of a function, a feature variable."""

    name: Name


class Mention(SyntaxNode):
    """A bare name: a child in a template, a parameter in the body of a function.

    ``mode`` is ``""``, ``"capital"``, ``"drop"`` or ``"copy"``.  The name of a part of a child is
    ``V.prefix``.
    """

    name: Name
    mode: str


class Concat(SyntaxNode):
    """``x + y``: written together."""

    left: Expression
    right: Expression


class Fallback(SyntaxNode):
    """``x or y``: ``y`` where the row has no ``x``."""

    left: Expression
    right: Expression


class Call(SyntaxNode):
    """``past($ja, $conj)``: a paradigm or a function."""

    name: Name
    arguments: tuple[Expression, ...]


Expression = Name | Column | Mention | Concat | Fallback | Call


class LabelText(SyntaxNode):
    """A label ``nsubj:pass``, ``~obj``, or the name of a label set, ``$SUBJ``.

    In rules ``$role`` and the last part of ``nmod:$prep`` are feature variables.
    """

    text: str
    is_set: bool


class LabelSet(SyntaxNode):
    """The labels of an edge: ``labels``, all others (``negated``), or any."""

    labels: tuple[LabelText, ...]
    negated: bool


class AttributeTest(SyntaxNode):
    """``lemma=dog|cat``, ``upos!=VERB``, ``Case in @cases``; ``@targets`` tests the lemma."""

    attribute: Name | None
    negated: bool
    values: tuple[Name | Column, ...]
    word_set: Name | None


class CountTest(SyntaxNode):
    """``#amod>=5``."""

    labels: LabelSet
    comparison: Name
    number: Amount


class VariableRef(SyntaxNode):
    """``N[lemma=dog]``."""

    name: Name
    tests: tuple[AttributeTest | CountTest, ...]


class Bounds(SyntaxNode):
    """``{2,5}`` or ``+``: how many edges a path may have; without ``high`` any number more."""

    low: Amount
    high: Amount | None


class EdgePattern(SyntaxNode):
    """``-[nsubj|obj]->`` or, with bounds, a path of such edges."""

    labels: LabelSet
    bounds: Bounds | None


class Chain(SyntaxNode):
    """``V -[obj]-> N -[nmod]-> M``: variables and the edges between them."""

    variables: tuple[VariableRef, ...]
    edges: tuple[EdgePattern, ...]


class Repeat(SyntaxNode):
    """``repeat 3 N..M { … }``."""

    times: Amount
    first: Name
    last: Name
    body: BodyPattern


class Longest(SyntaxNode):
    """``longest(train)+1``: the length of the longest text of a part of the data, and more."""

    part: Name
    more: Name | None


class Length(SyntaxNode):
    """``length en >= 20``: how many words the text has in a text layer."""

    layer: Name
    comparison: Name
    number: Amount | Longest


class Depth(SyntaxNode):
    """``depth ccomp >= 3``: how many edges the longest walk has."""

    labels: LabelSet
    comparison: Name
    number: Amount


class BodyPattern(SyntaxNode):
    """The statements between braces."""

    statements: tuple[Chain | Repeat | Length | Depth, ...]


class GraphPattern(SyntaxNode):
    """``{ … } without { … }``: the first body is the positive one."""

    bodies: tuple[BodyPattern, ...]


class WordList(SyntaxNode):
    """An argument that can only be words: ``"dog" | "cat"`` or a set, ``@pets``."""

    values: tuple[Name, ...]
    word_set: Name | None


#: What takes the place of a parameter.  A name, which a set of labels is too, may mean anything.
Argument = Amount | LabelSet | WordList


class Application(SyntaxNode):
    """``chain(nmod, n+1)``: a structure or a quota with what stands for its parameters."""

    name: Name
    arguments: tuple[Argument, ...]


class LayerPart(SyntaxNode):
    """``sem { V -[agent]-> N }``: a structure on a graph layer."""

    layer: Name
    graph: GraphPattern | Name | Application


class Layered(SyntaxNode):
    """``syn { V -[obj]-> N } sem { V -[theme]-> N }``: parts on several layers, joined by words."""

    parts: tuple[LayerPart, ...]


GraphRef = GraphPattern | Name | Application | Layered


# ---- rules, words and tables


class When(SyntaxNode):
    """``when not topics`` or ``when size >= 100``."""

    negated: bool
    name: Name
    comparison: Name | None
    value: Name | None


class Setting(SyntaxNode):
    """``form=past|pres`` in the brackets of a category; with a ``comparison`` ``slot>i``."""

    feature: Name
    values: tuple[Name | Column | Fallback, ...]
    comparison: Name | None = None


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


class Literal(NamedDeclaration):
    """``literal "did" (lemma=do, upos=AUX)``: the node of a word that rules write."""

    attributes: tuple[Attribute, ...]


class Condition(SyntaxNode):
    """``frame = trans | ditrans`` after ``where``; of a feature variable after ``if``."""

    column: Name
    comparison: Name
    values: tuple[Name, ...]


class LayerClause(SyntaxNode):
    """What a rule says about one layer: a template or graph statements.

    Which of the two is meant follows from the layer, except that a clause with
    an edge, ``=`` or ``node`` can only be about a graph.  Further layers stand in the template
    until it is known what is a layer.  It applies if all ``conditions`` hold.  What is said
    about a part of the phrase in a layer has the layer ``de.prefix``.
    """

    layer: Name
    template: tuple[TemplateItem, ...] | None
    statements: tuple[Statement, ...] | None
    conditions: tuple[Condition, ...] = ()


class Weight(SyntaxNode):
    """``~ 2``, ``~ zipf(1.0)``, ``~ 2 zipf(1.0)``, ``~ $count``: its terms in order."""

    factor: Name | None
    kind: Name | None
    argument: Name | None
    column: Column | None


class WeightCase(SyntaxNode):
    """``51 if a = yes``: one of the weights of a rule, and for what values it is."""

    weight: Weight | None
    conditions: tuple[Condition, ...]


class Keep(SyntaxNode):
    """``keep in train``."""


class Rule(NamedDeclaration):
    """``rule np: NP -> Det N`` with its clauses."""

    lhs: CategoryRef
    rhs: tuple[Child | Name | Mention, ...]
    weights: tuple[WeightCase, ...]
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


class Entry(SyntaxNode):
    """One category of a lexicon with its layer clauses, and the block that it comes from."""

    category: CategoryRef
    layers: tuple[LayerClause, ...]
    block: Forms | None = None


class FormsUse(SyntaxNode):
    """``finite(Vt[order=last], $particle)`` in a lexicon, with the layer clauses below it."""

    name: Name
    category: CategoryRef
    arguments: tuple[Expression, ...]
    layers: tuple[LayerClause, ...]


class Forms(NamedDeclaration):
    """``forms finite(X, particle)``: entries that several lexicons share."""

    category: Name
    parameters: tuple[Name, ...]
    shared: tuple[LayerClause, ...]
    entries: tuple[Entry, ...]


# ---- all of it


def parts_of(kind: type[_Part] | tuple[type[_Part], ...], whole: object) -> Iterator[_Part]:
    """Yield what is of one of the kinds in a part of a syntax tree, in the order of the fields."""
    stack = [whole]
    while stack:
        part = stack.pop()
        if isinstance(part, kind):
            yield part
        if isinstance(part, tuple):
            stack.extend(reversed(part))
        else:
            names = reversed(getattr(part, "__dataclass_fields__", ()))
            stack.extend(getattr(part, name) for name in names if name != "span")
