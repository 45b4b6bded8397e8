"""Resolve the brackets of categories: values of features, or variables shared by all mentions in a rule."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

from sgl.core.structure import COMPARISONS
from sgl.diagnostics import Label, Span, one_slip, suggest
from sgl.frontend.names.scopes import Scope
from sgl.frontend.names.signature import CategoryInfo, Signature, Signed
from sgl.lang import syntax as s

#: A feature in one mention: a set of values, or the name of a variable.
Slotting = frozenset[str] | str
#: Written instead of a value: matches any value.
ANY = "_"
#: Distinguishes the variables of several comparisons with the same variable.
AGAIN = "'"


@dataclass(frozen=True)
class CategoryPattern:
    """A mention of a category: ``slots`` by feature; ``mentioned`` are those in brackets, ``free`` the free ones."""

    info: CategoryInfo
    slots: tuple[Slotting, ...]
    span: Span
    mentioned: frozenset[str] = frozenset()
    free: frozenset[str] = frozenset()

    def having(self, feature: str, value: str) -> str:
        """Return the mention as written with this value for a feature."""
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
    """A comparison of two variables, and the ordered values of their feature."""

    left: str
    comparison: str
    right: str
    values: tuple[str, ...]

    def holds(self, left: str, right: str) -> bool:
        """Return whether two values satisfy the comparison."""
        return COMPARISONS[self.comparison](self.values.index(left), self.values.index(right))


_SHORT_NAME = 2


@dataclass
class VariableTable:
    """The feature variables of one rule: their domains and their mentions.

    ``used`` are those that clauses mention.  In ``VP[slot>i]``, an unnamed variable represents a value greater than
    ``i``; ``compared`` has these comparisons.
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
        """Record that a variable represents the value of ``feature`` here."""
        self.domains[name.text] = self.domains.get(name.text, values) & values
        self.mentions.setdefault(name.text, []).append((name, feature))

    def compare(self, comparison: str, name: s.Name, feature: str) -> str:
        """Return a new variable for a value of ``feature`` that is compared with a variable."""
        values, new = self.state.signature.features[feature], f"{comparison}{name}"
        while new in self.domains:
            new += AGAIN
        self.domains[new] = frozenset(values)
        self.compared.append((Order(new, comparison, name.text, values), name, feature))
        self.used.add(name.text)
        return new

    def check_compared(self) -> bool:
        """Return whether all comparisons are between values of one order; report the others."""
        sound = True
        for _, name, feature in self.compared:
            features = {other for _, other in self.mentions.get(name.text, ())}
            hint = f"write `{feature}={name}` to set that value itself"
            if not self.use(name.text, name.span, hint):
                sound = False
            elif features != {feature}:
                sound = False
                other = min(features - {feature})
                message = f"`{name}` is a value of `{other}`, compared with one of `{feature}`"
                self.state.error("SGL0409", name.span, message)
        return sound

    def values_of(self, name: str) -> tuple[str, ...]:
        """Return the values of a variable's feature, in order."""
        return self.state.signature.features[self.mentions[name][0][1]]

    def combinations(self, names: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the possible combinations of the variables' values, in order."""
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
        """Return whether the rule has a variable that a clause mentions; report an unknown one."""
        self.used.add(name)
        if name not in self.domains:
            hint = suggest(name, self.domains) or hint
            self.state.error("SGL0404", span, f"the rule has no feature variable `{name}`", hint)
        return name in self.domains

    def report_lonely(self, patterns: Sequence[CategoryPattern]) -> None:
        """Report variables with one mention: misspelt values, or variables forgotten in another mention."""
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
    """Return the mentions in which a variable that occurs once may be missing: those that leave the feature open."""
    if len(name) > _SHORT_NAME:
        return ""
    mentions = [
        f"`{pattern.having(feature, name)}`"
        for pattern in patterns
        if feature in pattern.info.features and feature not in pattern.mentioned
    ]
    return f"to make them agree, write {' or '.join(mentions)} as well" if mentions else ""


def _misspelt(name: str, mentions: Sequence[tuple[s.Name, str]], signature: Signature) -> str | None:
    """Return the value from which a variable of three or more letters differs by one slip, if any."""
    if len(name) <= _SHORT_NAME:
        return None
    values = (value for _, feature in mentions for value in signature.features[feature])
    return next((value for value in values if one_slip(name, value)), None)


#: The names allowed in brackets besides values: the variables of a rule, or the columns of a row.
_Known = VariableTable | Mapping[str, str] | None


def category_pattern(ref: s.CategoryRef, scope: Scope, known: _Known, state: Signed) -> CategoryPattern | None:
    """Resolve a mention of a category in a rule or word; report errors and return None."""
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
        return  # an undeclared feature of the category was reported there
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
    """Return whether the values of a feature are ordered; report it otherwise."""
    signature = state.signature
    if feature in signature.ordered:
        return True
    hint = f"declare one: `feature {feature} = {' < '.join(signature.features[feature])}`"
    state.error("SGL0409", span, f"the values of the feature `{feature}` have no order", hint)
    return False


def column_of(value: s.Column | s.Fallback) -> tuple[s.Column, str]:
    """Return the column from which ``$case or acc`` takes a value, and the fallback."""
    if isinstance(value, s.Column):
        return value, ""
    assert isinstance(value.left, s.Column)
    assert isinstance(value.right, s.Name)
    return value.left, value.right.text
