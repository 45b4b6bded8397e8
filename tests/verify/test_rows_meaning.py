"""The checker of rows and the compiler say the same of derivations, whatever their rules do."""

from __future__ import annotations

from typing import Any

import pytest
from certified import meaning_of
from hypothesis import given, settings
from random_graph_grammars import grammars

from sgl.core.grammar import Category, CoreGrammar, Edge, Fragment, GraphLayer, Node, Rule, Slot, TextLayer, Token
from sgl.core.graph import Graph
from sgl.core.interpret import Derivation, derive_graph, derive_tokens, finish
from sgl.core.plan import Plan
from sgl.dataset.fingerprint import core_form
from sgl.rendering import ConlluError
from sgl.rendering.conllu import word_lines
from sgl.verify.derivation import Interpreter
from sgl.verify.lines import word_columns
from sgl.verify.schema_grammar import Flaw
from sgl.verify.texts import FUSE

Json = Any
PLAN = Plan(0, "en", "ja", (), (), (), distinct_sentences=False, lemma_layer="syn")


def interpreter(grammar: CoreGrammar) -> Interpreter:
    """What reads the grammar as a certificate has it."""
    return meaning_of(core_form(grammar, PLAN)["grammar"])


def test_one_node_may_be_two_ports_of_a_child() -> None:
    """*Ann washes*: the verb says that who washes is who is washed."""
    sentence = Fragment(
        (Node(glue=((1, 0),)), Node(glue=((0, 0), (1, 1))), Node(glue=((1, 2),))),
        (Edge(0, "agent", 1), Edge(0, "patient", 2)),
        (0,),
    )
    ann = Fragment((Node((("lemma", "Ann"),), 0),), (), (0,))
    washes = Fragment((Node((("lemma", "wash"),), 0), Node()), (), (0, 1, 1))
    rules = (
        Rule(0, "sentence", 0, (1, 2), 1.0, ((Slot(0), Slot(1)),), (sentence,)),
        Rule(1, "ann", 1, (), 1.0, ((Token("Ann"),),), (ann,)),
        Rule(2, "washes", 2, (), 1.0, ((Token("washes"),),), (washes,)),
    )
    categories = Category("S"), Category("NP"), Category("VP", ("head", "agent", "patient"))
    layers = (TextLayer("en", " "),), (GraphLayer("sem", "en", free=True),)
    grammar = CoreGrammar("washing", categories, rules, 0, *layers)
    edges = interpreter(grammar).graph("sem", (0, 1, 2)).edges
    assert edges == ((1, "agent", 0), (1, "patient", 0)) == derive_graph(grammar, (0, 1, 2), 0).edges


def doubling(first: Json, word: Json) -> Interpreter:
    """A grammar with a rule that has its child twice, and a word."""
    double = {"name": "double", "lhs": 0, "rhs": [0], "weight": "0.5", "templates": [[first, {"child": 0}]]}
    leaf = {"name": "leaf", "lhs": 0, "rhs": [], "weight": "0.5", "templates": [word]}
    rules = [{**rule, "fragments": []} for rule in (double, leaf)]
    grammar = {"categories": [], "rules": rules, "start": 0, "text_layers": [{"name": "en"}], "graph_layers": []}
    return meaning_of(grammar)


def graph_of(grammar: CoreGrammar, derivation: Derivation, layer: int) -> Graph | None:
    """The graph of a derivation, unless the front end would refuse its rules.

    They would have no head, or merge labelled nodes, or leave out or repeat their words.
    """
    rules = [grammar.rules[rule] for rule in derivation]
    for rule in rules:
        children = [item.child for item in rule.templates[0] if isinstance(item, Slot)]
        if len({*children}) < len(children):
            return None
    try:
        graph = derive_graph(grammar, derivation, layer)
    except LookupError:
        return None
    nodes = [node for rule in rules for node in rule.fragments[layer].nodes]
    labelled = sum(node.attributes is not None for node in nodes)
    return graph if labelled == len(graph.nodes) else None


@settings(max_examples=60, deadline=None)
@given(grammars())
def test_texts_and_graphs_and_sentences(drawn: tuple[CoreGrammar, list[Derivation]]) -> None:
    grammar, derivations = drawn
    meaning = interpreter(grammar)
    for derivation in derivations:
        tokens = derive_tokens(grammar, derivation, 0)
        for number, layer in enumerate(grammar.text_layers):
            text = finish(layer, derive_tokens(grammar, derivation, number))
            assert meaning.text(layer.name, derivation) == text
        for number, graph_layer in enumerate(grammar.graph_layers):
            graph = graph_of(grammar, derivation, number)
            if graph is None:
                continue
            nodes, edges, head, words = meaning.graph(graph_layer.name, derivation)
            assert (tuple(nodes), edges, head) == (tuple(map(tuple, graph.nodes)), *graph[1:])
            assert words == tokens
            try:
                text = finish(grammar.text_layers[0], tokens)
                lines = word_lines(graph, tokens, text, free=graph_layer.free)
            except ConlluError:
                continue
            assert f"{meaning.sentence(graph_layer.name, derivation)}\n" == lines


def test_a_text_that_doubles_with_each_rule_ends() -> None:
    meaning = doubling({"child": 0}, [{"text": "ha"}])
    assert meaning.text("en", (0, 0, 1)) == "ha ha ha ha"
    with pytest.raises(ValueError, match="too many words"):
        meaning.text("en", (*[0] * 60, 1))


@pytest.mark.parametrize("word", [[{"text": ""}], [{"text": "ha" * 5000}]])
def test_a_text_of_empty_or_of_long_words_ends(word: list[dict[str, str]]) -> None:
    """Phrases without a word are as many as those with one, and words are of any length."""
    meaning = doubling({"child": 0, "capital": 1}, word)
    with pytest.raises(ValueError, match="a text has too many words"):
        meaning.text("en", (*[0] * 60, 1))
    if word[0]["text"]:
        with pytest.raises(ValueError, match="a text has too many letters"):
            meaning.text("en", (*[0] * 7, 1))
    assert meaning.text("en", (1,)) in ("", "ha" * 5000)


@pytest.mark.parametrize(
    ("words", "finish", "text"),
    [
        ([",", "dort"], {"absorb": [[",", ""]]}, "dort"),
        (["dort", ","], {"absorb": [[",", ""]]}, "dort ,"),
        (["", ""], {"capital": 1}, " "),
        (["", "dort"], {"capital": 1}, " Dort"),
        (["le", "ami"], {"forms": [["le", "a…", "l'"]]}, "l' ami"),
        (["dort", "le"], {"forms": [["le", "a…", "l'"]]}, "dort le"),
    ],
)
def test_words_at_the_ends_of_a_text_have_no_neighbour(words: list[str], finish: Json, text: str) -> None:
    rule = {"name": "leaf", "lhs": 0, "rhs": [], "weight": "1", "templates": [[{"text": word} for word in words]]}
    layer = {"name": "fr", "finish": finish}
    rules = [{**rule, "fragments": []}]
    grammar = {"categories": [], "rules": rules, "start": 0, "text_layers": [layer], "graph_layers": []}
    assert meaning_of(grammar).text("fr", (0,)) == text


def test_a_word_that_is_glued_to_an_absorbed_one_has_no_columns() -> None:
    """The compiler refuses such a grammar; a forged certificate may have it."""
    words = ["a", FUSE, ",", "."]
    nodes = [{"attributes": [["lemma", word]], "token": at} for at, word in enumerate(words) if word != FUSE]
    edges = [{"source": 0, "label": "punct", "target": at} for at in (1, 2)]
    rule = {"name": "leaf", "lhs": 0, "rhs": [], "weight": "1", "templates": [[{"text": word} for word in words]]}
    rules = [{**rule, "fragments": [{"nodes": nodes, "edges": edges, "exports": [0]}]}]
    layers = [{"name": "en", "attach": ["."], "finish": {"absorb": [[",", "."]]}}]
    graphs = [{"name": "syn", "anchor": "en"}]
    grammar = {"categories": [{"name": "S"}], "rules": rules, "start": 0, "text_layers": layers, "graph_layers": graphs}
    with pytest.raises(Flaw, match="are not the words of their pieces"):
        meaning_of(grammar).sentence("syn", (0,))


def test_columns_of_conllu_have_no_bar_within() -> None:
    with pytest.raises(ValueError, match="are not features"):
        word_columns((("lemma", "dog"), ("Case", "Nom|Acc")))


def test_rules_that_differ_in_words_have_one_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sgl.verify.shapes.HELD", 3)
    top = [{"child": 0, "capital": 1}, {"text": "and"}, {"child": 1}]
    told = [*((text, [], [{"text": text}]) for text in ("the", "", "owl", "")), ("top", [0, 0], top)]
    rules = [
        {"name": name, "lhs": 0, "rhs": rhs, "weight": "1", "templates": [template], "fragments": []}
        for name, rhs, template in told
    ]
    grammar = {"categories": [], "rules": rules, "start": 0, "text_layers": [{"name": "en"}], "graph_layers": []}
    meaning = meaning_of(grammar)
    of = meaning.shapes.of
    assert of((4, 0, 1)) == of((4, 2, 3)) != of((4, 1, 0))
    for first, text in ((0, "The and "), (2, "Owl and "), (1, " and "), (0, "The and ")):
        assert meaning.text("en", (4, first, 1)) == text
        assert meaning.text("en", (4, first, 2)) == f"{text}owl"
    assert meaning.shapes.held <= 3, "no more than that is remembered"


def test_two_nodes_are_not_one_word() -> None:
    """CoNLL-U has a line for a word: one of two nodes that are fused would be in no file."""
    nodes = [{"attributes": [["lemma", "dar"]], "token": 0}, {"attributes": [["lemma", "yo"]], "token": 2}]
    graph = {"nodes": nodes, "edges": [{"source": 0, "label": "obj", "target": 1}], "exports": [0]}
    own = {"name": "fused", "lhs": 0, "rhs": [], "weight": "1"}
    own |= {"templates": [[{"text": "da"}, {"text": FUSE}, {"text": "me"}]], "fragments": [graph]}
    layers = {"text_layers": [{"name": "es", "finish": {"after": ["¿"]}}]}
    layers |= {"graph_layers": [{"name": "syn", "anchor": "es"}]}
    meaning = meaning_of({"categories": [{"name": "S"}], "rules": [own], "start": 0} | layers)
    assert meaning.text("es", (0,)) == "dame"
    with pytest.raises(Flaw, match="two nodes are one word"):
        meaning.sentence("syn", (0,))
