"""Divergences: the published values, the laws, and powers that are the same everywhere."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from split_items import divergence_of_counts
from vectors import vectors

from sgl.core.arrays import ATOM_ALPHA, COMPOUND_ALPHA, divergence
from sgl.research.divergence.objective_kernel import ROOTS, scale_for, tenth_roots
from sgl.research.divergence.sources import tag_weight

VECTORS = vectors("dbca.json")

counts = st.lists(st.integers(0, 50), min_size=1, max_size=8)
pairs = counts.flatmap(
    lambda train: st.tuples(st.just(train), st.lists(st.integers(0, 50), min_size=len(train), max_size=len(train)))
)
alphas = st.sampled_from([ATOM_ALPHA, COMPOUND_ALPHA])


def both_ways(train: list[float], test: list[float], alpha: float) -> float:
    """The divergence, computed on arrays and by the definition, which must agree."""
    found = divergence(np.array(train), np.array(test), alpha)
    plain = divergence_of_counts(dict(enumerate(train)), dict(enumerate(test)), alpha)
    assert found == pytest.approx(plain, abs=1e-12)
    return found


@pytest.mark.parametrize("vector", VECTORS["divergence"], ids=lambda v: v["note"][:40])
def test_published_values(vector: dict[str, Any]) -> None:
    found = both_ways(vector["train"], vector["test"], vector["alpha"])
    assert found == pytest.approx(vector["divergence"], abs=1e-14)


def test_weights_of_kinds_multiply_their_counts() -> None:
    vector = VECTORS["weighted"]
    train, test = (
        [weight * number for weight, number in zip(vector["weights"], vector[side], strict=True)]
        for side in ("train", "test")
    )
    assert both_ways(train, test, vector["alpha"]) == pytest.approx(vector["divergence"], abs=1e-14)


@pytest.mark.parametrize("vector", VECTORS["compound_weight"], ids=lambda v: str(v["weight"]))
def test_a_tag_combination_weighs_what_its_commonest_lemma_leaves(vector: dict[str, Any]) -> None:
    weight = tag_weight(vector["lemma_counts"])
    assert float(weight) == pytest.approx(vector["weight"], abs=1e-14)
    kept = vector.get("kept", vector.get("kept_paper"))
    assert (weight > Fraction(33, 100)) == kept


@given(pairs, alphas)
def test_a_divergence_lies_between_0_and_1(pair: tuple[list[int], list[int]], alpha: float) -> None:
    assert 0 <= both_ways(list(pair[0]), list(pair[1]), alpha) <= 1


@given(pairs)
def test_the_divergence_of_atoms_is_symmetric(pair: tuple[list[int], list[int]]) -> None:
    train, test = map(list, pair)
    forth, back = both_ways(train, test, ATOM_ALPHA), both_ways(test, train, ATOM_ALPHA)
    assert forth == pytest.approx(back, abs=1e-12)


@given(counts.filter(any), st.integers(1, 9), alphas)
def test_equal_distributions_do_not_diverge(train: list[int], factor: int, alpha: float) -> None:
    test = [factor * number for number in train]
    assert both_ways(list(train), list(test), alpha) == pytest.approx(0, abs=1e-12)


@given(pairs, alphas)
def test_different_distributions_diverge(pair: tuple[list[int], list[int]], alpha: float) -> None:
    train, test = pair
    totals = sum(train), sum(test)
    if all(p * totals[1] == q * totals[0] for p, q in zip(train, test, strict=True)):
        return
    assert both_ways(list(train), list(test), alpha) > 1e-9


@given(counts.filter(any), alphas)
def test_nothing_in_common_is_1_and_so_is_an_empty_side(train: list[int], alpha: float) -> None:
    apart = [*train, *([0] * len(train))], [*([0] * len(train)), *train]
    assert both_ways(list(apart[0]), list(apart[1]), alpha) == 1
    assert both_ways(list(train), [0] * len(train), alpha) == 1


roots = cache(tenth_roots)


@settings(deadline=None)
@given(st.integers(1, ROOTS - 1))
def test_a_tenth_root_is_right_to_its_last_digits(value: int) -> None:
    root = float(roots(ROOTS)[value])
    with localcontext(prec=40):
        true = Decimal(value) ** Decimal("0.1")
        assert abs(Decimal(root) - true) <= true * Decimal(2) ** -51


def test_a_table_of_roots_is_only_as_long_as_needed() -> None:
    assert tenth_roots(6).tolist() == tenth_roots(1000)[:6].tolist()
    assert tenth_roots(6)[:2].tolist() == [0.0, 1.0]
    assert tenth_roots(1025)[1024] == 2.0
    assert len(tenth_roots(0)) == 0


@given(st.integers(1, 2**45))
def test_sums_of_terms_fit_into_64_bits(total: int) -> None:
    assert total * scale_for(total) < 2**62
