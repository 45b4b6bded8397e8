"""Run one case in this process, and judge what came of it.

Wrong are, by the names of the table:

=============  ==================================================================
traceback      an exception got out, or ``sglc`` called it an internal error
exit code      ``sglc`` ended with a code that the documentation does not have
hang           more than ten seconds of work, or a minute of waiting
memory         more than two GiB were needed
python name    a message has a name of Python that the input does not have
raw control    a message has a character that a terminal may obey
=============  ==================================================================
"""

from __future__ import annotations

import contextlib
import gc
import io
import os
import re
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

from fuzz.case import Case, Finished
from sgl.cli.main import run

PYTHON_NAME = "python name"
PROBLEMS = ("traceback", "exit code", "hang", "memory", PYTHON_NAME, "raw control")

#: Seconds of work, and of waiting on a busy machine, after which a case hangs.
WORK, WAITING = 10.0, 60.0

#: MiB that a case may need on top of what the process has.
MOST_MEMORY = 2048.0

#: The exit codes of the documentation that an input can lead to.
_CODES = (0, 1, 2, 3)

#: Names that mean something to who writes Python, and nothing to who writes a grammar.
PYTHON = re.compile(
    r"Traceback \(most|\b[A-Z]\w*(?:Error|Exception|Warning|Iteration)\b|NoneType|\bNone\b"
    r"|object at 0x|<(?:class|function|module|bound method) |\bdict_(?:keys|values)\("
    r"|\b__\w+__\b|\bnp\.(?:int|float|str)|\b(?:numpy|pyarrow|jinja2|lark|yaml|networkx)\.\w+"
    r"|\b(?:codec can't|unpack|subscriptable|iterable|positional argument)\b"
)

#: What moves the cursor, changes colours, or turns a line around.
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

_COLOURS = re.compile("\x1b\\[[0-9;]*m|\r\x1b\\[K")

#: Reads the files of a case in the current directory; what it has to say, and whether all is well.
Reader = Callable[[Case], tuple[str, bool]]


class OutOfTimeError(BaseException):
    """A case took too long; no handler of errors may take it for one."""


class _Kept(io.BytesIO):
    """A stream that can still be read after somebody has closed it."""

    def close(self) -> None:
        """Stay open."""


class _Terminal(io.TextIOWrapper):
    """A stream that a command takes for a terminal, which must not get what it would obey."""

    def isatty(self) -> bool:
        """Say yes."""
        return True


def _terminal(stream: io.BytesIO) -> _Terminal:
    return _Terminal(stream, "utf-8", errors="backslashreplace", write_through=True)


def finish(case: Case, reader: Reader | None, patience: float = 1.0) -> Finished:
    """Run a case in a directory of its own; the times it may take are multiplied."""
    with tempfile.TemporaryDirectory(prefix="fuzz", ignore_cleanup_errors=True) as folder:
        case.write(Path(folder))
        before = _memory("VmRSS")
        _forget_peak()
        started = time.process_time()
        problem, said, accepted = "", "", False
        try:
            with contextlib.chdir(folder), _limited(patience):
                problem, said, accepted = _outcome(case, reader)
        except OutOfTimeError as late:
            problem, said = "hang", str(late)
        except (Exception, SystemExit):  # noqa: BLE001 - that any of them gets out is what is looked for
            problem, said = "traceback", traceback.format_exc()
        seconds = time.process_time() - started
        megabytes = max(0.0, _memory("VmHWM") - before)
    if not problem and megabytes > MOST_MEMORY * patience:
        problem = "memory"
    return Finished(accepted and not problem, seconds, megabytes, problem, said)


def _outcome(case: Case, reader: Reader | None) -> tuple[str, str, bool]:
    """What is wrong, what was said, and whether the input was accepted."""
    if not case.commands:
        assert reader is not None
        said, accepted = reader(case)
        return wrong_words(case, said), said, accepted
    code, said = 0, ""
    for command in case.commands:
        code, printed, said = sglc(command)
        if code not in _CODES:
            return ("traceback" if code == 70 else "exit code"), f"{code}: {said}", False
        problem = wrong_words(case, said) or wrong_words(case, printed)
        if problem or code:
            return problem, f"{' '.join(command)[:200]}\n{printed}\n{said}", False
    return "", said, code == 0


def sglc(words: tuple[str, ...]) -> tuple[int, str, str]:
    """Run a command in this process: its exit code, and both of its streams."""
    printed, said = _Kept(), _Kept()
    with contextlib.redirect_stdout(_terminal(printed)), contextlib.redirect_stderr(_terminal(said)):
        code = run(list(words))
    gc.collect(0)
    return code, *(stream.getvalue().decode("utf-8", "replace") for stream in (printed, said))


def wrong_words(case: Case, said: str) -> str:
    """What is wrong with a message."""
    if any(not case.mentions(found[0]) for found in PYTHON.finditer(said)):
        return PYTHON_NAME
    # Colours and the line of progress are our own.
    return "raw control" if _CONTROLS.search(_COLOURS.sub("", said)) else ""


@contextlib.contextmanager
def _limited(patience: float) -> Iterator[None]:
    """Raise when the time is over."""

    def late(number: int, frame: FrameType | None) -> None:
        place = "".join(traceback.format_stack(frame)[-8:])
        what = "of work" if number == signal.SIGPROF else "of waiting"
        raise OutOfTimeError(f"too many seconds {what}\n{place}")

    timers = ((signal.SIGPROF, signal.ITIMER_PROF, WORK), (signal.SIGALRM, signal.ITIMER_REAL, WAITING))
    before = [signal.signal(number, late) for number, _, _ in timers]
    for _, timer, seconds in timers:
        signal.setitimer(timer, seconds * patience)
    try:
        yield
    finally:
        for (number, timer, _), handler in zip(timers, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)


def _memory(key: str) -> float:
    """What the system says of the memory of this process, in MiB; 0 where it does not."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text("utf-8").splitlines():
            if line.startswith(key):
                return int(line.split()[1]) / 1024
    return 0.0


def _forget_peak() -> None:
    """Let the peak of the memory begin anew, where the system can."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", "utf-8")


def settle_process() -> None:
    """Make this process one that tries inputs: no cache, no colours, bounded memory.

    Numba is left out: what it compiles would be compiled by each process, and takes longer than
    any input may.
    """
    os.environ |= {"SGL_CACHE_DIR": "", "NO_COLOR": "1"}
    sys.modules |= {"numba": None, "llvmlite": None}  # type: ignore[dict-item]
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        most = 16 << 30
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))
