"""A split that is empty, or smaller than it was meant to be, is never called proved: it is refused, or said."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sgl.cli.main import FAILED, OK, run
from sgl.verify import certificate_faults, verify
from sgl.verify.certificate import judge

NOUNS = ("dog", "cat", "owl", "emu")

GRAMMAR = """\
layer en  : text
layer ja  : text (join "")
layer syn : graph on en

category S
category N
category V

rule seen: S -> subj:N V obj:N
  ja  subj obj V
  syn V -[nsubj]-> subj; V -[obj]-> obj

word V: "sees"
  ja  "見る"
  syn node(lemma=see, upos=VERB)
""" + "".join(f'\nword N: "{noun}"\n  ja  "{noun}"\n  syn node(lemma={noun}, upos=NOUN)\n' for noun in NOUNS)

#: Training has four sentences, about the dog and the cat.
DATASET = """
dataset
  from S
  train all
  distinct sentences
"""

#: Every item has an owl, which training never shows.
OWLS = """
pattern owls
  targets owl
  forbid { N[@targets] }
  size   all
"""

#: Of ten items three are about owls, which training shows as objects; the others have an emu.
BIRDS = """
pattern birds
  forbid { V -[nsubj]-> N[lemma=owl] }
  forbid { N[lemma=emu] }
  unseen words forms
  size   all
"""


def compiled(source: str, directory: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Compile a dataset into `out`; the exit code and what is said."""
    (directory / "toy.sgl").write_text(source, "utf-8")
    code = run(["compile", str(directory / "toy.sgl"), "--out", str(directory / "out")])
    return code, *capsys.readouterr()


def strata(out: Path) -> dict[str, dict[str, object]]:
    """The strata of a manifest by their streams."""
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    return {own["stream"]: own for split in manifest["splits"].values() for own in split["strata"]}


@pytest.mark.parametrize("command", ["check", "prove", "compile"])
def test_items_that_all_have_a_word_unknown_to_training_are_refused_before_drawing(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "toy.sgl"
    path.write_text(GRAMMAR + OWLS + DATASET, "utf-8")
    assert run([command, str(path)]) == FAILED
    said = capsys.readouterr().err
    assert "error[SGL0853]: every item of `owls` has a word that training never shows" in said
    assert "training lacks `owl`" in said
    assert "write `size 0`" in said


def test_all_of_a_part_is_an_error_if_nothing_of_it_is_accepted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Training could show the owl as an object, but its one sentence happens not to."""
    subjects = OWLS.replace("{ N[@targets] }", "{ V -[nsubj]-> N[@targets] }")
    code, _, said = compiled(GRAMMAR + subjects + DATASET.replace("train all", "train 1"), tmp_path, capsys)
    assert code == FAILED
    assert "error[SGL0809]: `gen/owls/0` cannot yield 4 sentences" in said
    assert "all 4 derivations of this part of the data were rejected" in said
    assert "rejected 4 for a word that no sentence of train has" in said
    assert "for a pattern without items, write `size 0`" in said
    assert not (tmp_path / "out").exists()


def test_the_standalone_sampler_refuses_an_empty_part_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of this seed training shows the owl, of another it does not."""
    subjects = OWLS.replace("{ N[@targets] }", "{ V -[nsubj]-> N[@targets] }")
    source = GRAMMAR + subjects + DATASET.replace("train all", "train 1\n  seed 13")
    code, _, said = compiled(source, tmp_path, capsys)
    assert code == OK, said
    sampler = [sys.executable, str(tmp_path / "out/sampler.py"), "--split", "gen"]
    assert subprocess.run(sampler, check=False, capture_output=True).returncode == 0
    done = subprocess.run([*sampler, "--seed", "1"], check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "gen/owls/0: 0 of 4 items: all 4 derivations of this part of the data were rejected" in done.stderr


def test_what_is_left_out_of_all_is_said_everywhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Items with the emu, which training never shows, cannot be in the data."""
    code, told, said = compiled(GRAMMAR + BIRDS + DATASET, tmp_path, capsys)
    assert code == OK, said
    what = "3 of 10 sentences; 7 left out: a word that no sentence of train has"
    out = tmp_path / "out"
    assert f"warning[SGL0909]: `gen/birds/0` has {what}" in said
    assert f"gen/birds/0: {what}" in told
    assert what in (out / "README.md").read_text("utf-8")
    assert what in (out / "report.html").read_text("utf-8")
    found = strata(out)["gen/birds/0"]
    assert (found["count"], found["candidates"], found["rejected"]["unexposed_word"]) == (3, 10, 7)
    assert all("emu" not in row for row in (out / "data/gen.tsv").read_text("utf-8").splitlines())


def test_sentences_that_training_has_are_not_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is missing from the data because dev asks for what is in train."""
    source = GRAMMAR + BIRDS.replace("size   all", "size 0") + DATASET.replace("train all", "train 5\n  dev all")
    code, told, said = compiled(source, tmp_path, capsys)
    assert code == OK, said
    assert strata(tmp_path / "out")["dev/in_distribution"]["rejected"]["repeated_sentence"] == 5
    assert "left out" not in told + said


# ---- no verdict on items that do not exist


@pytest.fixture(scope="module")
def without_items(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("without")
    (folder / "toy.sgl").write_text(GRAMMAR + OWLS.replace("size   all", "size   0") + DATASET, "utf-8")
    assert run(["compile", str(folder / "toy.sgl"), "--out", str(folder / "out")]) == OK
    return folder


def test_of_a_pattern_without_items_only_training_is_claimed(
    without_items: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["compile", str(without_items / "toy.sgl"), "--out", str(without_items / "out")]) == OK
    assert "proved    1 of 1 pattern: held out, licensed; no pattern has items" in capsys.readouterr().out
    assert run(["prove", str(without_items / "toy.sgl")]) == OK
    assert "✓–––?–" in capsys.readouterr().out
    manifest = json.loads((without_items / "out/manifest.json").read_text("utf-8"))
    verdicts = {own["claim"]: own["result"] for own in manifest["guarantees"]}
    assert verdicts["held out"] == verdicts["licensed"] == "proved"
    assert {verdicts[claim] for claim in ("instance", "exposed", "disjoint")} == {"nothing claimed"}
    certificate = (without_items / "out/certificate.json").read_bytes()
    assert certificate_faults(certificate) == ()
    assert [line for line in judge(certificate)[1] if not line.startswith("owls: held out")] == []
    assert verify(without_items / "out").ok


@pytest.mark.parametrize(
    ("claim", "result"),
    [("instance", "proved"), ("exposed", "proved"), ("disjoint", "proved"), ("held out", "nothing claimed")],
)
def test_the_verifier_refuses_a_verdict_on_what_does_not_exist(
    claim: str, result: str, without_items: Path, tmp_path: Path
) -> None:
    shutil.copytree(without_items / "out", tmp_path / "forged")
    path = tmp_path / "forged/manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    (stated,) = [own for own in manifest["guarantees"] if own["claim"] == claim]
    stated["result"] = result
    path.write_text(json.dumps(manifest), "utf-8")
    (found,) = [own for own in verify(tmp_path / "forged").results if own.code == "V025"]
    assert any(repr(claim) in violation.message for violation in found.violations)


def test_without_training_nothing_is_licensed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A dataset of test sentences alone still says that none of them has what is held out."""
    source = GRAMMAR + OWLS.replace("size   all", "size   0") + DATASET.replace("train all", "test all")
    code, _, said = compiled(source, tmp_path, capsys)
    assert code == OK, said
    manifest = json.loads((tmp_path / "out/manifest.json").read_text("utf-8"))
    verdicts = {own["claim"]: own["result"] for own in manifest["guarantees"]}
    assert verdicts["held out"] == "proved"
    assert {verdicts[claim] for claim in ("instance", "exposed", "disjoint")} == {"nothing claimed"}
    assert verify(tmp_path / "out").ok


# ---- when drawing gives up


def test_it_is_said_how_hard_was_tried(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every sentence exists, but one noun is drawn once in ten million times."""
    rare = GRAMMAR.replace('word N: "emu"', 'word N: "emu"  ~ 0.0000003')
    code, _, said = compiled(rare + DATASET.replace("train all", "train 15"), tmp_path, capsys)
    assert code == FAILED
    assert "of the last 2,000 candidates 0 were accepted" in said
    assert "and 101,500 may be drawn in all" in said
    assert "has 16 derivations; all were looked at: 16 sentences can be accepted, but some are rare" in said
    assert "take every sentence, with `train all`" in said


def test_that_the_sentences_do_not_exist_is_a_fact(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, said = compiled(GRAMMAR + BIRDS.replace("size   all", "size 4") + DATASET, tmp_path, capsys)
    assert code == FAILED
    assert "all were looked at, and only 3 sentences can be accepted" in said
    assert "(left out: 7 for a word that no sentence of train has)" in said
    assert "ask for 3 at most (`size all` takes every one)" in said


def test_more_than_there_are_is_refused_before_drawing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, said = compiled(GRAMMAR + BIRDS.replace("size   all", "size 11") + DATASET, tmp_path, capsys)
    assert code == FAILED
    assert "this part of the data has 10 derivations in all" in said
    assert "candidates" not in said
