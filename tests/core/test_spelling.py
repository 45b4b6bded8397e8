"""How words are written as one text: what is absorbed, elided, attached and raised, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgl.core.graph import CUT
from sgl.core.spelling import (
    FUNCTIONS,
    FUSE,
    GLUE,
    Finish,
    Piece,
    absorbed,
    applied,
    join_words,
    pieces,
    places,
    remaining,
    written,
)

COMMAS = Finish(absorb=((",", ","), (",", "."), (",", "")))
SIGNS = ".,?"


@pytest.mark.parametrize(
    ("name", "expected"), [("first", "a"), ("rest", "bc"), ("last", "c"), ("front", "ab"), ("reverse", "cba")]
)
def test_functions_of_words(name: str, expected: str) -> None:
    assert applied([name], "abc") == expected
    assert applied([name], "") == ""


def test_every_function_is_tested_above() -> None:
    assert set(FUNCTIONS) == {"first", "rest", "last", "front", "reverse"}


def test_the_last_function_is_applied_first() -> None:
    assert applied(["first", "rest"], "abc") == "b"
    assert applied(["rest", "first"], "abc") == ""
    assert applied([], "abc") == "abc"


# --- absorbed -----------------------------------------------------------------------------------


@given(st.lists(st.sampled_from(["ran", ",", "."])))
def test_what_is_left_has_no_pair_and_no_beginning_that_is_absorbed(words: list[str]) -> None:
    left = remaining(COMMAS, list(words))
    assert not {*pairwise(left)} & {(",", ","), (",", ".")}
    assert left[:1] != [","]
    assert [word for word in left if word != ","] == [word for word in words if word != ","]


def test_of_signs_in_a_row_the_last_stays() -> None:
    words = [",", ",", "ran", ",", ",", ".", ","]
    assert absorbed(COMMAS, words) == [0, 1, 3, 4]
    assert remaining(COMMAS, words) == ["ran", ".", ","]


def test_what_is_absorbed_at_the_beginning_is_so_only_there() -> None:
    finish = Finish(absorb=((",", ""),))
    assert absorbed(finish, [",", ",", "ran", ","]) == [0, 1]


def test_nothing_is_absorbed_where_nothing_is_said() -> None:
    words = [",", "."]
    assert absorbed(None, words) == absorbed(Finish(capital=1), words) == []
    assert remaining(None, words) is words


def test_what_is_not_written_has_no_place_and_what_is_fused_shares_one() -> None:
    assert [*places(COMMAS, [",", "she", "ran", ",", "."])] == [-1, 0, 1, -1, 2]
    assert [*places(COMMAS, ["in", FUSE, "side", "it", GLUE, "self"])] == [0, -1, 0, 1, -1, 2]
    assert [*places(None, [",", "she", "ran"])] == [0, 1, 2]


# --- forms and pieces ---------------------------------------------------------------------------


def test_a_form_depends_on_the_word_behind_it() -> None:
    finish = Finish(forms=(("le", "a…", "l'"), ("le", "un", "lun")))
    assert written(finish, "le", "ami", "le") == "l'"
    assert written(finish, "le", "un", "le") == "lun"
    assert [written(finish, "le", after, "le") for after in ("uni", "chat", None)] == ["le"] * 3
    assert written(finish, "la", "ami", "la") == "la"


def texts(finish: Finish, words: Sequence[str], attach: str = SIGNS) -> list[str]:
    return [piece.text for piece in pieces(attach, finish, words)]


def test_two_words_that_are_elided_are_one_piece_of_two_words() -> None:
    finish = Finish(elisions=(("de", "le", "du"),))
    found = pieces(SIGNS, finish, ["de", "le", "chat", "de", "la"])
    assert [(piece.text, piece.words) for piece in found] == [("du", 2), ("chat", 1), ("de", 1), ("la", 1)]
    assert sum(piece.words for piece in found) == 5


def test_words_are_elided_as_they_are_written_before_others() -> None:
    finish = Finish(forms=(("le", "a…", "l'"),), elisions=(("de", "le", "du"),))
    assert texts(finish, ["de", "le", "ami"]) == ["de", "l'", "ami"]
    assert texts(finish, ["de", "le", "chat"]) == ["du", "chat"]


def test_no_separator_is_before_the_first_piece_an_attached_one_and_behind_some() -> None:
    finish = Finish(after=("l'",))
    found = pieces(SIGNS, finish, ["l'", "ami", "dort", "."])
    assert [piece.tight for piece in found] == [True, True, False, True]
    assert join_words(" ", SIGNS, finish, ["l'", "ami", "dort", "."]) == "l'ami dort."


def test_the_first_letter_is_raised_where_the_layer_says_so() -> None:
    assert texts(Finish(capital=1), ["", "éclair", "dort"]) == ["", "Éclair", "dort"]
    assert texts(Finish(), ["éclair", "dort"]) == ["éclair", "dort"]
    assert texts(Finish(elisions=(("de", "le", "du"),), capital=1), ["de", "le"]) == ["Du"]
    assert texts(Finish(capital=1), []) == []


def test_no_layer_raises_letters_by_itself() -> None:
    assert Finish() == ((), (), (), (), 0, "", ())
    assert Piece("a", 1, tight=True).text == "a"


# --- texts --------------------------------------------------------------------------------------


def test_words_are_joined_but_before_signs() -> None:
    assert join_words(" ", SIGNS, None, ["a", "dog", "ran", "."]) == "a dog ran."
    assert join_words("", SIGNS, None, ["犬", "が"]) == "犬が"
    assert join_words(" ", SIGNS, None, [".", "a"]) == ". a"
    assert join_words(" ", SIGNS, None, []) == ""


@given(st.lists(st.sampled_from(["ran", "a", ".", "?"])))
def test_a_finish_that_does_nothing_changes_no_text(words: list[str]) -> None:
    assert join_words("-", SIGNS, Finish(), words) == join_words("-", SIGNS, None, words)


def test_between_the_parts_of_a_phrase_are_dots() -> None:
    assert join_words(" ", SIGNS, None, ["steht", CUT, "auf"]) == "steht … auf"
    assert join_words("", SIGNS, None, ["a", CUT, "b"]) == "a…b"


def test_all_of_it_in_its_order() -> None:
    """The example of the module: commas, forms, elisions, signs, and a capital."""
    finish = Finish(
        after=("l'",),
        absorb=((",", ","), (",", ".")),
        forms=(("le", "a…", "l'"),),
        elisions=(("de", "le", "du"),),
        capital=1,
    )
    words = ["le", "ami", "de", "le", "chat", ",", ",", "dort", ",", "."]
    assert join_words(" ", SIGNS, finish, words) == "L'ami du chat, dort."
