"""The examples of SGET: they hold; their graphs show every edge that a rule makes."""

from __future__ import annotations

import pytest
from sget import sget

from sgl.diagnostics import Diagnostics
from sgl.parsing import Parser
from sgl.pipeline.sentences import check_examples

Settings = tuple[tuple[str, str], ...]


def stated_labels(settings: Settings = ()) -> dict[str, set[str]]:
    """The labels that the tests state, by the names of the rules in their sentences."""
    compiled = sget(**dict(settings))
    grammar = compiled.grammar
    parser = Parser(grammar, grammar.text_layer(compiled.plan.source))
    found: dict[str, set[str]] = {}
    for test in compiled.tests:
        for structure in (s for s in test.structures if s.layer == "syn"):
            (reading,) = parser.parse(test.declaration.sentence.text)
            labels = {label for edge in structure.body.edges for label in edge.labels.labels}
            for number in reading:
                found.setdefault(grammar.rules[number].name, set()).update(labels)
    return found


def test_the_examples_of_the_grammar_hold() -> None:
    compiled, diagnostics = sget(), Diagnostics()
    assert len(compiled.tests) > 60
    check_examples(compiled, diagnostics)
    assert [found.message for found in diagnostics] == []


@pytest.mark.parametrize("settings", [(), (("scope", "outer"),)], ids=["inner", "outer"])
def test_every_edge_of_a_rule_is_stated_for_a_sentence_with_the_rule(settings: Settings) -> None:
    stated = stated_labels(settings)
    for rule in sget(**dict(settings)).grammar.rules:
        missing = {edge.label for edge in rule.fragments[0].edges} - stated.get(rule.name, set())
        assert not missing, (rule.name, missing)
