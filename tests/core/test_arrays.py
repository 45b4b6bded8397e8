"""Texts, derivations and counts in flat arrays, against the same in lists; and how far apart counts are."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy import TOY, random_derivations

from sgl.core.arrays import (
    ATOM_ALPHA,
    COMPOUND_ALPHA,
    SHIFT,
    SLACK,
    Column,
    Derivations,
    ElementCounts,
    StringPool,
    as_bytes,
    compare_counts,
    divergence,
)
from sgl.core.interpret import fold

TEXTS = st.lists(st.text(alphabet="aß犬", max_size=4), max_size=6)
ROWS = random_derivations(TOY, 50, 21)
ARITY = np.array(TOY.arity)


# --- texts --------------------------------------------------------------------------------------


@given(TEXTS)
def test_a_column_has_its_texts(texts: list[str]) -> None:
    column = Column.of(texts)
    assert [*column.texts()] == texts
    assert column.rows == len(texts)
    assert column.size == sum(len(text.encode()) for text in texts)


@given(TEXTS.filter(bool), st.data())
def test_texts_are_taken_in_the_order_in_which_they_are_asked_for(texts: list[str], data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=6))
    assert [*Column.of(texts).take(np.array(rows, np.int64)).texts()] == [texts[row] for row in rows]


def test_the_size_of_a_slice_of_a_column_is_its_own() -> None:
    column = Column.of(["a", "bcd", "ef"])
    assert Column(column.data, column.offsets[1:]).size == 5


def test_behind_every_buffer_is_room_for_a_whole_vector() -> None:
    assert as_bytes(b"abc").tolist() == [97, 98, 99, *([0] * SLACK)]
    assert len(Column.of(["ab"]).take(np.array([0, 0])).data) == 4 + SLACK


@given(st.lists(st.text(alphabet="aß犬", max_size=3)))
def test_a_pool_has_each_text_once_and_its_number_says_where(texts: list[str]) -> None:
    pool = StringPool()
    numbers = [pool.add(text) for text in texts]
    packed = pool.packed().tobytes()
    for text, number in zip(texts, numbers, strict=True):
        start, length = number & ((1 << SHIFT) - 1), number >> SHIFT
        assert packed[start : start + length].decode() == text
    assert len(set(numbers)) == len(set(texts))
    assert len(packed) == sum(len(text.encode()) for text in set(texts)) + SLACK


def test_a_pool_that_grows_is_packed_anew() -> None:
    pool = StringPool()
    assert pool.add("a") == 1 << SHIFT
    assert pool.packed() is pool.packed()
    assert pool.add(b"bc") == 1 | 2 << SHIFT
    assert pool.packed().tobytes()[:3] == b"abc"


# --- derivations --------------------------------------------------------------------------------


def test_derivations_come_back_as_they_were() -> None:
    packed = Derivations.of(ROWS)
    assert [*packed] == ROWS
    assert packed.number == len(ROWS)
    assert [packed.at(number) for number in range(len(ROWS))] == ROWS
    assert [*packed.take(np.array([3, 3, 0]))] == [ROWS[3], ROWS[3], ROWS[0]]
    assert [*pickle.loads(pickle.dumps(packed))] == ROWS  # noqa: S301 - our own


def test_parents_and_places_are_those_of_the_tree() -> None:
    rules, parents, places = (column.tolist() for column in Derivations.of(ROWS).nodes(ARITY))
    assert rules == [rule for row in ROWS for rule in row]
    expected: list[tuple[int, int]] = []
    for row in ROWS:
        waiting = [(-1, 0)]
        for rule in row:
            expected.append(waiting.pop())
            number = len(expected) - 1
            waiting += [(number, place) for place in reversed(range(TOY.arity[rule]))]
    assert [*zip(parents, places, strict=True)] == expected


def test_heights_are_those_of_the_trees() -> None:
    heights = [fold(row, TOY.arity, lambda _, below: 1 + max(below, default=0)) for row in ROWS]
    assert Derivations.of(ROWS).heights(ARITY).tolist() == heights


# --- divergence ---------------------------------------------------------------------------------

COUNTS = st.lists(st.integers(0, 20), min_size=4, max_size=4).map(np.array)
ALPHAS = st.sampled_from([ATOM_ALPHA, COMPOUND_ALPHA])


@given(COUNTS, COUNTS, ALPHAS)
def test_divergence_is_between_0_and_1_and_does_not_depend_on_sizes(
    train: np.ndarray, test: np.ndarray, alpha: float
) -> None:
    found = divergence(train, test, alpha)
    assert 0 <= found <= 1
    assert divergence(3 * train, 2 * test, alpha) == pytest.approx(found)
    if train.sum():
        assert divergence(train, train, alpha) == pytest.approx(0, abs=1e-12)


def test_divergence_of_what_has_nothing_in_common_is_1() -> None:
    assert divergence(np.array([1, 0]), np.array([0, 1]), ATOM_ALPHA) == 1
    assert divergence(np.array([0, 0]), np.array([0, 1]), ATOM_ALPHA) == 1
    assert divergence(np.array([0, 1]), np.array([0, 0]), ATOM_ALPHA) == 1


def test_divergence_by_hand() -> None:
    # 1 - sum p^a q^(1 - a), with p = (1/4, 3/4) and q = (1/2, 1/2)
    by_hand = 1 - (0.25**0.1 * 0.5**0.9 + 0.75**0.1 * 0.5**0.9)
    assert divergence(np.array([1, 3]), np.array([5, 5]), COMPOUND_ALPHA) == pytest.approx(by_hand)
    assert (ATOM_ALPHA, COMPOUND_ALPHA) == (0.5, 0.1)


def test_what_items_have_and_training_lacks_is_counted() -> None:
    train = ElementCounts(np.array([3, 0, 0]), np.array([2, 0, 0, 0, 1]))
    test = ElementCounts(np.array([1, 0, 4]), np.array([1, 5, 0, 2, 1]))
    found = compare_counts(train, test, ("a", "b", "c", "d", "e"), examples=1)
    assert (found.kinds, found.unseen, found.unseen_atoms) == (4, 2, 1)
    assert found.unseen_share == pytest.approx(7 / 9)
    assert found.examples == ("b",)
    assert compare_counts(train, test, ("a", "b", "c", "d", "e"), examples=9).examples == ("b", "d")
    assert found.atoms == divergence(train.atoms, test.atoms, ATOM_ALPHA)
    assert found.compounds == divergence(train.compounds, test.compounds, COMPOUND_ALPHA)


def test_a_single_occurrence_counts_and_none_is_no_mistake() -> None:
    once, nothing = ElementCounts(np.array([1]), np.array([1])), ElementCounts(np.array([0]), np.array([0]))
    seen, unseen, empty = compare_counts(once, once), compare_counts(nothing, once), compare_counts(once, nothing)
    assert (seen.unseen, seen.unseen_share, seen.unseen_atoms) == (0, 0.0, 0)
    assert (unseen.unseen, unseen.unseen_share, unseen.unseen_atoms) == (1, 1.0, 1)
    assert (empty.kinds, empty.unseen_share, empty.examples) == (0, 0.0, ())
