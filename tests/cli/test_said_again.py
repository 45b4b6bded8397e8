"""What a command has said of a grammar is said again, without the grammar, as long as no file is another."""

from __future__ import annotations

import pytest
from kept_farm import MAIN, edit, write_farm
from workplace import Workplace

from sgl.cache import Cache
from sgl.cli.main import run
from sgl.pipeline import grammar

COMMANDS = (["prove", MAIN], ["prove", MAIN, "--json"], ["sample", MAIN, "-n", "3"], ["stats", MAIN])


@pytest.fixture
def farm(work: Workplace, cache: Cache) -> Workplace:  # noqa: ARG001 - in use
    return write_farm(work)


def said(work: Workplace, *arguments: str) -> tuple[int, str, str]:
    status = run([*arguments])
    captured = work.capsys.readouterr()
    return status, captured.out, captured.err


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_nothing_is_opened(arguments: list[str], farm: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    first = said(farm, *arguments)
    assert first[0] == 0
    monkeypatch.setattr(grammar, "_open", lambda *_, **__: pytest.fail("it was opened"))
    assert said(farm, *arguments) == first


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_an_edit_counts(arguments: list[str], farm: Workplace) -> None:
    said(farm, *arguments)
    edit(farm, "prey.sgl", "words", "# the small ones\nwords")
    edit(farm, MAIN, "  train 1000", "  train 1001")
    assert said(farm, *arguments) == said(farm, *arguments, "--no-cache")


def test_a_lock_counts(farm: Workplace) -> None:
    said(farm, "sample", MAIN)
    assert run(["lock", MAIN]) == 0
    farm.capsys.readouterr()
    edit(farm, "prey.sgl", "words", "# the small ones\nwords")
    assert said(farm, "sample", MAIN) == said(farm, "sample", MAIN, "--no-cache")


def test_what_fails_is_not_kept(farm: Workplace) -> None:
    edit(farm, MAIN, "\ndataset", "\nstructure idle { V -[obj]-> }\n\ndataset")
    first = said(farm, "prove", MAIN)
    assert first[0] == 1
    assert said(farm, "prove", MAIN) == first
