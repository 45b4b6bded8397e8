"""Files that a command writes: completely or not at all, and over no other file unasked.

The type of an option says what the command does with the file that it names: ``FILE`` and
``GRAMMAR`` are read, ``PICTURE`` and ``DIRECTORY`` are written.  Whether a result may be written is asked three times:
when the command line is read, when the grammar is, and when it is written.  It never takes the
place of a file that was read in this run, or that belongs to a dataset.  It takes the place of a
former result of its kind; of anything else only with ``--force``.
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

#: What a message needs: why a file may not be written, and what to do.
Fault = tuple[str, str]

#: The argument that stands for standard input.
STREAM = Path("-")


def stream_bytes() -> bytes:
    """Return what standard input has; of more than a grammar may have, a little more."""
    return sys.stdin.buffer.read(MAX_SOURCE + 1)


class _Named(click.Path):
    def __init__(self) -> None:
        super().__init__(path_type=Path)


class Target(_Named):
    """The type of an option that names a directory which is written as a whole."""


class Input(_Named):
    """The type of an argument or option that names a file or directory which is read."""

    def file(self, value: Any) -> Path:  # noqa: ANN401 - click decides
        """Return the file that a value names."""
        return Path(value)


class GrammarFile(Input):
    """The type of an argument that names a grammar: a file, a dataset, or the name of one that comes with SGL."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:  # noqa: ANN401 - click decides
        """Return the main file; a file that is called like a bundled grammar takes its place, a directory does not."""
        path = self.file(super().convert(value, param, ctx))
        bundled = bundled_grammars().get(os.fspath(value))
        if bundled is None:
            context = ctx or click.get_current_context()
            # What was unpacked is gone at once if it cannot be used, and else with the command.
            with ExitStack() as unpacking:
                try:
                    main = main_of(path, lambda: unpacking.enter_context(temporary()))
                except ForeignFileError as problem:
                    self.fail(str(problem), param, ctx)
                if (main / "manifest.json").is_file():
                    message = f"`{path}` is a dataset without its grammar, of an older version: name the file"
                    self.fail(message, param, ctx)
                context.with_resource(unpacking.pop_all())
                return main
        for own in (path, path.with_suffix(".sgl")):
            if own.is_file():
                click.echo(f"note: `{own}` is read, not the grammar `{path}` that comes with SGL", err=True)
                return own
        if path.is_dir():
            click.echo(f"note: the grammar `{path}` that comes with SGL is read; `./{path}` is the directory", err=True)
        return bundled.path


class Result(_Named):
    """The type of an option that names a file which is written; one begins with ``opening``."""

    def __init__(self, opening: str = "(?!)") -> None:
        super().__init__()
        self._opening = re.compile(opening)

    def is_in(self, path: Path) -> bool:
        """Return whether a file holds a result of this kind, or nothing."""
        with path.open("rb") as stream:
            begin = stream.read(4_096)
        return not begin or self._opening.match(begin.decode("utf-8", "replace")) is not None


FILE, GRAMMAR, DIRECTORY = Input(), GrammarFile(), Target()

#: What is written over its like unasked; a text is written over nothing.
JSON = Result(r'\{\s*"(grammar": "|settings": \{\s*"column"|format": "sgl-(evaluation|recipe)/)')
PAGE = Result(r'<!DOCTYPE html>\s*<html lang="en">')
PICTURE = Result(r'<svg xmlns="http://www\.w3\.org/2000/svg"')
PATTERNS = Result(r'module \w+ "Structures that systems fail at"')
TABLES = Result(r"(%.*\n)+\s*\\begin\{table\}")
CERTIFICATE = Result(r'\{\s*"format":\s*"sgl-certificate/')
TESTS = Result(r'<\?xml version="1\.0" encoding="utf-8"\?>\s*<testsuites name="sglc"')
WEIGHTS = Result(r"(#.*\n)*fitted:\s*\n")
ARCHIVE = Result(r"PK\x03\x04[\s\S]{5,60}/SHA256SUMS")
TEXT = Result()

#: Where a context has the value of ``--force``, which the session alone needs.
_FORCED = "sgl.forced"

force_option = click.option(
    "--force",
    is_flag=True,
    expose_value=False,
    callback=lambda context, _, value: context.meta.update({_FORCED: value}),
    help="Replace a file of another kind as well.",
)

#: An option that may stand alone, so it is written after the arguments.
json_file_option = click.option(
    *("--json", "json_file"),
    type=JSON,
    is_flag=False,
    flag_value=str(STREAM),
    metavar="[FILE]",
    help="Write everything as JSON, to FILE or to standard output.",
)


def out_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--out``, for a text that goes to standard output without it, and ``--force``."""
    out_help = "Write to this file.  [default: standard output]"
    return click.option("-o", "--out", type=TEXT, help=out_help)(force_option(command))


def in_out(name: str) -> Path:
    """Return where a result is written that no option names; raises ``OutputError`` if ``out`` is a link."""
    place = Path("out")
    if kind(place) == LINK:
        # What writes datasets takes longer to load than most commands need.
        from sgl.dataset import OutputError

        raise OutputError(place, "it is a symbolic link, and may lead anywhere")
    return place / name


class Results:
    """The files that the options of a command name, and what is to be written to them."""

    def __init__(self) -> None:
        self.asked: dict[Path, Result] = {}
        self._forced = False

    def expect(self, context: click.Context) -> None:
        """Note what a command line says is read and written; refuse one file for two results."""
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
        # A run that is resumed is compared with what is there.
        self._forced = bool(options["force"] or options.get("resume"))
        if len({path.resolve() for path in self.asked}) < len(asked):
            raise click.ClickException("two results would be written to one file")

    def write(self, path: Path, text: str | None = None) -> Fault | None:
        """Write a result, or return why that is impossible; without a text, only ask."""
        try:
            if (fault := self._fault(path)) is None and text is not None:
                replace_text(path, text)
        except OSError as problem:
            return why_not(path, problem), ""
        return fault

    def _fault(self, path: Path) -> Fault | None:
        # A file that no option names is in a directory that the command has for itself.
        asked = self.asked.get(path)
        if foreign.is_input(path):
            return f"`{path}` is one of the files that are read", "name another file"
        if kind(path) == LINK and not is_stream(path):
            return f"cannot write `{path}`: it is a symbolic link", "name the file that it leads to"
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
        what = "is there already" if asked is TEXT else "is there already, and is something else"
        return f"`{path}` {what}", "`--force` replaces it"


def why_not(path: Path, problem: OSError) -> str:
    """Return why a file could not be written, as a message."""
    reason = problem.strerror or str(problem)
    return reason if isinstance(problem, InTheWayError) else f"cannot write `{path}`: {reason}"


def replace_text(path: Path, text: str) -> None:
    """Replace what a file holds, at once; after ``OSError`` or an interruption it is as it was.

    Its permissions stay.  Nothing is written through a symbolic link, which may lead anywhere.
    """
    if is_stream(path):
        # A device or a pipe is written to: to replace `/dev/null` by a file would be a surprise.
        send(path, text.encode("utf-8", "replace"))
        return
    if is_packed(path):
        raise InTheWayError(path, "it is a file of a dataset")
    with staged_file(path) as new:
        write(new, text)


def is_stream(path: Path) -> bool:
    """Return whether what is written to a path goes to a device, a pipe, or a stream that a shell has opened."""
    return kind(path) in (PIPE, DEVICE) or (path.is_relative_to("/dev") and path.exists() and not path.is_file())
