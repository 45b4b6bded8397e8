"""What a derivation means in each layer: the definition, against one that is recursive and another one on strings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hypothesis import given, settings
from random_graph_grammars import grammars
from toy import TOY, random_derivations
from toy_notation import GrammarBuilder

from sgl.core.grammar import Category, CoreGrammar, Cut, Item, Rule, Slot, TextLayer, Token
from sgl.core.graph import CUT
from sgl.core.interpret import (
    Derivation,
    all_tokens,
    capitalised,
    derive_graph,
    derive_tokens,
    finish,
    fold,
    interpret,
    spelt_as,
    template_words,
)
from sgl.core.spelling import Finish


def words_by_definition(grammar: CoreGrammar, derivation: Derivation, layer: int) -> list[str]:
    """Replace each child of a template by its words; a capital raises the first letter that there is."""
    rules = iter(derivation)

    def phrase() -> list[str]:
        rule = grammar.rules[next(rules)]
        children = [phrase() for _ in rule.rhs]
        return [word for item in rule.templates[layer] for word in written(item, children)]

    def written(item: Item, children: list[list[str]]) -> Iterator[str]:
        if not isinstance(item, Slot):
            yield item.text
            return
        raised = not item.capital
        for word in children[item.child]:
            yield word if raised or not word else word[0].upper() + word[1:]
            raised = raised or bool(word)

    return phrase()


@given(grammars())
@settings(max_examples=60, deadline=None)
def test_tokens_are_what_templates_make_of_the_tokens_of_children(drawn: tuple[CoreGrammar, list[Derivation]]) -> None:
    grammar, derivations = drawn
    for derivation in derivations:
        for layer in range(len(grammar.text_layers)):
            assert all_tokens(grammar, derivation, layer) == words_by_definition(grammar, derivation, layer)


def test_a_derivation_is_folded_from_its_leaves_and_children_come_in_order() -> None:
    arity = (2, 1, 0, 0)
    shown = fold((0, 1, 2, 3), arity, lambda rule, below: f"{rule}({','.join(below)})")
    assert shown == "0(1(2()),3())"


def test_an_item_has_tokens_texts_and_graphs_of_all_layers() -> None:
    for derivation in random_derivations(TOY, 20, 5):
        item = interpret(TOY, derivation)
        assert item.derivation == derivation
        assert item.tokens == tuple(tuple(derive_tokens(TOY, derivation, layer)) for layer in (0, 1))
        assert item.texts == tuple(finish(TOY.text_layers[layer], item.tokens[layer]) for layer in (0, 1))
        assert item.graphs == (derive_graph(TOY, derivation, 0),)


def test_the_words_of_a_child_stand_where_its_slot_stands() -> None:
    template = (Token("the"), Slot(1), Token("of"), Slot(0))
    assert template_words(template, [["Emma"], ["big", "dog"]]) == ["the", "big", "dog", "of", "Emma"]


def test_a_capital_raises_the_first_letter_that_there_is() -> None:
    assert template_words((Slot(0, capital=True),), [["", "über", "dem"]]) == ["", "Über", "dem"]
    assert template_words((Slot(0, capital=True),), [["", ""]]) == ["", ""]
    assert template_words((Slot(0, capital=True),), [[]]) == []
    assert capitalised("éclair") == "Éclair"
    assert capitalised("") == ""


def test_one_part_of_a_child_is_written_and_functions_change_it() -> None:
    parts = [["steht", CUT, "nicht", "auf"]]
    assert template_words((Slot(0, part=2), Cut(), Slot(0, part=1)), parts) == ["nicht", "auf", CUT, "steht"]
    assert template_words((Slot(0, part=2, functions=("last",)),), parts) == ["auf"]
    assert template_words((Slot(0, capital=True, part=2, functions=("reverse",)),), parts) == ["Auf", "nicht"]


def test_a_word_that_is_absorbed_is_in_no_graph_either() -> None:
    build = GrammarBuilder()
    build.category("S")
    build.category("V")
    build.rule("clause", "S -> V V", "near 0 near 1 .", "0", "head=1; 1 -case-> near; 1 -punct-> .; 1 -dep-> 0")
    build.word("V", "ran", "走った", upos="VERB")
    build.word("V", "", "", lemma="drop", upos="VERB")
    grammar = build.build("absorbing", "S")
    finished = Finish(absorb=(("near", ""), ("", ".")))
    changed = replace(grammar, text_layers=(replace(grammar.text_layers[0], finish=finished), grammar.text_layers[1]))
    whole, absorbed = (derive_graph(each, (0, 1, 2), 0) for each in (grammar, changed))
    assert [(node.get("lemma"), node.position) for node in whole.nodes] == [
        *(("near", 0), ("ran", 1), ("drop", 3), (".", 4))
    ]
    assert [(node.get("lemma"), node.position) for node in absorbed.nodes] == [("ran", 0), (".", 2)]
    assert derive_tokens(changed, (0, 1, 2), 0) == ["ran", "near", "."]
    assert absorbed.head == -1


def absorbing(*words: str) -> CoreGrammar:
    layer = TextLayer("en", finish=Finish(absorb=((",", "."),)))
    rule = Rule(0, "s", 0, (), 1.0, (tuple(Token(word) for word in words),), ())
    return CoreGrammar("commas", (Category("S"),), (rule,), 0, (layer,), ())


def test_tokens_are_given_with_and_without_the_absorbed_ones() -> None:
    grammar = absorbing("ran", ",", ".")
    assert all_tokens(grammar, (0,), 0) == ["ran", ",", "."]
    assert derive_tokens(grammar, (0,), 0) == ["ran", "."]


def test_pieces_are_said_only_of_layers_that_finish_their_words() -> None:
    assert spelt_as(TextLayer("en"), ["a", "b"]) == ()
    elided = TextLayer("fr", finish=Finish(elisions=(("de", "le", "du"),)))
    assert [(piece.text, piece.words) for piece in spelt_as(elided, ["de", "le", "chat"])] == [("du", 2), ("chat", 1)]
