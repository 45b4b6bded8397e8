"""The syntax of an IRTG file: what stands where, not yet what it means."""

from __future__ import annotations

from dataclasses import dataclass

from sgl.diagnostics import Span
from sgl.lang.syntax import Name


@dataclass(frozen=True, slots=True)
class Variable:
    """``?2``: the value of a child; ``name`` is what stands after the question mark."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Operation:
    """``*(?1, ?2)``, or a constant."""

    symbol: Name
    arguments: tuple[Term, ...]


Term = Operation | Variable


@dataclass(frozen=True, slots=True)
class Interpretation:
    """``interpretation english: de.up.ling.irtg.algebra.StringAlgebra``."""

    name: Name
    algebra: Name


@dataclass(frozen=True, slots=True)
class State:
    """A state; ``final`` where it is marked so."""

    name: Name
    final: bool


@dataclass(frozen=True, slots=True)
class Value:
    """``[english] *(?1, ?2)``: what the label of the rule means in an interpretation."""

    interpretation: Name
    term: Term


@dataclass(frozen=True, slots=True)
class IrtgRule:
    """``S! -> r1(NP, VP) [0.5]`` with the lines below it; ``weight`` as it is written."""

    state: State
    label: Name
    children: tuple[State, ...]
    weight: Name | None
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class IrtgFile:
    """An IRTG as it was read; ``features`` are the names of its feature declarations."""

    interpretations: tuple[Interpretation, ...]
    features: tuple[Name, ...]
    rules: tuple[IrtgRule, ...]
