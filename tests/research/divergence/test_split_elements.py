"""Atoms and compounds: of derivations, of dependency trees, of words with features."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from split_items import TREEBANK, derivation_trees
from toy import all_derivations, toy_grammar

from sgl.core.arrays import Derivations
from sgl.dataset.maker import expression_output
from sgl.research.divergence import NoItemsError, count_names
from sgl.research.divergence.problem import Occurrences
from sgl.research.divergence.sources import ElementSettings, ItemSet, WordChoice, feature_elements, ranked, read_items
from sgl.research.divergence.trees import (
    UNIT,
    NotADerivationError,
    Tree,
    TreeNode,
    dependency_trees,
    edge_compounds,
    node_and_edge_atoms,
    node_atoms,
    pieces,
    read_derivations,
    weighted_pieces,
)
from sgl.research.treebank import TreebankSentence

DOG = "(s (np the dog) slept)"


def bag(part: Occurrences, item: int) -> dict[str, int]:
    entries = slice(part.start[item], part.start[item + 1])
    names = [part.names[kind] for kind in part.kinds[entries]]
    return dict(zip(names, part.times[entries].tolist(), strict=True))


def bags(part: Occurrences) -> list[Counter[str]]:
    return [Counter(bag(part, item)) for item in range(part.items)]


# ---- derivations


def test_the_atoms_of_a_derivation_are_its_rules_and_words() -> None:
    trees = read_derivations([DOG, "(s (np the the) slept)"])
    assert bags(node_atoms(trees)) == [
        {"s": 1, "np": 1, "the": 1, "dog": 1, "slept": 1},
        {"s": 1, "np": 1, "the": 2, "slept": 1},
    ]


def test_a_compound_is_a_rule_with_a_child_at_its_place() -> None:
    trees = read_derivations([DOG])
    assert bag(edge_compounds(trees), 0) == {"s -0-> np": 1, "np -0-> the": 1, "np -1-> dog": 1, "s -1-> slept": 1}


def test_labels_may_have_parentheses_and_spaces_in_quotes() -> None:
    trees = read_derivations(['(np:"NP[a=b, c=d]"#2 "ice cream" "a \\" ) b")'])
    assert [node.label for node in trees[0]] == ['np:"NP[a=b, c=d]"#2', '"ice cream"', '"a \\" ) b"']
    assert [node.parent for node in trees[0]] == [-1, 0, 0]


@pytest.mark.parametrize("text", ["", "(s", "s)", "(s a) b", "a b", "()", "((a) b)", "(s a))"])
def test_what_is_no_derivation_is_named_by_its_row(text: str) -> None:
    with pytest.raises(NotADerivationError, match="row 2"):
        read_derivations([DOG, text])


def test_derivations_in_arrays_have_the_compounds_of_their_texts() -> None:
    grammar = toy_grammar()
    derivations = list(all_derivations(grammar, 4))[:200]
    expression = expression_output(grammar, 0)
    written = read_derivations([expression(derivation) for derivation in derivations])
    packed = derivation_trees(grammar, Derivations.of(derivations))
    for elements in (node_atoms, edge_compounds):
        one, other = elements(written), elements(packed)
        assert one.start.tolist() == other.start.tolist()
        assert sorted(one.times.tolist()) == sorted(other.times.tolist())
        assert len(one.names) == len(set(other.kinds.tolist()))


# ---- larger pieces, and weights


def test_the_pieces_of_a_small_tree() -> None:
    assert bag(pieces(read_derivations([DOG]), 3), 0) == {
        "s(0:np)": 1,
        "s(1:slept)": 1,
        "np(0:the)": 1,
        "np(1:dog)": 1,
        "s(0:np, 1:slept)": 1,
        "s(0:np(0:the))": 1,
        "s(0:np(1:dog))": 1,
        "np(0:the, 1:dog)": 1,
    }


def test_pieces_of_two_nodes_are_edges() -> None:
    trees = read_derivations([DOG, "(s (np a cat) (saw (np the dog)))"])
    edges, small = edge_compounds(trees), pieces(trees, 2)
    assert [sorted(b.values()) for b in bags(edges)] == [sorted(b.values()) for b in bags(small)]
    assert len(edges.names) == len(small.names)


@st.composite
def random_trees(draw: st.DrawFn) -> list[Tree]:
    parents = [-1, *(draw(st.integers(0, node)) for node in range(draw(st.integers(0, 6))))]
    return [[TreeNode(draw(st.sampled_from("abc")), parent, draw(st.sampled_from("xy"))) for parent in parents]]


@given(random_trees(), st.integers(2, 4))
def test_pieces_are_all_connected_sets_of_nodes(trees: list[Tree], size: int) -> None:
    parents = [node.parent for node in trees[0]]
    number = len(parents)
    connected = 0
    for chosen in range(1, 1 << number):
        nodes = [node for node in range(number) if chosen >> node & 1]
        tops = [node for node in nodes if parents[node] not in nodes]
        connected += 2 <= len(nodes) <= size and len(tops) == 1
    assert int(pieces(trees, size).times.sum()) == connected


def test_labels_that_look_like_forms_are_told_apart() -> None:
    one = [TreeNode("a(x:b)", -1, "x"), TreeNode("c", 0, "x")]
    assert pieces([one], 2).names == ["'a(x:b)'(x:c)"]


def test_a_compound_that_mostly_lies_in_a_larger_one_weighs_little() -> None:
    # np(0:the) lies in np(0:the, 1:dog) in 9 of 10 cases; np(1:dog) always does, and so
    # does np(1:cat) in its larger piece: they weigh nothing.
    trees = read_derivations(["(np the dog)"] * 9 + ["(np the cat)"])
    weighed = weighted_pieces(trees, 2)
    assert weighed.unit == UNIT
    assert bag(weighed, 0) == {"np(0:the)": 100}
    assert bag(weighed, 9) == {"np(0:the)": 900}


def test_a_compound_in_ever_new_company_weighs_much() -> None:
    trees = read_derivations([f"(np the n{number})" for number in range(4)])
    assert bag(weighted_pieces(trees, 2), 0) == {"np(0:the)": 750}


# ---- treebanks


def items_of(tmp_path: Path, text: str | bytes) -> ItemSet:
    path = tmp_path / "bank.conllu"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_items([path], ElementSettings("graph"))


def sentences(tmp_path: Path, text: str) -> tuple[TreebankSentence, ...]:
    return items_of(tmp_path, text).sentences


def test_a_treebank_is_read_without_ranges_and_empty_nodes(tmp_path: Path) -> None:
    items = items_of(tmp_path, TREEBANK)
    assert items.files[0].ids == ("farm-1", "farm-2")
    assert items.files[0].categories == ("plain", "")
    assert [word.lemma for word in items.sentences[1].words] == ["von", "der", "Hund"]
    assert b"\n\n".join(items.blocks([0, 1])) + b"\n" == TREEBANK.encode()


def test_the_graph_of_a_sentence_gives_lemmas_relations_and_edges(tmp_path: Path) -> None:
    trees = dependency_trees(sentences(tmp_path, TREEBANK))
    assert bag(node_and_edge_atoms(trees), 0) == {"the": 1, "dog": 1, "sleep": 1, "-det->": 1, "-nsubj->": 1}
    assert bag(edge_compounds(trees), 1) == {"Hund -case-> von": 1, "Hund -det-> der": 1}


def test_a_word_is_a_compound_of_its_lemma_and_features(tmp_path: Path) -> None:
    elements = feature_elements(sentences(tmp_path, TREEBANK))
    assert bag(elements.compounds, 0) == {"dog+Case=Nom|Number=Plur": 1, "sleep+Tense=Past": 1}
    assert bag(elements.atoms, 1) == {"der": 1, "Hund": 1, "+Case=Dat": 2}


def test_features_that_go_with_one_lemma_are_no_compounds(tmp_path: Path) -> None:
    found = sentences(tmp_path, TREEBANK)
    elements = feature_elements(found, WordChoice(Fraction(1, 3)))
    assert list(elements.compounds.names) == ["der+Case=Dat", "Hund+Case=Dat"]
    assert list(feature_elements(found, WordChoice(Fraction(1, 2))).compounds.names) == []


def test_lemmas_are_chosen_by_occurrences_and_features(tmp_path: Path) -> None:
    found = sentences(tmp_path, TREEBANK + "\n" + TREEBANK.replace("dog\t", "cat\t"))
    times = Counter(word.lemma for sentence in found for word in sentence.words)
    often = {lemma for lemma, number in times.items() if number >= 2}
    chosen = {name.partition("+")[0] for name in feature_elements(found, WordChoice(occurrences=2)).compounds.names}
    assert chosen < {name.partition("+")[0] for name in feature_elements(found).compounds.names}
    assert chosen <= often
    for without in ("Case", "Case=Nom"):
        names = feature_elements(found, WordChoice(without=(without,))).compounds.names
        assert names
        assert not [name for name in names if without in name]


def test_ranks_balance_frequent_and_rare_lemmas() -> None:
    """As in the paper: of 1M sentences the ranks 1000-1033, 2000-2083, 3000-3174, with 40,000 occurrences each."""
    times = {f"l{rank:05}": 1_200_000 // rank for rank in range(1, 9001)}
    kept = ranked(times, 1000, 40_000)
    ranks = [{lemma for lemma in kept if begin <= int(lemma[1:]) < begin + 1000} for begin in range(1000, 10_000, 1000)]
    assert [min(lemmas) for lemmas in ranks] == [f"l{begin:05}" for begin in range(1000, 10_000, 1000)]
    assert [len(lemmas) for lemmas in ranks[:3]] == [34, 68, 102]
    for lemmas in ranks[:-1]:
        assert 40_000 <= sum(times[lemma] for lemma in lemmas) < 41_300
    # There is nothing but rank 9000 from rank 9000 on.
    assert len(ranks[-1]) == 1


def test_ranks_are_those_of_the_listed_lemmas(tmp_path: Path) -> None:
    """Lemmas that no list has (`Der`, `von`) take no rank from the others."""
    listed = frozenset({"dog", "sleep", "Hund"})
    others = TREEBANK.replace("dog", "do#g").replace("sleep", "nap"), TREEBANK.replace("dog", "cat")
    found = sentences(tmp_path, "\n".join((TREEBANK, *others)))
    assert WordChoice(listed=listed).lemmas(found) == {"dog", "do#g", "sleep", "Hund"}
    assert WordChoice(listed=listed, ranks=(2, 1)).lemmas(found) == {"sleep", "dog"}
    assert WordChoice(listed=listed, ranks=(2, 1), occurrences=2).lemmas(found) == {"sleep"}


def test_a_treebank_may_end_without_an_empty_line_and_begin_with_a_mark(tmp_path: Path) -> None:
    items = items_of(tmp_path, "\ufeff" + TREEBANK.rstrip("\n").replace("\n", "\r\n"))
    assert items.files[0].ids == ("farm-1", "farm-2")
    assert b"\n\n".join(items.blocks([0, 1])) + b"\n" == TREEBANK.encode()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1\tthe\n", "line 1: 2 columns instead of 10"),
        (TREEBANK.replace("2\tdogs", "3\tdogs"), "line 4: the word is numbered 3 instead of 2"),
        (TREEBANK.replace("\t2\tdet", "\t9\tdet", 1), "line 1 begins a sentence with a wrong head"),
        (TREEBANK.replace("\t2\tdet", "\t1\tdet", 1), "wrong head"),
        (TREEBANK.replace("\t2\tdet", "\tx\tdet", 1), "wrong head"),
        (b"1\t\xff\n", "line 1: the line is not UTF-8"),
    ],
)
def test_what_is_wrong_in_a_treebank_is_said(tmp_path: Path, text: str | bytes, words: str) -> None:
    with pytest.raises(NoItemsError, match=words):
        items_of(tmp_path, text)


# ---- occurrences


def test_occurrences_are_counted_by_item() -> None:
    part = count_names([["a", "b", "a"], [], ["b"]])
    assert bags(part) == [{"a": 2, "b": 1}, {}, {"b": 1}]
    assert part.totals(np.array([True, False, True])).tolist() == [2, 2]
