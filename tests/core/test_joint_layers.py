"""Several graph layers as one: a structure over two of them, and the grammar that has them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from toy import TOY, random_derivations
from toy_notation import structure

from sgl.core.grammar import Category, CoreGrammar, Edge, Fragment, GraphLayer, Node
from sgl.core.interpret import derive_graph
from sgl.core.joint import LAYER, SAME, joined, lift, renamed, seen_by, united, variable_of, written

LAYERS = ("syn", "sem")


def both(syn: str, sem: str) -> str:
    return str(joined([structure(syn), structure(sem, layer="sem")], LAYERS))


def doubled() -> CoreGrammar:
    """The toy grammar with its graphs in two layers: in the second the roles are called otherwise."""

    def fragment(own: Fragment) -> Fragment:
        return replace(own, edges=tuple(Edge(e.source, f"s:{e.label}", e.target) for e in own.edges))

    rules = tuple(replace(r, fragments=(*r.fragments, fragment(r.fragments[0]))) for r in TOY.rules)
    return replace(TOY, rules=rules, graph_layers=(*TOY.graph_layers, GraphLayer("sem", "en", free=True)))


# --- structures ---------------------------------------------------------------------------------


def test_variables_of_one_name_are_one_word() -> None:
    assert both("{ V -[nsubj]-> N }", "{ V -[theme]-> N }") == (
        "syn+sem { V.syn[graph.layer=syn] -[nsubj]-> N.syn[graph.layer=syn]; "
        "V.sem[graph.layer=sem] -[theme]-> N.sem[graph.layer=sem]; V.syn -[&]-> V.sem; N.syn -[&]-> N.sem }"
    )


def test_the_layer_that_is_declared_first_is_first_in_whatever_order_they_are_written() -> None:
    parts = [structure("{ V }"), structure("{ V }", layer="sem")]
    assert joined(parts[::-1], LAYERS).layer == joined(parts, LAYERS).layer == "syn+sem"
    assert "V.syn[graph.layer=syn] -[&]-> V.sem[graph.layer=sem]" in str(joined(parts[::-1], LAYERS))


@pytest.mark.parametrize(
    ("syn", "sem"),
    [
        ("{ V -[nsubj]-> N }", "{ V -[theme]-> N }"),
        ("{ V -[nsubj]-> N[lemma=dog] }", "{ N[kind=animal] }"),
        ("{ V[#nsubj>=2] }", "{ V -[^agent]-> M }"),
        ("{ V -[nsubj]-> N } without { N -[det]-> D }", "{ V -[theme]-> N }"),
        ("{ V -[nsubj]-> N } without { N[lemma=dog] } without { D[lemma=cat] }", "{ V }"),
        ("{ V }", "{ M } without { V -[theme]-> M }"),
        ("{ V -[*]-> N }", "{ A -[*]+-> B[kind=animal] }"),
    ],
)
def test_a_joint_structure_is_written_as_it_was_by_its_layers(syn: str, sem: str) -> None:
    whole = joined([structure(syn), structure(sem, layer="sem")], LAYERS)
    assert written(whole) == f"syn {syn} sem {sem}"


def test_a_structure_over_one_layer_is_written_as_it_is() -> None:
    assert written(structure("{ V -[nsubj]-> N }")) == "{ V -[nsubj]-> N }"


def test_the_edge_to_itself_counts_as_no_relation() -> None:
    (link,) = lift(structure("{ V -[^obj]-> N }")).body.links
    assert not link.labels.accepts(SAME)
    assert not link.labels.accepts("obj")
    assert link.labels.accepts("nsubj")
    (positive,) = lift(structure("{ V -[obj]-> N }")).body.links
    assert positive.labels.labels == {"obj"}


def test_a_joint_structure_is_lifted_already() -> None:
    whole = joined([structure("{ V }"), structure("{ V }", layer="sem")], LAYERS)
    assert lift(whole) is whole


def test_in_a_without_part_a_variable_of_the_main_part_is_that_word() -> None:
    whole = joined([structure("{ V }"), structure("{ M } without { V -[theme]-> M }", layer="sem")], LAYERS)
    (clause,) = whole.without
    assert "V.syn -[&]-> V.sem" in str(clause)
    assert "M.sem -[&]" not in str(clause)


def test_two_words_that_would_have_one_name_get_two() -> None:
    whole = joined([structure("{ V }"), structure("{ V }", layer="sem")], LAYERS)
    apart = replace(whole, body=replace(whole.body, links=()))
    assert written(apart) == "syn { V } sem { V2 }"


def test_conjunctions_are_united_by_the_names_of_variables() -> None:
    first, second = (structure(text).body for text in ("{ V -[obj]-> N }", "{ N[lemma=dog] -[det]-> V; N -[x]-> M }"))
    assert str(united(first, second)) == "{ V -[obj]-> N[lemma=dog]; N -[det]-> V; N -[x]-> M }"
    assert united(first, first) == first
    assert str(renamed(first, {"V": "W"})) == "{ W -[obj]-> N }"
    assert variable_of("V.sem") == variable_of("V") == "V"


# --- grammars -----------------------------------------------------------------------------------


def test_a_grammar_has_each_of_its_layers_already() -> None:
    grammar = doubled()
    assert seen_by(grammar, "syn") is grammar
    with pytest.raises(KeyError):
        seen_by(TOY, "syn+sem")


def test_the_joint_graph_has_both_graphs_and_an_edge_for_each_word() -> None:
    grammar = doubled()
    joint = seen_by(grammar, "syn+sem")
    for derivation in random_derivations(TOY, 30, 4):
        whole = derive_graph(joint, derivation, 0)
        assert len(whole.nodes) == 2 * len(derive_graph(grammar, derivation, 0).nodes)
        layer = [node.get(LAYER) for node in whole.nodes]
        for number, name in enumerate(LAYERS):
            own = derive_graph(grammar, derivation, number)
            place = [node.position for node in whole.nodes]
            found = {(place[s], e, place[t]) for s, e, t in whole.edges if e != SAME and layer[s] == layer[t] == name}
            assert found == {(own.nodes[s].position, e, own.nodes[t].position) for s, e, t in own.edges}
        same = [(s, t) for s, e, t in whole.edges if e == SAME]
        assert len(same) == len(whole.nodes) // 2
        assert all((layer[s], layer[t]) == LAYERS for s, t in same)
        assert all(whole.nodes[s].position == whole.nodes[t].position for s, t in same)


def test_ports_of_a_joint_grammar_are_those_of_its_layers() -> None:
    grammar = doubled()
    gapped = next(number for number, c in enumerate(grammar.categories) if c.name == "RC")
    assert seen_by(grammar, "syn+sem").categories[gapped].ports == ("syn.head", "syn.gap", "sem.head", "sem.gap")
    limited = replace(grammar.categories[gapped], limited=(("gap", "syn"),))
    assert Category("RC", limited.ports, limited.limited).ports_in("sem") == ("head",)


def test_words_of_different_anchors_are_different_words() -> None:
    """The second layer stands on the Japanese words: no node of it is a node of the first."""
    grammar = doubled()
    japanese = GraphLayer("sem", "ja", free=True)
    empty = Fragment((Node(),), (), (0,))
    rules = tuple(
        replace(r, fragments=(r.fragments[0], empty if not r.rhs else r.fragments[0]))
        for r in grammar.rules
        if not r.rhs
    )
    other = replace(grammar, rules=rules, graph_layers=(grammar.graph_layers[0], japanese))
    labels = {edge.label for rule in seen_by(other, "syn+sem").rules for edge in rule.fragments[0].edges}
    assert SAME not in labels
