"""Syntax of graph patterns."""

from __future__ import annotations

from dataclasses import dataclass

from sgl.diagnostics import Span
from sgl.lang.syntax.base import Amount, Name


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
class DegreeTest:
    """``#amod>=5``."""

    labels: LabelSet
    comparison: Name
    number: Amount
    span: Span


@dataclass(frozen=True, slots=True)
class VariableRef:
    """``N[lemma=dog]``."""

    name: Name
    tests: tuple[AttributeTest | DegreeTest, ...]
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
    body: Body
    span: Span


@dataclass(frozen=True, slots=True)
class Body:
    """The statements between braces."""

    statements: tuple[Chain | Repeat, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class GraphPattern:
    """``{ … } without { … }``: the first body is the positive one."""

    bodies: tuple[Body, ...]
    span: Span


GraphRef = GraphPattern | Name
