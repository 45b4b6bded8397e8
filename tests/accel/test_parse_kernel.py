"""The kernel that reads texts in batches finds what the packed forest holds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parse_grammars import ATTACHMENT, derivations
from small_grammars import grammar
from toy import TOY, random_derivations

from sgl import accel
from sgl.core.arrays import Derivations
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import finish, interpret
from sgl.corpus import Normalizer
from sgl.corpus.audit import Ambiguity, AmbiguityFinder, SentenceReader
from sgl.corpus.fit import collect
from sgl.foreign import limited
from sgl.parsing import SATURATED, BatchParser, BatchReadings, Forest, Parser
from sgl.rendering import text_output


def read(core: CoreGrammar, texts: Sequence[str], layer: int = 0) -> BatchReadings:
    """What the kernel finds; the layer has to be one that it reads."""
    batch = BatchParser(Parser(core, layer))
    found = batch.read_compiled(texts)
    assert not batch.unsupported
    return found


def counts(core: CoreGrammar, *texts: str) -> list[int]:
    found: list[int] = read(core, texts).counts.tolist()
    return found


def agree(core: CoreGrammar, texts: Sequence[str], layer: int = 0) -> None:
    """The number of readings, and the only one, are those of the forest."""
    parser = Parser(core, layer)
    found = BatchParser(parser).read_compiled(texts)
    for number, (text, derivation) in enumerate(zip(texts, found.derivations, strict=True)):
        forest = parser.forest(text)
        count = 0 if forest is None else forest.count
        assert found.counts[number] == min(count, SATURATED), text
        assert derivation == (forest.reading(0) if forest is not None and count == 1 else ()), text


# --- against the parser ----------------------------------------------------------------------

CATEGORIES = "SABCD"
WORDS = ['"a"', '"b"', '"ab"', '"."', '"a."', '"é"']


@st.composite
def any_grammars(draw: st.DrawFn) -> CoreGrammar:
    """Small grammars of every kind: recursive, with children dropped, empty and raised."""
    lines = []
    for name in CATEGORIES:
        for number in range(draw(st.integers(1, 3))):
            rank = 0 if number else CATEGORIES.index(name) + 1
            pool = st.sampled_from(CATEGORIES[rank:] or "-")
            children = draw(st.lists(pool, max_size=3)) if CATEGORIES[rank:] else []
            kept = [i for i in range(len(children)) if draw(st.integers(0, 5))]
            slots = [f"{draw(st.sampled_from(['', '', '^']))}{i}" for i in kept]
            words = draw(st.lists(st.sampled_from(WORDS), max_size=2))
            items = draw(st.permutations(slots + words))
            line = f"{name} = {' '.join(children)} : {' '.join(items)}".replace("  ", " ")
            if line not in lines:
                lines.append(line)
    weights = {line: draw(st.sampled_from([0.1, 0.25, 0.5])) for line in lines}
    join = draw(st.sampled_from(["", " ", "-", "a"]))
    return grammar("\n".join(lines), join=join, weights=weights)


TEXTS = st.lists(st.text(alphabet="abéABÉ. -", max_size=8), max_size=30)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(any_grammars(), TEXTS)
def test_the_kernel_agrees_with_the_forest(core: CoreGrammar, others: list[str]) -> None:
    texts = dict.fromkeys(others)
    for number, derivation in enumerate(derivations(core, 0, 6)):
        texts[finish(core.text_layers[0], interpret(core, derivation).tokens[0])] = None
        if number > 40:
            break
    agree(core, list(texts))


@pytest.mark.parametrize("layer", range(len(TOY.text_layers)))
def test_the_toy_fragment_is_read_in_every_language(layer: int) -> None:
    texts = [interpret(TOY, d).texts[layer] for d in random_derivations(TOY, 300, seed=7)]
    assert min(read(TOY, texts, layer).counts) >= 1
    agree(TOY, texts, layer)


# --- what is counted -------------------------------------------------------------------------


@pytest.mark.parametrize("phrases", [0, 1, 5, 30])
def test_attachments_are_counted(phrases: int) -> None:
    text = "Emma saw dogs" + " near dogs" * phrases
    catalan = math.comb(2 * phrases + 2, phrases + 1) // (phrases + 2)
    assert counts(ATTACHMENT, text) == [min(catalan, SATURATED)]


def test_more_readings_than_a_machine_word_holds_are_as_many_as_it_does() -> None:
    text = "Emma saw dogs" + " near dogs" * 60
    found = read(ATTACHMENT, [text, "Emma saw dogs"])
    assert found.counts.tolist() == [SATURATED, 1]


def test_a_derivation_is_given_where_there_is_one() -> None:
    core = grammar('S = A : 0\nS = B : 0\nA = : "x"\nB = : "x"\nB = : "y"')
    found = read(core, ["x", "y"])
    assert found.counts.tolist() == [2, 1]
    assert list(found.derivations) == [(), (1, 4)]


def test_a_dropped_child_is_read_as_everything_that_it_can_be() -> None:
    core = grammar(
        """
        S = Det N : 1
        Det = : "the"
        Det = : "a"
        N = : "dog"
        """
    )
    assert counts(core, "dog", "the dog") == [2, 0]


def test_a_dropped_child_with_endless_readings_is_read_as_its_likeliest() -> None:
    core = grammar(
        """
        S = A : "x"
        A = A : "y" 0
        A = : "z"
        """
    )
    found = read(core, ["x"])
    assert found.counts.tolist() == [1]
    assert list(found.derivations) == [(0, 2)]


def test_children_may_be_empty_and_stand_in_any_order() -> None:
    core = grammar(
        """
        S = A B C : ^2 1 0 "."
        A = : "a"
        B = :
        B = : "b"
        C = :
        C = : "c"
        """
    )
    texts = ["C b a.", "C a.", "b a.", "B a.", "a.", "c a."]
    assert counts(core, *texts) == [1, 1, 1, 0, 1, 0]
    agree(core, texts)


# --- texts that are unlike sentences ---------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["", " ", "\x00", "Emma", "Emma  saw dogs", " Emma saw dogs", "Emma saw dogs\n", "\ud800", "犬"]
)
def test_what_is_no_sentence_has_no_reading(text: str) -> None:
    assert counts(ATTACHMENT, text, "Emma saw dogs") == [0, 1]


def test_the_empty_text_is_a_sentence_if_the_grammar_says_so() -> None:
    assert counts(grammar("S = :"), "", "x") == [1, 0]


@pytest.mark.slow
def test_a_text_that_is_too_long_for_tables_is_read_all_the_same() -> None:
    core = grammar(
        """
        S = X S : 0 1
        S = X : 0
        X = : "word"
        """
    )
    with limited({"words": 1_000, "steps": 10_000_000}):
        assert counts(core, " ".join(["word"] * 900), "word") == [1, 1]


def test_memory_grows_with_the_texts() -> None:
    texts = ["Emma saw dogs", "Emma saw dogs" + " near dogs" * 200, "Emma saw dogs near dogs"]
    found = read(ATTACHMENT, texts)
    assert found.counts.tolist() == [1, SATURATED, 2]
    assert [len(derivation) for derivation in found.derivations] == [5, 0, 0]


def test_memory_grows_with_the_derivations() -> None:
    core = grammar('S = X S : 0 1\nS = X : 0\nX = : "word"')
    agree(core, [" ".join(["word"] * words) for words in (1, 50, 2)])


# --- what the kernel leaves to the parser ------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "reason"),
    [('S = A : 0 "and" 0\nA = : "a"', "repeats a child"), ('S = A : 0\nA = S : 0\nA = : "a"', "rewritten into itself")],
)
def test_layers_that_are_no_productions_are_left_to_the_parser(rules: str, reason: str) -> None:
    core = grammar(rules)
    batch = BatchParser(Parser(core))
    batch.read_compiled(["a"])
    assert reason in batch.unsupported
    agree(core, ["a and a", "a"])


def test_compiled_code_is_loaded_when_the_parser_has_taken_as_long_as_that_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[float] = []
    monkeypatch.setattr(accel, "pays", lambda _, seconds: asked.append(seconds) or seconds > 0.5)
    batch = BatchParser(Parser(ATTACHMENT))
    assert batch.read(["Emma saw dogs near dogs"]).counts.tolist() == [2]
    assert not batch.pays(["Emma saw dogs"] * 1_000)
    assert batch.pays(["Emma saw dogs"] * 3_000)
    assert asked == sorted(asked)


# --- what uses it ------------------------------------------------------------------------------


@pytest.fixture
def _loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have even a few texts read with compiled code."""
    monkeypatch.setattr(accel, "pays", lambda *_: True)


SENTENCES = [interpret(TOY, d).texts[0] for d in random_derivations(TOY, 40, seed=3)]
SPELT = [*SENTENCES, "The dog", "the dog slept.", *SENTENCES[:3]]


@pytest.mark.usefixtures("_loaded")
def test_sentences_are_judged_together_as_they_are_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = Parser(TOY)
    assert BatchParser(parser).pays(SPELT)
    normalizer = Normalizer(TOY.text_layers[0], parser.vocabulary)
    texts = [*SPELT, *(text.replace(".", " .") for text in SENTENCES)]
    together = SentenceReader(parser, (text_output(TOY, 1),), None, normalizer).judge_all(texts)
    monkeypatch.setattr(BatchParser, "pays", lambda *_: False)
    alone = SentenceReader(parser, (text_output(TOY, 1),), None, normalizer)
    for text, judged in together.items():
        expected = alone.judge_all([text])[text]
        assert replace(judged, forest=None) == replace(expected, forest=None)
        assert (judged.forest is None) == (expected.forest is None)


@pytest.mark.usefixtures("_loaded")
def test_readings_of_consequence_are_found_in_batches_as_one_by_one() -> None:
    texts = ["Emma saw dogs", "Emma saw dogs near dogs", "dogs saw Emma near Emma"]
    parser = Parser(ATTACHMENT)
    drawn = [parser.parse(text)[0] for text in texts]
    judge = AmbiguityFinder(parser, _Nothing(), ())
    together = judge.find_batch(texts, Derivations.of(drawn))
    forests = [parser.forest(text) for text in texts]
    several = [n for n, forest in enumerate(forests) if forest is not None and forest.count > 1]
    assert several == [1, 2]
    assert together == dict.fromkeys(several, Ambiguity(readings=2))


class _Nothing:
    """Finds no structure."""

    def in_forest(self, _: Forest) -> tuple[frozenset[int], frozenset[int]]:
        return frozenset(), frozenset()


@pytest.mark.usefixtures("_loaded")
def test_a_corpus_is_collected_in_batches_as_row_by_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = tmp_path / "corpus.tsv"
    corpus.write_text("".join(f"{text}\tx\n" for text in SPELT), encoding="utf-8")
    together = collect(Parser(TOY), [corpus], lambda *_: None)
    monkeypatch.setattr(BatchParser, "pays", lambda *_: False)
    alone = collect(Parser(TOY), [corpus], lambda *_: None)
    assert together == alone
    assert together.fates["used"] == len(SPELT) - 2
