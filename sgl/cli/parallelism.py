"""Options of commands that divide their work, and messages when the work cannot go on.

They are in a module of their own because running tasks takes longer to load than most commands.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from sgl.cli.main import FAILED, OUTPUT
from sgl.cli.session import Session
from sgl.foreign import ForeignFileError
from sgl.parallel import executor

#: Maximum number of workers; a greater one is probably a typo.
_MOST_WORKERS = 1_024


def parallel_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--workers``, ``--engine``, ``--scheduler`` and ``--resume`` as ``parallelism``.

    The command must define ``--force`` itself.
    """

    @click.option(
        "--workers",
        type=click.IntRange(min=1, max=_MOST_WORKERS),
        default=1,
        help="Number of processes; the result does not depend on it.",
    )
    @click.option(
        "--engine",
        type=click.Choice(executor.ENGINES),
        default=executor.LOCAL,
        help="Where the workers run: on this machine or on a Dask cluster.",
    )
    @click.option(
        "--scheduler",
        default="",
        show_default=False,
        metavar="ADDRESS",
        help="Address of a running Dask cluster, such as tcp://host:8786.",
    )
    @click.option("--resume", is_flag=True, help="Continue an interrupted run, if any.")
    @wraps(command)
    def gathered(workers: int, engine: str, scheduler: str, resume: bool, force: bool, **others: object) -> object:
        chosen = click.get_current_context().get_parameter_source("workers")
        if scheduler and engine == executor.LOCAL:
            raise click.UsageError("--scheduler is the address of a cluster: add --engine dask")
        if scheduler and chosen is not ParameterSource.DEFAULT:
            message = "the cluster at --scheduler brings its own workers; leave out --workers"
            raise click.UsageError(message)
        if resume and force:
            raise click.UsageError("--resume continues a run and --force starts over: choose one")
        return command(parallelism=executor.Parallelism(workers, engine, scheduler, resume, force), **others)

    return gathered


@contextmanager
def resumable(session: Session, out: Path, parallelism: executor.Parallelism) -> Iterator[None]:
    """Report why the run that makes ``out`` stopped, and what can be resumed."""
    from sgl.dataset import OutputError

    kept = f"finished work is kept in `{executor.partial_folder(out).name}`"
    try:
        yield
    except KeyboardInterrupt:
        if executor.interrupted(out):
            session.echo(f"{kept}; `--resume` continues it", err=True)
        raise
    except executor.InterruptedRunError as problem:
        message, hint = f"`{out}`: {problem}", ""
        if not isinstance(problem, executor.BusyRunError):
            hint = "`--resume` continues it, `--force` starts over"
            if parallelism.resume:
                message = f"the interrupted run of `{out}` cannot be resumed: {problem}"
                hint = "`--force` starts over"
        session.fail("SGL0902", message, hint=hint, status=OUTPUT)
    except ModuleNotFoundError:
        raise
    except (executor.WorkerLostError, ImportError) as problem:
        hint = f"{kept}, and `--resume` continues it" if executor.interrupted(out) else ""
        session.fail("SGL0902", f"`{out}`: {problem}", hint=hint, status=FAILED)
    except (OSError, OutputError) as problem:
        # An unreadable file is not the fault of the run.
        if isinstance(problem, ForeignFileError) or not executor.interrupted(out):
            raise
        reason = problem.reason if isinstance(problem, OutputError) else problem.strerror or str(problem)
        hint = f"{kept}: `--resume` continues it, `--force` starts over, and you may delete the folder"
        session.fail("SGL0901", f"cannot write `{out}`: {reason}", hint=hint, status=OUTPUT)
