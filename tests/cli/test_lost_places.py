"""Places that are gone, and links that lead in a circle: said in words, wherever a command meets them."""

from __future__ import annotations

from pathlib import Path

import pytest
from workplace import DATASET, Workplace

from sgl.cli.main import FAILED, OK, OUTPUT, run

WHOLE = f'layer en : text\nlayer syn : graph on en\ncategory Text\nword Text: "hello"\n  syn node(upos=INTJ)\n{DATASET}'


@pytest.fixture
def grammar(work: Workplace) -> Path:
    return work.write("hello.sgl", WHOLE.replace("train 20", "train 1"))


@pytest.fixture
def gone(grammar: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The grammar, while the current directory has been removed."""
    directory = grammar.parent / "gone"
    directory.mkdir()
    monkeypatch.chdir(directory)
    directory.rmdir()
    return grammar


@pytest.mark.parametrize("command", ["check", "sample", "parse", "lock"])
def test_a_grammar_in_a_directory_that_is_gone(command: str, gone: Path, work: Workplace) -> None:
    more = ["hello"] if command == "parse" else []
    assert run([command, gone.name, *more]) == FAILED
    assert "`hello.sgl` is in the current directory, which has been removed" in work.capsys.readouterr().err


def test_a_result_in_a_directory_that_is_gone(gone: Path, work: Workplace) -> None:
    assert run(["compile", str(gone)]) == OUTPUT
    assert "the current directory has been removed; change to another one" in work.capsys.readouterr().err


def test_a_whole_path_needs_no_current_directory(gone: Path) -> None:
    assert run(["check", str(gone)]) == OK


@pytest.fixture
def circle(grammar: Path) -> Path:
    """A link that leads to one that leads back, beside the grammar."""
    first, second = grammar.with_name("first.sgl"), grammar.with_name("second.sgl")
    first.symlink_to(second)
    second.symlink_to(first)
    return first


def test_a_circle_of_links_is_no_grammar(circle: Path, work: Workplace) -> None:
    assert run(["check", circle.name]) == FAILED
    assert "`first.sgl` is part of a loop of symbolic links" in work.capsys.readouterr().err


def test_a_circle_of_links_is_no_place_for_a_result(circle: Path, work: Workplace) -> None:
    assert run(["compile", "hello.sgl", "--out", circle.name]) == OUTPUT
    assert "internal error" not in work.capsys.readouterr().err


@pytest.mark.usefixtures("circle")
def test_a_circle_of_links_is_no_grammar_that_a_module_could_be_part_of(work: Workplace) -> None:
    work.write("words.sgl", 'layer en : text\ncategory N\nword N: "dog"\n')
    work.write("uses.sgl", "use words\n" + WHOLE.replace("Text", "Whole"))
    run(["check", "words.sgl"])
    assert "internal error" not in work.capsys.readouterr().err
