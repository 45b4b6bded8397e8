"""Run a command, show no traceback to authors, and handle signals, pipes and encodings.

Standard output is UTF-8 everywhere, with escapes for characters that cannot be encoded.  A command ends quietly with 0
when the reader of a pipe has left, and with a message and OUTPUT when the stream is full or closed.  SIGTERM and a
closed terminal stop it like Ctrl-C: it cleans up, and exits with 128 plus the signal's number.  Failures of the system,
such as a lack of memory, become messages too.
"""

import atexit
import errno
import io
import os
import platform
import re
import select
import signal
import sys
import threading
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from sgl import EDITION, __version__
from sgl.characters import for_terminal
from sgl.children import HARDLY_EVER, RARELY, collect_rarely
from sgl.cli.registry import BRIEF, GROUPS, OWN, REPEATED, commands
from sgl.disk import InTheWayError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer
    from click.shell_completion import CompletionItem

OK, FAILED, USAGE, OUTPUT, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 70, 130

#: The variable with which a shell requests completions.
_COMPLETING = "_SGLC_COMPLETE"


class _PassedError(Exception):
    """Carry an exception past click, which would treat it as a request to exit."""


class _Commands(click.Group):
    """A group that imports a command only when it is called, so that help and completion are fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(commands())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = OWN.get(cmd_name) or commands().get(cmd_name)
        if _COMPLETING in os.environ:
            from sgl.cli.completion import command

            # Completion must not wait until a command is loaded.
            if (found := command(cmd_name)) is not None:
                return found
        try:
            return None if entry is None else entry.load()
        except ImportError as problem:
            if cmd_name in OWN:
                raise
            raise click.ClickException(f"`{cmd_name}` cannot be loaded: {problem}") from problem

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {title: [] for title in GROUPS}
        for name, entry in commands().items():
            sections.setdefault(entry.group, []).append((name, entry.summary))
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl(rows)
        formatter.write("\n`sglc help compile` explains a command, `sglc help SGL0301` a message.\n")

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        # The group's own method would import every command to ask whether it is hidden.
        known = commands().items()
        found = [CompletionItem(name, help=entry.summary) for name, entry in known if name.startswith(incomplete)]
        return found + click.Command.shell_complete(self, ctx, incomplete)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            name, command, rest = super().resolve_command(ctx, args)
        except click.UsageError as problem:
            from sgl.diagnostics import suggest

            hint = suggest(args[0], commands())
            message = f"{problem.message.rstrip('.')}; {hint}" if hint else problem.message
            raise click.UsageError(message, ctx) from None
        if name and command and set(rest) & set(_SETTINGS["help_option_names"]):
            from sgl.cli.about import add_examples

            add_examples(command, name)
        return name, command, rest

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click decides
        try:
            return super().invoke(ctx)
        except (EOFError, BrokenPipeError) as problem:
            raise _PassedError from problem


def _version() -> str:
    from sgl.cache import build

    return f"sglc {__version__} (language edition {EDITION}, build {build()}, Python {platform.python_version()})"


def _show_version(context: click.Context, _parameter: click.Parameter, asked: bool) -> None:
    if asked:
        click.echo(_version())
        context.exit()


#: Settings that all commands inherit.
_SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "show_default": True}


@click.command(cls=_Commands, context_settings=_SETTINGS)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="Show the version."
)
def sglc() -> None:
    """SGL: benchmarks for compositional generalization, with proved splits."""


def main(arguments: list[str] | None = None) -> None:
    """Run ``sglc`` and exit with one of the documented exit codes."""
    use_streams()
    hear_signals()
    # Threads of BLAS busy-wait for one another, which costs more than they save on products of our size.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if "SGL_CACHE_DIR" in os.environ:
        from sgl.cache import ignored_variable

        if ignored := ignored_variable():
            click.echo(f"warning: SGL_CACHE_DIR is ignored, because `{ignored}` is relative", err=True)
    status = run(arguments)
    # Nobody needs to know of a signal that comes this late, or of text that a failure left and that finds no room.
    with suppress(KeyboardInterrupt, StreamError):
        if threading.active_count() == 1:
            # To free its memory would take longer than some commands.
            atexit._run_exitfuncs()  # noqa: SLF001
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    sys.exit(status)


def run(arguments: list[str] | None = None) -> int:
    """Run ``sglc`` and return its exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    collect_rarely(HARDLY_EVER if arguments and arguments[0] in BRIEF else RARELY)
    result: Any
    try:
        if arguments and arguments[0] in REPEATED and _COMPLETING not in os.environ:
            from sgl.cli.again import repeating

            with repeating(arguments) as known:
                result = OK if known else _called(arguments)
        else:
            result = _called(arguments)
        sys.stdout.flush()
    except (click.Abort, KeyboardInterrupt):
        number = _heard[-1][0] if _heard else signal.SIGINT
        said = "interrupted" if number == signal.SIGINT else f"stopped by {signal.Signals(number).name}"
        click.echo(said, err=True)
        return 128 + number
    except click.ClickException as problem:
        # The message quotes the command line, which may be untrusted.
        shown = io.StringIO()
        problem.show(shown)
        click.echo(for_terminal(shown.getvalue()), nl=False, err=True)
        return USAGE
    except StreamError as problem:
        if not problem.left:
            click.echo(f"error[SGL1103]: {problem}", err=True)
        return OK if problem.left else OUTPUT
    except Exception as problem:
        cause = problem.__cause__ if isinstance(problem, _PassedError) else None
        return _report(cause or problem)
    return result if isinstance(result, int) else OK


def _called(arguments: list[str]) -> Any:  # noqa: ANN401 - click decides
    return sglc.main(arguments, prog_name="sglc", standalone_mode=False, obj=arguments)


def _report(problem: BaseException) -> int:
    """Report a failure of the system, or else a bug in sglc and how to report it."""
    if refused := refusal(problem):
        click.echo("error[{}]: {}".format(*refused), err=True)
        return OUTPUT
    last = traceback.extract_tb(problem.__traceback__)[-1]
    click.echo(
        f"internal error[SGL0999]: {type(problem).__name__}: {problem}\n"
        f"  at {Path(last.filename).name}:{last.lineno} in {last.name}\n"
        "  This is a mistake in sglc, not in your grammar. Please report it with\n"
        f"  the output of `sglc --version` ({_version()}), the command, and the grammar.\n"
        "  SGL_TRACEBACK=1 shows the whole traceback.",
        err=True,
    )
    if os.environ.get("SGL_TRACEBACK"):
        traceback.print_exception(problem)
    return INTERNAL


#: A signal that is repeated within this number of seconds is one request: a closed terminal and its shell both send
#: one.
_AGAIN = 2.0

#: Error messages of libraries that cannot be loaded for lack of memory.
_UNMAPPED = ("failed to map segment", "cannot allocate memory", "out of memory")

_ENCODED: dict[str, Any] = {"encoding": "utf-8", "errors": "backslashreplace"}


class StreamError(Exception):
    """Standard output accepts no more data; not an ``OSError``, which would be attributed to a file."""

    def __init__(self, problem: OSError) -> None:
        super().__init__(f"cannot write to standard output: {problem.strerror}")
        # Windows has another error number for a pipe without a reader.
        self.left = problem.errno == errno.EPIPE or (sys.platform == "win32" and problem.errno == errno.EINVAL)


class _Stream(io.FileIO):
    """A standard stream that fails once, by raising ``StreamError``; never if it is ``mute``.

    Afterwards it discards all data, so that the interpreter can exit.
    """

    def __init__(self, number: int, *, mute: bool) -> None:
        super().__init__(number, "w", closefd=False)
        self._mute = mute
        self._failed = False

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write data, or fail as described; wait if a non-blocking pipe is full."""
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
    """Set up standard output and standard error as described above.

    A closed stream is reopened; otherwise the next file to be opened would take its place.
    """
    for name in ("stdin", "stdout", "stderr"):
        stream: TextIO | None = getattr(sys, name)
        if stream is None:
            # Writing to standard output then fails; the other streams discard everything.
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
            # Reached on the console of Windows.
            stream.reconfigure(**_ENCODED)


#: The signals that have stopped the command, with their times.
_heard: list[tuple[int, float]] = []


def hear_signals() -> None:
    """Make termination signals stop the command like Ctrl-C, unless they are ignored."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _stop)


def _stop(number: int, _frame: object) -> None:
    now = time.monotonic()
    if not _heard or now - _heard[-1][1] > _AGAIN:
        _heard.append((number, now))
        raise KeyboardInterrupt


def installing(library: str) -> str:
    """Return the command that installs a library, through the smallest extra that includes it, if any."""
    from importlib import metadata

    extras: dict[str, set[str]] = {}
    with suppress(metadata.PackageNotFoundError):
        for line in metadata.requires("sgl-compiler") or ():
            if found := re.match(r"([\w-]+).*extra == ['\"](?!test|docs|dev)(\w+)", line):
                extras.setdefault(found[2], set()).add(found[1])
    having = [name for name, libraries in extras.items() if library in libraries]
    smallest = min(having, key=lambda name: len(extras[name]), default="")
    return f"pip install 'sgl-compiler[{smallest}]'" if smallest else f"pip install {library}"


def _is_somewhere() -> bool:
    """Return whether the current directory exists."""
    with suppress(OSError):
        return bool(Path.cwd())
    return False


def refusal(problem: BaseException) -> tuple[str, str] | None:
    """Return the code and message for a system failure or a missing library; None for other exceptions.

    Libraries that lack memory or threads may raise unrelated exceptions.
    """
    text = str(problem)
    match problem:
        case ModuleNotFoundError(name=str(name)) if not name.startswith("sgl"):
            library = name.partition(".")[0]
            return "SGL0904", f"the library {library} is not installed; {installing(library)}"
        case InTheWayError():
            return "SGL1103", str(problem.strerror)
        case OSError(errno=errno.ENOMEM) | MemoryError():
            return "SGL0906", "there is not enough memory for this"
        case ImportError() if any(words in text.lower() for words in _UNMAPPED):
            return "SGL0906", "there is not enough memory to load a library"
        case RuntimeError() if "can't start new thread" in text:
            return "SGL0907", "the operating system refuses: no process or thread can be started"
        case RuntimeError() if text.startswith("Symlink loop from "):
            link = text.removeprefix("Symlink loop from ").strip("'")
            return "SGL0907", f"the operating system refuses: `{link}` is part of a loop of symbolic links"
        case FileNotFoundError() if not _is_somewhere():
            return "SGL0907", "the current directory has been removed; change to another one"
        case OSError():
            where = f" (`{problem.filename}`)" if problem.filename is not None else ""
            return "SGL0907", f"the operating system refuses: {problem.strerror or text}{where}"
    before = problem.__cause__ or problem.__context__
    return None if before is None or isinstance(before, OSError) else refusal(before)
