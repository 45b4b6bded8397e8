"""Set the parameters, and find out which conditions hold."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeGuard

from sgl.core.structure import COMPARISONS
from sgl.diagnostics import suggest
from sgl.frontend.state import CompilerState
from sgl.lang import syntax as s

_TRUE, _FALSE = "on", "off"

#: The comparisons that only numbers have.
ORDERINGS = (">=", "<=")

#: Whole numbers up to here are exact in floating point.
LARGEST = 10**15

#: How numbers are written; `nan` and `inf` are words.
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True)
class Parameters:
    """The value of every parameter, as text."""

    values: Mapping[str, str]
    state: CompilerState

    def holds(self, when: s.When | None) -> bool:
        """Return whether a condition holds, if there is one; an unknown parameter is reported."""
        if when is None:
            return True
        name, bound = when.name, when.value
        value = self.values.get(name.text)
        if value is None:
            self._report_missing(name)
            return True
        if when.comparison is None or bound is None:
            if value not in (_TRUE, _FALSE):
                message = f"the parameter `{name}` is `{value}`, neither `on` nor `off`"
                hint = f"compare it: `when {name} = {value}`"
                self.state.error("SGL0202", name.span, message, hint)
            return (value != _FALSE) != when.negated
        comparison = when.comparison.text
        if comparison in ORDERINGS and decimal(value) is None:
            message = f"the parameter `{name}` is `{value}`, not a number"
            self.state.error("SGL0202", name.span, message)
        elif comparison in ORDERINGS and decimal(bound.text) is None:
            message = f"`{comparison}` compares numbers, and `{bound}` is none"
            self.state.error("SGL0202", bound.span, message)
        return compare(value, comparison, bound.text) != when.negated

    def number(self, amount: s.Name | s.Amount) -> float | None:
        """Return the number that ``amount`` writes or names; None after a report."""
        name = amount.value if isinstance(amount, s.Amount) else amount
        text = self.values.get(name.text, name.text)
        number = decimal(text)
        if number is not None:
            return number + (amount.offset if isinstance(amount, s.Amount) else 0)
        if name.text in self.values:
            message = f"the parameter `{name}` is `{text}`, not a number"
            self.state.error("SGL0202", name.span, message)
        elif _NUMBER.fullmatch(text):
            self.state.error("SGL0705", name.span, "this number is too large")
        else:
            self._report_missing(name)
        return None

    def whole(self, amount: s.Name | s.Amount, minimum: int = 0) -> int | None:
        """Return the whole number that ``amount`` writes or names; None after a report."""
        number = self.number(amount)
        if number is None:
            return None
        if number != int(number) or not minimum <= number <= LARGEST:
            wanted = f"of at least {minimum}" if number <= LARGEST else f"of at most {LARGEST:,}"
            self.state.error("SGL0705", amount.span, f"`{amount}` must be a whole number {wanted}")
            return None
        return int(number)

    def _report_missing(self, name: s.Name) -> None:
        hint = f"declare it: `param {name} = …`"
        self.state.report_missing("parameter", name, self.values, hint, "param")


def set_parameters(state: CompilerState) -> None:
    """Give every parameter its value, of ``--set`` or its own. After: ``parameters``, unless nothing is declared."""
    project, settings = state.project, state.settings
    if not any(unit.file.declarations or unit.file.unread for unit in project.units):
        hint = "start with the source language: `layer en : text`"
        state.error("SGL0307", None, f"`{project.main.file.name}` declares nothing", hint)
        return
    declared: dict[str, s.Param] = {}
    for declaration in project.declarations(s.Param):
        earlier = declared.setdefault(declaration.name.text, declaration)
        if earlier is not declaration:
            state.report_twice("parameter", declaration.name, earlier.name.span)
    for name, value in settings.items():
        problem, hint = _problem_with(name, value, declared, state)
        if problem:
            state.error("SGL0903", None, f"`--set {name}={value}`: {problem}", hint)
    values = {name: settings.get(name, param.value.text) for name, param in declared.items()}
    state.parameters = Parameters(values, state)


def _problem_with(name: str, value: str, declared: Mapping[str, s.Param], state: CompilerState) -> tuple[str, str]:
    project, param = state.project, declared.get(name)
    if param is None:
        if project.may_declare("param", name):
            return "", ""
        known = sorted(declared)
        hint = suggest(name, known, "its parameters are" if known else "")
        return f"the grammar has no parameter `{name}`", hint
    kind = _kind(param.value.text)
    if _kind(value) != kind:
        return f"`{name}` is {kind}", f"its value in the grammar is `{param.value}`"
    conditions = [when for unit in project.units for when in s.parts_of(s.When, unit.file.declarations)]
    asked = [when for when in conditions if when.name.text == name and when.value is not None]
    values = sorted({param.value.text, *(when.value.text for when in asked if when.value)})
    open_ended = not asked or any(str(when.comparison) == "!=" or when.negated for when in asked)
    if value in values or _kind(value) != "a word" or open_ended or project.unread:
        return "", ""
    return "nothing in the grammar asks for this value", suggest(value, values, "its values are")


def _kind(value: str) -> str:
    if value in (_TRUE, _FALSE):
        return "`on` or `off`"
    return "a number" if _NUMBER.fullmatch(value) else "a word"


def decimal(text: str) -> float | None:
    """Return the number that a text writes in plain digits, if it does and it is finite."""
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    return number if math.isfinite(number) else None


def is_weight(number: float | None) -> TypeGuard[float]:
    """Return whether a number, if there is one, can be a weight."""
    return number is not None and 0 < number < 1e12


def compare(left: str, comparison: str, right: str) -> bool:
    """Return whether a comparison holds: of numbers, or else of words by ``=`` and ``!=``."""
    first, second = decimal(left), decimal(right)
    numbers = first is not None and second is not None
    return COMPARISONS[comparison](*((first, second) if numbers else (left, right)))
