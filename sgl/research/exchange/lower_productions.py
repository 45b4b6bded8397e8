"""From productions to a core grammar: names of rules, and features with the values that a file gives them.

Where there are features, a category is what a rule says of it, ``NP[num=?n, case=?]``: a value, a variable, nothing.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from sgl.core.grammar import Slot, TextLayer
from sgl.diagnostics import Diagnostics
from sgl.lang.syntax import Name
from sgl.research.exchange.lower_irtg import ImportedGrammar, TreeRule, assemble, useful_rules, weight_of
from sgl.research.exchange.names import FreeNames
from sgl.research.exchange.productions import PLAIN, Mention, Production, Productions
from sgl.research.exchange.write_sgl import category_name, identifier

_SETTING = re.compile(r"\s*(?:([+-])(\w+)|(\w+)\s*=\s*(?:(\?\w+|[\w.]+)|'([\w .+-]+)'|\"([\w .+-]+)\"))\s*")
#: NLTK's truth values, in two notations.
_TRUTH = {"+": "yes", "True": "yes", "-": "no", "False": "no"}
#: Parts of a production in the name of its rule.
_LONGEST = 4

_Settings = Mapping[str, str]


def lower_productions(file: Productions, name: str, diagnostics: Diagnostics) -> ImportedGrammar | None:
    """Return the grammar of a file under this name; None after a report."""
    mentions = [(rule.left, *rule.children) for rule in file.rules]
    said = [[_settings(mention, diagnostics) for mention in own] for own in (*mentions, (file.start,))]
    weights = [1.0 if rule.weight is None else weight_of(rule.weight, diagnostics) for rule in file.rules]
    rules = [
        TreeRule(
            Name(called, rule.label.span),
            rule.left.name,
            tuple(child.name for child in rule.children),
            weight,
            rule.weight is not None,
            tuple(rule.sides[side] for side in file.layers.values()),
        )
        for rule, called, weight in zip(file.rules, _rule_names(file), weights, strict=True)
    ]
    shown = {}
    start = file.start.name
    if symbolic := any(map(any, said)):
        names = _with_features([*mentions, (file.start,)], said, diagnostics)
        shown = {id(rule): own for rule, own in zip(rules, names, strict=False)}
        start = names[-1][0]
    if diagnostics.errors:
        return None
    rules = useful_rules(rules, [file.start.name], diagnostics)
    if file.start.name not in {rule.state for rule in rules}:
        diagnostics.error("SGL1204", file.start.span, f"this grammar has no derivation from `{file.start.name}`")
        return None
    if symbolic:
        rules = [rule._replace(state=shown[id(rule)][0], children=shown[id(rule)][1:]) for rule in rules]
    return assemble(name, [TextLayer(layer, " ") for layer in file.layers], rules, [start], diagnostics, symbolic)


def _rule_names(file: Productions) -> list[str]:
    """Return the label of each production, or its left-hand side, with what it says if there are others."""
    several = Counter(rule.left.name for rule in file.rules)
    source = next(iter(file.layers.values()))

    def called(rule: Production) -> str:
        said = [rule.children[item.child].name if isinstance(item, Slot) else item.text for item in rule.sides[source]]
        parts = [part for part in said if re.search(r"\w", part)][:_LONGEST] if several[rule.left.name] > 1 else []
        return rule.label.text.rstrip(":") or "_".join([rule.left.name, *parts]).lower()

    return list(map(called, file.rules))


def _settings(mention: Mention, diagnostics: Diagnostics) -> dict[str, str]:
    """Return the features of a mention; the truth values are words, and variables begin with ``?``."""
    settings: dict[str, str] = {}
    for part in mention.features[1:-1].split(",") if mention.features[1:-1].strip() else ():
        if (found := _SETTING.fullmatch(part)) is None:
            message = f"`{part.strip()}` in `{mention.name}[…]` is no feature with a word as its value"
            diagnostics.error("SGL1219", mention.span, message, PLAIN)
            return {}
        sign, true, feature, *values = found.groups("")
        value = sign or "".join(values)
        settings[true or feature] = _TRUTH.get(value, value)
    return settings


def _with_features(
    rules: Sequence[Sequence[Mention]], said: Sequence[Sequence[_Settings]], diagnostics: Diagnostics
) -> list[tuple[str, ...]]:
    """Return the categories of each rule as it mentions them, each with all features that its name has anywhere."""
    values: dict[str, dict[str, None]] = {}
    owned: dict[str, dict[str, None]] = {}
    places: list[dict[str, Counter[str]]] = []
    for own, settings in zip(rules, said, strict=True):
        places.append({})
        for mention, given in zip(own, settings, strict=True):
            owned.setdefault(mention.name, {}).update(dict.fromkeys(given))
            if "/" in mention.name:
                diagnostics.error("SGL1219", mention.span, f"`{mention.name}` has a gap, beside features", PLAIN)
            for feature, value in given.items():
                if value.startswith("?"):
                    places[-1].setdefault(value, Counter())[feature] += 1
                else:
                    values.setdefault(feature, {})[value] = None
        for variable, features in places[-1].items():
            if len(features) > 1:
                message = f"`{variable}` is a value of {' and of '.join(f'`{feature}`' for feature in features)}"
                diagnostics.error("SGL1219", own[0].span, message, "a variable is that of one feature")
    free, bases = FreeNames(), FreeNames()
    features = {feature: free.free(identifier(feature, "feature").lower()) for feature in values}
    base = {name: category_name(name, bases) for name in owned}
    free = FreeNames(*(value for own in values.values() for value in own))
    variables = {name: free.free(name[1:].lower()) for name in dict.fromkeys(v for own in places for v in own)}

    def shown(mention: Mention, given: _Settings, uses: Mapping[str, Counter[str]]) -> str:
        settings = []
        for feature in (feature for feature in owned[mention.name] if feature in values):
            value = given.get(feature, "?")
            if value in uses:
                # A variable that is there once says nothing.
                value = f"?{variables[value]}" if uses[value].total() > 1 else "?"
            settings.append(f"{features[feature]}={value}")
        return base[mention.name] + (f"[{', '.join(settings)}]" if settings else "")

    return [
        tuple(shown(mention, given, uses) for mention, given in zip(own, settings, strict=True))
        for own, settings, uses in zip(rules, said, places, strict=True)
    ]
