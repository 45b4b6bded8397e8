"""What surrounds a command decides how it ends, and never makes a mistake of sglc of it."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from diagnostics import BASE, INTERNAL, MAIN
from workplace import Workplace

from sgl.cli.main import FAILED, OK, OUTPUT, USAGE, run
from sgl.cli.main import INTERNAL as MISTAKE

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a shell arranges the streams")


def shell(script: str, work: Workplace, **settings: str) -> subprocess.CompletedProcess[bytes]:
    """Run a script in which ``sglc`` is the command."""
    return subprocess.run(
        ["bash", "-c", f'sglc() {{ "{sys.executable}" -m sgl "$@"; }}; {script}'],
        cwd=work.directory,
        env={**os.environ, "PYTHONPATH": str(ROOT), **settings},
        capture_output=True,
        check=False,
    )


# ---- streams

NO_SPACE = b"error[SGL1103]: cannot write to standard output: No space left on device\n"
CLOSED = b"error[SGL1103]: cannot write to standard output: Bad file descriptor\n"


@pytest.mark.parametrize(
    ("script", "status", "said"),
    [
        ("sglc explain SGL0001 > /dev/full", OUTPUT, NO_SPACE),
        ("sglc --help > /dev/full", OUTPUT, NO_SPACE),
        ("sglc explain SGL0001 >&-", OUTPUT, CLOSED),
        ("sglc explain SGL0001 >&- 2>&- <&-", OUTPUT, b""),
        ("sglc explain nothing 2>&-", FAILED, b""),
        ("sglc explain nothing 2> /dev/full", FAILED, b""),
        ("sglc chek 2>&-", USAGE, b""),
        ("sglc explain | head -n 1 > /dev/null; exit ${PIPESTATUS[0]}", OK, b""),
        ("sglc explain | true; exit ${PIPESTATUS[0]}", OK, b""),
    ],
)
def test_what_happens_to_a_stream_decides_how_a_command_ends(
    script: str, status: int, said: bytes, work: Workplace
) -> None:
    done = shell(script, work)
    assert (done.stderr, done.returncode) == (said, status)


def test_what_was_said_before_needs_a_stream_too(work: Workplace) -> None:
    work.write(MAIN, BASE)
    done = shell(f"sglc sample {MAIN} && sglc sample {MAIN} > /dev/full", work, SGL_CACHE_DIR=str(work.directory))
    assert (done.stderr, done.returncode) == (NO_SPACE, OUTPUT)


def test_what_cannot_be_seen_is_shown(work: Workplace) -> None:
    assert run(["explain", "\u202e"]) == FAILED
    assert "\u202e" not in work.capsys.readouterr().err


def test_a_closed_stream_is_not_replaced_by_a_file_of_the_command(work: Workplace) -> None:
    """The next file to be opened gets the number of a stream that is closed."""
    program = "from sgl.cli.main import use_streams; use_streams(); print(open('f').fileno() > 2)"
    work.write("f", "")
    done = shell(f'"{sys.executable}" -c "{program}" <&- 2>&-', work)
    assert done.stdout == b"True\n"


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1:strict"])
def test_output_is_utf_8_whatever_the_machine_prefers(encoding: str, work: Workplace) -> None:
    settings = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "LC_ALL": "C"}
    program = "from sgl.cli.main import use_streams; use_streams(); print('\\u72ac \\udc80')"
    done = shell(f'"{sys.executable}" -c "{program}"', work, **settings)
    assert done.stdout == "犬 \\udc80\n".encode()


def test_a_pipe_that_does_not_wait_gets_everything(work: Workplace) -> None:
    program = (
        "import os, sys\nfrom sgl.cli.main import use_streams\n"
        "os.set_blocking(1, False)\nuse_streams()\nprint('x' * 300000)\n"
    )
    work.write("program.py", program)
    done = shell(f'"{sys.executable}" program.py | (sleep 0.2; wc -c)', work)
    assert (done.stdout.strip(), done.stderr) == (b"300001", b"")


# ---- the machine


def after(first: Exception, second: Exception) -> Exception:
    """What is raised because of the first, as a library does."""
    second.__context__ = first
    return second


@pytest.mark.parametrize("form", ["full", "json"])
@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (MemoryError(), "SGL0906"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "SGL0906"),
        (ImportError("libx.so: failed to map segment from shared object"), "SGL0906"),
        (OSError(errno.EMFILE, "Too many open files", "pipe"), "SGL0907"),
        (RuntimeError("can't start new thread"), "SGL0907"),
        (after(MemoryError(), SystemError("returned a result with an exception set")), "SGL0906"),
        (after(RuntimeError("can't start new thread"), RuntimeError("cannot join")), "SGL0907"),
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), "SGL0907"),
    ],
)
def test_what_the_machine_refuses_is_a_message(
    problem: Exception, code: str, form: str, work: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise problem

    monkeypatch.setattr("sgl.lang.project.read", refuse)
    work.write(MAIN, BASE)
    work.refuses(OUTPUT, code, command=("check", "--format", form))


def test_the_machine_can_refuse_what_has_no_session(work: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("sgl.cli.about.open_cache", refuse)
    assert run(["cache", "info"]) == OUTPUT
    assert work.capsys.readouterr().err == ("error[SGL0906]: there is not enough memory for this\n")


def test_the_end_of_a_file_is_no_interruption(work: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    def end(*_: object) -> None:
        raise EOFError("Ran out of input")

    monkeypatch.setattr("sgl.lang.project.read", end)
    work.write(MAIN, BASE)
    assert run(["check", MAIN]) == MISTAKE
    assert "EOFError" in work.capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("kilobytes", [350_000, 600_000])
def test_little_memory_is_told_from_a_mistake(kilobytes: int, work: Workplace) -> None:
    work.write(MAIN, BASE)
    done = shell(f"ulimit -v {kilobytes}; sglc compile {MAIN} --no-cache --out o", work)
    assert done.returncode in (OK, OUTPUT)
    assert not [word for word in INTERNAL if word.encode() in done.stderr]


# ---- signals


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("options", [(), ("--workers", "2")], ids=["one process", "workers"])
def test_a_signal_to_end_is_heard_like_control_c(
    number: signal.Signals, options: tuple[str, ...], work: Workplace
) -> None:
    work.write(MAIN, BASE.replace("train 20", "train 500000"))
    command = [sys.executable, "-m", "sgl", "compile", MAIN, "--out", "data/farm", *options]
    with subprocess.Popen(
        command,
        cwd=work.directory,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        start_new_session=True,
        # The tests themselves may have been started by `nohup`.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # noqa: PLW1509 - nothing else is done there
        text=True,
    ) as process:
        deadline = time.monotonic() + 60
        while not list(work.directory.glob("data/.farm*.partial/holder")):
            assert process.poll() is None, "it ended before it could be stopped"
            assert time.monotonic() < deadline, "it never began to write"
            time.sleep(0.02)
        process.send_signal(number)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    assert "Traceback" not in said, said
    assert process.returncode == 128 + number
    assert f"stopped by {number.name}" in said
    left = list(work.directory.glob("data/*"))
    resumable = "--workers" in options and "`--resume` continues it" in said
    assert [path.name for path in left] == [".farm.partial"] * resumable


def test_a_signal_after_the_command_changes_nothing(work: Workplace) -> None:
    program = (
        "import threading as t; from sgl.cli.main import _stop, main; t.active_count = lambda: _stop(15, 0); main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "explain", "SGL0001"],
        cwd=work.directory,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    assert (done.stderr, done.returncode) == (b"", OK)


def test_a_signal_that_is_ignored_stays_ignored(work: Workplace) -> None:
    """As ``nohup`` wants it."""
    program = (
        "from signal import *; from sgl.cli.main import hear_signals; hear_signals();"
        "print(getsignal(SIGHUP) is SIG_IGN, callable(getsignal(SIGTERM)))"
    )
    done = shell(f'trap \'\' HUP; exec "{sys.executable}" -c "{program}"', work)
    assert done.stdout == b"True True\n", done.stderr
