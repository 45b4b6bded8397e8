"""A small sample to be made by any workers, and tasks that go wrong."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

from sampling import plan_of, tables_of
from toy import TOY

from sgl.parallel.dataset import PARQUET, SentenceWork, Sizes, sample_into
from sgl.parallel.executor import Executor, Function, InProcess, Parallelism, Task, open_executor, open_run

ALONE = Parallelism()
SIZES = Sizes(chunk=700, batch=2_000, segment=1_000)


def sample_work(form: str = PARQUET, number: int = 3_000) -> SentenceWork:
    """Distinct sentences of the toy grammar in two languages."""
    plan = plan_of({"sample": number}, lemmas=("NOUN",), sentences=True)
    return SentenceWork(tables_of(TOY, plan=plan), TOY, ("en", "ja"), form)


def sampled(
    target: Path,
    parallelism: Parallelism = ALONE,
    executor: Executor | None = None,
    form: str = PARQUET,
    sizes: Sizes = SIZES,
) -> bytes:
    """The file that a run makes, with these options or on this executor."""
    work = sample_work(form)
    with open_run(target, {}, parallelism) as run:
        if executor is not None:
            sample_into(target, work, executor, run, lambda *_: None, sizes)
        else:
            with open_executor(work, parallelism) as opened:
                sample_into(target, work, opened, run, lambda *_: None, sizes)
        run.discard()
    return target.read_bytes()


class PowerCut(OSError):
    """The power goes off."""


class Failing(InProcess):
    """Stops the run at some task, and remembers the tasks before it."""

    def __init__(self, last: int = 1_000_000) -> None:
        super().__init__(sample_work())
        self.last = last
        self.done: list[str] = []

    def submit(self, function: Function, *arguments: object) -> Task:
        if len(self.done) == self.last:
            raise PowerCut
        self.done.append(function.__name__)
        return super().submit(function, *arguments)


def added(work: int, number: int) -> int:
    return work + number


def failing(work: int) -> None:
    raise ValueError(f"not with {work}")


def dying_once(work: Path, number: int) -> int:
    """Kill the process that does this, but only the first time."""
    if not work.exists():
        work.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def dying(_work: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Unloadable:
    """Cannot be loaded by a worker."""

    def __reduce__(self) -> tuple[Callable[[], object], tuple[()]]:
        return unloadable, ()


def unloadable() -> object:
    raise ImportError("no such work")
