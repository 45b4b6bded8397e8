"""The law of templates: what they write is what the definition of an output writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from random_graph_grammars import grammars
from sget import compile_file
from toy import TOY

from sgl.core.arrays import Column, Derivations
from sgl.core.grammar import CoreGrammar, Rule, Token, View
from sgl.core.interpret import Derivation, derive_graph, derive_tokens, finish
from sgl.dataset.maker import SentenceWriter, expression_output, features_output
from sgl.dataset.rows import numbered
from sgl.rendering import output as templates
from sgl.rendering.conllu import ConlluError, conllu
from sgl.rendering.meaning import ViewError
from sgl.rendering.output import Output, TemplateWriter, text_output, view_output, words_output
from sgl.rendering.rule_classes import placeholder
from sgl.rendering.views import VIEWS
from sgl.resources import grammars_dir

ROOT = Path(__file__).parents[2]
GRAMMARS = {
    "sget with meanings": (grammars_dir() / "sget.sgl", {"meanings": "on"}),
    "slog": (grammars_dir() / "slog.sgl", {}),
    "farm": (ROOT / "docs" / "examples" / "farm.sgl", {}),
}

#: Items of a job that is large enough for machine code.
MANY = 10**9

#: Templates of authors, which may look at words in every way: the definition writes them.
AUTHORS = {
    "roles": (
        "{% for n in nodes %}{{ n.lemma }}{% for r, o in n.edges %}{{ ' ' ~ r ~ '=' ~ o.lemma }}"
        "{% endfor %}{{ '; ' if not loop.last }}{% endfor %}"
    ),
    "compared": "{% for n in nodes %}{{ 'D' if n.lemma == 'dog' else n.lemma }}.{% endfor %}",
    "tokens": "{{ tokens | join(' ') }} {{ tokens[root.position] }}",
    "wrong": "{{ root.edges[0][1].lemma }}",
}


def outputs_of(grammar: CoreGrammar) -> Iterator[Output]:
    """Everything that is written of the derivations of a grammar."""
    for layer in range(len(grammar.text_layers)):
        yield text_output(grammar, layer)
        yield expression_output(grammar, layer)
    for layer in range(len(grammar.graph_layers)):
        yield words_output(grammar, layer)
        yield features_output(grammar, layer, ("agent", "nmod:in", "unheard of"))
        for kind in VIEWS:
            yield view_output(grammar, View(kind, kind, layer))
        for name, source in AUTHORS.items():
            yield view_output(grammar, View(name, "template", layer, source))


def outcome(written: Callable[..., Iterable[str]], *arguments: object) -> object:
    """The texts, or the exception that there is instead."""
    try:
        return list(written(*arguments))
    except (ConlluError, ViewError, LookupError) as error:
        return type(error), str(error)


def compare(output: Output, derivations: Sequence[Derivation]) -> TemplateWriter:
    """Compare a writer with the definition: one by one, as columns, by machine code."""
    writer, compiled = TemplateWriter(output), TemplateWriter(output, MANY)

    def column(by: TemplateWriter, rows: Sequence[Derivation]) -> Iterator[str]:
        return by.column(Derivations.of(rows)).texts()

    for one in (*derivations, *derivations):
        expected = outcome(map, output.text, [one])
        assert outcome(map, writer, [one]) == expected
        assert outcome(column, writer, [one]) == expected
        assert outcome(column, compiled, [one]) == expected
    expected = outcome(map, output.text, derivations)
    assert outcome(column, writer, derivations) == expected
    assert outcome(column, compiled, derivations) == expected
    for items in (0, MANY):
        assert outcome(column, TemplateWriter(output, items, like=writer), derivations) == expected
    return writer


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(grammars())
def test_templates_of_random_grammars_write_or_refuse_what_the_definition_does(
    made: tuple[CoreGrammar, list[Derivation]],
) -> None:
    grammar, derivations = made
    for output in outputs_of(grammar):
        compare(output, derivations[:6])


@cache
def sample(name: str) -> tuple[CoreGrammar, tuple[Derivation, ...]]:
    """A bundled grammar and derivations of it, by their weights."""
    path, settings = GRAMMARS[name]
    grammar = compile_file(path, settings).grammar
    choose = Random(2026)  # noqa: S311
    return grammar, tuple(drawn(grammar, choose) for _ in range(60))


def drawn(grammar: CoreGrammar, choose: Random) -> Derivation:
    """A derivation that does not grow for ever."""
    rules: list[int] = []
    waiting = [grammar.start]
    while waiting:
        found = grammar.rules_of[waiting.pop()]
        if len(rules) > 60:
            found = (min(found, key=lambda rule: len(rule.rhs)),)
        (rule,) = choose.choices(found, [rule.weight for rule in found])
        rules.append(rule.id)
        waiting += reversed(rule.rhs)
    return tuple(rules)


@pytest.mark.acceptance
@pytest.mark.parametrize("name", GRAMMARS)
def test_templates_of_a_grammar_write_what_the_definition_does(name: str) -> None:
    grammar, derivations = sample(name)
    for output in outputs_of(grammar):
        compare(output, derivations)


# --- CoNLL-U ------------------------------------------------------------------------------


def compare_sentences(
    grammar: CoreGrammar, layer: int, derivations: Sequence[Derivation], category: str = "a b"
) -> None:
    """Compare whole sentences, whose numbers grow out of their six digits; a shape that occurs once has no template."""
    derivations = [*derivations, *derivations]
    anchor = grammar.anchors[layer]
    order = sorted(range(len(grammar.text_layers)), key=lambda text: text != anchor)
    names = [grammar.text_layers[text].name for text in order]

    def defined(item: int, one: Derivation) -> str:
        return conllu(
            derive_graph(grammar, one, layer),
            derive_tokens(grammar, one, anchor),
            [(name, text_of(grammar, one, n)) for name, n in zip(names, order, strict=True)],
            sent_id=f"train-{999_998 + item:06d}",
            category=category,
            free=grammar.graph_layers[layer].free,
        )

    def columns(items: int) -> Iterator[str]:
        writers = {name: TemplateWriter(text_output(grammar, n), items) for name, n in zip(names, order, strict=True)}
        texts = {name: writer.column(flat) for name, writer in writers.items()}
        sentences = SentenceWriter(names, writers, TemplateWriter(words_output(grammar, layer), items), {})
        return sentences.column(flat, texts, "train", Column.of([category] * len(derivations)), 999_998).texts()

    expected = outcome(map, defined, range(len(derivations)), derivations)
    flat = Derivations.of(derivations)
    assert outcome(columns, 0) == expected
    assert outcome(columns, MANY) == expected


def text_of(grammar: CoreGrammar, derivation: Derivation, layer: int) -> str:
    return finish(grammar.text_layers[layer], derive_tokens(grammar, derivation, layer))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(grammars())
def test_sentences_of_random_grammars_are_those_of_the_definition(made: tuple[CoreGrammar, list[Derivation]]) -> None:
    grammar, derivations = made
    for layer in (0, 1):
        for one in derivations:
            compare_sentences(grammar, layer, [one])


@pytest.mark.parametrize("category", ["wh_object", "two words", "two\nlines", "質問"])
def test_sentences_of_a_grammar_are_those_of_the_definition(category: str) -> None:
    grammar, derivations = sample("farm")
    compare_sentences(grammar, 0, derivations[:20], category)


SPACES = "\t\n\r\v\f\x1c\x1f\x85\xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000"
NO_SPACES = "\x08\x0e\x1b é\u1681\u200b\u2027\u2030\u2060\u3001\u3042\u3400\U0001f600"


@pytest.mark.parametrize("character", SPACES + NO_SPACES)
@pytest.mark.parametrize("layer", [0, 1])
def test_a_word_with_any_character_is_written_or_refused(character: str, layer: int) -> None:
    def odd(rule: Rule) -> Rule:
        changed = [
            tuple(Token(f"a{character}b") if isinstance(i, Token) else i for i in template)
            if number == layer
            else template
            for number, template in enumerate(rule.templates)
        ]
        return replace(rule, templates=tuple(changed)) if not rule.rhs else rule

    grammar = replace(TOY, rules=tuple(map(odd, TOY.rules)))
    derivation = drawn(grammar, Random(1))  # noqa: S311
    compare_sentences(grammar, 0, [derivation])
    compare(text_output(grammar, layer), [derivation])
    compare(view_output(grammar, View("t", "", 0, AUTHORS["tokens"])), [derivation])


# --- edges of what is possible --------------------------------------------------------------


def test_a_heading_stands_before_each_text() -> None:
    derivations = Derivations.of([drawn(TOY, Random(seed)) for seed in range(5)])  # noqa: S311
    for items in (0, MANY):
        writer = TemplateWriter(text_output(TOY, 0), items)
        texts = list(writer.column(derivations).texts())
        other = Column.of(["犬", "", "x" * 1_000, "b", "c"])
        part = Column(other.data, other.offsets)
        found = writer.column(derivations, ("<", numbered(999_998, 5), "> ", part, ": "))
        numbers = [f"{number:06d}" for number in range(999_998, 1_000_003)]
        rows = zip(numbers, other.texts(), texts, strict=True)
        assert list(found.texts()) == [f"<{n}> {more}: {text}" for n, more, text in rows]


def test_a_part_of_derivations_can_be_written_and_nothing_and_an_empty_one() -> None:
    derivations = [drawn(TOY, Random(seed)) for seed in range(9)]  # noqa: S311
    flat = Derivations.of(derivations)
    output = text_output(TOY, 1)
    for items in (0, MANY):
        writer = TemplateWriter(output, items)
        part = Derivations(flat.rules, flat.offsets[3:7])
        assert list(writer.column(part).texts()) == list(map(output.text, derivations[3:6]))
        assert writer.column(Derivations.of([])).rows == 0
        assert list(writer.column(Derivations.of([(), derivations[0]])).texts()) == ["", output.text(derivations[0])]


def test_shapes_are_not_learned_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    grammar, derivations = sample("farm")
    monkeypatch.setattr(templates, "MOST_SHAPES", 3)
    writer = compare(text_output(grammar, 0), derivations)
    assert len(writer._templates) <= 3  # noqa: SLF001


def test_words_that_look_like_placeholders_are_written_one_by_one() -> None:
    def marked(rule: Rule) -> Rule:
        odd = tuple(Token(placeholder(0, 0)) if isinstance(item, Token) else item for item in rule.templates[0])
        return replace(rule, templates=(odd, *rule.templates[1:]))

    grammar = replace(TOY, rules=tuple(map(marked, TOY.rules)))
    derivation = drawn(grammar, Random(3))  # noqa: S311
    writer = compare(text_output(grammar, 0), [derivation])
    assert not writer._templates  # noqa: SLF001
