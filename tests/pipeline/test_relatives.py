"""A claim must not say less than its author reads: what stays in training that is nearly what is held out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from diagnostics import MAIN, diagnose

import sgl

GRAMMAR = (Path(__file__).parent / "relatives.sgl").read_text("utf-8")
ONE = "`{}` and `{}` are one word there"
EDGE = "the edge is `{}` there, not `{}`"

#: Structures whose authors mean more than they write: what they mean, and the sentences that stay in training.
MEANT = [
    ("one verb with both", "{ V -[nsubj]-> N; W -[obj]-> M }", {"the dog saw the dog": ONE.format("V", "W")}),
    (
        "all subjects",
        "{ V -[nsubj]-> N; N -[nmod]-> M }",
        {"the dog near the dog was seen": EDGE.format("nsubj:pass", "nsubj")},
    ),
    (
        "all objects",
        "{ V -[obj]-> N; N -[nmod]-> M }",
        {"the dog that the dog saw near the dog slept": EDGE.format("~obj", "obj")},
    ),
    (
        "bare objects",
        "{ V -[obj]-> N } without { N -[amod]-> A }",
        {"the dog that the dog saw slept": EDGE.format("~obj", "obj")},
    ),
    ("a plural noun", "{ N[upos=NOUN]; M[Number=Plur] }", {"the owls slept": ONE.format("N", "M")}),
    (
        "a modified noun and an adjective",
        "{ N -[nmod]-> M; W -[amod]-> A }",
        {
            "the old dog near the dog slept": ONE.format("N", "W"),
            "the dog near the old dog slept": ONE.format("M", "W"),
        },
    ),
    (
        "a dog and a cat side by side",
        "{ A[lemma=dog] -[nmod]-> B[lemma=cat] }",
        {"the cat near the dog slept": "the edge leads from `B` to `A` there"},
    ),
    (
        "a deep dog",
        "{ V -[nsubj]-> A; A -[nmod]{2}-> B[lemma=dog] }",
        {
            "the dog near the dog near the cat near the dog slept": "the path is longer than 2 edges there",
            "the dog near the dog near the dog was seen": EDGE.format("nsubj:pass", "nsubj"),
        },
    ),
    ("any subject", "{ V[#nsubj>=1]; W -[acl:relcl]-> V }", {}),
    (
        "a cat that is seen",
        "{ V[lemma=see] -[obj]-> N[lemma=cat] }",
        {"the cat that the dog saw slept": EDGE.format("~obj", "obj")},
    ),
    (
        "an old subject and an object",
        "{ V -[nsubj]-> N; V -[obj]-> M; N -[amod]-> A }",
        {"the dog that the old dog saw slept": EDGE.format("~obj", "obj")},
    ),
    (
        "owls in a clause",
        "{ V -[ccomp]-> W; W -[nsubj]-> N[lemma=owl] }",
        {"the dog knew the owls was seen": EDGE.format("nsubj:pass", "nsubj")},
    ),
    (
        "an old noun, and a dog behind a noun",
        "{ N -[amod]-> A[lemma=old]; M -[nmod]-> K[lemma=dog] }",
        {
            "the old dog near the dog slept": ONE.format("N", "M"),
            "the dog near the old dog slept": ONE.format("N", "K"),
        },
    ),
    (
        "a subject and a clause",
        "{ V -[nsubj]-> N; W -[ccomp]-> X }",
        {"the dog knew the dog slept": ONE.format("V", "W")},
    ),
    (
        "an old object",
        "derivation { transitive -[obj]-> with_adjective }",
        {
            "the dog saw the dog near the old dog": "`near` or `with_relative` stands between `transitive` and "
            "`with_adjective` there"
        },
    ),
]
#: Structures that say what they mean, or hold out more than it.
EXACT = [
    "{ A -[ccomp]-> B; B -[ccomp]-> C }",
    "{ A -[ccomp]{2}-> B }",
    "{ V -[ccomp]-> W; W -[mark]-> M }",
    "{ A[lemma=dog]; B[lemma=cat] }",
    "{ V -[ccomp]+-> W; W -[obj|~obj]-> N[lemma=dog] }",
    "{ N[upos=NOUN]; M[upos=NOUN]; K[upos=NOUN] }",
    "{ V -[nsubj|nsubj:pass]-> N; N -[nmod]-> M }",
    "{ V -[nsubj|nsubj:pass]-> N; W -[obj|~obj]-> M; W is not V; M is not N }",
    "derivation { with_relative; near }",
    "derivation { transitive -[*]+-> with_adjective }",
]


def said(structure: str, place: Path) -> tuple[list[str], list[str]]:
    """The codes of what is said of a pattern that holds a structure out, and the notes."""
    outcome = diagnose({MAIN: f"{GRAMMAR}\npattern p\n  forbid {structure}\n  size 5\n"}, place)
    return outcome.codes, [note for diagnostic in outcome.found for note in diagnostic.notes]


@pytest.mark.parametrize(("structure", "left"), [case[1:] for case in MEANT], ids=[case[0] for case in MEANT])
def test_what_stays_in_training_is_shown(structure: str, left: dict[str, str], tmp_path: Path) -> None:
    codes, notes = said(structure, tmp_path)
    assert set(codes) <= {"SGL0855"}
    shown = {f"“{sentence}” is not held out: {why}" for sentence, why in left.items()}
    assert shown <= set(notes)


@pytest.mark.parametrize("structure", EXACT)
def test_a_structure_that_is_meant_as_it_is_written_needs_no_word(structure: str, tmp_path: Path) -> None:
    assert said(structure, tmp_path) == ([], [])


def test_variables_that_may_be_one_word_are_held_out_both_ways(tmp_path: Path) -> None:
    train = drawn("{ V -[nsubj]-> N; W -[obj|~obj]-> M; W may be V }", tmp_path)
    assert all(re.search("saw|slept|knew|seen", sentence) for sentence in train)
    assert not [sentence for sentence in train if "saw" in sentence]
    assert any("saw" in sentence for sentence in drawn("{ V -[nsubj]-> N; W -[obj|~obj]-> M }", tmp_path))


@pytest.mark.parametrize(
    "structure",
    [
        "derivation { Z[category=NP] -[other]-> X[rule=with_adjective] }",
        "{ N -[nmod]-> M; W -[amod]-> A } without { N -[acl:relcl]-> R; W -[acl:relcl]-> S }",
        "{ N -[nmod]-> M; W -[amod]-> A; W may be N; W may be M }",
        "{ N -[nmod]-> M; W -[amod]-> A; M may be N }",
        "{ N[lemma=dog] -[nmod]-> M; W[lemma=cat] -[amod]-> A; W may be N }",
    ],
)
def test_what_is_said_of_these_is_no_error(structure: str, tmp_path: Path) -> None:
    """A name that the compiler would choose, two nodes in a `without`, and nodes that are never one."""
    codes, _ = said(structure, tmp_path)
    assert set(codes) <= {"SGL0855"}


def test_a_condition_speaks_of_the_node_that_another_may_be(tmp_path: Path) -> None:
    sizes = "size 5 within { N -[acl:relcl]-> R }, 5 outside { N -[acl:relcl]-> R }"
    pattern = f"pattern p\n  forbid {{ N -[nmod]-> M; W -[amod]-> A; W may be N; W is not M }}\n  {sizes}\n"
    assert "SGL0824" not in diagnose({MAIN: f"{GRAMMAR}\n{pattern}"}, tmp_path).codes


def drawn(structure: str, place: Path) -> list[str]:
    path = place / MAIN
    path.write_text(f"{GRAMMAR}\npattern p\n  forbid {structure}\n  size 5\n", "utf-8")
    return [str(text) for text in sgl.load(path).sample(100, of="train", seed=1)]


@pytest.mark.parametrize(
    ("clause", "said_of_it"),
    [
        ("forbid { V -[obj]-> N; V may be K }", "`K` does not occur between these braces"),
        ("forbid { V -[obj]-> N; V may be V }", "`V` is always one node"),
        ("forbid { V -[obj]-> N; V is not V }", "`V` is always one node"),
        ("forbid { V -[obj]-> N; A -[amod]-> B; A may be N; N is not A }", "are both one node and two"),
        ("forbid derivation { near; with_relative; near may be with_relative }", "begin with a capital letter"),
        ("forbid { V -[obj]-> N } without { A -[amod]-> B; A may be N }", "`may be` stands between"),
        ("forbid { V -[obj]-> N }\n  need 5 { V -[nsubj]-> N; A -[amod]-> B; A may be N }", "`may be` stands between"),
    ],
)
def test_what_may_not_be_said_of_two_nodes(clause: str, said_of_it: str, tmp_path: Path) -> None:
    outcome = diagnose({MAIN: f"{GRAMMAR}\npattern p\n  {clause}\n  size 5\n"}, tmp_path)
    assert [d.code for d in outcome.found if said_of_it in d.message] == ["SGL0801"]
