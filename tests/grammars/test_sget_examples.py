"""The examples of SGET: they hold; the graphs written out are whole, and leave no rule out."""

from __future__ import annotations

from functools import cache

import pytest
from sget import sget

from sgl.diagnostics import Diagnostics
from sgl.parsing import Parser
from sgl.pipeline.sentences import Reading, check_examples

Settings = tuple[tuple[str, str], ...]


@cache
def written_out(settings: Settings = ()) -> dict[str, tuple[int, Reading]]:
    """Sentences whose graph is stated, the number of edges stated, and their reading."""
    compiled = sget(**dict(settings))
    parser = Parser(compiled.grammar, compiled.grammar.text_layer(compiled.plan.source))
    found = {}
    for test in compiled.tests:
        for structure in (s for s in test.structures if s.layer == "syn"):
            sentence = test.declaration.sentence.text
            (reading,) = parser.parse(sentence)
            edges = len(structure.body.edges)
            found[sentence] = edges, Reading.of(compiled.grammar, reading)
    return found


def test_the_examples_of_the_grammar_hold() -> None:
    compiled, diagnostics = sget(), Diagnostics()
    assert len(compiled.tests) > 80
    check_examples(compiled, diagnostics)
    assert [found.message for found in diagnostics] == []


def test_every_edge_of_the_sentence_is_stated() -> None:
    for sentence, (stated, reading) in written_out().items():
        assert stated == len(list(reading.edges("syn"))), sentence


@pytest.mark.slow
def test_every_rule_that_makes_an_edge_is_in_one_of_the_sentences() -> None:
    for settings in ((), (("scope", "outer"),)):
        making = {r.name for r in sget(**dict(settings)).grammar.rules if r.fragments[0].edges}
        used = {
            rule.name
            for _, reading in written_out(settings).values()
            for rule in reading.grammar.rules
        }
        assert making <= used, making - used
