"""`compile` never calls a dataset verified that `verify` refuses: it draws a sample of the rows again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from sgl.cli.main import FAILED, OK, OUTPUT, USAGE, run
from sgl.verify import texts
from sgl.verify.sampled import FEWEST, look_at

GRAMMAR = """\
layer en  : text
layer out : text
layer syn : graph on en

category S
category N

rule pair: S -> one:N two:N
  out reverse(two) one
  syn one -[conj]-> two

word N: "dog"
  out "dog" "barks"
  syn node(lemma=dog, upos=NOUN)

word N: "cat"
  out "cat" "purrs"
  syn node(lemma=cat, upos=NOUN)

word N: "owl"
  out "owl" "hoots"
  syn node(lemma=owl, upos=NOUN)

dataset
  train 4
  dev 1
  test 1
  from S
  distinct sentences
"""


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("pairs"), OK)


def compiled(directory: Path, expected: int) -> Path:
    (directory / "pairs.sgl").write_text(GRAMMAR, "utf-8")
    out = directory / "out"
    assert run(["compile", str(directory / "pairs.sgl"), "--out", str(out), "--no-cache"]) == expected
    return out


def test_a_sample_has_rows_of_every_stratum(dataset: Path) -> None:
    found = look_at(dataset, FEWEST)
    assert (found.rows, found.refusal) == (6, "")
    assert FEWEST + 2 <= found.right < found.rows


def test_a_function_that_the_checker_lacks_is_named_with_its_rule(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(texts.FUNCTIONS, "reverse")
    assert not compiled(tmp_path, FAILED).exists()
    said = "".join(capsys.readouterr())
    assert "R01 rule pair uses the text function 'reverse', which the checker does not know" in said


def test_a_function_that_the_checker_reads_otherwise_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(texts.FUNCTIONS, "reverse", lambda words: words)
    assert not compiled(tmp_path, FAILED).exists()
    assert "R04" in "".join(capsys.readouterr())


@pytest.mark.parametrize(
    ("path", "old", "code"),
    [("derivations/train.tsv", b" ", "R03"), ("data/train.tsv", b"\t", "R04"), ("conllu/train.conllu", b"conj", "R05")],
)
def test_a_row_that_was_changed_is_found(dataset: Path, path: str, old: bytes, code: str, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(dataset, copy)
    (copy / path).write_bytes((copy / path).read_bytes().replace(old, b"0 " if old == b" " else b"x", 1))
    assert look_at(copy, 4).refusal.startswith(code)


def test_a_look_never_says_verified(dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in dataset.rglob("*") if path.is_file()}
    assert run(["verify", str(dataset), "--sample", "2"]) == OK
    said = capsys.readouterr().out
    assert said.startswith("sample    4 rows of 6 drawn again")
    assert "\nnot verified: `sglc verify" in said
    assert "signature" not in said
    assert run(["verify", str(dataset), "--sample", "9", "--json"]) == OK
    assert json.loads(capsys.readouterr().out) == {"verified": False, "rows": 6, "right": 6, "refusal": ""}
    assert {path: path.read_bytes() for path in dataset.rglob("*") if path.is_file()} == before
    shutil.copytree(dataset, tmp_path / "copy")
    rows = tmp_path / "copy" / "data" / "train.tsv"
    rows.write_bytes(rows.read_bytes().replace(b"\t", b"x\t", 1))
    assert run(["verify", str(tmp_path / "copy"), "--sample", "2"]) == FAILED
    assert capsys.readouterr().out.startswith("failed    R04")


def test_what_has_no_sample(dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", str(dataset), "--sample", "2", "--signature", "sgl:"]) == USAGE
    assert run(["verify", str(dataset / "certificate.json"), "--sample", "2"]) == USAGE
    assert run(["verify", str(tmp_path), "--sample", "2"]) == OUTPUT
    assert "it is not a dataset" in capsys.readouterr().err
