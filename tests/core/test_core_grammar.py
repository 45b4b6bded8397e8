"""What a grammar says of itself: its words, children, parts and layers."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from toy import TOY, random_derivations

from sgl.core.grammar import (
    Category,
    CoreGrammar,
    Cut,
    Edge,
    Fragment,
    GluingRules,
    GraphLayer,
    Node,
    Rule,
    Slot,
    TextLayer,
    Token,
    ports_in,
)
from sgl.core.graph import END, PARTS, WORD
from sgl.core.interpret import all_tokens, fold
from sgl.core.spelling import Finish


def rule(*items: Token | Slot | Cut, children: int = 0, fragment: Fragment | None = None) -> Rule:
    return Rule(0, "r", 0, (0,) * children, 1.0, (items,), () if fragment is None else (fragment,))


def particle_verb() -> CoreGrammar:
    """*steht … auf*: a verb of two parts, and a clause with a word between them."""
    verb = Rule(0, "verb", 1, (), 1.0, ((Token("steht"), Cut(), Token("doch"), Token("auf")),), ())
    clause = Rule(1, "clause", 0, (1, 1), 1.0, ((Slot(0, part=1), Token("sie"), Slot(0, part=2), Slot(1, part=2)),), ())
    categories = (Category("S"), Category("V", parts=("de.particle",)))
    return CoreGrammar("verbs", categories, (verb, clause), 0, (TextLayer("de"), TextLayer("en")), ())


def test_features_are_read_from_the_name_of_a_category() -> None:
    category = Category("NP[anim=yes, num=pl]")
    assert category.base == "NP"
    assert category.features == {"anim": "yes", "num": "pl"}
    assert Category("NP").base == "NP"
    assert Category("NP").features == {}


def test_a_port_of_one_layer_is_not_there_in_another() -> None:
    category = Category("VP", ("head", "gap", "ctrl"), limited=(("gap", "syn"),))
    assert category.ports_in("syn") == ("head", "gap", "ctrl")
    assert category.ports_in("sem") == ("head", "ctrl")
    assert ports_in(["a", "b"], [("b", "x"), ("a", "y")], "x") == ("b",)


def test_a_rule_without_children_is_lexical() -> None:
    assert rule(Token("dog")).lexical
    assert not rule(Token("the"), Slot(0), children=1).lexical
    assert {r.lexical for r in TOY.rules if r.name.startswith("N:")} == {True}


def test_words_are_those_that_the_rule_writes_itself() -> None:
    own = rule(Token("not"), Slot(0), Cut(), Token("only"), children=1)
    assert own.words(0) == ("not", "only")


def test_a_function_makes_a_rule_one_way() -> None:
    assert rule(Slot(0, functions=("reverse",)), children=1).applies_functions(0)
    assert not rule(Slot(0), Token("reverse"), children=1).applies_functions(0)


def test_a_child_with_parts_is_one_constituent_and_a_repeated_child_is_two() -> None:
    divided = rule(Token("up"), Cut(), Slot(0, part=2), Slot(0, part=1), children=1)
    assert divided.constituents(0) == (Token("up"), Slot(0, part=2))
    both = rule(Slot(1, part=1), Slot(0, part=1), Slot(0, part=2), children=2)
    assert both.constituents(0) == (Slot(1, part=1), Slot(0, part=1))
    assert len(rule(Slot(0), Token("and"), Slot(0), children=1).constituents(0)) == 3


def test_the_first_part_is_the_main_one() -> None:
    assert [Slot(3, part=part).number for part in (0, 1, 2)] == [0, 0, 1]
    assert Slot(3, part=2).packed == 3 + 2 * PARTS


def test_a_slot_is_as_it_stands_unless_more_is_said() -> None:
    assert (Slot(1).capital, Slot(1).part, Slot(1).functions) == (False, 0, ())
    assert not GraphLayer("syn", "en").free
    assert not rule(Token("dog")).keep
    assert not Edge(0, "obj", 1).last


def test_the_rules_of_a_category_are_those_that_make_it_in_order() -> None:
    for category, rules in enumerate(TOY.rules_of):
        assert rules == tuple(r for r in TOY.rules if r.lhs == category)
    assert sum(map(len, TOY.rules_of)) == len(TOY.rules)


def test_the_words_of_the_rules_are_all_words_of_a_sentence() -> None:
    statement = replace(TOY.rules[0], templates=((Slot(0), Token(".")), TOY.rules[0].templates[1]))
    question = replace(TOY.rules[1], templates=((Slot(0), Token("?")), TOY.rules[1].templates[1]))
    plain = replace(TOY, rules=(statement, question, *TOY.rules[2:]))
    for derivation in random_derivations(TOY, 40, 1):
        written = Counter(word for number in derivation for word in TOY.rules[number].words(0))
        assert written == Counter(all_tokens(plain, derivation, 0))
        assert sum(TOY.source_tokens[number] for number in derivation) == written.total()


def test_counts_of_tokens_add_up_to_the_length_of_a_sentence() -> None:
    for layer in ("en", "ja"):
        counts = TOY.token_counts(layer)

        def length(number: int, children: tuple[int, ...], counts: list = counts) -> int:  # type: ignore[type-arg]
            ((own, below),) = counts[number]
            return own + sum(children[child] for child, _ in below)

        for derivation in random_derivations(TOY, 40, 2):
            tokens = all_tokens(TOY, derivation, TOY.text_layer(layer))
            assert fold(derivation, TOY.arity, length) == len(tokens)


def test_each_part_of_a_phrase_is_counted_for_itself() -> None:
    assert particle_verb().token_counts("de") == [((1, ()), (2, ())), ((1, ((0, 0), (0, 1), (1, 1))),)]


def test_a_layer_is_divided_if_some_category_has_parts_in_it() -> None:
    grammar = particle_verb()
    assert grammar.divided(0)
    assert not grammar.divided(1)


def test_layers_are_found_by_name() -> None:
    assert [TOY.text_layer("en"), TOY.text_layer("ja"), TOY.graph_layer("syn")] == [0, 1, 0]
    assert TOY.anchors == (0,)
    for find in (TOY.text_layer, TOY.graph_layer):
        with pytest.raises(KeyError, match="fr"):
            find("fr")


def test_what_is_glued_says_words_children_and_ends_of_parts() -> None:
    fragment = Fragment(
        (Node((("lemma", "auf"),), 0), Node(None, None, ((0, 0),))),
        (Edge(0, "obj", 1), Edge(1, "punct", 0, last=True)),
        (1,),
    )
    own = rule(Token("auf"), Slot(0, part=2), Cut(), Slot(0, part=1), children=1, fragment=fragment)
    glued = GluingRules([own], 0, 0)[0]
    assert glued.items == (WORD, 2 * PARTS, END, PARTS)
    assert glued.edges == ((0, "obj", 1),)
    assert glued.last == ((1, "punct", 0),)
    assert glued.exports == (1,)
    assert [tuple(node) for node in glued.nodes] == [((("lemma", "auf"),), 0, ()), (None, None, ((0, 0),))]


def test_a_free_layer_keeps_the_order_in_which_edges_are_written() -> None:
    free = replace(TOY, graph_layers=(GraphLayer("syn", "en", free=True),))
    derivation = next(d for d in random_derivations(TOY, 200, 3) if len(d) > 12)
    ordered, written = TOY.gluers[0](derivation), free.gluers[0](derivation)
    assert sorted(written.edges) == list(ordered.edges)
    assert [edge[0] for edge in written.edges] == sorted(edge[0] for edge in written.edges)


def test_a_layer_has_no_finish_and_blanks_unless_it_says_so() -> None:
    layer = TextLayer("en")
    assert (layer.join, layer.attach, layer.finish) == (" ", frozenset(), None)
    assert Finish().capital == 0
