"""Values of features that no phrase has: a word was forgotten, or another value is meant.

A value that another setting of the parameters may use is not idle, nor one that only an idle rule or word would set.
"""

from collections.abc import Iterator

from sgl.diagnostics import Label
from sgl.lang import syntax as s
from sgl.lint.registry import Finding, Subject, of_grammar


@of_grammar("SGL0410")
def idle_values(subject: Subject) -> Iterator[Finding]:
    """Find values of features that no phrase has, though it has others; a rule may ask for them in vain."""
    given = _given_values(subject)
    for feature, scope in subject.names.of(s.Feature):
        known = given.get(feature.name.text, set())
        for value in () if scope.unit.is_library or not known else feature.values:
            if value.name.text not in known and not _is_left_out(feature, value, subject):
                message = f"no phrase has the value `{value.name}` of the feature `{feature.name}`"
                hint = "remove it, or let a word or a rule set it"
                yield Finding(value.name.span, message, hint, labels=_asking(feature, value, subject))


def _is_left_out(feature: s.Feature, value: s.FeatureValue, subject: Subject) -> bool:
    """Return whether a declaration that is left out may set a value, by its name or in a column of a table."""
    settings = (one for one in s.parts_of(s.Setting, subject.left_out) if one.feature.text == feature.name.text)
    by_column = any(not isinstance(part, s.Name) for setting in settings for part in setting.values)
    return by_column or value.name.text in subject.names_left_out


def _given_values(subject: Subject) -> dict[str, set[str]]:
    """Return the values that phrases of texts have, and those that idle rules would give them."""
    given: dict[str, set[str]] = {}
    for name, values in {instance.lhs for instance in subject.instances}:
        for feature, value in zip(subject.signature.categories[name].features, values, strict=True):
            given.setdefault(feature, set()).add(value)
    for pattern in (production.lhs for production in subject.productions if id(production) not in subject.instances_of):
        for feature, slot in zip(pattern.info.features, pattern.slots, strict=True):
            given.setdefault(feature, set()).update(() if isinstance(slot, str) else slot)
    return given


def _asking(feature: s.Feature, value: s.FeatureValue, subject: Subject) -> tuple[Label, ...]:
    """Return a label for the first rule that asks for a value."""
    settings = s.parts_of(s.Setting, tuple(rule for rule, _ in subject.names.of(s.Rule)))
    asking = (x for x in settings if x.feature.text == feature.name.text)
    names = [name for name in s.parts_of(s.Name, tuple(asking)) if name.text == value.name.text]
    return tuple(Label(name.span, "asked for here, in vain") for name in names[:1])
