"""``sglc compile``: the main job, from a grammar to a verified dataset."""

from __future__ import annotations

import time
from pathlib import Path

import click

from sgl.automata import Proofs, StructureCompiler
from sgl.cli.labour import LABOUR_ERRORS, labour_options, refused_labour, telling_what_is_kept
from sgl.cli.session import Session, grammar_argument, grammar_options
from sgl.cli.summary import show_summary
from sgl.cli.verify import verification_lines
from sgl.dataset import check_target
from sgl.frontend import Compiled
from sgl.pipeline.labour import Labour
from sgl.pipeline.production import Outcome, produce
from sgl.pipeline.proofs import establish
from sgl.pipeline.sentences import check_examples
from sgl.pipeline.warm import kernels_beside


@click.command("compile")
@grammar_argument
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    help="Directory for the dataset.  [default: out/NAME]",
)
@labour_options
@click.option("--force", is_flag=True, help="Start over, even if a run was interrupted.")
@grammar_options
def command(session: Session, grammar: Path, out: Path | None, labour: Labour) -> None:
    """Prove, draw, write and verify the dataset of GRAMMAR.

    The directory is complete and verified, or it is not there: nothing is put in
    place before the last check has passed.  With --workers, --engine or --resume a run
    that is interrupted can be resumed.
    """
    started = time.monotonic()
    click.get_current_context().with_resource(kernels_beside())
    session.progress("reading")
    compiled = session.open(grammar)
    target = out if out is not None else Path("out") / compiled.project.name
    # What would stop the run at its end is said before it starts.
    check_target(target)
    _check_graphs(session, compiled)
    structures = StructureCompiler(compiled.grammar)
    check_examples(compiled, session.diagnostics)
    proofs = establish(
        compiled, structures, session.diagnostics, lambda name: session.progress(f"proving {name}")
    )
    session.stop_on_errors()
    assert proofs is not None
    session.show()
    outcome = _produce(session, compiled, structures, proofs, target, labour)
    if not outcome.verification.ok:
        session.lines(verification_lines(outcome.verification, brief=True))
        session.fail("SGL0905", f"the dataset has violations; nothing was written to `{target}`")
    show_summary(session, outcome, proofs, time.monotonic() - started)


def _check_graphs(session: Session, compiled: Compiled) -> None:
    if not compiled.grammar.graph_layers:
        session.fail(
            "SGL0307",
            "a dataset is verified on its dependency graphs, but no graph layer is declared",
            compiled.dataset_span,
            hint=f"add `layer syn : graph on {compiled.plan.source}`",
        )


def _produce(
    session: Session,
    compiled: Compiled,
    structures: StructureCompiler,
    proofs: Proofs,
    target: Path,
    labour: Labour,
) -> Outcome:
    try:
        with telling_what_is_kept(target):
            return produce(compiled, structures, proofs, target, session.progress, labour)
    except LABOUR_ERRORS as problem:
        session.stop(refused_labour(problem, target, labour, session.form, session.color))
