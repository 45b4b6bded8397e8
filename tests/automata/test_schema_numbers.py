"""What automata are made of: numbers for rows, and what a structure asks of a node that has no label."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_notation import structure

from sgl.automata.common import as_numbers
from sgl.automata.patterns.query import query_of

BOUNDS = st.sampled_from([2, 7, 1 << 20, 1 << 40, (1 << 60) - 1])


@given(BOUNDS, st.data())
def test_rows_get_numbers_that_are_equal_and_ordered_as_the_rows_are(bound: int, data: st.DataObject) -> None:
    """Also where the numbers of all columns together would be too large for a machine word."""
    values = st.integers(0, bound - 1)
    rows = data.draw(st.lists(st.tuples(values, values, values), min_size=1, max_size=12))
    numbers = as_numbers([np.array(column, np.int64) for column in zip(*rows, strict=True)], bound).tolist()
    assert min(numbers) >= 0
    by_number = sorted(zip(numbers, rows, strict=True))
    assert [row for _, row in by_number] == sorted(rows)
    assert len(set(numbers)) == len(set(rows))


@pytest.mark.parametrize(
    ("text", "passing"),
    [
        ("{ V[lemma=go] -[obj]-> N[lemma!=dog] }", [False, True]),
        ("{ V[lemma!=go] -[obj]-> N[lemma=dog] }", [True, False]),
        ("{ V[lemma!=go] -[obj]-> N; N -[det]-> D[upos!=X, lemma!=a] }", [True, True]),
        ("{ V -[obj]-> N[lemma!=dog, upos=NOUN] }", [False]),
        ("{ V -[obj]-> N }", []),
        ("{ A[lemma=a] -[x]-> B[lemma!=b]; B -[x]-> C[lemma!=c]; C -[x]-> D[lemma=d] }", [False, True, True, False]),
    ],
)
def test_a_node_without_attributes_passes_the_tests_that_accept_the_empty_value(text: str, passing: list[bool]) -> None:
    query = query_of(structure(text))
    assert [bool(query.schema.unlabelled >> place & 1) for place in range(len(query.predicates))] == passing
    assert query.schema.unlabelled < 1 << len(query.predicates)
