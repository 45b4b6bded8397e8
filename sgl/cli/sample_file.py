"""``sglc sample --out``: many sentences in one file."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import click

from sgl.automata import SplitGrammar, StructureCompiler
from sgl.build.deciding import deciding
from sgl.build.labour import Labour
from sgl.build.sampled import Request, write_sample
from sgl.cli.common import count, progress, show
from sgl.cli.labour import LABOUR_ERRORS, refused_labour, telling_what_is_kept
from sgl.cli.main import FAILED, OK, OUTPUT, USAGE
from sgl.compile import Compiled
from sgl.core.plan import Constraint
from sgl.diagnostics import Diagnostics
from sgl.sample import NotEnoughError
from sgl.shards.journal import interrupted, partial_folder

#: What the ends of file names say.
_FORMS = {".tsv": "tsv", ".parquet": "parquet"}


@dataclass(frozen=True)
class Chosen:
    """What to draw: texts that meet a constraint, from one or several categories in turn."""

    starts: tuple[int, ...]
    constraint: Constraint


@dataclass(frozen=True)
class Wanted:
    """What the command line asks for."""

    chosen: Chosen
    number: int
    seed: int | None
    columns: tuple[str, ...]
    distinct: bool
    pairs: bool


def write_file(
    compiled: Compiled, wanted: Wanted, out: Path | None, labour: Labour, form: str, color: str
) -> int:
    """Write sentences to a file; the exit code."""
    started = time.monotonic()
    if out is None:
        return _refused(USAGE, "these options are for a file; name one with `--out`")
    fault = _fault(compiled, wanted, out, labour)
    if fault:
        return _refused(USAGE, fault)
    start = wanted.chosen.starts[0]
    request = Request(
        start,
        wanted.chosen.constraint,
        wanted.number,
        compiled.plan.seed if wanted.seed is None else wanted.seed,
        wanted.columns,
        _FORMS[out.suffix],
        wanted.distinct,
    )
    undecided = Diagnostics()
    splits: list[SplitGrammar] = []
    with telling_what_is_kept(out), progress() as line:
        with deciding(compiled, undecided):
            structures = StructureCompiler(replace(compiled.grammar, start=start))
            splits.append(structures.split(request.constraint))
        if undecided.errors:
            line.clear()
            show(undecided, compiled.project.sources, form, color)
            return FAILED
        if splits[0].empty:
            click.echo("no sentence of the grammar qualifies; `sglc prove` says why", err=True)
            return FAILED
        status = _write(compiled, splits[0], request, out, labour, line)
    if status == OK:
        seconds = time.monotonic() - started
        click.echo(f"{out}: {count(wanted.number, 'sentence')} in {seconds:.1f} s")
    return status


def _fault(compiled: Compiled, wanted: Wanted, out: Path, labour: Labour) -> str:
    """What is wrong with the command line; empty if nothing is."""
    if out.suffix not in _FORMS:
        return f"`{out}` says no format: name it .parquet or .tsv"
    if wanted.pairs:
        return "pairs are shown, not written to a file"
    unfit = [name for name in wanted.columns if name in ("tree", "graph")]
    if unfit:
        return f"`{unfit[0]}` is not one line, so it cannot be a column"
    if len(wanted.chosen.starts) > 1:
        names = [compiled.grammar.categories[number].name for number in wanted.chosen.starts]
        return f"a file has sentences of one category; name one of {', '.join(names)}"
    try:
        return _in_the_way(out, labour)
    except OSError as problem:
        return f"cannot write `{out}`: {problem.strerror or problem}"


def _in_the_way(out: Path, labour: Labour) -> str:
    """What is there already and may not be replaced; empty if nothing is."""
    if out.is_dir():
        return f"cannot write `{out}`: it is a directory"
    if out.exists() and not labour.force and not interrupted(partial_folder(out)):
        return f"`{out}` is there already; `--force` replaces it"
    return ""


def _write(
    compiled: Compiled,
    split: SplitGrammar,
    request: Request,
    out: Path,
    labour: Labour,
    stage: Callable[[str, int, int], None],
) -> int:
    try:
        write_sample(compiled, split, request, out, labour, stage)
    except NotEnoughError as problem:
        return _refused(FAILED, problem.reason)
    except LABOUR_ERRORS as problem:
        return refused_labour(problem, out, labour)
    except OSError as problem:
        return _refused(OUTPUT, f"cannot write `{out}`: {problem.strerror or problem}")
    except ValueError as problem:
        from sgl.shards.sentences import FormatError

        if not isinstance(problem, FormatError):
            raise
        return _refused(FAILED, str(problem))
    return OK


def _refused(status: int, reason: str) -> int:
    click.echo(f"error: {reason}", err=True)
    return status
