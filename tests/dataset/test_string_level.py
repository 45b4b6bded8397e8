"""No training string has a reading with a held-out structure; no string has two outputs."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ambiguous_grammar import DATASET, RULES
from diagnostics import MAIN

from sgl.cli.main import FAILED, OK, run
from sgl.verify import verify

Compile = Callable[[str], Path]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """Compiles the grammar with a clause on ambiguity, once for each."""
    done: dict[str, Path] = {}

    def compile_with(clause: str) -> Path:
        if clause not in done:
            directory = tmp_path_factory.mktemp("strings")
            (directory / MAIN).write_text(RULES + DATASET + clause, encoding="utf-8")
            with contextlib.chdir(directory):
                assert run(["compile", MAIN, "--out", "out"]) == OK
            done[clause] = directory / "out"
        return done[clause]

    return compile_with


REJECT, LIST, REPORT, IGNORE = "", *(f"  ambiguous {policy}\n" for policy in ("list", "report", "ignore"))


def manifest(directory: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((directory / "manifest.json").read_text("utf-8"))
    return content


def sources(directory: Path, *splits: str) -> list[str]:
    return [
        line.split("\t")[0]
        for split in splits
        for line in (directory / "data" / f"{split}.tsv").read_text("utf-8").splitlines()
    ]


def readings(directory: Path, split: str) -> list[dict[str, Any]]:
    return [stratum["readings"] for stratum in manifest(directory)["splits"][split]["strata"]]


def answers_of(directory: Path, split: str) -> list[list[str]]:
    """The right answers of each row of a split."""
    lines = (directory / "references" / f"{split}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["ja"] for line in lines]


def verdict(directory: Path) -> str:
    (stated,) = (g for g in manifest(directory)["guarantees"] if g["claim"] == "string level")
    return str(stated["result"])


def teaches(sentence: str) -> bool:
    """Whether the object of the sentence is followed by *near*."""
    _, _, after_verb = sentence.replace("sees", "saw").partition(" saw ")
    return " near " in after_verb


# --- what is drawn -------------------------------------------------------------------------


def test_a_training_string_that_can_be_read_with_what_is_held_out_is_not_drawn(compiled: Compile) -> None:
    assert any(teaches(sentence) for sentence in sources(compiled(IGNORE), "train", "dev"))
    assert not any(teaches(sentence) for sentence in sources(compiled(REJECT), "train", "dev"))


def test_an_item_may_be_read_without_what_is_held_out(compiled: Compile) -> None:
    assert all(teaches(sentence) for sentence in sources(compiled(REJECT), "gen"))


def test_a_string_with_two_outputs_is_drawn_for_no_split(compiled: Compile) -> None:
    everywhere = ("train", "dev", "gen")
    assert any("bat" in sentence for sentence in sources(compiled(IGNORE), *everywhere))
    assert not any("bat" in sentence for sentence in sources(compiled(REJECT), *everywhere))


def test_others_take_their_place_and_the_rejected_are_counted(compiled: Compile) -> None:
    directory = compiled(REJECT)
    assert [len(sources(directory, split)) for split in ("train", "dev", "gen")] == [60, 20, 10]
    for split in ("train", "dev", "gen"):
        for stratum in manifest(directory)["splits"][split]["strata"]:
            found = stratum["readings"]
            rejected = stratum["rejected"]["ambiguous"]
            assert rejected == found["ambiguous"]
            assert found["parsed"] == stratum["count"] + rejected
            assert stratum["candidates"] == stratum["count"] + sum(stratum["rejected"].values())


def test_the_two_kinds_are_told_apart(compiled: Compile) -> None:
    (train,) = readings(compiled(REJECT), "train")
    assert train["ambiguous"] > 0
    (gen,) = readings(compiled(REJECT), "gen")
    assert train["held_out"] > 0 < train["outputs"]
    assert train["patterns"] == {"pp_of_verb": train["held_out"]}
    assert (gen["held_out"], gen["patterns"]) == (0, {})
    assert gen["several"] == gen["parsed"]


# --- what is said of it --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("clause", "result"), [(REJECT, "checked"), (LIST, "checked"), (REPORT, "refuted"), (IGNORE, "not checked")]
)
def test_the_verdict_is_that_of_the_written_strings(clause: str, result: str, compiled: Compile) -> None:
    assert verdict(compiled(clause)) == result


def test_reported_strings_are_kept_and_counted(compiled: Compile) -> None:
    (train,) = readings(compiled(REPORT), "train")
    assert train["parsed"] == 60
    assert train["ambiguous"] > 0
    assert sources(compiled(REPORT), "train") == sources(compiled(IGNORE), "train")


def test_every_output_is_a_right_answer_where_they_are_listed(compiled: Compile) -> None:
    directory = compiled(LIST)
    several = 0
    for split in ("train", "dev", "gen"):
        rows = (directory / "data" / f"{split}.tsv").read_text("utf-8").splitlines()
        answers = answers_of(directory, split)
        for row, answer in zip(rows, answers, strict=True):
            source, target, _ = row.split("\t")
            bats = source.count("bat")
            # Each bat is an animal or a club.
            assert len(answer) == 2**bats
            assert answer[0] == target
            assert sum(text.count("コウモリ") + text.count("バット") for text in answer) == bats * 2**bats
            several += bats > 0
    assert several > 5


def test_what_is_held_out_is_rejected_where_answers_are_listed(compiled: Compile) -> None:
    assert not any(teaches(sentence) for sentence in sources(compiled(LIST), "train", "dev"))
    (train,) = readings(compiled(LIST), "train")
    assert manifest(compiled(LIST))["splits"]["train"]["strata"][0]["rejected"]["ambiguous"] == train["held_out"] > 0


def test_an_evaluation_takes_every_right_answer(
    compiled: Compile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("scipy")
    directory = compiled(LIST)
    answers = answers_of(directory, "gen")
    assert any(len(own) > 1 for own in answers)
    for name, texts in {"last": [own[-1] for own in answers], "wrong": [own[-1] + "ね" for own in answers]}.items():
        (tmp_path / name).write_text("".join(f"{text}\n" for text in texts), "utf-8")
    assert run(["eval", str(directory), str(tmp_path / "last"), str(tmp_path / "wrong"), "--json"]) == OK
    (overall,) = json.loads(capsys.readouterr().out)["tables"]["overall"]
    assert [cell["mean"] for cell in overall["scores"]["exact"].values()] == [1.0, 0.0]


def test_nothing_is_parsed_where_ambiguity_is_ignored(compiled: Compile) -> None:
    assert readings(compiled(IGNORE), "train") == [None]


@pytest.mark.parametrize("clause", [REJECT, LIST, REPORT, IGNORE])
def test_the_verifier_finds_figures_and_verdict_in_agreement(clause: str, compiled: Compile) -> None:
    report = verify(compiled(clause))
    assert report.ok
    assert report.result("V027").status == "passed"


@pytest.mark.slow
def test_the_summary_says_out_loud_what_was_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    said = {}
    for clause in (REJECT, LIST, REPORT, IGNORE):
        Path(MAIN).write_text(RULES + DATASET + clause, encoding="utf-8")
        assert run(["compile", MAIN, "--out", "out"]) == OK
        said[clause] = capsys.readouterr().out
    assert " rejected\n" in said[REJECT]
    assert "kept with all their outputs" in said[LIST]
    assert "KEPT (`ambiguous report`)" in said[REPORT]
    assert "not parsed, so that other readings are not looked at (`ambiguous ignore`)" in (said[IGNORE])


def test_card_and_report_have_the_figures(compiled: Compile) -> None:
    for clause, words in ((REJECT, "with one that contains what is held out"), (IGNORE, "ignore")):
        directory = compiled(clause)
        assert words in (directory / "README.md").read_text("utf-8")
        assert words in (directory / "report.html").read_text("utf-8")


@pytest.mark.parametrize(("clause", "sign"), [(REJECT, "✓"), (LIST, "✓"), (REPORT, "✗"), (IGNORE, "?")])
def test_prove_takes_the_verdict_from_the_data(
    clause: str, sign: str, compiled: Compile, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = compiled(clause)
    capsys.readouterr()
    assert run(["prove", str(directory.parent / MAIN), "--data", str(directory)]) == OK
    (row,) = (line for line in capsys.readouterr().out.splitlines() if "pp_of_verb" in line)
    assert row.split()[1][4] == sign


def test_prove_gives_the_figures_as_data(compiled: Compile, capsys: pytest.CaptureFixture[str]) -> None:
    directory = compiled(REJECT)
    capsys.readouterr()
    run(["prove", str(directory.parent / MAIN), "--data", str(directory), "--json"])
    content = json.loads(capsys.readouterr().out)
    assert content["strings"]["policy"] == "reject"
    assert content["strings"]["ambiguous"] > 0
    assert content["patterns"][0]["guarantees"]["string level"] == "checked"


# --- the standalone sampler ----------------------------------------------------------------


def test_the_standalone_sampler_leaves_out_the_same_sentences(compiled: Compile) -> None:
    directory = compiled(REJECT)
    done = subprocess.run(
        [sys.executable, "-I", str(directory / "sampler.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("identical") == 3


def test_the_standalone_sampler_says_that_it_cannot_judge_another_seed(compiled: Compile) -> None:
    done = subprocess.run(
        [sys.executable, "-I", str(compiled(REJECT) / "sampler.py"), "--split", "dev", "--seed=9"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "the readings of sentences are not checked for another seed" in done.stderr


# --- what an author can write --------------------------------------------------------------


def test_rejecting_is_the_default(compiled: Compile, tmp_path: Path) -> None:
    (tmp_path / MAIN).write_text(RULES + DATASET + "  ambiguous reject\n", encoding="utf-8")
    with contextlib.chdir(tmp_path):
        assert run(["compile", MAIN, "--out", "out"]) == OK
    written = manifest(tmp_path / "out")
    assert written == manifest(compiled(REJECT)) | {"grammar": written["grammar"]}


@pytest.mark.parametrize(
    ("clause", "said"),
    [
        ("  ambiguous rejekt\n", "`ambiguous rejekt` is not known"),
        ("  ambiguous keep\n", "write `ambiguous reject | list | report | ignore`"),
        ("  ambiguous reject\n  ambiguous ignore\n", "error[SGL0203]"),
    ],
)
def test_what_is_not_known_is_refused(
    clause: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(MAIN).write_text(RULES + DATASET + clause, encoding="utf-8")
    assert run(["check", MAIN]) == FAILED
    captured = capsys.readouterr()
    assert said in captured.out + captured.err


@pytest.mark.acceptance
def test_when_all_candidates_are_ambiguous_the_author_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    only_objects = """
part objects "Objects with a PP"
  only { V -[obj]-> N; N -[nmod]-> M }
  size 10
"""
    Path(MAIN).write_text(RULES + DATASET + only_objects, encoding="utf-8")
    assert run(["compile", MAIN, "--out", "out"]) == FAILED
    said = capsys.readouterr().err
    assert "error[SGL0809]" in said
    assert "`ambiguous report`" in said


def test_words_that_only_ambiguous_sentences_have_are_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    bats = """
pattern bats "The bat as an object → the bat as a subject"
  forbid { V -[nsubj]-> N[lemma=bat] }
  size 10
"""
    Path(MAIN).write_text(RULES + DATASET + bats, encoding="utf-8")
    assert run(["compile", MAIN, "--out", "out"]) == FAILED
    said = capsys.readouterr().err
    assert "`gen/bats/0` cannot yield 10 sentences" in said
    assert "for a word that no sentence of train has" in said
    assert "were rejected for their readings, so that their words were not seen" in said
    # The text that it names has several readings.
    text = said.partition('`sglc parse --all GRAMMAR "')[2].partition('"`')[0]
    assert run(["parse", "--all", MAIN, text]) == OK
    assert capsys.readouterr().out.count("\n\n") >= 1
    assert "`ambiguous report`" in said
