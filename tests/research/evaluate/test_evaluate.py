"""Logical forms that mean the same, and the published metric with its errors."""

from __future__ import annotations

from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from perturbation import KINDS, mutants, perturbed
from published_forms import COGS, SLOG, needs_published, rows
from semantic_graphs import Sentence, sentences
from vectors import vectors

from sgl.rendering.views import VIEWS
from sgl.research.evaluate import equivalent, reformatted_exact_match
from sgl.research.evaluate.equivalence import LabelledAtom, isomorphic

SEES = "* cat ( x _ 1 ) ; see . agent ( x _ 2 , x _ 1 ) AND see . theme ( x _ 2 , Tom )"


# --- Equivalence of COGS forms ------------------------------------------------------------


def test_numbers_and_order_do_not_count() -> None:
    other = "* cat ( x _ 9 ) ; see . theme ( x _ 3 , Tom ) AND see . agent ( x _ 3 , x _ 9 )"
    assert equivalent(SEES, other)
    assert equivalent(SEES, other).reason == ""


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (SEES.replace("Tom", "Ada"), "only the first has 'see . theme ( x , Tom )'"),
        (SEES.replace("* cat", "* dog"), "only the first has '* cat ( x )'"),
        (f"{SEES} AND see . theme ( x _ 2 , Tom )", "only the second has 'see . theme ( x , Tom )'"),
        (SEES.replace("agent ( x _ 2", "agent ( x _ 3"), "no renaming of variables"),
        ("Tom", "they are forms of different kinds"),
        (SEES[:-2], "the second is not a COGS logical form: character 77: expected ')'"),
        ("", "the second is not a COGS logical form: character 0"),
    ],
)
def test_a_different_form_is_told_apart_with_a_reason(other: str, reason: str) -> None:
    comparison = equivalent(SEES, other)
    assert not comparison
    assert comparison.reason.startswith(reason)


def test_what_is_not_a_form_is_equal_to_nothing() -> None:
    assert not equivalent("see ( x _ 1", "see ( x _ 1")
    assert not equivalent("see ( a", "see ( a", "varfree")


def test_functions_are_equal_up_to_the_names_of_their_variables_and_the_order_of_conjuncts() -> None:
    eat = "LAMBDA a . LAMBDA b . LAMBDA e . eat . agent ( e , b ) AND eat . theme ( e , a )"
    assert equivalent(eat, "LAMBDA p . LAMBDA q . LAMBDA z . eat . theme ( z , p ) AND eat . agent ( z , q )")
    swapped = equivalent(eat, eat.replace("LAMBDA a . LAMBDA b", "LAMBDA b . LAMBDA a"))
    assert swapped.reason == "no renaming of variables makes them equal"


@settings(deadline=None)
@given(sentences(), st.randoms(use_true_random=False))
def test_a_form_is_equal_to_itself_renamed_and_shuffled(sentence: Sentence, random: Random) -> None:
    form = VIEWS["cogs"].render(sentence.graph)
    assert equivalent(form, perturbed(form, random))


@settings(deadline=None)
@given(sentences(), st.randoms(use_true_random=False))
def test_a_form_is_not_equal_to_its_mutants(sentence: Sentence, random: Random) -> None:
    form = VIEWS["cogs"].render(sentence.graph)
    for kind, mutant in mutants(form, random).items():
        assert not equivalent(form, perturbed(mutant, random)), kind


ATOMS = st.lists(
    st.tuples(st.sampled_from("pqrst"), st.lists(st.integers(1, 4), min_size=1, max_size=2).map(tuple)), max_size=5
)


@settings(deadline=None)
@given(ATOMS, ATOMS, st.permutations(range(1, 5)), st.booleans())
def test_isomorphism_agrees_with_trying_every_bijection(
    first: list[LabelledAtom], other: list[LabelledAtom], renaming: list[int], related: bool
) -> None:
    renamed = [(label, tuple(renaming[v - 1] for v in places)) for label, places in first]
    second = [*renamed[1:], *renamed[:1]] if related else other
    assert isomorphic(first, second) == by_trying(first, second)
    assert isomorphic(first, second) == isomorphic(second, first)


def by_trying(first: list[LabelledAtom], second: list[LabelledAtom]) -> bool:
    variables = sorted({v for _, places in first for v in places})
    images = sorted({v for _, places in second for v in places})
    if len(variables) != len(images):
        return False
    wanted = sorted(second, key=repr)
    for order in permutations(images):
        image = dict(zip(variables, order, strict=True))
        found = [(label, tuple(image[v] for v in places)) for label, places in first]
        if sorted(found, key=repr) == wanted:
            return True
    return False


def test_colours_alone_do_not_decide() -> None:
    def ring(*variables: int) -> list[LabelledAtom]:
        return [("r", (v, w)) for v, w in zip(variables, (*variables[1:], variables[0]), strict=True)]

    assert not isomorphic([*ring(1, 2, 3), *ring(4, 5, 6)], ring(1, 2, 3, 4, 5, 6))
    assert isomorphic([*ring(1, 2, 3), *ring(4, 5, 6)], [*ring(2, 4, 6), *ring(5, 3, 1)])


def test_many_variables_that_nothing_tells_apart_are_compared_all_the_same() -> None:
    nouns = [" AND ".join(f"cat ( x _ {v} )" for v in range(start, start + 60)) for start in (0, 7)]
    assert equivalent(*nouns)
    assert not equivalent(nouns[0], nouns[1] + " AND cat ( x _ 7 )")


# --- Equivalence of variable-free forms ---------------------------------------------------


def test_the_order_of_arguments_does_not_count_in_a_variable_free_form() -> None:
    form = "see ( agent = * cat ( nmod . in = bed ) , theme = Tom )"
    assert equivalent(form, "see ( theme = Tom , agent = * cat ( nmod . in = bed ) )", "varfree")


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ("see ( agent = Tom , theme = cat )", "'see' has different arguments"),
        ("saw ( agent = cat , theme = Tom )", "'see' in the first is 'saw' in the second"),
        ("* cat", "'see' in the first is '* cat' in the second"),
        ("see ( agent = cat", "the second is not a variable-free form: character 17"),
    ],
)
def test_a_different_variable_free_form_is_told_apart(other: str, reason: str) -> None:
    comparison = equivalent("see ( agent = cat , theme = Tom )", other, "varfree")
    assert not comparison
    assert comparison.reason.startswith(reason)


@settings(deadline=None)
@given(sentences(), sentences(), st.booleans())
def test_both_forms_give_the_same_verdict(first: Sentence, other: Sentence, same: bool) -> None:
    second = first.graph._replace(edges=first.graph.edges[::-1]) if same else other.graph
    graphs = (first.graph, second)
    by_cogs = equivalent(*map(VIEWS["cogs"].render, graphs))
    assert by_cogs.equal == equivalent(*map(VIEWS["varfree"].render, graphs), "varfree").equal
    assert by_cogs or not same


# --- The published metric -----------------------------------------------------------------


def test_the_published_metric_ignores_order_and_numbers_where_no_predicate_is_repeated() -> None:
    other = "* cat ( x _ 9 ) ; see . theme ( x _ 3 , Tom ) AND see . agent ( x _ 3 , x _ 9 )"
    assert reformatted_exact_match(SEES, other)


SAYS = "say . agent ( x _ 1 , Ada ) AND say . ccomp ( x _ 1 , x _ 4 ) AND say . agent ( x _ 4 , Tom )"
TWO = "* cat ( x _ 1 ) ; * dog ( x _ 4 )"
EAT = "LAMBDA a . LAMBDA b . LAMBDA e . eat . agent ( e , b ) AND eat . theme ( e , a )"


@pytest.mark.parametrize(
    ("gold", "prediction", "verdict"),
    [
        # Judged different, and equal: a repeated verb renumbered, two definite nouns
        # alone in another order, a function with its conjuncts swapped.
        (SAYS, SAYS.replace("x _ 1", "x _ 9"), False),
        (TWO, "* dog ( x _ 4 ) ; * cat ( x _ 1 )", False),
        (EAT, EAT.replace("( e , b )", "( f , b )"), False),
        # Judged equal, and different or no form at all: a dropped second conjunction,
        # stray variable marks, a conjunct among the definite nouns.
        (SEES, f"{SEES} ; eat . agent ( x _ 9 , Ada ) AND cat ( x _ 9 )", True),
        (SEES, SEES.replace("see . agent ( x _ 2", "x see . agent ( _ 2"), True),
        (f"{TWO} ; see . agent ( x _ 2 , x _ 1 )", f"see . agent ( x _ 2 , x _ 1 ) ; {TWO}", True),
        # With one definite noun the same order is judged different.
        ("* cat ( x _ 1 ) ; see . agent ( x _ 2 , x _ 1 )", "see . agent ( x _ 2 , x _ 1 ) ; * cat ( x _ 1 )", False),
        # Three definite nouns alone are sorted.
        (f"{TWO} ; * owl ( x _ 6 )", f"* owl ( x _ 6 ) ; {TWO}", True),
        ("Tom", "", False),
    ],
)
def test_the_published_metric_has_its_published_errors(gold: str, prediction: str, verdict: bool) -> None:
    assert reformatted_exact_match(gold, prediction).equal is verdict


def test_both_metrics_give_the_verdicts_of_the_vectors() -> None:
    cases = vectors("slog_equiv.json")["cases"]
    assert len(cases) == 16
    for case in cases:
        assert equivalent(case["a"], case["b"]).equal is case["equivalent"], case["note"]
        assert reformatted_exact_match(case["a"], case["b"]).equal is case["peer"], case["note"]


# --- The published forms ------------------------------------------------------------------


@pytest.mark.acceptance
@needs_published
@pytest.mark.parametrize("name", [*COGS, *SLOG])
def test_every_published_form_is_equal_to_itself_renamed_and_shuffled(name: str) -> None:
    random = Random(1)  # noqa: S311 - nothing secret
    forms = [form for _, form in rows(name)]
    wrong = [form for form in forms if not equivalent(form, perturbed(form, random))]
    assert wrong == []


@pytest.mark.slow
@needs_published
@pytest.mark.parametrize("name", [*COGS, *SLOG])
def test_mutants_of_published_forms_are_rejected(name: str) -> None:
    """Of every tenth form; ``benchmarks/models.py equivalence`` takes all of them."""
    random = Random(2)  # noqa: S311 - nothing secret
    counts = dict.fromkeys(KINDS, 0)
    for _, form in rows(name)[::10]:
        for kind, mutant in mutants(form, random).items():
            counts[kind] += 1
            assert not equivalent(form, perturbed(mutant, random)), (kind, form, mutant)
    assert min(counts.values()) > 200
