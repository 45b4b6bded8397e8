"""Set the parameters and choose the declarations whose ``when`` holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sgl.diagnostics import Diagnostics, Label, Span, suggest
from sgl.lang import syntax as s
from sgl.lang.project import Project

_TRUE, _FALSE = "on", "off"


@dataclass(frozen=True)
class Parameters:
    """The value of every parameter, as text."""

    values: Mapping[str, str]

    def holds(self, when: s.When, diagnostics: Diagnostics) -> bool:
        """Whether a ``when`` clause holds; an unknown parameter is reported once."""
        value = self.values.get(when.name.text)
        if value is None:
            diagnostics.error(
                "SGL0201",
                when.name.span,
                f"there is no parameter `{when.name}`",
                hint=suggest(when.name.text, self.values),
            )
            return True
        if when.comparison is None or when.value is None:
            holds = value != _FALSE
        else:
            holds = _compare(value, when.comparison, when.value.text)
        return holds != when.negated

    def number(self, amount: s.Name, diagnostics: Diagnostics) -> float | None:
        """The number that ``amount`` writes or names; None after a report."""
        text = amount.text
        if text in self.values:
            text = self.values[text]
        try:
            return float(text)
        except ValueError:
            known = amount.text in self.values
            diagnostics.error(
                "SGL0202" if known else "SGL0201",
                amount.span,
                f"the parameter `{amount}` is `{text}`, not a number"
                if known
                else f"there is no parameter `{amount}`",
                hint="" if known else suggest(amount.text, self.values),
            )
            return None

    def whole(self, amount: s.Name, diagnostics: Diagnostics, minimum: int = 0) -> int | None:
        """The whole number that ``amount`` writes or names; None after a report."""
        number = self.number(amount, diagnostics)
        if number is None:
            return None
        if number != int(number) or number < minimum:
            diagnostics.error(
                "SGL0705", amount.span, f"`{amount}` must be a whole number of at least {minimum}"
            )
            return None
        return int(number)


def set_parameters(
    project: Project, settings: Mapping[str, str], diagnostics: Diagnostics
) -> Parameters:
    """The declared parameters with the values of ``--set`` in place of their own."""
    declared: dict[str, s.Param] = {}
    for unit in project.units:
        for declaration in unit.file.declarations:
            if isinstance(declaration, s.Param):
                _declare(declared, declaration, diagnostics)
    for name, value in settings.items():
        if name not in declared:
            diagnostics.error(
                "SGL0903",
                None,
                f"`--set {name}={value}`: the grammar has no parameter `{name}`",
                hint=suggest(name, declared) or f"it has: {', '.join(sorted(declared)) or 'none'}",
            )
        elif _kind(value) != _kind(declared[name].value.text):
            diagnostics.error(
                "SGL0903",
                None,
                f"`--set {name}={value}`: `{name}` is {_kind(declared[name].value.text)}",
                hint=f"its value in the grammar is `{declared[name].value}`",
            )
    values = {name: settings.get(name, param.value.text) for name, param in declared.items()}
    return Parameters(values)


def _declare(
    declared: dict[str, s.Param], declaration: s.Param, diagnostics: Diagnostics
) -> None:
    earlier = declared.setdefault(declaration.name.text, declaration)
    if earlier is not declaration:
        report_twice("parameter", declaration.name, earlier.name.span, diagnostics)


def report_twice(kind: str, name: s.Name, earlier: Span, diagnostics: Diagnostics) -> None:
    """Report a second declaration of one name."""
    diagnostics.error(
        "SGL0203",
        name.span,
        f"the {kind} `{name}` is declared twice",
        labels=[Label(earlier, "declared here first")],
        hint="remove one of the two, or rename it",
    )


def choose(
    declarations: tuple[s.Declaration, ...], parameters: Parameters, diagnostics: Diagnostics
) -> list[s.Declaration]:
    """The declarations that are in force."""
    chosen = []
    for declaration in declarations:
        conditions: tuple[s.When, ...] = ()
        if isinstance(declaration, s.Rule | s.Word | s.Lexicon):
            conditions = declaration.when
        elif isinstance(declaration, s.Pattern):
            conditions = tuple(c for c in declaration.clauses if isinstance(c, s.When))
        if all([parameters.holds(when, diagnostics) for when in conditions]):
            chosen.append(declaration)
    return chosen


def _kind(value: str) -> str:
    if value in (_TRUE, _FALSE):
        return "`on` or `off`"
    try:
        float(value)
    except ValueError:
        return "a word"
    return "a number"


def _compare(left: str, comparison: str, right: str) -> bool:
    try:
        difference = float(left) - float(right)
    except ValueError:
        return (left == right) == (comparison != "!=")
    if comparison == "=":
        return difference == 0
    if comparison == "!=":
        return difference != 0
    return difference >= 0 if comparison == ">=" else difference <= 0
