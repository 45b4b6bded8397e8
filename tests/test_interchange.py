"""Words that can stand for one another: what one parse tells of many sentences."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from test_parse import ATTACHMENT, derivations, grammar, grammars
from toy import TOY

from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import finish, interpret
from sgl.parse import Parser

VERBS = grammar(
    """
    S = NP VP : 0 1 "."
    VP = V NP : 0 1
    VP = C S : 0 "that" 1
    NP = : "Emma"
    NP = : "dogs"
    V = : "finds"
    V = : "holds"
    V = : "notices"
    C = : "notices"
    C = : "says"
    """
)


def test_words_of_the_same_categories_stand_for_one_another() -> None:
    interchange = Parser(VERBS).interchange
    first = interchange.equal(["Emma", "finds", "dogs", "."])
    assert first == interchange.equal(["dogs", "holds", "Emma", "."])
    assert first != interchange.equal(["Emma", "notices", "dogs", "."])


def test_a_word_of_more_categories_covers_one_of_fewer() -> None:
    interchange = Parser(VERBS).interchange
    for verb in ("finds", "holds", "says", "notices"):
        assert interchange.covering([verb]) == ("notices",)


def test_a_word_that_stands_beside_others_stands_for_itself() -> None:
    interchange = Parser(VERBS).interchange
    assert interchange.covering(["that", "."]) == ("that", ".")


def readings(parser: Parser, sentence: str | tuple[str, ...]) -> int:
    forest = parser.forest(sentence)
    return 0 if forest is None else forest.count


@settings(max_examples=80, deadline=None)
@given(grammars())
def test_equal_words_give_as_many_readings_and_covering_ones_no_fewer(core: CoreGrammar) -> None:
    parser = Parser(core)
    for number, derivation in enumerate(derivations(core, 0, 100)):
        assume(number < 200)
        words = interpret(core, derivation).tokens[0]
        count = readings(parser, words)
        assert readings(parser, parser.interchange.equal(words)) == count
        assert readings(parser, parser.interchange.covering(words)) >= count
        assert parser.surely_single(words) == (count == 1)
        if parser.interchange.whole_words:
            assert readings(parser, finish(core.text_layers[0], words)) == count


def test_what_has_several_readings_is_not_single() -> None:
    parser = Parser(ATTACHMENT)
    assert parser.surely_single("Emma saw dogs")
    assert not parser.surely_single("Emma saw dogs near dogs")
    assert not parser.surely_single("Emma saw near")


# --- whole words ---------------------------------------------------------------------------


def words(*texts: str, join: str = " ", attach: str = ".") -> CoreGrammar:
    lines = [f'W = : "{text}"' for text in texts]
    return grammar("S = W W : 0 1\n" + "\n".join(lines), join=join, attach=attach)


def test_a_text_of_separated_words_is_cut_in_one_way() -> None:
    assert Parser(words("dog", "cat", ".", "'s", attach=". 's")).interchange.whole_words
    assert Parser(TOY).interchange.whole_words


@pytest.mark.parametrize(
    "core",
    [
        words("dog", "cat", join=""),
        words("dog", "hot-dog", join="-"),
        words("Mr.", "Mr", "."),
        words("a", "b", ".", "..", attach=". .."),
    ],
    ids=[
        "no separator",
        "separator in a word",
        "attached mark in a word",
        "marks that begin alike",
    ],
)
def test_a_text_that_might_be_cut_in_two_ways_is_suspected(core: CoreGrammar) -> None:
    assert not Parser(core).interchange.whole_words
