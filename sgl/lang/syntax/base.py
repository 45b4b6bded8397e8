"""Names, amounts, expressions and graph patterns: what declarations are made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
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

    ``mode`` is ``""``, ``"capital"``, ``"drop"`` or ``"repeat"``.
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
    """``lemma=dog|cat``, ``upos!=VERB``, ``lemma in @targets``."""

    attribute: Name
    negated: bool
    values: tuple[Name, ...]
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


class EdgePattern(SyntaxNode):
    """``-[nsubj|obj]->``; ``bounded`` paths have ``low`` and ``high`` (None: open)."""

    labels: LabelSet
    bounded: bool
    low: Amount | None
    high: Amount | None


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


class BodyPattern(SyntaxNode):
    """The statements between braces."""

    statements: tuple[Chain | Repeat, ...]


class GraphPattern(SyntaxNode):
    """``{ … } without { … }``: the first body is the positive one."""

    bodies: tuple[BodyPattern, ...]


GraphRef = GraphPattern | Name


def parts_of(kind: type[_Part] | tuple[type[_Part], ...], whole: object) -> Iterator[_Part]:
    """Yield what is of one of the kinds in a part of a syntax tree, in the order of the fields."""
    if isinstance(whole, kind):
        yield whole
    if isinstance(whole, tuple):
        for member in whole:
            yield from parts_of(kind, member)
    elif is_dataclass(whole):
        for slot in fields(whole):
            yield from parts_of(kind, getattr(whole, slot.name))
