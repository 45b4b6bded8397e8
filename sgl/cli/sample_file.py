"""``sglc sample --out``: many sentences in one file."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import click

from sgl.automata import SplitGrammar, StructureCompiler
from sgl.cli.common import count, progress, show
from sgl.cli.failures import report_none, report_shortage
from sgl.cli.labour import LABOUR_ERRORS, refused_labour, telling_what_is_kept
from sgl.cli.main import FAILED, OK, OUTPUT, USAGE
from sgl.core.plan import Constraint
from sgl.diagnostics import Diagnostics
from sgl.frontend import Compiled
from sgl.parallel.run import interrupted
from sgl.pipeline.labour import Labour
from sgl.pipeline.messages import deciding
from sgl.pipeline.sentence_file import SampleRequest, write_sample
from sgl.sampling import NotEnoughError

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
    fault = _fault(compiled, wanted, out)
    if out is None or fault:
        click.echo(f"error: {fault}", err=True)
        return USAGE
    diagnostics = Diagnostics()
    status = _written(compiled, wanted, out, labour, diagnostics)
    if isinstance(status, Exception):
        return refused_labour(status, out, labour, form, color)
    show(diagnostics, compiled.project.sources, form, color)
    if status == OK:
        seconds = time.monotonic() - started
        click.echo(f"{out}: {count(wanted.number, 'sentence')} in {seconds:.1f} s")
    return status


def _written(
    compiled: Compiled, wanted: Wanted, out: Path, labour: Labour, diagnostics: Diagnostics
) -> int | Exception:
    """The exit code after writing the sentences, or what stands against the run."""
    if not _may_write(out, labour, diagnostics):
        return OUTPUT
    start = wanted.chosen.starts[0]
    request = SampleRequest(
        start,
        wanted.chosen.constraint,
        wanted.number,
        compiled.plan.seed if wanted.seed is None else wanted.seed,
        wanted.columns,
        _FORMS[out.suffix],
        wanted.distinct,
    )
    splits: list[SplitGrammar] = []
    with telling_what_is_kept(out), progress() as line:
        with deciding(compiled, diagnostics):
            structures = StructureCompiler(replace(compiled.grammar, start=start))
            splits.append(structures.split(request.constraint))
        if not splits:
            return FAILED
        if splits[0].empty:
            report_none(compiled, diagnostics)
            return FAILED
        return _write(compiled, splits[0], request, out, labour, line, diagnostics)


def _fault(compiled: Compiled, wanted: Wanted, out: Path | None) -> str:
    """What is wrong with the command line; empty if nothing is."""
    if out is None:
        return "these options are for a file; name one with `--out`"
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
    return ""


def _may_write(out: Path, labour: Labour, diagnostics: Diagnostics) -> bool:
    """Whether nothing is there that may not be replaced; reports it otherwise."""
    fault, hint = "", ""
    try:
        if out.is_dir():
            fault = f"cannot write `{out}`: it is a directory"
        elif out.exists() and not labour.force and not interrupted(out):
            fault, hint = f"`{out}` is there already", "`--force` replaces it"
    except OSError as problem:
        fault = _refusal(out, problem)
    if fault:
        diagnostics.error("SGL1103", None, fault, hint=hint)
    return not fault


def _refusal(out: Path, problem: OSError) -> str:
    return f"cannot write `{out}`: {problem.strerror or problem}"


def _write(
    compiled: Compiled,
    split: SplitGrammar,
    request: SampleRequest,
    out: Path,
    labour: Labour,
    stage: Callable[[str, int, int], None],
    diagnostics: Diagnostics,
) -> int | Exception:
    try:
        write_sample(compiled, split, request, out, labour, stage)
    except NotEnoughError as problem:
        report_shortage(problem, compiled.dataset_span, diagnostics)
        return FAILED
    except LABOUR_ERRORS as problem:
        return problem
    except OSError as problem:
        diagnostics.error("SGL1103", None, _refusal(out, problem))
        return OUTPUT
    except ValueError as problem:
        from sgl.parallel.sentences import FormatError

        if not isinstance(problem, FormatError):
            raise
        diagnostics.error("SGL1103", None, f"cannot write `{out}`: {problem}")
        return FAILED
    return OK
