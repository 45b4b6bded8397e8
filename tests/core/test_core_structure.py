"""Structures as values: what their tests accept, how they are written, and when two of them are one."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_notation import structure

from sgl.core.alike import alike
from sgl.core.joint import renamed
from sgl.core.structure import Body, DegreeTest, LabelTest, LengthTest, Link, NodeTest, Structure, Variable

ANY = LabelTest(frozenset(), negated=True)
OBJ = LabelTest(frozenset({"obj"}))


# --- tests --------------------------------------------------------------------------------------


@given(st.frozensets(st.sampled_from("abc")), st.sampled_from("abcd"))
def test_a_negated_test_accepts_what_the_other_rejects(values: frozenset[str], value: str) -> None:
    assert LabelTest(values).accepts(value) == (value in values) != LabelTest(values, negated=True).accepts(value)
    assert NodeTest("lemma", values).accepts(value) == (value in values)
    assert NodeTest("lemma", values).accepts(value) != NodeTest("lemma", values, negated=True).accepts(value)


@pytest.mark.parametrize(
    ("sign", "expected"), [("=", [0, 1, 0]), (">=", [0, 1, 1]), ("<=", [1, 1, 0]), ("!=", [1, 0, 1])]
)
def test_numbers_are_compared_as_the_sign_says(sign: str, expected: list[int]) -> None:
    assert [LengthTest("en", sign, 3).accepts(number) for number in (2, 3, 4)] == expected
    if sign != "!=":
        assert [DegreeTest(OBJ, sign, 3).accepts(number) for number in (2, 3, 4)] == expected


@given(st.sampled_from(["=", ">=", "<=", "!="]), st.integers(1, 9), st.integers(0, 20))
def test_from_the_cap_on_a_length_makes_no_difference(sign: str, number: int, more: int) -> None:
    test = LengthTest("en", sign, number)
    assert test.accepts(test.cap + more) == test.accepts(test.cap)
    assert sign == "!=" or test.accepts(test.cap - 1) != test.accepts(test.cap) or number == 0


def test_every_label_passes_the_complement_of_none_and_no_other() -> None:
    assert ANY.is_any
    assert not OBJ.is_any
    assert not LabelTest(frozenset({"obj"}), negated=True).is_any
    assert not LabelTest(frozenset()).is_any


# --- in the author's notation -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "written"),
    [
        *((1, 1, ""), (2, 2, "{2}"), (0, 0, "{0}")),
        *((1, None, "+"), (2, None, "{2,}"), (0, None, "{0,}"), (1, 3, "{1,3}"), (0, 2, "{0,2}")),
    ],
)
def test_the_length_of_a_walk_is_written_shortly(low: int, high: int | None, written: str) -> None:
    body = Body((Variable("V"), Variable("W")), (Link(0, OBJ, 1, low, high),))
    assert str(body) == f"{{ V -[obj]{written}-> W }}"
    assert body.links[0].is_edge == (written == "")


def test_a_structure_is_written_as_its_author_wrote_it() -> None:
    for text in (
        "{ V[lemma=find] -[nsubj]-> N[lemma=Emma|Lina] }",
        "{ V -[^iobj|obj]-> N; N -[nmod]-> M }",
        "{ N[#amod>=5] } without { N -[*]-> M }",
    ):
        assert str(structure(text)) == text


def test_tests_stand_where_a_variable_is_first_mentioned_and_lonely_variables_at_the_end() -> None:
    lonely = Variable("M", (NodeTest("upos", frozenset({"X"})),))
    tested = Variable("V", (NodeTest("lemma", frozenset({"go"}), negated=True),), (DegreeTest(ANY, "=", 2),))
    body = Body((tested, lonely, Variable("N")), (Link(2, OBJ, 0), Link(0, OBJ, 0)), (LengthTest("en", ">=", 4),))
    assert str(body) == "{ N -[obj]-> V[lemma!=go, #*=2]; V -[obj]-> V; M[upos=X]; length en >= 4 }"


def test_values_that_are_no_names_are_quoted() -> None:
    values = frozenset({'say "a\\b"', "ice cream", "well-known", ""})
    assert str(NodeTest("lemma", values)) == r'lemma=""|"ice cream"|"say \"a\\b\""|well-known'


def test_a_length_may_be_counted_from_the_longest_text_of_a_part() -> None:
    assert str(LengthTest("en", "<=", -2, "train")) == "length en <= longest(train)-2"
    assert str(LengthTest("en", "<=", 2, "train")) == "length en <= longest(train)+2"


def test_edges_are_before_longer_walks() -> None:
    walk, edge = Link(0, OBJ, 1, 2, None), Link(1, OBJ, 0)
    body = Body((Variable("V"), Variable("N")), (walk, edge))
    assert body.links == (edge, walk)
    assert (body.edges, body.paths) == ((edge,), (walk,))


def test_the_layer_is_written_if_it_is_named() -> None:
    plain = structure("{ V }", layer="sem")
    assert str(plain) == "{ V }"
    assert str(replace(plain, named=True)) == "sem { V }"


def test_a_link_keeps_what_it_says_between_other_variables() -> None:
    link = Link(0, OBJ, 1, 2, 4)
    assert link.between([5, 7]) == Link(5, OBJ, 7, 2, 4)
    assert Link(0, OBJ, 1) == Link(0, OBJ, 1, 1, 1)


# --- one structure or two -----------------------------------------------------------------------


def test_names_make_no_difference_to_the_canonical_structure() -> None:
    first = structure("{ V -[nsubj]-> N } without { N -[det]-> D }")
    second = structure("{ D -[nsubj]-> V } without { V -[det]-> N }")
    assert first != second
    assert first.canonical() == second.canonical()
    assert str(first.canonical()) == "{ V1 -[nsubj]-> V2 } without { V2 -[det]-> V3 }"
    assert first.canonical() != structure("{ V -[nsubj]-> N } without { V -[det]-> D }").canonical()


def test_equal_structures_have_one_hash_in_every_process() -> None:
    first, second = structure("{ V -[nsubj]-> N }"), structure("{ V -[nsubj]-> N }")
    assert (hash(first), first) == (hash(second), second)
    again = pickle.loads(pickle.dumps(replace(first, named=True)))  # noqa: S301 - our own
    assert again == replace(first, named=True)
    assert b"_hash" not in pickle.dumps(first)


def shuffled(whole: Structure) -> list[Structure]:
    """The structure with its variables in all orders, under other names."""
    found = []
    names = {variable.name: f"X{number}" for number, variable in enumerate(whole.body.variables)}
    without = tuple(renamed(body, names) for body in whole.without)
    for order in permutations(range(len(whole.body.variables))):
        place = {old: new for new, old in enumerate(order)}
        variables = tuple(replace(whole.body.variables[old], name=f"X{old}") for old in order)
        links = tuple(link.between(place) for link in reversed(whole.body.links))
        found.append(replace(whole, body=Body(variables, links, whole.body.lengths), without=without))
    return found


DIFFERENT = (
    *(
        "{ V -[nsubj]-> N }",
        "{ N -[obj]-> V }",
        "{ V -[nsubj]-> N; N -[nmod]-> M }",
        "{ V -[nsubj]-> N; V -[nmod]-> M }",
    ),
    *("{ V -[nsubj]-> N[lemma=dog] }", "{ V[lemma=dog] -[nsubj]-> N }", "{ V -[nsubj]{2}-> N }", "{ V -[nsubj]+-> N }"),
    *("{ A -[x]-> B; B -[x]-> C; C -[x]-> A }", "{ A -[x]-> B; A -[x]-> C; C -[x]-> B }", "{ A -[x]-> B; B -[x]-> A }"),
    *("{ N[#amod>=5] }", "{ N[#amod>=4] }", "{ N } without { N -[det]-> D }", "{ N } without { D -[det]-> N }"),
    *("{ A -[x]-> B; C -[x]-> D }", "{ A -[x]-> B; C -[y]-> D }", "{ A -[x]{0,}-> B }"),
)


@pytest.mark.parametrize("text", DIFFERENT)
def test_a_structure_is_alike_whatever_its_variables_are_called(text: str) -> None:
    whole = structure(text)
    assert all(alike(whole, other) for other in shuffled(whole))


def test_structures_that_say_something_else_are_not_alike() -> None:
    assert not any(alike(structure(one), structure(other)) for one, other in combinations(DIFFERENT, 2))
    assert not alike(structure("{ V }"), structure("{ V }", layer="sem"))
    longer = Structure("syn", Body((Variable("V"),), (), (LengthTest("en", ">=", 4),)))
    assert not alike(longer, structure("{ V }"))


def test_the_order_of_without_parts_makes_no_difference() -> None:
    first = structure("{ N } without { N -[det]-> D } without { N -[nmod]-> D }")
    assert alike(first, replace(first, without=first.without[::-1]))
    assert not alike(first, replace(first, without=first.without[:1]))
