"""A grammar whose words are marks: what it writes says where the words of others stand.

The rules that introduce words fall into classes of such as differ in their words only.
For each class there are marked rules, one for each place among the lexical rules of a
derivation, with marks for words and lemmas (here in brackets)::

    (sentence (np the dog) slept)       dog: first word, slept: second word
    (sentence (np the [0]) [1])         The [0] [1].    * [0] ( x _ 1 ) ; [1] . agent …

So whatever is written of a derivation with marks is written of all derivations of its shape,
with their words in place of the marks.  A mark is a letter of a block that few fonts have;
a grammar that uses one of them has no marked grammar.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.core.derivations import Derivations
from sgl.core.gluing import Attributes
from sgl.core.grammar import CoreGrammar, Fragment, Rule, Template, TextLayer, Token
from sgl.core.interpret import capitalised
from sgl.rendering.conllu import word_columns
from sgl.rendering.meaning import is_word
from sgl.rendering.shape_kernel import FORM, LEMMA, MISC, RANK_BITS

#: Words and nodes that a marked rule can have.
MOST_ITEMS = 8

#: The first mark, of CJK Unified Ideographs Extension G: four bytes, of which the last two
#: say what is marked.
_FIRST_MARK, _MARKS = 0x30000, 1 << 12

#: Marked rules that are made, unless there are very many classes.
_MOST_RULES, _FEWEST_RANKS = 1 << 13, 8

#: What stands before the mark of a word: whether the word attaches, and whether it does with
#: its first letter raised.  With the letter raised, so has the marked word.
_LETTERS = "abcd"


class Uses(NamedTuple):
    """The graph layers that are written as CoNLL-U, and those that views are written of."""

    conllu: tuple[int, ...]
    views: tuple[int, ...]


class MarkedGrammar:
    """A grammar with marks for words, and the way there for derivations."""

    def __init__(self, grammar: CoreGrammar, classes: Sequence[int], uses: Uses) -> None:
        """``classes`` has the class of each rule, or a negative number."""
        self._uses = uses
        lexical = {classes[rule.id]: rule for rule in grammar.rules if rule.lexical}
        lexical.pop(-1, None)
        self.ranks = _MOST_RULES // max(len(lexical), 1)
        self.ranks = min(max(self.ranks, _FEWEST_RANKS), 1 << RANK_BITS)
        rules: list[Rule] = []
        self._number = np.zeros(len(grammar.rules), np.int32)
        for rule in grammar.rules:
            if not rule.lexical:
                self._number[rule.id] = len(rules)
                rules.append(replace(rule, id=len(rules)))
        first: dict[int, int] = {}
        for number, rule in lexical.items():
            first[number] = len(rules)
            rules += self._marked_rules(grammar, rule, len(rules))
        #: Whether a rule has words in place of which there may be marks.
        self.lexical = np.array([rule.lexical for rule in grammar.rules], np.uint8)
        for rule in grammar.rules:
            if rule.lexical:
                self._number[rule.id] = first.get(classes[rule.id], 0)
        self.grammar = replace(
            grammar,
            rules=tuple(rules),
            text_layers=tuple(map(self._marked_layer, grammar.text_layers)),
        )

    def derivations(self, derivations: Derivations) -> tuple[Derivations, NDArray[np.bool_]]:
        """These derivations with marks, and which of them have not too many words for that."""
        begin, end = derivations.offsets[0], derivations.offsets[-1]
        rules, offsets = derivations.rules[begin:end], derivations.offsets - begin
        lexical = self.lexical[rules].astype(np.int64)
        before = np.concatenate(([0], np.cumsum(lexical)))
        words = np.diff(before[offsets])
        rank = before[:-1] - np.repeat(before[offsets[:-1]], np.diff(offsets))
        marked = self._number[rules] + np.where(lexical, np.minimum(rank, self.ranks - 1), 0)
        return Derivations(marked.astype(np.int32), offsets), words <= self.ranks

    def _marked_layer(self, layer: TextLayer) -> TextLayer:
        marks = [mark(FORM, item, rank) for item in range(MOST_ITEMS) for rank in range(self.ranks)]
        attach = {letter + m for letter in ("b", "d", "C", "D") for m in marks}
        return replace(layer, attach=layer.attach | attach)

    def _marked_rules(self, grammar: CoreGrammar, rule: Rule, number: int) -> Iterator[Rule]:
        for rank in range(self.ranks):
            templates = tuple(
                _template(template, layer.attach, rank)
                for layer, template in zip(grammar.text_layers, rule.templates, strict=True)
            )
            fragments = tuple(
                self._fragment(fragment, layer, rank)
                for layer, fragment in enumerate(rule.fragments)
            )
            yield replace(rule, id=number + rank, templates=templates, fragments=fragments)

    def _fragment(self, fragment: Fragment, layer: int, rank: int) -> Fragment:
        nodes = tuple(
            node
            if node.attributes is None
            else replace(node, attributes=self._attributes(node.attributes, layer, place, rank))
            for place, node in enumerate(fragment.nodes)
        )
        return replace(fragment, nodes=nodes)

    def _attributes(self, attributes: Attributes, layer: int, place: int, rank: int) -> Attributes:
        lemma = mark(LEMMA, place, rank)
        if layer in self._uses.views:
            return tuple(
                (name, lemma if name == "lemma" and is_word(value) else value)
                for name, value in attributes
            )
        if layer in self._uses.conllu:
            misc = (("misc", mark(MISC, place, rank)),) if word_columns(attributes)[1] else ()
            return (("lemma", lemma), *misc)
        return attributes


def mark(kind: int, item: int, rank: int) -> str:
    """The letter for item ``item`` of the lexical rule number ``rank``."""
    return chr(_FIRST_MARK + (kind * MOST_ITEMS + item << RANK_BITS | rank))


def has_marks(grammar: CoreGrammar) -> bool:
    """Whether a word, attribute or label has a letter that is a mark."""
    return any(
        _FIRST_MARK <= ord(letter) < _FIRST_MARK + _MARKS
        for text in _texts(grammar)
        if not text.isascii()
        for letter in text
    )


def _texts(grammar: CoreGrammar) -> Iterator[str]:
    for layer in grammar.text_layers:
        yield layer.join
        yield from layer.attach
    for rule in grammar.rules:
        for template in rule.templates:
            yield from (item.text for item in template if isinstance(item, Token))
        for fragment in rule.fragments:
            yield from (edge.label for edge in fragment.edges)
            yield from _values(node.attributes or () for node in fragment.nodes)


def _values(attributes: Iterable[Attributes]) -> Iterator[str]:
    for pairs in attributes:
        for pair in pairs:
            yield from pair


def _template(template: Template, attach: frozenset[str], rank: int) -> Template:
    return tuple(
        _token(item.text, attach, place, rank) if isinstance(item, Token) else item
        for place, item in enumerate(template)
    )


def _token(word: str, attach: frozenset[str], item: int, rank: int) -> Token:
    if not word:
        return Token(word)
    letter = _LETTERS[(word in attach) + 2 * (capitalised(word) in attach)]
    return Token(letter + mark(FORM, item, rank))
