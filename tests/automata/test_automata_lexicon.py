"""Automata over classes of words accept what automata over single words accept."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_automata_structures import structures
from toy import TOY, random_derivations
from toy_notation import structure

from sgl.automata import StructureCompiler, StructureTooCostly, compile_structure
from sgl.automata.algebra.boolean import intersection
from sgl.automata.algebra.lexicon import Lexicon
from sgl.automata.algebra.tree_automaton import leaf_states
from sgl.core.structure import Structure

DERIVATIONS = random_derivations(TOY, 80, seed=11)
WORDS = [rule.id for rule in TOY.rules if not rule.rhs]
COARSEST = Lexicon.coarsest(TOY)

#: Each row is one way to tell the words of the toy grammar apart.
kinds = st.lists(st.integers(0, 2), min_size=len(WORDS), max_size=len(WORDS))


def blocks(lexicon: Lexicon) -> set[frozenset[int]]:
    """The classes of a lexicon as sets of rules."""
    return {
        frozenset(rule for rule, number in lexicon.class_of.items() if number == wanted)
        for wanted in range(len(lexicon.category))
    }


def together(lexicon: Lexicon) -> set[tuple[int, int]]:
    """The pairs of words that a lexicon does not tell apart."""
    return {pair for block in blocks(lexicon) for pair in combinations(sorted(block), 2)}


# --- lexicons -----------------------------------------------------------------------------


@settings(max_examples=50, deadline=None, derandomize=True)
@given(kinds)
def test_a_refinement_tells_apart_what_differs_in_kind_or_category(row: list[int]) -> None:
    refined = COARSEST.refined(np.array(row))
    kind = dict(zip(WORDS, row, strict=True))
    alike = {
        (first, second)
        for first, second in combinations(WORDS, 2)
        if kind[first] == kind[second] and TOY.rules[first].lhs == TOY.rules[second].lhs
    }
    assert together(refined) == alike
    assert [TOY.rules[word].lhs for word in refined.first] == refined.category.tolist()
    assert list(refined.first) == sorted(refined.first)
    assert refined.refined(np.array(row)) is refined


@settings(max_examples=50, deadline=None, derandomize=True)
@given(kinds, kinds)
def test_the_common_refinement_is_the_coarsest(first: list[int], second: list[int]) -> None:
    one, other = (COARSEST.refined(np.array(row)) for row in (first, second))
    common = one.common(other)
    assert together(common) == together(one) & together(other)
    assert one.common(COARSEST) is one
    assert COARSEST.common(one).common(one) is one
    coarser = one.coarser(common).tolist()
    assert [coarser[common.class_of[word]] for word in WORDS] == one.classes.tolist()


def test_words_are_told_apart_only_where_a_structure_names_them() -> None:
    compiler = StructureCompiler(TOY)
    categories = len(COARSEST.category)
    compiler.prepare([structure("{ V -[obj]-> N }")])
    assert len(compiler.lexicon.category) == categories
    compiler.prepare([structure("{ V -[obj]-> N[lemma=cat|dog] }")])
    assert len(compiler.lexicon.category) == categories + 1
    named = {rule.name for rule in TOY.rules if rule.name in ("N:cat", "N:dog")}
    assert named in [{TOY.rules[word].name for word in block} for block in blocks(compiler.lexicon)]


# --- automata over classes ----------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(structures(), min_size=1, max_size=3), st.booleans())
def test_classes_change_nothing(wanted: list[Structure], prepared: bool) -> None:
    """Whether all structures are known beforehand or each refines the lexicon of the last."""
    compiler = StructureCompiler(TOY, budget=200_000)
    if prepared:
        compiler.prepare(wanted)
    try:
        present = [compiler.presence(one) for one in wanted]
        none = compiler.absence_of_all(wanted)
        single = [compile_structure(TOY, one, budget=200_000) for one in wanted]
        found = [[one.accepts(TOY, d) for one in single] for d in DERIVATIONS]
    except StructureTooCostly:
        assume(False)
    for derivation, verdicts in zip(DERIVATIONS, found, strict=True):
        assert [one.accepts(derivation) for one in present] == verdicts
        assert none.accepts(derivation) == (not any(verdicts))


def test_automata_over_different_lexicons_can_be_combined() -> None:
    compiler = StructureCompiler(TOY)
    cat = compiler.presence(structure("{ N[lemma=cat] }"))
    not_dog = compiler.absence(structure("{ N[lemma=dog] }"))
    assert cat.lexicon is not not_dog.lexicon
    for first, second in ((cat, not_dog), (not_dog, cat)):
        both = intersection(first, second)
        verdicts = [both.accepts(derivation) for derivation in DERIVATIONS]
        expected = [
            all(one.accepts(derivation) for one in (first, second)) for derivation in DERIVATIONS
        ]
        assert verdicts == expected
        assert {True, False} == set(verdicts)


def test_leaf_states_are_those_of_single_words() -> None:
    compiler = StructureCompiler(TOY)
    present = compiler.presence(structure("{ N[lemma=cat] }"))
    states = leaf_states(present)
    assert list(states) == WORDS
    for word in WORDS:
        assert states[word] == present.step(word, ())
    cat, dog, boy = (
        next(states[rule.id] for rule in TOY.rules if rule.name == name)
        for name in ("N:cat", "N:dog", "N:book")
    )
    assert cat != dog
    assert dog == boy
