"""What the commands that read corpora share: options, progress, rows that cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from sgl.cli.common import bar, count
from sgl.cli.layers import listed
from sgl.cli.session import Session
from sgl.corpus import DIFFERENCES, Normalizer
from sgl.parsing import Parser

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


def differences(session: Session, text: str) -> list[str]:
    """Return the names after ``--normalise``, where ``all`` stands for all of them."""
    names = listed(text)
    session.check_names(names, [*DIFFERENCES, "all"], "difference")
    return list(DIFFERENCES) if "all" in names else names


def check_column(session: Session, layer: str, columns: Sequence[str]) -> None:
    """End the command if no column of the corpora has a layer that is asked for."""
    if layer not in columns:
        session.refuse(
            f"no column has the layer `{layer}`; the columns are {', '.join(columns)} "
            "(`--columns` says otherwise)"
        )


def normalizer_of(parser: Parser, allowed: Sequence[str]) -> Normalizer:
    """Return what finds other spellings of a sentence, if these differences are allowed."""
    return Normalizer(parser.grammar.text_layers[parser.layer], parser.vocabulary, allowed)


def file_bar(session: Session) -> Callable[[str, int, float], None]:
    """Return a function that shows how far the reading of a file is."""

    def advance(file: str, rows: int, share: float) -> None:
        session.progress(f"{bar(share)}  {Path(file).name}, {rows:,} rows")

    return advance


def report_unreadable(session: Session, number: int, rows: Sequence[str]) -> None:
    """Report the rows that cannot be read; ``rows`` are the first of them."""
    if number:
        notes = rows[:_NOTED]
        session.error(
            "SGL1104",
            f"{count(number, 'row')} cannot be read",
            notes=[*notes, *(["…"] if number > len(notes) else [])],
        )
