"""``sglc compile``: the main job, from a grammar to a verified dataset."""

import time
from pathlib import Path

import click

from sgl.automata import Proofs, StructureCompiler
from sgl.cli.files import DIRECTORY
from sgl.cli.levels import level_options
from sgl.cli.parallelism import parallel_options, resumable
from sgl.cli.session import Session, grammar_argument, grammar_options
from sgl.dataset import check_target, string_figures
from sgl.frontend import Compiled
from sgl.parallel.executor import Parallelism
from sgl.pipeline.kernels import compiling_kernels
from sgl.pipeline.production import ProducedDataset, produce, unverifiable
from sgl.pipeline.proofs import certificate_file, establish, with_needs


@click.command("compile")
@grammar_argument
@click.option("-o", "--out", type=DIRECTORY, help="Directory for the dataset.  [default: out/NAME]")
@parallel_options
@click.option("--force", is_flag=True, help="Start over, even if a run was interrupted.")
@level_options
@grammar_options
def command(session: Session, grammar: Path, out: Path | None, parallelism: Parallelism) -> None:
    """Prove, sample, write and verify the dataset of GRAMMAR.

    The directory is complete and verified, or it is not there: nothing is put in place before the last check has
    passed.  With --workers, --engine or --resume a run that is interrupted can be resumed.
    """
    started = time.monotonic()
    session.progress("reading")
    compiled = session.open_dataset(grammar)
    target = out if out is not None else Path("out") / compiled.project.name
    # What would stop the run at its end is said before it starts.
    check_target(target)
    produced, proofs = prove_and_produce(session, compiled, target, parallelism)
    strings, seconds = string_figures(produced.manifest).sentence, time.monotonic() - started
    session.present("compile.j2", produced=produced, proofs=proofs, strings=strings, seconds=seconds)


def prove_and_produce(
    session: Session, compiled: Compiled, target: Path, parallelism: Parallelism
) -> tuple[ProducedDataset, Proofs]:
    """Write the verified dataset of a grammar to ``target``; end the command if that fails."""
    if not compiled.grammar.graph_layers:
        session.diagnostics.add(unverifiable(compiled))
        session.stop()
    structures = StructureCompiler(compiled.grammar)
    with compiling_kernels(sum(stratum.count for stratum in compiled.plan.strata)):
        proofs = establish(compiled, structures, session.diagnostics, session.proving)
        session.stop_on_errors()
        assert proofs is not None
        compiled = with_needs(compiled, proofs)
        session.progress("writing the certificate")
        certificate = certificate_file(compiled, structures)
    session.show()
    with resumable(session, target, parallelism):
        produced = produce(compiled, structures, proofs, target, session.progress, parallelism, certificate)
    if not produced.verification.ok:
        session.present("verify.j2", report=produced.verification, brief=True)
        session.fail("SGL0905", f"the dataset has violations; nothing was written to `{target}`")
    session.diagnostics.extend(produced.losses)
    return produced, proofs
