"""What a parser does at its edges: too long, spelt in several ways, circles of categories, several texts at once."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy import TOY, random_derivations

from sgl.core.grammar import Category, CoreGrammar
from sgl.core.graphs import circles
from sgl.core.interpret import finish, interpret
from sgl.parsing import BatchParser, Parser
from sgl.parsing.forest import best_readings
from sgl.parsing.layer import closure
from sgl.parsing.parser import ParseFailure, describe_failure, read_first
from sgl.parsing.spellings import TooLongError

ENGLISH, JAPANESE = Parser(TOY), Parser(TOY, 1)
TEXTS = [interpret(TOY, derivation).texts[0] for derivation in random_derivations(TOY, 25, 41)]


# --- too long -----------------------------------------------------------------------------------


@pytest.mark.parametrize("sentence", [["the"] * 10_001, " ".join(["the"] * 10_001)], ids=["tokens", "text"])
def test_a_sentence_of_too_many_words_is_refused(sentence: str | list[str]) -> None:
    with pytest.raises(TooLongError, match="it has 10,001 words, more than"):
        ENGLISH.check_length(sentence)
    with pytest.raises(TooLongError):
        ENGLISH.forest(sentence)


def test_the_longest_sentence_that_is_allowed_is_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    most = 5
    monkeypatch.setattr("sgl.parsing.parser.limits", type("Limits", (), {"words": most}))
    for parser, sentence, longer in (
        (ENGLISH, ["a"] * 5, ["a"] * 6),
        (ENGLISH, "five words of many characters", "one more word than five is too many"),
        (JAPANESE, "犬が走った", "犬が走った。"),
    ):
        parser.check_length(sentence)
        with pytest.raises(TooLongError):
            parser.check_length(longer)
    with pytest.raises(TooLongError, match="6 characters"):
        JAPANESE.check_length("犬が走った。")


# --- several texts, several spellings -----------------------------------------------------------


def test_texts_read_together_have_the_readings_that_each_has() -> None:
    texts = [*TEXTS, "the dog"]
    batch = BatchParser(ENGLISH)
    found = batch.read_plainly(texts)
    for number, text in enumerate(texts):
        forest = ENGLISH.forest(text)
        assert found.counts[number] == (forest.count if forest else 0)
        only = best_readings(forest, 1)[0].derivation if forest and forest.count == 1 else ()
        assert found.derivations.at(number) == only


def test_the_first_spelling_with_a_reading_is_taken() -> None:
    right, wrong = "A dog slept.", "A dog slpt."
    found = read_first(
        BatchParser(ENGLISH),
        [
            [(wrong, ()), (right, ("e",)), ("Emma slept.", ("too late",))],
            [(right, ())],
            [(wrong, ()), (f"{wrong}.", (".",))],
            [],
        ],
    )
    assert [(own.spelling, own.changed, own.readings) for own in found] == [
        *((right, ("e",), 1), (right, (), 1), (f"{wrong}.", (".",), 0), ("", (), 0))
    ]
    assert finish(TOY.text_layers[0], interpret(TOY, found[0].derivation).tokens[0]) == right
    assert found[2].derivation == ()


# --- failures -----------------------------------------------------------------------------------


def test_a_failure_says_how_far_the_text_is_understood_and_what_could_follow() -> None:
    failure = ENGLISH.failure("The dog big")
    assert "The dog big"[: failure.position] == "The dog"
    said = describe_failure(TOY, "The dog big", failure)
    assert said.startswith("parsed up to “The dog”; expected ")
    assert set(said.partition("expected ")[2].split(", ")) == {"PP", "RC", "VP"}


def test_of_a_text_that_begins_like_none_it_is_said_what_begins_one() -> None:
    said = describe_failure(TOY, "zzz", ENGLISH.failure("zzz"))
    assert said == "no sentence begins like this; expected “A”, “Emma”, “Lina”, “The”, “What”, “Who”, Text"


@pytest.mark.parametrize(
    ("phrases", "said"),
    [
        (["nom sg", "nom pl", "acc sg", "acc pl", "dat sg", "dat pl"], ["NP"]),
        (["acc sg", "acc pl"], ["NP[case=acc]"]),
        (["acc sg", "acc pl", "dat sg", "dat pl"], ["NP[case=acc|dat]"]),
        (["nom sg", "acc sg", "dat sg"], ["NP[number=sg]"]),
        (["acc sg"], ["NP[case=acc, number=sg]"]),
        (["nom sg", "acc pl"], ["NP[case=nom, number=sg]", "NP[case=acc, number=pl]"]),
    ],
)
def test_of_expected_phrases_those_features_are_said_that_others_do_not_have(
    phrases: list[str], said: list[str]
) -> None:
    every = [f"{case} {number}" for case in ("nom", "acc", "dat") for number in ("sg", "pl")]
    categories = tuple(Category("NP[case={}, number={}]".format(*phrase.split())) for phrase in every)
    grammar = CoreGrammar("cases", categories, (), 0, (), ())
    failure = ParseFailure(0, (), tuple(map(every.index, phrases)), complete=False)
    assert [*failure.expected(grammar)] == said


def test_the_word_at_a_place_ends_at_a_separator_or_at_what_is_attached() -> None:
    assert ENGLISH.word_at("The dog slept.", 3) == (4, "dog")
    assert ENGLISH.word_at("The dog slept.", 8) == (8, "slept")
    assert ENGLISH.word_at(".", 0) == (0, ".")
    assert JAPANESE.word_at("犬が", 1) == (1, "が")


# --- graphs of categories -----------------------------------------------------------------------


def test_what_leads_back_to_itself_is_a_circle_and_a_category_alone_is_none() -> None:
    assert sorted(map(sorted, circles({1: [2], 2: [1, 3], 3: [3, 5], 4: [1]}))) == [[1, 2], [3]]
    assert [*circles({1: [2], 2: [3]})] == []


@given(st.lists(st.sets(st.integers(0, 5)), min_size=6, max_size=6))
def test_the_closure_is_what_can_be_reached(first: list[set[int]]) -> None:
    graph = nx.DiGraph([(number, other) for number, others in enumerate(first) for other in others])
    graph.add_nodes_from(range(6))
    for number, bits in enumerate(closure(dict(enumerate(first)))):
        assert {other for other in range(6) if bits >> other & 1} == nx.descendants(graph, number) | {number}
