"""The plan of a dataset: what is held out, what is foreign, whose lemmas are whose."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from toy import (
    CAT_AS_OBJECT,
    CAT_AS_SUBJECT,
    FAR_GAP,
    IN_COMPLEMENT,
    PP_IN_OBJECT,
    PP_IN_SUBJECT,
    TOY,
    random_derivations,
    toy_plan,
)

from sgl.core.encoding import stated
from sgl.core.extent import Extent
from sgl.core.interpret import derive_graph
from sgl.core.plan import (
    Ambiguous,
    Constraint,
    Need,
    Part,
    Quota,
    Release,
    Stratum,
    canary_of,
    content_lemmas,
    foreign,
    introduced_lemmas,
    known,
    repeats_lemma,
    structures_of,
)
from sgl.core.structure import Body, LengthTest, Structure, Variable

PLAN = toy_plan()
SUBJECT, CAT, GAP = PLAN.patterns


def test_what_is_cut_and_what_is_asserted_are_held_out() -> None:
    asserted = replace(SUBJECT, never=(FAR_GAP,))
    assert asserted.held_out == (PP_IN_SUBJECT, FAR_GAP)


def test_items_contain_nothing_that_another_pattern_holds_out_unless_they_may() -> None:
    assert foreign(SUBJECT, PLAN.patterns) == (CAT_AS_OBJECT, FAR_GAP)
    assert foreign(replace(SUBJECT, allow=("far_gap",)), PLAN.patterns) == (CAT_AS_OBJECT,)
    assert foreign(SUBJECT, [SUBJECT]) == ()


def test_a_quota_speaks_of_what_is_within_and_outside() -> None:
    quota = Quota(
        Extent(10),
        within=(IN_COMPLEMENT,),
        outside=(FAR_GAP,),
        within_one_of=((PP_IN_SUBJECT, PP_IN_OBJECT), (CAT_AS_OBJECT,)),
    )
    assert quota.groups == ((IN_COMPLEMENT,), (PP_IN_SUBJECT, PP_IN_OBJECT), (CAT_AS_OBJECT,))
    assert quota.structures == (IN_COMPLEMENT, PP_IN_SUBJECT, PP_IN_OBJECT, CAT_AS_OBJECT, FAR_GAP)
    assert Quota(Extent(10)).groups == ()


def test_nothing_is_repeated_shared_or_all_there_is_unless_it_is_said() -> None:
    part, stratum = Part("p", "P", (), ()), Stratum("train", "c", "train/c", Extent(3), Constraint())
    assert not any((part.repeated_lemmas, part.tested, stratum.repeated_lemmas))
    extent = stratum.extent
    assert not any((extent.repeated, extent.shared, extent.every, extent.targets, extent.contexts, extent.empty))
    assert (stratum.count, extent.copies, Need(CAT_AS_SUBJECT).minimum) == (3, 1, 1)
    assert Release("1", "MIT", ("A",)).canary == ""
    assert PLAN.ambiguous is Ambiguous.REJECT


def test_no_sentence_is_wanted_where_no_number_is_said() -> None:
    assert Extent().empty
    assert not Extent(1).empty
    assert not Extent(every=True).empty


def test_targets_are_the_first_one_and_the_others() -> None:
    assert replace(PLAN, further=("lf", "lf2")).targets == ("ja", "lf", "lf2")


def test_a_plan_speaks_of_all_structures_of_its_patterns_and_parts() -> None:
    part = Part("p", "P", (PP_IN_OBJECT,), (Quota(Extent(1), within=(IN_COMPLEMENT,)),))
    whole = replace(PLAN, parts=(part,), nowhere=(FAR_GAP,))
    assert set(whole.structures) == set(PLAN.structures) | {PP_IN_OBJECT, IN_COMPLEMENT, FAR_GAP}
    assert [*structures_of(part)] == [PP_IN_OBJECT, IN_COMPLEMENT]
    assert [*structures_of((SUBJECT.forbid, (SUBJECT.need, "text", 3)))] == [PP_IN_SUBJECT, PP_IN_OBJECT]


def test_layers_are_measured_if_a_structure_tests_their_length() -> None:
    long = Structure("syn", Body((Variable("V"),), (), (LengthTest("ja", ">=", 9), LengthTest("en", ">=", 9))))
    assert PLAN.measured == ()
    assert replace(PLAN, nowhere=(long, long)).measured == ("en", "ja")


def test_the_stratum_that_no_pattern_asks_for() -> None:
    found = PLAN.in_distribution("train")
    assert found is not None
    assert found.stream == "train/in_distribution"
    assert PLAN.in_distribution("gen") is None


# --- lemmas -------------------------------------------------------------------------------------


def test_the_lemmas_of_a_sentence_are_those_that_its_rules_introduce() -> None:
    introduced, content = introduced_lemmas(TOY, PLAN), content_lemmas(TOY, PLAN)
    for derivation in random_derivations(TOY, 40, 31):
        nodes = derive_graph(TOY, derivation, 0).nodes
        assert sorted(lemma for rule in derivation for lemma in introduced[rule]) == sorted(
            n.get("lemma") for n in nodes
        )
        counted = sorted(node.get("lemma") for node in nodes if node.get("upos") in ("NOUN", "PROPN"))
        assert sorted(lemma for rule in derivation for lemma in content[rule]) == counted
        assert repeats_lemma(derivation, content) == (len(set(counted)) < len(counted))


def test_without_a_layer_of_lemmas_there_are_none() -> None:
    assert introduced_lemmas(TOY, replace(PLAN, lemma_layer="")) == [()] * len(TOY.rules)


# --- releases -----------------------------------------------------------------------------------


def test_a_canary_is_one_for_each_grammar_and_author() -> None:
    assert canary_of("farm", "A") == canary_of("farm", "A")
    assert len({canary_of("farm", "A"), canary_of("farm", "B"), canary_of("shop", "A")}) == 3
    assert UUID(canary_of("farm", "A")).version == 5


def test_licences_are_known_with_what_they_look_like() -> None:
    assert {"licences", "clauses", "columns"} <= known().keys()
    assert "CC-BY-4.0" in known()["licences"]


def test_a_pattern_without_structures_states_no_layer() -> None:
    """Its layer is what the verifier takes for granted."""
    nothing = replace(SUBJECT, forbid=(), never=(), gen=(), exclude=(), need=(), expose=(), reserved=(), waive=())
    assert "layer" not in stated(replace(nothing, quotas=()))
    assert stated(SUBJECT)["layer"] == "syn"
