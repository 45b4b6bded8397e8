"""The names of systems on a command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from sgl.research.analyse.predictions import systems_of


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["good.tsv"], ["good"]),
        (["good.tsv", "bad.tsv"], ["good", "bad"]),
        (["run1/predictions/gen.tsv"], ["gen"]),
        (["run1/predictions/gen.tsv", "runs/2/predictions/gen.tsv"], ["run1", "2"]),
        (["a/gen.tsv", "b/gen.tsv", "b/test.tsv"], ["a/gen.tsv", "b/gen.tsv", "test"]),
        (["big=a/gen.tsv", "big=b/gen.tsv", "c/gen.tsv"], ["big", "big", "gen"]),
        (["gen=a/x.tsv", "c/gen.tsv"], ["gen", "c/gen.tsv"]),
        (["same.tsv", "same.tsv"], ["same", "same"]),
    ],
)
def test_systems_have_the_names_that_tell_their_files_apart(arguments: list[str], names: list[str]) -> None:
    assert [name for name, _ in systems_of(arguments)] == names


def test_a_file_with_an_equals_sign_in_its_name_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("beam=4.tsv").touch()
    assert systems_of(["beam=4.tsv", "beam=5.tsv"]) == [("beam=4", Path("beam=4.tsv")), ("beam", Path("5.tsv"))]
