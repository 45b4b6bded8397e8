"""What a plan promises is proved, or refuted by a sentence that shows the failure."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sampling import columns
from toy import (
    CAT_AS_OBJECT,
    CAT_AS_SUBJECT,
    DEEP_COMPLEMENT,
    FAR_GAP,
    PP_IN_OBJECT,
    PP_IN_SUBJECT,
    TOY,
    pattern,
    random_derivations,
    toy_plan,
)
from toy_notation import structure

from sgl.automata import Proofs, StructureCompiler, Verdict, find_conflict, prove
from sgl.automata.proofs.invariant import AutomatonView, accepts_all
from sgl.automata.weights.split import Transition, Transitions
from sgl.core.extent import Extent
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import interpret
from sgl.core.plan import Constraint, Need, Pattern, Plan, Stratum
from sgl.core.structure import Structure


def sentence(derivation: tuple[int, ...] | None) -> str:
    assert derivation is not None
    return interpret(TOY, derivation).texts[0]


def contains(derivation: tuple[int, ...], wanted: Structure) -> bool:
    return StructureCompiler(TOY).structure_automaton(wanted).accepts(TOY, derivation)


def keeping(grammar: CoreGrammar, *names: str) -> CoreGrammar:
    """The grammar with these rules marked ``keep in train``."""
    rules = tuple(replace(rule, keep=rule.name in names) for rule in grammar.rules)
    return replace(grammar, rules=rules)


def plan_of(*patterns: Pattern, train: Constraint | None = None) -> Plan:
    """A plan as the compiler builds it: one training and one gen stratum for each pattern."""
    held_out = tuple(s for p in patterns for s in p.forbid)
    train = Constraint(exclude=held_out) if train is None else train
    strata = [Stratum("train", "in_distribution", "train/in_distribution", Extent(100), train)]
    for p in patterns:
        others = tuple(s for q in patterns if q is not p and q.name not in p.allow for s in q.held_out)
        constraint = Constraint((p.gen,), p.exclude + others)
        strata.append(Stratum("gen", p.name, f"gen/{p.name}", Extent(10), constraint))
    return replace(toy_plan(), patterns=patterns, strata=tuple(strata))


@pytest.fixture(scope="module")
def proofs() -> Proofs:
    return prove(StructureCompiler(TOY), toy_plan())


# --- a plan that keeps its promises -----------------------------------------------------


def test_the_toy_plan_is_proved(proofs: Proofs) -> None:
    assert proofs.proved
    assert all(pattern.proved for pattern in proofs.patterns)
    assert [p.name for p in proofs.patterns] == ["pp_in_subject", "cat_as_object", "far_gap"]
    assert all(len(p.claims) >= 4 for p in proofs.patterns)
    assert (proofs.unsatisfiable, proofs.overlaps, proofs.nestings) == ((), (), ())


def test_masses_before_and_after_the_cut(proofs: Proofs) -> None:
    (claim,) = proofs.of("pp_in_subject").held_out
    sample = random_derivations(TOY, 2_000, seed=9, longest=10_000)
    automaton = StructureCompiler(TOY).structure_automaton(PP_IN_SUBJECT)
    share = sum(automaton.accepts(TOY, d) for d in sample) / len(sample)
    assert claim.mass == pytest.approx(share, abs=0.04)
    assert claim.evidence.train_mass == 0.0


def test_examples_are_smallest_sentences(proofs: Proofs) -> None:
    within, outside = proofs.of("pp_in_subject").instances
    assert sentence(outside.example) == "The dog in Emma slept."
    assert sentence(within.example) == "What said that the dog in Emma slept?"
    (far,) = proofs.of("far_gap").instances
    assert sentence(far.example) == "What did Emma say that Lina saw?"


def test_licences_count_exposures_of_reserved_words(proofs: Proofs) -> None:
    (licence,) = proofs.of("cat_as_object").licences
    assert licence.mass == 0.0  # the cat is reserved: only its 30 exposures have one
    assert licence.evidence.expected == pytest.approx(30)
    assert licence.evidence.short == 0.0  # and all of these have one
    assert sentence(licence.example) == "The cat slept."


def test_the_report_says_what_training_cannot_use(proofs: Proofs) -> None:
    unused = {entry.split: entry for entry in proofs.unused}
    assert [TOY.rules[rule].name for rule in unused["train"].rules] == ["bare_far"]
    assert [TOY.rules[word].name for word in unused["train"].words] == ["VCbase:say"]
    assert "N:cat" in {TOY.rules[word].name for word in unused["dev"].words}
    assert unused["gen"].rules == ()


def test_progress_is_reported() -> None:
    seen: list[str] = []
    prove(StructureCompiler(TOY), toy_plan(), seen.append)
    assert seen == ["pp_in_subject", "cat_as_object", "far_gap"]


# --- promises that are broken -----------------------------------------------------------


def test_a_kept_rule_lets_a_held_out_structure_in() -> None:
    grammar = keeping(TOY, "adjective")
    held_out = pattern("pp_in_subject", (PP_IN_SUBJECT,))
    plan = plan_of(held_out, train=Constraint(exclude=(PP_IN_SUBJECT,), cut=(PP_IN_SUBJECT,)))
    (claim,) = prove(StructureCompiler(grammar), plan).of("pp_in_subject").held_out
    assert claim.verdict is Verdict.REFUTED
    assert claim.stream == "train/in_distribution"
    assert claim.evidence.train_mass > 0
    assert sentence(claim.witness) == "The big dog in Emma slept."


def test_keeping_a_rule_that_cannot_meet_the_structure_is_proved() -> None:
    """``who`` asks for subjects; the held-out questions ask for objects."""
    grammar = keeping(TOY, "who")
    plan = plan_of(pattern("far_gap", (FAR_GAP,)), train=Constraint(exclude=(FAR_GAP,), cut=(FAR_GAP,)))
    (claim,) = prove(StructureCompiler(grammar), plan).of("far_gap").held_out
    assert claim.verdict is Verdict.PROVED


def test_an_assertion_leaves_the_grammar_and_fails_with_a_witness() -> None:
    asserted = pattern("far_gap", (), never=(FAR_GAP,), gen=(FAR_GAP,))
    proofs = prove(StructureCompiler(TOY), plan_of(asserted)).of("far_gap")
    (claim,) = proofs.held_out
    assert claim.evidence.asserted
    assert claim.verdict is Verdict.REFUTED
    assert claim.evidence.train_mass == pytest.approx(claim.mass)
    assert sentence(claim.witness) == "What did Emma say that Lina saw?"
    (disjoint,) = proofs.disjoint
    assert disjoint.verdict is Verdict.REFUTED
    assert disjoint.witness == claim.witness


def test_a_part_that_training_lacks_is_not_licensed() -> None:
    unlicensed = pattern(
        "pp_in_subject",
        (PP_IN_SUBJECT, PP_IN_OBJECT),
        gen=(PP_IN_SUBJECT,),
        need=(Need(PP_IN_OBJECT), Need(DEEP_COMPLEMENT, 10)),
    )
    lacking, rare = prove(StructureCompiler(TOY), plan_of(unlicensed)).of("pp_in_subject").licences
    assert lacking.verdict is Verdict.REFUTED
    assert (lacking.mass, lacking.evidence.expected, lacking.example) == (0.0, 0.0, None)
    assert rare.verdict is Verdict.PROVED
    assert rare.evidence.short > 0.99


def test_items_outside_the_held_out_structures_may_be_training_sentences() -> None:
    """The author forgot that a cat may be the subject of a training sentence."""
    careless = pattern("cat_as_object", (CAT_AS_OBJECT,), gen=(structure("{ N[lemma=cat] }"),))
    (claim,) = prove(StructureCompiler(TOY), plan_of(careless)).of("cat_as_object").disjoint
    assert claim.verdict is Verdict.REFUTED
    assert claim.evidence == "train/in_distribution"
    assert sentence(claim.witness) == "The cat slept."


def test_an_instance_that_contains_what_its_pattern_excludes() -> None:
    """The stratum was built without the exclusion that the pattern asks for."""
    excluded = structure("{ N -[nmod]{2}-> M }")
    strict = pattern("pp_in_subject", (PP_IN_SUBJECT,), exclude=(excluded,))
    plan = plan_of(strict)
    lax = replace(plan.strata[1], constraint=Constraint(((PP_IN_SUBJECT,),)))
    broken = replace(plan, strata=(plan.strata[0], lax))
    (claim,) = prove(StructureCompiler(TOY), broken).of("pp_in_subject").instances
    assert claim.verdict is Verdict.REFUTED
    assert claim.structures == (excluded,)
    assert contains(claim.witness, excluded)


def test_an_instance_that_lacks_its_structure() -> None:
    plan = plan_of(pattern("pp_in_subject", (PP_IN_SUBJECT,)))
    lax = replace(plan.strata[1], constraint=Constraint(((CAT_AS_SUBJECT, PP_IN_SUBJECT),)))
    broken = replace(plan, strata=(plan.strata[0], lax))
    (claim,) = prove(StructureCompiler(TOY), broken).of("pp_in_subject").instances
    assert claim.verdict is Verdict.REFUTED
    assert claim.structures == ()
    assert sentence(claim.witness) == "The cat slept."


def test_an_empty_generalization_set_names_its_conflict() -> None:
    whole = structure("{ N -[nmod]-> M }")
    outer = pattern("every_pp", (whole,))
    inner = pattern("pp_in_subject", (PP_IN_SUBJECT,))
    bystander = pattern("cat_as_object", (CAT_AS_OBJECT,))
    proofs = prove(StructureCompiler(TOY), plan_of(outer, bystander, inner))
    (claim,) = proofs.of("pp_in_subject").instances
    assert claim.verdict is Verdict.REFUTED
    assert claim.conflict is not None
    assert claim.conflict.require == ((PP_IN_SUBJECT,),)
    assert claim.conflict.exclude == (whole,)
    assert "gen/pp_in_subject" in {entry.stream for entry in proofs.unsatisfiable}
    assert not proofs.proved


def test_overlapping_sets_and_nested_structures_are_found() -> None:
    subject = pattern("pp_in_subject", (PP_IN_SUBJECT,), allow=("near",))
    near = structure("{ V -[nsubj]-> N; N -[nmod]-> M; M -[case]-> P[lemma=near] }")
    nested = pattern("near", (near,), allow=("pp_in_subject",))
    proofs = prove(StructureCompiler(TOY), plan_of(subject, nested))
    (overlap,) = proofs.overlaps
    assert (overlap.first, overlap.second) == ("gen/pp_in_subject", "gen/near")
    assert contains(overlap.witness, near)
    assert [(n.inner_pattern, n.outer_pattern) for n in proofs.nestings] == [("near", "pp_in_subject")]


# --- conflicts --------------------------------------------------------------------------


def test_a_conflict_is_minimal() -> None:
    compiler = StructureCompiler(TOY)
    verb = structure("{ V[upos=VERB] }")
    constraint = Constraint(
        require=((CAT_AS_SUBJECT, PP_IN_SUBJECT), (FAR_GAP,)),
        exclude=(CAT_AS_OBJECT, structure("{ V -[ccomp]-> W }"), PP_IN_OBJECT, DEEP_COMPLEMENT),
    )
    conflict = find_conflict(compiler, constraint)
    assert conflict is not None
    assert conflict.require == ((FAR_GAP,),)
    assert conflict.exclude == (structure("{ V -[ccomp]-> W }"),)
    assert find_conflict(compiler, Constraint(exclude=(verb,))) is not None


def test_a_constraint_that_can_be_satisfied_has_no_conflict() -> None:
    constraint = toy_plan().strata[0].constraint
    assert find_conflict(StructureCompiler(TOY), constraint) is None


# --- the independent pass over the split ------------------------------------------------


def test_a_tampered_split_is_noticed() -> None:
    """One transition from another split is enough."""
    compiler = StructureCompiler(TOY)
    clean = compiler.split(Constraint(exclude=(PP_IN_SUBJECT,)))
    lacking = AutomatonView(compiler.absence(PP_IN_SUBJECT))
    assert accepts_all(clean, lacking)
    assert not accepts_all(compiler.split(Constraint()), lacking)

    np_pp = next(rule for rule in TOY.rules if rule.name == "np_pp")
    states = {clean.category[q]: q for q in range(len(clean.category))}
    children = tuple(states[category] for category in np_pp.rhs)
    tampered = [
        replace(clean, transitions=add(clean.transitions_of, q, np_pp.id, children))
        for q in range(len(clean.category))
        if clean.category[q] == np_pp.lhs
    ]
    assert not all(accepts_all(split, lacking) for split in tampered)


def add(rows: tuple[tuple[Transition, ...], ...], state: int, rule: int, children: tuple[int, ...]) -> Transitions:
    row = (*rows[state], Transition(state, rule, children, 0.01))
    return columns((*rows[:state], row, *rows[state + 1 :]))


@pytest.mark.parametrize("wanted", [PP_IN_SUBJECT, CAT_AS_OBJECT, FAR_GAP, DEEP_COMPLEMENT])
def test_the_pass_over_a_split_agrees_with_products(wanted: Structure) -> None:
    compiler = StructureCompiler(TOY)
    without, containing = map(AutomatonView, (compiler.absence(wanted), compiler.presence(wanted)))
    for stratum in toy_plan().strata:
        split = compiler.split(stratum.constraint)
        both = Constraint((*stratum.constraint.require, (wanted,)), stratum.constraint.exclude)
        neither = replace(stratum.constraint, exclude=(*stratum.constraint.exclude, wanted))
        assert accepts_all(split, without) == compiler.split(both).empty
        assert accepts_all(split, containing) == compiler.split(neither).empty


# --- errors -----------------------------------------------------------------------------


def test_an_unknown_layer_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="sem"):
        StructureCompiler(TOY).presence(structure("{ N }", layer="sem"))


def test_unknown_patterns_are_a_key_error(proofs: Proofs) -> None:
    with pytest.raises(KeyError, match="no_such"):
        proofs.of("no_such")
