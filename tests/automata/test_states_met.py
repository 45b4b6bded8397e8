"""The states of an automaton with their smallest phrases: what a person is shown of an invariant."""

from __future__ import annotations

from collections import Counter

import pytest
from toy import CAT_AS_OBJECT, IN_COMPLEMENT, PP_IN_SUBJECT, TOY, random_derivations

from sgl.automata import StructureCompiler
from sgl.automata.proofs.invariant import state_examples
from sgl.core.plan import Constraint
from sgl.core.structure import Structure


@pytest.mark.parametrize("held_out", [PP_IN_SUBJECT, CAT_AS_OBJECT, IN_COMPLEMENT])
def test_every_state_of_a_category_with_several_is_shown_with_a_phrase_of_it(held_out: Structure) -> None:
    compiler = StructureCompiler(TOY)
    automaton = compiler.presence(held_out)
    whole = compiler.split(Constraint())
    found = [*state_examples(whole, automaton)]
    sizes = Counter(automaton.category)
    assert [(own.category, own.state) for own in found] == sorted(
        (category, state) for state, category in enumerate(automaton.category) if sizes[category] > 1
    )
    assert 2 in sizes.values()
    assert all(own.reached for own in found)
    for own in found:
        assert TOY.rules[own.phrase[0]].lhs == own.category
        if own.category == TOY.start:
            assert own.accepting == compiler.structure_automaton(held_out).accepts(TOY, own.phrase)


def test_training_reaches_no_accepting_state_of_what_it_holds_out() -> None:
    compiler = StructureCompiler(TOY)
    training = compiler.split(Constraint(exclude=(PP_IN_SUBJECT,)))
    found = [*state_examples(training, compiler.presence(PP_IN_SUBJECT))]
    texts = [own for own in found if own.category == TOY.start]
    assert {own.accepting: own.reached for own in texts} == {True: False, False: True}
    automaton = compiler.structure_automaton(PP_IN_SUBJECT)
    assert any(automaton.accepts(TOY, derivation) for derivation in random_derivations(TOY, 100, 5))
