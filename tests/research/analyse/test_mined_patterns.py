"""Mined structures become patterns, and proved test sets are drawn from them."""

import shutil
from pathlib import Path

import pytest
from workplace import Workplace

from sgl.cli.main import OK, run
from sgl.research.analyse.mining import body_of

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples"


@pytest.mark.parametrize(
    ("structure", "view", "body"),
    [
        ("(nsubj (det))", "dep", "{ A -[nsubj]-> B; B -[det]-> C }"),
        (
            "(acl:relcl (nsubj (det)) (obj))",
            "dep",
            "{ A -[acl:relcl]-> B; B -[nsubj]-> C; C -[det]-> D; B -[obj]-> E }",
        ),
        # The root has no edge to it.
        ("(root (nsubj) (obj))", "dep", "{ A -[nsubj]-> B; A -[obj]-> C }"),
        ("(VERB (ADV) (ADV))", "pos", "{ A[upos=VERB]; A -[*]-> B[upos=ADV]; A -[*]-> C[upos=ADV] }"),
        ("(NOUN-nsubj (DET-det))", "pos-dep", "{ A -[nsubj]-> B[upos=NOUN]; B -[det]-> C[upos=DET] }"),
        ("(VERB-root (NOUN-obj))", "pos-dep", "{ A[upos=VERB]; A -[obj]-> B[upos=NOUN] }"),
        ("(well-known (very))", "lemma", '{ A[lemma="well-known"]; A -[*]-> B[lemma=very] }'),
        (
            "(go-VERB-root (in-ADP-mark))",
            "lemma-pos-dep",
            "{ A[lemma=go, upos=VERB]; A -[mark]-> B[lemma=in, upos=ADP] }",
        ),
        ("(* (in))", "lemma", '{ A[lemma="*"]; A -[*]-> B[lemma=in] }'),
        # What a pattern cannot say is left out.
        ('(say ("))', "lemma", ""),
        ("(root)", "dep", ""),
        ("(say (⟨))", "lemma", ""),
    ],
)
def test_a_structure_in_the_notation_of_patterns(structure: str, view: str, body: str) -> None:
    assert body_of(structure, view) == body


def test_a_proved_test_set_is_drawn_from_what_a_system_fails_at(work: Workplace) -> None:
    """The system cannot order sentences whose object has a modifier."""
    for path in EXAMPLE.glob("*.*"):
        shutil.copy(path, work.directory)
    whole = (work.directory / "farm.sgl").read_text("utf-8")
    plain = whole.partition("\npattern ")[0].replace("train 1000", "train 300")
    work.write("plain.sgl", plain)
    assert run(["compile", "plain.sgl", "-o", "out"]) == OK
    gold = work.directory / "out" / "conllu" / "test.conllu"
    lines = [line for line in gold.read_text("utf-8").splitlines() if line.startswith("# text =")]
    texts = [line.removeprefix("# text = ") for line in lines]
    texts = [" ".join(reversed(text.split())) if has_modified_object(text) else text for text in texts]
    work.write("system.txt", "".join(f"{text}\n" for text in texts))
    options = ["--view", "dep", "--failure", "inexact", "--nodes", "2", "--patterns", "hard.sgl"]
    assert run(["analyse", str(gold), "system.txt", *options]) == OK
    mined = (work.directory / "hard.sgl").read_text("utf-8")
    number = next(n for n, line in enumerate(mined.split("\npattern ")[1:], 1) if "(obj (nmod))" in line)
    assert number == 1
    assert run(["fmt", "--check", "hard.sgl"]) == OK
    work.write("again.sgl", plain.replace("\nlayer en", "use hard\n\nlayer en", 1))
    assert run(["compile", "again.sgl", "-o", "again"]) == OK
    assert "1 of 1 pattern" in work.capsys.readouterr().out
    items = (work.directory / "again" / "data" / "gen.tsv").read_text("utf-8").splitlines()
    assert len(items) == 100
    assert all(has_modified_object(item.split("\t")[0]) for item in items)
    training = (work.directory / "again" / "data" / "train.tsv").read_text("utf-8").splitlines()
    assert not [row for row in training if has_modified_object(row.split("\t")[0])]


def has_modified_object(sentence: str) -> bool:
    """The dog saw a cat *near a hen*."""
    return sentence.split()[-3] == "near"
