"""Rows with computed columns and a joined input: who changes a value, a template or an input is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pytest
from forging import Forger
from row_datasets import rows_refused

from sgl.cli.main import OK, run
from sgl.verify import verify
from tampering.copy import Row

GRAMMAR = """\
module sums
layer en    : text (attach ".", capital first)
layer asked : text (as en)
layer syn   : graph on en
view words = template(syn) from "words.j2"
column total(derivation, en) from "total.j2"

category Text
category Digit

rule text: Text -> "take" first:Digit "and" second:Digit "."
  asked "what" "is" "their" "sum" "without" first drop second
  syn "take" -[obj]-> first; first -[conj]-> second; second -[cc]-> "and"(upos=CCONJ); "take" -[punct]-> "."(upos=PUNCT)

lexicon digits from "digits.yaml"
  Digit
    en asked $word
    syn node(lemma=$lemma, upos=NUM)

pattern two_threes "Three twice"
  forbid { A[lemma=3] -[conj]-> B[lemma=3] }

dataset
  from   Text
  input  en "–" asked
  output total words
  train  12
  gen    1
  distinct sentences

test "Take one and two. – What is their sum without one" => total "3 of 4", words "2:1 4:2"
"""
FILES = {
    "sums.sgl": GRAMMAR,
    "words.j2": (
        "{% for node in nodes if node.get('upos') == 'NUM' %}{{ node.position + 1 }}:{{ node.lemma }} {% endfor %}"
    ),
    "total.j2": (
        "{% set found = namespace(sum=0) %}{% for role, one in derivation.root.edges %}"
        "{% set found.sum = found.sum + (one.lemma | int) %}{% endfor %}"
        "{{ found.sum }} of {{ en.split() | length }}"
    ),
    "digits.yaml": "".join(
        f"- {{word: {word}, lemma: '{n}'}}\n" for n, word in enumerate(["one", "two", "three", "four"], 1)
    ),
}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sums")
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    assert run(["compile", str(folder / "sums.sgl"), "--out", str(folder / "out")]) == OK
    return folder / "out"


@pytest.fixture
def forger(dataset: Path, tmp_path: Path) -> Forger:
    return Forger(copytree(dataset, tmp_path / "forged"))


def test_a_row_has_its_input_and_what_is_computed(dataset: Path) -> None:
    rows = [line.split("\t")[:2] for line in (dataset / "data" / "train.tsv").read_text("utf-8").splitlines()]
    digits = {"one": 1, "two": 2, "three": 3, "four": 4}
    for source, target in rows:
        story, question = source.split(" – ")
        first, second = story.removesuffix(".").split()[1::2]
        assert question == f"What is their sum without {first}"
        assert target == f"{digits[first] + digits[second]} of 4"
    assert json.loads((dataset / "manifest.json").read_text("utf-8"))["layers"]["source"] == "en+asked"


def test_the_honest_dataset_is_accepted_and_says_what_is_recomputed(
    dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert rows_refused(dataset) == ""
    assert run(["verify", str(dataset)]) == OK
    said = capsys.readouterr().out
    assert "recomputed  total, by its template from derivation and en, in each row; it is not proved" in said
    assert "recomputed  words, by its template from syn" in said
    claims = json.loads((dataset / "manifest.json").read_text("utf-8"))["guarantees"]
    assert not [claim for claim in claims if "total" in claim.values()]
    for name in ("README.md", "report.html"):
        assert "recompute" in (dataset / name).read_text("utf-8")


def test_the_standalone_sampler_computes_the_same(dataset: Path) -> None:
    found = subprocess.run(
        [sys.executable, "sampler.py", "--check"], cwd=dataset, capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.count("identical") == 4


def test_a_changed_value_is_refused(forger: Forger) -> None:
    def other(row: Row) -> Row:
        value = "9 of 4" if row.target != "9 of 4" else "8 of 4"
        comments = tuple((name, value if name == "text_total" else text) for name, text in row.comments)
        return replace(row, target=value, comments=comments, cells={**row.cells, "target": value})

    rows = forger.read("train")
    forger.write("train", [other(rows[0]), *rows[1:]])
    forger.seal()
    assert rows_refused(forger.directory).startswith("R04 data/train.tsv")
    assert "V030" in {result.code for result in verify(forger.directory).results if result.status == "failed"}


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        (lambda views: views[1].update(template="{{ 1 + 1 }} of 4"), "R04"),
        (lambda views: views[1].update(template="{{ 1 + "), "R04"),
        (lambda views: views[1].update(template=""), "R01"),
        (lambda views: views[1].update(reads=["en", "elsewhere"]), "R01"),
        (lambda views: views[1].pop("reads"), "R01"),
        (lambda views: views[0].update(reads=["en"]), "R01"),
    ],
)
def test_a_changed_template_is_refused(forger: Forger, change: object, refusal: str) -> None:
    assert [view["name"] for view in forger.grammar["views"]] == ["words", "total"]
    change(forger.grammar["views"])  # type: ignore[operator]
    forger.seal()
    assert rows_refused(forger.directory).startswith(refusal)


def test_another_input_is_refused(forger: Forger) -> None:
    forger.plan["source"] = "en"
    forger.seal()
    assert rows_refused(forger.directory).startswith("R0")
