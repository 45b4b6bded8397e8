"""Write the files of a command: completely or not at all, and never over other files without ``--force``.

The type of an option says what the command does with the file: ``FILE`` and ``GRAMMAR`` are read, ``PICTURE`` and
``DIRECTORY`` are written.  Permission to write a result is checked three times: after reading the command line, after
reading the grammar, and when writing.  A result never replaces a file that this run has read, or that belongs to a
dataset.  It replaces an earlier result of its kind, and anything else only with ``--force``.
"""

import os
import re
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from sgl import foreign
from sgl.disk import DEVICE, LINK, PIPE, InTheWayError, kind, send, temporary, write
from sgl.disk.stages import staged_file
from sgl.foreign import ForeignFileError
from sgl.lang import MAX_SOURCE
from sgl.lang.packed import is_packed, main_of
from sgl.resources import bundled_grammars

#: A message's reason why a file may not be written, and its hint.
Fault = tuple[str, str]

#: The argument for standard input.
STREAM = Path("-")


def stream_bytes() -> bytes:
    """Return standard input, truncated one byte after the maximum size of a grammar."""
    return sys.stdin.buffer.read(MAX_SOURCE + 1)


class _Named(click.Path):
    def __init__(self) -> None:
        super().__init__(path_type=Path)


class Target(_Named):
    """The type of an option that names a directory to write as a whole."""


class Input(_Named):
    """The type of a parameter that names a file or directory to read."""

    def file(self, value: Any) -> Path:  # noqa: ANN401 - click decides
        """Return the file that a value names."""
        return Path(value)


class GrammarFile(Input):
    """The type of an argument that names a grammar: a file, a dataset, or a bundled grammar."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:  # noqa: ANN401 - click decides
        """Return the main file; a file, but not a directory, takes precedence over the bundled grammar of its name."""
        path = self.file(super().convert(value, param, ctx))
        bundled = bundled_grammars().get(os.fspath(value))
        if bundled is None:
            context = ctx or click.get_current_context()
            # Remove unpacked files at once if they are unusable, otherwise when the command ends.
            with ExitStack() as unpacking:
                try:
                    main = main_of(path, lambda: unpacking.enter_context(temporary()))
                except ForeignFileError as problem:
                    self.fail(str(problem), param, ctx)
                if (main / "manifest.json").is_file():
                    message = f"`{path}` is a dataset of an older version, without its grammar: name the grammar file"
                    self.fail(message, param, ctx)
                context.with_resource(unpacking.pop_all())
                return main
        for own in (path, path.with_suffix(".sgl")):
            if own.is_file():
                click.echo(f"note: reading `{own}`, not the grammar `{path}` that comes with SGL", err=True)
                return own
        if path.is_dir():
            click.echo(f"note: reading the grammar `{path}` that comes with SGL; `./{path}` is the directory", err=True)
        return bundled.path


class Result(_Named):
    """The type of an option that names a file to write; ``opening`` matches the beginning of files of its kind."""

    def __init__(self, opening: str = "(?!)") -> None:
        super().__init__()
        self._opening = re.compile(opening)

    def is_in(self, path: Path) -> bool:
        """Return whether a file is empty or holds a result of this kind."""
        with path.open("rb") as stream:
            begin = stream.read(4_096)
        return not begin or self._opening.match(begin.decode("utf-8", "replace")) is not None


FILE, GRAMMAR, DIRECTORY = Input(), GrammarFile(), Target()

#: Formats that may replace a file of the same format without `--force`; plain text may not.
JSON = Result(r'\{\s*"(grammar": "|settings": \{\s*"column"|format": "sgl-(evaluation|recipe)/)')
PAGE = Result(r'<!DOCTYPE html>\s*<html lang="en">')
ITEMS = Result(r"id,pattern,system,run,right,")
PICTURE = Result(r'<svg xmlns="http://www\.w3\.org/2000/svg"')
PATTERNS = Result(r'module \w+ "Structures that systems fail at"')
TABLES = Result(r"(%.*\n)+\s*\\begin\{table\}")
FIGURES = Result(r"% .*Needs pgfplots")
CERTIFICATE = Result(r'\{\s*"format":\s*"sgl-certificate/')
TESTS = Result(r'<\?xml version="1\.0" encoding="utf-8"\?>\s*<testsuites name="sglc"')
ROWS = Result(r"leak\tfile\tline\tkind\tdetail\tsentence\n")
WEIGHTS = Result(r"(#.*\n)*fitted:\s*\n")
ARCHIVE = Result(r"PK\x03\x04[\s\S]{5,60}/SHA256SUMS")
TEXT = Result()

#: Key of ``--force`` in the context; only the session reads it.
_FORCED = "sgl.forced"

force_option = click.option(
    "--force",
    is_flag=True,
    expose_value=False,
    callback=lambda context, _, value: context.meta.update({_FORCED: value}),
    help="Also replace files of other kinds.",
)

#: The value is optional, so the option comes after the arguments.
json_file_option = click.option(
    *("--json", "json_file"),
    type=JSON,
    is_flag=False,
    flag_value=str(STREAM),
    metavar="[FILE]",
    help="Write everything as JSON, to FILE or to standard output.",
)


def out_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--force`` and ``--out``, for a text that otherwise goes to standard output."""
    out_help = "Write to this file.  [default: standard output]"
    return click.option("-o", "--out", type=TEXT, help=out_help)(force_option(command))


def in_out(name: str) -> Path:
    """Return the default path of a result, in ``out``; raises ``OutputError`` if ``out`` is a symbolic link."""
    place = Path("out")
    if kind(place) == LINK:
        # The module that writes datasets takes longer to load than most commands need.
        from sgl.dataset import OutputError

        raise OutputError(place, "it is a symbolic link, and may lead anywhere")
    return place / name


class Results:
    """The files that a command line names, and the results that may be written to them."""

    def __init__(self) -> None:
        self.asked: dict[Path, Result] = {}
        self._forced = False

    def expect(self, context: click.Context) -> None:
        """Record the files that a command line reads and writes; refuse one file for two results."""
        asked: list[tuple[Path, Result]] = []
        for parameter in context.command.params:
            value, kind = context.params.get(parameter.name or ""), parameter.type
            for one in () if value is None else value if isinstance(value, tuple) else (value,):
                if isinstance(kind, Result) and one != STREAM:
                    asked.append((one, kind))
                elif isinstance(kind, Input):
                    foreign.note_input(kind.file(one))
        self.asked = dict(asked)
        options = {"force": context.meta.get(_FORCED), **context.params}
        # A resumed run is compared with the existing files.
        self._forced = bool(options["force"] or options.get("resume"))
        if len({path.resolve() for path in self.asked}) < len(asked):
            raise click.ClickException("two results would be written to one file")

    def write(self, path: Path, text: str | None = None) -> Fault | None:
        """Write a result, or return why that is impossible; without a text, only check."""
        try:
            if (fault := self._fault(path)) is None and text is not None:
                replace_text(path, text)
        except OSError as problem:
            return why_not(path, problem), ""
        return fault

    def _fault(self, path: Path) -> Fault | None:
        # A file that no option names is in a directory that belongs to the command.
        asked = self.asked.get(path)
        if foreign.is_input(path):
            return f"`{path}` is also an input file", "name another file"
        if kind(path) == LINK and not is_stream(path):
            return f"cannot write `{path}`: it is a symbolic link", "name the file that it points to"
        if path.is_dir():
            return f"cannot write `{path}`: it is a directory", ""
        if not path.parent.is_dir():
            return f"cannot write `{path}`: there is no directory `{path.parent}`", ""
        if not path.is_file():
            return None
        from sgl.dataset.staged import dataset_of

        if dataset := dataset_of(path):
            return f"`{path}` is a file of the dataset `{dataset.name}`", "name another file"
        if asked is None or self._forced or asked.is_in(path):
            return None
        what = "already exists" if asked is TEXT else "already exists, and is something else"
        return f"`{path}` {what}", "`--force` overwrites it"


def why_not(path: Path, problem: OSError) -> str:
    """Return the message that explains why a file could not be written."""
    reason = problem.strerror or str(problem)
    return reason if isinstance(problem, InTheWayError) else f"cannot write `{path}`: {reason}"


def replace_text(path: Path, text: str) -> None:
    """Replace the content of a file atomically; after ``OSError`` or an interruption the file is unchanged.

    Its permissions are kept.  A symbolic link, which may lead anywhere, is never followed.
    """
    if is_stream(path):
        # Write to a device or pipe; nobody expects `/dev/null` to be replaced by a file.
        send(path, text.encode("utf-8", "replace"))
        return
    if is_packed(path):
        raise InTheWayError(path, "it belongs to a dataset")
    with staged_file(path) as new:
        write(new, text)


def is_stream(path: Path) -> bool:
    """Return whether a path is a device, a pipe, or a stream that a shell has opened."""
    return kind(path) in (PIPE, DEVICE) or (path.is_relative_to("/dev") and path.exists() and not path.is_file())
