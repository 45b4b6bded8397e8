"""The checker counts words as the compiler does, and steps of a search more dearly in long sentences."""

from __future__ import annotations

import json
from dataclasses import replace
from math import inf

import pytest
from graph_search import sentence
from sampling import plan_of
from toy import TOY

from sgl.core.grammar import Category, CoreGrammar, Cut, Rule, Slot, TextLayer, Token
from sgl.dataset.fingerprint import core_form
from sgl.verify.certificate_rules import effect
from sgl.verify.items import ShapeTable
from sgl.verify.search import Searcher
from sgl.verify.structure import read_structure


def divided() -> CoreGrammar:
    """*steht … auf*: a verb of two parts, which a clause divides, swaps and repeats."""
    verb = Rule(0, "verb", 1, (), 1.0, ((Token("steht"), Cut(), Token("doch"), Token("auf")),), ())
    clause = (Slot(0, part=1), Token("sie"), Slot(1, part=2), Slot(0, part=2), Slot(1, part=1))
    handed_on = (Slot(0, part=2), Cut(), Slot(0, part=1), Token("nicht"))
    rules = (verb, Rule(1, "clause", 0, (1, 1), 1.0, (clause,), ()), Rule(2, "not", 1, (1,), 1.0, (handed_on,), ()))
    categories = (Category("S"), Category("V", parts=("de.particle",)))
    return CoreGrammar("verbs", categories, rules, 0, (TextLayer("de"),), ())


@pytest.mark.parametrize("grammar", [divided(), TOY], ids=["divided", "toy"])
def test_the_words_of_each_part_and_the_parts_of_children_are_counted_alike(grammar: CoreGrammar) -> None:
    plan = replace(plan_of({"train": 1}), source=grammar.text_layers[0].name, strata=())
    form = json.loads(json.dumps(core_form(grammar, plan)))["grammar"]
    counted = [[(own, tuple(map(tuple, used))) for own, used in effect(rule[5][0])] for rule in form["rules"]]
    assert counted == [list(map(tuple, parts)) for parts in grammar.token_counts(grammar.text_layers[0].name)]


@pytest.mark.parametrize("words", [5, 255, 300, 600])
def test_a_search_takes_steps_however_long_the_sentence_is(words: int) -> None:
    edges = tuple((place, "x", place + 1) for place in range(words - 1))
    shapes = ShapeTable([read_structure("{ A -[x]-> B; B -[x]-> C; C -[y]-> D }")])
    shape = shapes.of(sentence(" ".join(["w"] * words), (*edges, (0, "y", words - 1))))
    searcher = Searcher(shapes)
    assert searcher.left == inf
    searcher.left = most = 10.0**9
    searcher.occurring(shape)
    assert most - searcher.left >= words
