"""Options of commands that divide their work: workers, an engine, resuming."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from sgl.cli.main import FAILED, OUTPUT
from sgl.cli.messages import show
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.parallel.executor import ENGINES, LOCAL, WorkerLostError
from sgl.parallel.run import BusyRunError, InterruptedRunError, interrupted
from sgl.pipeline.labour import Labour

_Command = TypeVar("_Command", bound=Callable[..., Any])

#: More processes than that is a slip of the keyboard.
_MOST_WORKERS = 1_024


#: What can be wrong with workers and interrupted runs.
LABOUR_ERRORS = (InterruptedRunError, WorkerLostError, ImportError)


def refused_labour(problem: Exception, out: Path, labour: Labour, form: str, color: str) -> int:
    """Say what stands against a run, and what to do; the exit code."""
    message, hint = f"`{out}`: {problem}", ""
    if isinstance(problem, InterruptedRunError) and not isinstance(problem, BusyRunError):
        hint = "`--resume` goes on with it, `--force` begins anew"
        if labour.resume:
            message = f"the interrupted run of `{out}` cannot be resumed: {problem}"
            hint = "`--force` begins anew"
    elif interrupted(out) and not isinstance(problem, BusyRunError):
        hint = "what is finished is kept, and `--resume` goes on with it"
    diagnostics = Diagnostics()
    diagnostics.error("SGL0902", None, message, hint=hint)
    show(diagnostics, SourceMap(), form, color)
    return OUTPUT if isinstance(problem, InterruptedRunError) else FAILED


@contextmanager
def telling_what_is_kept(out: Path) -> Iterator[None]:
    """Say what an interruption from the keyboard leaves behind."""
    try:
        yield
    except KeyboardInterrupt:
        if interrupted(out):
            click.echo("what is finished is kept; `--resume` goes on with it", err=True)
        raise


def _check(labour: Labour) -> None:
    """Refuse options that say nothing together, or contradict one another."""
    if labour.scheduler and labour.engine == LOCAL:
        raise click.UsageError("--scheduler is the address of a cluster: add --engine dask")
    chosen = click.get_current_context().get_parameter_source("workers")
    if labour.scheduler and chosen is not ParameterSource.DEFAULT:
        raise click.UsageError("the cluster of --scheduler has its workers; leave --workers out")
    if labour.resume and labour.force:
        raise click.UsageError("--resume goes on with a run and --force begins anew: choose one")


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
        _check(labour)
        return command(*arguments, labour=labour, **others)

    options: Any = gathered
    for decorate in (
        click.option(
            "--resume", is_flag=True, help="Go on with an interrupted run, if there is one."
        ),
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
