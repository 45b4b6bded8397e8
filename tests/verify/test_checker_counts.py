"""The checker counts words as the compiler does, and steps of a search more dearly in long sentences."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from math import inf
from typing import Any

import pytest
from certified import changed, grammar_of, toy_certificate
from graph_search import definition, sentence
from sampling import plan_of
from toy import TOY

from sgl.core.grammar import Category, CoreGrammar, Cut, Rule, Slot, TextLayer, Token
from sgl.dataset.fingerprint import core_form
from sgl.verify.certificate import Checker
from sgl.verify.certificate_rules import SAME, Edge, RuleFrame, effect
from sgl.verify.certificate_sight import NONE, Likeness, Sight
from sgl.verify.items import ShapeTable
from sgl.verify.schema_grammar import Flaw
from sgl.verify.search import Searcher
from sgl.verify.structure import read_structure

Json = Any


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
    rules = grammar_of(core_form(grammar, plan)["grammar"]).rules
    counted = [[(own, tuple(map(tuple, used))) for own, used in effect(rule.templates[0])] for rule in rules]
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


@pytest.mark.parametrize("labels", [[], ["a"], ["a", "b"], ["a", "b", "c"]])
@pytest.mark.parametrize("test", ["#*>=2", "#a|b>=2", "#^c>=2", "#a>=1, #c=1"])
def test_edges_between_two_words_are_counted_by_their_labels(test: str, labels: list[str]) -> None:
    """A label that passes the same tests as another one is another label."""
    structure = read_structure(f"{{ V[{test}] }}")
    words, edges = sentence("saw dog", ()), tuple((0, label, 1) for label in labels)
    frame = RuleFrame(1, tuple(Edge(*edge) for edge in edges), ((0,), (1,)))
    view = Likeness(structure.bodies, [frame], lambda _: None)
    sight = Sight(view.bodies, tuple(view.relations), lambda _: None)
    phrase = sight.whole(view.of(frame))((sight.word(frozenset()),) * 2)
    assert sight.contained(phrase) is definition(structure, words._replace(edges=edges))


def test_structures_that_differ_only_in_names_are_seen_alike() -> None:
    """What is seen alike is looked through once."""
    frame = RuleFrame(1, (Edge(0, "a", 1), Edge(0, "b", 1)), ((0,), (1,)))
    texts = ("{ V -[a]-> N }", "{ X -[b]-> V }", "{ V -[^a]-> N }", "{ V -[a|b]-> N }", "{ V -[a]-> V }")
    views = [Likeness(read_structure(text).bodies, [frame], lambda _: None) for text in texts]
    assert [own.bodies == views[0].bodies and own.relations == views[0].relations for own in views] == [
        *(True, True, True),
        *(False, False),
    ]


def test_tests_of_labels_take_steps() -> None:
    """A certificate may have as many tests as labels, and comparing each with each would fill the memory."""
    structure = read_structure("{ " + "; ".join(f"V -[a{number}]-> N" for number in range(50)) + " }")
    frame = RuleFrame(1, tuple(Edge(0, f"a{number}", 1) for number in range(100)), ((0,), (1,)))
    spent = list[int]()
    Likeness(structure.bodies, [frame], spent.append)
    assert sum(spent) >= 50 * 100


def test_tests_of_nodes_take_steps() -> None:
    """A certificate may have as many tests as nodes, and the answers of each to each would fill the memory."""

    def more(content: Json) -> None:
        variable = content["structures"][0]["bodies"][0]["variables"][0]
        variable["tests"] = [{"attribute": "q", "values": [f"z{number}"], "negated": 1} for number in range(1_000)]

    left, honest = [], toy_certificate()
    for text in (honest, changed(honest, more)):
        checker = Checker(text.encode(), 1_000_000)
        list(checker.refusals())
        left.append(checker.left)
    assert left[1] <= left[0] - 1_000


@pytest.mark.parametrize(("label", "refused"), [(SAME, False), ("a", True)])
def test_only_a_phrase_of_the_derivation_may_have_a_head_that_is_no_node(label: str, refused: bool) -> None:
    frame = RuleFrame(1, (Edge(0, label, 1),), ((0,), (1,)))
    view = Likeness(read_structure("{ V -[*]-> N }").bodies, [frame], lambda _: None)
    sight = Sight(view.bodies, tuple(view.relations), lambda _: None)
    parts = sight.word(frozenset()), sight.word(frozenset({NONE}))
    with pytest.raises(Flaw, match="a phrase that is not a node") if refused else nullcontext():
        assert not sight.contained(sight.whole(view.of(frame))(parts))


def test_a_phrase_that_has_the_structure_keeps_whether_its_head_is_a_node() -> None:
    """Otherwise one such phrase stood for all, and an edge to another one was refused, or not, by their order."""
    inside = RuleFrame(1, (Edge(1, "a", 2),), ((0,), (1,), (2,)))
    around = RuleFrame(1, (Edge(0, "a", 1),), ((0,), (1,)))
    view = Likeness(read_structure("{ V -[a]-> N }").bodies, [inside, around], lambda _: None)
    sight = Sight(view.bodies, tuple(view.relations), lambda _: None)
    word, empty = sight.word(frozenset()), sight.word(frozenset({NONE}))
    headless, headed = (sight.whole(view.of(inside))((head, word, word)) for head in (empty, word))
    assert sight.contained(sight.whole(view.of(around))((word, headed)))
    with pytest.raises(Flaw, match="a phrase that is not a node"):
        sight.whole(view.of(around))((word, headless))
