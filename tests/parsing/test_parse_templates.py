"""Templates of every kind are parsed back: permuted, capital, dropped, repeated, empty."""

from __future__ import annotations

import pytest
from small_grammars import grammar, names

from sgl.parsing import Parser, UnparsableLayerError

# --- templates ------------------------------------------------------------------------------


def test_permuted_children_keep_their_order_in_the_derivation() -> None:
    core = grammar(
        """
        S = A B : 1 0
        A = : "a"
        B = : "b"
        """
    )
    assert Parser(core).parse("b a") == ((0, 1, 2),)
    assert Parser(core).parse("a b") == ()


def test_capital_raises_the_first_word_however_deep() -> None:
    core = grammar(
        """
        S = NP V : ^0 1 "."
        NP = Det N : 0 1
        Det = : "the"
        Det = : "Emma's"
        N = : "dog"
        V = : "slept"
        """
    )
    parser = Parser(core)
    assert len(parser.parse("The dog slept.")) == 1
    assert len(parser.parse("Emma's dog slept.")) == 1
    assert parser.parse("the dog slept.") == ()
    assert parser.parse("The Dog slept.") == ()


def test_capital_passes_over_an_empty_child() -> None:
    core = grammar(
        """
        S = NP V : ^0 1
        NP = Det N : 0 1
        Det = :
        Det = : "the"
        N = : "dogs"
        V = : "slept"
        """
    )
    assert [names(core, reading) for reading in Parser(core).parse("Dogs slept")] == [["S", "NP", "Det", "N", "V"]]
    assert Parser(core).parse("dogs slept") == ()


def test_capital_inside_a_sentence_and_twice() -> None:
    core = grammar(
        """
        S = X X : 0 ^1
        S = Y : ^0
        Y = X : ^0
        X = : "élan"
        """
    )
    assert Parser(core).parse("élan Élan") == ((0, 3, 3),)
    assert Parser(core).parse("Élan") == ((1, 2, 3),)


def test_attached_words_take_no_space() -> None:
    core = grammar(
        """
        S = X : 0 "," 0 "."
        X = : "a"
        X = : "a,"
        """,
        attach=", .",
    )
    assert Parser(core).parse("a, a.") == ((0, 1),)
    assert Parser(core).parse("a,, a,.") == ((0, 2),)
    assert Parser(core).parse("a , a.") == ()


def test_a_repeated_child_is_the_same_everywhere() -> None:
    core = grammar(
        """
        S = N : 0 "by" 0
        N = A N : 0 1
        N = : "day"
        N = : "step"
        A = : "big"
        """
    )
    parser = Parser(core)
    assert len(parser.parse("big day by big day")) == 1
    assert parser.parse("day by step") == ()
    assert not parser.parse("day by step", 1)
    assert parser.parse("step by step", 1)


def test_a_dropped_child_may_be_anything_if_there_are_finitely_many() -> None:
    core = grammar(
        """
        NP = Det N : 1
        Det = : "a"
        Det = Det2 : 0
        Det2 = : "the"
        N = : "dog"
        """
    )
    assert [names(core, reading) for reading in Parser(core).parse("dog")] == [
        ["NP", "Det", "N"],
        ["NP", "Det", "Det2", "N"],
    ]


def test_of_infinitely_many_dropped_children_the_likeliest_is_taken() -> None:
    core = grammar(
        """
        NP = Adj N : 1
        Adj = Very Adj : 0 1
        Adj = Plain : 0
        Plain = : "big"
        Plain = : "small"
        Very = : "very"
        N = : "dog"
        """,
        weights={'Plain = : "big"': 0.3, 'Plain = : "small"': 0.7},
    )
    (reading,) = Parser(core).parse("dog")
    assert [core.rules[rule].name for rule in reading[1:3]] == ["Adj = Plain : 0", 'Plain = : "small"']


def test_a_dropped_child_without_derivations_leaves_no_reading() -> None:
    core = grammar(
        """
        S = A N : 1
        A = A : 0
        N = : "dog"
        """
    )
    assert Parser(core).parse("dog") == ()


def test_empty_sentences_have_readings_too() -> None:
    core = grammar(
        """
        S = A A : 0 1
        A = :
        A = : "a"
        """
    )
    parser = Parser(core)
    assert parser.parse("") == ((0, 1, 1),)
    assert parser.parse("a") == ((0, 1, 2), (0, 2, 1))
    assert parser.parse([]) == ((0, 1, 1),)
    assert parser.parse("", 1)


def test_cycles_of_unary_rules_end() -> None:
    core = grammar(
        """
        A = B : 0
        A = : "x"
        B = C : 0
        C = A : 0
        B = : "x"
        """
    )
    # A, or A over B; what comes after A over B over C is A again.
    assert [names(core, reading) for reading in Parser(core).parse("x")] == [["A", "B"], ["A"]]


def test_recursion_over_empty_children_ends() -> None:
    core = grammar(
        """
        S = S S : 0 1
        S = : "a"
        S = :
        """
    )
    parser = Parser(core)
    assert parser.parse("a") == ((1,),)
    assert parser.parse("") == ((2,),)
    assert len(parser.parse("a a")) == 1


def test_an_empty_word_cannot_be_parsed() -> None:
    with pytest.raises(UnparsableLayerError, match="the layer en cannot be parsed"):
        Parser(grammar('S = : ""'))
