"""Options of commands that divide their work: workers, an engine, resuming."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

from sgl.build.sampled import Labour
from sgl.shards.executor import ENGINES, LOCAL

_Command = TypeVar("_Command", bound=Callable[..., Any])

#: More processes than that is a slip of the keyboard.
_MOST_WORKERS = 1_024


def labour_options(command: _Command) -> _Command:
    """The options ``--workers``, ``--engine``, ``--scheduler``, ``--resume``, as ``labour``."""

    @wraps(command)
    def gathered(
        *arguments: object,
        workers: int,
        engine: str,
        scheduler: str,
        resume: bool,
        force: bool = False,
        **others: object,
    ) -> object:
        labour = Labour(workers, engine, scheduler, resume, force)
        return command(*arguments, labour=labour, **others)

    options: Any = gathered
    for decorate in (
        click.option("--resume", is_flag=True, help="Go on with an interrupted run."),
        click.option(
            "--scheduler",
            default="",
            metavar="ADDRESS",
            help="A Dask cluster that runs already, as tcp://host:8786.",
        ),
        click.option(
            "--engine",
            type=click.Choice(ENGINES),
            default=LOCAL,
            show_default=True,
            help="Where workers run: on this machine, or on a cluster of Dask.",
        ),
        click.option(
            "--workers",
            type=click.IntRange(min=1, max=_MOST_WORKERS),
            default=1,
            show_default=True,
            help="How many processes do the work; the result is the same.",
        ),
    ):
        options = decorate(options)
    result: _Command = options
    return result
