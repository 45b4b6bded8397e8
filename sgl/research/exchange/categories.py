"""Names of categories for a grammar that is written out.

``NP[anim=yes, mod=none]`` is a category with features; if all categories with its
base name have the same features, it is written as such.  Any other name becomes one
of letters, digits and ``_`` with a capital letter, and the original its title.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sgl.core.grammar import CoreGrammar
from sgl.research.exchange.spelling import Names

_WITH_FEATURES = re.compile(r"([A-Z]\w*)\[([^\[\]]+)\]")
_SETTING = re.compile(r"((?![A-Z])[^\W\d]\w*)=([^=,\"\\]+)")
_BARE_VALUE = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class Naming:
    """How each category is mentioned in a rule, and what has to be declared.

    ``features`` are the values of each feature, ``carried`` the features of each base
    name, ``titles`` the original names of those that were changed.
    """

    shown: tuple[str, ...]
    features: Mapping[str, Sequence[str]]
    carried: Mapping[str, Sequence[str]]
    titles: Mapping[str, str]
    names: Names

    def is_plain(self, category: int) -> bool:
        """Whether a category has no features."""
        return "[" not in self.shown[category]

    def declarations(self, start: str) -> Iterator[str]:
        """The declarations of features and categories, ``start`` first if there is one."""
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


def name_categories(grammar: CoreGrammar) -> Naming:
    """Names for the categories of a grammar."""
    originals = [category.name for category in grammar.categories]
    settings = _with_features(originals)
    names = Names(*(base for base, _ in settings.values()))
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
    return Naming(tuple(shown), lists, carried, titles, names)


def _with_features(names: Sequence[str]) -> dict[str, tuple[str, dict[str, str]]]:
    """Base name and features of the names that are written with features consistently."""
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
    """The name without what a quotation cannot hold."""
    return "".join(c if c.isprintable() and c not in '"\\' else " " for c in name)
