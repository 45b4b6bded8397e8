"""``sglc new``: every template is a grammar that one can go on with."""

from __future__ import annotations

import re

import pytest
from workplace import Workplace

from sgl.cli.main import OK, OUTPUT, run
from sgl.resources import bundled_grammars, templates

TEMPLATES = sorted(templates())


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_is_tested_and_without_warnings(template: str, work: Workplace) -> None:
    assert run(["new", "my-birds", "--from", template]) == OK
    assert work.capsys.readouterr().out == "created my-birds with my_birds.sgl; README.md says what to do next\n"
    grammar = "my-birds/my_birds.sgl"
    text = (work.directory / grammar).read_text("utf-8")
    assert "\nmodule my_birds " in text
    assert run(["test", grammar]) == OK
    assert run(["check", grammar, "--deny", "all"]) == OK
    assert run(["fmt", "--check", "my-birds"]) == OK
    assert {"README.md", "my_birds.samples"} <= {path.name for path in (work.directory / "my-birds").iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize("template", TEMPLATES)
def test_what_its_readme_says_works(template: str, work: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    run(["new", "birds", "--from", template])
    monkeypatch.chdir(work.directory / "birds")
    readme = (work.directory / "birds" / "README.md").read_text("utf-8")
    commands = re.findall(r"^sglc ([^#\n]*)", readme, re.MULTILINE)
    assert [command.split()[0] for command in commands] == ["check", "sample", "prove", "test", "compile"]
    for command in commands:
        assert run(command.split()) == OK
    assert run(["verify", "out/birds"]) == OK
    named = re.findall(r"bundled grammars? `(\w+)`(?: and `(\w+)`)?", readme)
    assert not {name for names in named for name in names if name} - {*bundled_grammars()}
    files = re.findall(r"`([\w-]+\.(?:sgl|yaml|samples))`", readme)
    assert not [file for file in files if not (work.directory / "birds" / file).is_file()]


@pytest.mark.parametrize(
    ("directory", "name"),
    [(".", "grammar"), ("日本", "grammar"), ("Test", "grammar"), ("a/2 b", "grammar"), ("a/B-2", "b_2")],
)
def test_the_grammar_is_called_like_the_directory_where_it_can_be(directory: str, name: str, work: Workplace) -> None:
    if directory == ".":
        name = re.sub("[^a-z0-9]+", "_", work.directory.name.lower()).strip("_")
    assert run(["new", directory]) == OK
    assert (work.directory / directory / f"{name}.sgl").is_file()


def test_what_is_there_stays_as_it_is(work: Workplace) -> None:
    work.write("birds/notes.txt", "mine")
    work.write("file", "mine")
    for target in ("birds", "file"):
        assert run(["new", target]) == OUTPUT
        assert "SGL1103" in work.capsys.readouterr().err
    assert work.files() == ["birds", "birds/notes.txt", "file"]
    (work.directory / "empty").mkdir()
    assert run(["new", "empty"]) == OK
