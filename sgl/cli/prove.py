"""``sglc prove``: what the patterns claim, proved on the grammar."""

from __future__ import annotations

from pathlib import Path

import click

from sgl.automata import StructureCompiler
from sgl.cli.layers import shortened
from sgl.cli.prove_between import between_lines
from sgl.cli.prove_pattern import pattern_lines
from sgl.cli.prove_table import show_proofs
from sgl.cli.session import Session, grammar_options, json_option
from sgl.dataset import fingerprint
from sgl.diagnostics import suggest
from sgl.frontend import Compiled
from sgl.pipeline.comparison import Between
from sgl.pipeline.explanation import reasoning
from sgl.pipeline.proof_data import Drawn, comparison_data, proof_data, read_drawn
from sgl.pipeline.proofs import certificate_file, establish, known_figures


@click.command("prove")
@click.argument("grammar", type=click.Path(path_type=Path), required=False)
@click.option("--pattern", metavar="NAME", help="Show the reasoning for one pattern.")
@click.option(
    "--between",
    nargs=2,
    type=click.Path(path_type=Path),
    metavar="A B",
    help="Which structures that B tests does the training of A show?",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Show beside the expected numbers those drawn in a dataset.",
)
@click.option(
    "--certificate",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the certificate of all claims, for `sglc verify FILE`.",
)
@json_option
@grammar_options
def command(
    session: Session,
    grammar: Path | None,
    pattern: str | None,
    between: tuple[Path, Path] | None,
    data: Path | None,
    certificate: Path | None,
    as_json: bool,
) -> None:
    """Prove the claims of all patterns of GRAMMAR: held out, instance, licensed, exposed."""
    if between is not None:
        if grammar or pattern or data or certificate:
            raise click.UsageError("`--between A B` takes two grammars and nothing else")
        _between(session, between, as_json)
        return
    if grammar is None:
        raise click.UsageError("Missing argument 'GRAMMAR'.")
    if certificate is not None and pattern is not None:
        raise click.UsageError("`--certificate` is about all patterns of one grammar")
    drawn = read_drawn(data) if data is not None else None
    compiled = session.open(grammar)
    structures = StructureCompiler(compiled.grammar)
    _prove(session, compiled, structures, pattern, drawn, as_json)
    session.stop_on_errors()
    if certificate is not None:
        session.progress("writing the certificate")
        session.write(certificate, certificate_file(compiled, structures).decode("utf-8"))


def _prove(
    session: Session,
    compiled: Compiled,
    structures: StructureCompiler,
    pattern: str | None,
    drawn: Drawn | None,
    as_json: bool,
) -> None:
    names = [lowered.pattern.name for lowered in compiled.patterns]
    if pattern is not None and pattern not in names:
        hint = suggest(pattern, names) or f"there is: {shortened(names)}"
        session.refuse(f"there is no pattern `{pattern}`; {hint}")
    proofs = establish(
        compiled,
        structures,
        session.diagnostics,
        lambda name: session.progress(f"proving {name}"),
        pattern,
    )
    session.show()
    if proofs is None or session.quiet:
        return
    if drawn is not None and drawn.grammar != fingerprint(compiled.grammar, compiled.plan):
        session.echo("note: the dataset was drawn from another version of the grammar", err=True)
    if as_json:
        figures = known_figures(compiled, structures)
        session.json(proof_data(compiled, proofs, figures, drawn))
    elif pattern is not None:
        session.lines(pattern_lines(reasoning(compiled, structures, proofs.of(pattern))))
    else:
        show_proofs(session, compiled, proofs, drawn)


def _between(session: Session, paths: tuple[Path, Path], as_json: bool) -> None:
    first, second = (session.open(path) for path in paths)
    session.progress("comparing")
    between = Between(first, second)
    comparisons, departures = list(between.comparisons()), list(between.departures())
    if as_json:
        session.json(comparison_data(first, second, comparisons, departures))
    else:
        session.lines(between_lines(first, second, comparisons, departures))
