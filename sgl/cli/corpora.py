"""What the commands that read corpora share: options, progress, rows that cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from sgl.cli.common import Progress, bar, count
from sgl.cli.layers import are_known, listed
from sgl.corpus import DIFFERENCES
from sgl.diagnostics import Diagnostics

_Command = TypeVar("_Command", bound=Callable[..., Any])

#: Unreadable rows that are named.
_NOTED = 10

corpora_argument = click.argument(
    "corpora", nargs=-1, required=True, type=click.Path(path_type=Path)
)


def source_option(command: _Command) -> _Command:
    """The option ``--source``: the layer of a corpus that is parsed."""
    return click.option(
        "--source", metavar="LAYER", help="The layer that is parsed.  [default: the source]"
    )(command)


def normalise_option(command: _Command) -> _Command:
    """The option ``--normalise``: the differences of spelling that are forgiven."""
    return click.option(
        "--normalise",
        metavar="LIST",
        default="",
        help=f"What to put right if need be: all, or {', '.join(DIFFERENCES)}.",
    )(command)


def differences(text: str) -> list[str] | None:
    """The names after ``--normalise``, where ``all`` stands for all; None after a message."""
    names = listed(text)
    if not are_known(names, [*DIFFERENCES, "all"], "difference"):
        return None
    return list(DIFFERENCES) if "all" in names else names


@dataclass(frozen=True)
class FileBar:
    """The progress through files, as a bar."""

    line: Progress

    def __call__(self, file: str, rows: int, share: float) -> None:
        """Say how far the reading of ``file`` is."""
        self.line(f"{bar(share)}  {Path(file).name}, {rows:,} rows", 0, 1)


def report_unreadable(number: int, rows: Sequence[str], diagnostics: Diagnostics) -> None:
    """Say which rows were not looked at; ``rows`` are the first of them."""
    if number:
        notes = rows[:_NOTED]
        diagnostics.error(
            "SGL1104",
            None,
            f"{count(number, 'row')} cannot be read",
            notes=[*notes, *(["…"] if number > len(notes) else [])],
        )
