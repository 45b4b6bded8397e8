"""From productions to a core grammar: names of rules, and features with the values that a file gives them.

Where there are features, a category is what a rule says of it, ``NP[num=?n, case=?]``: a value, a variable, nothing.
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
from sgl.research.exchange.names import FreeNames
from sgl.research.exchange.productions import PLAIN, Mention, Production, Productions
from sgl.research.exchange.write_sgl import brackets, category_name, identifier

_SETTING = re.compile(r"\s*(?:([+-])(\w+)|(\w+)\s*=\s*(?:(\?\w+|[\w.]+)|'([\w .+-]+)'|\"([\w .+-]+)\"))\s*")
#: NLTK's truth values, in two notations.
_TRUTH = {"+": "yes", "True": "yes", "-": "no", "False": "no"}
#: Rules that a grammar makes with values for its features.
MOST_INSTANCES = 100_000
#: Parts of a production in the name of its rule.
_LONGEST = 4

_Settings = Mapping[str, str]


def lower_productions(file: Productions, name: str, diagnostics: Diagnostics) -> ImportedGrammar | None:
    """Return the grammar of a file under this name; None after a report."""
    categories = [*((rule.left, *rule.children) for rule in file.rules), (file.start,)]
    said = [[_settings(mention, diagnostics) for mention in own] for own in categories]
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
    features = _Features(categories, said, diagnostics) if any(map(any, said)) else None
    if diagnostics.errors:
        return None
    finals = [file.start.name]
    concrete = list(enumerate(rules))
    if features is not None:
        # With some features no child is made, or no parent asks for it.
        concrete = [
            (number, rule._replace(state=names[0], children=names[1:]))
            for number, rule in enumerate(rules)
            for names in features.instances(number)
        ]
        finals = [names[0] for names in features.instances(len(rules))]
    useful = useful_rules([rule for _, rule in concrete], finals)
    kept = sorted({number for number, rule in concrete if id(rule) in useful})
    left = [rules[number] for number in kept]
    report_useless(rules, left, diagnostics)
    if not kept:
        diagnostics.error("SGL1204", file.start.span, f"this grammar has no derivation from `{file.start.name}`")
        return None
    start = file.start.name
    if features is not None:
        # What only a useless rule says, the grammar need not have.
        kept.append(len(rules))
        features = _Features([categories[n] for n in kept], [said[n] for n in kept], diagnostics)
        *names, (start,) = map(features.shown, range(len(kept)))
        left = [rule._replace(state=own[0], children=own[1:]) for rule, own in zip(left, names, strict=True)]
    layers = [TextLayer(layer, " ") for layer in file.layers]
    return assemble(name, layers, left, [start], diagnostics, features is not None)


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


class _Features:
    """The features of a file: which ones each category has anywhere, and their values."""

    def __init__(
        self, rules: Sequence[Sequence[Mention]], said: Sequence[Sequence[_Settings]], diagnostics: Diagnostics
    ) -> None:
        self._rules = [list(zip(own, settings, strict=True)) for own, settings in zip(rules, said, strict=True)]
        self._values: dict[str, dict[str, None]] = {}
        self._owned: dict[str, dict[str, None]] = {}
        self._uses: list[Counter[str]] = []
        for rule in self._rules:
            of = {value: feature for _, given in rule for feature, value in given.items()}
            self._uses.append(Counter(value for _, given in rule for value in given.values()))
            for mention, given in rule:
                self._owned.setdefault(mention.name, {}).update(dict.fromkeys(given))
                if "/" in mention.name:
                    diagnostics.error("SGL1219", mention.span, f"`{mention.name}` has a gap, beside features", PLAIN)
                for feature, value in given.items():
                    if not value.startswith("?"):
                        self._values.setdefault(feature, {})[value] = None
                    elif of[value] != feature:
                        message = f"`{value}` is a value of `{feature}` and of `{of[value]}`"
                        diagnostics.error("SGL1219", mention.span, message, "a variable is that of one feature")
        # What has no value in the file says nothing.
        self._owned = {name: {f: None for f in own if f in self._values} for name, own in self._owned.items()}
        self._check_size(diagnostics)
        bases, names = FreeNames(), FreeNames()
        variables = FreeNames(*(value for own in self._values.values() for value in own))
        self._bases = {name: category_name(name, bases) for name in self._owned}
        self._names = {feature: names.free(identifier(feature, "feature").lower()) for feature in self._values}
        self._variables = {name: variables.free(name[1:].lower()) for uses in self._uses for name in uses}

    def _open(self, number: int) -> dict[object, Sequence[str]]:
        """Return the values of what a rule leaves open: of each variable, and of each feature that is not said."""
        places = enumerate(self._rules[number])
        return {
            self._key(place, feature, given): list(self._values[feature])
            for place, (mention, given) in places
            for feature in self._owned[mention.name]
            if given.get(feature, "?").startswith("?")
        }

    @staticmethod
    def _key(place: int, feature: str, given: _Settings) -> object:
        return given.get(feature, (place, feature))

    def _check_size(self, diagnostics: Diagnostics) -> None:
        total = 0
        for number, rule in enumerate(self._rules):
            total += prod(map(len, self._open(number).values()))
            if total > MOST_INSTANCES:
                message = f"the features of this grammar make more than {MOST_INSTANCES:,} rules"
                diagnostics.error("SGL1219", rule[0][0].span, message, "fewer features, or fewer values")
                return

    def instances(self, number: int) -> Iterator[tuple[str, ...]]:
        """Yield the categories of a rule with all values that they can have."""
        slots = self._open(number)
        for chosen in product(*slots.values()):
            bound = dict(zip(slots, chosen, strict=True))
            yield tuple(
                mention.name
                + str([bound.get(self._key(place, f, given), given.get(f)) for f in self._owned[mention.name]])
                for place, (mention, given) in enumerate(self._rules[number])
            )

    def shown(self, number: int) -> tuple[str, ...]:
        """Return the categories of a rule as it mentions them, each with all of its features."""

        def said(value: str) -> str:
            # A variable that is there once says nothing.
            single = self._uses[number][value] < 2
            return value if not value.startswith("?") else "?" if single else f"?{self._variables[value]}"

        return tuple(
            self._bases[mention.name]
            + brackets(
                f"{self._names[feature]}={said(given.get(feature, '?'))}" for feature in self._owned[mention.name]
            )
            for mention, given in self._rules[number]
        )
