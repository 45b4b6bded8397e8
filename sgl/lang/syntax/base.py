"""Names, amounts and expressions: what all declarations are made of."""

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
