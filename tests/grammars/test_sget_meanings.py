"""What sentences of SGET mean: their semantic graphs and the views of these."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
from sampling import plan_of, whole
from sget import compile_file, sget

from sgl.core.grammar import CoreGrammar
from sgl.core.graph import Graph, GraphNode
from sgl.core.interpret import Item, interpret
from sgl.parsing import Parser
from sgl.rendering import Output, outputs
from sgl.rendering.meaning import PROPERTY
from sgl.rendering.views import VIEWS
from sgl.research.logical_forms import read_cogs, read_varfree
from sgl.resources import grammars_dir
from sgl.sampling import pack
from sgl.sampling import sample as sample_plan


@cache
def sample(number: int = 2000, **settings: str) -> tuple[Item, ...]:
    """Sentences of the whole grammar, as they are drawn."""
    grammar = sget(**settings).grammar
    plan = plan_of({"train": number})
    (part,) = sample_plan(pack(grammar, plan, {plan.strata[0].stream: whole(grammar)}))
    return tuple(interpret(grammar, found.derivation) for found in part.items)


@cache
def form(view: str) -> Output:
    return outputs(sget().grammar)[view]


def graph_of(item: Item) -> Graph:
    return item.graphs[sget().grammar.graph_layer("sem")]


def test_every_rule_that_makes_an_edge_is_in_an_example_with_a_view() -> None:
    views = {view.name for view in sget().grammar.views}
    for settings in ({}, {"scope": "outer"}):
        compiled = sget(**settings)
        parser = Parser(compiled.grammar, 0)
        sem = compiled.grammar.graph_layer("sem")
        making = {r.name for r in compiled.grammar.rules if r.fragments[sem].edges}
        used = set()
        for test in compiled.tests:
            if {layer.text for layer, _ in test.declaration.expected or ()} & views:
                (reading,) = parser.parse(test.declaration.sentence.text)
                used |= {compiled.grammar.rules[rule].name for rule in reading}
        assert making <= used, making - used


@pytest.mark.slow
def test_every_sentence_has_every_form() -> None:
    for item in sample():
        for view in ("cogs", "varfree", "penman"):
            assert form(view)(item.derivation)


@pytest.mark.slow
def test_forms_that_were_read_are_written_again() -> None:
    for item in sample():
        logical, free = (form(view)(item.derivation) for view in ("cogs", "varfree"))
        read = read_cogs(logical, item.tokens[0])
        assert VIEWS["cogs"].render(read, item.tokens[0]) == logical
        if " " in item.texts[0]:
            assert VIEWS["varfree"].render(read, item.tokens[0]) == free
            assert VIEWS["varfree"].render(read_varfree(free), ()) == free


def test_an_adjective_is_read_as_one() -> None:
    seen = 0
    for item in sample():
        if " " in item.texts[0]:
            read = read_cogs(form("cogs")(item.derivation), item.tokens[0])
            properties, again = (
                [(node.get("lemma"), node.position) for node in graph.nodes if is_property(node)]
                for graph in (graph_of(item), read)
            )
            assert properties == again
            seen += len(properties)
    assert seen > 100


def is_property(node: GraphNode) -> bool:
    return node.get("type") == PROPERTY


def arguments(graph: Graph) -> dict[int, list[str]]:
    """The labels of the edges of each event, in their order."""
    found: dict[int, list[str]] = {}
    for source, label, _ in graph.edges:
        if graph.nodes[source].get("type") == "event":
            found.setdefault(source, []).append(label)
    return found


def test_the_roles_of_an_event_stand_in_the_order_of_its_frame() -> None:
    frames = Counter(
        " ".join(label for label in labels if label != "conj")
        for item in sample()
        for labels in arguments(graph_of(item)).values()
    )
    assert set(frames) == {
        "agent",
        "theme",
        "agent theme",
        "agent ccomp",
        "agent xcomp",
        "agent theme recipient",
        "agent recipient theme",
        "theme agent",
        "theme recipient",
        "theme recipient agent",
        "recipient theme",
        "recipient theme agent",
    }
    for item in sample():
        for labels in arguments(graph_of(item)).values():
            assert labels == sorted(labels, key=lambda label: label == "conj")


# ---- one vocabulary, one form


@cache
def slog() -> CoreGrammar:
    return compile_file(grammars_dir() / "slog.sgl").grammar


@pytest.mark.slow
def test_a_sentence_of_both_grammars_has_one_form() -> None:
    """What SGET and SLOG both derive means the same in both, word for word."""
    parser = Parser(slog(), 0)
    other = outputs(slog())
    shared: Counter[str] = Counter()
    sentences = 0
    for item in sample():
        tokens = item.tokens[0]
        if not all(token in parser.vocabulary for token in tokens[1:]):
            continue
        readings = parser.parse(" ".join(tokens))
        if not readings:
            continue
        for view in ("cogs", "varfree"):
            ours = form(view)(item.derivation)
            assert {other[view](reading) for reading in readings} == {ours}, item.texts[0]
        shared.update(" ".join(labels) for labels in arguments(graph_of(item)).values())
        sentences += 1
    assert sentences > 1000
    assert shared["agent xcomp"]
    assert len(shared) == 12
