"""A grammar without the distinctions that one of its text layers does not make.

Japanese has no articles, and one word for *boat* and *ship*.  Every Japanese sentence
therefore has many readings that differ in nothing that it says::

    船が来た。     A boat came.   The boat came.   A ship came.   The ship came.

Whoever asks what a Japanese sentence says needs one of them.  Of words of one category that
the layer writes alike the likeliest is kept, and of a category that the layer always drops
the likeliest word.  Words that differ in more than their lemmas are all kept: a participle
and a past tense may be written alike and mean different things.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from sgl.core.grammar import CoreGrammar, Rule, Slot, Token

_LEMMA = "lemma"


def condensed(grammar: CoreGrammar, layer: int) -> CoreGrammar:
    """The grammar with one rule for all words that text layer ``layer`` does not tell apart.

    Rules are numbered anew; weights are as they were, so that they no longer sum to 1.
    """
    dropped = _dropped(grammar, layer)
    best: dict[Hashable, Rule] = {}
    for rule in grammar.rules:
        key = _key(rule, layer, rule.lhs in dropped)
        if key not in best or rule.weight > best[key].weight:
            best[key] = rule
    kept = sorted(best.values(), key=lambda rule: rule.id)
    return replace(
        grammar, rules=tuple(replace(rule, id=number) for number, rule in enumerate(kept))
    )


def _dropped(grammar: CoreGrammar, layer: int) -> set[int]:
    """The categories with words only that no rule writes in this layer."""
    kept = {grammar.start}
    for rule in grammar.rules:
        written = {item.child for item in rule.templates[layer] if isinstance(item, Slot)}
        kept.update(rule.rhs[child] for child in written)
        if not rule.lexical:
            kept.add(rule.lhs)
    return set(range(len(grammar.categories))) - kept


def _key(rule: Rule, layer: int, dropped: bool) -> Hashable:
    """Equal for rules of which one is enough."""
    if dropped:
        return rule.lhs
    if not rule.lexical:
        return rule.lhs, rule.id
    text = tuple(item.text for item in rule.templates[layer] if isinstance(item, Token))
    attributes = tuple(
        tuple(pair for pair in node.attributes or () if pair[0] != _LEMMA)
        for fragment in rule.fragments
        for node in fragment.nodes
    )
    return rule.lhs, text, attributes
