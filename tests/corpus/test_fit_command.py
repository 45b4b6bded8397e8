"""The command ``sglc fit``: what it says of a corpus, and the file that it writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from farm import FARM, ROWS, farm, with_directory
from workplace import Workplace

import sgl.corpus.fit
import sgl.corpus.rows
from sgl.cli.main import FAILED, INTERRUPTED, OUTPUT, USAGE
from sgl.core.grammar import CoreGrammar
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.disk import Folder
from sgl.parsing import Parser
from sgl.pipeline.grammar import open_grammar


@pytest.fixture
def place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Workplace:
    return farm(tmp_path, capsys)


@pytest.mark.slow
def test_the_report_says_what_was_used_and_what_was_not(place: Workplace) -> None:
    said = with_directory(
        place,
        [
            "fit",
            "farm.sgl",
            "rows.tsv",
            "--given",
            "train",
            "--json",
            "f.json",
            "--only",
            "plain",
            "--only",
            "leak",
            "--only",
            "spaced",
        ],
    )
    assert "1 row without a reading" in said
    assert "rows.tsv:5: The dog saw a cat ." in said
    assert "contains what the split leaves out" in said
    data = json.loads((place.directory / "f.json").read_text("utf-8"))
    assert data["rows"] == {"used": 2, "no reading": 1, "held out": 1, "unreadable": 0, "other kind": 1}
    assert data["kinds"]["pp"]["other kind"] == 1
    assert data["after"]["log_likelihood"] > data["before"]["log_likelihood"]
    assert data["given"] == "train"
    assert data["changes"][0].keys() >= {"category", "name", "before", "after", "effect"}


def test_the_head_of_the_file_says_where_the_weights_come_from(place: Workplace) -> None:
    with_directory(place, ["fit", "farm.sgl", "rows.tsv", "--note", "Rows of a test.", "--out", "w.yaml"])
    text = (place.directory / "w.yaml").read_text("utf-8")
    assert text.startswith("# Rows of a test.\n# Estimated from a corpus by\n#   sglc fit farm.sgl")
    origin = yaml.safe_load(text)["fitted"]
    assert origin["rows_used"] == 4
    assert [corpus["file"] for corpus in origin["corpora"]] == ["rows.tsv"]
    assert len(origin["grammar_sha256"]) == len(origin["corpora"][0]["sha256"]) == 64


def test_the_japanese_side_can_be_read_as_well(place: Workplace) -> None:
    """It does not tell "the" from "a": sentences have several readings."""
    with_directory(place, ["fit", "farm.sgl", "rows.tsv", "--layer", "ja", "--json", "f.json"])
    data = json.loads((place.directory / "f.json").read_text("utf-8"))
    assert data["ambiguous_rows"] == data["rows"]["used"] == 5
    assert data["converged"]


def test_rows_that_cannot_be_read_are_named_and_the_others_count(place: Workplace) -> None:
    place.write("rows.tsv", ROWS[0] + "\nThe dog\n" + ROWS[2] + "\n")
    said = with_directory(place, ["fit", "farm.sgl", "rows.tsv", "--out", "w.yaml"], FAILED)
    assert "error[SGL1104]: 1 row cannot be read" in said
    assert "rows.tsv:2: 1 column instead of 3" in said
    assert (place.directory / "w.yaml").exists()


def test_a_corpus_that_says_nothing(place: Workplace) -> None:
    said = with_directory(place, ["fit", "farm.sgl", "rows.tsv", "--only", "plian", "--out", "w.yaml"], FAILED)
    assert "error[SGL1105]" in said
    assert "the kinds of rows are: `leak`, `plain`, `pp`, `spaced`" in said
    assert not (place.directory / "w.yaml").exists()


@pytest.mark.parametrize(
    ("arguments", "status", "expected"),
    [
        (["no.tsv"], OUTPUT, "cannot read `no.tsv`"),
        (["rows.tsv", "--given", "trian"], USAGE, "did you mean `train`?"),
        (["rows.tsv", "--layer", "jp"], USAGE, "there is no text layer `jp`"),
        (["rows.tsv", "--columns", "en,jp"], USAGE, "there is no text layer or view `jp`"),
        (["rows.tsv", "--columns", "en,-", "--layer", "ja"], USAGE, "no column has the layer `ja`"),
        (["rows.tsv", "--out", "rows.tsv"], OUTPUT, "is also an input file"),
        (["rows.tsv", "--out", "farm.sgl"], OUTPUT, "is also an input file"),
        (["rows.tsv", "--out", "verbs.yaml"], OUTPUT, "already exists, and is something else"),
        (["rows.tsv", "--out", "no/w.yaml"], OUTPUT, "there is no directory `no`"),
        (["rows.tsv", "--smoothing", "0"], USAGE, "0"),
        (["rows.tsv", "--normalise", "spaces"], USAGE, "there is no difference `spaces`"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(
    arguments: list[str], status: int, expected: str, place: Workplace
) -> None:
    before = place.files()
    assert expected in with_directory(place, ["fit", "farm.sgl", *arguments], status)
    assert place.files() == before


def test_an_interruption_leaves_the_old_file(place: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    with_directory(place, ["fit", "farm.sgl", "rows.tsv", "--out", "w.yaml"])
    before, old = place.files(), (place.directory / "w.yaml").read_text("utf-8")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Folder, "move", interrupted)
    place.write("rows.tsv", ROWS[2] + "\n")
    with_directory(place, ["fit", "farm.sgl", "rows.tsv", "--out", "w.yaml"], INTERRUPTED)
    assert place.files() == before
    assert (place.directory / "w.yaml").read_text("utf-8") == old


def test_long_corpora_show_their_progress(place: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sgl.corpus.rows, "_BATCH_ROWS", 2)
    met: list[tuple[int, float]] = []
    files = [place.directory / "rows.tsv"]
    sgl.corpus.fit.collect(Parser(farm_grammar()), files, lambda _, rows, share: met.append((rows, share)))
    assert [rows for rows, _ in met] == [2, 4]
    assert 0 < met[0][1] < met[1][1] < 1


def farm_grammar() -> CoreGrammar:
    compiled = open_grammar(FARM / "farm.sgl", {}, SourceMap(), Diagnostics())
    assert compiled is not None
    return compiled.grammar


def test_a_column_may_be_a_view(place: Workplace) -> None:
    grammar = place.directory / "farm.sgl"
    grammar.write_text(grammar.read_text("utf-8") + 'view form = template(syn) from "form.j2"\n', "utf-8")
    place.write("form.j2", "{{ nodes | length }}")
    said = with_directory(place, ["fit", "farm.sgl", "rows.tsv", "--columns", "en,form"])
    assert "5 rows in" in said
