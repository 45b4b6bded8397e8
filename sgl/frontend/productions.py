"""Productions: rules and words with their names resolved, features not yet expanded.

A production knows for each category it mentions which values each feature may
have there: a set of values, or a variable that all mentions share::

    VP[form=f] -> V[frame=trans, form=f] NP      f ranges over the values of form
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sgl.core.grammar import Fragment, Item
from sgl.diagnostics import Label, Span, one_slip, suggest
from sgl.frontend.names import Scope
from sgl.frontend.signature import CategoryInfo, Signature
from sgl.frontend.state import CompilerState
from sgl.lang import syntax as s

Slotting = frozenset[str] | str
"""What a feature may be in one mention: a set of values, or a variable's name."""

#: In the place of a value: any of them is meant.
ANY = "_"

_SHORT_NAME = 2


@dataclass(frozen=True, slots=True)
class CategoryPattern:
    """A mention of a category; ``slots`` are aligned with its features.

    ``mentioned`` are the features in its brackets, ``free`` those that may have any value:
    because they are not mentioned, or because ``_`` stands there, or all values.
    """

    info: CategoryInfo
    slots: tuple[Slotting, ...]
    span: Span
    mentioned: frozenset[str] = frozenset()
    free: frozenset[str] = frozenset()

    def having(self, feature: str, value: str) -> str:
        """Return the mention as it is to be written with a value for a feature."""
        settings = [
            f"{name}={value if name == feature else self._written(name, slot)}"
            for name, slot in zip(self.info.features, self.slots, strict=True)
            if name in self.mentioned or name == feature
        ]
        return f"{self.info.name}[{', '.join(settings)}]"

    def _written(self, feature: str, slot: Slotting) -> str:
        if isinstance(slot, str):
            return slot
        return ANY if feature in self.free else "|".join(sorted(slot))


@dataclass(frozen=True, slots=True)
class FeatureVariable:
    """``$f`` in a template: the value of a feature variable."""

    name: str


TemplateSketch = tuple[Item | FeatureVariable, ...]
Attributes = tuple[tuple[str, str | FeatureVariable], ...]


@dataclass(frozen=True, slots=True)
class FragmentSketch:
    """A fragment whose attributes and labels may still mention feature variables."""

    fragment: Fragment
    attributes: Mapping[int, Attributes]


@dataclass(frozen=True, eq=False, slots=True)
class Pool:
    """What the words of a lexicon in one category have in common: the weight that they share.

    With an ``exponent`` the shares follow their ranks, by Zipf's law.
    """

    weight: float
    exponent: float | None


@dataclass(frozen=True, slots=True)
class Production:
    """A rule or a word before its features are expanded.

    ``share`` is the weight as written, or the share in the weight of the ``pool``.  ``word``
    marks a word that is declared by itself.
    """

    name: str
    lhs: CategoryPattern
    rhs: tuple[CategoryPattern, ...]
    domains: Mapping[str, frozenset[str]]
    templates: tuple[TemplateSketch, ...]
    fragments: tuple[FragmentSketch, ...]
    share: float
    span: Span
    keep: bool = False
    word: bool = False
    pool: Pool | None = None


@dataclass
class VariableTable:
    """The feature variables of one rule: their domains and their mentions.

    ``used`` are those that clauses mention.
    """

    state: CompilerState
    domains: dict[str, frozenset[str]] = field(default_factory=dict)
    mentions: dict[str, list[tuple[s.Name, str]]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def mention(self, name: s.Name, feature: str, values: frozenset[str]) -> None:
        """Note that a variable stands for the value of ``feature`` here."""
        self.domains[name.text] = self.domains.get(name.text, values) & values
        self.mentions.setdefault(name.text, []).append((name, feature))

    def use(self, name: str, span: Span, hint: str = "") -> bool:
        """Return whether the rule has a variable that a clause mentions; report it otherwise."""
        self.used.add(name)
        if name not in self.domains:
            hint = suggest(name, self.domains) or hint
            self.state.error("SGL0404", span, f"the rule has no feature variable `{name}`", hint)
        return name in self.domains

    def report_lonely(self, patterns: Sequence[CategoryPattern]) -> None:
        """Report a variable with one mention, which agrees with nothing: it is a misspelt value.

        Or it has been forgotten in another of the ``patterns`` of the rule.
        """
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
                message = f"the variable `{name}` can have no value"
                labels = [Label(n.span, f"here it is a value of `{f}`") for n, f in mentions]
                state.error("SGL0402", first.span, message, labels=labels)


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


def _misspelt(
    name: str, mentions: Sequence[tuple[s.Name, str]], signature: Signature
) -> str | None:
    """Return the value that a variable differs from by one slip of the pen, if any.

    Names of one or two letters are usual for variables and not held against values.
    """
    if len(name) <= _SHORT_NAME:
        return None
    values = (value for _, feature in mentions for value in signature.features[feature])
    return next((value for value in values if one_slip(name, value)), None)


def category_pattern(
    ref: s.CategoryRef,
    scope: Scope,
    variables: VariableTable | None,
    columns: Mapping[str, str] | None,
    state: CompilerState,
) -> CategoryPattern | None:
    """Resolve a mention of a category; None after a report.

    ``variables`` collects the variables of a rule; it is None for words, where a
    ``$column`` of ``columns`` may stand instead.
    """
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
            slot = _slot(setting, variables, columns, state)
            sound &= slot is not None
            slots[feature.text] = slot if slot is not None else frozenset()
    if not sound:
        return None
    full = {
        feature: frozenset(state.signature.features.get(feature, ())) for feature in info.features
    }
    chosen = {feature: slots.get(feature, full[feature]) for feature in info.features}
    free = frozenset(feature for feature in info.features if chosen[feature] == full[feature])
    return CategoryPattern(info, tuple(chosen.values()), ref.span, frozenset(slots), free)


def _report_no_feature(feature: s.Name, info: CategoryInfo, state: CompilerState) -> None:
    if len(info.features) < len(info.declaration.features):
        return  # a feature of the category is not declared, which was reported there
    carried = ", ".join(f"`{name}`" for name in info.features) or "none"
    message = f"`{info.name}` has no feature `{feature}`"
    more = f"add it: `category {info.name}[{', '.join((*info.features, feature.text))}]`"
    hint = suggest(feature.text, info.features) or more
    labels = [Label(info.declaration.name.span, f"its features: {carried}")]
    state.error("SGL0401", feature.span, message, hint, labels=labels)


def _slot(
    setting: s.Setting,
    variables: VariableTable | None,
    columns: Mapping[str, str] | None,
    state: CompilerState,
) -> Slotting | None:
    """Return what stands for the value of a feature; None after a report."""
    feature = setting.feature.text
    values = state.signature.features.get(feature, ())
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
            if columns is None:
                message = (
                    f"`${column.name}` stands for a column of a table, and there is no table here"
                )
                hint = f"for a variable write `{column.name}` without `$`"
                state.error("SGL0404", column.span, message, hint)
                return None
            text = columns.get(column.name.text, "") or otherwise
        if text not in values:
            message = f"`{text}` is not a value of the feature `{feature}`"
            state.error("SGL0402", value.span, message, suggest(text, values, "its values are"))
            return None
        chosen.add(text)
    return frozenset(chosen)


def column_of(value: s.Column | s.Fallback) -> tuple[s.Column, str]:
    """Return the column that ``$case or acc`` takes a value from, and the value without it."""
    if isinstance(value, s.Column):
        return value, ""
    assert isinstance(value.left, s.Column)
    assert isinstance(value.right, s.Name)
    return value.left, value.right.text
