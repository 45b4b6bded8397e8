"""Expected counts: how often a text uses each rule, category, word and label.

They follow exactly from the inside weights of a grammar (its first moments); nothing is
sampled.  The rules of one category with one choice of features compete: their weights are
divided by their sum.  A weight of a rule that is alone there has no effect.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from sgl.automata import SplitGrammar
from sgl.core.grammar import CoreGrammar


@dataclass(frozen=True, slots=True)
class RuleUse:
    """How often a text uses a rule, over all choices of features.

    ``share`` is its part of the phrases of its category.  ``competitors`` are the rules that
    it competes with; ``alone`` are the categories, with their features, in which it has none.
    """

    name: str
    category: str
    expected: float
    share: float
    competitors: tuple[str, ...]
    alone: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Expectations:
    """Expected counts in one text, each list by falling count.

    ``words`` has the source words of each lexicon or word declaration.
    """

    tokens: float
    rules: tuple[RuleUse, ...]
    categories: tuple[tuple[str, float], ...]
    words: tuple[tuple[str, str, float], ...]
    labels: tuple[tuple[str, str, float], ...]


def expectations(split: SplitGrammar) -> Expectations:
    """Return the expected counts of a text of a split."""
    grammar, uses = split.grammar, split.expected_rules
    categories: dict[str, float] = defaultdict(float)
    words: dict[tuple[str, str], float] = defaultdict(float)
    labels: dict[tuple[str, str], float] = defaultdict(float)
    for rule, expected in zip(grammar.rules, uses, strict=True):
        categories[grammar.categories[rule.lhs].base] += expected
        if rule.lexical:
            words[rule.name, " ".join(rule.words(0))] += expected
        for layer, fragment in zip(grammar.graph_layers, rule.fragments, strict=True):
            for edge in fragment.edges:
                labels[layer.name, edge.label] += expected
    return Expectations(
        split.expected_tokens,
        _rule_uses(grammar, uses, categories),
        tuple(sorted(categories.items(), key=_falling)),
        tuple((*key, count) for key, count in sorted(words.items(), key=_falling)),
        tuple((*key, count) for key, count in sorted(labels.items(), key=_falling)),
    )


def _rule_uses(
    grammar: CoreGrammar, uses: tuple[float, ...], categories: dict[str, float]
) -> tuple[RuleUse, ...]:
    """Return the uses of the rules that have children; words compete in their lexicons."""
    expected: dict[tuple[str, str], float] = defaultdict(float)
    places: dict[tuple[str, str], dict[int, None]] = defaultdict(dict)
    for rule in grammar.rules:
        if not rule.lexical:
            key = (rule.name, grammar.categories[rule.lhs].base)
            expected[key] += uses[rule.id]
            places[key][rule.lhs] = None
    competing = [tuple(dict.fromkeys(rule.name for rule in rules)) for rules in grammar.rules_of]
    found = []
    for (name, category), count in sorted(expected.items(), key=_falling):
        own = places[name, category]
        rivals = dict.fromkeys(other for n in own for other in competing[n] if other != name)
        alone = tuple(grammar.categories[n].name for n in own if competing[n] == (name,))
        share = count / categories[category] if categories[category] else 0.0
        found.append(RuleUse(name, category, count, share, tuple(rivals), alone))
    return tuple(found)


def _falling(entry: tuple[object, float]) -> float:
    return -entry[1]
