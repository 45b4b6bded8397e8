"""What the commands share: options, output of diagnostics, progress."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sgl.cache import open_cache, using
from sgl.cli.counts import count
from sgl.cli.messages import FORMATS, one_document, show

if TYPE_CHECKING:
    from rich.table import Table

__all__ = [
    "FORMATS",
    "Progress",
    "Speed",
    "bar",
    "cache_option",
    "compile_options",
    "count",
    "grammar_argument",
    "message_options",
    "print_table",
    "progress",
    "show",
]

_Command = TypeVar("_Command", bound=Callable[..., Any])

#: Seconds after which a speed says something.
_TELLING = 1.0

#: Cells of a progress bar.
_BAR = 20

#: Columns for tables that go to a file or a pipe.
_WIDE = 160


def grammar_argument(command: _Command) -> _Command:
    """The argument GRAMMAR."""
    return click.argument("grammar", type=click.Path(path_type=Path))(command)


def compile_options(command: _Command) -> _Command:
    """Options of all commands that compile: ``--set``, ``--format``, ``--no-cache`` and so on."""
    for decorate in (
        cache_option,
        message_options,
        click.option(
            "--set",
            "settings",
            multiple=True,
            metavar="NAME=VALUE",
            callback=_settings,
            help="Set a parameter of the grammar (repeatable).",
        ),
    ):
        command = decorate(command)
    return command


def message_options(command: _Command) -> _Command:
    """How diagnostics look: ``--color`` and ``--format``."""

    @wraps(command)
    def speaking(*arguments: object, form: str, **others: object) -> object:
        with one_document(form):
            return command(*arguments, form=form, **others)

    options: Any = speaking
    for decorate in (
        click.option(
            "--color",
            type=click.Choice(("auto", "always", "never")),
            default="auto",
            show_default=True,
            help="Colours in messages; NO_COLOR switches them off.",
        ),
        click.option(
            "--format",
            "form",
            type=click.Choice(FORMATS),
            default="full",
            show_default=True,
            help="How diagnostics are written.",
        ),
    ):
        options = decorate(options)
    result: _Command = options
    return result


def cache_option(command: _Command) -> _Command:
    """The option ``--no-cache``; without it the command uses the user's cache."""
    return click.option(
        "--no-cache",
        is_flag=True,
        expose_value=False,
        callback=_use_cache,
        help="Compute everything anew, and keep nothing.",
    )(command)


def _use_cache(ctx: click.Context, _: click.Parameter, off: bool) -> None:
    if not ctx.resilient_parsing:
        ctx.with_resource(using(None if off else open_cache()))


def _settings(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> dict[str, str]:
    settings = {}
    for value in values:
        name, equals, text = value.partition("=")
        if not equals or not name:
            raise click.BadParameter(f"`{value}` is not NAME=VALUE", ctx, param)
        settings[name] = text
    return settings


def print_table(table: Table) -> None:
    """Write a table to standard output; only a terminal limits its width."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else _WIDE
    # Columns that need more are not cut off: the terminal goes on in the next line.
    Console(highlight=False, width=width).print(table, crop=False)


def bar(share: float) -> str:
    """How much of a whole is done: ``██████████░░░░░░░░░░  50 %``."""
    done = round(_BAR * share)
    return f"{'█' * done}{'░' * (_BAR - done)} {100 * share:3.0f} %"


class Speed:
    """How fast something is done, and how long it will still take.

    What was done when it was first heard of is not counted: it may be that of an earlier run.
    """

    def __init__(self) -> None:
        self._what = ""
        self._begun = 0.0
        self._before = 0

    def left(self, what: str, done: int, total: int, now: float) -> str:
        """``, 1,200 a second, 0:45 left``; empty until there is something to go by."""
        if what != self._what or done < self._before:
            self._what, self._begun, self._before = what, now, done
        taken, finished = now - self._begun, done - self._before
        if taken < _TELLING or not finished or done > total:
            return ""
        rate = finished / taken
        minutes, seconds = divmod(round((total - done) / rate), 60)
        return f", {rate:,.0f} a second, {minutes}:{seconds:02} left"


class Progress:
    """A progress line on a terminal; nothing elsewhere.

    It appears when something has taken longer than a second.
    """

    def __init__(self) -> None:
        self.shown = sys.stderr.isatty()
        self.started = time.monotonic()
        self.written = 0.0
        self.width = 0
        self.speed = Speed()

    def __call__(self, what: str, done: int, total: int) -> None:
        """Say how far ``what`` is."""
        now = time.monotonic()
        left = self.speed.left(what, done, total, now)
        if not self.shown or now - self.started < 1 or now - self.written < 0.1:
            return
        self.written = now
        share = f" {done:,} of {total:,}{left}" if total > 1 else ""
        line = f"{now - self.started:5.0f} s  {what}{share}"[:78]
        click.echo(f"\r{line:<{self.width}}", nl=False, err=True)
        self.width = len(line)

    def clear(self) -> None:
        """Remove the line."""
        if self.width:
            click.echo("\r" + " " * self.width + "\r", nl=False, err=True)
            self.width = 0


@contextmanager
def progress() -> Iterator[Progress]:
    """A progress line that is gone afterwards, whatever happens."""
    line = Progress()
    try:
        yield line
    finally:
        line.clear()
