"""``sglc compile``: the main job, from a grammar to a verified dataset."""

from __future__ import annotations

import time
from pathlib import Path

import click

from sgl.automata import Proofs, StructureCompiler
from sgl.cli.common import compile_options, grammar_argument, progress, show
from sgl.cli.labour import LABOUR_ERRORS, labour_options, refused_labour, telling_what_is_kept
from sgl.cli.main import FAILED, OK, OUTPUT
from sgl.cli.shortage import report_shortage
from sgl.cli.summary import show_summary
from sgl.cli.verify import show_verification
from sgl.dataset import OutputError, TextTooLongError, check_target
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.frontend import Compiled
from sgl.pipeline.claims import establish
from sgl.pipeline.examples import check_examples
from sgl.pipeline.labour import Labour
from sgl.pipeline.places import place_of_stream
from sgl.pipeline.produce import Outcome, produce
from sgl.pipeline.session import open_grammar
from sgl.pipeline.warm import kernels_beside
from sgl.rendering import ConlluError, ViewError
from sgl.sampling import NotEnoughError


@click.command("compile")
@grammar_argument
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    help="Directory for the dataset.  [default: out/NAME]",
)
@labour_options
@click.option("--force", is_flag=True, help="Begin anew, whatever became of an interrupted run.")
@compile_options
def command(
    grammar: Path,
    out: Path | None,
    labour: Labour,
    settings: dict[str, str],
    form: str,
    color: str,
) -> int:
    """Prove, draw, write and verify the dataset of GRAMMAR.

    The directory is complete and verified, or it is not there: nothing is put in
    place before the last check has passed.  With --workers, --engine or --resume a run
    that is interrupted can be resumed.
    """
    started = time.monotonic()
    click.get_current_context().with_resource(kernels_beside())
    sources, diagnostics = SourceMap(), Diagnostics()
    with progress() as line:
        line("reading", 0, 1)
        compiled = open_grammar(grammar, settings, sources, diagnostics)
        target = out
        if compiled is not None:
            target = out if out is not None else Path("out") / compiled.project.name
            _check_target(target, compiled, diagnostics)
        proofs = None
        if compiled is not None and not diagnostics.errors:
            structures = StructureCompiler(compiled.grammar)
            check_examples(compiled, diagnostics)
            proofs = establish(
                compiled, structures, diagnostics, lambda name: line(f"proving {name}", 0, 1)
            )
    show(diagnostics, sources, form, color)
    if compiled is None or proofs is None or target is None or diagnostics.errors:
        written = all(found.code != "SGL0901" for found in diagnostics)
        return FAILED if written else OUTPUT
    outcome = _produce(compiled, structures, proofs, target, labour, form, color)
    if not isinstance(outcome, Outcome):
        return outcome
    if not outcome.verification.ok:
        show_verification(outcome.verification, brief=True)
        diagnostics = Diagnostics()
        diagnostics.error(
            "SGL0905", None, f"the dataset has violations; nothing was written to `{target}`"
        )
        show(diagnostics, sources, form, color)
        return FAILED
    show_summary(outcome, proofs, time.monotonic() - started)
    return OK


def _check_target(target: Path, compiled: Compiled, diagnostics: Diagnostics) -> None:
    """What would stop the compilation at its end is said at its beginning."""
    try:
        check_target(target)
    except OutputError as problem:
        _report_output(target, problem, diagnostics)
    if not compiled.grammar.graph_layers:
        diagnostics.error(
            "SGL0307",
            compiled.dataset_span,
            "a dataset is verified on its dependency graphs, but no graph layer is declared",
            hint=f"add `layer syn : graph on {compiled.plan.source}`",
        )


def _report_output(target: Path, problem: OutputError, diagnostics: Diagnostics) -> None:
    diagnostics.error(
        "SGL0901",
        None,
        f"cannot write `{target}`: {problem.reason}",
        hint="choose another directory with `--out`",
    )


def _produce(
    compiled: Compiled,
    structures: StructureCompiler,
    proofs: Proofs,
    target: Path,
    labour: Labour,
    form: str,
    color: str,
) -> Outcome | int:
    try:
        with telling_what_is_kept(target), progress() as line:
            return produce(compiled, structures, proofs, target, line, labour)
    except OutputError as problem:
        diagnostics = Diagnostics()
        _report_output(target, problem, diagnostics)
        show(diagnostics, compiled.project.sources, form, color)
        return OUTPUT
    except LABOUR_ERRORS as problem:
        return refused_labour(problem, target, labour, form, color)
    except (ConlluError, ViewError, TextTooLongError) as problem:
        diagnostics = Diagnostics()
        diagnostics.error(
            "SGL0513", compiled.dataset_span, f"a text that was drawn has no form: {problem}"
        )
        show(diagnostics, compiled.project.sources, form, color)
        return FAILED
    except NotEnoughError as problem:
        diagnostics = Diagnostics()
        report_shortage(problem, place_of_stream(compiled, problem.stratum), diagnostics)
        show(diagnostics, compiled.project.sources, form, color)
        return FAILED
