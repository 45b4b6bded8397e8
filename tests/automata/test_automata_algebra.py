"""Boolean operations, minimisation and constraints keep the language they should."""

from __future__ import annotations

import pickle
from dataclasses import fields, replace
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from small_grammars import grammar
from test_automata_structures import structures
from toy import TOY, random_derivations, toy_plan
from toy_notation import structure

from sgl.automata import StructureAutomaton, StructureCompiler, StructureTooCostly, UnsupportedStructure
from sgl.automata.algebra import boolean, tree_automaton
from sgl.automata.algebra.boolean import intersection, minimise, reachable, trim, without_rules
from sgl.automata.algebra.tree_automaton import DEAD, TreeAutomaton, explore
from sgl.automata.common import Mask
from sgl.automata.patterns.query import Schema, query_of
from sgl.automata.proofs import compiler as compiler_module
from sgl.core.grammar import CoreGrammar
from sgl.core.plan import Constraint
from sgl.core.structure import Structure

DERIVATIONS = random_derivations(TOY, 300, seed=5)
STRUCTURES = tuple(
    structure(text)
    for text in (
        "{ V -[nsubj]-> N; N -[nmod]-> M }",
        "{ V -[obj|~obj|iobj]-> N[lemma=cat] }",
        "{ N[#amod>=2] }",
        "{ V -[ccomp]{2,}-> W } without { X -[ccomp]-> V }",
        "{ N -[acl:relcl]-> V } without { V -[~nsubj]-> N }",
        "{ W[upos=PRON]; N[upos=PROPN] }",
    )
)


@pytest.fixture(scope="module")
def compiler() -> StructureCompiler:
    return StructureCompiler(TOY)


@cache
def automaton_of(wanted: Structure) -> StructureAutomaton:
    return StructureCompiler(TOY).structure_automaton(wanted)


def satisfies(constraint: Constraint, grammar: CoreGrammar, derivation: tuple[int, ...]) -> bool:
    """The definition of a constraint, one structure at a time."""

    def found(wanted: Structure) -> bool:
        return automaton_of(wanted).accepts(grammar, derivation)

    kept = any(grammar.rules[rule].keep for rule in derivation)
    excluded = [s for s in constraint.exclude if not (kept and s in constraint.cut)]
    return all(any(map(found, group)) for group in constraint.require) and not any(map(found, excluded))


@pytest.mark.parametrize("wanted", STRUCTURES, ids=str)
def test_presence_and_absence_divide_the_derivations(compiler: StructureCompiler, wanted: Structure) -> None:
    automaton = StructureCompiler(TOY).structure_automaton(wanted)
    verdicts = [automaton.accepts(TOY, derivation) for derivation in DERIVATIONS]
    present, absent = compiler.presence(wanted), compiler.absence(wanted)
    assert [present.accepts(d) for d in DERIVATIONS] == verdicts
    assert [not absent.accepts(d) for d in DERIVATIONS] == verdicts
    assert {True, False} == set(verdicts)


@pytest.mark.parametrize("wanted", STRUCTURES, ids=str)
def test_minimisation_keeps_the_language_and_merges_states(compiler: StructureCompiler, wanted: Structure) -> None:
    index, automaton = compiler.index, StructureCompiler(TOY).structure_automaton(wanted)
    lifted = explore(index, words=automaton.words(index.words), step=automaton.step, accepts=automaton.accepts_state)
    smaller = minimise(lifted)
    assert len(smaller.category) < len(lifted.category)
    assert minimise(smaller) is smaller
    assert_deterministic_and_typed(smaller)
    for derivation in DERIVATIONS:
        assert smaller.accepts(derivation) == lifted.accepts(derivation)


@pytest.mark.parametrize("wanted", STRUCTURES, ids=str)
def test_presence_is_the_minimal_automaton_that_reads_everything(wanted: Structure) -> None:
    """It is made from absence, which has no state for what contains the structure."""
    compiler = StructureCompiler(TOY)
    index, automaton = compiler.index, compiler.structure_automaton(wanted)
    present = compiler.presence(wanted)
    whole = minimise(
        explore(index, words=automaton.words(index.words), step=automaton.step, accepts=automaton.accepts_state)
    )
    assert sorted(present.category) == sorted(whole.category)
    assert [len(table) for table in present.tables] == [len(table) for table in whole.tables]
    assert len(present.accepting) == len(whole.accepting)
    assert DEAD not in present.words


def assert_deterministic_and_typed(automaton: TreeAutomaton) -> None:
    """Transitions respect the categories of the rules they belong to."""
    index = StructureCompiler(TOY).index
    for lhs, rhs, table in zip(index.lhs, index.rhs, automaton.tables, strict=True):
        for children, result in table.items():
            assert automaton.category[result] == lhs
            assert tuple(automaton.category[child] for child in children) == rhs
    for rule, state in automaton.word_states.items():
        assert state == DEAD or automaton.category[state] == TOY.rules[rule].lhs


def test_trimming_leaves_only_useful_states(compiler: StructureCompiler) -> None:
    present = compiler.presence(STRUCTURES[0])
    trimmed = trim(present)
    useful = {q for table in trimmed.tables for children in table for q in children}
    assert useful | trimmed.accepting == set(range(len(trimmed.category)))
    for derivation in DERIVATIONS:
        assert trimmed.accepts(derivation) == present.accepts(derivation)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.sampled_from(STRUCTURES), st.sampled_from(STRUCTURES))
def test_an_intersection_is_and(first: Structure, second: Structure) -> None:
    compiler = StructureCompiler(TOY)
    left, right = compiler.absence(first), compiler.disjunction((second,))
    both = intersection(left, right)
    for derivation in DERIVATIONS[:150]:
        expected = left.accepts(derivation) and right.accepts(derivation)
        assert both.accepts(derivation) == expected


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    st.lists(st.lists(st.sampled_from(STRUCTURES), max_size=2), max_size=2),
    st.lists(st.sampled_from(STRUCTURES), max_size=4),
    st.integers(0, 4),
)
def test_a_language_is_what_its_constraint_says(
    require: list[list[Structure]], exclude: list[Structure], cut: int
) -> None:
    grammar = keeping(TOY, "complement", "N:book")
    constraint = Constraint(tuple(map(tuple, require)), tuple(exclude), tuple(exclude[:cut]))
    compiler = StructureCompiler(grammar)
    language = compiler.language(constraint)
    for derivation in DERIVATIONS[:60]:
        assert language.accepts(derivation) == satisfies(constraint, grammar, derivation)


def keeping(grammar: CoreGrammar, *names: str) -> CoreGrammar:
    """The grammar with these rules marked ``keep in train``."""
    rules = tuple(replace(rule, keep=rule.name in names) for rule in grammar.rules)
    return replace(grammar, rules=rules)


def test_the_strata_of_a_plan_are_what_their_constraints_say(compiler: StructureCompiler) -> None:
    for stratum in toy_plan().strata:
        language = compiler.language(stratum.constraint)
        accepted = [d for d in DERIVATIONS if language.accepts(d)]
        assert accepted
        assert accepted == [d for d in DERIVATIONS if satisfies(stratum.constraint, TOY, d)]


def test_leaving_out_one_structure_each_time_shares_products(monkeypatch: pytest.MonkeyPatch) -> None:
    products = []

    def counted(*operands: object) -> TreeAutomaton:
        products.append(operands)
        return intersection(*operands)

    monkeypatch.setattr(compiler_module, "intersection", counted)
    compiler = StructureCompiler(TOY)
    compiler.absence_of_all(STRUCTURES)
    for left_out in STRUCTURES:
        rest = tuple(s for s in STRUCTURES if s is not left_out)
        language = compiler.absence_of_all(rest)
        for derivation in DERIVATIONS:
            expected = satisfies(Constraint(exclude=rest), TOY, derivation)
            assert language.accepts(derivation) == expected
    # Without sharing there would be 5 for all of them and 4 for each left out.
    assert len(products) <= 6 + 2 * len(STRUCTURES)


def test_structures_of_single_words_are_left_out_together() -> None:
    words = tuple(
        structure(text) for text in ("{ N[lemma=cat] }", "{ V[lemma=see] }", "{ N[upos=PRON] }", "{ A[upos=ADJ] }")
    )
    verdicts = set()
    for chosen in (words, words[:2], words[1:], words[::2]):
        language = StructureCompiler(TOY).absence_of_all(chosen)
        for derivation in DERIVATIONS:
            expected = satisfies(Constraint(exclude=chosen), TOY, derivation)
            assert language.accepts(derivation) == expected
            verdicts.add(expected)
    assert verdicts == {True, False}


@pytest.mark.slow
@settings(max_examples=20, deadline=None, derandomize=True)
@given(st.permutations(STRUCTURES), st.integers(0, len(STRUCTURES)))
def test_the_numbers_of_states_depend_on_the_language_only(order: list[Structure], required: int) -> None:
    """So the sentences drawn do not depend on what else was compiled, and how."""
    excluded, group = order[:3], order[required : required + 1]
    constraint = Constraint((tuple(group),) if group else (), tuple(excluded))
    fresh = StructureCompiler(TOY).language(constraint)
    busy = StructureCompiler(TOY)
    for others in (order[2:], order[:4]):
        busy.absence_of_all(others)
    again = busy.language(constraint)
    assert fresh.category == again.category
    assert fresh.tables == again.tables
    assert fresh.accepting == again.accepting
    assert fresh.word_states == again.word_states


def test_structures_of_one_shape_share_an_automaton() -> None:
    def shape(text: str) -> Schema:
        return query_of(structure(text)).schema

    subject = "{ V -[nsubj]-> N[lemma=cat] } without { N -[amod]-> A }"
    obj = "{ V -[obj|iobj]-> N[lemma=dog|book] } without { N -[nmod|det]-> A }"
    assert shape(subject) == shape(obj)
    assert shape(subject) != shape("{ V -[nsubj]-> N[lemma=cat] } without { A -[amod]-> N }")
    assert shape("{ N[#amod>=2] }") == shape("{ N[#nmod>=2] }") != shape("{ N[#amod>=3] }")
    assert shape("{ V -[ccomp]{2,}-> W }") == shape("{ V -[*]{2,}-> W }")


def test_too_many_pairs_of_transitions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_automaton, "MOST_TRANSITIONS", 20)
    with pytest.raises(UnsupportedStructure, match="more than 20 ways"):
        StructureCompiler(TOY).absence_of_all(STRUCTURES[:2])


@pytest.mark.parametrize("first", STRUCTURES[:3])
@pytest.mark.parametrize("second", STRUCTURES[3:])
def test_a_product_is_the_same_whether_or_not_it_looks_at_what_can_meet(
    compiler: StructureCompiler, first: Structure, second: Structure, monkeypatch: pytest.MonkeyPatch
) -> None:
    automata = compiler.absence(first), compiler.presence(second)
    monkeypatch.setattr(boolean, "MOST_JOINED", 10**9)
    whole = trim(boolean.pairs(*automata))
    monkeypatch.setattr(boolean, "MOST_JOINED", -1)
    meeting = boolean.pairs(*automata)
    assert len(meeting.rules) == np.count_nonzero(usable(meeting))
    for name in ("categories", "words", "rules", "children", "results", "final"):
        assert np.array_equal(getattr(trim(meeting), name), getattr(whole, name)), name


def usable(automaton: TreeAutomaton) -> Mask:
    """Whether some phrase is read by each transition."""
    used: Mask = np.append(reachable(automaton), True)[automaton.children].all(axis=0)
    return used


def test_rules_are_taken_away_at_any_depth(compiler: StructureCompiler) -> None:
    rule = next(rule.id for rule in TOY.rules if rule.name == "adjective")
    word = next(rule.id for rule in TOY.rules if rule.name == "N:dog")
    automaton = without_rules(compiler.everything, [rule, word])
    verdicts = [automaton.accepts(d) for d in DERIVATIONS]
    assert verdicts == [rule not in d and word not in d for d in DERIVATIONS]
    assert any(verdicts)


@pytest.mark.slow
@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.lists(structures(), min_size=1, max_size=3))
def test_lifted_automata_accept_what_those_of_single_structures_accept(wanted: list[Structure]) -> None:
    compiler = StructureCompiler(TOY, budget=200_000)
    try:
        present = [compiler.presence(one) for one in wanted]
        none = compiler.absence_of_all(wanted)
        single = [StructureCompiler(TOY, budget=200_000).structure_automaton(one) for one in wanted]
        found = [[one.accepts(TOY, d) for one in single] for d in DERIVATIONS]
    except StructureTooCostly:
        assume(False)
    for derivation, verdicts in zip(DERIVATIONS, found, strict=True):
        assert [one.accepts(derivation) for one in present] == verdicts
        assert none.accepts(derivation) == (not any(verdicts))


def test_words_have_one_state_unless_the_structure_names_them(compiler: StructureCompiler) -> None:
    states = compiler.presence(structure("{ N[lemma=cat] }")).word_states
    assert list(states) == [rule.id for rule in TOY.rules if not rule.rhs]
    cat, dog, book = (
        next(states[rule.id] for rule in TOY.rules if rule.name == name) for name in ("N:cat", "N:dog", "N:book")
    )
    assert cat != dog == book


def test_an_automaton_is_the_same_after_it_was_written() -> None:
    """Its columns are written as narrow as they can be; here a category has a larger number than states and rules."""
    idle = "".join(f'C{number} = : "w"\n' for number in range(300))
    automaton = StructureCompiler(grammar(f'S = C : 0\n{idle}C = : "a"')).everything
    assert automaton.categories.max() > 127
    again = pickle.loads(pickle.dumps(automaton))  # noqa: S301
    for column in (field.name for field in fields(automaton)[1:]):
        one, other = getattr(automaton, column), getattr(again, column)
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)
