"""Parsing undoes interpretation: from the text of a layer back to derivations."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from parse_grammars import ATTACHMENT, derivations, derivations_by_text, grammars
from small_grammars import grammar
from toy import TOY

from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, interpret
from sgl.parsing import Parser

# --- the toy fragment ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def toy_items() -> dict[str, set[Derivation]]:
    """Every small derivation of the toy fragment, by its English text."""
    found: dict[str, set[Derivation]] = {}
    for derivation in derivations(TOY, TOY.start, 12):
        found.setdefault(interpret(TOY, derivation).texts[0], set()).add(derivation)
    return found


def test_every_small_toy_sentence_has_its_derivations(toy_items: dict[str, set[Derivation]]) -> None:
    assert len(toy_items) > 1_000
    parser = Parser(TOY)
    for text in list(toy_items)[::7]:
        assert toy_items[text] <= set(parser.parse(text))
        assert parser.parse(text, 1)


def test_tokens_are_parsed_like_their_text(toy_items: dict[str, set[Derivation]]) -> None:
    parser = Parser(TOY)
    for text, known in list(toy_items.items())[::97]:
        tokens = interpret(TOY, min(known)).tokens[0]
        assert parser.parse(tokens) == parser.parse(text)


def test_japanese_is_segmented_by_the_grammar(toy_items: dict[str, set[Derivation]]) -> None:
    parser = Parser(TOY, TOY.text_layer("ja"))
    for known in list(toy_items.values())[::29]:
        derivation = min(known)
        japanese = interpret(TOY, derivation).texts[1]
        readings = parser.parse(japanese)
        assert derivation in readings
        assert {interpret(TOY, reading).texts[1] for reading in readings} == {japanese}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The dog",
        "the dog slept.",
        "The dog slept",
        "The dog slept .",
        "The  dog slept.",
        " The dog slept.",
        "The dog slept. ",
        "The dog slept.slept.",
        "The dogslept.",
        "The unicorn slept.",
        "Dog the slept.",
    ],
)
def test_what_the_grammar_does_not_derive_has_no_reading(text: str) -> None:
    parser = Parser(TOY)
    assert parser.parse(text) == ()
    assert not parser.parse(text, 1)


# --- ambiguity ------------------------------------------------------------------------------


@pytest.mark.parametrize("phrases", range(7))
def test_pp_attachment_is_ambiguous_as_the_catalan_numbers(phrases: int) -> None:
    text = "Emma saw dogs" + " near dogs" * phrases
    catalan = math.comb(2 * phrases + 2, phrases + 1) // (phrases + 2)
    readings = Parser(ATTACHMENT).parse(text)
    assert len(readings) == len(set(readings)) == catalan


def test_the_limit_keeps_the_first_readings() -> None:
    text = "Emma saw dogs" + " near dogs" * 4
    parser = Parser(ATTACHMENT)
    assert parser.parse(text, limit=5) == parser.parse(text)[:5]
    assert len(parser.parse("Emma saw dogs" + " near dogs" * 12)) == 1_000


def test_a_long_sentence_is_parsed_without_deep_recursion() -> None:
    core = grammar(
        """
        S = X S : 0 1
        S = X : 0
        X = : "a"
        """
    )
    assert len(Parser(core).parse(" ".join("a" * 500))) == 1


def test_segmentation_may_be_ambiguous() -> None:
    core = grammar(
        """
        S = X S : 0 1
        S = X : 0
        X = : "に"
        X = : "わ"
        X = : "にわ"
        """,
        join="",
    )
    # に-わ-に-わ, にわ-に-わ, に-わ-にわ, にわ-にわ
    assert len(Parser(core).parse("にわにわ")) == 4


# --- against the definition -------------------------------------------------------------------


@settings(max_examples=80, deadline=None)
@given(grammars())
def test_the_parser_agrees_with_enumeration(core: CoreGrammar) -> None:
    parser = Parser(core)
    for text, known in derivations_by_text(core).items():
        readings = parser.parse(text)
        assert set(readings) == known
        assert len(readings) == len(known)
