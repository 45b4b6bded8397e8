"""The feature variables of a rule: where they occur, which values they can have, and what is computed with them."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice, product

from sgl.diagnostics import Label, Reported, Span, attempt, each, sound, suggest, there
from sgl.frontend.elaborate.algebra import (
    FUNCTIONS,
    Constraint,
    Key,
    Scale,
    Term,
    applied,
    constant,
    first_fitting,
    key_of,
    number_of,
    possible,
    scale_of,
    whole,
)
from sgl.frontend.names.concord import FeatureTable
from sgl.frontend.names.scopes import Scope
from sgl.frontend.names.signature import Signed
from sgl.lang import syntax as s
from sgl.values import dataclass, field

#: Distinguishes the variables of several mentions of one computation.
AGAIN = "'"
#: Maximum number of value combinations that are looked at to understand a condition.
MAX_COMBINATIONS = 10_000


@dataclass
class VariableTable:
    """The feature variables of one rule: their domains and their mentions.

    ``used`` are those that clauses mention.  In ``VP[slot>i]`` and ``VP[slot=i+1]`` an unnamed variable represents the
    value, and ``constraints`` have what it is; :meth:`settle` makes them when all mentions are known.
    """

    state: Signed
    scope: Scope
    domains: dict[str, frozenset[str]] = field(default_factory=dict)
    mentions: dict[str, list[tuple[s.Name, str]]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    constraints: list[Constraint] = field(default_factory=list)
    _waiting: list[tuple[str, s.Setting]] = field(default_factory=list)
    _tests: dict[s.Condition, Constraint | None] = field(default_factory=dict)

    def mention(self, name: s.Name, feature: str, values: frozenset[str]) -> None:
        """Record that a variable represents the value of ``feature`` here."""
        self.domains[name.text] = self.domains.get(name.text, values) & values
        self.mentions.setdefault(name.text, []).append((name, feature))

    def compute(self, setting: s.Setting) -> str:
        """Return a new variable for a value that is computed, or compared with others."""
        comparison = setting.comparison.text if setting.comparison is not None else "="
        new = f"{comparison}{_listed(setting.values)}"
        while new in self.domains:
            new += AGAIN
        self.domains[new] = frozenset(self.state.signature.features[setting.feature.text])
        self._waiting.append((new, setting))
        return new

    def settle(self, where: Sequence[s.Condition]) -> bool:
        """Make the constraints of all mentions and conditions of the rule; return False after a report."""
        errors = self.state.diagnostics.errors
        terms = Terms(self)
        found = sound(lambda one: (terms.of_setting(*one), one[1].span), self._waiting)
        found += sound(lambda condition: (self.test(condition), condition.span), where)
        self.constraints += [constraint for constraint, _ in found]
        if self.state.diagnostics.errors == errors:
            for constraint, span in found:
                self._check_possible(constraint, span)
        return self.state.diagnostics.errors == errors

    def test(self, condition: s.Condition) -> Constraint:
        """Return what a condition means."""
        if condition not in self._tests:
            self._tests[condition] = attempt(Terms(self).of_condition, condition)
        return there(self._tests[condition])

    def _check_possible(self, constraint: Constraint, span: Span) -> None:
        """Report a condition that no values of the variables fulfil, with an example."""
        left, examples = constraint.left, list[str]()
        named = {left} & self.mentions.keys()
        names = sorted(constraint.inputs | named)
        every = product(*([v for v in self.values_of(name) if v in self.domains[name]] for name in names))
        for chosen in islice(every, MAX_COMBINATIONS):
            values = dict(zip(names, chosen, strict=True))
            lefts = [values[left]] if named else self.domains[left]
            if any(constraint.holds({**values, left: own}) for own in lefts):
                return
            if not examples:
                keys = [option(values) for option in constraint.options]
                keys = [None if key is None else constraint.scale.value_of.get(key, key) for key in keys]
                found = "does not exist" if None in keys else f"is {' or '.join(map(str, keys))}"
                examples.append(f"with {', '.join(map(' = '.join, values.items()))}, the right-hand side {found}")
        if examples and next(every, None) is None:
            message = f"`{constraint.written}` is true for no values: the rule is never used"
            self.state.error("SGL0328", span, message, notes=examples if names else ())

    def values_of(self, name: str) -> tuple[str, ...]:
        """Return the values of a variable's feature, in order."""
        return self.state.signature.features[self.mentions[name][0][1]]

    def combinations(self, names: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the possible combinations of the variables' values, in order."""
        allowed = [[value for value in self.values_of(name) if value in self.domains[name]] for name in names]
        tests = possible(names, self.constraints, self.domains, MAX_COMBINATIONS)
        return [c for c in product(*allowed) if all(test(dict(zip(names, c, strict=True))) for test in tests)]

    def holds(self, condition: s.Condition, given: Mapping[str, str]) -> bool:
        """Return whether a condition that was tested holds for values of its variables."""
        return self.test(condition).holds(given)

    def use(self, name: str, span: Span, hint: str = "") -> str:
        """Record that a clause mentions a variable, and return it; the rule must have it, with values of its own."""
        self.used.add(name)
        if name not in self.mentions:
            hint = suggest(name, self.mentions) or hint
            self.state.fail("SGL0404", span, f"the rule has no feature variable `{name}`", hint)
        feature = self.mentions[name][0][1]
        if (lexicon := self.state.signature.named.get(feature)) is not None:
            message = f"`{feature}` stands for a name of `{lexicon}`, which has no value to compare, compute or write"
            hint = "one variable is one name, and two are two; to write a name, use a child with it"
            self.state.fail("SGL0340", span, message, hint)
        return name


def check_comparable(feature: str, span: Span, state: Signed) -> None:
    """Check that the values of a feature are ordered."""
    signature = state.signature
    if feature not in signature.ordered:
        hint = f"declare one: `feature {feature} = {' < '.join(signature.features[feature])}`"
        state.fail("SGL0409", span, f"the values of the feature `{feature}` have no order", hint)


def _listed(values: Sequence[object]) -> str:
    """Return the values of a setting as they are written."""
    return (", " if isinstance(values[0], s.Choice) else "|").join(map(str, values))


@dataclass(frozen=True, eq=False)
class _LookUp:
    """The term of a table that is a function; what was looked up is known."""

    table: FeatureTable
    column: str
    terms: Sequence[Term]
    scales: Sequence[Scale]
    scale: Scale
    cells: dict[tuple[Key | None, ...], Key | None] = field(default_factory=dict)

    def __call__(self, values: Mapping[str, str]) -> Key | None:
        keys = tuple(term(values) for term in self.terms)
        if keys not in self.cells:
            own = [of.value_of.get(key) for of, key in zip(self.scales, keys, strict=True) if key is not None]
            rows = [one for one in own if one is not None]
            cell = self.table.cell(rows, self.column) if len(rows) == len(keys) else None
            self.cells[keys] = None if cell is None else self.scale.keys.get(cell)
        return self.cells[keys]


class Terms:
    """Turns the expressions of a rule into terms; reports what has no meaning."""

    def __init__(self, variables: VariableTable) -> None:
        self.variables, self.state = variables, variables.state
        #: The variables met so far, and whether what they are in is only compared.
        self.inputs, self.compared = set[str](), False

    def of_setting(self, new: str, setting: s.Setting) -> Constraint:
        """Return what a setting says about the variable that stands for its value."""
        scale = scale_of(setting.feature.text, self.state.signature)
        comparison = setting.comparison.text if setting.comparison is not None else "="
        if comparison not in ("=", "!="):
            check_comparable(scale.feature, setting.span, self.state)
        choices = [value for value in setting.values if isinstance(value, s.Choice)]
        plain = [value for value in setting.values if isinstance(value, s.Name | s.Computed)]
        written = f"{setting.feature}{comparison}{_listed(setting.values)}"
        options = partial(self.choices, choices, scale) if choices else None
        return self._constraint(new, comparison, plain, scale, written, options)

    def of_condition(self, condition: s.Condition) -> Constraint:
        """Return what a condition on a variable says."""
        name, comparison, variables = condition.column, condition.comparison.text, self.variables
        hint = "a condition tests a variable in the brackets of a category, as in `VP[form=f]`"
        variables.use(name.text, name.span, hint)
        values = variables.values_of(name.text)
        plain = [value for value in condition.values if isinstance(value, s.Name) and value.text not in values]
        strange = [value for value in plain if value.quoted or value.text not in variables.mentions]
        for value in strange:
            message = f"`{value}` is not a value of `{name}`"
            self.state.error("SGL0402", value.span, message, suggest(value.text, values, "its values are"))
        for feature in sorted({feature for _, feature in variables.mentions[name.text]}):
            if comparison not in ("=", "!="):
                check_comparable(feature, condition.span, self.state)
        if strange:
            raise Reported
        scale = scale_of(variables.mentions[name.text][0][1], self.state.signature)
        return self._constraint(name.text, comparison, condition.values, scale, str(condition))

    def _constraint(
        self,
        left: str,
        comparison: str,
        values: Sequence[s.Name | s.Computed],
        scale: Scale,
        written: str,
        choices: Callable[[], Term] | None = None,
    ) -> Constraint:
        self.inputs, self.compared = set(), comparison != "="
        options = [choices()] if choices is not None else each(partial(self.of, scale=scale), values)
        return Constraint(left, comparison, tuple(options), frozenset(self.inputs), scale, written)

    def of(self, written: s.Name | s.Computed, scale: Scale, *, inside: bool = False) -> Term:
        """Return an expression for a value of a feature.  Whole numbers ``inside`` are numbers."""
        if isinstance(written, s.Computed):
            return self._function(written, scale)
        name, keys = written.text, scale.keys
        if inside and scale.ordered and whole(name) is not None:
            return constant(whole(name))
        if name in keys:
            return constant(keys[name])
        self._check_variable(written, scale)
        self.inputs.add(name)
        return partial(number_of, name) if scale.numeric else partial(key_of, keys, name)

    def choices(self, written: Sequence[s.Choice], scale: Scale) -> Term:
        """Return the first of several values whose conditions hold."""
        bare = next((choice for choice in written[:-1] if not choice.conditions), None)
        if bare is not None:
            message, hint = f"`{bare}` has no condition, so what follows never applies", "write it last"
            self.state.error("SGL0329", bare.span, message, hint)
        test = self.variables.test
        cases = each(lambda choice: (self.of(choice.value, scale), each(test, choice.conditions)), written)
        if bare is not None:
            raise Reported
        for _, own in cases:
            self.inputs.update(*({test.left, *test.inputs} for test in own))
        return partial(first_fitting, cases)

    def _function(self, call: s.Computed, scale: Scale) -> Term:
        name, arguments = call.function, call.arguments
        function = FUNCTIONS.get(name.text)
        if function is None:
            return self._lookup(call, scale)
        if len(arguments) == 1:
            hint = f"write `{name}({arguments[0]}, …)`"
            self.state.fail("SGL0329", call.span, f"`{name}` is of two values or more", hint)
        check_comparable(scale.feature, call.span, self.state)
        if not scale.clear:
            message = f"one cannot compute with `{scale.feature}`: its numbers are not in increasing order"
            self.state.fail("SGL0332", call.span, message, f"in order they are: {' < '.join(scale.keys)}")
        return partial(applied, function, each(partial(self.of, scale=scale, inside=True), arguments))

    def _lookup(self, call: s.Computed, scale: Scale) -> Term:
        table, column = self._table(call, scale)
        scales = [scale_of(feature, self.state.signature) for feature in table.features]
        terms = each(lambda pair: self.of(*pair), zip(call.arguments, scales, strict=True))
        return _LookUp(table, column, terms, scales, scale)

    def _table(self, call: s.Computed, scale: Scale) -> tuple[FeatureTable, str]:
        """Return the table of a function and the column of its values."""
        name, state = call.function, self.state
        scope, near = self.variables.scope, suggest(name.text, FUNCTIONS)
        if near and scope.peek(s.Table, name.text) is None:
            state.fail("SGL0201", name.span, f"there is no table or function `{name}`", near)
        scope.find(s.Table, name)
        table = there(state.signature.tables.get(name.text))
        if len(table.features) != len(call.arguments):
            message = f"`{name}` needs values of {len(table.features)} features: {', '.join(table.features)}"
            state.fail("SGL0622", call.span, message, labels=[Label(table.declaration.name.span, "declared here")])
        columns = table.forms
        column = scale.feature if scale.feature in columns or len(columns) != 1 else columns[0]
        if column not in columns:
            message = f"`{table.table.name}` has no column `{column}` with the values of `{name}`"
            state.fail("SGL0330", call.span, message, suggest(column, columns, "its columns are"))
        values = [row.cells[column] for row in table.table.rows if column in row.cells]
        for value in [value for value in values if value not in scale.keys][:1]:
            message = f"`{value}` in `{table.table.name}` is not a value of the feature `{scale.feature}`"
            state.fail("SGL0330", call.span, message, suggest(value, scale.keys, "its values are"))
        return table, column

    def _check_variable(self, name: s.Name, scale: Scale) -> None:
        """Check that a variable has values of this kind."""
        variables, feature = self.variables, scale.feature
        hint = f"write `{feature}={name}` to set that value itself"
        if name.quoted or not name.text[:1].isalpha():
            message, near = f"`{name}` is not a value of the feature `{feature}`", suggest(name.text, scale.keys)
            self.state.fail("SGL0402", name.span, message, near or f"its values are: {', '.join(scale.keys)}")
        variables.use(name.text, name.span, hint)
        features = {other for _, other in variables.mentions[name.text]}
        alike = (
            all(scale_of(other, self.state.signature).numeric for other in features)
            if scale.numeric
            else not (scale.ordered or variables.domains[name.text].isdisjoint(scale.keys))
        )
        if feature not in features and not alike:
            verb = "compared with one" if self.compared else "which cannot become one"
            message = f"`{name}` is a value of `{min(features)}`, {verb} of `{feature}`"
            self.state.fail("SGL0409" if self.compared else "SGL0327", name.span, message)
