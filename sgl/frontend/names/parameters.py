"""The input of all passes, a project and its settings; and the values of its parameters and conditions.

Numbers are literal or values of parameters.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from typing import TypeGuard

from sgl.core.structure import COMPARISONS
from sgl.diagnostics import Diagnostics, Label, Reported, SourceMap, Span, attempt, one_of, suggest
from sgl.foreign import OF_GRAMMARS
from sgl.lang import syntax as s
from sgl.lang.project import Project
from sgl.values import dataclass

_FIRST = "declared here first"


@dataclass
class Session:
    """A project with its settings, which override those that it was packed with; passes report to ``diagnostics``."""

    project: Project
    settings: Mapping[str, str]
    diagnostics: Diagnostics

    def __post_init__(self) -> None:
        self.settings = {**self.project.settings, **self.settings}
        #: Add an error, also to end what it is in, or a warning to the diagnostics.
        self.error, self.fail, self.warning = self.diagnostics.error, self.diagnostics.fail, self.diagnostics.warning

    def report_missing(
        self, kind: str, name: s.Name, known: Collection[str], hint: str = "", keyword: str = ""
    ) -> None:
        """Report an unknown name, unless an unreadable declaration with this ``keyword`` may define it."""
        if not keyword or not self.project.may_declare(keyword, name.text):
            hint = suggest(name.text, known) or hint or one_of(name.text, known)
            self.error("SGL0201", name.span, f"there is no {kind} `{name}`", hint)

    def report_twice(
        self, kind: str, name: s.Name, earlier: Span, hint: str = "remove one of the two, or rename it"
    ) -> None:
        """Report a second declaration of one name."""
        message, labels = f"the {kind} `{name}` is declared twice", [Label(earlier, _FIRST)]
        self.error("SGL0203", name.span, message, hint, labels=labels)

    @property
    def sources(self) -> SourceMap:
        """The files that were read."""
        return self.project.sources


_TRUE, _FALSE = "on", "off"

#: Comparisons that apply only to numbers.
ORDERINGS = (">=", "<=")

#: Whole numbers up to this limit are exact in floating point.
LARGEST = 10**15

MAX_COUNT = 10_000_000

MAX_COPIES = 10_000

#: The notation of numbers; `nan` and `inf` are words.
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True)
class Parameters:
    """The value of every parameter, as text."""

    values: Mapping[str, str]
    session: Session

    def holds(self, when: s.When | None) -> bool:
        """Return whether a condition, if any, holds; report an unknown parameter."""
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
                self.session.error("SGL0202", name.span, message, f"compare it: `when {name} = {value}`")
            return (value != _FALSE) != when.negated
        comparison = when.comparison.text
        if comparison in ORDERINGS and decimal(value) is None:
            self.session.error("SGL0202", name.span, f"the parameter `{name}` is `{value}`, not a number")
        elif comparison in ORDERINGS and decimal(bound.text) is None:
            self.session.error("SGL0202", bound.span, f"`{comparison}` compares numbers, and `{bound}` is not one")
        return compare(value, comparison, bound.text) != when.negated

    def number(self, amount: s.Name | s.Amount) -> float:
        """Return the number that ``amount`` gives literally or by name."""
        name = amount.value if isinstance(amount, s.Amount) else amount
        text = self.values.get(name.text, name.text)
        number = decimal(text)
        if number is not None:
            return number + (amount.offset if isinstance(amount, s.Amount) else 0)
        if name.text in self.values:
            self.session.fail("SGL0202", name.span, f"the parameter `{name}` is `{text}`, not a number")
        if _NUMBER.fullmatch(text):
            self.session.fail("SGL0705", name.span, "this number is too large")
        self._report_missing(name, "write a number, such as 3, or ")
        raise Reported

    def whole(self, amount: s.Name | s.Amount, minimum: int = 0) -> int:
        """Return the whole number that ``amount`` gives literally or by name."""
        number = self.number(amount)
        if number != int(number) or not minimum <= number <= LARGEST:
            wanted = f"of at least {minimum}" if number <= LARGEST else f"of at most {LARGEST:,}"
            self.session.fail("SGL0705", amount.span, f"`{amount}` must be a whole number {wanted}")
        return int(number)

    def is_all(self, amount: s.Amount) -> bool:
        """Return whether an amount is ``all`` instead of a number."""
        return amount.value.text == "all" and "all" not in self.values and not amount.offset

    def copies(self, written: s.Copies | None) -> int:
        """Return the number of copies of each sentence or instance; 1 after a report."""
        number = 1 if written is None else attempt(self.whole, written.number, 1) or 1
        if written is not None and number > MAX_COPIES:
            self.session.error("SGL0705", written.span, f"this is repeated at most {MAX_COPIES:,} times")
        return number

    def sentences(self, amount: s.Amount, percent: int, times: int = 1, least: int = 1, contexts: int = 1) -> int:
        """Return the scaled number of sentences for ``amount``, at least some."""
        count = self.whole(amount)
        count = contexts * max(min(count * times, least), (count * times * percent + 50) // 100)
        if count > MAX_COUNT:
            self.session.fail("SGL0705", amount.span, f"at most {MAX_COUNT:,} sentences can be asked for in one place")
        return count

    def _report_missing(self, name: s.Name, instead: str = "") -> None:
        self.session.report_missing("parameter", name, self.values, f"{instead}declare it: `param {name} = …`", "param")


def set_parameters(session: Session) -> Parameters:
    """Set every parameter, from ``--set`` or its declaration; report a project that declares nothing."""
    project, settings = session.project, session.settings
    if not any(unit.file.declarations or unit.file.unread for unit in project.units):
        hint = "start with the source language: `layer en : text`"
        session.fail("SGL0307", None, f"`{project.main.file.name}` declares nothing", hint)
    declared: dict[str, s.Param] = {}
    for declaration in project.declarations(s.Param):
        earlier = declared.setdefault(declaration.name.text, declaration)
        if earlier is not declaration:
            session.report_twice("parameter", declaration.name, earlier.name.span)
    for name, value in settings.items():
        problem, hint = _problem_with(name, value, declared, session)
        if problem:
            recorded = project.settings.get(name) == value
            place = f"`grammar.json` of the dataset sets `{name}`" if recorded else f"`--set {name}={value}`"
            session.error("SGL0903", None, f"{place}: {problem}", hint)
    values = {name: settings.get(name, param.value.text) for name, param in declared.items()}
    return Parameters(values, session)


def limits_of(project: Project, diagnostics: Diagnostics) -> dict[str, int]:
    """Return the limits that the files of a grammar set, the highest counting; report those that no grammar can set."""
    found: dict[str, int] = {}
    for own in project.declarations(s.Limit):
        name, number = own.name.text, decimal(own.value.text)
        most = OF_GRAMMARS.get(name)
        if most is None:
            hint = suggest(name, OF_GRAMMARS, "a grammar sets")
            diagnostics.error("SGL0108", own.name.span, f"a grammar does not set a limit `{own.name}`", hint)
        elif number is None or number != int(number) or not 1 <= number <= most:
            message = f"`{own.value}` is not a whole number from 1 to {most:,}"
            hint = f"more is up to the user: `--limit {name}=NUMBER`" if (number or 0) > most else ""
            diagnostics.error("SGL0108", own.value.span, message, hint)
        else:
            found[name] = max(found.get(name, 0), int(number))
    return found


def _problem_with(name: str, value: str, declared: Mapping[str, s.Param], session: Session) -> tuple[str, str]:
    project, param = session.project, declared.get(name)
    if param is None:
        if project.may_declare("param", name):
            return "", ""
        known = sorted(declared)
        hint = suggest(name, known, "its parameters are" if known else "")
        if name == "words" and value == "fresh":
            hint = "`sglc new DIRECTORY --from GRAMMAR --fresh-words SEED` makes a copy of a grammar with fresh words"
        return f"the grammar has no parameter `{name}`", hint
    kind = _kind(param.value.text)
    if _kind(value) != kind:
        return f"`{name}` is {kind}", f"its value in the grammar is `{param.value}`"
    tested = _tested(name, project) if kind == "a word" and not project.unread else set[str]()
    values = sorted({param.value.text, *tested})
    if not tested or value in values:
        return "", ""
    return "nothing in the grammar tests for this value", suggest(value, values, "its values are")


def _tested(name: str, project: Project) -> set[str]:
    """Return the words that conditions of the grammar ask a parameter for; none if another may be meant."""
    conditions = [when for unit in project.units for when in s.parts_of(s.When, unit.file.declarations)]
    asked = [when for when in conditions if when.name.text == name and when.value is not None]
    if any(str(when.comparison) == "!=" or when.negated for when in asked):
        return set()
    return {when.value.text for when in asked if when.value is not None}


def _kind(value: str) -> str:
    if value in (_TRUE, _FALSE):
        return "`on` or `off`"
    return "a number" if _NUMBER.fullmatch(value) else "a word"


def decimal(text: str) -> float | None:
    """Return the number that a text gives in plain digits, if it is finite, or None."""
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    return number if math.isfinite(number) else None


def is_weight(number: float | None) -> TypeGuard[float]:
    """Return whether a number, if any, can be a weight."""
    return number is not None and 0 < number < 1e12


def compare(left: str, comparison: str, right: str) -> bool:
    """Return whether a comparison holds: between numbers, or otherwise between words with ``=`` or ``!=``."""
    first, second = decimal(left), decimal(right)
    numbers = first is not None and second is not None
    return COMPARISONS[comparison](*((first, second) if numbers else (left, right)))
