"""Names, amounts, expressions and graph patterns: what declarations are made of."""

from __future__ import annotations

from dataclasses import dataclass

from sgl.diagnostics import Span


@dataclass(frozen=True, slots=True)
class Name:
    """A word at a place: an identifier, a feature value, a number or a quoted string."""

    text: str
    span: Span
    quoted: bool = False

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Amount:
    """A number, the name of a parameter, or a parameter and a number: ``depth+1``."""

    value: Name
    span: Span
    offset: int = 0

    def __str__(self) -> str:
        return f"{self.value}{self.offset:+}" if self.offset else str(self.value)


@dataclass(frozen=True, slots=True)
class Column:
    """``$en``: a column of a table, a parameter of a function, a feature variable."""

    name: Name
    span: Span


@dataclass(frozen=True, slots=True)
class Mention:
    """A bare name: a child in a template, a parameter in the body of a function.

    ``mode`` is ``""``, ``"capital"``, ``"drop"`` or ``"repeat"``.
    """

    name: Name
    mode: str
    span: Span


@dataclass(frozen=True, slots=True)
class Concat:
    """``x + y``: written together."""

    left: Expression
    right: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Fallback:
    """``x or y``: ``y`` where the row has no ``x``."""

    left: Expression
    right: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    """``past($ja, $conj)``: a paradigm or a function."""

    name: Name
    arguments: tuple[Expression, ...]
    span: Span


Expression = Name | Column | Mention | Concat | Fallback | Call


@dataclass(frozen=True, slots=True)
class LabelText:
    """A label ``nsubj:pass``, ``~obj``, or the name of a label set, ``$SUBJ``.

    In rules ``$role`` and the last part of ``nmod:$prep`` are feature variables.
    """

    text: str
    is_set: bool
    span: Span


@dataclass(frozen=True, slots=True)
class LabelSet:
    """The labels of an edge: ``labels``, all others (``negated``), or any."""

    labels: tuple[LabelText, ...]
    negated: bool
    span: Span


@dataclass(frozen=True, slots=True)
class AttributeTest:
    """``lemma=dog|cat``, ``upos!=VERB``, ``lemma in @targets``."""

    attribute: Name
    negated: bool
    values: tuple[Name, ...]
    word_set: Name | None
    span: Span


@dataclass(frozen=True, slots=True)
class CountTest:
    """``#amod>=5``."""

    labels: LabelSet
    comparison: Name
    number: Amount
    span: Span


@dataclass(frozen=True, slots=True)
class VariableRef:
    """``N[lemma=dog]``."""

    name: Name
    tests: tuple[AttributeTest | CountTest, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class EdgePattern:
    """``-[nsubj|obj]->``; ``bounded`` paths have ``low`` and ``high`` (None: open)."""

    labels: LabelSet
    bounded: bool
    low: Amount | None
    high: Amount | None
    span: Span


@dataclass(frozen=True, slots=True)
class Chain:
    """``V -[obj]-> N -[nmod]-> M``: variables and the edges between them."""

    variables: tuple[VariableRef, ...]
    edges: tuple[EdgePattern, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Repeat:
    """``repeat 3 N..M { … }``."""

    times: Amount
    first: Name
    last: Name
    body: BodyPattern
    span: Span


@dataclass(frozen=True, slots=True)
class BodyPattern:
    """The statements between braces."""

    statements: tuple[Chain | Repeat, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class GraphPattern:
    """``{ … } without { … }``: the first body is the positive one."""

    bodies: tuple[BodyPattern, ...]
    span: Span


GraphRef = GraphPattern | Name
