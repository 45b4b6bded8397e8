"""Layers that a model reads one after the other, held against their texts and against all derivations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

import sgl
from random_texts import checker, derivations, random_grammar
from sgl.core.grammar import CoreGrammar, Item, Template, TextLayer, Token
from sgl.core.inputs import alike, with_input
from sgl.core.interpret import Derivation, interpret
from sgl.core.spelling import JOINTS, Finish
from sgl.parsing import Parser
from sgl.sampling.engine import joined, words_of
from sgl.sampling.tables import pack_text

MOST = 400


def grammar_of(seed: int) -> CoreGrammar:
    """A random grammar whose first and third layers are written alike, but for capitals."""
    dice = Random(seed)  # noqa: S311
    grammar = random_grammar(dice)
    rules = [replace(r, templates=tuple(tuple(_plain(t, dice)) for t in r.templates)) for r in grammar.rules]
    layers = [TextLayer(name, " ", finish=Finish(capital=dice.randint(0, 1))) for name in ("en", "out", "bad")]
    return replace(grammar, rules=tuple(rules), text_layers=tuple(layers))


def _plain(template: Template, dice: Random) -> Iterator[Item]:
    """A template without joints, whose words are often the same, so that texts have several readings."""
    for item in template:
        if getattr(item, "text", "") not in JOINTS:
            yield Token("a") if isinstance(item, Token) and dice.random() < 0.7 else item


def joined_texts(seed: int) -> tuple[CoreGrammar, dict[Derivation, str]]:
    """The grammar with both layers as its input, and for each derivation the text that this should be."""
    grammar = grammar_of(seed)
    found = [d for d, _ in zip(derivations(grammar, 0), range(MOST), strict=False)]
    texts = {d: interpret(grammar, d).texts for d in found}
    return with_input(grammar, "en+bad", [0, "|", 2]), {d: f"{t[0]} | {t[2]}".strip() for d, t in texts.items()}


@pytest.mark.parametrize("seed", range(60))
def test_the_text_is_both_texts_with_what_stands_between(seed: int) -> None:
    grammar, texts = joined_texts(seed)
    assert grammar.text_layers[-1].name == "en+bad"
    packed, own = pack_text(grammar, 3), checker(grammar)
    assert {d: interpret(grammar, d).texts[-1] for d in texts} == texts
    assert {d: joined(packed, words_of(packed, grammar.arity, d)) for d in texts} == texts
    assert {d: own.text("en+bad", d) for d in texts} == texts


def test_its_readings_are_the_derivations_with_this_text() -> None:
    several = 0
    for seed in range(60):
        grammar, texts = joined_texts(seed)
        if not 1 < len(texts) < MOST:
            continue
        parser, readings = Parser(grammar, 3), defaultdict[str, set[Derivation]](set)
        for derivation, text in texts.items():
            readings[text].add(derivation)
        for text, own in list(readings.items())[:8]:
            assert {*parser.parse(text, MOST)} == own, (seed, text)
            several += len(own) > 1
    assert several > 5


DIVIDED = """\
module divided
layer en  : text
layer de  : text (capital first)
layer ask : text (as de)
category Text
category V with de.prefix
category N
rule text: Text -> N V "the" "man"
  de  N V "den" "Mann" V.prefix
  ask "wer" V V.prefix drop N
word V: "calls"
  de  "ruft"
  de.prefix "an"
word N: "Anna"
  de "Anna"
word N: "Ben"
  de "Ben"
dataset
  from  Text
  input de "?" ask
  train 1
"""


def test_phrases_in_parts_keep_their_parts_in_both_layers() -> None:
    grammar = sgl.loads(DIVIDED)
    assert sorted({text["de+ask"] for text in grammar.sample(20)}) == [
        "Anna ruft den Mann an ? Wer ruft an",
        "Ben ruft den Mann an ? Wer ruft an",
    ]
    assert grammar.accepts("Ben ruft den Mann an ? Wer ruft an")
    assert not grammar.accepts("Ben ruft den Mann an ? Wer an ruft")


def test_layers_are_alike_but_for_capitals() -> None:
    plain = TextLayer("en")
    assert alike([plain, TextLayer("b"), replace(plain, finish=Finish(capital=1))])
    assert not alike([plain, TextLayer("b", join="")])
    assert not alike([plain, replace(plain, attach=frozenset("."))])
    assert not alike([plain, replace(plain, finish=Finish(elisions=(("a", "b", "c"),)))])
