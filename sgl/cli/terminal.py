"""Numbers, tables and progress in a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.table import Table

#: Seconds after which a speed says something.
_TELLING = 1.0

#: Cells of a progress bar.
_BAR = 20

#: Columns for tables that go to a file or a pipe.
_WIDE = 160


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: ``1 error``, ``2 errors``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def number_table(first: str | tuple[str, ...], *numbers: str) -> Table:
    """Return an empty table without lines: columns of text, then columns of numbers."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in (first,) if isinstance(first, str) else first:
        table.add_column(title)
    for title in numbers:
        table.add_column(title, justify="right")
    return table


def print_table(table: Table) -> None:
    """Write a table to standard output; only a terminal limits its width."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else _WIDE
    # Columns that need more are not cut off: the terminal goes on in the next line.
    Console(highlight=False, width=width).print(table, crop=False)


def bar(share: float) -> str:
    """Return how much of a whole is done: ``██████████░░░░░░░░░░  50 %``."""
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
    """Give a progress line that is gone afterwards, whatever happens."""
    line = Progress()
    try:
        yield line
    finally:
        line.clear()
