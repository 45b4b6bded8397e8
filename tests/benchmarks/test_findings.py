"""What the script about two sets of rows finds in small ones."""

from __future__ import annotations

from pathlib import Path

import pytest

import findings

TRAIN = "walk and run\tW R\nwalk\tW\nwalk\tW\nrun left\tL R\n"
TEST = "walk left\tL W\nrun and walk\tR W\nrun after walk\tW R\nwalk\tW\n"


def test_each_figure_is_a_number_of_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("train", TRAIN), ("test", TEST)):
        (tmp_path / name).write_text(text, "utf-8")
    findings.main([str(tmp_path / "train"), str(tmp_path / "test"), "--phrases", " and | after "])
    said = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    assert {name: int(number) for number, name in said} == {
        "rows of test with two neighbours that training lacks": 3,
        "rows of test with a phrase that training lacks": 1,
    }
