"""One forgery of a certificate for each refusal that nothing else meets, and what the checker says of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from certified import changed, toy_certificate

from sgl.verify.certificate import judge

Json = Any
Change = Callable[[Json], object]

MISPLACED = "C05 the grammar or the numbering: a node of rule {} or below does not have one place in the text"
MORE_THAN_TWO = [{"layer": "en", "comparison": ">=", "number": 3}]


def grammar(content: Json) -> Json:
    return content["core"]["grammar"]


def rule(content: Json, name: str) -> Json:
    return next(own for own in grammar(content)["rules"] if own["name"] == name)


def body(content: Json) -> Json:
    """The first body of the first structure: a subject with a modifier."""
    return content["structures"][0]["bodies"][0]


def structure(content: Json, name: str, *bodies: Json, layer: str = "syn") -> None:
    """Add a structure whose automaton finds nothing."""
    own = {"name": name, "layer": layer, "bodies": [*bodies], "transitions": [], "accepting": []}
    content["structures"].append(own)


def node(name: str, **tests: str) -> Json:
    """A body of one node, which may have to have some attributes."""
    asked = [{"attribute": attribute, "values": [value]} for attribute, value in tests.items()]
    return {"variables": [{"name": name, "tests": asked} if asked else {"name": name}]}


def measured(content: Json, layer: str = "ja") -> None:
    """Ask for texts of three words and more."""
    own = {"layer": layer, "comparison": ">=", "number": 3}
    structure(content, f"{{ length {layer} >= 3 }}", {"variables": [], "lengths": [own]})


def absorbing(word: str) -> Change:
    """Let English leave out a word at the beginning of a text."""
    return lambda content: grammar(content)["text_layers"][0].update(finish={"absorb": [[word, ""]]})


# ---- another form


def a_word_that_is_a_child(content: Json) -> None:
    rule(content, "statement")["templates"][0][0] = {"text": "the", "child": 0}


def a_transition_without_a_state(content: Json) -> None:
    content["splits"][0]["transitions"][0] = [21]


def a_port_without_a_number(content: Json) -> None:
    rule(content, "statement")["fragments"][0]["nodes"][0]["glue"] = [[0]]


def lengths_that_are_not_compared(content: Json) -> None:
    body(content)["lengths"] = [MORE_THAN_TWO[0] | {"comparison": "<>"}]


def two_variables_of_one_name(content: Json) -> None:
    body(content)["variables"][1] = {"name": "V"}


def evidence_where_none_is_needed(content: Json) -> None:
    next(own for own in content["claims"] if own["kind"] == "disjoint")["evidence"] = []


# ---- numbers and names that mean nothing


def a_category_without_a_port(content: Json) -> None:
    grammar(content)["categories"][0]["ports"] = []


def a_rule_without_a_head(content: Json) -> None:
    rule(content, "clause")["fragments"][0]["exports"] = []


def a_table_with_a_child_less(content: Json) -> None:
    next(own for own in content["sampler"]["states"] if own["children"][0])["children"][0].pop()


def a_state_that_no_table_has(content: Json) -> None:
    content["splits"][0]["drawn"].append([1000, 0])


def two_texts_of_one_name(content: Json) -> None:
    """The Japanese is called `en` as well, and is still the target."""
    grammar(content)["text_layers"][1]["name"] = content["core"]["plan"]["target"] = "en"


def a_text_with_the_name_of_a_graph(content: Json) -> None:
    grammar(content)["text_layers"][1]["name"] = content["core"]["plan"]["target"] = "syn"


def a_text_without_a_name(content: Json) -> None:
    grammar(content)["text_layers"][1]["name"] = ""
    content["core"]["plan"]["target"] = "en"


def two_views_of_one_name(content: Json) -> None:
    grammar(content)["views"] = [{"name": "lf", "kind": kind, "layer": 0} for kind in ("cogs", "recogs")]


def a_layer_that_is_joined_with_itself(content: Json) -> None:
    structure(content, "syn+syn { V }", node("V"), layer="syn+syn")


def a_twin_that_is_another_language(content: Json) -> None:
    grammar(content)["text_layers"][1]["finish"] = {"twin": "en"}


def a_twin_of_texts_that_nobody_can_count(content: Json) -> None:
    """A text of sixty texts: each may have the difference from its twin, or not."""
    a_twin_that_is_another_language(content)
    places = range(60)
    glued = [{"glue": [[place, 0]]} for place in places]
    wide = {"name": "wide", "lhs": 0, "rhs": [0 for _ in places], "weight": "1"}
    wide["templates"] = [[{"child": place} for place in places] for _ in ("en", "ja")]
    wide["fragments"] = [{"nodes": glued, "edges": [], "exports": [0]}]
    grammar(content)["rules"].append(wide)
    content["symbols"].append(1000)


def a_feature_without_a_value(content: Json) -> None:
    """A layer of derivations has features of categories, which are in their names."""
    grammar(content)["categories"][0]["name"] = "Text[plural]"
    grammar(content)["text_layers"].append({"name": "rules"})
    grammar(content)["graph_layers"].append({"name": "derivation", "anchor": "rules"})
    for own in grammar(content)["rules"]:
        own["templates"].append([{"text": own["name"]}, *({"child": place} for place in range(len(own["rhs"])))])
        own["fragments"].append({"nodes": [{"attributes": [], "token": 0}], "edges": [], "exports": [0]})


# ---- words that are not where their nodes are


def a_phrase_that_is_not_written(content: Json) -> None:
    """Objects have no modifiers in English; by the graph of the rule they have them."""
    del rule(content, "np_pp")["templates"][0][2]


def a_phrase_that_is_written_twice(content: Json) -> None:
    rule(content, "np_pp")["templates"][0].append({"child": 2})


def a_text_in_two_parts(content: Json) -> None:
    """Only a text's first part is written: here that is the full stop."""
    own = rule(content, "statement")
    own["templates"][0] = [own["templates"][0][1], {}, own["templates"][0][0]]
    own["fragments"][0]["nodes"][1]["token"] = 0


def a_phrase_without_its_last_word(content: Json) -> None:
    rule(content, "np_pp")["templates"][0][2]["functions"] = ["front"]


def a_node_in_place_of_a_phrase(content: Json) -> None:
    """A node that no text has; a structure `without` it would be found nowhere."""
    own = rule(content, "np")["fragments"][0]
    own["edges"].append({"source": 1, "label": "amod", "target": len(own["nodes"])})
    own["nodes"].append({"attributes": [["lemma", "big"]], "token": 0})


def two_nodes_of_one_word(content: Json) -> None:
    own = rule(content, "statement")["fragments"][0]
    own["edges"].append({"source": 0, "label": "conj", "target": len(own["nodes"])})
    own["nodes"].append(own["nodes"][1])


# ---- structures


def an_exception_that_is_a_length(content: Json) -> None:
    content["structures"][0]["bodies"].append({"variables": [{"name": "V"}], "lengths": MORE_THAN_TWO})


def a_length_with_words_that_may_be_absorbed(content: Json) -> None:
    measured(content, "en")
    absorbing("that")(content)


def a_length_of_some_of_the_words(content: Json) -> None:
    measured(content)
    rule(content, "clause")["templates"][1][0]["functions"] = ["first"]


def a_length_of_a_part_that_is_not_there(content: Json) -> None:
    measured(content)
    rule(content, "clause")["templates"][1][0]["part"] = 5


def an_edge_to_a_node_without_a_word(content: Json) -> None:
    own = rule(content, "np")["fragments"][0]
    own["edges"].append({"source": 1, "label": "nmod", "target": len(own["nodes"])})
    own["nodes"].append({})


def a_derivation_that_shows_two_structures(content: Json) -> None:
    own = next(own for own in content["claims"] if own["kind"] == "contains")
    own["structures"].append(own["structures"][0] + 1)


def an_absorbed_word_that_is_a_phrase(content: Json) -> None:
    absorbing("the")(content)


def an_edge_to_an_absorbed_word(content: Json) -> None:
    absorbing("that")(content)
    link = {"source": 0, "labels": {"labels": ["mark"]}, "target": 1}
    structure(content, "{ V -[mark]-> M }", {"variables": [{"name": "V"}, {"name": "M"}], "links": [link]})


def a_node_that_may_be_absorbed(content: Json) -> None:
    absorbing("that")(content)
    structure(content, "{ M[lemma=that] }", node("M", lemma="that"))


REFUSED: list[tuple[Change, str]] = [
    (a_word_that_is_a_child, "C02 the file: core.grammar.rules[0].templates[0][0]: an item is a word and a child"),
    (a_transition_without_a_state, "C02 the file: splits[0]: a transition has a symbol and a state"),
    (a_port_without_a_number, "nodes[0].glue[0]: a list of 2 expected"),
    (lengths_that_are_not_compared, "bodies[0].lengths[0]: '<>' does not compare numbers"),
    (two_variables_of_one_name, "bodies[0]: two variables of a body have one name"),
    (evidence_where_none_is_needed, "'disjoint' has no evidence"),
    (a_category_without_a_port, "C05 the grammar or the numbering: the category Text has no port"),
    (a_rule_without_a_head, "C05 the grammar or the numbering: rule clause exports no node"),
    (a_table_with_a_child_less, "of the sampler does not have the children of rule"),
    (a_state_that_no_table_has, "there is no state 1000 of the sampler"),
    (two_texts_of_one_name, "C05 the grammar or the numbering: two layers or two views have the same name"),
    (a_text_with_the_name_of_a_graph, "two layers or two views have the same name"),
    (a_text_without_a_name, "two layers or two views have the same name, or one has none"),
    (two_views_of_one_name, "two layers or two views have the same name"),
    (a_layer_that_is_joined_with_itself, "syn+syn is neither a layer nor a list of layers in their order"),
    (a_twin_that_is_another_language, "not every text differs from its twin in ja once"),
    (a_twin_of_texts_that_nobody_can_count, "not every text differs from its twin in ja once"),
    (a_feature_without_a_value, "rule statement has other words or edges in the derivation"),
    (a_phrase_that_is_not_written, MISPLACED.format("np_pp")),
    (a_phrase_that_is_written_twice, MISPLACED.format("np_pp")),
    (a_text_in_two_parts, "rule statement makes a text of several parts, of which only the first is written"),
    (a_phrase_without_its_last_word, MISPLACED.format("np_pp")),
    (a_node_in_place_of_a_phrase, MISPLACED.format("np")),
    (two_nodes_of_one_word, MISPLACED.format("statement")),
    (an_exception_that_is_a_length, "a `without` cannot test lengths, only nodes"),
    (a_length_with_words_that_may_be_absorbed, "lengths of a layer that absorbs words cannot be counted"),
    (a_length_of_some_of_the_words, "lengths of a layer with functions cannot be counted"),
    (a_length_of_a_part_that_is_not_there, "C10 { length ja >= 3 }: a phrase has no part of this number"),
    (an_edge_to_a_node_without_a_word, "a node is forgotten without a label"),
    (a_derivation_that_shows_two_structures, "a derivation shows one structure"),
    (an_absorbed_word_that_is_a_phrase, "may be absorbed but is not a leaf"),
    (an_edge_to_an_absorbed_word, "C09 { V -[mark]-> M }: a label of it leads to a word that may be absorbed"),
    (a_node_that_may_be_absorbed, "C09 { M[lemma=that] }: its node M can be a word that may be absorbed"),
]


@pytest.mark.parametrize(("change", "said"), REFUSED, ids=[change.__name__ for change, _ in REFUSED])
def test_a_forged_certificate_is_refused_in_words(change: Change, said: str) -> None:
    refusals, _ = judge(changed(toy_certificate(), change, core=True).encode())
    assert any(said in refusal for refusal in refusals), refusals


def test_a_structure_may_ask_for_what_is_never_absorbed() -> None:
    """*That* may be left out, and is neither a cat nor at the end of an edge that a pattern asks for."""
    refusals, _ = judge(changed(toy_certificate(), absorbing("that"), core=True).encode())
    assert refusals == []
