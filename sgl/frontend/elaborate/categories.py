"""The brackets of categories: values of features, or variables that all mentions in a rule share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

from sgl.core.structure import COMPARISONS
from sgl.diagnostics import Label, Span, one_slip, suggest
from sgl.frontend.names.scopes import Scope
from sgl.frontend.names.signature import CategoryInfo, Signature, Signed
from sgl.lang import syntax as s

#: What a feature may be in one mention: a set of values, or a variable's name.
Slotting = frozenset[str] | str
#: In the place of a value: any of them is meant.
ANY = "_"
#: What tells apart the variables that stand for several comparisons with one.
AGAIN = "'"


@dataclass(frozen=True)
class CategoryPattern:
    """A mention of a category: ``slots`` by feature; which are ``mentioned`` in brackets, and which are ``free``."""

    info: CategoryInfo
    slots: tuple[Slotting, ...]
    span: Span
    mentioned: frozenset[str] = frozenset()
    free: frozenset[str] = frozenset()

    def having(self, feature: str, value: str) -> str:
        """Return the mention as it is to be written with a value for a feature."""
        settings = [
            f"{name}={value}" if name == feature else self._written(name, slot)
            for name, slot in zip(self.info.features, self.slots, strict=True)
            if name in self.mentioned or name == feature
        ]
        return f"{self.info.name}[{', '.join(settings)}]"

    def _written(self, feature: str, slot: Slotting) -> str:
        if isinstance(slot, str):
            return f"{feature}{slot.rstrip(AGAIN)}" if slot[0] in "<>" else f"{feature}={slot}"
        return f"{feature}={ANY if feature in self.free else '|'.join(sorted(slot))}"


class Order(NamedTuple):
    """Two variables that are compared, and the values of their feature in order."""

    left: str
    comparison: str
    right: str
    values: tuple[str, ...]

    def holds(self, left: str, right: str) -> bool:
        """Return whether two values are in the order that is asked for."""
        return COMPARISONS[self.comparison](self.values.index(left), self.values.index(right))


_SHORT_NAME = 2


@dataclass
class VariableTable:
    """The feature variables of one rule: their domains and their mentions.

    Clauses mention those ``used``.  In ``VP[slot>i]`` a variable without a name stands for a value
    that is greater than ``i``, with which it is ``compared``.
    """

    state: Signed
    domains: dict[str, frozenset[str]] = field(default_factory=dict)
    mentions: dict[str, list[tuple[s.Name, str]]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    compared: list[tuple[Order, s.Name, str]] = field(default_factory=list)

    @property
    def orders(self) -> tuple[Order, ...]:
        """The comparisons of variables."""
        return tuple(order for order, _, _ in self.compared)

    def mention(self, name: s.Name, feature: str, values: frozenset[str]) -> None:
        """Note that a variable stands for the value of ``feature`` here."""
        self.domains[name.text] = self.domains.get(name.text, values) & values
        self.mentions.setdefault(name.text, []).append((name, feature))

    def compare(self, comparison: str, name: s.Name, feature: str) -> str:
        """Return a new variable, for a value of ``feature`` that is compared with a variable."""
        values, new = self.state.signature.features[feature], f"{comparison}{name}"
        while new in self.domains:
            new += AGAIN
        self.domains[new] = frozenset(values)
        self.compared.append((Order(new, comparison, name.text, values), name, feature))
        self.used.add(name.text)
        return new

    def check_compared(self) -> bool:
        """Return whether all that is compared has values with one order; report what has not."""
        sound = True
        for _, name, feature in self.compared:
            features = {other for _, other in self.mentions.get(name.text, ())}
            hint = f"write `{feature}={name}` where the value is that itself"
            if not self.use(name.text, name.span, hint):
                sound = False
            elif features != {feature}:
                sound = False
                other = min(features - {feature})
                message = f"`{name}` is a value of `{other}`, compared with one of `{feature}`"
                self.state.error("SGL0409", name.span, message)
        return sound

    def values_of(self, name: str) -> tuple[str, ...]:
        """Return the values of the feature that a variable stands for, in order."""
        return self.state.signature.features[self.mentions[name][0][1]]

    def combinations(self, names: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the values that variables can have together, in order."""
        allowed = []
        for name in names:
            possible = self.domains[name]
            for order in (order for order in self.orders if order.right == name):
                lefts = self.domains[order.left]
                possible &= {v for v in possible if any(order.holds(left, v) for left in lefts)}
            allowed.append([value for value in self.values_of(name) if value in possible])
        return list(product(*allowed))

    def holds(self, condition: s.Condition, value: str) -> bool:
        """Return whether a condition holds for a value of its variable."""
        comparison, listed = condition.comparison.text, [v.text for v in condition.values]
        if comparison in ("=", "!="):
            return (value in listed) == (comparison == "=")
        values = self.values_of(condition.column.text)
        return all(COMPARISONS[comparison](values.index(value), values.index(one)) for one in listed)

    def use(self, name: str, span: Span, hint: str = "") -> bool:
        """Return whether the rule has a variable that a clause mentions; report it otherwise."""
        self.used.add(name)
        if name not in self.domains:
            hint = suggest(name, self.domains) or hint
            self.state.error("SGL0404", span, f"the rule has no feature variable `{name}`", hint)
        return name in self.domains

    def report_lonely(self, patterns: Sequence[CategoryPattern]) -> None:
        """Report a variable with one mention: a misspelt value, or forgotten in another pattern."""
        state = self.state
        for name, mentions in self.mentions.items():
            first, feature = mentions[0]
            values = state.signature.features[feature]
            message = f"`{name}` is not a value of the feature `{feature}`"
            if len(mentions) == 1 and name not in self.used:
                hint = _forgotten(name, feature, patterns)
                hint = suggest(name, values) or hint or f"its values are: {', '.join(values)}"
                notes = ("as a variable it would have to occur at least twice in the rule",)
                state.error("SGL0402", first.span, message, hint, notes=notes)
            elif (meant := _misspelt(name, mentions, state.signature)) is not None:
                hint = f"write `{meant}`, or give the variable another name"
                notes = (f"as a variable it would look too much like the value `{meant}`",)
                state.error("SGL0402", first.span, message, hint, notes=notes)
            elif not self.domains[name]:
                labels = [Label(n.span, f"here it is a value of `{f}`") for n, f in mentions]
                state.error("SGL0402", first.span, f"the variable `{name}` can have no value", labels=labels)


def _forgotten(name: str, feature: str, patterns: Sequence[CategoryPattern]) -> str:
    """Return where a variable that stands once may be missing: where the feature is open."""
    if len(name) > _SHORT_NAME:
        return ""
    mentions = [
        f"`{pattern.having(feature, name)}`"
        for pattern in patterns
        if feature in pattern.info.features and feature not in pattern.mentioned
    ]
    return f"to make them agree, write {' or '.join(mentions)} as well" if mentions else ""


def _misspelt(name: str, mentions: Sequence[tuple[s.Name, str]], signature: Signature) -> str | None:
    """Return the value that a variable of three letters or more is one slip away from, if any."""
    if len(name) <= _SHORT_NAME:
        return None
    values = (value for _, feature in mentions for value in signature.features[feature])
    return next((value for value in values if one_slip(name, value)), None)


#: What stands in brackets beside values: the variables of a rule, or the columns of a row.
_Known = VariableTable | Mapping[str, str] | None


def category_pattern(ref: s.CategoryRef, scope: Scope, known: _Known, state: Signed) -> CategoryPattern | None:
    """Resolve a mention of a category, of a rule or a word; None after a report."""
    declaration = scope.find(s.CategoryDecl, ref.name)
    info = state.signature.categories.get(ref.name.text) if declaration is not None else None
    if info is None:
        return None
    slots: dict[str, Slotting] = {}
    sound = True
    for setting in ref.settings:
        feature = setting.feature
        if feature.text not in info.features:
            sound = False
            _report_no_feature(feature, info, state)
        elif feature.text in slots:
            sound = False
            state.error("SGL0403", setting.span, f"`{feature}` is set twice")
        else:
            slot = _slot(setting, known, state)
            sound &= slot is not None
            slots[feature.text] = slot if slot is not None else frozenset()
    if not sound:
        return None
    full = {feature: frozenset(state.signature.features.get(feature, ())) for feature in info.features}
    chosen = {feature: slots.get(feature, full[feature]) for feature in info.features}
    free = frozenset(feature for feature in info.features if chosen[feature] == full[feature])
    return CategoryPattern(info, tuple(chosen.values()), ref.span, frozenset(slots), free)


def _report_no_feature(feature: s.Name, info: CategoryInfo, state: Signed) -> None:
    if len(info.features) < len(info.declaration.features):
        return  # a feature of the category is not declared, which was reported there
    carried = ", ".join(f"`{name}`" for name in info.features) or "none"
    message = f"`{info.name}` has no feature `{feature}`"
    more = f"add it: `category {info.name}[{', '.join((*info.features, feature.text))}]`"
    labels = [Label(info.declaration.name.span, f"its features: {carried}")]
    state.error("SGL0401", feature.span, message, suggest(feature.text, info.features) or more, labels=labels)


def _slot(setting: s.Setting, known: _Known, state: Signed) -> Slotting | None:
    feature = setting.feature.text
    values = state.signature.features.get(feature, ())
    variables = known if isinstance(known, VariableTable) else None
    if setting.comparison is not None:
        return _compared(setting, setting.comparison.text, variables, state)
    chosen: set[str] = set()
    for value in setting.values:
        alone = isinstance(value, s.Name) and len(setting.values) == 1 and not value.quoted
        if isinstance(value, s.Name):
            text = value.text
            if text == ANY and text not in values and alone:
                return frozenset(values)
            if text not in values and variables is not None and alone:
                variables.mention(value, feature, frozenset(values))
                return text
        else:
            column, otherwise = column_of(value)
            if known is None or isinstance(known, VariableTable):
                message = f"`${column.name}` stands for a column of a table, and there is no table here"
                state.error("SGL0404", column.span, message, f"for a variable write `{column.name}` without `$`")
                return None
            text = known.get(column.name.text, "") or otherwise
        if text not in values:
            message = f"`{text}` is not a value of the feature `{feature}`"
            state.error("SGL0402", value.span, message, suggest(text, values, "its values are"))
            return None
        chosen.add(text)
    return frozenset(chosen)


def _compared(setting: s.Setting, comparison: str, variables: VariableTable | None, state: Signed) -> Slotting | None:
    (bound,), feature = setting.values, setting.feature.text
    values = state.signature.features.get(feature, ())
    assert isinstance(bound, s.Name)
    if not is_comparable(feature, setting.span, state):
        return None
    if bound.text not in values and variables is not None and not bound.quoted:
        return variables.compare(comparison, bound, feature)
    if bound.text not in values:
        message = f"`{bound}` is not a value of the feature `{feature}`"
        state.error("SGL0402", bound.span, message, suggest(bound.text, values, "its values are"))
        return None
    holds, index = COMPARISONS[comparison], values.index(bound.text)
    found = frozenset(v for v in values if holds(values.index(v), index))
    if not found:
        message = f"no value of `{feature}` is {comparison} `{bound}`"
        state.error("SGL0402", setting.span, message, f"in order they are: {' < '.join(values)}")
    return found or None


def is_comparable(feature: str, span: Span, state: Signed) -> bool:
    """Return whether the values of a feature have an order; report it otherwise."""
    signature = state.signature
    if feature in signature.ordered:
        return True
    hint = f"declare one: `feature {feature} = {' < '.join(signature.features[feature])}`"
    state.error("SGL0409", span, f"the values of the feature `{feature}` have no order", hint)
    return False


def column_of(value: s.Column | s.Fallback) -> tuple[s.Column, str]:
    """Return the column that ``$case or acc`` takes a value from, and the value without it."""
    if isinstance(value, s.Column):
        return value, ""
    assert isinstance(value.left, s.Column)
    assert isinstance(value.right, s.Name)
    return value.left, value.right.text
