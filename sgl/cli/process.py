"""Manners of the process towards what surrounds it: its streams, signals, and the machine.

Standard output is UTF-8 everywhere, and what cannot be encoded is written as an escape.  What
happens to a stream decides how the command ends::

    the reader of a pipe has left        quietly, with 0
    a full device, a closed stream       with a message and OUTPUT
    standard error takes nothing         as it would have; nobody hears the message

A batch system that sends SIGTERM, and a terminal that is closed, stop a command like Ctrl-C:
it cleans up, and ends with 128 and the number of the signal.  What the machine refuses is a
message too: it is no mistake of ``sglc``.
"""

from __future__ import annotations

import io
import os
import select
import signal
import sys
import time
from errno import EINVAL, ENOMEM, EPIPE
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

#: Codes of what the machine refuses: memory, and anything else.
NO_MEMORY, REFUSED = "SGL0906", "SGL0907"

#: Seconds within which a signal that comes again is the same request: a terminal that is closed
#: and its shell both send one.
_AGAIN = 2.0

#: What libraries say that cannot be loaded, as there is no memory for them.
_UNMAPPED = ("failed to map segment", "cannot allocate memory", "out of memory")

_ENCODED: dict[str, Any] = {"encoding": "utf-8", "errors": "backslashreplace"}


class StreamError(Exception):
    """Standard output takes no more; no ``OSError``, which would be taken for one of a file."""

    def __init__(self, problem: OSError) -> None:
        super().__init__(f"cannot write to standard output: {problem.strerror}")
        # Windows has another number for a pipe that nobody reads.
        self.left = problem.errno == EPIPE or (sys.platform == "win32" and problem.errno == EINVAL)


class _Stream(io.FileIO):
    """A standard stream that fails once, by raising ``StreamError``, or if it is mute never.

    Afterwards it takes everything and writes nothing, so that the interpreter can end.
    """

    def __init__(self, number: int, *, mute: bool) -> None:
        super().__init__(number, "w", closefd=False)
        self._mute = mute
        self._failed = False

    def write(self, data: ReadableBuffer, /) -> int:
        """Write, or fail as described; wait for a pipe that does not wait by itself."""
        while not self._failed:
            try:
                written: int | None = super().write(data)
            except OSError as problem:
                self._failed = True
                if not self._mute:
                    raise StreamError(problem) from problem
            else:
                if written is not None:
                    return written
                select.select([], [self], [])
        return memoryview(data).nbytes


def use_streams() -> None:
    """Make standard output and standard error what is described above.

    A stream that is closed is opened, or the next file to be opened would be in its place.
    """
    for name in ("stdin", "stdout", "stderr"):
        stream: TextIO | None = getattr(sys, name)
        if stream is None:
            # Whatever is written to standard output is an error then; the rest is silent.
            mode = os.O_RDONLY if name == "stdout" else os.O_RDWR
            raw: Any = io.FileIO(os.open(os.devnull, mode), closefd=False)
        else:
            buffer = getattr(stream, "buffer", None)
            raw = getattr(buffer, "raw", buffer)
        if name == "stdin":
            continue
        if isinstance(raw, io.FileIO):
            file = io.BufferedWriter(_Stream(raw.fileno(), mute=name == "stderr"))
            lines = name == "stderr" or raw.isatty()
            setattr(sys, name, io.TextIOWrapper(file, line_buffering=lines, **_ENCODED))
        elif isinstance(stream, io.TextIOWrapper):
            # The console of Windows.
            stream.reconfigure(**_ENCODED)


# ---- signals

#: The signals that have stopped the command, each with the time.
_heard: list[tuple[int, float]] = []


def hear_signals() -> None:
    """Let the signals to end stop the command like Ctrl-C, unless they are to be ignored."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _stop)


def _stop(number: int, _frame: object) -> None:
    now = time.monotonic()
    if not _heard or now - _heard[-1][1] > _AGAIN:
        _heard.append((number, now))
        raise KeyboardInterrupt


def interruption() -> tuple[str, int]:
    """Return what to say of the signal that has stopped the command, and the exit code."""
    number = _heard[-1][0] if _heard else signal.SIGINT
    said = "interrupted" if number == signal.SIGINT else f"stopped by {signal.Signals(number).name}"
    return said, 128 + number


# ---- the machine


def refusal(problem: BaseException) -> tuple[str, str] | None:
    """Return code and message of what the machine has refused; None if it is another problem.

    Libraries stumble over a lack of memory or threads, and then raise something else.
    """
    before = problem.__cause__ or problem.__context__
    earlier = None if before is None or isinstance(before, OSError) else refusal(before)
    return _refused(problem) or earlier


def _refused(problem: BaseException) -> tuple[str, str] | None:
    text = str(problem)
    match problem:
        case OSError(errno=number) if number == ENOMEM:
            return NO_MEMORY, "the machine has not enough memory for this"
        case MemoryError():
            return NO_MEMORY, "the machine has not enough memory for this"
        case ImportError() if any(words in text.lower() for words in _UNMAPPED):
            return NO_MEMORY, "the machine has not enough memory to load a library"
        case RuntimeError() if "can't start new thread" in text:
            return REFUSED, "the operating system refuses: no process or thread can be started"
        case OSError():
            where = f" (`{problem.filename}`)" if problem.filename is not None else ""
            return REFUSED, f"the operating system refuses: {problem.strerror or text}{where}"
    return None
