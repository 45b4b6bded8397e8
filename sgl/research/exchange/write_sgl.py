"""Write a core grammar with text layers as a grammar of SGL.

Names that the language does not allow are changed, and the original stands beside the
category.  Categories whose names look like ``NP[anim=yes]`` get their features back::

    feature anim = yes | no

    category NP[anim]

    rule np_1: NP[anim=yes] -> Det N[anim=yes]  ~ 0.25
      ja  N drop Det
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sgl.core.grammar import CoreGrammar, Item, Rule, Slot, TextLayer, Token
from sgl.lang.keywords import CLAUSES, DECLARATIONS
from sgl.research.exchange.names import FreeNames, decimal

#: Training sentences of the dataset that a written grammar declares.
_TRAIN = 1000

_WITH_FEATURES = re.compile(r"([A-Z]\w*)\[([^\[\]]+)\]")
_SETTING = re.compile(r"((?![A-Z])[^\W\d]\w*)=([^=,\"\\]+)")
_BARE_VALUE = re.compile(r"[^\W\d]\w*")


def write_sgl(grammar: CoreGrammar, title: str = "", comment: str = "") -> str:
    """Return the grammar as a text that compiles to it again, up to names.

    Args:
        grammar: a grammar with text layers only, the first of which has every child of
            a rule once and in order.
        title: the title of the module.
        comment: a line for the head of the file.
    """
    return "\n".join(_SglWriter(grammar).lines(title, comment)) + "\n"


def identifier(text: str, fallback: str) -> str:
    """Return the text as a name that begins with a small letter."""
    name = re.sub(r"\W+", "_", text).strip("_")
    name = re.sub(r"^[A-Z]+", lambda capitals: capitals[0].lower(), name)
    return name if re.match(r"[^\W\d]", name) else f"{fallback}_{name}".rstrip("_")


def string(text: str) -> str:
    """Return the text in quotation marks."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class _SglWriter:
    def __init__(self, grammar: CoreGrammar) -> None:
        self.grammar = grammar
        layers = FreeNames(*CLAUSES, *DECLARATIONS)
        self.layers = [layers.free(identifier(x.name, "layer")) for x in grammar.text_layers]
        self.width = max(map(len, self.layers))
        self.naming: CategoryNames = name_categories(grammar)
        rules = FreeNames()
        self.rules = [rules.free(identifier(rule.name, "rule")) for rule in grammar.rules]
        # A dataset begins with a category that has no features.
        plain = self.naming.is_plain(grammar.start)
        self.start = self.naming.shown[grammar.start] if plain else self.naming.names.free("Start")
        self.start_rule = "" if plain else rules.free("start")

    def lines(self, title: str, comment: str) -> Iterator[str]:
        yield f"module {identifier(self.grammar.name, 'grammar')} {string(title)}".removesuffix(
            ' ""'
        )
        if comment:
            yield ""
            yield f"# {' '.join(comment.split())}"
        yield ""
        for name, layer in zip(self.layers, self.grammar.text_layers, strict=True):
            yield self._layer(name, layer)
        yield from self.naming.declarations("" if not self.start_rule else self.start)
        if self.start_rule:
            shown = self.naming.shown[self.grammar.start]
            yield from ("", f"rule {self.start_rule}: {self.start} -> {shown}")
        for category, rules in enumerate(self.grammar.rules_of):
            yield ""
            if len(rules) > 1 and any(rule.rhs for rule in rules):
                yield from (f"# {self.naming.shown[category]}", "")
            blank = False
            for rule in rules:
                lines = list(self._rule(rule, alone=len(rules) == 1))
                # Words of one line stand together.
                if blank and (rule.rhs or len(lines) > 1):
                    yield ""
                blank = True
                yield from lines
        yield from ("", "dataset", f"  from {self.start}", f"  train {_TRAIN}", "  seed  1")

    def _layer(self, name: str, layer: TextLayer) -> str:
        options = [] if layer.join == " " else [f"join {string(layer.join)}"]
        if layer.attach:
            options.append(" ".join(["attach", *map(string, sorted(layer.attach))]))
        return f"layer {name:<{self.width}} : text" + (
            f" ({', '.join(options)})" if options else ""
        )

    def _rule(self, rule: Rule, *, alone: bool) -> Iterator[str]:
        roles = self._roles(rule)
        shown = self.naming.shown
        right = " ".join(
            self._child(item, shown[rule.rhs[item.child]], roles[item.child])
            if isinstance(item, Slot)
            else string(item.text)
            for item in _words(rule.templates[0])
        )
        weight = "" if alone else f"  ~ {decimal(rule.weight)}"
        yield f"rule {self.rules[rule.id]}: {shown[rule.lhs]} -> {right}{weight}"
        passing = len(rule.rhs) == 1 and len(rule.templates[0]) == 1
        for name, template in zip(self.layers[1:], rule.templates[1:], strict=True):
            if not (passing and template == (Slot(0),)):
                yield f"  {name:<{self.width}}  {_clause(template, roles)}"

    def _child(self, slot: Slot, category: str, role: str) -> str:
        named = category if role == category.partition("[")[0] else f"{role}:{category}"
        return f"capital {named}" if slot.capital else named

    def _roles(self, rule: Rule) -> list[str]:
        """Return what the children are called: by their category where that is enough."""
        bases = [self.naming.shown[child].partition("[")[0] for child in rule.rhs]
        occurrences = Counter(bases)
        seen: Counter[str] = Counter()
        free = FreeNames()
        roles = []
        for base in bases:
            seen[base] += 1
            several = occurrences[base] > 1
            roles.append(free.free(f"{base.lower()}{seen[base]}") if several else base)
        return roles


def _words(template: Sequence[Item]) -> Iterator[Item]:
    """Return a template without its empty words."""
    return (item for item in template if isinstance(item, Slot) or item.text)


def _clause(template: Sequence[Item], roles: Sequence[str]) -> str:
    """Return the clause of a layer; children that are left out or there again are marked so."""
    parts = []
    seen: set[int] = set()
    for item in _words(template):
        if isinstance(item, Token):
            parts.append(string(item.text))
            continue
        mode = "repeat " if item.child in seen else "capital " if item.capital else ""
        seen.add(item.child)
        parts.append(mode + roles[item.child])
    parts += [f"drop {role}" for child, role in enumerate(roles) if child not in seen]
    return " ".join(parts) or '""'


# ---- names of categories


@dataclass(frozen=True)
class CategoryNames:
    """How each category is mentioned in a rule, and what has to be declared.

    ``features`` are the values of each feature, ``carried`` the features of each base
    name, ``titles`` the original names of those that were changed.
    """

    shown: tuple[str, ...]
    features: Mapping[str, Sequence[str]]
    carried: Mapping[str, Sequence[str]]
    titles: Mapping[str, str]
    names: FreeNames

    def is_plain(self, category: int) -> bool:
        """Return whether a category has no features."""
        return "[" not in self.shown[category]

    def declarations(self, start: str) -> Iterator[str]:
        """Yield the declarations of features and categories, ``start`` first if there is one."""
        yield ""
        for feature, values in self.features.items():
            yield f"feature {feature} = {' | '.join(values)}"
        if self.features:
            yield ""
        if start:
            yield f"category {start}"
        for base, features in self.carried.items():
            brackets = f"[{', '.join(features)}]" if features else ""
            title = f' "{self.titles[base]}"' if base in self.titles else ""
            yield f"category {base}{brackets}{title}"


def name_categories(grammar: CoreGrammar) -> CategoryNames:
    """Return names for the categories of a grammar.

    ``NP[anim=yes, mod=none]`` is a category with features; if all categories with its base
    name have the same features, it is written as such.  Any other name becomes one of letters,
    digits and ``_`` with a capital letter, and the original its title.
    """
    originals = [category.name for category in grammar.categories]
    settings = _with_features(originals)
    names = FreeNames(*(base for base, _ in settings.values()))
    features: dict[str, dict[str, None]] = {}
    carried: dict[str, Sequence[str]] = {}
    titles: dict[str, str] = {}
    shown = []
    for name in originals:
        if name not in settings:
            plain = names.free(_plain(name))
            if plain != name:
                titles[plain] = _title(name)
            carried[plain] = ()
            shown.append(plain)
            continue
        base, values = settings[name]
        carried[base] = tuple(values)
        for feature, value in values.items():
            features.setdefault(feature, {})[value] = None
        inside = ", ".join(f"{feature}={value}" for feature, value in values.items())
        shown.append(f"{base}[{inside}]")
    lists = {feature: tuple(values) for feature, values in features.items()}
    return CategoryNames(tuple(shown), lists, carried, titles, names)


def _with_features(names: Sequence[str]) -> dict[str, tuple[str, dict[str, str]]]:
    """Return base name and features of the names that are written with features consistently."""
    split: dict[str, tuple[str, dict[str, str]]] = {}
    kinds: dict[str, set[tuple[str, ...]]] = {}
    for name in names:
        found = _split(name)
        if found is None:
            kinds.setdefault(name, set()).add(())
        else:
            split[name] = found
            kinds.setdefault(found[0], set()).add(tuple(found[1]))
    return {name: found for name, found in split.items() if len(kinds[found[0]]) == 1}


def _split(name: str) -> tuple[str, dict[str, str]] | None:
    match = _WITH_FEATURES.fullmatch(name)
    if match is None:
        return None
    settings = [_SETTING.fullmatch(part) for part in match[2].split(", ")]
    values = {setting[1]: _value(setting[2]) for setting in settings if setting is not None}
    return (match[1], values) if len(values) == len(settings) else None


def _value(text: str) -> str:
    return text if _BARE_VALUE.fullmatch(text) else f'"{text}"'


def _plain(name: str) -> str:
    plain = re.sub(r"\W+", "_", name).strip("_")
    plain = plain[:1].upper() + plain[1:] if plain[:1].isascii() else plain
    return plain if re.match(r"[A-Z]", plain) else f"C_{plain}".rstrip("_")


def _title(name: str) -> str:
    """Return the name without what a quotation cannot hold."""
    return "".join(c if c.isprintable() and c not in '"\\' else " " for c in name)
