"""``sglc compile``: the main job, from a grammar to a verified dataset."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from sgl.automata import Proofs, StructureCompiler
from sgl.cli.files import DIRECTORY
from sgl.cli.levels import level_options
from sgl.cli.parallelism import parallel_options, resumable
from sgl.cli.session import Session, grammar_argument, grammar_options
from sgl.cli.terminal import count, text_table
from sgl.cli.verify import verification_lines
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
    show_summary(session, produced, proofs, time.monotonic() - started)


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
        session.lines(verification_lines(produced.verification, brief=True))
        session.fail("SGL0905", f"the dataset has violations; nothing was written to `{target}`")
    session.diagnostics.extend(produced.losses)
    return produced, proofs


def show_summary(session: Session, produced: ProducedDataset, proofs: Proofs, seconds: float) -> None:
    """Show the splits, the patterns with their verdicts, and where the dataset is."""
    session.table(_splits(produced.manifest))
    session.echo()
    session.table(_patterns(produced.manifest, proofs))
    session.echo()
    report = produced.verification
    passed = sum(result.status == "passed" for result in report.results)
    skipped = sum(result.status == "skipped" for result in report.results)
    violations = sum(result.total for result in report.results)
    proved = sum(pattern.proved for pattern in proofs.patterns)
    session.echo(
        f"proved    {proved} of {count(len(proofs.patterns), 'pattern')}: "
        "held out, instance, licensed, exposed, disjoint"
    )
    session.echo(
        f"verified  {passed} of {count(len(report.results), 'check')} on "
        f"{count(report.items, 'item')} ({count(report.shapes, 'graph shape')}): "
        f"{count(violations, 'violation')}; `sglc verify` makes {skipped} more"
    )
    for need in proofs.drawn:
        session.echo(
            f"drawn     {count(need.count, 'sentence')} of train because `{need.pattern}` needs "
            f"them ({need.expected:,.1f} expected): {need.structure}"
        )
    session.echo(f"strings   {string_figures(produced.manifest).sentence}")
    session.echo(f"dataset   {produced.directory} (open report.html)")
    session.echo(f"signature {produced.signature}")
    session.echo(f"time      {seconds:.1f} s")


def _splits(manifest: Mapping[str, Any]) -> Table:
    kinds = {"in distribution": "in_distribution", "exposures": "exposure:"}
    if manifest["parts"]:
        kinds["parts"] = "part:"
    numbers = ("items", *kinds, "ambiguous", "accepted")
    table = text_table("split", *numbers, right=numbers)
    for split, entry in manifest["splits"].items():
        strata = entry["strata"]
        counts = [sum(s["count"] for s in strata if s["category"].startswith(prefix)) for prefix in kinds.values()]
        candidates = sum(s["candidates"] for s in strata)
        share = _accepted(strata) / candidates if candidates else 1.0
        cells = (f"{number:,}" for number in (entry["items"], *counts))
        table.add_row(split, *cells, _ambiguous(strata), f"{100 * share:.1f} %")
    return table


def _accepted(strata: Sequence[Mapping[str, Any]]) -> int:
    """Return the number of items without their copies."""
    return sum(stratum["count"] // stratum.get("copies", 1) for stratum in strata)


def _patterns(manifest: Mapping[str, Any], proofs: Proofs) -> Table:
    numbers = ("items", "exposed", "mass", "in train", "ambiguous", "accepted")
    table = text_table("pattern", *numbers, right=numbers, no_wrap=True)
    strata = [s for entry in manifest["splits"].values() for s in entry["strata"]]
    for pattern in proofs.patterns:
        own = [s for s in strata if s["category"] == pattern.name]
        exposed = [s for s in strata if s["category"] == f"exposure:{pattern.name}"]
        items, candidates = sum(s["count"] for s in own), sum(s["candidates"] for s in own)
        before = sum(claim.mass for claim in pattern.held_out)
        after = sum(claim.train_mass for claim in pattern.held_out)
        table.add_row(
            pattern.name,
            f"{items:,}",
            f"{sum(s['count'] for s in exposed):,}" if exposed else "–",
            f"{before:.1e}",
            f"{after:.1e}" if after else "0",
            _ambiguous([*own, *exposed]),
            f"{100 * _accepted(own) / candidates:.1f} %" if candidates else "–",
        )
    return table


def _ambiguous(strata: Sequence[Mapping[str, Any]]) -> str:
    """Return how many strings have readings that matter; ``?`` if none was parsed."""
    parsed = [s["readings"]["ambiguous"] for s in strata if s["readings"] is not None]
    return f"{sum(parsed):,}" if parsed or not strata else "?"
