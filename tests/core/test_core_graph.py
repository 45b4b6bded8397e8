"""Graphs that rules glue together, and graphs without some of their words."""

from __future__ import annotations

import pickle

import pytest
from toy import TOY, random_derivations

from sgl.core import graph as graphs
from sgl.core.graph import (
    CUT,
    END,
    PARTS,
    WORD,
    Gluer,
    GluingNode,
    GluingRule,
    Graph,
    GraphNode,
    moved,
    part_of,
    parts_of,
)
from sgl.core.interpret import all_tokens

DERIVATIONS = random_derivations(TOY, 60, 11)


def node(lemma: str, position: int) -> GraphNode:
    return GraphNode((("lemma", lemma), ("upos", "X")), position)


CHAIN = Graph(tuple(node(word, at) for at, word in enumerate("abcd")), ((1, "x", 0), (1, "y", 3), (3, "z", 2)), 1)


def new(lemma: str, token: int) -> GluingNode:
    return GluingNode((("lemma", lemma),), token, ())


def old(*ports: tuple[int, int]) -> GluingNode:
    return GluingNode(None, None, ports)


def glued(rules: list[GluingRule], arity: list[int], derivation: tuple[int, ...], *, written: bool = False) -> Graph:
    return Gluer(rules, arity, written=written)(derivation)


# --- laws of a grammar of trees ---------------------------------------------------------------


@pytest.mark.parametrize("derivation", DERIVATIONS[:25])
def test_unmarked_edges_are_a_tree_over_all_words_but_fronted_ones(derivation: tuple[int, ...]) -> None:
    graph = TOY.gluers[0](derivation)
    assert [found.position for found in graph.nodes] == list(range(len(all_tokens(TOY, derivation, 0))))
    heads = {target: source for source, label, target in graph.edges if not label.startswith("~")}
    assert len(heads) == sum(not label.startswith("~") for _, label, _ in graph.edges)
    fronted = {number for number, own in enumerate(graph.nodes) if own.get("PronType")}
    assert set(heads) | (fronted - {graph.head}) == set(range(len(graph.nodes))) - {graph.head}
    for start in heads:
        above, steps = start, 0
        while above != graph.head:
            above, steps = heads[above], steps + 1
            assert steps <= len(heads)


def test_nodes_have_the_words_of_their_places() -> None:
    for derivation in DERIVATIONS:
        words = all_tokens(TOY, derivation, 0)
        for found in TOY.gluers[0](derivation).nodes:
            if found.get("upos") in ("NOUN", "DET", "ADP"):
                assert found.get("lemma") == words[found.position].lower()


def test_a_graph_is_the_same_when_it_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphs, "MOST_KNOWN", 2)
    gluer = Gluer(TOY.gluing[0], TOY.arity, written=False)
    first = [gluer(derivation) for derivation in DERIVATIONS[:6]]
    assert [gluer(derivation) for derivation in DERIVATIONS[:6]] == first
    assert len(gluer.__dict__["_known"]) <= 2
    assert gluer(DERIVATIONS[5]) is gluer(DERIVATIONS[5])
    assert len(pickle.loads(pickle.dumps(gluer)).__dict__["_known"]) == 0  # noqa: S301 - our own


# --- gluing -----------------------------------------------------------------------------------


def test_a_port_of_a_child_takes_its_word_from_the_node_it_is_glued_to() -> None:
    """*who … saw*: the gap of the verb is the wh-word, whichever of them is named first."""
    verb = GluingRule((WORD,), (new("see", 0), GluingNode(None, None, ())), ((0, "~obj", 1),), (0, 1))
    question = GluingRule((WORD,), (new("who", 0),), (), (0,))
    expected = ((0, "~obj", 1),)
    for ports in ([(0, 0), (1, 1)], [(1, 1), (0, 0)]):
        whole = GluingRule((0, 1), (old(*ports), old((1, 0))), (), (1,))
        graph = glued([whole, question, verb], [2, 0, 0], (0, 1, 2))
        assert [found.get("lemma") for found in graph.nodes] == ["who", "see"]
        assert [(s, label, t) for s, label, t in graph.edges] == [(1, "~obj", 0)] != list(expected)
        assert graph.head == 1


def test_a_gap_that_stays_open_is_no_node_and_edges_to_it_are_none() -> None:
    verb = GluingRule((WORD,), (new("see", 0), GluingNode(None, None, ())), ((0, "~obj", 1),), (0, 1))
    graph = glued([verb], [0], (0,))
    assert (len(graph.nodes), graph.edges, graph.head) == (1, (), 0)
    headless = verb._replace(exports=(1, 0))
    assert glued([headless], [0], (0,)).head == -1


def test_a_word_without_a_node_takes_a_place() -> None:
    rule = GluingRule((WORD, 0, WORD), (new("up", 2), old((0, 0))), ((1, "prt", 0),), (1,))
    word = GluingRule((WORD,), (new("look", 0),), (), (0,))
    graph = glued([rule, word], [1, 0], (0, 1))
    assert [(found.get("lemma"), found.position) for found in graph.nodes] == [("look", 1), ("up", 2)]
    assert graph.edges == ((0, "prt", 1),)
    assert graph.head == 0


def test_parts_of_a_child_stand_where_the_rule_puts_them() -> None:
    verb = GluingRule((WORD, END, WORD), (new("steht", 0), new("auf", 2)), ((0, "prt", 1),), (0,))
    clause = GluingRule((PARTS, WORD, 2 * PARTS), (new("sie", 1), old((0, 0))), ((1, "nsubj", 0),), (1,))
    graph = glued([clause, verb], [1, 0], (0, 1))
    assert [found.get("lemma") for found in graph.nodes] == ["steht", "sie", "auf"]
    assert graph.edges == ((0, "nsubj", 1), (0, "prt", 2))


def test_edges_of_outer_rules_come_first_and_last_edges_after_all_others() -> None:
    inner = GluingRule((WORD,), (new("b", 0),), ((0, "in", 0),), (0,), last=((0, "last in", 0),))
    outer = GluingRule((0,), (old((0, 0)),), ((0, "out", 0), (0, "also", 0)), (0,), last=((0, "last out", 0),))
    labels = [label for _, label, _ in glued([outer, inner], [1, 0], (0, 1), written=True).edges]
    assert labels == ["out", "also", "in", "last in", "last out"]
    assert [label for _, label, _ in glued([outer, inner], [1, 0], (0, 1)).edges] == sorted(labels)


def test_an_edge_that_is_written_twice_is_one() -> None:
    rule = GluingRule((WORD,), (new("b", 0),), ((0, "x", 0), (0, "x", 0)), (0,))
    assert glued([rule], [0], (0,)).edges == ((0, "x", 0),)


# --- without some words -----------------------------------------------------------------------


def test_words_that_are_gone_take_their_nodes_and_edges_with_them() -> None:
    left = moved(CHAIN, [-1, 0, -1, 1])
    assert [(found.get("lemma"), found.position) for found in left.nodes] == [("b", 0), ("d", 1)]
    assert left.edges == ((0, "y", 1),)
    assert left.head == 0


def test_a_graph_whose_head_is_gone_has_none() -> None:
    assert moved(CHAIN, [0, -1, 1, 2]).head == -1
    assert moved(CHAIN, [0, -1, 1, 2]).edges == ((2, "z", 1),)


def test_nothing_gone_changes_nothing() -> None:
    assert moved(CHAIN, range(4)) == CHAIN


def test_an_attribute_that_a_node_lacks_is_the_default() -> None:
    assert node("a", 0).get("lemma") == "a"
    assert node("a", 0).get("Tense") == ""
    assert node("a", 0).get("Tense", "Pres") == "Pres"


def test_parts_are_between_the_cuts() -> None:
    words = ["a", "b", CUT, CUT, "c"]
    assert parts_of(words) == [["a", "b"], [], ["c"]]
    assert parts_of([]) == [[]]
    assert [part_of(words, part) for part in (0, 1, 2, 3)] == [words, ["a", "b"], [], ["c"]]
