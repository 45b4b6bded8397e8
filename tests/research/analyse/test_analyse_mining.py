"""Error mining: the toy with known fractions, and causes that were planted."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from treebanks import conllu, dice, random_heads, write

from sgl.research.analyse import AnalysisSettings, TreebankWord, analyse, without_punctuation
from sgl.research.analyse.mining import (
    MinedTrees,
    Occurrences,
    Subtree,
    TooManySubtreesError,
    collapsed,
    frequent,
    occurrence,
    scores,
    subtrees,
    suspicion,
)

#: Sentences with their structures, and whether they have failed.
TOY = (("AB", True), ("AC", True), ("BC", False), ("ABC", True), ("CC", False))
#: The suspicion of A, B and C at first, and after one, two and three rounds.
SUSPICIONS = (
    ("4/9", "5/18", "1/6"),
    ("527/858", "145/624", "81/880"),
    ("130862319092/174516655131", "2505745/14399658", "4572693/100107070"),
    (
        "13728776119426281242466261646811/16294406889733912262267671382838",
        "11512318886378767765/93892961302202205936",
        "14085548205879964329/673751228619983696560",
    ),
)


def table(documents: list[str]) -> Occurrences:
    """A table of documents whose letters are structures."""
    return MinedTrees(documents, letters_of).table()


def letters_of(document: str) -> dict[Subtree, int]:
    return {Subtree(x, 1): n for x, n in Counter(document.strip()).items()}


def toy() -> tuple[Occurrences, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    failed = np.array([has_failed for _, has_failed in TOY], np.int64)
    return table([letters for letters, _ in TOY]), failed


@pytest.mark.parametrize(("rounds", "expected"), list(enumerate(SUSPICIONS)))
def test_suspicion_is_that_of_the_fractions(rounds: int, expected: tuple[str, ...]) -> None:
    found, failed = toy()
    assert [entry.text for entry in found.subtrees] == ["A", "B", "C"]
    exact = [float(Fraction(text)) for text in expected]
    assert suspicion(found, failed, rounds) == pytest.approx(exact, abs=1e-12)


def test_scores_weigh_by_how_often_a_structure_occurs() -> None:
    found, failed = toy()
    expected = [0.9256306323538295, 0.13470205672749444, 0.033647159866995666]
    assert scores(found, suspicion(found, failed, 3)) == pytest.approx(expected, abs=1e-12)


def test_equal_trees_count_as_often_as_sentences_have_them() -> None:
    failed = np.array([1, 0, 1, 0])
    # A space makes another tree with the same structures.
    apart, mined = table(["AB", "AB ", "BC", "C"]), MinedTrees(["AB", "AB", "BC", "C"], letters_of)
    assert mined.by_tree(failed > 0).tolist() == [1, 1, 0]
    together = suspicion(mined.table(), mined.by_tree(failed > 0), 4)
    assert together == pytest.approx(suspicion(apart, failed, 4), abs=1e-12)


def test_structures_of_the_same_sentences_are_one() -> None:
    found = collapsed(table(["AAB", "C", "ABC"]))
    assert [entry.text for entry in found.subtrees] == ["A", "C"]


def test_rare_structures_are_left_out() -> None:
    found = frequent(table(["AB", "A", "AA"]), 2)
    assert [entry.text for entry in found.subtrees] == ["A"]
    assert found.support.tolist() == [3]
    assert found.total.tolist() == [4]


def sentence(size: int, draw: Random) -> list[TreebankWord]:
    labels = ["nsubj", "obj", "acl", "obl", "det", "amod"]
    return [
        TreebankWord(f"w{at}", "w", draw.choice(["NOUN", "VERB"]), head, draw.choice(labels) if head else "root")
        for at, head in enumerate(random_heads(size, draw))
    ]


@pytest.mark.slow
@pytest.mark.parametrize("nodes", [(2, 2), (2, 3), (1, 3)])
def test_a_planted_cause_is_the_first_that_is_mined(nodes: tuple[int, int], tmp_path: Path) -> None:
    draw = dice(7)
    cause = Subtree("(acl (nsubj))", 2)
    treebank, outputs = [], []
    for _ in range(1500):
        words = sentence(draw.randint(4, 12), draw)
        treebank.append(conllu([word[:5] for word in words]))
        labels = [word.deprel for word in words]
        guilty = occurrence(without_punctuation(words).heads, labels, cause.text) is not None
        fails = draw.random() < (0.85 if guilty else 0.08)
        outputs.append("wrong" if fails else " ".join(word.form for word in words))
    gold = write(tmp_path / "gold.conllu", "".join(treebank))
    system = write(tmp_path / "system.txt", "\n".join(outputs) + "\n")
    settings = AnalysisSettings(failure="inexact", nodes=nodes, views=("dep",))
    (mined,) = analyse(gold, [("system", system)], settings).data["mined"]
    first = mined["suspects"][0]
    assert (first["structure"], first["words"]) == cause
    assert len(first["example"]["marked"]) == 2
    assert first["example"]["output"] == "wrong"


@given(st.integers(1, 9), st.integers(0, 1000))
def test_every_structure_of_a_tree_occurs_in_it(size: int, seed: int) -> None:
    words = sentence(size, dice(seed))
    heads, labels = [word.head for word in words], [word.deprel for word in words]
    for structure in subtrees(heads, labels, 1, 4):
        found = occurrence(heads, labels, structure.text)
        assert found is not None
        assert len(found) == structure.words
    assert occurrence(heads, labels, "(iobj)") is None


@pytest.mark.slow
def test_a_word_with_very_many_dependents_is_not_taken_apart() -> None:
    labels = [f"r{number}" for number in range(400)]
    with pytest.raises(TooManySubtreesError):
        subtrees((0, *[1] * 399), labels, 1, 3)


def test_equal_dependents_are_counted_together() -> None:
    found = subtrees((0, *[1] * 399), ["a"] + ["b"] * 399, 2, 4)
    assert found[Subtree("(a (b) (b) (b))", 4)] == 399 * 398 * 397 // 6
