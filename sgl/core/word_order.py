"""Where the words of a text come from: which rule of the derivation writes which token."""

from __future__ import annotations

from typing import NamedTuple

from sgl.core.grammar import CoreGrammar, Token
from sgl.core.interpret import Derivation


class WordPlace(NamedTuple):
    """A token: item ``item`` of the template of the rule at ``place``, from 0 in preorder."""

    place: int
    item: int
    capital: bool


def word_order(grammar: CoreGrammar, derivation: Derivation, layer: int) -> tuple[WordPlace, ...]:
    """The tokens of a derivation in text layer ``layer``, in their order."""
    stack: list[list[WordPlace]] = []
    for place in range(len(derivation) - 1, -1, -1):
        rule = grammar.rules[derivation[place]]
        children = [stack.pop() for _ in rule.rhs]
        words: list[WordPlace] = []
        for number, item in enumerate(rule.templates[layer]):
            if isinstance(item, Token):
                words.append(WordPlace(place, number, False))
            elif item.capital:
                words.extend(_capitalised(grammar, derivation, layer, children[item.child]))
            else:
                words.extend(children[item.child])
        stack.append(words)
    return tuple(stack[0])


def _capitalised(
    grammar: CoreGrammar, derivation: Derivation, layer: int, words: list[WordPlace]
) -> list[WordPlace]:
    """The words, the first that is not empty marked."""
    result = list(words)
    for index, word in enumerate(result):
        item = grammar.rules[derivation[word.place]].templates[layer][word.item]
        if isinstance(item, Token) and item.text:
            result[index] = word._replace(capital=True)
            break
    return result
