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
    assert findings.main([str(tmp_path / "train"), str(tmp_path / "test"), "--phrases", " and | after "]) == 0
    said = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    assert {name: int(number) for number, name in said} == {
        "rows of training": 4,
        "rows of training that repeat another": 1,
        "rows of test": 4,
        "rows of test that repeat another": 0,
        "sources with several outputs": 0,
        "rows of test whose source training has": 1,
        "rows of test whose output training has": 2,
        "rows of test with a word that training lacks": 1,
        "rows of test with two neighbours that training lacks": 3,
        "rows of test with a phrase that training lacks": 1,
    }


def test_two_outputs_of_one_source_end_with_1(tmp_path: Path) -> None:
    (tmp_path / "train").write_text(TRAIN + "walk\tR\n", "utf-8")
    assert findings.main([str(tmp_path / "train"), str(tmp_path / "train")]) == 1
