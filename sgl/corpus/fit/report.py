"""What an estimation found: as data, and as the file that a grammar names (``docs/fit.md``).

The file is sorted and has six digits, so that two of them can be compared line by line.  It leaves
out categories that the corpus does not use, and those with one rule.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import exp, inf, isfinite, log
from typing import Any, get_args

import yaml

from sgl.core.grammar import RULES, SECTIONS, WORDS, CoreGrammar, RuleKey
from sgl.corpus.fit.estimate import Fate, Fit, Sample

#: The fates of rows in the order in which they are shown.
FATES: tuple[Fate, ...] = get_args(Fate)

#: Changes that are written as JSON.
_CHANGES = 1_000


@dataclass(frozen=True, slots=True)
class Change:
    """How a weight changed: ``uses`` of its category in a sentence, and how much more often the rule is used for it."""

    key: RuleKey
    uses: float
    before: float
    after: float

    @property
    def effect(self) -> float:
        """Uses in a sentence, more than before."""
        return self.uses * (self.after - self.before)


@dataclass(frozen=True, slots=True)
class Likelihood:
    """How well weights foretell the sentences: nats and bits, and perplexity of a token."""

    nats: float
    tokens: float

    @property
    def bits(self) -> float:
        """Bits that a sentence takes."""
        return -self.nats / log(2)

    @property
    def perplexity(self) -> float:
        """Perplexity of a token; the end of a sentence is not counted as one."""
        return exp(-self.nats / self.tokens) if self.tokens and isfinite(self.nats) else inf


def changes(grammar: CoreGrammar, keys: Sequence[RuleKey], fit: Fit, rows: int, limit: int = _CHANGES) -> list[Change]:
    """Return the changes that matter most for what sentences look like."""
    total: Counter[int] = Counter()
    for rule in grammar.rules:
        total[rule.lhs] += float(fit.uses[rule.id])  # type: ignore[assignment]
    found = [
        Change(key, total[rule.lhs] / rows, rule.weight, float(fit.weights[rule.id]))
        for rule, key in zip(grammar.rules, keys, strict=True)
        if fit.seen[rule.id]
    ]
    found.sort(key=lambda change: (-abs(change.effect), change.key))
    return found[:limit]


def fit_data(grammar: CoreGrammar, keys: Sequence[RuleKey], fit: Fit, sample: Sample) -> dict[str, Any]:
    """Everything that was found, as plain values in a fixed order."""
    return {
        "rows": {fate: sample.fates[fate] for fate in FATES},
        "ambiguous_rows": sum(rows for _, rows in sample.ambiguous.values()),
        "kinds": {kind: {fate: fates[fate] for fate in FATES} for kind, fates in sorted(sample.kinds.items())},
        "files": [asdict(file) for file in sample.files],
        "rounds": fit.rounds,
        "converged": fit.converged,
        "probability_of_the_split": exp(fit.log_mass),
        "tokens": fit.tokens,
        "before": _likelihood(Likelihood(fit.before, fit.tokens)),
        "after": _likelihood(Likelihood(fit.after, fit.tokens)),
        "changes": [
            asdict(change.key) | {at: getattr(change, at) for at in ("before", "after", "effect")}
            for change in changes(grammar, keys, fit, sample.rows)
        ],
        "unparsed_rows": [row.data("reason") for row in sample.unparsed],
        "held_out_rows": [row.data("reason") for row in sample.held_out],
        "unreadable_rows": [row.data("reason") for row in sample.unreadable],
    }


def _likelihood(found: Likelihood) -> dict[str, float | None]:
    numbers = (found.nats, found.bits, found.perplexity) if isfinite(found.nats) else (None,) * 3
    return dict(zip(("log_likelihood", "bits", "perplexity"), numbers, strict=True))


def weights_text(
    grammar: CoreGrammar, keys: Sequence[RuleKey], fit: Fit, provenance: Mapping[str, Any], comment: Sequence[str] = ()
) -> str:
    """Return the text of the file, after lines of ``comment``; ``keys`` name rules, ``provenance`` has plain values."""
    lines = "".join(f"# {line}".rstrip() + "\n" for line in comment)
    sections = {"fitted": dict(provenance)}, weights_data(grammar, keys, fit)
    return lines + "".join(
        yaml.dump(section, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=1_000) for section in sections
    )


def weights_data(grammar: CoreGrammar, keys: Sequence[RuleKey], fit: Fit) -> dict[str, Any]:
    """Return the sections of the file: by category and name a weight, or a weight for each part."""
    alternatives = Counter(rule.lhs for rule in grammar.rules)
    weight_of: Counter[RuleKey] = Counter()
    for rule, key in zip(grammar.rules, keys, strict=True):
        if fit.seen[rule.id] and alternatives[rule.lhs] > 1:
            weight_of[key] += float(fit.weights[rule.id])  # type: ignore[assignment]
    sections: dict[str, Any] = {}
    for key, weight in sorted(weight_of.items()):
        names = sections.setdefault(key.section, {}).setdefault(key.category, {})
        if key.section == WORDS:
            names[key.name] = float(f"{weight:.6g}")
        else:
            names.setdefault(key.name, {})[key.part] = float(f"{weight:.6g}")
    for names in sections.get(RULES, {}).values():
        for name, parts in names.items():
            if len(parts) == 1:
                (names[name],) = parts.values()
    return {section: sections[section] for section in SECTIONS if section in sections}


class _Dumper(yaml.SafeDumper):
    """Escapes the line ends of Unicode, which would be read as spaces."""


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = '"' if not frozenset("\x85\u2028\u2029").isdisjoint(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style)


_Dumper.add_representer(str, _text)
