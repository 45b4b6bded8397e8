"""The cases of a rule: which of its clauses apply for which values of its feature variables.

A clause may end with a condition, ``de  obj Vt if o = last``.  The rule then has several versions,
one for each set of clauses that apply together; it stays one rule, with one name and one weight. Of
a text layer exactly one clause applies.  A clause without a condition is for the rest, which the
right-hand side is for the source layer.  Of a graph layer all that apply add up.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from sgl.diagnostics import Label, shortlist, suggest
from sgl.frontend.mentions import RuleNames, VariableTable
from sgl.frontend.state import CompilerState
from sgl.lang import syntax as s

#: So many combinations of values may decide which clauses of one rule apply.
MAX_COMBINATIONS = 10_000

#: So many combinations without a clause are named.
_SHOWN = 4

Values = tuple[str, ...]
_Part = s.LayerClause | s.WeightCase


@dataclass(frozen=True, slots=True)
class Case:
    """What applies for the values that ``when`` tells: clauses of layers, one of the weights."""

    clauses: tuple[s.LayerClause, ...]
    weight: s.Weight | None
    sharing: int
    when: str


@dataclass(frozen=True, slots=True)
class Cases:
    """The cases of a rule, and which of them is for which values of the ``deciding`` variables."""

    cases: tuple[Case, ...]
    deciding: tuple[str, ...]
    number: Mapping[Values, int]


def cases_of(names: RuleNames) -> Cases | None:
    """Return the cases of a rule; None after a report."""
    rule, variables, state = names.rule, names.variables, names.state
    weights = rule.weights or (s.WeightCase(rule.span, None, ()),)
    parts: list[_Part] = [*rule.layers, *weights]
    conditions = [condition for part in parts for condition in part.conditions]
    if not conditions and len(weights) == 1:
        return Cases((Case(rule.layers, weights[0].weight, 0, ""),), (), {(): 0})
    known = [_is_known(condition, variables, state) for condition in conditions]
    return _Choice(names, weights).cases() if all(known) else None


def _is_known(condition: s.Condition, variables: VariableTable, state: CompilerState) -> bool:
    name = condition.column
    hint = "a condition is about a variable in the brackets of a category, as in `VP[form=f]`"
    if not variables.use(name.text, name.span, hint):
        return False
    values = variables.values_of(name.text)
    strange = [value for value in condition.values if value.text not in values]
    for value in strange:
        message = f"`{value}` is not a value of `{name}`"
        state.error("SGL0402", value.span, message, suggest(value.text, values, "its values are"))
    if condition.comparison.text not in ("=", "!=") and not strange:
        return variables.check_order(name.text, condition.span)
    return not strange


@dataclass(frozen=True)
class _Group:
    """Clauses of one text layer, or weights, of which one applies; ``rest`` without conditions.

    It is ``complete`` without a rest if the right-hand side, of the source layer, is the rest.
    """

    what: str
    parts: tuple[_Part, ...]
    rest: _Part | None
    complete: bool


class _Choice:
    """Finds what applies, combination of values by combination."""

    def __init__(self, names: RuleNames, weights: Sequence[s.WeightCase]) -> None:
        rule, state = names.rule, names.state
        self._rule, self._weights, self._state = rule, weights, state
        self._variables = names.variables
        self._parts: list[_Part] = [*rule.layers, *weights]
        #: The variables that decide, in the order of their first mention.
        deciding = (c.column.text for part in self._parts for c in part.conditions)
        self._deciding = tuple(dict.fromkeys(deciding))
        source, texts = state.signature.source.name, state.signature.text_layers
        self._groups = [_group("weight", weights, complete=False)]
        parts = (clause.layer.text for clause in rule.layers if "." in clause.layer.text)
        for layer in dict.fromkeys([*(text.name for text in texts), *parts]):
            clauses = [clause for clause in rule.layers if clause.layer.text == layer]
            what = f"clause of the layer `{layer}`"
            self._groups.append(_group(what, clauses, complete=layer == source))

    def cases(self) -> Cases | None:
        state, domains = self._state, self._variables.domains
        errors = state.diagnostics.errors
        if prod(len(domains[name]) for name in self._deciding) > MAX_COMBINATIONS:
            message = f"the conditions have more than {MAX_COMBINATIONS:,} combinations of values"
            state.error("SGL0706", self._rule.name.span, message, "split the rule into several")
            return None
        combinations = self._variables.combinations(self._deciding)
        for group in self._groups:
            self._check(group, combinations)
        if state.diagnostics.errors == errors:
            self._check_idle(combinations)
        if state.diagnostics.errors > errors:
            return None
        found: dict[tuple[int, ...], int] = {}
        cases: list[Case] = []
        number: dict[Values, int] = {}
        for values in combinations:
            clauses, sharing = self._chosen(values)
            key = (*map(id, clauses), sharing)
            if key not in found:
                found[key] = len(cases)
                weight = self._weights[sharing].weight
                cases.append(Case(clauses, weight, sharing, self._told(values)))
            number[values] = found[key]
        return Cases(tuple(cases), self._deciding, number)

    def _applies(self, part: _Part, values: Values) -> bool:
        given = dict(zip(self._deciding, values, strict=True))
        return all(self._variables.holds(condition, given[condition.column.text]) for condition in part.conditions)

    def _chosen(self, values: Values) -> tuple[tuple[s.LayerClause, ...], int]:
        idle = {id(group.rest) for group in self._groups if any(self._applies(part, values) for part in group.parts)}
        applying = [part for part in self._parts if self._applies(part, values) and id(part) not in idle]
        clauses = tuple(part for part in applying if isinstance(part, s.LayerClause))
        weight = next(part for part in applying if isinstance(part, s.WeightCase))
        return clauses, next(i for i, one in enumerate(self._weights) if one is weight)

    def _check(self, group: _Group, combinations: Sequence[Values]) -> None:
        plain = [part for part in self._weights if not part.conditions]
        if group.rest in plain and group.rest is not plain[-1]:
            message = "the rule has two weights without a condition"
            self._state.error("SGL0314", plain[-1].span, message, "write `if …` behind one of them")
        missing: list[str] = []
        for values in combinations if group.parts else ():
            applying = [part for part in group.parts if self._applies(part, values)]
            if len(applying) > 1:
                first, second, *_ = applying
                message = f"there is a second {group.what} for `{self._told(values)}`"
                labels = [Label(first.span, "here first")]
                hint = "let their conditions exclude one another"
                self._state.error("SGL0314", second.span, message, hint, labels=labels)
                return
            if not applying and group.rest is None and not group.complete:
                missing.append(f"`{self._told(values)}`")
        if missing:
            message = f"there is no {group.what} for {shortlist(missing, _SHOWN)}"
            hint = "add it, or one without `if` for all other values"
            self._state.error("SGL0314", group.parts[-1].span, message, hint)

    def _check_idle(self, combinations: Sequence[Values]) -> None:
        used: set[int] = set()
        for values in combinations:
            clauses, sharing = self._chosen(values)
            used |= {*map(id, clauses), id(self._weights[sharing])}
        for part in self._parts:
            if id(part) not in used:
                message = "this applies for no values that the rule can have"
                if not part.conditions:
                    message = "the conditions of the others leave no values for this one"
                self._state.error("SGL0314", part.span, message, "remove it, or correct them")

    def _told(self, values: Values) -> str:
        pairs = zip(self._deciding, values, strict=True)
        return ", ".join(f"{name} = {value}" for name, value in pairs)


def _group(what: str, parts: Sequence[_Part], *, complete: bool) -> _Group:
    conditional = tuple(part for part in parts if part.conditions)
    rest = next((part for part in parts if not part.conditions), None)
    return _Group(what, conditional, rest, complete)
