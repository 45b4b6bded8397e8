"""``sglc prove`` says in signs, words, trees and JSON what is proved of the example."""

from __future__ import annotations

import json
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from sgl.characters import display_width
from sgl.cli.main import run
from sgl.report import Arc, Example, GraphWord, TreeNode
from sgl.report.model import columns, graph_lines, tree_lines

EXAMPLE = Path(__file__).parent.parent.parent / "docs" / "examples"

OTHER_LABEL = """
rule relative: NP -> Det N "that" VP
  ja  VP N drop Det
  syn N -[det]-> Det; N -[acl:relcl]-> VP; VP -[mark]-> "that"(upos=SCONJ)

pattern relative_on_subject "RC on a subject"
  forbid { V -[nsubj]-> N; N -[acl:relcl]-> R }
  size   5

pattern pp_in_object "PP in object"
  forbid { V -[obj]-> N; N -[nmod]-> M }
  need   { N -[nmod]-> M }
  size   5

pattern hedgehogs "hedgehogs"
  targets hedgehog
  forbid { V -[nsubj]-> N[@targets] }
  size   5
"""


def prove(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["prove", *arguments]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


@pytest.fixture
def farm() -> str:
    return str(EXAMPLE / "farm.sgl")


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> str:
    directory = tmp_path_factory.mktemp("drawn") / "farm"
    assert run(["compile", str(EXAMPLE / "farm.sgl"), "--out", str(directory)]) == 0
    return str(directory)


@pytest.fixture
def other(tmp_path: Path) -> str:
    """A farm with relative clauses and hedgehogs, which holds out other things."""
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)
    text = (tmp_path / "farm.sgl").read_text("utf-8")
    own = text[: text.index("pattern pp_in_subject")].replace("module farm", "module other")
    hedgehog = '\nword N: "hedgehog"\n  ja  "針鼠"\n  syn node(upos=NOUN)\n'
    (tmp_path / "other.sgl").write_text(own + hedgehog + OTHER_LABEL, "utf-8")
    return str(tmp_path / "other.sgl")


# --- one line for each pattern ----------------------------------------------------------


def test_each_pattern_has_a_line_of_signs(capsys: pytest.CaptureFixture[str], farm: str) -> None:
    header, line, *rest = prove(capsys, farm).splitlines()
    assert header.split() == ["pattern", "HILESD", "mass", "expected", "title"]
    assert line.split(maxsplit=4)[:4] == ["pp_in_subject", "✓✓✓✓?✓", "2.5e-01", "250"]
    assert line.rstrip().endswith("PP in object → subject")
    assert max(display_width(text) for text in (header, line)) <= 80
    assert "H held out" in "\n".join(rest)
    assert rest[-1] == "1 of 1 pattern proved"


def test_a_dataset_gives_the_numbers_that_were_drawn(
    capsys: pytest.CaptureFixture[str], farm: str, dataset: str
) -> None:
    capsys.readouterr()
    header, line, *_ = prove(capsys, farm, "--data", dataset).splitlines()
    assert header.split() == ["pattern", "HILESD", "mass", "expected", "drawn", "items", "title"]
    drawn, items = line.split()[4:6]
    verification = json.loads((Path(dataset) / "verification.json").read_text("utf-8"))
    (licensed,) = (r for r in verification["results"] if r["code"] == "V012")
    assert int(drawn) == licensed["figures"][0]["value"]
    assert items == "200"


def test_a_dataset_of_another_grammar_is_named_as_such(
    capsys: pytest.CaptureFixture[str], dataset: str, tmp_path: Path
) -> None:
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)
    changed = tmp_path / "farm.sgl"
    changed.write_text(changed.read_text("utf-8").replace("train 1000", "train 900"), "utf-8")
    assert run(["prove", str(changed), "--data", dataset]) == 0
    assert "another version of the grammar" in capsys.readouterr().err


@pytest.mark.parametrize("missing", [True, False])
def test_a_directory_without_a_dataset_is_an_error(
    capsys: pytest.CaptureFixture[str], farm: str, tmp_path: Path, missing: bool
) -> None:
    if not missing:
        (tmp_path / "manifest.json").write_text("[1]", "utf-8")
        (tmp_path / "verification.json").write_text("{}", "utf-8")
    assert run(["prove", farm, "--data", str(tmp_path)]) == 3
    assert str(tmp_path) in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["prove"],
        ["prove", "a.sgl", "--between", "a.sgl", "b.sgl"],
        ["prove", "--between", "a.sgl", "b.sgl", "--pattern", "p"],
        ["prove", "a.sgl", "--json", "--format", "json"],
    ],
)
def test_what_does_not_go_together_is_refused(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert run(arguments) == 2
    assert capsys.readouterr().err


# --- the reasoning for one pattern ------------------------------------------------------


def test_the_reasoning_has_clauses_invariant_and_trees(capsys: pytest.CaptureFixture[str], farm: str) -> None:
    text = prove(capsys, farm, "--pattern", "pp_in_subject")
    assert text.startswith("pp_in_subject “PP in object → subject”: proved\n")
    assert "forbid { V -[nsubj]-> N; N -[nmod]-> M }" in text
    assert "  piece 1: { N -[nmod]-> M }\n" in text
    assert "    piece 1    in training      1 state   NP: the dog near the dog\n" in text
    assert "    the whole  not in training  2 states  S: the dog near the dog chased the dog\n" in text
    assert "rejection sampling would draw 4 sentences for one item" in text
    # The smallest item, with different nouns, as a tree and as a graph.
    assert "the smallest: The dog near the cat chased the hen. | 猫の近くの犬が鶏を追いかけた。" in text
    assert "    │  │  └─ PP" in text
    assert "nmod of 2 dog" in text
    assert "string level: not checked" in text


def test_a_tree_is_drawn_once_for_a_sentence(capsys: pytest.CaptureFixture[str], farm: str) -> None:
    text = prove(capsys, farm, "--pattern", "pp_in_subject")
    assert text.count(": The dog chased the cat near the hen.") == 2
    trees = [line for line in text.splitlines() if line.startswith("    Text") and " DET " in line]
    assert len(trees) == 3


# --- two grammars -----------------------------------------------------------------------


def test_between_finds_what_the_training_of_the_first_shows(
    capsys: pytest.CaptureFixture[str], farm: str, other: str
) -> None:
    data = json.loads(prove(capsys, "--between", farm, other, "--json"))
    assert (data["training"], data["tests"]) == ("farm", "other")
    found = {row["pattern"]: row for row in data["structures"]}
    assert found["pp_in_object"]["found"] == "shown"
    assert " near " in found["pp_in_object"]["witness"][0]
    assert found["relative_on_subject"]["found"] == "strange"
    assert found["relative_on_subject"]["reason"] == "no rule makes an edge `acl:relcl`"
    assert found["hedgehogs"]["reason"] == "no word has `lemma` `hedgehog`"


def test_between_tells_what_the_first_holds_out_too(capsys: pytest.CaptureFixture[str], farm: str) -> None:
    text = prove(capsys, "--between", farm, farm)
    assert "not shown: farm (A) makes it, but not in training" in text
    assert text.endswith("0 of 1 structure shown, in 0 of 1 pattern\n")


def test_between_shows_a_sentence_of_the_first(capsys: pytest.CaptureFixture[str], farm: str, other: str) -> None:
    text = prove(capsys, "--between", other, farm)
    assert "shown: training of other contains it" in text
    assert "train/in_distribution: " in text


REVERSED = """
pattern pp_in_object "PP in object"
  targets hen seen only in exposures
  forbid { V -[obj]-> N; N -[nmod]-> M }
  expose 20 shared { N[@targets] }
  size   5
"""


@pytest.fixture
def versions(tmp_path: Path) -> tuple[str, str]:
    """A farm that keeps hens for exposures, and its next version, which does not."""
    text = (EXAMPLE / "farm.sgl").read_text("utf-8")
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)
    old, new = tmp_path / "old.sgl", tmp_path / "new.sgl"
    text = text.replace("  need   100 { V -[obj]-> N; N -[nmod]-> M }\n", "")
    old.write_text(text + REVERSED, "utf-8")
    changes = {
        " seen only in exposures": "",
        "  size   5": "  allow  pp_in_subject\n  size   5",
        "  distinct lemmas NOUN\n": "",
    }
    text += REVERSED
    for before, after in changes.items():
        assert before in text
        text = text.replace(before, after)
    new.write_text(text, "utf-8")
    return str(new), str(old)


def test_between_versions_tells_what_is_no_longer_kept_apart(
    capsys: pytest.CaptureFixture[str], versions: tuple[str, str]
) -> None:
    new, old = versions
    data = json.loads(prove(capsys, "--between", new, old, "--json"))
    found = {(row["stream"], *row["structures"]): row["witness"][0] for row in data["departures"]}
    hens = "gen/pp_in_subject/0", "{ N[lemma=hen] }"
    assert " hen" in found[hens]
    allowed = "gen/pp_in_object/0", "{ V -[nsubj]-> N; N -[nmod]-> M }"
    assert found[allowed].count(" near ") == 2
    (twice,) = [witness for (_, structure, *_), witness in found.items() if "; X" in structure]
    assert twice == "The cat chased the cat."

    text = prove(capsys, "--between", new, old)
    assert "keeps this out, but farm (A) does not: { N[lemma=hen] }" in text


def test_between_a_grammar_and_itself_nothing_departs(
    capsys: pytest.CaptureFixture[str], versions: tuple[str, str]
) -> None:
    for version in versions:
        data = json.loads(prove(capsys, "--between", version, version, "--json"))
        assert data["departures"] == []


# --- figures for programs ---------------------------------------------------------------


def test_the_json_has_claims_and_figures(capsys: pytest.CaptureFixture[str], farm: str, dataset: str) -> None:
    capsys.readouterr()
    data = json.loads(prove(capsys, farm, "--json", "--data", dataset))
    (pattern,) = data["patterns"]
    assert data["proved"] is True
    assert pattern["guarantees"]["string level"] == "checked"
    assert data["strings"]["parsed"] == 1_400
    assert [piece["verdict"] for piece in pattern["pieces"]] == ["proved", "proved"]
    assert pattern["instances"][0]["candidates_by_rejection"] == pytest.approx(4.0)
    assert pattern["exposed"]["unseen"] == []
    assert pattern["items_drawn"] == 200
    assert pattern["needs"][0]["drawn"] > 100
    streams = {entry["stream"]: entry for entry in data["distributions"]}
    train, gen = streams["train/in_distribution"], streams["gen/pp_in_subject/0"]
    assert train["derivations"] is None
    assert train["derivations_by_tokens"][6] == 1280
    assert train["expected_tokens"] == pytest.approx(7.0)
    assert gen["derivations_by_tokens"][:9] == [0] * 9
    assert sum(gen["heights"]) == pytest.approx(1.0, abs=1e-5)


# --- pictures of characters -------------------------------------------------------------


def test_a_tree_grows_to_the_right() -> None:
    tree = TreeNode(
        "S",
        (TreeNode("NP", (TreeNode("Name", (TreeNode("エマ"),)),)), TreeNode("が"), TreeNode("V", (TreeNode("寝た"),))),
    )
    assert tree_lines(tree) == ["S", "├─ NP", "│  └─ Name エマ", "├─ が", "└─ V 寝た"]


def test_a_graph_is_a_table_of_words() -> None:
    example = Example(
        source="Emma saw Lina.",
        target="",
        trees=(),
        words=(GraphWord("Emma", "PROPN"), GraphWord("saw", "VERB"), GraphWord("Lina", "PROPN")),
        arcs=(Arc(1, "nsubj", 0), Arc(1, "obj", 2), Arc(1, "obj", 0, extracted=True)),
        root=1,
    )
    assert graph_lines(example) == [
        "1  Emma  PROPN  nsubj of 2 saw, ~obj of 2 saw",
        "2  saw   VERB   root",
        "3  Lina  PROPN  obj of 2 saw",
    ]


def test_columns_are_aligned_for_wide_characters() -> None:
    lines = columns([("猫", "cat"), ("a", "dog")])
    assert lines == ["猫  cat", "a   dog"]
    assert len({display_width(line) for line in lines}) == 1


@pytest.mark.parametrize(("depth", "repeats"), [(2, False), (9, True)])
def test_a_witness_is_one_that_the_dataset_could_contain_or_says_so(
    depth: int, repeats: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)
    pattern = f"use farm\n\npattern near\n  assert never {{ N -[nmod]{{{depth}}}-> M }}\n  size 1\n"
    (tmp_path / "far.sgl").write_text(pattern, "utf-8")
    assert run(["prove", str(tmp_path / "far.sgl")]) == 1
    (witness,) = (line for line in capsys.readouterr().err.splitlines() if "witness: " in line)
    words = witness.partition('"')[2].partition(".")[0].split()
    animals = [word for before, word in pairwise(words) if before in ("The", "the", "a")]
    assert (len(set(animals)) < len(animals)) == repeats
    assert witness.endswith("sentences of the dataset do not") == repeats
