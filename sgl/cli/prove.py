"""``sglc prove``: what the patterns claim, proved on the grammar."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from sgl.automata import Licence, StructureCompiler
from sgl.cli.files import CERTIFICATE, FILE, GRAMMAR, force_option
from sgl.cli.levels import level_options
from sgl.cli.prove_pattern import PatternText
from sgl.cli.session import Session, grammar_options, json_option
from sgl.core.interpret import interpret
from sgl.dataset import fingerprint, plain
from sgl.frontend import Compiled
from sgl.pipeline.comparison import Between, Comparison, Departure
from sgl.pipeline.proofs import certificate_file, establish, known_figures, with_needs
from sgl.pipeline.report import DatasetCounts, proof_data, read_counts


@click.command("prove")
@click.argument("grammar", type=GRAMMAR, required=False)
@click.option("--pattern", metavar="NAME", help="Show the reasoning about one pattern.")
@click.option(
    "--between",
    nargs=2,
    type=GRAMMAR,
    metavar="A B",
    help="Compare: which structures that B tests are in the training of A?",
)
@click.option("--data", type=FILE, metavar="DIR", help="Show the counts of a dataset next to the expected ones.")
@click.option(
    "--certificate",
    type=CERTIFICATE,
    metavar="FILE",
    help="Write the certificate of all claims, for `sglc verify FILE`.",
)
@force_option
@json_option
@level_options
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
        show_between(session, between, as_json)
        return
    if grammar is None:
        raise click.UsageError("Missing argument 'GRAMMAR'.")
    if certificate is not None and pattern is not None:
        raise click.UsageError("`--certificate` is about all patterns of one grammar")
    drawn = read_counts(data) if data is not None else None
    compiled = session.open_dataset(grammar)
    structures = StructureCompiler(compiled.grammar)
    compiled = _prove(session, compiled, structures, pattern, drawn, as_json)
    session.stop_on_errors()
    if certificate is not None:
        session.progress("writing the certificate")
        session.write(certificate, certificate_file(compiled, structures).content.decode("utf-8"))


def _prove(
    session: Session,
    compiled: Compiled,
    structures: StructureCompiler,
    pattern: str | None,
    drawn: DatasetCounts | None,
    as_json: bool,
) -> Compiled:
    names = [lowered.pattern.name for lowered in compiled.patterns]
    session.check_names([pattern], names, "pattern")
    proofs = establish(compiled, structures, session.diagnostics, session.proving, pattern)
    session.show()
    compiled = compiled if proofs is None else with_needs(compiled, proofs)
    if proofs is None or session.quiet:
        return compiled
    if drawn is not None and drawn.grammar != fingerprint(compiled.grammar, compiled.plan):
        session.echo("note: the dataset was drawn from another version of the grammar", err=True)
    if as_json:
        session.json(proof_data(compiled, proofs, known_figures(compiled, structures), drawn))
    elif pattern is not None:
        session.present("prove_pattern.j2", **PatternText(compiled, structures, proofs.of(pattern)).told())
    else:
        titles = {pattern.name: pattern.title for pattern in compiled.plan.patterns}
        errors = session.diagnostics.errors
        session.present("prove.j2", proofs=proofs, titles=titles, drawn=drawn, rarest=_rarest, errors=errors)
    return compiled


def _rarest(needs: Sequence[Licence]) -> Licence | None:
    """Return the part that will be rarest, for the number that is asked for."""
    return min(needs, key=lambda need: need.expected / max(need.minimum, 1), default=None)


def show_between(session: Session, paths: tuple[Path, Path], as_json: bool) -> None:
    """Compare two grammars, and show the result in words or as JSON."""
    first, second = (session.open(path) for path in paths)
    session.progress("comparing")
    between = Between(first, second)
    comparisons, departures = list(between.comparisons()), list(between.departures())
    if as_json:
        data = {
            "training": first.project.name,
            "tests": second.project.name,
            "structures": [_data(first, row) for row in comparisons],
            "departures": [_data(first, departure) for departure in departures],
        }
        session.json(data)
    else:
        texts = partial(_texts, first)
        session.present("between.j2", first=first, second=second, rows=comparisons, departures=departures, texts=texts)


def _data(compiled: Compiled, found: Comparison | Departure) -> dict[str, Any]:
    """Return the fields of something found as plain data, its derivation as texts."""
    data: dict[str, Any] = plain(found)
    del data["derivation"]
    return {**data, "witness": _texts(compiled, found)}


def _texts(compiled: Compiled, found: Comparison | Departure) -> tuple[str, ...]:
    """Return the sentence that shows something, in each layer; nothing if there is none."""
    return interpret(compiled.grammar, found.derivation).texts if found.derivation else ()
