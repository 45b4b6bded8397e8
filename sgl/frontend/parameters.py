"""Set the parameters and choose the declarations whose ``when`` holds."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sgl.diagnostics import Diagnostics, Label, Span, suggest
from sgl.frontend.state import CompilerState
from sgl.lang import syntax as s
from sgl.lang.project import Project

_TRUE, _FALSE = "on", "off"

#: The comparisons that only numbers have.
ORDERINGS = (">=", "<=")

#: Whole numbers up to here are exact in floating point.
LARGEST = 10**15


@dataclass(frozen=True)
class Parameters:
    """The value of every parameter, as text."""

    values: Mapping[str, str]
    project: Project
    diagnostics: Diagnostics

    def holds(self, when: s.When) -> bool:
        """Return whether a ``when`` clause holds; an unknown parameter is reported once."""
        value = self.values.get(when.name.text)
        if value is None:
            self._report_missing(when.name)
            return True
        if when.comparison is None or when.value is None:
            self._check_switch(when, value)
            holds = value != _FALSE
        else:
            self._check_comparable(when, value, when.value)
            holds = compare(value, when.comparison, when.value.text)
        return holds != when.negated

    def _check_switch(self, when: s.When, value: str) -> None:
        if value not in (_TRUE, _FALSE):
            message = f"the parameter `{when.name}` is `{value}`, neither `on` nor `off`"
            hint = f"compare it: `when {when.name} = {value}`"
            self.diagnostics.error("SGL0202", when.name.span, message, hint)

    def _check_comparable(self, when: s.When, value: str, bound: s.Name) -> None:
        if when.comparison not in ORDERINGS:
            return
        if decimal(value) is None:
            message = f"the parameter `{when.name}` is `{value}`, not a number"
            self.diagnostics.error("SGL0202", when.name.span, message)
        elif decimal(bound.text) is None:
            message = f"`{when.comparison}` compares numbers, and `{bound}` is none"
            self.diagnostics.error("SGL0202", bound.span, message)

    def number(self, amount: s.Name | s.Amount) -> float | None:
        """Return the number that ``amount`` writes or names; None after a report."""
        name, offset = (
            (amount.value, amount.offset) if isinstance(amount, s.Amount) else (amount, 0)
        )
        text = self.values.get(name.text, name.text)
        number = decimal(text)
        if number is not None:
            return number + offset
        if name.text in self.values:
            message = f"the parameter `{name}` is `{text}`, not a number"
            self.diagnostics.error("SGL0202", name.span, message)
        elif _is_number(text):
            self.diagnostics.error("SGL0705", name.span, "this number is too large")
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
            message = f"`{amount}` must be a whole number {wanted}"
            self.diagnostics.error("SGL0705", amount.span, message)
            return None
        return int(number)

    def _report_missing(self, name: s.Name) -> None:
        if not self.project.may_declare("param", name.text):
            hint = f"declare it: `param {name} = …`"
            report_missing("parameter", name, self.values, self.diagnostics, hint)


def set_parameters(state: CompilerState) -> None:
    """Give every parameter its value: that of ``--set``, or else its own.

    Before: the project is read.  After: ``parameters``, unless nothing is declared at all.
    """
    project, settings, diagnostics = state.project, state.settings, state.diagnostics
    if not any(unit.file.declarations or unit.file.unread for unit in project.units):
        hint = "start with the source language: `layer en : text`"
        diagnostics.error("SGL0307", None, f"`{project.main.file.name}` declares nothing", hint)
        return
    declared: dict[str, s.Param] = {}
    for unit in project.units:
        for declaration in unit.file.declarations:
            if isinstance(declaration, s.Param):
                _declare(declared, declaration, diagnostics)
    for name, value in settings.items():
        if name not in declared and not project.may_declare("param", name):
            diagnostics.error(
                "SGL0903",
                None,
                f"`--set {name}={value}`: the grammar has no parameter `{name}`",
                hint=suggest(name, declared)
                or (f"its parameters are: {', '.join(sorted(declared))}" if declared else ""),
            )
        elif name in declared and _kind(value) != _kind(declared[name].value.text):
            message = f"`--set {name}={value}`: `{name}` is {_kind(declared[name].value.text)}"
            hint = f"its value in the grammar is `{declared[name].value}`"
            diagnostics.error("SGL0903", None, message, hint)
        elif name in declared:
            _check_word(declared[name], value, project, diagnostics)
    values = {name: settings.get(name, param.value.text) for name, param in declared.items()}
    state.parameters = Parameters(values, project, diagnostics)


def _check_word(param: s.Param, value: str, project: Project, diagnostics: Diagnostics) -> None:
    """Report a word that no ``when`` asks for: it would silently have no effect."""
    asked = [
        when
        for unit in project.units
        for when in s.parts_of(s.When, unit.file.declarations)
        if when.name.text == param.name.text and when.value is not None
    ]
    known = {param.value.text, *(when.value.text for when in asked if when.value is not None)}
    open_ended = not asked or any(when.comparison == "!=" or when.negated for when in asked)
    if value in known or _kind(value) != "a word" or open_ended or project.unread:
        return
    message = f"`--set {param.name}={value}`: nothing in the grammar asks for this value"
    hint = suggest(value, known) or f"its values are: {', '.join(sorted(known))}"
    diagnostics.error("SGL0903", None, message, hint)


def _declare(declared: dict[str, s.Param], declaration: s.Param, diagnostics: Diagnostics) -> None:
    earlier = declared.setdefault(declaration.name.text, declaration)
    if earlier is not declaration:
        report_twice("parameter", declaration.name, earlier.name.span, diagnostics)


def report_missing(
    kind: str, name: s.Name, known: Iterable[str], diagnostics: Diagnostics, hint: str = ""
) -> None:
    """Report a name that nothing has; the hint is for one that is like none of those known."""
    message = f"there is no {kind} `{name}`"
    diagnostics.error("SGL0201", name.span, message, hint=suggest(name.text, known) or hint)


def report_twice(
    kind: str,
    name: s.Name,
    earlier: Span,
    diagnostics: Diagnostics,
    hint: str = "remove one of the two, or rename it",
) -> None:
    """Report a second declaration of one name."""
    message = f"the {kind} `{name}` is declared twice"
    diagnostics.error(
        "SGL0203", name.span, message, hint, labels=[Label(earlier, "declared here first")]
    )


def choose(declarations: tuple[s.Declaration, ...], parameters: Parameters) -> list[s.Declaration]:
    """Return the declarations that are in force."""
    chosen = []
    for declaration in declarations:
        conditions: tuple[s.When, ...] = ()
        if isinstance(
            declaration, s.Rule | s.WordDecl | s.Lexicon | s.Restrict | s.Weights | s.Test
        ):
            conditions = declaration.when
        elif isinstance(declaration, s.PatternDecl | s.PartDecl):
            conditions = tuple(c for c in declaration.clauses if isinstance(c, s.When))
        met = [parameters.holds(when) for when in conditions]
        if all(met):
            chosen.append(declaration)
    return chosen


def _kind(value: str) -> str:
    if value in (_TRUE, _FALSE):
        return "`on` or `off`"
    return "a number" if _is_number(value) else "a word"


def _is_number(text: str) -> bool:
    """Return whether a text is written as a number; `nan` and `inf` are words."""
    return re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text) is not None


def decimal(text: str) -> float | None:
    """Return the number that a text writes in plain digits, if it does and it is finite."""
    number = float(text) if _is_number(text) else math.nan
    return number if math.isfinite(number) else None


def compare(left: str, comparison: str, right: str) -> bool:
    """Return whether a comparison holds: of numbers, or else of words by ``=`` and ``!=``."""
    first, second = decimal(left), decimal(right)
    if first is None or second is None:
        return (left == right) == (comparison != "!=")
    difference = first - second
    if comparison == "=":
        return difference == 0
    if comparison == "!=":
        return difference != 0
    return difference >= 0 if comparison == ">=" else difference <= 0
