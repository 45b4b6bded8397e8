"""Kernels are compiled by another process while the first dataset is being made."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path

import pytest

from sgl.automata import Proofs, StructureCompiler
from sgl.frontend import Compiled
from sgl.pipeline import warm
from sgl.pipeline.production import Outcome, Stage, produce


def test_the_small_grammar_is_drawn_from_and_written_until_no_kernel_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def watched(
        compiled: Compiled, structures: StructureCompiler, proofs: Proofs, out: Path, stage: Stage
    ) -> Outcome:
        def noted(what: str, done: int, total: int) -> None:
            seen.append(what)
            stage(what, done, total)

        return produce(compiled, structures, proofs, out, noted)

    monkeypatch.setattr(warm, "produce", watched)
    warm.make_sentences(tmp_path)
    assert list(dict.fromkeys(seen)) == ["drawing", "writing", "writing the sampler"]
    assert not (tmp_path / "out").exists()


def test_no_process_is_started_where_kernels_are_compiled_already(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(warm, "kernels_are_missing", lambda: False)
    with warm.kernels_beside():
        assert multiprocessing.active_children() == []


def test_the_other_process_ends_with_the_work_of_this_one(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(warm, "kernels_are_missing", lambda: True)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    with warm.kernels_beside():
        assert len(multiprocessing.active_children()) == 1
    assert multiprocessing.active_children() == []
    assert capfd.readouterr() == ("", "")


def test_kernels_are_missing_where_the_directory_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for directory, missing in ((str(tmp_path), True), ("", False)):
        monkeypatch.setattr(warm, "kernel_directory", lambda found=directory: found)
        assert warm.kernels_are_missing() is missing
    monkeypatch.setattr(warm, "kernel_directory", lambda: str(tmp_path))
    (tmp_path / "part").mkdir()
    (tmp_path / "part/read.py311.nbi").touch()
    assert not warm.kernels_are_missing()
