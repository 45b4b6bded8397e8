"""What the clauses of a rule may mention: its children, by role or category, and its variables.

In brackets stand values of features, or variables that all mentions share.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from sgl.diagnostics import Label, Span, one_slip, suggest
from sgl.frontend.names import Scope
from sgl.frontend.productions import AGAIN, ANY, CategoryPattern, Order, Slotting, each_layer, is_ordered
from sgl.frontend.signature import CategoryInfo, Signature
from sgl.frontend.state import CompilerState
from sgl.lang import syntax as s

_SHORT_NAME = 2


@dataclass
class VariableTable:
    """The feature variables of one rule: their domains and their mentions.

    Clauses mention those ``used``.  In ``VP[slot>i]`` a variable without a name stands for a value
    that is greater than ``i``, with which it is ``compared``.
    """

    state: CompilerState
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
        return all(is_ordered(values.index(value), comparison, values.index(one)) for one in listed)

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


def category_pattern(ref: s.CategoryRef, scope: Scope, known: _Known) -> CategoryPattern | None:
    """Resolve a mention of a category, of a rule or a word; None after a report."""
    state = scope.resolved.state
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


def _report_no_feature(feature: s.Name, info: CategoryInfo, state: CompilerState) -> None:
    if len(info.features) < len(info.declaration.features):
        return  # a feature of the category is not declared, which was reported there
    carried = ", ".join(f"`{name}`" for name in info.features) or "none"
    message = f"`{info.name}` has no feature `{feature}`"
    more = f"add it: `category {info.name}[{', '.join((*info.features, feature.text))}]`"
    labels = [Label(info.declaration.name.span, f"its features: {carried}")]
    state.error("SGL0401", feature.span, message, suggest(feature.text, info.features) or more, labels=labels)


def _slot(setting: s.Setting, known: _Known, state: CompilerState) -> Slotting | None:
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


def _compared(
    setting: s.Setting, comparison: str, variables: VariableTable | None, state: CompilerState
) -> Slotting | None:
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
    index = values.index(bound.text)
    found = frozenset(v for v in values if is_ordered(values.index(v), comparison, index))
    if not found:
        message = f"no value of `{feature}` is {comparison} `{bound}`"
        state.error("SGL0402", setting.span, message, f"in order they are: {' < '.join(values)}")
    return found or None


def is_comparable(feature: str, span: Span, state: CompilerState) -> bool:
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


class RuleNames:
    """What the clauses of a rule may mention: its children and its feature variables."""

    def __init__(self, rule: s.Rule, scope: Scope, state: CompilerState) -> None:
        self.scope, self.state, self.variables = scope, state, VariableTable(state)
        self.children = tuple(item for item in rule.rhs if isinstance(item, s.Child))
        names = {(child.role or child.category.name).text for child in self.children}
        #: The rule with a clause of its own for each layer.
        self.rule = replace(rule, layers=each_layer(rule.layers, state, names))
        called: dict[str, list[int]] = {}
        for index in range(len(self.children)):
            called.setdefault(self.name(index).text, []).append(index)
        #: The children by the names that are those of one alone.
        self.index = {name: indices[0] for name, indices in called.items() if len(indices) == 1}
        #: What several children are called, and what of it was reported.
        self.ambiguous = called.keys() - self.index.keys()
        self.reported: set[str] = set()
        #: Where names were first mentioned that no child has.
        self.missing: dict[str, Span] = {}
        for name, (first, *others) in called.items():
            roles = [role for index in others if (role := self.children[index].role) is not None]
            if roles:
                self.reported.add(name)
                labels = [Label(self.name(first).span, f"the other `{name}`")]
                state.error("SGL0304", roles[0].span, f"two children are called `{name}`", "rename one", labels=labels)

    def name(self, index: int) -> s.Name:
        """Return what a child is called: its role, or else its category."""
        return self.children[index].role or self.children[index].category.name

    def find(self, name: s.Name) -> int | None:
        """Return the child that a name means; None after a report."""
        text = name.text
        if text in self.index:
            return self.index[text]
        of_category = [child for child in self.children if child.category.name.text == text]
        if text in self.ambiguous:
            if text not in self.reported:
                # Once for each rule: all mentions follow from the same children.
                self.reported.add(text)
                message = f"the rule has several children `{text}`; which of them is meant?"
                labels = [Label(child.span, f"one `{text}`") for child in of_category]
                hint = f"give them roles: `first:{text}`, `second:{text}`"
                self.state.error("SGL0304", name.span, message, hint, labels=labels)
        elif any(child.role and child.role.text in self.ambiguous for child in of_category):
            pass  # The role was reported, and may be no role.
        elif (first := self.missing.setdefault(text, name.span)) != name.span:
            self.state.diagnostics.also_at("SGL0305", first, name.span)
        else:
            self.state.error("SGL0305", name.span, f"the rule has no child `{text}`", self._hint(text, of_category))
        return None

    def _hint(self, name: str, of_category: Sequence[s.Child]) -> str:
        role = next((child.role for child in of_category if child.role is not None), None)
        if role is not None:
            return f"the `{name}` of this rule is called `{role}`"
        known = ", ".join(f"`{known}`" for known in self.index) or "none"
        if name in ("else", "otherwise"):
            return "for all other values write the clause without a condition"
        near = suggest(name, self.index)
        if near or name[:1].isupper():
            return near or f"its children: {known}"
        return f'a word is quoted: `"{name}"`; the children of the rule: {known}'
