"""``sglc recipe prompts``: what is proved, scored and compared of several sets of prompts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sgl
from sgl.cli.main import FAILED, OK, run
from sgl.foreign import CERTIFICATE
from sgl.foreign.json import read_document
from sgl.research.prompts.write import PROOF
from sgl.research.recipes.study import _strategy


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    grammar = sgl.load(Path(__file__).parents[3] / "docs" / "examples" / "farm.sgl")
    return grammar.compile(tmp_path_factory.mktemp("farm") / "data").directory


def answered(place: Path, *, samples: int = 1, right: int = 100) -> None:
    """Answers of which the first are right, in as many samples as there are; the others are refusals."""
    gold = [line.split("\t") for line in (place / "gold.tsv").read_text("utf-8").splitlines()]
    rows = [
        {"id": name, "samples": [f"Output: {text}" if at < right else "I'm sorry.", *["x"] * (samples - 1)]}
        for at, (name, text) in enumerate(gold)
    ]
    (place / "answers.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")


@pytest.fixture(scope="module")
def sets(farm: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three sets of prompts for the same items, and one for the test set."""
    study = tmp_path_factory.mktemp("study")
    for shots in (1, 2, 4):
        sgl.prompts(farm, study / f"{shots}", shots=shots, items=5)
        answered(study / f"{shots}", right=shots)
    sgl.prompts(farm, study / "test", shots=1, items=5, split="test")
    answered(study / "test", samples=2)
    return sorted(study.iterdir())


def study(farm: Path, *places: object, status: int = OK) -> dict[str, Any]:
    out = Path("study.json")
    assert run(["recipe", "prompts", str(farm), *map(str, places), "--json", str(out), "--force"]) == status
    found: dict[str, Any] = json.loads(out.read_text("utf-8")) if status == OK else {}
    return {table["name"]: table for table in found.get("tables", ())} | {"curves": found.get("curves")}


def means(table: dict[str, Any]) -> dict[str, list[float | None]]:
    return {row["title"]: [cell and round(cell["mean"], 4) for cell in row["cells"]] for row in table["rows"]}


def test_a_study_has_proofs_scores_tests_mistakes_and_curves(
    farm: Path, sets: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page = ("--answer", "Output: {}", "--html", "page.html", "--latex", "tables.tex")
    tables = study(farm, *sets, *page)
    proofs = means(tables["Proofs"])
    assert proofs["2: covering@2, gen"] == [5, 100, 0, 5]
    assert means(tables["Accuracy"])["all items"] == [20, 40, 80]
    assert proofs["test: covering@1, test"] == [5, 100, 0, 5]
    assert means(tables["In distribution"])["all items"][0] == 50
    (row,) = [row for row in tables["Differences"]["rows"] if row["title"] == "covering@1 → covering@4"]
    assert row["cells"][0]["mean"] == 60
    assert 0 < row["cells"][3]["mean"] <= 1
    assert means(tables["Mistakes"])["refusal"] == [80, 60, 20]
    (curve,) = [curve for curve in tables["curves"] if (curve["table"], curve["metric"]) == ("overall", "exact")]
    assert [point["mean"] for point in curve["points"]] == [0.2, 0.4, 0.8]
    said = capsys.readouterr()
    assert "curves by shots" in said.out
    assert "paper's figure" not in said.out
    assert "SGL1403" not in said.err
    assert "Curves by shots" in (tmp_path / "page.html").read_text("utf-8")


def test_names_keep_models_apart_and_samples_have_a_best(
    farm: Path, sets: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sgl.prompts(farm, tmp_path / "other", shots=1, items=5)
    answered(tmp_path / "other", samples=2, right=3)
    tables = study(farm, f"a={sets[0]}", f"b={tmp_path / 'other'}", "--answer", "Output: {}")
    assert [row["title"] for row in tables["Proofs"]["rows"]] == ["1: a covering@1, gen", "other: b covering@1, gen"]
    assert means(tables["Accuracy"])["all items"] == [20, 30]
    assert means(tables["Samples"]) == {"best": [None, 60], "agreement": [None, 0]}


def test_what_is_not_proved_or_not_answered_is_refused(
    farm: Path, sets: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    sgl.prompts(farm, tmp_path / "bare", shots=1, items=2)
    study(farm, sets[0], tmp_path / "bare", status=FAILED)
    assert "has no answers" in capsys.readouterr().err
    answered(tmp_path / "bare")
    proof = json.loads((tmp_path / "bare" / PROOF).read_text("utf-8"))
    proof["prompts"][0]["shown"].popitem()
    (tmp_path / "bare" / PROOF).write_text(json.dumps(proof), "utf-8")
    study(farm, sets[0], tmp_path / "bare", status=FAILED)
    assert "error[SGL1413]" in capsys.readouterr().err


def test_factors_are_in_the_name_of_a_system(tmp_path: Path) -> None:
    proof = {"select": "similar", "shots": 4, "exposures": 1, "order": "best-last", "control": True}
    (tmp_path / PROOF).write_text(json.dumps(proof), "utf-8")
    found = _strategy(read_document(tmp_path / PROOF, CERTIFICATE))
    assert list(found) == ["similar", "order best-last", "control"]


@pytest.fixture(scope="module")
def controls(farm: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A set of prompts with each control, and judgements of the same items."""
    study = tmp_path_factory.mktemp("controls")
    options: dict[str, dict[str, Any]] = {"own": {}, "control": {"control": True}, "matched": {"matched": True}}
    for right, (name, own) in zip((4, 8, 6, 16), (options | {"judge": {"task": "judge"}}).items(), strict=True):
        sgl.prompts(farm, study / name, shots=2, items=8, **own)
        answered(study / name, right=right)
    return {place.name: place for place in study.iterdir()}


def test_the_gap_to_controls_is_measured_in_pairs(
    farm: Path, controls: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tables = study(farm, *controls.values(), "--answer", "Output: {}")
    gaps = means(tables["Gaps"])
    assert gaps["covering@2 → covering, control@2"][:2] == [8, 50]
    assert gaps["covering@2 → covering, matched@2"][:2] == [8, 25]
    (low, high), p = gaps["covering@2 → covering, control@2"][2:4], gaps["covering@2 → covering, control@2"][4]
    assert low < 50 < high
    # Four items of eight are right with the control alone: two of sixteen ways to toss four coins, corrected for two.
    assert p == 2 * 2 / 16
    assert [*filter(None, means(tables["Matched items"])["all items"])] == [75]
    assert [*filter(None, means(tables["Judgements"])["all strings"])] == [100]
    # Prompts for another split have the same name, and are no control of these.
    sgl.prompts(farm, tmp_path / "test", shots=2, items=8, split="test")
    answered(tmp_path / "test", right=8)
    more = means(study(farm, *controls.values(), tmp_path / "test", "--answer", "Output: {}")["Gaps"])
    assert {name: row[:2] for name, row in more.items()} == {name: row[:2] for name, row in gaps.items()}


def test_the_gap_is_there_whatever_the_strategy(
    farm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, right, own in (("own", 2, {}), ("control", 4, {"control": True}), ("other", 4, {"instruction": "Do."})):
        sgl.prompts(farm, tmp_path / name, shots=1, items=4, context="needed", **own)
        answered(tmp_path / name, right=right)
    gaps = means(study(farm, tmp_path / "own", tmp_path / "control", "--answer", "Output: {}")["Gaps"])
    (gap,) = gaps.values()
    assert gap[:2] == [4, 50]
    study(farm, tmp_path / "own", tmp_path / "other", status=FAILED)
    assert "was made in another way than its namesake" in capsys.readouterr().err


def test_curves_are_by_exposures_if_these_differ(
    farm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    places = [tmp_path / f"{number}" for number in (1, 2, 4)]
    for place in places:
        sgl.prompts(farm, place, shots=4, items=5, exposures=int(place.name))
        answered(place, right=int(place.name))
    tables = study(farm, *places, "--answer", "Output: {}")
    assert [row["title"] for row in tables["Proofs"]["rows"]] == [f"{n}: covering, 4 shots@{n}, gen" for n in (1, 2, 4)]
    (curve,) = [curve for curve in tables["curves"] if (curve["table"], curve["metric"]) == ("overall", "exact")]
    assert [point["mean"] for point in curve["points"]] == [0.2, 0.4, 0.8]
    assert "curves by exposures" in capsys.readouterr().out


def test_sets_that_cannot_be_compared_are_refused(
    farm: Path, controls: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sgl.prompts(farm, tmp_path / "other", shots=2, items=3, matched=True)
    answered(tmp_path / "other")
    sgl.prompts(farm, tmp_path / "programs", task="program")
    (tmp_path / "programs" / "answers.jsonl").write_text('{"id": "pp_in_subject", "prediction": "print()"}\n', "utf-8")
    places = (controls["matched"], tmp_path / "other", tmp_path / "programs")
    assert run(["recipe", "prompts", str(farm), *map(str, places)]) == FAILED
    told = capsys.readouterr().err
    assert "asks other questions than those before" in told
    assert "`sglc eval --programs`" in told
