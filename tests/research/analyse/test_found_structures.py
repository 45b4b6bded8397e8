"""``sglc analyse --structures``: an author's structures in trees that no grammar made."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from treebanks import conllu, dice, random_heads

from sgl.cli.main import FAILED, OK, OUTPUT, run
from sgl.research.analyse import AnalysisSettings, analyse
from sgl.research.analyse.mining import body_of

BANK = Path(__file__).parents[3] / "docs" / "examples" / "bank" / "en_ewt.conllu"

SHAPES = """
structure dog_subject { V -[nsubj]-> N[lemma=dog] }
structure bare_verb { V[upos=VERB] } without { V -[obj]-> O }
structure relative { N -[acl:relcl]-> V }
pattern two_nouns "A noun under a noun"
  forbid { N[upos=NOUN|PROPN] -[nmod]-> M }
"""


def found(tmp_path: Path, shapes: str, *arguments: str, bank: Path = BANK, status: int = OK) -> Any:  # noqa: ANN401
    """The result of the command as JSON, or None if it wrote none."""
    file, out = tmp_path / "shapes.sgl", tmp_path / "out.json"
    file.write_text(shapes, encoding="utf-8")
    assert run(["analyse", str(bank), *arguments, "--structures", str(file), "--json", str(out)]) == status
    return json.loads(out.read_text(encoding="utf-8")) if out.exists() else None


def test_each_structure_has_its_sentences_and_the_shortest_as_example(tmp_path: Path) -> None:
    rows = found(tmp_path, SHAPES)["structures"]
    assert {row["group"]: row["lines"] for row in rows} == {
        "two_nouns.forbid": [1],
        "dog_subject": [13],
        "bare_verb": [13, 22],
        "relative": [13, 22],
    }
    example = {row["group"]: row["example"] for row in rows}["relative"]
    assert example["sent_id"] == "s2"
    assert [example["words"][at]["form"] for at in example["marked"]] == ["dog", "barked"]


def test_systems_are_scored_on_the_sentences_with_a_structure(tmp_path: Path) -> None:
    system = tmp_path / "system.txt"
    system.write_text("I enjoy my time at Franklin High School.\nThe dog that barked ran.\nwrong\n", encoding="utf-8")
    rows = found(tmp_path, SHAPES, str(system))["structures"]
    exact = {row["group"]: (row["systems"]["system"]["exact"], row["sentences"]) for row in rows}
    assert exact == {"two_nouns.forbid": (1, 1), "dog_subject": (1, 1), "bare_verb": (1, 2), "relative": (1, 2)}


def test_a_parameter_chooses_the_patterns(tmp_path: Path) -> None:
    text = "param deep = off\n" + SHAPES.replace('under a noun"', 'under a noun" when deep = on')
    assert len(found(tmp_path, text)["structures"]) == 3
    assert len(found(tmp_path, text, "--set", "deep=on", "--force")["structures"]) == 4


def test_the_structures_of_a_whole_grammar_are_found_without_its_words(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    assert run(["analyse", str(BANK), "--structures", "sget", "--json", str(out), "-q"]) == OK
    assert len(json.loads(out.read_text(encoding="utf-8"))["structures"]) > 100


@pytest.mark.parametrize(
    ("shapes", "said"),
    [
        ("labels core = nsubj|obj\n", "declares no structure"),
        ("", "declares nothing"),
        ("structure x { V -[nsubj]-> }\n", "error[SGL0101]"),
        ("structure x { V -[core]-> N; @core }\n", "error[SGL"),
    ],
)
def test_a_file_without_sound_structures_is_an_error(
    shapes: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert found(tmp_path, shapes, status=FAILED) is None
    assert said in capsys.readouterr().err


def test_a_missing_file_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["analyse", str(BANK), "--structures", str(tmp_path / "none.sgl")]) in (FAILED, OUTPUT)
    assert "does not exist" in capsys.readouterr().err


def test_what_a_tree_cannot_have_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """
layer en : text
layer syn : graph on en
layer sem : graph on en (free)
structure gap { N -[~obj]-> V }
structure agent sem { V -[agent]-> N }
structure subject { V -[nsubj]-> N }
"""
    rows = found(tmp_path, text)["structures"]
    assert [(row["group"], row["sentences"]) for row in rows] == [("gap", 0), ("subject", 3)]
    said = capsys.readouterr().err
    assert said.count("warning[SGL1508]") == 2
    assert "not searched in the trees: agent" in said
    assert "(`~`): gap" in said


def test_a_structure_that_no_word_or_edge_allows_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found(
        tmp_path,
        "structure a { V -[subj]-> N[Number=Plur] }\nstructure b { V -[ccomp]-> W }\nstructure c { V -[obj]-> W }",
    )
    said = capsys.readouterr().err
    assert "2 structures cannot occur" in said
    assert "a: -[subj]->, Number=Plur" in said
    assert "b: -[ccomp]->" in said


def test_mining_and_searching_count_the_same_sentences(tmp_path: Path) -> None:
    """Error mining counts the sentences with a structure in a way of its own: its counts are the search's."""
    draw, bank, system = dice(7), tmp_path / "bank.conllu", tmp_path / "system.txt"
    sizes = [draw.randrange(2, 9) for _ in range(120)]
    sentences = []
    for size in sizes:
        heads = random_heads(size, draw)
        labels = [draw.choice(("nsubj", "obj", "amod")) if head else "root" for head in heads]
        words = [
            (draw.choice("abc"), "x", draw.choice(("NOUN", "VERB")), h, e) for h, e in zip(heads, labels, strict=True)
        ]
        sentences.append(conllu(words))
    bank.write_text("".join(sentences), encoding="utf-8")
    system.write_text("wrong\n" * len(sizes), encoding="utf-8")
    mined = analyse(bank, [("system", system)], AnalysisSettings(views=("pos-dep",), failure="inexact")).data["mined"]
    counts = {body_of(row["structure"], "pos-dep"): row["sentences"] for one in mined for row in one["suspects"]}
    # The top of a sentence can be the root or any word, so its structures are searched more widely.
    counts = {body: number for body, number in counts.items() if body.startswith("{ A -[")}
    assert len(counts) > 20
    shapes = "".join(f"structure s{number} {body}\n" for number, body in enumerate(counts))
    rows = found(tmp_path, shapes, bank=bank)["structures"]
    assert [row["sentences"] for row in rows] == list(counts.values())
    assert max(Counter(counts.values())) > 1
