"""``sglc compile``: the main job, from a grammar to a verified dataset."""

import time
from pathlib import Path

import click

from sgl.automata import Proofs
from sgl.automata.proofs.compiler import structures_of
from sgl.cli.files import DIRECTORY, in_out
from sgl.cli.options import named_values
from sgl.cli.parallelism import parallel_options, resumable
from sgl.cli.session import Session, grammar_argument, grammar_options, level_options
from sgl.dataset import check_target, computed, fingerprint, remarks, string_figures
from sgl.frontend import Compiled
from sgl.lang.packed import LARGEST_SEED
from sgl.parallel.executor import Parallelism
from sgl.pipeline.kernels import compiling_kernels
from sgl.pipeline.produced import ProducedDataset
from sgl.pipeline.production import produce
from sgl.pipeline.proofs import establish, with_needs
from sgl.pipeline.variants import is_part, listed, write_variants


@click.command("compile")
@grammar_argument
@click.option("-o", "--out", type=DIRECTORY, help="Write the dataset to this directory.  [default: out/NAME]")
@click.option(
    "--variants",
    multiple=True,
    metavar="NAME=VALUE,…",
    callback=named_values,
    help="Also write training sets of other settings, for the same gen (repeatable).",
)
@click.option("--seed", type=click.IntRange(0, LARGEST_SEED), help="Random seed.  [default: the grammar's]")
@parallel_options
@click.option("--force", is_flag=True, help="Start over, even if a run was interrupted or nothing has changed.")
@level_options
@grammar_options
def command(
    session: Session,
    grammar: Path,
    out: Path | None,
    variants: dict[str, str],
    seed: int | None,
    parallelism: Parallelism,
) -> None:
    """Prove, sample, write and verify the dataset of GRAMMAR.

    Either the whole directory is written and verified, or nothing is: it is put in place after the last check.
    With --workers, --engine or --resume, an interrupted run can be resumed.
    """
    started = time.monotonic()
    session.progress("reading")
    given, others = session.settings, dict[str, Compiled]()
    for name, value in ((name, value) for name, values in variants.items() for value in values.split(",")):
        session.settings = {**given, name: value}
        others[f"{name}={value}"] = session.open_dataset(grammar).with_seed(seed)
    session.settings = given
    compiled = session.open_dataset(grammar).with_seed(seed)
    base = fingerprint(compiled.grammar, compiled.plan) if others else ""
    others = {name: other for name, other in others.items() if fingerprint(other.grammar, other.plan) != base}
    for name, other in others.items():
        if not is_part(other, compiled):
            session.refuse(f"`{name}` is not a part of the dataset: its patterns, rules or restrictions differ")
    target = out if out is not None else in_out(compiled.project.name)
    # Report before the run what would stop it at the end.
    check_target(target)
    beside = target.with_name(f"{target.name}.variants")
    if others:
        check_target(beside, listed)
    produced, proofs = prove_and_produce(session, compiled, target, parallelism)
    strings, seconds = string_figures(produced.manifest).sentence, time.monotonic() - started
    made = write_variants(target, beside, with_needs(compiled, proofs), others) if others else []
    found = {"produced": produced, "proofs": proofs, "strings": strings, "seconds": seconds}
    found |= {"remarks": remarks(produced.manifest, fewer=True), "computed": computed(produced.manifest)}
    session.present("compile.j2", "sgl.cli", **found, variants=made, beside=beside)


def prove_and_produce(
    session: Session, compiled: Compiled, target: Path, parallelism: Parallelism
) -> tuple[ProducedDataset, Proofs]:
    """Write the verified dataset of a grammar to ``target``; end the command on failure."""
    structures = structures_of(compiled.grammar)
    with compiling_kernels(sum(stratum.count for stratum in compiled.plan.strata)) as ready:
        proofs = establish(compiled, structures, session.diagnostics, session.proving)
        session.stop_on_errors()
        assert proofs is not None
        compiled = with_needs(compiled, proofs)
        session.show()
        with resumable(session, target, parallelism):
            produced = produce(compiled, structures, proofs, target, session.progress, parallelism, ready)
    if not produced.verification.ok:
        session.present("verify.j2", report=produced.verification, brief=True)
        session.fail("SGL0905", f"the dataset has violations; nothing was written to `{target}`")
    session.diagnostics.extend(produced.losses)
    return produced, proofs
