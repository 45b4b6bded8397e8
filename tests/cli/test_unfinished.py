"""Grammars that are not finished: without a dataset, with names of a file that is not used."""

from __future__ import annotations

from pathlib import Path

import pytest
from workplace import Workplace

from sgl.cli.main import FAILED, OK, run

EXAMPLES = Path(__file__).parent.parent.parent / "docs" / "examples"


@pytest.fixture
def farm(work: Workplace) -> Workplace:
    for name in ("animals.yaml", "verbs.yaml"):
        work.write(name, (EXAMPLES / name).read_bytes())
    text = (EXAMPLES / "farm.sgl").read_text("utf-8")
    before, after = text.index("dataset"), text.index("pattern")
    work.write("farm.sgl", text[:before] + text[after:])
    return work


def test_a_grammar_without_a_dataset_is_checked_and_sampled(farm: Workplace) -> None:
    assert run(["check", "farm.sgl"]) == OK
    captured = farm.capsys.readouterr()
    assert "SGL0804" in captured.err
    assert "its sentences start from `Text`" in captured.err
    assert captured.out == "farm: 8 categories, 6 rules, 15 words, 1 pattern, 2 tests\n"
    assert run(["sample", "farm.sgl", "-n", "3", "--show", "en"]) == OK
    lines = farm.capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert all(line.endswith(".") for line in lines)


def test_who_has_written_layers_and_words_alone_is_told_to_go_on(farm: Workplace) -> None:
    text = (EXAMPLES / "farm.sgl").read_text("utf-8")
    farm.write("farm.sgl", text[: text.index("category Text")])
    assert run(["check", "farm.sgl"]) == FAILED
    assert "go on: sentences are checked once there are rules" in farm.capsys.readouterr().err


@pytest.mark.parametrize("command", ["prove", "compile"])
def test_claims_and_data_need_a_dataset(farm: Workplace, command: str) -> None:
    assert run([command, "farm.sgl"]) == FAILED
    assert "this command needs a dataset" in farm.capsys.readouterr().err


def test_a_name_of_a_file_that_is_used_by_another_file(farm: Workplace) -> None:
    farm.write("middle.sgl", "module middle\nuse farm\n")
    farm.write("mine.sgl", 'module mine\nuse middle\nrule sleepy: VP -> "slept"\n  ja "眠った"\n')
    assert run(["check", "mine.sgl"]) == FAILED
    said = farm.capsys.readouterr().err
    assert "this file does not see the category `VP`" in said
    assert "hint: write `use farm` here" in said


@pytest.fixture
def grammar_of_modules(work: Workplace) -> Workplace:
    for name in ("animals.yaml", "verbs.yaml"):
        work.write(name, (EXAMPLES / name).read_bytes())
    text = (EXAMPLES / "farm.sgl").read_text("utf-8")
    work.write("farm.sgl", text.replace("layer en", "use words.ponies\n\nlayer en", 1))
    work.write("words/ponies.sgl", "words small = dog\nstructure one { P[@small] }\n")
    return work


def test_a_module_is_checked_with_the_grammar_that_uses_it(grammar_of_modules: Workplace) -> None:
    work = grammar_of_modules
    assert run(["check", "words/ponies.sgl", "--fast"]) == OK
    captured = work.capsys.readouterr()
    assert "is checked as part of `farm.sgl`" in captured.err
    assert captured.out.startswith("farm: ")
    work.write("words/ponies.sgl", "words small = \n")
    assert run(["check", "words/ponies.sgl", "--fast"]) == FAILED
    assert "words/ponies.sgl:1" in work.capsys.readouterr().err


def test_several_grammars_use_a_module(grammar_of_modules: Workplace) -> None:
    work = grammar_of_modules
    text = (work.directory / "farm.sgl").read_text("utf-8")
    work.write("barn.sgl", text.replace("module farm", "module barn"))
    assert run(["check", "words/ponies.sgl", "--fast"]) == OK
    captured = work.capsys.readouterr()
    assert "as part of `barn.sgl`; --root names another: `farm.sgl`" in captured.err
    assert run(["check", "words/ponies.sgl", "--fast", "--root", "farm.sgl"]) == OK
    assert work.capsys.readouterr().out.startswith("farm: ")


def test_a_file_that_no_grammar_uses_is_checked_alone(farm: Workplace) -> None:
    assert run(["check", "farm.sgl"]) == OK
    assert "as a part of" not in farm.capsys.readouterr().err
