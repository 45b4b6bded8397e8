"""Write estimated weights as the file that a grammar names (see ``docs/fit.md``).

The file is sorted, so that two of them can be compared line by line, and has six digits.
Categories that the corpus does not use are not in it, nor those with one rule: of these
it knows nothing that the grammar does not say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from sgl.core.grammar import CoreGrammar
from sgl.core.weights import RULES, SECTIONS, WORDS, RuleKey
from sgl.corpus.fit.estimate import Fit

_LINE_ENDS = frozenset("\x85\u2028\u2029")

#: The section that says where the weights come from.
PROVENANCE = "fitted"


def weights_text(
    grammar: CoreGrammar,
    keys: Sequence[RuleKey],
    fit: Fit,
    provenance: Mapping[str, Any],
    comment: Sequence[str] = (),
) -> str:
    """The text of the file: ``comment`` as its first lines, then what it comes from.

    ``keys`` are what the rules of the grammar are called; ``provenance`` has plain
    values only.
    """
    lines = "".join(f"# {line}".rstrip() + "\n" for line in comment)
    return (
        lines + _dumped({PROVENANCE: dict(provenance)}) + _dumped(weights_data(grammar, keys, fit))
    )


def weights_data(grammar: CoreGrammar, keys: Sequence[RuleKey], fit: Fit) -> dict[str, Any]:
    """The sections of the file: by category and name a weight, or a weight for each part."""
    alternatives = Counter(rule.lhs for rule in grammar.rules)
    weight_of: Counter[RuleKey] = Counter()
    for rule, key in zip(grammar.rules, keys, strict=True):
        if fit.seen[rule.id] and alternatives[rule.lhs] > 1:
            weight_of[key] += float(fit.weights[rule.id])  # type: ignore[assignment]
    sections: dict[str, Any] = {}
    for key, weight in sorted(weight_of.items()):
        names = sections.setdefault(key.section, {}).setdefault(key.category, {})
        if key.section == WORDS:
            names[key.name] = _rounded(weight)
        else:
            names.setdefault(key.name, {})[key.part] = _rounded(weight)
    for names in sections.get(RULES, {}).values():
        for name, parts in names.items():
            if len(parts) == 1:
                (names[name],) = parts.values()
    return {section: sections[section] for section in SECTIONS if section in sections}


def _rounded(weight: float) -> float:
    return float(f"{weight:.6g}")


class _Dumper(yaml.SafeDumper):
    """Escapes the line ends of Unicode, which would be read as spaces."""


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = '"' if _LINE_ENDS.intersection(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style)


_Dumper.add_representer(str, _text)


def _dumped(data: Mapping[str, Any]) -> str:
    return yaml.dump(
        data,
        Dumper=_Dumper,
        allow_unicode=True,
        sort_keys=False,
        default_flow_style=False,
        width=1_000,
    )
