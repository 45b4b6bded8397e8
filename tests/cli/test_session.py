"""The session of a command, and commands that another package registers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from diagnostics import BASE, MAIN
from workplace import Workplace

from sgl.cli.main import FAILED, OK, OUTPUT, USAGE
from sgl.cli.session import Session
from sgl.cli.terminal import Progress
from sgl.foreign import ROWS, read_text
from sgl.rendering import ViewError

GREETING = {
    "greeting/__init__.py": """\
from sgl.cli.registry import CommandEntry

GREET = CommandEntry("greeting.command", "Greet a grammar.")
PART = CommandEntry("greeting.command:part", "Say goodbye.", python="goodbye")
""",
    "greeting/command.py": """\
import click

from sgl.cli.session import grammar_argument, grammar_options
from sgl.cli.terminal import Progress


@click.command("greet")
@grammar_argument
@grammar_options
def command(session, grammar):
    \"\"\"Greet GRAMMAR.\"\"\"
    compiled = session.open(grammar)
    session.echo(f"Hello, {compiled.project.name}")
    session.check_names(["de"], ["en", "ja"], "layer")


@click.command("part")
def part():
    click.echo(goodbye())


def goodbye():
    return "Goodbye"
""",
    "greeting-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\n",
    "greeting-1.0.dist-info/entry_points.txt": """\
[sgl.commands]
greet = greeting:GREET
part = greeting:PART
compile = greeting:GREET
broken = nowhere:ENTRY
""",
}


@pytest.fixture
def guest(work: Workplace) -> Workplace:
    """A place with an installed package that registers commands."""
    for name, text in GREETING.items():
        work.write(f"site/{name}", text)
    work.write(MAIN, BASE)
    return work


def sglc(work: Workplace, *arguments: str) -> subprocess.CompletedProcess[str]:
    return python(work, "-m", "sgl", *arguments)


def python(work: Workplace, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a process that finds the package of the guest."""
    paths = [str(work.directory / "site"), str(Path(__file__).parents[2])]
    where = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **variables}
    return subprocess.run(
        [sys.executable, *arguments], env=where, cwd=work.directory, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_a_package_of_somebody_else_has_a_command(guest: Workplace) -> None:
    done = sglc(guest, "greet", MAIN, "--no-cache")
    assert done.stdout == f"Hello, {Path(MAIN).stem}\n"
    assert done.stderr.startswith("error: there is no layer `de`")
    assert done.returncode == USAGE


def test_a_command_may_be_named_after_its_module(guest: Workplace) -> None:
    assert sglc(guest, "part").stdout == "Goodbye\n"
    program = "from sgl.cli.registry import commands; print(commands()['part'].function()())"
    assert python(guest, "-c", program).stdout == "Goodbye\n"


def test_help_lists_the_guest_and_keeps_the_commands_of_the_compiler(guest: Workplace) -> None:
    shown = sglc(guest, "--help").stdout
    assert "Greet a grammar." in shown
    assert shown.count("Greet a grammar.") == 1
    assert "broken" in shown
    assert "cannot be loaded" in shown
    done = sglc(guest, "broken")
    assert "`broken` cannot be loaded: No module named 'nowhere'" in done.stderr
    assert done.returncode == USAGE


def test_names_are_completed_without_importing_a_command(guest: Workplace) -> None:
    program = (
        "import sys, atexit;"
        "atexit.register(lambda: print('\\n'.join(sys.modules), file=sys.stderr));"
        "from sgl.cli.main import sglc; sglc(prog_name='sglc')"
    )
    asked = {"_SGLC_COMPLETE": "bash_complete", "COMP_WORDS": "sglc gre", "COMP_CWORD": "1"}
    done = python(guest, "-c", program, **asked)
    assert done.stdout == "plain,greet\n"
    assert not {"sgl.cli.compile", "greeting.command", "numpy"} & set(done.stderr.split())


# ---- sessions


def test_a_session_opens_a_grammar(work: Workplace) -> None:
    work.write(MAIN, BASE)
    with Session() as session:
        assert session.open(Path(MAIN)) is session.compiled
    assert session.status == OK


def test_a_grammar_with_errors_ends_the_command(work: Workplace) -> None:
    work.write(MAIN, "category\n")
    reached = False
    with Session() as session:
        session.open(Path(MAIN))
        reached = True
    assert (session.status, reached) == (FAILED, False)
    assert "error[SGL" in work.capsys.readouterr().err


def test_the_error_of_a_user_becomes_a_diagnostic_at_the_dataset(work: Workplace) -> None:
    work.write(MAIN, BASE)
    with Session(form="json") as session:
        compiled = session.open(Path(MAIN))
        raise ViewError("a node has no type")
    (found,) = json.loads(work.capsys.readouterr().out)
    assert (found["code"], session.status) == ("SGL0513", FAILED)
    assert found["place"]["line"] == 1 + BASE[: compiled.dataset_span.start].count("\n")


def test_errors_about_files_have_an_exit_code_of_their_own(work: Workplace) -> None:
    with Session() as session:
        session.write(work.directory / "nowhere" / "file", "text")
    assert session.status == OUTPUT
    with Session() as session:
        read_text(work.directory / "nowhere", ROWS)
    assert session.status == OUTPUT
    assert work.capsys.readouterr().err.count("error[SGL110") == 2


def test_a_mistake_of_our_own_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError), Session():
        raise ZeroDivisionError


def test_a_diagnostic_is_shown_once(work: Workplace) -> None:
    with Session() as session:
        session.diagnostics.error("SGL1104", None, "2 rows cannot be read")
        session.show()
        session.show()
    assert work.capsys.readouterr().err.count("error[SGL1104]") == 1
    assert session.status == FAILED


def test_a_long_job_without_a_terminal_says_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Twice a minute, so that a log is not full of it; short jobs say nothing."""
    seconds = iter([0.0, 1.0, 20.0, 40.0, 60.0, 80.0])
    monkeypatch.setattr("sgl.cli.terminal.time.monotonic", lambda: next(seconds))
    line = Progress()
    for done in (0, 1_000, 2_000, 3_000, 4_000):
        line("drawing", done, 10_000)
    line.clear()
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "   40 s  drawing 2,000 of 10,000, 51 a second, 2:36 left",
        "   80 s  drawing 4,000 of 10,000, 51 a second, 1:58 left",
    ]
