"""Measures of trees and scores of sentences: the published example, and what always holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU
from treebanks import EXAMPLE_HEADS, EXAMPLE_RELATIONS, EXAMPLE_WORDS, dice, flux_sizes, flux_weights, trees
from vectors import vectors

from sgl.research.analyse import Sides, TreebankWord, edge_accuracy, measure, sentence_bleu, without_punctuation
from sgl.research.analyse.metrics import EdgeAccuracy, edges_kept, mean_entropy
from sgl.research.analyse.mining import subtrees
from sgl.research.analyse.statistics import holm, projectivity_test, spearman

LEMMAS = [word.lower() for word in EXAMPLE_WORDS]

# --- the example of the paper ----------------------------------------------------------------


def test_the_tree_of_the_paper_has_the_measures_of_the_paper() -> None:
    found = measure(EXAMPLE_HEADS)
    assert (found.depth, found.length) == (3, 8)
    assert (found.distance, found.flux_size, found.flux_weight) == (2, 2, 1)
    assert found.arity == 0.875
    assert found.projective
    assert flux_sizes(EXAMPLE_HEADS) == [1, 1, 2, 1, 2, 3, 4]
    assert flux_weights(EXAMPLE_HEADS) == [1] * 7


def test_the_output_of_the_paper_keeps_five_of_seven_edges() -> None:
    output = ["i", "enjoy", "my", "time", "at", "high", "franklin", "school"]
    assert edge_accuracy(LEMMAS, EXAMPLE_HEADS, output) == (5, 7)
    found = edges_kept(LEMMAS, EXAMPLE_HEADS, output)
    lost = [relation for relation, kept in zip(EXAMPLE_RELATIONS, found, strict=True) if kept is False]
    assert lost == ["compound", "compound"]


# --- trees -----------------------------------------------------------------------------------


@given(trees)
def test_mean_dependency_distance_is_mean_flux_size(heads: tuple[int, ...]) -> None:
    found = measure(heads)
    edges = max(len(heads) - 1, 1)
    assert found.distance == found.flux_size == sum(flux_sizes(heads)) / edges
    assert found.flux_weight == sum(flux_weights(heads)) / edges


def passing(heads: Sequence[int], position: int) -> list[tuple[int, int]]:
    edges = [(word, head) for word, head in enumerate(heads, 1) if head]
    return [edge for edge in edges if min(edge) <= position < max(edge)]


@given(trees)
def test_flux_is_what_its_definition_says(heads: tuple[int, ...]) -> None:
    positions = range(1, len(heads))
    assert flux_sizes(heads) == [len(passing(heads, at)) for at in positions]
    assert flux_weights(heads) == [
        len(nx.max_weight_matching(nx.Graph(passing(heads, at)), maxcardinality=True)) for at in positions
    ]


def governors(heads: Sequence[int], word: int) -> list[int]:
    chain = []
    while word:
        chain.append(word)
        word = heads[word - 1]
    return chain


@given(trees)
def test_a_tree_is_projective_if_governors_dominate_what_they_span(heads: tuple[int, ...]) -> None:
    spanned = (
        head in governors(heads, between)
        for word, head in enumerate(heads, 1)
        if head
        for between in range(min(word, head) + 1, max(word, head))
    )
    assert measure(heads).projective == all(spanned)


@given(trees)
def test_depth_and_arity(heads: tuple[int, ...]) -> None:
    found = measure(heads)
    assert found.depth == max(len(governors(heads, word)) for word in range(1, len(heads) + 1)) - 1
    assert found.arity == sum(1 for head in heads if head) / len(heads)


def test_an_edge_over_the_root_is_not_projective_though_no_edges_cross() -> None:
    assert not measure((3, 0, 2)).projective


def test_one_word_has_nothing_to_measure() -> None:
    assert measure((0,)) == (1, 0, 0, 0, 0, 0, True)


@pytest.mark.parametrize("heads", [(0, *range(1, 10_000)), (0, *[1] * 9_999)])
def test_the_longest_trees_are_measured(heads: tuple[int, ...]) -> None:
    assert measure(heads).length == 10_000


def words(heads: Sequence[int], relations: Sequence[str]) -> list[TreebankWord]:
    return [TreebankWord("w", "w", "X", head, deprel) for head, deprel in zip(heads, relations, strict=True)]


def test_what_depends_on_punctuation_goes_to_its_governor() -> None:
    relations = ["discourse", "punct", "nsubj", "root", "punct", "advmod", "punct:x"]
    skeleton = without_punctuation(words((4, 4, 4, 0, 4, 5, 4), relations))
    assert skeleton.heads == (3, 3, 0, 3)
    assert skeleton.kept == (0, 2, 3, 5)


def test_the_root_is_kept_even_if_it_is_punctuation() -> None:
    assert without_punctuation(words((0, 1), ["punct", "punct"])).heads == (0,)


# --- edges, relations ------------------------------------------------------------------------


def test_an_edge_that_a_text_has_once_is_kept_once() -> None:
    tree = (["very", "old", "very", "old"], (2, 0, 4, 2))
    assert edge_accuracy(*tree, ["very", "old"]) == (1, 3)


@given(trees)
def test_a_text_keeps_all_edges_of_its_own_tree(heads: tuple[int, ...]) -> None:
    text = [f"w{at % 3}" for at in range(len(heads))]
    found = edge_accuracy(text, heads, text)
    assert found.kept == found.edges == len(heads) - 1
    assert edge_accuracy(text, heads, []).kept == 0


def test_the_entropy_of_a_relation_is_one_bit_if_its_order_is_free() -> None:
    assert Sides(5, 5).entropy == 1
    assert Sides(10, 0).entropy == 0
    assert Sides(3, 1).entropy == pytest.approx(0.8112781244591328, abs=1e-12)
    assert mean_entropy({"amod": Sides(5, 5), "nsubj": Sides(10, 0)}) == 0.5


# --- BLEU ------------------------------------------------------------------------------------

sentences = st.lists(st.sampled_from("abcdef"), min_size=4, max_size=12)


@given(sentences, sentences)
def test_bleu_is_that_of_sacrebleu_from_four_words_on(reference: list[str], output: list[str]) -> None:
    theirs = BLEU(tokenize="none", smooth_method="add-k", smooth_value=1, effective_order=False).sentence_score(
        " ".join(output), [" ".join(reference)]
    )
    assert sentence_bleu(reference, output) == pytest.approx(theirs.score / 100, abs=1e-9)


def test_an_output_without_a_right_word_has_no_bleu() -> None:
    assert sentence_bleu(["x"], ["y"]) == 0
    assert sentence_bleu(["x"], []) == 0


def test_a_perfect_output_of_three_words_is_far_from_one() -> None:
    assert sentence_bleu(list("abc"), list("abc")) == pytest.approx(0.8408964152537145, abs=1e-12)


# --- statistics ------------------------------------------------------------------------------


def test_a_measure_that_is_always_the_same_has_no_correlation() -> None:
    column = np.arange(10.0)
    found = spearman("x", "y", column, np.ones(10))
    assert (found.pairs, found.rho, found.p) == (10, None, None)


def test_a_test_needs_sentences_of_both_kinds() -> None:
    found = projectivity_test("bleu", np.arange(5.0), np.ones(5, np.bool_))
    assert (found.projective, found.others, found.u, found.p) == (5, 0, None, None)


@given(st.lists(st.floats(0, 1), max_size=12), st.floats(0.01, 0.99))
def test_holm_rejects_what_the_textbook_does(values: list[float], level: float) -> None:
    """Step down from the smallest p-value, and stop at the first above level / tests left."""
    adjusted = holm(values)
    assert all(p <= found <= 1 for p, found in zip(values, adjusted, strict=True))
    rejected = set[int]()
    for rank, at in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        if values[at] * (len(values) - rank) > level:
            break
        rejected.add(at)
    assert {at for at, found in enumerate(adjusted) if found <= level} == rejected


# --- the vectors -----------------------------------------------------------------------------


def test_all_vectors() -> None:
    cases = vectors("sr_metrics.json")
    for case in cases["trees"]:
        check_tree(case)
    for case in cases["dea"]:
        check_edges(case, cases["fig1"])
    for case in cases["bleu"]:
        bleu = sentence_bleu(case["ref"].split(), case["hyp"].split())
        assert bleu == pytest.approx(case["bleu4_smooth2"], abs=1e-12)
    for case in cases["entropy"]:
        found = Sides(case["left"], case["right"]).entropy
        assert found == pytest.approx(case["H"], abs=1e-12)
    for case in cases["subtrees"]:
        counts = subtrees(case["heads"], case["labels"], 1, case["max_nodes"])
        assert {entry.text: count for entry, count in counts.items()} == case["subtrees"]
    punct = cases["punct"]
    skeleton = without_punctuation(words(punct["heads_before"], punct["deprels"]))
    assert list(skeleton.heads) == punct["heads_after"]
    check_statistics(cases["stats"])


def check_tree(case: Mapping[str, Any]) -> None:
    found = measure(case["heads"])
    expected = [case[key] for key in ("length", "depth", "mdd", "mfs", "mfw", "arity")]
    assert list(found[:6]) == pytest.approx(expected, abs=1e-12), case["note"]
    assert found.projective == case["projective"]
    assert flux_sizes(case["heads"]) == case["flux_sizes"]
    assert flux_weights(case["heads"]) == case["flux_weights"]


def check_edges(case: Mapping[str, Any], figure: Mapping[str, Any]) -> None:
    output = case["output"].split()
    if "lemmas" in case:
        tree = case["lemmas"], case["heads"]
        assert edge_accuracy(*tree, output).share == pytest.approx(case["dea_clipped"])
        return
    lemmas = [form.lower() for form in figure["forms"]]
    assert edge_accuracy(lemmas, figure["heads"], output).share == pytest.approx(case["dea"])
    found = edges_kept(lemmas, figure["heads"], output)
    for label, (kept, edges) in case["per_relation"].items():
        of_label = [k for k, name in zip(found, figure["deprels"], strict=True) if name == label]
        assert EdgeAccuracy.of(of_label) == (kept, edges)


def check_statistics(stats: Mapping[str, Any]) -> None:
    x, y = (np.array(stats["spearman"][key], np.float64) for key in "xy")
    found = spearman("x", "y", x, y)
    assert found.rho == pytest.approx(stats["spearman"]["rho"], abs=1e-12)
    assert found.p == pytest.approx(stats["spearman"]["p"], abs=1e-12)
    assert holm(stats["holm"]["p"]) == pytest.approx(stats["holm"]["adjusted"], abs=1e-12)
    values = np.array([*stats["mwu"]["a"], *stats["mwu"]["b"]])
    first = np.arange(len(values)) < len(stats["mwu"]["a"])
    test = projectivity_test("bleu", values, first)
    assert test.u == stats["mwu"]["U"]
    assert test.p == pytest.approx(stats["mwu"]["p_two_sided_asymptotic_cc"], abs=1e-12)


# --- structures ------------------------------------------------------------------------------


@given(trees, st.integers(0, 1000))
def test_structures_are_the_connected_sets_of_words(heads: tuple[int, ...], seed: int) -> None:
    draw = dice(seed)
    heads = heads[:1] if len(heads) < 2 else heads
    labels = [draw.choice("ab") for _ in heads]
    found = subtrees(heads, labels, 1, 3)
    for size in (1, 2, 3):
        connected = sum(
            sum(heads[word] - 1 in chosen for word in chosen) == size - 1
            for chosen in combinations(range(len(heads)), size)
        )
        assert sum(n for entry, n in found.items() if entry.words == size) == connected
