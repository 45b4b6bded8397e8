"""Name the rules of the core grammar as a file of weights does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sgl.core.grammar import CoreGrammar, Rule, Token
from sgl.core.weights import LEXICONS, RULES, WORDS, RuleKey
from sgl.frontend.expand import Instance


def rule_keys(grammar: CoreGrammar, instances: Sequence[Instance]) -> tuple[RuleKey, ...]:
    """What each rule is called; ``instances`` are those that the rules were made of.

    Words with one lemma, in one category of a lexicon, are told apart by how they are
    written, first in the source.  Rules that differ in nothing but their graphs have
    one name.
    """
    short = [_key(grammar, *pair) for pair in zip(grammar.rules, instances, strict=True)]
    shared = {key for key, uses in Counter(short).items() if uses > 1}
    return tuple(
        _with_texts(key, rule) if key in shared else key
        for key, rule in zip(short, grammar.rules, strict=True)
    )


def _key(grammar: CoreGrammar, rule: Rule, instance: Instance) -> RuleKey:
    category, production = grammar.categories[rule.lhs].name, instance.production
    if production.pool:
        return RuleKey(LEXICONS, category, production.name, _lemma(rule))
    if production.word:
        return RuleKey(WORDS, category, _text(rule, 0))
    children = " ".join(grammar.categories[child].name for child in rule.rhs)
    return RuleKey(RULES, category, production.name, children)


def _lemma(rule: Rule) -> str:
    """The lemma of a word, or the word itself in a grammar without graphs."""
    for fragment in rule.fragments:
        for node in fragment.nodes:
            for name, value in node.attributes or ():
                if name == "lemma":
                    return value
    return _text(rule, 0)


def _with_texts(key: RuleKey, rule: Rule) -> RuleKey:
    texts = " / ".join(_text(rule, layer) for layer in range(len(rule.templates)))
    if key.section == WORDS:
        return RuleKey(WORDS, key.category, texts)
    return RuleKey(key.section, key.category, key.name, f"{key.part}: {texts}")


def _text(rule: Rule, layer: int) -> str:
    return " ".join(item.text for item in rule.templates[layer] if isinstance(item, Token))
