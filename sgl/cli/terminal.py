"""Numbers, tables and progress in a terminal."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from itertools import zip_longest
from math import inf
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click

from sgl.characters import for_terminal, visible

if TYPE_CHECKING:
    from jinja2 import Environment
    from rich.table import Table
    from rich.text import Text


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: ``1 error``, ``2 errors``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


#: Writes the result to standard output as JSON.
json_option = click.option("--json", "as_json", is_flag=True, help="Write the result as JSON.")


def json_text(data: object, *, sort: bool = False) -> str:
    """Return plain data as JSON in the format of all commands, optionally with sorted keys."""
    return json.dumps(data, ensure_ascii=False, indent=1, sort_keys=sort) + "\n"


def text_table(
    titles: Sequence[str] = (),
    rows: Iterable[Sequence[str | Text]] = (),
    right: Collection[str] = (),
    no_wrap: bool = False,
    styles: Iterable[str] = (),
) -> Table:
    """Return a table without rules; columns in ``right`` are right-aligned, ``styles`` has one style per row."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in titles:
        table.add_column(Text(title), justify="right" if title in right else "left", no_wrap=no_wrap)
    for row, style in zip_longest(rows, styles):
        table.add_row(*(Text(each) if isinstance(each, str) else each for each in row), style=style)
    return table


def text_environment(package: str) -> Environment:
    """Return the template environment for plain text of a package."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(  # noqa: S701 - it is text, not HTML
        loader=PackageLoader(package),
        extensions=["jinja2.ext.do"],
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
    )
    environment.filters |= {"number": "{:,}".format, "visible": visible}
    environment.globals |= {"count": count}
    return environment


def cell(text: str) -> Text:
    """Return an untrusted text as a table cell: control characters visible, truncated if long."""
    from rich.text import Text

    shown = Text(visible(text), no_wrap=True)
    shown.truncate(48, overflow="ellipsis")
    return shown


def table_width() -> int:
    """Return the width of tables on standard output, in columns: that of the terminal, or 160 in a file or pipe."""
    return get_terminal_size().columns if sys.stdout.isatty() else 160


def print_table(table: Table) -> None:
    """Write a table to standard output; columns that need more than its width are not cropped."""
    from rich.console import Console
    from rich.segment import Segment, Segments

    console = Console(highlight=False, width=table_width())
    # Cells may contain untrusted texts; colours are not part of a segment's text.
    shown = [Segment(for_terminal(text), style) for text, style, _ in console.render(table)]
    # Wider columns are not cropped: the terminal wraps them.
    console.print(Segments(shown), crop=False, end="")


def say(text: str, *, end: str = "\n", err: bool = False) -> None:
    """Write a text to standard output or standard error, without control sequences on a terminal."""
    stream = sys.stderr if err else sys.stdout
    click.echo((for_terminal(text) if stream.isatty() else text) + end, nl=False, err=err)


def bar(share: float) -> str:
    """Return a progress bar: ``██████████░░░░░░░░░░  50 %``."""
    done = round(20 * share)
    return f"{'█' * done:░<20} {100 * share:3.0f} %"


def talk_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--quiet`` and ``--verbose``."""

    def note(context: click.Context, parameter: click.Parameter, asked: bool) -> None:
        if asked:
            context.meta["sgl.talk"] = parameter.name

    flag: dict[str, Any] = {"is_flag": True, "expose_value": False, "callback": note}
    more = click.option("-v", "--verbose", help="Print progress every second.", **flag)
    return click.option("-q", "--quiet", help="Print only results and errors.", **flag)(more(command))


def talk() -> str:
    """Return ``quiet``, ``verbose``, or an empty string if neither was given."""
    context = click.get_current_context(silent=True)
    return context.meta.get("sgl.talk", "") if context else ""


class Progress(AbstractContextManager["Progress"]):
    """A progress line on a terminal; elsewhere a line twice a minute, or every second with ``--verbose``.

    It appears after a second, and never with ``--quiet``.  The speed counts from the first report about a task: earlier
    work may come from an interrupted run.
    """

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty() and not talk()
        #: Seconds between two lines.
        self._wait = {"quiet": inf, "verbose": 1.0}.get(talk(), 0.1 if self._shown else 30.0)
        self._started = self._written = time.monotonic()
        self._what, self._begun, self._before, self._width = "", 0.0, 0, 0

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show the progress of ``what``."""
        now = time.monotonic()
        if what != self._what or done < self._before:
            self._what, self._begun, self._before = what, now, done
        if now - self._started < 1 or now - self._written < self._wait:
            return
        self._written = now
        line = f"{now - self._started:5.0f} s  {what}" + (f" {done:,} of {total:,}" if total > 1 else "")
        taken, finished = now - self._begun, done - self._before
        # A speed is meaningful after a second.
        if taken >= 1 and finished and 1 < total >= done:
            rate = finished / taken
            minutes, seconds = divmod(round((total - done) / rate), 60)
            line += f", {rate:,.0f} a second, {minutes}:{seconds:02} left"
        line = line[:78]
        if not self._shown:
            say(line, err=True)
            return
        click.echo(f"\r{line:<{self._width}}", nl=False, err=True)
        self._width = len(line)

    def clear(self) -> None:
        """Remove the line."""
        if self._width:
            click.echo("\r" + " " * self._width + "\r", nl=False, err=True)
            self._width = 0

    def __exit__(self, *_: object) -> None:
        """Remove the line on any exit."""
        self.clear()
