"""Structures in words: what the notation says, said so that one can read it aloud."""

from pathlib import Path

import pytest

from sgl.core.structure import Body, NodeTest, Structure, Variable
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.engine import Workspace
from sgl.frontend import Compiled
from sgl.frontend.passes import read_structure
from sgl.report.words import described, in_words, sentence_of

SGET = Path(__file__).parents[2] / "grammars" / "sget.sgl"


@pytest.fixture(scope="module")
def sget() -> Compiled:
    compiled = Workspace().open(SGET).compiled
    assert compiled is not None
    return compiled


def read(compiled: Compiled, text: str) -> Structure:
    structure = read_structure(compiled, text, SourceMap(), Diagnostics())
    assert structure is not None
    return structure


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{ V -[nsubj]-> N; N -[nmod]-> M }", "N is the active subject of V, and M is the nominal modifier of N"),
        ("{ V -[obj|iobj]-> N }", "N is the object or indirect object of V"),
        ("{ V -[^nsubj]-> N }", "N is a dependent, not active subject, of V"),
        ("{ V -[~obj]-> N }", "N is the extracted object of V"),
        ("{ V -[ccomp]{3}-> C }", "C is 3 steps over complement clauses below V"),
        ("{ V -[ccomp]+-> C }", "C is 1 or more steps over complement clauses below V"),
        ("{ V -[*]{2}-> C }", "C is 2 steps below V"),
        ("{ N[#amod>=2] }", "N has 2 or more adjectives"),
        ("{ N[lemma=cat|dog] }", "the lemma of N is cat or dog"),
        ("{ N[lemma!=cat] }", "the lemma of N is not cat"),
        ("{ V -[obj]-> N } without { V -[iobj]-> M }", "N is the object of V, unless M is the indirect object of V"),
    ],
)
def test_a_structure_is_read_aloud(sget: Compiled, text: str, words: str) -> None:
    assert in_words(read(sget, text)) == words


@pytest.mark.parametrize(
    ("structures", "claim"),
    [
        # About words: what is left of them in training.
        (
            "{ X -[^obj|iobj]-> N[lemma=cat] }",
            "In training, cat occurs only as an object or an indirect object (or as the root).",
        ),
        ("{ X -[^obj]-> N[lemma=cat|dog] }", "In training, cat and dog occur only as objects (or as the root)."),
        (
            "{ X -[^nsubj|nsubj:pass|~nsubj]-> N[lemma=cat|dog] }",
            "In training, cat and dog occur only as subjects (or as the root).",
        ),
        ("{ X -[*]-> N[lemma=cat] }", "In training, cat occurs only as the root of a sentence."),
        ("{ V -[nsubj]-> N[lemma=cat] }", "In training, cat never occurs as an active subject."),
        ("{ V[lemma=give, Tense=Pres] }", "In training, give never occurs as a present-tense form."),
        ("{ V[lemma=give|sell, VerbForm!=Part] }", "In training, give and sell occur only as participles."),
        (
            "{ V[lemma=give|sell, Tense=Pres] -[iobj]-> R }",
            "In training, give and sell have, as a present-tense form, no indirect objects.",
        ),
        (
            "{ V[lemma=give] -[^nsubj|aux]-> R }",
            "In training, give has no dependents but auxiliaries or active subjects.",
        ),
        (
            "{ V[lemma=give] -[obj]-> O } + { V[lemma=give, VerbForm=Part] }",
            "In training, give has no objects, and never occurs as a participle.",
        ),
        (
            "{ X -[*]-> V[lemma=give] } + { V[lemma=give] -[*]-> X }",
            "In training, give occurs only as the root of a sentence, and has no dependents.",
        ),
        # About other words than one, or other structures: what no sentence has.
        (
            "{ V[lemma=give] } + { V[lemma=sell] }",
            "No training sentence has a word that is give, or a word that is sell.",
        ),
        (
            "{ V -[nsubj|nsubj:pass]-> N; N -[nmod]-> M }",
            "No training sentence has a subject that has a nominal modifier.",
        ),
        ("{ V -[iobj]-> N[upos!=PRON] }", "No training sentence has an indirect object that is not a pronoun."),
        ("{ V -[obl:to]-> N[PronType!=Int] }", "No training sentence has a to-phrase that is not a question word."),
        (
            "{ V[upos=VERB] -[obj]-> O; V -[obl:to]-> P }",
            "No training sentence has a verb that has an object and a to-phrase.",
        ),
        (
            "{ V -[obj]-> O; O -[amod]-> A } without { V -[iobj]-> R }",
            "No training sentence has a word without an indirect object, and that has an object that has an adjective.",
        ),
        (
            "{ V -[nsubj]-> N } without { X -[acl:relcl]-> V }",
            "No training sentence has a word that is not itself a relative clause, and that has an active subject.",
        ),
        (
            "{ N -[acl:relcl]-> V; V -[~obj]-> N }",
            "No training sentence has a word that has a relative clause whose extracted object it is.",
        ),
        ("{ V -[ccomp]{5}-> C }", "No training sentence has 5 or more nested complement clauses."),
        (
            "{ V -[ccomp]{3}-> C } without { C -[ccomp]-> X } without { Y -[ccomp]-> V }",
            "No training sentence has exactly 3 nested complement clauses.",
        ),
        ("{ N[#amod=3] }", "No training sentence has a word that has exactly 3 adjectives."),
        # No tree, or a condition on several nodes.
        (
            "{ V -[obj]-> N; W -[nsubj]-> N }",
            "In no training sentence: N is the object of V, and N is the active subject of W.",
        ),
        (
            "{ V -[ccomp]{3}-> C } without { C -[ccomp]-> X }",
            (
                "In no training sentence: C is 3 steps over complement clauses below V, "
                "unless X is the complement clause of C."
            ),
        ),
    ],
)
def test_a_claim_is_a_sentence(sget: Compiled, structures: str, claim: str) -> None:
    assert sentence_of([read(sget, text) for text in structures.split(" + ")]) == claim


def test_nothing_held_out_is_nothing_said() -> None:
    assert sentence_of([]) == ""


def test_of_many_words_the_first_are_named() -> None:
    words = frozenset(f"w{number:02}" for number in range(20))
    body = Body((Variable("N", (NodeTest("lemma", words, negated=True),)),))
    assert described(Structure("syn", body)) == "a word that is not w00, w01, w02 or 17 others"


def test_every_claim_of_sget_can_be_read(sget: Compiled) -> None:
    said = {pattern.name: sentence_of(pattern.held_out) for pattern in sget.plan.patterns}
    assert {name for name, text in said.items() if len(text) > 250} == {"centre_embedding_shallower"}
    assert [name for name, text in said.items() if "lemma" in text] == []
    assert len({*said.values()}) == len(said)
