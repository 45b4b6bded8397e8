"""Lower productions to a core grammar: names of rules, and features with the values that a file gives them.

With features, a category is named as a rule states it, ``NP[num=?n, case=?]``: a value, a variable, or nothing.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod

from sgl.core.grammar import Slot, TextLayer
from sgl.diagnostics import Diagnostics
from sgl.lang.syntax import Name
from sgl.research.exchange.lower_irtg import (
    ImportedGrammar,
    TreeRule,
    assemble,
    report_useless,
    useful_rules,
    weight_of,
)
from sgl.research.exchange.names import FreeNames, identifier
from sgl.research.exchange.productions import PLAIN, Mention, Productions, SidedRule
from sgl.research.exchange.write_sgl import brackets, category_name

_SETTING = re.compile(r"\s*(?:([+-])(\w+)|(\w+)\s*=\s*(?:(\?\w+|[\w.]+)|'([\w .+-]+)'|\"([\w .+-]+)\"))\s*")
#: NLTK's truth values, in two notations.
_TRUTH = {"+": "yes", "True": "yes", "-": "no", "False": "no"}
#: The most rules that a grammar makes by giving values to features.
MOST_INSTANCES = 100_000
#: The most parts of a production in the name of its rule.
_PARTS = 4

_Settings = Mapping[str, str]
_Values = dict[str, dict[str, None]]
#: The names of a rule's categories, each with its features.
_Featured = Sequence[tuple[str, _Settings]]


def lower_productions(file: Productions, name: str, diagnostics: Diagnostics) -> ImportedGrammar | None:
    """Return a file's grammar under this name, or None after reporting errors."""
    categories = [*((rule.left, *rule.children) for rule in file.rules), (file.start,)]
    said = [[_settings(mention, diagnostics) for mention in own] for own in categories]
    rules = _tree_rules(file, diagnostics)
    complete, values = _completed(categories, said, diagnostics)
    if diagnostics.errors:
        return None
    kept = _useful(rules, complete, values)
    left = [rules[number] for number in kept]
    report_useless(rules, left, diagnostics)
    start = file.start.name
    if not kept:
        diagnostics.error("SGL1204", file.start.span, f"this grammar has no derivation from `{start}`")
        return None
    if values:
        # The grammar does not need what only useless rules state.
        kept.append(-1)
        *names, (start,) = _shown(*_completed([categories[n] for n in kept], [said[n] for n in kept], diagnostics))
        left = [rule._replace(state=own[0], children=own[1:]) for rule, own in zip(left, names, strict=True)]
    layers = [TextLayer(layer, " ") for layer in file.layers]
    return assemble(name, layers, left, {"start": [start]}, diagnostics, bool(values))


def _tree_rules(file: Productions, diagnostics: Diagnostics) -> list[TreeRule]:
    """Return the rules of a file, without features."""
    return [
        TreeRule(
            Name(called, rule.label.span),
            rule.left.name,
            tuple(child.name for child in rule.children),
            1.0 if rule.weight is None else weight_of(rule.weight, diagnostics),
            rule.weight is not None,
            tuple(rule.sides[side] for side in file.layers.values()),
        )
        for rule, called in zip(file.rules, _rule_names(file), strict=True)
    ]


def _useful(rules: Sequence[TreeRule], complete: Sequence[_Featured], values: _Values) -> list[int]:
    """Return the numbers of the rules that take part in derivations from the start, the last of ``complete``.

    With some features, no child can be built or no parent asks for it.
    """
    concrete = [
        (number, rule._replace(state=names[0], children=names[1:]))
        for number, rule in enumerate(rules)
        for names in _instances(complete[number], values)
    ]
    useful = useful_rules([rule for _, rule in concrete], [start for (start,) in _instances(complete[-1], values)])
    return sorted({number for number, rule in concrete if id(rule) in useful})


def _rule_names(file: Productions) -> list[str]:
    """Return the label of each production, or its left-hand side, with some of its parts if that is ambiguous."""
    several = Counter(rule.left.name for rule in file.rules)
    source = next(iter(file.layers.values()))

    def called(rule: SidedRule) -> str:
        said = [rule.children[item.child].name if isinstance(item, Slot) else item.text for item in rule.sides[source]]
        parts = [part for part in said if re.search(r"\w", part)][:_PARTS] if several[rule.left.name] > 1 else []
        return rule.label.text.rstrip(":") or "_".join([rule.left.name, *parts]).lower()

    return list(map(called, file.rules))


def _settings(mention: Mention, diagnostics: Diagnostics) -> dict[str, str]:
    """Return the features of a mention; truth values become words, and variables begin with ``?``."""
    settings: dict[str, str] = {}
    for part in mention.features[1:-1].split(",") if mention.features[1:-1].strip() else ():
        if (found := _SETTING.fullmatch(part)) is None:
            message = f"`{part.strip()}` in `{mention.name}[…]` is not a feature with a word as its value"
            diagnostics.error("SGL1219", mention.span, message, PLAIN)
            return {}
        sign, true, feature, *values = found.groups("")
        value = sign or "".join(values)
        settings[true or feature] = _TRUTH.get(value, value)
    return settings


def _completed(
    categories: Sequence[Sequence[Mention]], said: Sequence[Sequence[_Settings]], diagnostics: Diagnostics
) -> tuple[list[_Featured], _Values]:
    """Return the rules, each category with all its features, and the values of the features.

    An unmentioned feature gets a variable of its own, ``?0.NUM``.
    """
    values: _Values = {}
    owned: dict[str, dict[str, None]] = {}
    for own, settings in zip(categories, said, strict=True):
        of: dict[str, str] = {}
        for mention, given in zip(own, settings, strict=True):
            owned.setdefault(mention.name, {}).update(dict.fromkeys(given))
            for feature, value in given.items():
                if not value.startswith("?"):
                    values.setdefault(feature, {})[value] = None
                elif of.setdefault(value, feature) != feature:
                    message = f"`{value}` is a value of `{of[value]}` and of `{feature}`"
                    diagnostics.error("SGL1219", mention.span, message, "a variable belongs to one feature")
    rules: list[_Featured] = []
    total = 0
    for own, settings in zip(categories, said, strict=True):
        rule = [
            (mention.name, {f: given.get(f, f"?{place}.{f}") for f in owned[mention.name] if f in values})
            for place, (mention, given) in enumerate(zip(own, settings, strict=True))
        ]
        rules.append(rule)
        total += prod(len(values[feature]) for feature in _variables(rule).values())
        if total > MOST_INSTANCES:
            message = f"the features of this grammar make more than {MOST_INSTANCES:,} rules"
            diagnostics.error("SGL1219", own[0].span, message, "fewer features, or fewer values")
            break
        if values and (gap := next((mention for mention in own if "/" in mention.name), None)) is not None:
            diagnostics.error("SGL1219", gap.span, f"`{gap.name}` has a gap, beside features", PLAIN)
    return rules, values


def _variables(rule: _Featured) -> dict[str, str]:
    return {value: feature for _, given in rule for feature, value in given.items() if value.startswith("?")}


def _instances(rule: _Featured, values: _Values) -> Iterator[tuple[str, ...]]:
    """Yield the categories of a rule for all values that its variables can have."""
    variables = _variables(rule)
    for chosen in product(*(values[feature] for feature in variables.values())):
        bound = dict(zip(variables, chosen, strict=True))
        yield tuple(name + str([bound.get(value, value) for value in given.values()]) for name, given in rule)


def _shown(rules: Sequence[_Featured], values: _Values) -> list[tuple[str, ...]]:
    """Return the categories of each rule in SGL's names; a variable that occurs once becomes `?`."""
    bases, names, free = FreeNames(), FreeNames(), FreeNames(*(value for own in values.values() for value in own))
    features = {feature: names.free(identifier(feature, "feature").lower()) for feature in values}
    base = {name: category_name(name, bases) for name in dict.fromkeys(name for rule in rules for name, _ in rule)}
    uses = [Counter(value for _, given in rule for value in given.values()) for rule in rules]
    several = dict.fromkeys(value for own in uses for value, times in own.items() if times > 1 and value[0] == "?")
    called = {value: f"?{free.free(value[1:].lower())}" for value in several}
    return [
        tuple(
            base[name]
            + brackets(
                f"{features[f]}={(called[v] if own[v] > 1 else '?') if v[0] == '?' else v}" for f, v in given.items()
            )
            for name, given in rule
        )
        for rule, own in zip(rules, uses, strict=True)
    ]
