"""A grammar with marks for words writes the same as the grammar, but for the words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from test_columns import sample

from sgl.core.derivations import Derivations
from sgl.core.grammar import CoreGrammar, Token
from sgl.core.interpret import derive_tokens
from sgl.rendering import graph_columns
from sgl.rendering.graph_columns import GraphColumns
from sgl.rendering.marked import MarkedGrammar, Uses, has_marks, mark
from sgl.rendering.shape_kernel import FORM
from sgl.rendering.shaped import WordTables
from sgl.rendering.shapes import Shapes
from sgl.sampling.text_writer import text_writer

FARM = Uses((0,), ())


def marked_words(grammar: CoreGrammar, uses: Uses, derivation: tuple[int, ...]) -> list[str]:
    """The words of a derivation with marks, in the first text layer."""
    marked = MarkedGrammar(grammar, Shapes(grammar, uses).classes, uses)
    (with_marks,), fits = marked.derivations(Derivations.of([derivation]))
    assert fits.all()
    return derive_tokens(marked.grammar, with_marks, 0)


def without_words(grammar: CoreGrammar, rule: int, word: str) -> CoreGrammar:
    """The grammar with another word for a lexical rule."""
    templates = tuple((Token(word),) for _ in grammar.text_layers)
    changed = replace(grammar.rules[rule], templates=templates)
    rules = (*grammar.rules[:rule], changed, *grammar.rules[rule + 1 :])
    return replace(grammar, rules=rules)


def test_a_mark_says_which_of_the_words_of_a_lexicon_it_stands_for() -> None:
    grammar, derivations = sample("farm")
    lexical = [rule for rule in derivations[0] if grammar.rules[rule].lexical]
    words = marked_words(grammar, FARM, derivations[0])
    plain = derive_tokens(grammar, derivations[0], 0)
    assert len(words) == len(plain)
    for rank, rule in enumerate(lexical):
        (form,) = grammar.rules[rule].templates[0]
        assert isinstance(form, Token)
        (place,) = (n for n, word in enumerate(words) if mark(FORM, 0, rank) in word)
        assert plain[place].lower() == form.text.lower()


def test_words_of_rules_with_children_are_no_marks() -> None:
    grammar, derivations = sample("farm")
    words = marked_words(grammar, FARM, derivations[0])
    plain = derive_tokens(grammar, derivations[0], 0)
    same = [word for word, other in zip(words, plain, strict=True) if word == other]
    assert same
    assert len(same) == len(plain) - sum(grammar.rules[rule].lexical for rule in derivations[0])


def test_a_derivation_with_too_many_words_has_no_marks() -> None:
    grammar, derivations = sample("farm")
    marked = MarkedGrammar(grammar, Shapes(grammar, FARM).classes, FARM)
    most = max(derivations, key=len)
    words = sum(grammar.rules[rule].lexical for rule in most)
    assert marked.derivations(Derivations.of([most]))[1].tolist() == [True]
    marked.ranks = words - 1
    assert marked.derivations(Derivations.of([most]))[1].tolist() == [False]


def test_a_batch_in_which_no_new_shape_has_a_template_leaves_the_others_theirs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Shapes are numbered over all batches, also such as have too many words for marks."""
    grammar, derivations = sample("farm")

    def words(derivation: tuple[int, ...]) -> int:
        return sum(grammar.rules[rule].lexical for rule in derivation)

    ordered = sorted(derivations, key=words, reverse=True)
    most = words(ordered[0]) - 1
    few = sum(words(derivation) <= most for derivation in ordered)
    assert 0 < few < len(ordered)
    monkeypatch.setattr("sgl.rendering.marked._MOST_RULES", 0)
    monkeypatch.setattr("sgl.rendering.marked._FEWEST_RANKS", most)
    names = [layer.name for layer in grammar.text_layers]
    columns = GraphColumns(grammar, [], (0, names), text_writer, [0])
    shaped = 0
    for derivation in ordered:
        part = Derivations.of([derivation])
        batch = columns.batch(part)
        assert list(batch.words(0).texts()) == list(text_writer(grammar, 0)(part).texts())
        shaped += batch.shaped
    assert shaped == few


def test_nothing_is_worked_out_for_a_grammar_that_has_a_mark_as_a_word() -> None:
    grammar, derivations = sample("farm")
    rule = next(rule for rule in derivations[0] if grammar.rules[rule].lexical)
    assert not has_marks(grammar)
    assert has_marks(without_words(grammar, rule, mark(FORM, 0, 3)))
    names = [layer.name for layer in grammar.text_layers]
    part = Derivations.of(derivations)
    for word, shaped in (("𠮷", len(derivations)), (mark(FORM, 0, 3), 0)):
        changed = without_words(grammar, rule, word)
        columns = GraphColumns(changed, [], (0, names), text_writer, [0])
        assert columns.batch(part).shaped == shaped
        assert list(columns.batch(part).words(0).texts()) == list(
            text_writer(changed, 0)(part).texts()
        )


def test_templates_take_no_more_memory_than_they_may(monkeypatch: pytest.MonkeyPatch) -> None:
    grammar, derivations = sample("sget")
    monkeypatch.setattr(graph_columns, "MOST_BYTES", 1)
    names = [layer.name for layer in grammar.text_layers]
    columns = GraphColumns(grammar, [], (0, names), text_writer, range(len(names)))
    half = len(derivations) // 2
    assert columns.batch(Derivations.of(derivations[:half])).shaped == half
    rest = Derivations.of(derivations[half:])
    batch = columns.batch(rest)
    assert 0 < batch.shaped < rest.number
    texts = [batch.words(layer) for layer in range(len(names))]
    assert [list(text.texts()) for text in texts] == [
        list(text_writer(grammar, layer)(rest).texts()) for layer in range(len(names))
    ]
    assert np.diff(batch.conllu(texts, split="train", category="c", first=1).offsets).min() > 0


def test_a_lexicon_that_instructions_have_no_room_for_is_written_in_general(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    grammar, derivations = sample("farm")
    names = [layer.name for layer in grammar.text_layers]
    part = Derivations.of(derivations)
    places = len(WordTables(grammar, FARM).words)
    for most, shaped in ((places, len(derivations)), (places - 1, 0)):
        monkeypatch.setattr("sgl.rendering.shaped.MOST_WORDS", most)
        columns = GraphColumns(grammar, [], (0, names), text_writer, [0])
        batch = columns.batch(part)
        assert batch.shaped == shaped
        assert list(batch.words(0).texts()) == list(text_writer(grammar, 0)(part).texts())


def test_no_marks_are_made_where_nearly_every_word_is_a_class_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    grammar, derivations = sample("farm")
    classes = Shapes(grammar, FARM).classes
    number = len({classes[rule.id] for rule in grammar.rules if rule.lexical})
    phrases = sum(not rule.lexical for rule in grammar.rules)
    names = [layer.name for layer in grammar.text_layers]
    for most, shaped in ((number, len(derivations)), (number - 1, 0)):
        monkeypatch.setattr("sgl.rendering.shapes.MOST_CLASSES", most)
        columns = GraphColumns(grammar, [], (0, names), text_writer, [0])
        assert columns.batch(Derivations.of(derivations)).shaped == shaped
        rules = MarkedGrammar(grammar, Shapes(grammar, FARM).classes, FARM).grammar.rules
        assert (len(rules) > phrases) == (shaped > 0)
