"""Syntax of structures, and the building blocks of all declarations."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, TypeVar, dataclass_transform

from sgl.diagnostics import Span
from sgl.values import dataclass

_Part = TypeVar("_Part")


@dataclass_transform(frozen_default=True)
@dataclass(frozen=True)
class SyntaxNode:
    """A part of the source text; every subclass is a frozen dataclass."""

    span: Span

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)


@dataclass(frozen=True)
class Name:
    """A word at a place: an identifier, a feature value, a number or a quoted string."""

    text: str
    span: Span
    quoted: bool = False

    def __str__(self) -> str:
        return self.text


class NamedDeclaration(SyntaxNode):
    """A declaration that can be referred to by name."""

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
    """A bare name, also ``V.prefix``: ``mode`` is ``""``, ``"capital"``, ``"drop"`` or ``"copy"``."""

    name: Name
    mode: str


class Concat(SyntaxNode):
    """``x + y``: concatenation."""

    left: Expression
    right: Expression


class Fallback(SyntaxNode):
    """``x or y``: ``y`` if the row has no ``x``."""

    left: Expression
    right: Expression


class Call(SyntaxNode):
    """``past($ja, $conj)``: a paradigm or a function."""

    name: Name
    arguments: tuple[Expression, ...]


class TableCell(SyntaxNode):
    """``$concord.subject``, ``$concord[c, n].subject``: what a table has for values of features."""

    table: Name
    keys: tuple[Name, ...]
    column: Name

    def __str__(self) -> str:
        keys = f"[{','.join(map(str, self.keys))}]" if self.keys else ""
        return f"${self.table}{keys}.{self.column}"


Expression = Name | Column | Mention | Concat | Fallback | Call | TableCell


class LabelText(SyntaxNode):
    """A label ``nsubj:pass`` or ``~obj``, in rules also with a variable ``nmod:$prep``; or a set's name, ``$SUBJ``."""

    text: str
    is_set: bool


class LabelSet(SyntaxNode):
    """The labels of an edge: ``labels``, all others (``negated``), or any label."""

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
    """``{2,5}`` or ``+``: the number of edges of a path; unbounded without ``high``."""

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
    """``longest(train)+1``: the length of the longest text of a part of the data, plus an offset."""

    part: Name
    offset: int = 0


class Length(SyntaxNode):
    """``length en >= 20``: the number of words in a text layer."""

    layer: Name
    comparison: Name
    number: Amount | Longest


class Depth(SyntaxNode):
    """``depth ccomp >= 3``: the number of edges of the longest walk."""

    labels: LabelSet
    comparison: Name
    number: Amount


class Sameness(SyntaxNode):
    """``M may be N``: two variables may match one node or two; ``M is not N`` requires two."""

    first: Name
    second: Name
    may: bool


class BodyPattern(SyntaxNode):
    """The statements between braces."""

    statements: tuple[Chain | Repeat | Length | Depth | Sameness, ...]


class GraphPattern(SyntaxNode):
    """``{ … } without { … }``: the first body is the one to match."""

    bodies: tuple[BodyPattern, ...]


class WordList(SyntaxNode):
    """An argument that must be words: ``"dog" | "cat"`` or a set, ``@pets``."""

    values: tuple[Name, ...]
    word_set: Name | None


#: An argument for a parameter.  A name, which may also be a set of labels, can have any type.
Argument = Amount | LabelSet | WordList


class Application(SyntaxNode):
    """``chain(nmod, n+1)``: a structure or a quota with its arguments."""

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


class Labels(NamedDeclaration):
    """``labels SUBJ = nsubj | nsubj:pass``."""

    values: tuple[LabelText, ...]


class WordSet(NamedDeclaration):
    """``words weekdays = Monday, Tuesday``."""

    values: tuple[Name, ...]


class StructureDecl(NamedDeclaration):
    """``structure chain(label, n) { … }``."""

    parameters: tuple[Name, ...]
    graph: GraphPattern | Layered


def parts_of(kind: type[_Part] | tuple[type[_Part], ...], whole: object) -> Iterator[_Part]:
    """Yield the nodes of these kinds in a part of a syntax tree, in preorder."""
    stack: list[Any] = [whole]
    while stack:
        part = stack.pop()
        if isinstance(part, kind):
            yield part
        if isinstance(part, tuple):
            stack.extend(part[::-1])
        else:
            stack += [getattr(part, name) for name in fields_of(type(part))]  # type: ignore[arg-type]


@cache
def fields_of(kind: type) -> tuple[str, ...]:
    """Return the fields of a syntax node except its span, last first; empty for other types."""
    return tuple(name for name in reversed(getattr(kind, "__dataclass_fields__", ())) if name != "span")
