"""The search for a split: bounds hold, targets are met, and a seed gives one split."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from hashlib import sha256
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from split_items import random_words, recompute, words
from vectors import vectors

from dense_splits import agreement
from sgl.core.arrays import ATOM_ALPHA, COMPOUND_ALPHA
from sgl.research.divergence import (
    TEST,
    TRAIN,
    Annealing,
    Bounds,
    Elements,
    Greedy,
    NoSuchSplitError,
    SplitTarget,
    SplitTask,
    anneal,
    greedy,
    measure,
)
from sgl.research.divergence.objective_kernel import SUM, exchange, new_state, place
from sgl.research.divergence.problem import DISCARDED

Labels = NDArray[np.int8]
HALF = Bounds(Fraction(1, 5), Fraction(1, 2))


def divergences(elements: Elements, labels: Labels) -> tuple[float, float]:
    found = recompute(elements, labels)
    seen = measure(elements, labels == TRAIN, labels == TEST)
    assert (seen.atoms, seen.compounds) == pytest.approx(found, abs=1e-12)
    return found


def score(elements: Elements, labels: Labels, target: float) -> float:
    atoms, compounds = divergences(elements, labels)
    return -abs(compounds - target) - atoms


def sizes(labels: Labels) -> tuple[int, int, int]:
    train, test, discarded = np.bincount(labels, minlength=3).tolist()
    return train, test, discarded


# ---- what is found


@pytest.mark.slow
@pytest.mark.parametrize("target", [0.0, 0.5, 1.0])
def test_annealing_finds_the_best_split_of_twelve_sentences(target: float) -> None:
    elements = words(vectors("dbca.json")["toy"]["sentences"])
    labels = anneal(SplitTask(elements, SplitTarget(target), HALF, 1))
    best = vectors("dbca.json")["toy"]["optimum"][str(target)]["best_score"]
    assert score(elements, labels, target) == pytest.approx(best, abs=1e-11)


def test_no_split_of_twelve_sentences_is_better_than_the_best() -> None:
    elements = words(vectors("dbca.json")["toy"]["sentences"])
    scores = [
        score(elements, np.array(mask, np.int8), 1.0)
        for mask in product((0, 1), repeat=12)
        if HALF.fault(12 - sum(mask), sum(mask), 0) == ""
    ]
    best = vectors("dbca.json")["toy"]["optimum"]["1.0"]["best_score"]
    assert max(scores) == pytest.approx(best, abs=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("target", [0.0, 0.5, 1.0])
def test_annealing_is_nearer_to_the_target_than_the_greedy_procedure(target: float) -> None:
    elements = random_words(1500, 60, 12)
    bounds = Bounds(discards=300)
    theirs = divergences(elements, greedy(SplitTask(elements, SplitTarget(target), bounds, 11)))
    limit = 0.99 * theirs[0]
    ours = divergences(elements, anneal(SplitTask(elements, SplitTarget(target, limit=limit), bounds, 11)))
    assert ours[0] < theirs[0]
    assert abs(ours[1] - target) < abs(theirs[1] - target)


def test_atoms_do_not_diverge_more_than_their_limit() -> None:
    elements = random_words(800, 30, 10)
    free = divergences(elements, anneal(SplitTask(elements, SplitTarget(1.0), Bounds(), 1)))
    bound = divergences(elements, anneal(SplitTask(elements, SplitTarget(1.0, limit=0.005), Bounds(), 1)))
    assert free[0] > 0.006
    assert bound[0] <= 0.005 + 1e-9
    assert bound[1] < free[1]


# ---- what always holds


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(
    st.integers(10, 200),
    st.integers(0, 12),
    st.integers(5, 45),
    st.integers(0, 30),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.sampled_from([anneal, greedy]),
)
def test_every_split_keeps_to_its_bounds(
    items: int, discards: int, least: int, width: int, target: float, method: Callable[..., Labels]
) -> None:
    elements = random_words(items, 8, 4, seed=items)
    bounds = Bounds(Fraction(least, 100), Fraction(least + width, 100), discards)
    settled = Annealing(20) if method is anneal else Greedy(20, 3)
    if not any(low <= high for low, high in map(bounds.test_sizes, range(max(items - discards, 2), items + 1))):
        with pytest.raises(NoSuchSplitError, match=f"{items} items"):
            method(SplitTask(elements, SplitTarget(target), bounds, 5), settled)
        return
    labels = method(SplitTask(elements, SplitTarget(target), bounds, 5), settled)
    assert sum(sizes(labels)) == items
    assert bounds.fault(*sizes(labels)) == ""


@pytest.mark.slow
@pytest.mark.parametrize("share", [Fraction(1, 4), Fraction(1, 3), Fraction(2, 7), Fraction(1, 2)])
@pytest.mark.parametrize("items", [31, 60, 84])
def test_the_greedy_procedure_meets_an_exact_share(share: Fraction, items: int) -> None:
    bounds = Bounds(share, share, 7)
    labels = greedy(SplitTask(random_words(items, 8, 4), SplitTarget(0.7), bounds, 2), Greedy(10, 2))
    assert bounds.fault(*sizes(labels)) == ""


def test_what_cannot_be_divided_is_said() -> None:
    three = Bounds(Fraction(2, 5), Fraction(3, 5))
    with pytest.raises(NoSuchSplitError, match=r"3 items .* 0\.4 to 0\.6"):
        three.start(3)
    with pytest.raises(NoSuchSplitError):
        Bounds().start(1)
    assert three.fault(2, 1, 0) == "1 of 3 items are in test, not 2 to 1"
    assert Bounds(discards=1).fault(3, 1, 2) == "2 items are discarded, at most 1 may be"


@pytest.mark.parametrize("method", [anneal, pytest.param(greedy, marks=pytest.mark.slow)])
def test_a_seed_gives_one_split_and_another_seed_another(method: Callable[..., Labels]) -> None:
    elements = random_words(400, 30, 6)
    first, again, other = (
        method(SplitTask(elements, SplitTarget(0.5), Bounds(discards=50), seed)) for seed in (7, 7, 8)
    )
    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()


def test_splits_are_the_same_on_every_machine() -> None:
    elements = random_words(400, 30, 6)
    digests = [
        sha256(method(SplitTask(elements, SplitTarget(0.5), Bounds(discards=50), 7)).tobytes()).hexdigest()[:16]
        for method in (anneal, greedy)
    ]
    assert digests == ["a092d53b66ca7723", "1bcda4d8e6f56431"]


def test_progress_is_reported_to_the_end() -> None:
    seen: list[tuple[int, int]] = []
    elements = random_words(3000, 30, 6)
    anneal(SplitTask(elements, SplitTarget(0.5), Bounds(), 7), Annealing(10), lambda *at: seen.append(at))
    assert {total for _, total in seen} == {30_000}
    assert max(done for done, _ in seen) == 30_000


# ---- the kernels


def test_the_kept_sums_are_those_of_the_definition() -> None:
    elements = random_words(500, 40, 7)
    bounds = Bounds(discards=100)
    labels = anneal(SplitTask(elements, SplitTarget(0.5), bounds, 3))
    state = new_state(elements, SplitTarget(0.5), bounds)
    place(labels, state)
    assert tuple(state.sizes) == sizes(labels)
    atoms, compounds = divergences(elements, labels)
    for bags, alpha, expected in ((state.atoms, ATOM_ALPHA, atoms), (state.compounds, COMPOUND_ALPHA, compounds)):
        train, test, _, terms = map(float, bags.totals)
        found = 1 - terms / bags.scale / (train**alpha * test ** (1 - alpha))
        assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 29), st.integers(0, 29), st.integers(0, 2), st.integers(0, 2))
def test_a_move_leaves_the_sums_of_the_split_that_it_makes_and_the_next_one_takes_it_back(
    x: int, y: int, one: int, two: int
) -> None:
    assume(x != y)
    elements = random_words(30, 5, 3)
    state = new_state(elements, SplitTarget(0.5), Bounds())
    labels = np.arange(30, dtype=np.int8) % 3
    place(labels, state)
    before = [array.copy() for array in (*state.atoms[:-1], *state.compounds[:-1])]
    state.moved[:2], state.given[:2] = (x, y), (one, two)
    exchange(2, state)
    moved = labels.copy()
    moved[x], moved[y] = one, two
    assert (state.labels == moved).all()
    assert tuple(state.sizes) == sizes(moved)
    for part, bags, alpha in (
        (elements.atoms, state.atoms, ATOM_ALPHA),
        (elements.compounds, state.compounds, COMPOUND_ALPHA),
    ):
        assert (bags.sides[0] == part.totals(moved == TRAIN)).all()
        assert (bags.sides[1] == part.totals(moved == TEST)).all()
        terms = bags.sides[0] ** alpha * bags.sides[1] ** (1 - alpha) * bags.scale
        assert np.abs(bags.terms - terms).max() <= bags.scale * 1e-11 + 1
        assert bags.totals[SUM] == bags.terms.sum()
    exchange(2, state)
    assert all(map(np.array_equal, before, (*state.atoms[:-1], *state.compounds[:-1])))


SPLITS_WITHOUT_NUMBA = """
import sys

sys.modules["numba"] = None
from split_items import random_words

from sgl.research.divergence import Annealing, Bounds, Greedy, SplitTarget, SplitTask, anneal, greedy

elements, task = random_words(60, 9, 4), (SplitTarget(0.5), Bounds(discards=6), 7)
for labels in (anneal(SplitTask(elements, *task), Annealing(3_400)), greedy(SplitTask(elements, *task), Greedy(20))):
    print(*labels.tolist())
"""


@pytest.mark.slow
def test_splits_are_the_same_without_machine_code() -> None:
    support = Path(__file__).parents[2] / "support"
    told = subprocess.run(
        [sys.executable, "-c", SPLITS_WITHOUT_NUMBA],
        env={**os.environ, "PYTHONPATH": str(support)},
        capture_output=True,
        text=True,
        check=True,
    )
    elements, bounds = random_words(60, 9, 4), Bounds(discards=6)
    compiled = (
        anneal(SplitTask(elements, SplitTarget(0.5), bounds, 7), Annealing(3_400)),
        greedy(SplitTask(elements, SplitTarget(0.5), bounds, 7), Greedy(20)),
    )
    assert told.stdout.splitlines() == [" ".join(map(str, labels)) for labels in compiled]
    assert not told.stderr


# ---- the greedy procedure


@pytest.mark.acceptance
def test_the_greedy_procedure_is_that_of_dense_matrices() -> None:
    elements = random_words(700, 40, 8)
    bounds = Bounds(discards=100)
    for target in (0.0, 0.5, 1.0):
        assert agreement(elements, target, bounds, 11, 600) == 600


@pytest.mark.slow
def test_the_greedy_procedure_leaves_out_as_many_as_it_may() -> None:
    labels = greedy(SplitTask(random_words(300, 20, 4), SplitTarget(1.0), Bounds(discards=40), 1))
    assert int(np.count_nonzero(labels == DISCARDED)) == 40
