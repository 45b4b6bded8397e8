"""``sglc sample --out``: many sentences in one file."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from sgl.automata import StructureCompiler
from sgl.cli.failures import report_none
from sgl.cli.files import write_fault
from sgl.cli.main import FAILED
from sgl.cli.parallelism import resumable
from sgl.cli.session import Session
from sgl.cli.terminal import count
from sgl.core.plan import Constraint
from sgl.dataset.chunk import FormatError
from sgl.frontend import Compiled
from sgl.parallel.executor import Parallelism
from sgl.parallel.run import interrupted
from sgl.pipeline.sentence_file import FORMS, SampleRequest, write_sample


@dataclass(frozen=True)
class SampleSource:
    """What to sample: texts that meet a constraint, from one or several categories in turn."""

    starts: tuple[int, ...]
    constraint: Constraint


def write_file(
    session: Session,
    compiled: Compiled,
    source: SampleSource,
    request: SampleRequest,
    out: Path,
    parallelism: Parallelism,
) -> None:
    """Write sentences to a file."""
    started = time.monotonic()
    _check_request(session, compiled, source, request, out)
    _check_target(session, out, parallelism)
    structures = StructureCompiler(replace(compiled.grammar, start=request.start))
    try:
        with resumable(session, out, parallelism):
            split = structures.split(request.constraint)
            if split.empty:
                report_none(compiled, session.diagnostics)
                session.stop()
            write_sample(compiled, split, request, out, parallelism, session.progress)
    except OSError as problem:
        _refuse(session, out, problem)
    except FormatError as problem:
        session.fail("SGL1103", f"cannot write `{out}`: {problem}", status=FAILED)
    seconds = time.monotonic() - started
    session.echo(f"{out}: {count(request.number, 'sentence')} in {seconds:.1f} s")


def _check_request(
    session: Session, compiled: Compiled, source: SampleSource, request: SampleRequest, out: Path
) -> None:
    """End the command if no file can hold what is asked for."""
    if out.suffix not in FORMS:
        session.refuse(f"`{out}` says no format: name it .parquet or .tsv")
    unfit = [name for name in request.columns if name in ("tree", "graph")]
    if unfit:
        session.refuse(f"`{unfit[0]}` is not one line, so it cannot be a column")
    if len(source.starts) > 1:
        names = [compiled.grammar.categories[number].name for number in source.starts]
        session.refuse(f"a file has sentences of one category; name one of {', '.join(names)}")


def _check_target(session: Session, out: Path, parallelism: Parallelism) -> None:
    """End the command if something is there that may not be replaced."""
    try:
        fault, hint = write_fault(out, parallelism.force or interrupted(out))
    except OSError as problem:
        _refuse(session, out, problem)
    if fault:
        session.fail("SGL1103", fault, hint=hint)


def _refuse(session: Session, out: Path, problem: OSError) -> NoReturn:
    session.fail("SGL1103", f"cannot write `{out}`: {problem.strerror or problem}")
