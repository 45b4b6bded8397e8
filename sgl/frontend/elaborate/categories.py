"""Resolve the brackets of categories: values of features, or variables shared by all mentions in a rule.

Entries of lexicons that leave a feature open are written out for each of its values.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import NoReturn

from sgl.core.structure import COMPARISONS
from sgl.diagnostics import Label, Reported, Span, each, one_slip, suggest, there
from sgl.frontend.elaborate.variables import AGAIN, VariableTable, check_comparable
from sgl.frontend.names.scopes import Scope
from sgl.frontend.names.signature import CategoryInfo, Signature, Signed
from sgl.lang import syntax as s
from sgl.values import dataclass, replace

#: A feature in one mention: a set of values, or the name of a variable.
Slotting = frozenset[str] | str
#: Written instead of a value: matches any value.
ANY = "_"
_SHORT_NAME = 2


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
            return f"{feature}{slot.rstrip(AGAIN)}" if slot[0] in "<>=!" else f"{feature}={slot}"
        return f"{feature}={ANY if feature in self.free else '|'.join(sorted(slot))}"


def report_lonely(variables: VariableTable, patterns: Sequence[CategoryPattern]) -> None:
    """Report variables with one mention: misspelt values, or variables forgotten in another mention."""
    state = variables.state
    for name, mentions in variables.mentions.items():
        first, feature = mentions[0]
        values = state.signature.features[feature]
        message = f"`{name}` is not a value of the feature `{feature}`"
        if len(mentions) == 1 and name not in variables.used:
            hint = _forgotten(name, feature, patterns)
            if feature in state.signature.named:
                message, values = f"the name `{name}` is mentioned once", ()
                hint = "a feature that is left out is a name of its own; a name is written by a child"
            hint = suggest(name, values) or hint or f"its values are: {', '.join(values)}"
            notes = ("as a variable it would have to occur at least twice in the rule",)
            state.error("SGL0402", first.span, message, hint, notes=notes)
        elif (meant := _misspelt(name, mentions, state.signature)) is not None:
            hint = f"write `{meant}`, or give the variable another name"
            notes = (f"as a variable it would look too much like the value `{meant}`",)
            state.error("SGL0402", first.span, message, hint, notes=notes)
        elif not variables.domains[name]:
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


def category_pattern(ref: s.CategoryRef, scope: Scope, known: _Known, state: Signed) -> CategoryPattern:
    """Resolve a mention of a category in a rule or word."""
    scope.find(s.CategoryDecl, ref.name)
    info = there(state.signature.categories.get(ref.name.text))
    slots: dict[str, Slotting] = {}

    def add(setting: s.Setting) -> None:
        feature = setting.feature
        if feature.text not in info.features:
            _report_no_feature(feature, info, state)
        if feature.text in slots:
            state.fail("SGL0403", setting.span, f"`{feature}` is set twice")
        slots[feature.text] = frozenset()
        slots[feature.text] = _slot(setting, known, state)

    each(add, ref.settings)
    full = {feature: frozenset(state.signature.features.get(feature, ())) for feature in info.features}
    chosen = {feature: slots.get(feature, full[feature]) for feature in info.features}
    free = frozenset(feature for feature in info.features if chosen[feature] == full[feature])
    return CategoryPattern(info, tuple(chosen.values()), ref.span, frozenset(slots), free)


def _report_no_feature(feature: s.Name, info: CategoryInfo, state: Signed) -> NoReturn:
    if len(info.features) < len(info.declaration.features):
        raise Reported  # An undeclared feature of the category was reported there.
    carried = ", ".join(f"`{name}`" for name in info.features) or "none"
    message = f"`{info.name}` has no feature `{feature}`"
    more = f"add it: `category {info.name}[{', '.join((*info.features, feature.text))}]`"
    labels = [Label(info.declaration.name.span, f"its features: {carried}")]
    state.fail("SGL0401", feature.span, message, suggest(feature.text, info.features) or more, labels=labels)


def _slot(setting: s.Setting, known: _Known, state: Signed) -> Slotting:
    feature, comparison = setting.feature.text, setting.comparison
    values = state.signature.features.get(feature, ())
    variables = known if isinstance(known, VariableTable) else None
    if _is_computed(setting, None if variables is None else values):
        return _computed(setting, variables, state)
    only = setting.values[0]
    if len(setting.values) == 1 and isinstance(only, s.Name) and not only.quoted and only.text not in values:
        if only.text == ANY and comparison is None:
            return frozenset(values)
        if variables is not None:
            variables.mention(only, feature, frozenset(values))
            return only.text
    chosen: set[str] = set()
    for value in setting.values:
        text = _written(value, known, state)
        if feature in state.signature.named:
            message = f"`{feature}` has no value that could be written: it says which names are the same one"
            hint = "write a variable, or leave the feature out; a name is written by a child"
            state.fail("SGL0340", value.span, message, hint)
        if text not in values:
            message = f"`{text}` is not a value of the feature `{feature}`"
            state.fail("SGL0402", value.span, message, suggest(text, values, "its values are"))
        chosen.add(text)
    return frozenset(chosen) if comparison is None else _compared(setting, comparison.text, chosen, state)


def _is_computed(setting: s.Setting, known: Collection[str] | None) -> bool:
    """Return whether values depend on others; any name but a known value is a variable, unless None are known."""
    if any(isinstance(value, s.Computed | s.Choice) for value in setting.values):
        return True
    names = [value for value in setting.values if isinstance(value, s.Name)]
    fixed = known is None or all(name.text in known or name.quoted for name in names)
    return setting.comparison is not None and not (fixed and len(names) == len(setting.values))


def _written(value: s.Name | s.Column | s.Fallback | s.Computed | s.Choice, known: _Known, state: Signed) -> str:
    """Return the value that a name or a column stands for."""
    if isinstance(value, s.Name):
        return value.text
    assert isinstance(value, s.Column | s.Fallback)
    column, otherwise = column_of(value)
    if known is None or isinstance(known, VariableTable):
        message = f"`${column.name}` stands for a column of a table, and there is no table here"
        state.fail("SGL0404", column.span, message, f"for a variable write `{column.name}` without `$`")
    return known.get(column.name.text, "") or otherwise


def _computed(setting: s.Setting, variables: VariableTable | None, state: Signed) -> str:
    """Return the variable of a value that is computed; report it outside rules, and values that belong nowhere."""
    stray = next((value for value in setting.values if isinstance(value, s.Choice)), None)
    if stray is not None and not isinstance(setting.values[0], s.Choice):
        feature, first = setting.feature, setting.values[0]
        message, hint = f"`{stray}` is a value of no feature here", f"write a feature before it: `…={stray}`"
        if stray.conditions:
            hint = f"the value without a condition stands last: `{feature}={stray}, {first}`"
        elif str(stray) in state.signature.features.get(feature.text, ()):
            hint = f"write `{feature}={first}|{stray}` for either"
        state.fail("SGL0329", stray.span, message, hint)
    if variables is None:
        message = f"a word has values of its own, and `{setting.feature}` is computed here"
        state.fail("SGL0331", setting.span, message, "a rule above it can compute with the values of the word")
    return variables.compute(setting)


def _compared(setting: s.Setting, comparison: str, bounds: Collection[str], state: Signed) -> Slotting:
    feature = setting.feature.text
    values, holds = state.signature.features.get(feature, ()), COMPARISONS[comparison]
    if comparison != "!=":
        check_comparable(feature, setting.span, state)
    places = [values.index(bound) for bound in bounds]
    found = frozenset(v for v in values if all(holds(values.index(v), place) for place in places))
    if not found:
        message = f"no value of `{feature}` is {comparison} `{'|'.join(map(str, setting.values))}`"
        state.fail("SGL0402", setting.span, message, f"in order they are: {' < '.join(values)}")
    return found


def column_of(value: s.Column | s.Fallback) -> tuple[s.Column, str]:
    """Return the column from which ``$case or acc`` takes a value, and the fallback."""
    if isinstance(value, s.Column):
        return value, ""
    assert isinstance(value.left, s.Column)
    assert isinstance(value.right, s.Name)
    return value.left, value.right.text


def opened(
    category: s.CategoryRef, layers: tuple[s.LayerClause, ...], columns: Collection[str], signature: Signature
) -> Iterator[s.CategoryRef]:
    """Yield the category of an entry, once for each of the values of features that it leaves open and its texts use.

    ::

        V[cl=_, tense=t]  sw  $concord.subject + "li" + $sw        V[cl=m]  …    V[cl=ki]  …
    """
    info = signature.categories.get(category.name.text)
    used = {column.name.text for column in s.parts_of(s.Column, layers)}.difference(columns)
    for cell in s.parts_of(s.TableCell, layers):
        table = signature.tables.get(str(cell.table))
        used.update(map(str, cell.keys) if cell.keys or table is None else table.features)
    ranges = dict[str, list[str]]()
    for feature in info.features if info is not None else ():
        setting = next((one for one in category.settings if one.feature.text == feature), None)
        values = _values(setting, signature.features.get(feature, ()))
        if feature in used and len(values) > 1:
            ranges[feature] = values
    for chosen_values in product(*ranges.values()):
        span, kept_settings = category.span, (one for one in category.settings if one.feature.text not in ranges)
        chosen = zip(ranges, chosen_values, strict=True)
        own = (s.Setting(span, s.Name(name, span), None, (s.Name(value, span),)) for name, value in chosen)
        yield replace(category, settings=(*kept_settings, *own))


def _values(setting: s.Setting | None, every: Sequence[str]) -> list[str]:
    """Return the values of a feature that a category names, or all that it leaves open; none if they are unknown."""
    if setting is None:
        return [*every]
    given = [str(value) for value in setting.values if isinstance(value, s.Name)]
    if setting.comparison or not ({*given} <= {*every} or given == [ANY]):
        return []
    return [*every] if given == [ANY] else given
