"""The command line, its output, interruption, and mistakes of our own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from diagnostics import BASE, MAIN
from workplace import PATTERN, Workplace

from sgl.cli.main import FAILED, INTERRUPTED, OK, OUTPUT, USAGE, run
from sgl.cli.main import INTERNAL as INTERNAL_ERROR

# ---- the command line


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        ((), USAGE, "Missing argument"),
        ((MAIN, "--nonsense"), USAGE, "--nonsense"),
        ((MAIN, "--format=xml"), USAGE, "xml"),
        ((MAIN, "--set", "topics"), USAGE, "not NAME=VALUE"),
        ((MAIN, "--set", "=on"), USAGE, "not NAME=VALUE"),
        ((MAIN, "--set", "topcs=off"), FAILED, "did you mean `topics`?"),
        ((MAIN, "--set", "topics=5"), FAILED, "`topics` is `on` or `off`"),
        ((MAIN, "--set", "topics="), FAILED, "`topics` is `on` or `off`"),
        ((MAIN, "--set", "number=on"), FAILED, "`number` is a number"),
        ((MAIN, "--set", "number=nan"), FAILED, "`number` is a number"),
        ((MAIN, "--set", "number=\x1b[2J"), FAILED, "␛[2J"),
        ((MAIN, "--set", "\udcff=1"), FAILED, "no parameter"),
    ],
)
@pytest.mark.parametrize("command", ["check", "compile", "prove", "sample"])
def test_options(command: str, arguments: tuple[str, ...], status: int, words: str, work: Workplace) -> None:
    work.write(MAIN, BASE + "param topics = on\nparam number = 5\n")
    assert run([command, *arguments]) == status
    assert words in work.capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["chekc", MAIN], "did you mean `check`?"),
        (["--nonsense"], "--nonsense"),
        (["verify"], "Missing argument"),
        (["verify", "a", "\x07b"], "(␇b)"),
        (["check", "a", "--limit", "\u202ea"], "`\ufffda` is not NAME=VALUE"),
        (["sample", MAIN, "-n", "-3"], "-3 is not in the range"),
    ],
)
def test_commands(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == USAGE
    assert words in capsys.readouterr().err


def test_json_is_valid_whatever_the_file_is_called(work: Workplace) -> None:
    name = os.fsdecode(b"\xff.sgl")
    work.write(name, BASE + "wrod\n")
    assert run(["check", name, "--format=json"]) == FAILED
    assert '"SGL0103"' in work.capsys.readouterr().out


# ---- output that cannot be written


def occupied(directory: Path) -> Path:
    target = directory / "notes"
    target.mkdir()
    (target / "thesis.txt").write_text("important", encoding="utf-8")
    return target


def a_file(directory: Path) -> Path:
    target = directory / "out.txt"
    target.write_text("important", encoding="utf-8")
    return target


def below_a_file(directory: Path) -> Path:
    return a_file(directory) / "data"


def dangling(directory: Path) -> Path:
    target = directory / "dangling"
    target.symlink_to(directory / "out.txt" / "nothing")
    a_file(directory)
    return target


def too_long(directory: Path) -> Path:
    return directory / ("x" * 300)


@pytest.mark.parametrize("place", [occupied, a_file, below_a_file, dangling, too_long])
def test_a_directory_that_cannot_be_written(place: Callable[[Path], Path], work: Workplace) -> None:
    target = place(work.directory)
    work.write(MAIN, BASE)
    work.refuses(OUTPUT, "SGL0901", "cannot write", command=("compile", "--out", str(target)))
    for path in work.directory.rglob("*.txt"):
        assert path.read_text(encoding="utf-8") == "important"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_without_permission(work: Workplace) -> None:
    work.write(MAIN, BASE)
    (work.directory / "locked").mkdir(mode=0o500)
    work.refuses(OUTPUT, "SGL0901", command=("compile", "--out", "locked/data"))


@pytest.mark.slow
def test_a_dataset_stays_when_the_next_one_fails(work: Workplace) -> None:
    work.write(MAIN, BASE)
    assert run(["compile", MAIN]) == OK
    before = {path: path.read_bytes() for path in (work.directory / "out").rglob("*.*")}
    work.write(MAIN, BASE + PATTERN + "  exclude { P -[case]-> Q }\n")
    work.capsys.readouterr()
    work.refuses(FAILED, "SGL0812")
    after = {path: path.read_bytes() for path in (work.directory / "out").rglob("*.*")}
    assert before == after


# ---- interruption and mistakes of our own


@pytest.fixture
def interrupted(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """``sglc compile`` while it draws a large dataset."""
    # A job in the background of a shell is started deaf to Control-C, and so are its children.
    heard_before = signal.signal(signal.SIGINT, signal.default_int_handler)
    large = BASE.replace("train 20", "train 500000")
    (tmp_path / MAIN).write_text(large, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, "-m", "sgl", "compile", MAIN, "--out", "data/farm"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent.parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        signal.signal(signal.SIGINT, heard_before)
        yield process
        process.kill()


@pytest.mark.slow
def test_control_c_leaves_nothing_behind(interrupted: subprocess.Popen[str], tmp_path: Path) -> None:
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob("data/.farm-*.partial/new/*/*")):
        assert interrupted.poll() is None, "it ended before it could be interrupted"
        assert time.monotonic() < deadline, "it never began to write"
        time.sleep(0.02)
    interrupted.send_signal(signal.SIGINT)
    _, errors = interrupted.communicate(timeout=60)
    assert interrupted.returncode == INTERRUPTED
    assert "interrupted" in errors
    assert "Traceback" not in errors
    assert list(tmp_path.glob("data/*")) == []
    assert list(tmp_path.glob("data/.*")) == []


@pytest.mark.parametrize(
    "place",
    [
        "sgl.lang.project.read",
        "sgl.frontend.run_passes",
        "sgl.pipeline.soundness.consistency",
        "sgl.pipeline.proofs.prove",
        "sgl.pipeline.production.verify",
    ],
)
def test_a_mistake_of_our_own_is_called_one(place: str, work: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(place, fail)
    work.write(MAIN, BASE + PATTERN)
    said = work.refuses(INTERNAL_ERROR, "internal error[SGL0999]", "not in your grammar")
    assert "ZeroDivisionError: division by zero" in said
    assert "sglc --version" in said


def test_the_traceback_is_shown_when_asked_for(work: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("sgl.lang.project.read", fail)
    monkeypatch.setenv("SGL_TRACEBACK", "1")
    work.write(MAIN, BASE)
    assert run(["check", MAIN]) == INTERNAL_ERROR
    assert "Traceback" in work.capsys.readouterr().err
