"""What the passes know so far about one grammar; first its parameters, and which conditions hold.

Every result is an attribute that exists once its pass has run and found it; a pass says in
its :attr:`~sgl.frontend.passes.Pass.needs` which of them it cannot do without.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard, TypeVar, cast

from sgl.cache import kept, key_of, memory
from sgl.core.structure import COMPARISONS
from sgl.diagnostics import Diagnostics, Label, SourceMap, Span, one_of, suggest
from sgl.foreign import limits
from sgl.lang import syntax as s
from sgl.lang.project import Project

if TYPE_CHECKING:
    # The passes write what they find into the state, so that it cannot import them.
    from sgl.core.plan import Plan, Release
    from sgl.frontend.bodies import StructureContext
    from sgl.frontend.dataset import DatasetSettings
    from sgl.frontend.expand import Instance
    from sgl.frontend.lower import Lowered
    from sgl.frontend.names import ResolvedNames
    from sgl.frontend.patterns import LoweredPart, LoweredPattern, LoweredTest
    from sgl.frontend.plan import LoweredRestriction
    from sgl.frontend.productions import Production
    from sgl.frontend.signature import Signature
    from sgl.lang.yaml_files import LexiconTable

_FIRST = "declared here first"

_T = TypeVar("_T")

#: What no other declaration depends on, and what no category, rule or word depends on.
LEAVES = (s.Rule, s.WordDecl, s.Lexicon, s.PatternDecl, s.PartDecl, s.Test, s.Weights)
WORDS_LEAVE = (*LEAVES, *(s.Dataset, s.StructureDecl, s.Labels, s.WordSet, s.Quota, s.Relation, s.Restrict))


@dataclass
class CompilerState:
    """What was set and found so far; ``declared`` has the grammar's own weights, ``lowered`` those in force.

    ``words`` are the productions of each lexicon and of each word, ``productions`` those of rules and words.
    """

    project: Project
    settings: Mapping[str, str]
    diagnostics: Diagnostics

    parameters: Parameters = field(init=False)
    names: ResolvedNames = field(init=False)
    signature: Signature = field(init=False)
    dataset: DatasetSettings = field(init=False)
    targets: tuple[str, ...] = field(init=False)
    rules: tuple[Production, ...] = field(init=False)
    words: tuple[tuple[Production, ...], ...] = field(init=False)
    productions: tuple[Production, ...] = field(init=False)
    tables: Mapping[Path, LexiconTable] = field(init=False)
    instances: list[Instance] = field(init=False)
    declared: Lowered = field(init=False)
    lowered: Lowered = field(init=False)
    contexts: dict[str, StructureContext] = field(init=False)
    context: StructureContext = field(init=False)
    patterns: tuple[LoweredPattern, ...] = ()
    parts: tuple[LoweredPart, ...] = ()
    restrictions: tuple[LoweredRestriction, ...] = ()
    tests: tuple[LoweredTest, ...] = ()
    plan: Plan = field(init=False)
    release: Release | None = None

    def __post_init__(self) -> None:
        self._foundations: dict[tuple[type, ...], object] = {}
        #: Add an error, or a warning, to the diagnostics.
        self.error, self.warning = self.diagnostics.error, self.diagnostics.warning

    def kept(
        self, kind: str, same: tuple[object, ...], compute: Callable[[], _T], leaves: tuple[type, ...] = WORDS_LEAVE
    ) -> _T:
        """Return what was computed of the same things while all declarations but ``leaves`` were the same.

        A computation looks at no other leaf.  One that reports something, or reads a file, is not kept.
        """
        keeping = memory()
        if keeping is None:
            return compute()
        same = (self._foundation(leaves), *same)
        key = key_of(kind, same, None)
        known = cast(tuple[_T, set[int]] | None, keeping.find(key))
        if known is not None:
            self.names.used |= known[1]
            return known[0]
        before, self.names.used, clean = self.names.used, set(), (self.diagnostics.told, len(self.sources.files))
        value = compute()
        used, self.names.used = self.names.used, before | self.names.used
        if clean == (self.diagnostics.told, len(self.sources.files)):
            keeping.keep(key, (value, used), same)
        return value

    def _foundation(self, leaves: tuple[type, ...]) -> object:
        """Return an object that is the same while all declarations but leaves are."""
        if leaves not in self._foundations:
            rest = tuple(d for d in self.project.declarations(s.SyntaxNode) if not isinstance(d, leaves))
            files = tuple((unit.file.name, *(used.file.name for _, used in unit.uses)) for unit in self.project.units)
            equal = (files, self.project.unread, tuple(sorted(self.settings.items())), limits())
            self._foundations[leaves] = kept("foundation", rest, equal, object)
        return self._foundations[leaves]

    def report_missing(
        self, kind: str, name: s.Name, known: Collection[str], hint: str = "", keyword: str = ""
    ) -> None:
        """Report a name that nothing has, unless an unreadable declaration with this ``keyword`` may have it."""
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
                self.state.error("SGL0202", name.span, message, f"compare it: `when {name} = {value}`")
            return (value != _FALSE) != when.negated
        comparison = when.comparison.text
        if comparison in ORDERINGS and decimal(value) is None:
            self.state.error("SGL0202", name.span, f"the parameter `{name}` is `{value}`, not a number")
        elif comparison in ORDERINGS and decimal(bound.text) is None:
            self.state.error("SGL0202", bound.span, f"`{comparison}` compares numbers, and `{bound}` is none")
        return compare(value, comparison, bound.text) != when.negated

    def number(self, amount: s.Name | s.Amount) -> float | None:
        """Return the number that ``amount`` writes or names; None after a report."""
        name = amount.value if isinstance(amount, s.Amount) else amount
        text = self.values.get(name.text, name.text)
        number = decimal(text)
        if number is not None:
            return number + (amount.offset if isinstance(amount, s.Amount) else 0)
        if name.text in self.values:
            self.state.error("SGL0202", name.span, f"the parameter `{name}` is `{text}`, not a number")
        elif _NUMBER.fullmatch(text):
            self.state.error("SGL0705", name.span, "this number is too large")
        else:
            self._report_missing(name, "write a number, such as 3, or ")
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

    def _report_missing(self, name: s.Name, instead: str = "") -> None:
        self.state.report_missing("parameter", name, self.values, f"{instead}declare it: `param {name} = …`", "param")


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
