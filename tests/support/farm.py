"""The grammar of a farm that the documentation has, and rows of which weights are learnt."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from workplace import Workplace

from sgl.cli.main import OK, run

FARM = Path(__file__).parents[2] / "docs" / "examples"

ROWS = [
    "The dog chased a cat.\t犬が猫を追いかけた。\tplain",
    "The dog chased a cat.\t犬が猫を追いかけた。\tplain",
    "The dog saw a hen near a cow.\t犬が牛の近くの鶏を見た。\tpp",
    "The hen near a cow saw the dog.\t牛の近くの鶏が犬を見た。\tleak",
    "The dog saw a cat .\t犬が猫を見た。\tspaced",
]


def farm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Workplace:
    """A directory with the grammar and the rows."""
    found = Workplace(tmp_path, capsys)
    for path in FARM.glob("*.*"):
        found.write(path.name, path.read_bytes())
    found.write("rows.tsv", "\n".join(ROWS) + "\n")
    return found


def with_directory(place: Workplace, arguments: list[str], status: int = OK) -> str:
    """Run ``sglc`` in the directory of the place; what it says."""
    with contextlib.chdir(place.directory):
        assert run(arguments) == status
    captured = place.capsys.readouterr()
    return captured.out + captured.err
