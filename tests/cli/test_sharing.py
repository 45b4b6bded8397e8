"""Runs that share a cache or a place, clocks that jump, and names that look alike: the same bytes, or a message."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import unicodedata
from pathlib import Path

import pytest
from released import write_released_farm
from workplace import DATASET, Workplace

from sgl.cli.main import OK, OUTPUT, run

ROOT = Path(__file__).parents[2]
DAY = 86_400.0


def started(place: Path, cache: Path, *words: str) -> subprocess.Popen[str]:
    where = {**os.environ, "PYTHONPATH": str(ROOT), "SGL_CACHE_DIR": str(cache)}
    return subprocess.Popen(
        [sys.executable, "-m", "sgl", *words],
        cwd=place,
        env=where,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def sums(dataset: Path) -> str:
    return (dataset / "SHA256SUMS").read_text("utf-8")


@pytest.mark.acceptance
def test_four_runs_with_one_cold_cache_make_the_same_dataset(tmp_path: Path) -> None:
    write_released_farm(tmp_path)
    names = [f"ds{number}" for number in range(4)]
    runs = [started(tmp_path, tmp_path / "cache", "compile", "farm.sgl", "--out", name) for name in names]
    said = [one.communicate()[0] for one in runs]
    assert [one.returncode for one in runs] == [OK] * 4, said
    assert len({sums(tmp_path / name) for name in names}) == 1
    assert [path.name for path in (tmp_path / "cache").iterdir() if path.suffix] == ["seal.key"]


@pytest.mark.acceptance
@pytest.mark.parametrize("more", [[], ["--workers", "2"]])
def test_of_runs_into_one_place_one_result_is_left_whole(more: list[str], tmp_path: Path) -> None:
    write_released_farm(tmp_path)
    words = ("compile", "farm.sgl", "--out", "ds", *more)
    runs = [started(tmp_path, tmp_path / "cache", *words) for _ in range(3)]
    said = [one.communicate()[0] for one in runs]
    assert {one.returncode for one in runs} <= {OK, OUTPUT}, said
    assert OK in {one.returncode for one in runs}
    assert not [text for text in said if "Traceback" in text or "SGL0999" in text]
    assert run(["verify", str(tmp_path / "ds")]) == OK
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.slow
def test_a_clock_that_jumps_changes_nothing(
    tmp_path: Path, cache_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At each look it is another day, and later may be earlier; what is kept is from days to come."""
    grammar = write_released_farm(tmp_path)
    assert run(["compile", str(grammar), "--out", str(tmp_path / "first")]) == OK
    true, jumps = time.time, iter(range(1, 10**9))
    monkeypatch.setattr(time, "time", lambda: true() + (-1) ** (n := next(jumps)) * n * DAY)
    for number, path in enumerate(sorted(cache_directory.iterdir())):
        os.utime(path, (true() + (-1) ** number * 400 * DAY,) * 2)
    for name in ("second", "third"):
        assert run(["compile", str(grammar), "--out", str(tmp_path / name), "--workers", "2"]) == OK
        assert sums(tmp_path / name) == sums(tmp_path / "first")


def test_an_unfinished_run_from_days_to_come_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grammar = write_released_farm(tmp_path)
    words = ["compile", str(grammar), "--out", str(tmp_path / "ds"), "--workers", "2"]

    def interrupted(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("sgl.pipeline.production.write_items", interrupted)
        assert run(words) == OUTPUT
    for path in tmp_path.rglob("*"):
        os.utime(path, (time.time() + 400 * DAY,) * 2)
    assert run([*words, "--resume"]) == OK
    assert run(["verify", str(tmp_path / "ds")]) == OK


def test_a_file_whose_name_is_written_otherwise_is_not_there_and_is_named(work: Workplace) -> None:
    """Composed or not, in capitals or not: a grammar means the same on every file system."""
    composed = unicodedata.normalize("NFC", "grün.yaml")
    work.write(unicodedata.normalize("NFD", composed), "- {en: horse, ja: 馬}\n")
    text = (
        'layer en : text\nlayer syn : graph on en\ncategory N\nlexicon a from "{}"\n  N\n    en $en\n    syn node()\n'
    )
    work.write("farm.sgl", text.format(composed) + DATASET.replace("Text", "N"))
    run(["check", "farm.sgl"])
    said = work.capsys.readouterr().err
    assert f"error[SGL0001]: the file `{composed}` does not exist" in said
    assert "did you mean" in said
