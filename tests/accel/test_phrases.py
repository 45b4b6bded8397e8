"""Phrases of sentences: what is put together from them is what the plain functions say."""

from __future__ import annotations

from random import Random

import pytest
from random_tables import TableMaker

from sgl.core.gluing import WORD, GluingNode, GluingRule, glue
from sgl.sampling.engine import PackedText, PackedView, Tables, derive, words_of
from sgl.sampling.kinds import LEMMA, Kinds
from sgl.sampling.phrases import Phrase, Phrases, graph_of

#: So many nodes of each phrase can be seen from outside.
PORTS = 2

DERIVATIONS = 60


def with_graphs(tables: Tables, choose: Random) -> Tables:
    """The tables with a view of random graphs: children repeated or dropped, nodes glued."""
    rules = [random_rule(arity, choose) for arity in tables.arity]
    return tables._replace(targets=[*tables.targets, PackedView("lf", "cogs", rules)])


def random_rule(arity: int, choose: Random) -> GluingRule:
    items = choose.choices(range(arity), k=choose.randint(0, 3)) if arity else []
    items = items if choose.random() < 0.4 else list(range(arity))
    for _ in range(choose.choice((0, 1, 2)) if arity else choose.choice((1, 1, 1, 2))):
        items.insert(choose.randint(0, len(items)), WORD)
    tokens = [place for place, item in enumerate(items) if item == WORD]
    nodes = [random_node(arity, tokens, choose) for _ in range(choose.randint(1, 3))]
    numbers = range(len(nodes))
    return GluingRule(
        items=tuple(items),
        nodes=tuple(nodes),
        edges=tuple(
            (choose.choice(numbers), label, choose.choice(numbers))
            for label in choose.choices("abc", k=choose.randint(0, 3))
        ),
        exports=tuple(choose.choices(numbers, k=PORTS)),
        last=((choose.choice(numbers), "z", choose.choice(numbers)),) * choose.choice((0, 0, 1)),
    )


def random_node(arity: int, tokens: list[int], choose: Random) -> GluingNode:
    ports = [(child, port) for child in range(arity) for port in range(PORTS)]
    glued = choose.sample(ports, choose.randint(0, min(2, len(ports))))
    if choose.random() < 0.3:
        return GluingNode(None, None, tuple(glued))
    lemma = choose.choice(("dog", "cat", "run", ""))
    attributes = ((LEMMA, lemma), ("type", choose.choice("xy")))
    token = choose.choice(tokens) if tokens and choose.random() < 0.8 else None
    return GluingNode(attributes, token, tuple(glued))


def graphs_at_random(seed: int) -> Tables:
    """Random tables with a view of random graphs."""
    return with_graphs(TableMaker(seed, orderly=True).tables(), Random(seed))  # noqa: S311


def derivations_of(tables: Tables) -> list[list[int]]:
    found = [
        derive(tables.states, stratum.start, key)
        for stratum in tables.strata
        for key in range(DERIVATIONS)
    ]
    return [derivation for derivation in found if derivation is not None]


def text_without_blanks(phrases: Phrases, phrase: Phrase, number: int) -> list[str]:
    words = phrases.text(phrase, number)
    assert all(isinstance(word, str) for word in words)
    return [word for word in words if isinstance(word, str)]


@pytest.mark.parametrize("seed", range(20))
def test_texts_of_phrases_have_the_words_of_the_engine(seed: int) -> None:
    tables = TableMaker(seed, orderly=seed % 3 == 0).tables()
    phrases = Phrases(tables, Kinds(tables))
    outputs = [tables.source, *tables.targets]
    for derivation in derivations_of(tables):
        phrase = phrases.whole(derivation)
        for output, place in zip(outputs, phrases.place, strict=True):
            assert isinstance(output, PackedText)
            expected = words_of(output, tables.arity, derivation)
            assert text_without_blanks(phrases, phrase, place) == expected


@pytest.mark.parametrize("seed", range(40))
def test_graphs_of_phrases_are_those_that_are_glued_at_once(seed: int) -> None:
    tables = graphs_at_random(seed)
    view = tables.targets[-1]
    assert isinstance(view, PackedView)
    kinds = Kinds(tables)
    phrases = Phrases(tables, kinds)
    class_of = {rule: of.number for of in kinds.classes for rule in of.entries}
    for derivation in derivations_of(tables):
        # A graph whose head is on no word of the text is none.
        try:
            expected = glue(view.rules, tables.arity, derivation, written=True)
        except KeyError:
            with pytest.raises(KeyError):
                graph_of(phrases.graph(phrases.whole(derivation), 0), [])
            continue
        assert graph_of(phrases.graph(phrases.whole(derivation), 0), []) == expected
        with_blanks = [~class_of[rule] if rule in class_of else rule for rule in derivation]
        lemmas = [lemma_of(view.rules[rule]) for rule in derivation if rule in class_of]
        assert graph_of(phrases.graph(phrases.whole(with_blanks), 0), lemmas) == expected


def lemma_of(rule: GluingRule) -> str:
    """The only lemma of a rule, if it has one."""
    pairs = [pair for node in rule.nodes for pair in node.attributes or ()]
    return "".join(value for name, value in pairs if name == LEMMA)


def test_among_the_random_tables_are_blanks_merged_nodes_and_graphs_that_come_again() -> None:
    """The test before this one would say little if there were none."""
    blanks = glued = kept = 0
    for seed in range(40):
        tables = graphs_at_random(seed)
        kinds = Kinds(tables)
        phrases = Phrases(tables, kinds)
        blanks += len(kinds.classes)
        for derivation in derivations_of(tables):
            kept += len(kept_below(phrases.whole(derivation)))
            glued += any(
                len(node.glue) > 1 for rule in derivation for node in nodes_of(tables, rule)
            )
    assert min(blanks, glued, kept) > 100


def nodes_of(tables: Tables, rule: int) -> tuple[GluingNode, ...]:
    view = tables.targets[-1]
    assert isinstance(view, PackedView)
    return view.rules[rule].nodes


def kept_below(phrase: Phrase) -> set[int]:
    """The phrases of a phrase, itself included, whose graphs are kept."""
    below = {number for child in phrase.children for number in kept_below(child)}
    return below | {phrase.number} if phrase.graphs else below


def test_views_of_one_graph_share_it() -> None:
    tables = graphs_at_random(5)
    view = tables.targets[-1]
    assert isinstance(view, PackedView)
    again = tables._replace(targets=[*tables.targets, view._replace(name="vf", kind="varfree")])
    assert Phrases(again, Kinds(again)).place == [0, 1, 0, 0]


def test_phrases_that_are_forgotten_are_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sgl.sampling.phrases.MOST_PHRASES", 3)
    test_graphs_of_phrases_are_those_that_are_glued_at_once(7)
