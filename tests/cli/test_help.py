"""Help: commands in groups, examples that are right, links that lead somewhere, topics."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import click
import pytest
from diagnostics import BASE, MAIN
from workplace import Workplace

from sgl.cli.about import texts
from sgl.cli.main import OK, USAGE, run, sglc
from sgl.cli.registry import GROUPS, commands
from sgl.cli.terminal import Progress, talk_options

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGES = sorted({entry["page"] for part in texts().values() for entry in part.values()})
EXAMPLES = [(path, line) for path, entry in texts()["commands"].items() for line in entry["examples"]]


def leaves(name: str, command: click.Command) -> list[str]:
    if isinstance(command, click.Group):
        return [leaf for inner, below in command.commands.items() for leaf in leaves(f"{name} {inner}", below)]
    return [name]


@pytest.mark.parametrize(("path", "line"), EXAMPLES)
def test_an_example_is_a_command_line_that_is_understood(path: str, line: str) -> None:
    words = shlex.split(line.partition(" > ")[0])
    assert words[0] == "sglc"
    assert line.startswith(f"sglc {path}")
    command, rest = commands()[words[1]].load(), words[2:]
    while isinstance(command, click.Group):
        command, rest = command.commands[rest[0]], rest[1:]
    assert command.make_context(line, rest, parent=click.Context(sglc, **sglc.context_settings))


def test_every_command_has_an_example() -> None:
    every = {leaf for name, entry in commands().items() for leaf in leaves(name, entry.load())}
    assert every == set(texts()["commands"])


@pytest.mark.parametrize("page", PAGES)
def test_the_page_and_its_heading_exist(page: str) -> None:
    file, _, anchor = page.partition("#")
    headings = re.findall(r"^#+ (.*)$", (DOCS / file).read_text("utf-8"), re.MULTILINE)
    slugs = {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}
    own = {name for heading in headings for name in re.findall(r"\{ ?#([\w-]+) ?\}$", heading)}
    assert not anchor or anchor in slugs | own


def test_commands_are_listed_in_groups(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == OK
    shown = capsys.readouterr().out
    places = [shown.index(f"{title}:") for title in GROUPS]
    assert places == sorted(places)
    assert shown.index("  sample") < places[1] < shown.index("  prove") < places[2] < shown.index("  compile")
    assert shown.index("  eval") > places[3]


@pytest.mark.parametrize("asked", [["help", "check"], ["check", "--help"], ["check", "farm.sgl", "-h"]])
def test_help_ends_with_examples_and_a_link(asked: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(asked) == OK
    end = capsys.readouterr().out.partition("Examples:\n")[2]
    assert "    sglc check farm.sgl --fast\n" in end
    assert end.endswith("docs/commands/check.md\n")


def test_help_of_a_command_in_a_group(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["help", "export", "nltk"]) == OK
    assert "sglc export nltk farm.sgl --layer ja" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("word", "said"),
    [("SGL0301", "A layer leaves out a child"), ("301", "A layer leaves out a child"), ("exit codes", "interrupted")],
)
def test_help_explains_codes_and_topics(word: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["help", *word.split()]) == OK
    assert said in capsys.readouterr().out


def test_help_alone_lists_the_topics(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["help"]) == OK
    shown = capsys.readouterr().out
    assert all(topic in shown for topic in texts()["topics"])


def test_an_unknown_word_is_refused_with_a_guess(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["help", "strucures"]) == USAGE
    assert "did you mean `structures`?" in capsys.readouterr().err


WARNED = "category Lonely\n"


def test_quiet_says_no_warning(work: Workplace) -> None:
    work.write(MAIN, BASE + WARNED)
    assert run(["check", MAIN]) == OK
    assert "warning" in work.capsys.readouterr().err
    assert run(["check", MAIN, "-q"]) == OK
    shown = work.capsys.readouterr()
    assert shown.err == ""
    assert shown.out.startswith("farm: ")


@pytest.mark.parametrize(("words", "lines"), [([], 0), (["-q"], 0), (["-v"], 3)])
def test_verbose_says_each_second_how_far_a_command_is(
    words: list[str], lines: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seconds = iter([0.0, 0.5, 1.5, 2.0, 2.6, 3.7])
    monkeypatch.setattr("sgl.cli.terminal.time.monotonic", lambda: next(seconds))

    @click.command
    @talk_options
    def work() -> None:
        line = Progress()
        for done in range(5):
            line("drawing", done, 10_000)

    work.main(words, standalone_mode=False)
    assert len(capsys.readouterr().err.splitlines()) == lines


def test_json_alone_is_standard_output_and_tables_are_elsewhere(work: Workplace) -> None:
    work.write(MAIN, BASE)
    work.write("rows.tsv", "the dog slept .\n")
    run(["audit", MAIN, "rows.tsv", "--json"])
    shown = work.capsys.readouterr()
    assert json.loads(shown.out)["grammar"] == "farm"
    assert "rows.tsv" in shown.err
