"""Texts of layers that absorb, elide and change words are read as their definition by rewriting says."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

import random_texts
from sgl.core.grammar import Category, CoreGrammar, Rule, Slot, TextLayer, Token
from sgl.core.spelling import Finish
from sgl.parsing import Parser

FINISH = Finish(
    after=("l'",),
    absorb=((",", ","), (",", ".")),
    forms=(("le", "a…", "l'"),),
    elisions=(("de", "le", "du"),),
    capital=1,
)


def french(*sentences: str) -> CoreGrammar:
    """A grammar of these sentences, one rule each."""
    rules = [
        Rule(number, f"s{number}", 0, (), 1.0, (tuple(map(Token, sentence.split())),), ())
        for number, sentence in enumerate(sentences)
    ]
    layer = TextLayer("fr", " ", frozenset({",", "."}), FINISH)
    return CoreGrammar("french", (Category("S"),), tuple(rules), 0, (layer,), ())


@pytest.mark.parametrize("seed", range(2_100, 2_112))
def test_readings_of_random_grammars_are_the_derivations_with_this_text(seed: int) -> None:
    dice = Random(seed)  # noqa: S311
    grammar = random_texts.random_grammar(dice)
    found = [*random_texts.derivations(grammar, 0)][:400]
    if len(found) == 400:
        pytest.skip("too many derivations to list")
    layer = grammar.text_layers[0]
    texts = {own: random_texts.spelt(layer, random_texts.words(grammar, own)) for own in found}
    verdicts, wrong = random_texts.compare_readings(grammar, texts, dice)
    assert wrong == []
    assert verdicts > 0 or not any(texts.values())


def test_a_text_may_spell_words_that_it_does_not_show() -> None:
    grammar = french("le chat , , dort , .", "le chat , dort .", "le ami dort .", "de le chat")
    parser = Parser(grammar)
    assert parser.parse("Le chat, dort.") == ((0,), (1,))
    assert parser.parse("L'ami dort.") == ((2,),)
    assert parser.parse("Du chat") == ((3,),)
    for wrong in ("le chat, dort.", "Le chat,, dort.", "Le ami dort.", "De le chat", "L' ami dort.", "Du chat,"):
        assert parser.parse(wrong) == ()


def test_a_changed_beginning_is_read_only_behind_the_word_that_changes_it() -> None:
    """Welsh: *pen* is *ben* behind *dy*, and *gardd* is *ardd* there."""
    layer = TextLayer("cy", " ", frozenset(), Finish(mutations=(("pen", "dy", "ben"), ("g…", "dy", "…"))))
    sentences = "dy pen mawr", "fy pen mawr", "dy gardd", "gardd"
    parser = Parser(replace(french(*sentences), text_layers=(layer,)))
    assert [parser.parse(text) for text in ("dy ben mawr", "fy pen mawr", "dy ardd", "gardd")] == [
        ((number,),) for number in range(len(sentences))
    ]
    for wrong in ("dy pen mawr", "fy ben mawr", "dy gardd", "ardd"):
        assert parser.parse(wrong) == ()


def test_words_in_several_rules_are_one_spelling() -> None:
    pair = Rule(0, "pair", 0, (1, 2), 1.0, ((Slot(0), Slot(1)),), ())
    words = [
        Rule(1, "de", 1, (), 0.5, ((Token("de"),),), ()),
        Rule(2, "sur", 1, (), 0.5, ((Token("sur"),),), ()),
        Rule(3, "chat", 2, (), 0.5, ((Token("le"), Token("chat")),), ()),
        Rule(4, "ami", 2, (), 0.5, ((Token("le"), Token("ami")),), ()),
    ]
    layer = TextLayer("fr", " ", frozenset(), FINISH)
    grammar = CoreGrammar("pairs", tuple(map(Category, ("S", "P", "N"))), (pair, *words), 0, (layer,), ())
    readings = {text: Parser(grammar).parse(text) for text in ("Du chat", "De l'ami", "Sur le chat", "Sur l'ami")}
    assert readings == {
        "Du chat": ((0, 1, 3),),
        "De l'ami": ((0, 1, 4),),
        "Sur le chat": ((0, 2, 3),),
        "Sur l'ami": ((0, 2, 4),),
    }
