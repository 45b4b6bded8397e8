"""What the scripts about baselines print of small runs that are written by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import biting
import licensing
from sgl.research.baselines.config import read_config

#: Items that are harder the deeper they are; the needed parts of the deeper ones are rarer.
PATTERNS = {"one": ("a b", 400), "two": ("a b c", 300), "three": ("a b c d", 200), "four": ("a b c d e", 100)}


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """A dataset with one item for each pattern; the words of an item depend on one another from left to right."""
    place = tmp_path / "data" / "tense"
    gen = [f"{text}\t{text} ?\t{name}\n" for name, (text, _) in PATTERNS.items()]
    _write(place / "data" / "gen.tsv", "".join(gen))
    _write(place / "data" / "linear" / "gen.tsv", "".join(gen[:1] + [row.replace("?", "!") for row in gen[1:]]))
    _write(place / "data" / "train.tsv", "b c d\tx\tin_distribution\na\tx\texposure:one\na b\tx\texposure:one\n")
    graphs = [
        "\n".join("\t".join([str(n + 1), word, *"____", str(n), *"___"]) for n, word in enumerate(text.split()))
        for text, _ in PATTERNS.values()
    ]
    _write(place / "conllu" / "gen.conllu", "\n\n".join(graphs) + "\n\n")
    details = {
        "licensed": "{:,} training sentences expected, 1 required; 5,000 training sentences expected, 1 required",
        "instance": "probability of an item in the whole grammar 1.5e-03, 5.0e-04",
    }
    claims = [
        {"pattern": name, "claim": claim, "detail": detail.format(number)}
        for name, (_, number) in PATTERNS.items()
        for claim, detail in details.items()
    ]
    targets = {"one": ["a"]}
    # The last pattern has no items.
    patterns = [{"name": name, "targets": targets.get(name, [])} for name in (*PATTERNS, "none")]
    manifest = {"patterns": patterns, "guarantees": claims}
    _write(place / "manifest.json", json.dumps(manifest))
    return place


def test_the_figures_of_a_pattern(dataset: Path) -> None:
    found = licensing.features_of(dataset)
    assert found["one"] == {
        "licensed": 400,
        "mass": 0.002,
        "exposed words": 1.5,
        "words": 2,
        "depth": 1,
        "new pairs": 0,
    }
    # Training has `a b`, `b c` and `c d`.
    assert [each["new pairs"] for each in found.values()] == [0, 0, 0, 1]
    assert found["four"]["exposed words"] is None


def test_rank_correlations(dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _write(tmp_path / "table.tsv", "one\t90\ntwo\t70\nthree\t20\nfour\t5\n")
    assert licensing.main([str(dataset), f"mine={tmp_path / 'table.tsv'}"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["mine", "licensed", "4", "1", "0"] in lines
    assert ["mine", "depth", "4", "-1", "0"] in lines
    # All patterns have the same probability, so there is nothing to rank.
    assert ["mine", "mass", "4", "–", "–"] in lines


@pytest.mark.usefixtures("dataset")
def test_runs_beside_published_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for seed, scores in ((1, (1, 1, 0, 0)), (2, (1, 0, 0, 0))):
        _run(tmp_path / "runs" / "tense" / f"lstm-{seed}", dict(zip(PATTERNS, scores, strict=True)))
    unfinished = tmp_path / "runs" / "tense" / "lstm-3"
    _write(unfinished / "predictions" / "gen.tsv", "")
    _write(tmp_path / "table.tsv", "one\t90\ntwo\t70\nthree\t20\nfour\t5\n")
    assert biting.main([str(tmp_path), "--report", "--published", f"tense={tmp_path / 'table.tsv'}"]) == 0
    said = capsys.readouterr().out
    (row,) = (line.split() for line in said.splitlines() if line.startswith("tense  "))
    # Half of the items of one run and a quarter of those of the other.  The rules differ in three items, and two of
    # their answers follow the linear one.
    assert row[:10] == ["tense", "lstm", "2", "95.0", "±0.0", "37.5", "±17.7", "66.7", "±0.0", "3"]
    assert biting.MCCOY in said
    assert ["one", "100", "90", "400"] in [line.split()[:4] for line in said.splitlines()]
    assert ["exact", "published", "4", "0.949"] in [line.split()[:4] for line in said.splitlines()]


def test_the_device_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[tuple[object, ...]] = []
    monkeypatch.setattr(biting, "_sglc", lambda *arguments: commands.append(arguments))
    assert biting.main([str(tmp_path), "--only", "tense", "--models", "lstm", "--device", "cuda"]) == 0
    assert [command[0] for command in commands] == ["compile", "baseline"]
    config = read_config(str(tmp_path / "configs" / "tense-lstm.yml"), None)
    assert (config.model, config.device, config.steps) == ("lstm", "cuda", 1500)


def _run(place: Path, exact: dict[str, int]) -> None:
    def table(name: str, score: float) -> dict[str, object]:
        return {"name": name, "scores": {"exact": {"lstm": {"mean": score}}}}

    tables = {
        "overall": [table("all", sum(exact.values()) / len(exact))],
        "patterns": [table(name, score) for name, score in exact.items()],
    }
    kinds = {"patterns": {name: {"groups": []} for name in exact}}
    for split in ("test", "gen"):
        changed = {**tables, "overall": [table("all", 0.95)], "patterns": []} if split == "test" else tables
        _write(place / "scores" / f"{split}.json", json.dumps({"tables": changed, "dataset": kinds}))
    said = [f"gen-{number}\t{text} {'!' if number else '?'}\n" for number, (text, _) in enumerate(PATTERNS.values())]
    said[-1] = f"gen-3\t{PATTERNS['four'][0]} ?\n"
    _write(place / "predictions" / "gen.tsv", "".join(said))
    record = {"config": {"model": "lstm"}, "training": {"seconds": 180}}
    _write(place / "run.json", json.dumps(record))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
