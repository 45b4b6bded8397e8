"""Where the readings of an ambiguous sentence part: the choices that a forest leaves open.

A constituent with several alternatives is a choice, and it is there once, however many
readings it is part of.  There are three kinds::

    word   N        鶏 / 雛              two words of one category are written alike
    rule   VP       intransitive / transitive
    parts  NP       modified             one rule, its parts divided in several ways
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sgl.core.grammar import Rule, Token
from sgl.parsing import Forest

WORD, RULE, PARTS = "word", "rule", "parts"


class Choice(NamedTuple):
    """A kind of choice: at a category, without its features, between these options.

    Options are words in the layer that is looked at, or else names of rules.
    """

    kind: str
    category: str
    options: tuple[str, ...]

    def __str__(self) -> str:
        return " / ".join(self.options)


def choices(forest: Forest, layer: int) -> frozenset[Choice]:
    """The choices of a forest; words are told apart by what they are in a text layer."""
    return frozenset(_choices(forest, layer))


def _choices(forest: Forest, layer: int) -> Iterator[Choice]:
    grammar = forest.grammar
    for node in forest.nodes:
        rules = [grammar.rules[rule] for rule in {a.rule: None for a in node.alternatives}]
        category = grammar.categories[node.category].name.partition("[")[0]
        if len(rules) > 1 and all(rule.lexical for rule in rules):
            yield Choice(WORD, category, _distinct(_word(rule, layer) for rule in rules))
        elif len(rules) > 1:
            yield Choice(RULE, category, _distinct(rule.name for rule in rules))
        elif len(node.alternatives) > 1:
            yield Choice(PARTS, category, (rules[0].name,))


def _word(rule: Rule, layer: int) -> str:
    """What a person calls a word: its text in a layer, or its name if that is empty."""
    texts = (item.text for item in rule.templates[layer] if isinstance(item, Token))
    return " ".join(texts) or rule.name


def _distinct(names: Iterator[str]) -> tuple[str, ...]:
    return tuple(sorted(set(names)))
