"""From a file to a verified dataset, as a user runs it; and that it is reproducible."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
EXAMPLE = ROOT / "docs" / "examples"


def sglc(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "sgl", *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("farm")
    done = sglc("compile", str(EXAMPLE / "farm.sgl"), "-o", "farm", cwd=directory)
    assert done.returncode == 0, done.stderr
    return directory / "farm"


@pytest.mark.slow
def test_the_directory_has_everything(dataset: Path) -> None:
    names = {str(p.relative_to(dataset)) for p in dataset.rglob("*") if p.is_file()}
    splits = ("train", "dev", "test", "gen")
    assert names == {
        "README.md",
        "SHA256SUMS",
        "certificate.json",
        "manifest.json",
        "report.html",
        "sampler.py",
        "verification.json",
        *(f"data/{split}.tsv" for split in splits),
        *(f"parquet/{split}.parquet" for split in splits),
        *(f"conllu/{split}.conllu" for split in splits),
        *(f"derivations/{split}.tsv" for split in (*splits, "rejected")),
        *(f"grammar/{name}" for name in ("grammar.json", "farm.sgl", "animals.yaml", "verbs.yaml")),
        *(f"grammar/stdlib/{language}/verb.sgl" for language in ("en", "ja")),
    }


def test_the_summary_names_claims_and_place(dataset: Path) -> None:
    report = json.loads((dataset / "verification.json").read_text("utf-8"))
    assert report["ok"] is True
    assert sum(result["total"] for result in report["results"]) == 0
    guarantees = json.loads((dataset / "manifest.json").read_text("utf-8"))["guarantees"]
    assert {guarantee["claim"]: guarantee["result"] for guarantee in guarantees} == {
        "held out": "proved",
        "instance": "proved",
        "licensed": "proved",
        "exposed": "proved",
        "string level": "checked",
        "disjoint": "proved",
        "on the graphs": "passed",
    }


def test_nothing_in_the_dataset_names_the_machine(dataset: Path) -> None:
    for path in dataset.rglob("*"):
        if path.is_file():
            assert str(ROOT).encode() not in path.read_bytes(), path.name


@pytest.mark.slow
def test_two_runs_and_the_standalone_sampler_agree_byte_for_byte() -> None:
    done = subprocess.run(
        [sys.executable, "benchmarks/reproduce.py", str(EXAMPLE / "farm.sgl")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 files differ between the runs; standalone sampler: identical" in done.stdout


@pytest.mark.slow
def test_automata_and_networkx_agree_on_the_example() -> None:
    done = subprocess.run(
        [sys.executable, "benchmarks/models.py", "agreement", str(EXAMPLE / "farm.sgl"), "--items", "40"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^disagreements +0$", done.stdout, re.MULTILINE)


def test_a_changed_file_is_found(dataset: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(dataset, tmp_path / "copy")
    train = copy / "data" / "train.tsv"
    train.write_bytes(train.read_bytes().replace(b"dog", b"cat", 1))
    done = sglc("verify", str(copy), cwd=tmp_path)
    assert done.returncode == 1
    assert "V002" in done.stdout


@pytest.mark.slow
def test_another_seed_gives_other_sentences(dataset: Path, tmp_path: Path) -> None:
    source = shutil.copytree(EXAMPLE, tmp_path / "source") / "farm.sgl"
    text = source.read_text("utf-8")
    source.write_text(text.replace("seed  1", "seed  2").replace("seed 1", "seed 2"), "utf-8")
    done = sglc("compile", str(source), "-o", "other", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = [(d / "data" / "train.tsv").read_text("utf-8") for d in (dataset, tmp_path / "other")]
    assert rows[0] != rows[1]
    assert {len(text.splitlines()) for text in rows} == {len(rows[0].splitlines())}
