"""What commands without a session share; new ones use :mod:`sgl.cli.session`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

from sgl.cli.messages import FORMATS, one_document, show
from sgl.cli.terminal import Progress, bar, count, print_table, progress

__all__ = ["Progress", "bar", "count", "message_options", "print_table", "progress", "show"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


def message_options(command: _Command) -> _Command:
    """Add ``--color`` and ``--format`` to a command."""

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
            help="Colour messages; NO_COLOR switches colours off.",
        ),
        click.option(
            "--format",
            "form",
            type=click.Choice(FORMATS),
            default="full",
            show_default=True,
            help="The form of diagnostics.",
        ),
    ):
        options = decorate(options)
    result: _Command = options
    return result
