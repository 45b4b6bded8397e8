"""Training can use whatever the items are made of, unless the pattern is about it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from toy import TOY, pattern, random_derivations, toy_plan
from toy_notation import structure

from sgl.automata import Claim, IngredientKind, Inventory, Reason, StructureCompiler, Verdict, prove
from sgl.automata.proofs.evidence import Evidence, used_rules
from sgl.core.extent import Extent
from sgl.core.plan import Constraint, Pattern, Plan, Stratum


def plan_of(*patterns: Pattern) -> Plan:
    held_out = tuple(s for p in patterns for s in p.held_out)
    strata = [Stratum("train", "in_distribution", "train/in_distribution", Extent(100), Constraint(exclude=held_out))]
    for p in patterns:
        others = tuple(s for q in patterns if q is not p for s in q.held_out)
        constraint = Constraint((p.gen,), others)
        strata.append(Stratum("gen", p.name, f"gen/{p.name}/0", Extent(10), constraint))
    return replace(toy_plan(), patterns=patterns, strata=tuple(strata))


def exposed(plan: Plan, name: str) -> Claim[Inventory]:
    return prove(StructureCompiler(TOY), plan).of(name).exposed


def names(claim: Claim[Inventory], reason: Reason) -> set[tuple[IngredientKind, str]]:
    return {(thing.kind, thing.name) for thing in claim.evidence.unseen if thing.reason is reason}


PP_IN_SUBJECT = pattern("pp_in_subject", (structure("{ V -[nsubj]-> N; N -[nmod]-> M }"),))
NO_CAT = pattern("no_cat", (structure("{ X -[*]-> N[lemma=cat] }"),), targets=("cat",))
LONG_QUESTION = pattern("long_question", (structure("{ V -[ccomp]+-> U; U -[~obj]-> W[PronType=Int] }"),))
CAT_AS_SUBJECT = pattern("cat_as_subject", (structure("{ X -[nsubj]-> N[lemma=cat] }"),))
CAT_ELSEWHERE = pattern("cat_elsewhere", (structure("{ X -[^nsubj]-> N[lemma=cat] }"),))


def test_a_recombination_of_what_training_has_needs_no_excuse() -> None:
    claim = exposed(plan_of(PP_IN_SUBJECT), "pp_in_subject")
    assert claim.verdict is Verdict.PROVED
    assert claim.evidence.unseen == ()
    assert dict(claim.evidence.counts)[IngredientKind.RULE] > 10
    assert dict(claim.evidence.counts)[IngredientKind.WORD] > 10


def test_the_targets_of_a_pattern_are_excused() -> None:
    claim = exposed(plan_of(NO_CAT), "no_cat")
    assert claim.evidence.missing == ()
    assert names(claim, Reason.TARGET) == {
        (IngredientKind.WORD, "cat"),
        (IngredientKind.ENTRY, "N: cat"),
        (IngredientKind.FORM, "猫"),
    }


def test_without_targets_the_same_word_comes_with_the_structure_only() -> None:
    """Every sentence with a cat contains what is held out: the cat is the structure."""
    claim = exposed(plan_of(replace(NO_CAT, targets=())), "no_cat")
    assert claim.evidence.missing == ()
    assert (IngredientKind.WORD, "cat") in names(claim, Reason.STRUCTURE)


def test_what_is_excused_is_exposed_only_if_some_item_can_do_without_it() -> None:
    """An item with a word that training never shows is never drawn: here none is left, there those with the dog are."""
    claim = exposed(plan_of(NO_CAT), "no_cat")
    assert claim.verdict is Verdict.REFUTED
    assert len(claim.evidence.barred) == 1
    either = structure("{ V -[nsubj]-> N[lemma=dog] }")
    others = exposed(plan_of(replace(NO_CAT, forbid=(*NO_CAT.forbid, either), gen=(*NO_CAT.gen, either))), "no_cat")
    assert (IngredientKind.WORD, "cat") in names(others, Reason.TARGET)
    assert others.verdict is Verdict.PROVED


def test_a_rule_that_makes_the_structure_is_excused_with_it() -> None:
    claim = exposed(plan_of(LONG_QUESTION), "long_question")
    assert names(claim, Reason.STRUCTURE) == {(IngredientKind.RULE, "bare_far"), (IngredientKind.ENTRY, "VCbase: say")}


def test_a_word_that_two_patterns_take_away_together_is_missing() -> None:
    plan = plan_of(CAT_AS_SUBJECT, CAT_ELSEWHERE)
    claim = exposed(plan, "cat_as_subject")
    assert claim.verdict is Verdict.REFUTED
    assert names(claim, Reason.MISSING) == {
        (IngredientKind.WORD, "cat"),
        (IngredientKind.ENTRY, "N: cat"),
        (IngredientKind.FORM, "猫"),
    }
    assert exposed(plan_of(CAT_AS_SUBJECT), "cat_as_subject").evidence.unseen == ()


def test_a_rule_that_two_patterns_take_away_together_is_listed() -> None:
    pp_as_subject = pattern("s", (structure("{ V -[nsubj]-> N; N -[nmod]-> M }"),))
    pp_elsewhere = pattern("o", (structure("{ V -[^nsubj]-> N; N -[nmod]-> M }"),))
    claim = exposed(plan_of(pp_as_subject, pp_elsewhere), "s")
    assert (IngredientKind.RULE, "np_pp") in names(claim, Reason.TOGETHER)


@pytest.mark.parametrize("tested", [PP_IN_SUBJECT, NO_CAT, CAT_AS_SUBJECT])
def test_what_is_used_agrees_with_drawn_sentences(tested: Pattern) -> None:
    """The rules of sentences drawn at random are among those that the proof counts with."""
    evidence = Evidence(StructureCompiler(TOY), plan_of(tested))
    automaton = StructureCompiler(TOY).structure_automaton(tested.forbid[0])
    items: set[int] = set()
    trained: set[int] = set()
    for derivation in random_derivations(TOY, 3_000, seed=11, longest=80):
        (items if automaton.accepts(TOY, derivation) else trained).update(derivation)
    own = (e for e in evidence.generalization if e.stratum.category == tested.name)
    assert items == used_rules(own)
    assert trained == used_rules(evidence.training)
