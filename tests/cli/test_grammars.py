"""Grammars that come with SGL are listed, and are read by their names from anywhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from diagnostics import BASE
from workplace import Workplace

from sgl.cli.main import FAILED, OK, run
from sgl.resources import bundled_grammars, grammars_dir


def test_each_grammar_has_a_line(work: Workplace) -> None:
    assert run(["grammars"]) == OK
    lines = work.capsys.readouterr().out.splitlines()
    assert re.search("^sget +SGET: structural generalization", "\n".join(lines), re.MULTILINE)
    assert len(lines) == len(bundled_grammars())
    assert run(["grammars", "--path"]) == OK
    assert str(grammars_dir() / "sget.sgl") in work.capsys.readouterr().out


def test_every_file_with_a_title_is_listed_once() -> None:
    titled = [
        path for path in grammars_dir().rglob("*.sgl") if re.search('^module \\w+ "', path.read_text(), re.MULTILINE)
    ]
    assert sorted(grammar.path for grammar in bundled_grammars().values()) == sorted(titled)


@pytest.mark.parametrize("command", [("sample", "cogs", "-n", "1"), ("parse", "cogs", "Emma smiled .")])
def test_a_name_stands_for_the_file(command: tuple[str, ...], work: Workplace) -> None:
    assert run(list(command)) == OK
    assert work.capsys.readouterr().out


@pytest.mark.parametrize("name", ["cogs", "cogs.sgl"])
def test_a_file_of_that_name_is_read_with_a_word(name: str, work: Workplace) -> None:
    work.write(name, BASE)
    assert run(["check", "cogs", "--fast"]) == OK
    captured = work.capsys.readouterr()
    assert captured.err == f"note: reading `{name}`, not the grammar `cogs` that comes with SGL\n"
    assert captured.out.startswith("farm: ")


def test_a_misspelt_name_is_recognised(work: Workplace) -> None:
    assert run(["check", "cogz"]) == FAILED
    assert "did you mean `cogs`?" in work.capsys.readouterr().err


def test_a_path_is_never_a_name(work: Workplace) -> None:
    assert run(["check", str(Path("somewhere") / "cogs")]) == FAILED
    assert "does not exist" in work.capsys.readouterr().err
