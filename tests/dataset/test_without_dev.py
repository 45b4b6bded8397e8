"""A dataset that is to be published needs no dev split."""

from __future__ import annotations

from released import write_released_farm
from workplace import Workplace

from sgl.cli.main import OK, run


def test_the_card_of_a_release_without_dev_is_written(work: Workplace) -> None:
    grammar = write_released_farm(work.directory)
    grammar.write_text(grammar.read_text("utf-8").replace("dev   10\n", ""), "utf-8")
    assert run(["compile", "farm.sgl", "--out", "ds"]) == OK
    assert "validation" not in (work.directory / "ds" / "README.md").read_text("utf-8")
