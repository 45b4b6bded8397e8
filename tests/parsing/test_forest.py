"""The packed forest says of all readings what going through them would say."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parse_grammars import ATTACHMENT, ATTACHMENT_RULES, derivations_by_text, grammars
from small_grammars import grammar, names
from toy import DEEP_COMPLEMENT, FAR_GAP, PP_IN_OBJECT, PP_IN_SUBJECT, TOY, random_derivations

from roundtrip import has_reading
from sgl.automata import StructureCompiler
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import interpret
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.parsing import Forest, Parser, best_readings
from sgl.pipeline.grammar import open_grammar

FARM = Path(__file__).parent.parent.parent / "docs" / "examples" / "farm.sgl"


@pytest.fixture(scope="module")
def farm() -> CoreGrammar:
    compiled = open_grammar(FARM, {}, SourceMap(), Diagnostics())
    assert compiled is not None
    return compiled.grammar


def forest_of(core: CoreGrammar, text: str, layer: int = 0) -> Forest:
    forest = Parser(core, layer).forest(text)
    assert forest is not None, text
    return forest


# --- counting ------------------------------------------------------------------------------


@pytest.mark.parametrize("phrases", [0, 1, 5, 30])
def test_readings_are_counted_without_being_listed(phrases: int) -> None:
    forest = forest_of(ATTACHMENT, "Emma saw dogs" + " near dogs" * phrases)
    assert forest.count == math.comb(2 * phrases + 2, phrases + 1) // (phrases + 2)


@settings(max_examples=60, deadline=None)
@given(grammars())
def test_the_number_of_readings_is_that_of_derivations_with_the_text(core: CoreGrammar) -> None:
    parser = Parser(core)
    for text, known in derivations_by_text(core).items():
        forest = parser.forest(text)
        assert forest is not None
        assert forest.count == len(known)
        assert {forest.reading(number) for number in range(forest.count)} == known


def test_there_is_no_reading_beyond_the_last() -> None:
    forest = forest_of(ATTACHMENT, "Emma saw dogs near dogs")
    assert forest.reading(1)
    for number in (2, -1):
        with pytest.raises(IndexError, match="there is no reading"):
            forest.reading(number)


def test_readings_in_a_circle_are_counted_without_the_repetition() -> None:
    core = grammar(
        """
        S = A B : 0 1
        A = A2 : 0
        A2 = A : 0
        A = : "x"
        A2 = : "x"
        B = B B : 0 1
        B = : "b"
        B = :
        """
    )
    # x as A or as A over A2; b as B, the empty B beside it being above itself.
    forest = forest_of(core, "x b")
    assert forest.count == 2
    assert [names(core, reading) for reading in forest.readings(9)] == [["S", "A", "A2", "B"], ["S", "A", "B"]]


def test_a_sentence_of_sixty_words_with_millions_of_readings() -> None:
    text = "Emma saw dogs" + " near dogs" * 40
    forest = forest_of(ATTACHMENT, text)
    assert forest.count == math.comb(82, 41) // 42
    assert len(forest.nodes) < 2_000
    assert interpret(ATTACHMENT, forest.reading(forest.count // 2)).texts == (text,)


# --- membership ------------------------------------------------------------------------------


def test_a_forest_has_each_reading_once_and_no_other_derivation() -> None:
    forest = forest_of(ATTACHMENT, "Emma saw dogs near dogs near Emma")
    others = forest_of(ATTACHMENT, "Emma saw dogs near Emma near dogs")
    own = set(forest.readings(forest.count))
    assert len(own) == forest.count
    assert own.isdisjoint(others.readings(others.count))


# --- the best readings ------------------------------------------------------------------------

WEIGHTS = {"VP = V NP : 0 1": 0.6, "VP = VP PP : 0 1": 0.4, "NP = NP PP : 0 1": 0.25}


@pytest.mark.parametrize("phrases", [1, 3, 5])
def test_the_best_readings_come_first_and_all_of_them_come(phrases: int) -> None:
    core = weighted()
    forest = forest_of(core, "Emma saw dogs" + " near dogs" * phrases)
    everything = [math.prod(core.rules[rule].weight for rule in reading) for reading in forest.readings(forest.count)]
    best = best_readings(forest, forest.count + 5)
    assert len({ranked.derivation for ranked in best}) == len(best) == forest.count
    found = [ranked.probability for ranked in best]
    assert found == pytest.approx(sorted(everything, reverse=True))
    for ranked in best:
        assert ranked.probability == pytest.approx(math.prod(core.rules[rule].weight for rule in ranked.derivation))
    assert best_readings(forest, 3) == best[:3]


def test_the_likeliest_of_very_many_readings_is_found() -> None:
    core = weighted()
    (best,) = best_readings(forest_of(core, "Emma saw dogs" + " near dogs" * 30), 1)
    # Each phrase costs least on the verb phrase: 0.4 against 0.25.
    assert names(core, best.derivation).count("VP") == 31


def weighted() -> CoreGrammar:
    return grammar(ATTACHMENT_RULES, weights={**WEIGHTS, 'NP = : "Emma"': 0.5, 'NP = : "dogs"': 0.25})


# --- what is true of some or all readings --------------------------------------------------


@pytest.mark.parametrize("wanted", [PP_IN_SUBJECT, PP_IN_OBJECT, DEEP_COMPLEMENT, FAR_GAP], ids=str)
def test_structures_in_some_and_in_every_reading(wanted: object) -> None:
    automaton = StructureCompiler(TOY).structure_automaton(wanted)  # type: ignore[arg-type]
    parser = Parser(TOY, TOY.text_layer("ja"))
    seen = 0
    for derivation in random_derivations(TOY, 250, seed=3):
        forest = parser.forest(interpret(TOY, derivation).texts[1])
        assert forest is not None
        if forest.count > 300:
            continue
        states = forest.states(automaton)
        readings = [automaton.accepts(TOY, r) for r in forest.readings(forest.count)]
        assert any(map(automaton.accepts_state, states)) == any(readings)
        assert all(map(automaton.accepts_state, states)) == all(readings)
        seen += any(readings)
    assert seen, "no sentence has the structure"


# --- there and back ----------------------------------------------------------------------------


@pytest.mark.parametrize("layer", ["en", "ja"])
@pytest.mark.parametrize("which", ["toy", "farm"])
def test_every_sentence_parses_back_from_every_layer(which: str, layer: str, farm: CoreGrammar) -> None:
    core = TOY if which == "toy" else farm
    parser = Parser(core, core.text_layer(layer))
    for derivation in random_derivations(core, 150, seed=11):
        text = interpret(core, derivation).texts[parser.layer]
        forest = parser.forest(text)
        assert forest is not None, text
        assert has_reading(forest, derivation), text


# --- where a sentence fails -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "parsed", "expected"),
    [
        ("The dog", "The dog", ("PP", "VP")),
        ("The dog slept.", "The dog", ("PP", "VP")),
        ("The dogs saw a cat.", "The", ("N",)),
        ("Dog", "", ("“A”", "“The”", "Text")),
        ("", "", ("“A”", "“The”", "Text")),
        ("The dog chased the cat near", "The dog chased the cat near", ("NP",)),
        ("The dog chased the cat near the hen", "The dog chased the cat near the hen", ("“.”", "PP")),
        ("The dog chased the cat. It", "The dog chased the cat.", ("the end",)),
    ],
)
def test_a_sentence_is_followed_as_far_as_it_makes_sense(
    text: str, parsed: str, expected: tuple[str, ...], farm: CoreGrammar
) -> None:
    parser = Parser(farm)
    assert parser.forest(text) is None
    failure = parser.failure(text)
    assert text[: failure.position] == parsed
    assert set(failure.expected(farm)) == set(expected)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 200))
def test_whatever_follows_a_beginning_it_is_followed_that_far(seed: int, cut: int) -> None:
    (derivation,) = random_derivations(TOY, 1, seed=seed)
    words = interpret(TOY, derivation).tokens[0]
    beginning = words[: cut % (len(words) + 1)]
    failure = Parser(TOY).failure([*beginning, "unheard-of"])
    assert failure.position == len(beginning)
