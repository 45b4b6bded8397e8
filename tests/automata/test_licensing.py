"""Training shows every piece of what is held out, or the missing piece is named."""

from __future__ import annotations

from dataclasses import replace

import pytest
from toy import TOY, all_derivations, pattern, random_derivations, toy_plan
from toy_notation import structure

from sgl.automata import Claim, StructureCompiler, Verdict, pieces_of, prove
from sgl.automata.proofs import evidence
from sgl.core import alike as alikeness
from sgl.core.extent import Extent
from sgl.core.plan import Constraint, Need, Pattern, Plan, Stratum

MODIFIED_SUBJECT = structure("{ V -[nsubj]-> N; N -[nmod]-> M }")
MODIFIER = structure("{ N -[nmod]-> M }")


@pytest.mark.parametrize(
    ("whole", "pieces"),
    [
        ("{ V -[nsubj]-> N; N -[nmod]-> M }", ["{ N -[nmod]-> M }", "{ V -[nsubj]-> N }"]),
        # A node that is left alone says nothing, unless it has a test.
        ("{ X -[*]-> N[lemma=cat] }", ["{ N[lemma=cat] }"]),
        ("{ V -[obj]-> N }", []),
        ("{ N[lemma=cat] }", []),
        # A path loses one step, a count one.
        ("{ V -[ccomp]{3}-> W }", ["{ V -[ccomp]{2}-> W }"]),
        ("{ V -[ccomp]{3,}-> W }", ["{ V -[ccomp]{2}-> W }"]),
        ("{ V -[ccomp]{2}-> W }", ["{ V -[ccomp]-> W }"]),
        ("{ V[upos=VERB] -[ccomp]+-> W }", ["{ V[upos=VERB] }"]),
        ("{ N[#amod>=5] }", ["{ N[#amod>=4] }"]),
        ("{ N[#amod=2] }", ["{ N[#amod=1] }"]),
        ("{ N[#amod<=2] }", []),
        ("{ N[#amod>=1] }", []),
        # What falls apart gives two pieces, equal ones are one.
        (
            "{ V -[obj]-> N; N -[amod]-> A; W -[obj]-> M }",
            ["{ N -[amod]-> A }", "{ W -[obj]-> M }", "{ V -[obj]-> N; N -[amod]-> A }"],
        ),
        ("{ A -[ccomp]-> B; B -[ccomp]-> C }", ["{ B -[ccomp]-> C }"]),
        # A clause and its gap are one link.
        ("{ N -[acl:relcl]-> V; V -[~obj]-> N }", []),
        # ``without`` stays where all its nodes are.
        (
            "{ V -[nsubj]-> N; N -[amod]-> A } without { X -[acl:relcl]-> V }",
            ["{ N -[amod]-> A }", "{ V -[nsubj]-> N } without { X -[acl:relcl]-> V }"],
        ),
        ("{ V -[ccomp]{3}-> W } without { W -[ccomp]-> X }", ["{ V -[ccomp]{2}-> W } without { W -[ccomp]-> X }"]),
    ],
)
def test_the_pieces_of_a_structure(whole: str, pieces: list[str]) -> None:
    found = {str(piece) for piece in pieces_of(structure(whole))}
    expected = {str(structure(piece)) for piece in pieces}
    assert len(found) == len(expected)
    assert {str(structure(piece).canonical()) for piece in found} == {
        str(structure(piece).canonical()) for piece in expected
    }


@pytest.mark.parametrize(
    "whole",
    [
        "{ V -[nsubj]-> N; N -[nmod]-> M }",
        "{ V -[obj]-> N; N -[acl:relcl]-> W; W -[~obj]-> N }",
        "{ V -[ccomp]{2}-> W; W -[obj]-> O }",
        "{ N[#amod>=2]; V -[nsubj]-> N }",
        "{ A -[amod]-> B; C -[nsubj]-> D; D -[det]-> E }",
    ],
)
def test_a_sentence_with_the_whole_has_every_piece(whole: str) -> None:
    target = structure(whole)
    wanted = StructureCompiler(TOY).structure_automaton(target)
    drawn = random_derivations(TOY, 3_000, seed=5, longest=60)
    with_it = [derivation for derivation in drawn if wanted.accepts(TOY, derivation)]
    assert with_it
    for piece in pieces_of(target):
        automaton = StructureCompiler(TOY).structure_automaton(piece)
        assert all(automaton.accepts(TOY, derivation) for derivation in with_it)


def plan_of(*patterns: Pattern, exposures: tuple[Stratum, ...] = ()) -> Plan:
    held_out = tuple(s for p in patterns for s in p.held_out)
    stratum = Stratum("train", "in_distribution", "train/in_distribution", Extent(100), Constraint(exclude=held_out))
    return replace(toy_plan(), patterns=patterns, strata=(stratum, *exposures))


def pieces(plan: Plan, name: str) -> tuple[Claim[None], ...]:
    return prove(StructureCompiler(TOY), plan).of(name).pieces


SUBJECT = pattern("subject", (MODIFIED_SUBJECT,))
MODIFIED = pattern("modified", (MODIFIER,))


def test_a_piece_is_proved_by_a_training_sentence_that_has_it() -> None:
    claims = pieces(plan_of(SUBJECT), "subject")
    assert [str(claim.structure) for claim in claims] == ["{ N -[nmod]-> M }", "{ V -[nsubj]-> N }"]
    for claim in claims:
        assert claim.verdict is Verdict.PROVED
        assert claim.whole == MODIFIED_SUBJECT
        assert claim.stream == "train/in_distribution"
        assert claim.example is not None
        assert StructureCompiler(TOY).structure_automaton(claim.structure).accepts(TOY, claim.example)
        assert not StructureCompiler(TOY).structure_automaton(MODIFIED_SUBJECT).accepts(TOY, claim.example)


def test_the_sentence_shown_is_one_that_the_dataset_could_contain() -> None:
    """No noun or name occurs twice in it, as the plan demands."""
    needed = replace(SUBJECT, need=(Need(structure("{ V -[obj]-> N; N -[nmod]-> M }"), 1),))
    proofs = prove(StructureCompiler(TOY), plan_of(needed)).of("subject")
    assert len(proofs.licences) == 1
    for claim in (*proofs.pieces, *proofs.licences):
        assert claim.example is not None
        words = [TOY.rules[rule].name for rule in claim.example]
        nouns = [word for word in words if word.startswith(("N:", "Name:"))]
        assert len(set(nouns)) == len(nouns) > 0


def test_a_piece_that_another_pattern_holds_out_is_refuted_with_its_clause() -> None:
    modifier, subject = pieces(plan_of(SUBJECT, MODIFIED), "subject")
    assert modifier.verdict is Verdict.REFUTED
    assert modifier.example is None
    assert modifier.conflict is not None
    assert modifier.conflict.exclude == (MODIFIER,)
    assert subject.verdict is Verdict.PROVED


def test_verdicts_agree_with_all_short_sentences() -> None:
    """A piece is proved if, and only if, some sentence without anything held out has it."""
    held_out = (MODIFIED_SUBJECT, MODIFIER, structure("{ V -[iobj]-> N; N -[amod]-> A }"))
    patterns = tuple(pattern(f"p{number}", (whole,)) for number, whole in enumerate(held_out))
    proofs = prove(StructureCompiler(TOY), plan_of(*patterns))
    automata = [StructureCompiler(TOY).structure_automaton(whole) for whole in held_out]
    trained = [
        derivation
        for derivation in random_derivations(TOY, 800, seed=3, longest=40)
        if not any(automaton.accepts(TOY, derivation) for automaton in automata)
    ]
    verdicts = []
    for proved in proofs.patterns:
        for claim in proved.pieces:
            automaton = StructureCompiler(TOY).structure_automaton(claim.structure)
            found = any(automaton.accepts(TOY, derivation) for derivation in trained)
            assert found == (claim.verdict is Verdict.PROVED), str(claim.structure)
            verdicts.append(claim.verdict)
    assert set(verdicts) == {Verdict.PROVED, Verdict.REFUTED}


def test_the_verdicts_do_not_depend_on_the_sentences_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(SUBJECT, MODIFIED)
    with_sentences = [claim.verdict for claim in pieces(plan, "subject")]
    monkeypatch.setattr(evidence, "SAMPLED", 0)
    monkeypatch.setattr(evidence, "SAMPLED_IN_DISTRIBUTION", 0)
    without = pieces(plan, "subject")
    assert [claim.verdict for claim in without] == with_sentences
    assert without[1].example is not None


def test_an_exposure_licenses_a_piece() -> None:
    only_exposed = Stratum(
        "train", "exposure:subject", "train/exposure:subject/0", Extent(5), Constraint(((MODIFIER,),))
    )
    exposed = plan_of(SUBJECT, MODIFIED, exposures=(only_exposed,))
    claim, _ = pieces(exposed, "subject")
    assert (claim.verdict, claim.stream) == (Verdict.PROVED, "train/exposure:subject/0")
    none_drawn = plan_of(SUBJECT, MODIFIED, exposures=(only_exposed.of(0),))
    claim, _ = pieces(none_drawn, "subject")
    assert claim.verdict is Verdict.REFUTED


def test_a_waived_piece_need_not_be_there() -> None:
    renamed = structure("{ X -[nmod]-> Y }")
    waiving = replace(SUBJECT, waive=(renamed,))
    proofs = prove(StructureCompiler(TOY), plan_of(waiving, MODIFIED)).of("subject")
    assert [claim.verdict for claim in proofs.pieces] == [Verdict.WAIVED, Verdict.PROVED]
    assert proofs.idle_waivers == ()
    assert proofs.proved


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("{ W -[c]-> X; X -[b]-> Y }", "{ X -[b]-> Y; V -[c]-> X }", True),
        ("{ W -[c]{1,2}-> X; X -[b]-> Y }", "{ A -[b]-> B; C -[c]{1,2}-> A }", True),
        ("{ A[upos=N]; B[lemma=x] }", "{ D[lemma=x]; C[upos=N] }", True),
        ("{ A -[a]-> B; B -[a]-> C; C -[a]-> A }", "{ A -[a]-> B; C -[a]-> A; B -[a]-> C }", True),
        ("{ V -[a]-> N } without { V -[b]-> M }", "{ A -[a]-> B } without { A -[b]-> C }", True),
        ("{ V -[a]-> N } without { V -[b]-> M }", "{ A -[a]-> B } without { B -[b]-> C }", False),
        ("{ A -[a]-> B; A -[a]-> C }", "{ A -[a]-> B; B -[a]-> C }", False),
        ("{ A -[a]-> B; C -[a]-> B }", "{ B -[a]-> A; B -[a]-> C }", False),
        ("{ A -[a]{1,2}-> B }", "{ A -[a]{1,3}-> B }", False),
        ("{ A[#a>=2] }", "{ A[#a=2] }", False),
    ],
)
def test_structures_are_alike_whatever_the_order_of_their_parts(one: str, other: str, alike: bool) -> None:
    assert alikeness.alike(structure(one), structure(other)) is alike


def test_a_waiver_may_have_its_parts_in_another_order() -> None:
    whole = structure("{ V -[nsubj]-> N; N -[nmod]-> M; M -[amod]-> A }")
    waiving = replace(SUBJECT, forbid=(whole,), waive=(structure("{ B -[amod]-> C; A -[nmod]-> B }"),))
    assert prove(StructureCompiler(TOY), plan_of(waiving)).of("subject").idle_waivers == ()


def test_a_waived_structure_that_is_no_piece_is_named() -> None:
    stranger = structure("{ V -[obj]-> N }")
    proofs = prove(StructureCompiler(TOY), plan_of(replace(SUBJECT, waive=(stranger,))))
    assert proofs.of("subject").idle_waivers == (stranger,)


def test_without_training_sentences_nothing_is_claimed() -> None:
    plan = replace(plan_of(SUBJECT), strata=())
    proofs = prove(StructureCompiler(TOY), plan).of("subject")
    assert {piece.verdict for piece in proofs.pieces} == {Verdict.NOTHING}
    assert proofs.exposed.verdict is Verdict.NOTHING


def test_every_short_sentence_is_drawn_from_its_split() -> None:
    """The sentences at hand are sentences of the split that they stand for."""
    split = StructureCompiler(TOY).split(Constraint(exclude=(MODIFIED_SUBJECT,)))
    automaton = StructureCompiler(TOY).structure_automaton(MODIFIED_SUBJECT)
    drawn = list(evidence.sample_some(split, 200))
    assert drawn == list(evidence.sample_some(split, 200))
    assert len(set(drawn)) > 50
    assert not any(automaton.accepts(TOY, derivation) for derivation in drawn)
    short = {d for d in all_derivations(TOY, 4) if not automaton.accepts(TOY, d)}
    assert short.intersection(drawn)
