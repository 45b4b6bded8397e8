"""A study in Python from its first line to its last, and what a tracker of experiments gets of it."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from released import write_released_farm


def test_a_study_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("pandas", "scipy"):
        pytest.importorskip(library)
    write_released_farm(tmp_path)
    monkeypatch.chdir(tmp_path)
    study = runpy.run_path(str(Path(__file__).with_name("study.py")))
    assert [items for *_, items in study["claims"]] == [20]
    assert "dog" in study["words"]
    assert {len(frame) for frame in study["frames"].values()} == {4}
    assert all(study["lemmas"])
    (row,) = study["table"].itertuples()
    assert (row.oracle, row.memory) == (1.0, 0.0)
    assert 0 < row.first < 1
    assert study["logged"]["exact"] == study["logged"]["pp_in_subject/exact"] == 0.0
    assert study["early"].flat("oracle")["exact"] == 1.0
    assert study["early"].data["dataset"] | {"items": 5, "left_out": 15} == study["early"].data["dataset"]
    assert "15 predictions missing, left out" in study["early"].messages
