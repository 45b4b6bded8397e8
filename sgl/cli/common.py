"""What commands shared before they had a session; see :mod:`sgl.cli.session`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from sgl.cache import open_cache, using
from sgl.cli.messages import FORMATS, one_document, show
from sgl.cli.terminal import Progress, bar, count, print_table

__all__ = [
    "FORMATS",
    "Progress",
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


def grammar_argument(command: _Command) -> _Command:
    """Return the argument GRAMMAR."""
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
    """Return how diagnostics look: ``--color`` and ``--format``."""

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
    """Return the option ``--no-cache``; without it the command uses the user's cache."""
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


@contextmanager
def progress() -> Iterator[Progress]:
    """Yield a progress line that is gone afterwards, whatever happens."""
    from sgl.accel import announcing

    line = Progress()
    try:
        with announcing(lambda: line("compiling machine code (once)", 0, 1)):
            yield line
    finally:
        line.clear()
