"""``sglc prove``: what the patterns claim, proved on the grammar."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from sgl.automata import Proofs, StructureCompiler
from sgl.cli.common import compile_options, progress, show
from sgl.cli.layers import shortened
from sgl.cli.main import FAILED, OK, OUTPUT, USAGE
from sgl.cli.prove_between import between_lines
from sgl.cli.prove_pattern import pattern_lines
from sgl.cli.prove_table import show_proofs
from sgl.dataset import fingerprint
from sgl.diagnostics import Diagnostics, SourceMap, suggest
from sgl.frontend import Compiled
from sgl.pipeline.between import Between
from sgl.pipeline.certified import certificate_file
from sgl.pipeline.claims import establish
from sgl.pipeline.drawn import Drawn, NotADatasetError, read_drawn
from sgl.pipeline.figured import known_figures
from sgl.pipeline.proof_data import comparison_data, proof_data
from sgl.pipeline.reasoning import reasoning
from sgl.pipeline.session import open_grammar


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
@click.option("--json", "as_json", is_flag=True, help="Write proofs and figures as JSON.")
@compile_options
def command(
    grammar: Path | None,
    pattern: str | None,
    between: tuple[Path, Path] | None,
    data: Path | None,
    certificate: Path | None,
    as_json: bool,
    settings: dict[str, str],
    form: str,
    color: str,
) -> int:
    """Prove the claims of all patterns of GRAMMAR: held out, instance, licensed, exposed."""
    _check_usage(grammar, pattern, between, data, as_json, form)
    if certificate is not None and (between is not None or pattern is not None):
        raise click.UsageError("`--certificate` is about all patterns of one grammar")
    if between is not None:
        return _between(between, settings, as_json, form, color)
    assert grammar is not None
    try:
        drawn = read_drawn(data) if data is not None else None
    except NotADatasetError as problem:
        return _refused("SGL1401", f"no dataset to compare with: {problem}", form, color)
    return _prove(grammar, pattern, drawn, certificate, settings, as_json, form, color)


def _check_usage(
    grammar: Path | None,
    pattern: str | None,
    between: tuple[Path, Path] | None,
    data: Path | None,
    as_json: bool,
    form: str,
) -> None:
    if between is not None and (grammar or pattern or data):
        raise click.UsageError("`--between A B` takes two grammars and nothing else")
    if between is None and grammar is None:
        raise click.UsageError("Missing argument 'GRAMMAR'.")
    if as_json and form == "json":
        raise click.UsageError("`--json` writes the proofs, `--format json` the messages: choose")


def _prove(
    grammar: Path,
    pattern: str | None,
    drawn: Drawn | None,
    certificate: Path | None,
    settings: dict[str, str],
    as_json: bool,
    form: str,
    color: str,
) -> int:
    sources, diagnostics = SourceMap(), Diagnostics()
    compiled = open_grammar(grammar, settings, sources, diagnostics)
    if compiled is None:
        show(diagnostics, sources, form, color)
        return FAILED
    names = [lowered.pattern.name for lowered in compiled.patterns]
    if pattern is not None and pattern not in names:
        hint = suggest(pattern, names) or f"there is: {shortened(names)}"
        click.echo(f"error: there is no pattern `{pattern}`; {hint}", err=True)
        return USAGE
    structures = StructureCompiler(compiled.grammar)
    with progress() as line:
        proofs = establish(
            compiled, structures, diagnostics, lambda name: line(f"proving {name}", 0, 1), pattern
        )
    show(diagnostics, sources, form, color)
    if proofs is not None and form != "json":
        _check_version(compiled, drawn)
        _show(compiled, structures, proofs, pattern, drawn, as_json, diagnostics.errors)
    if proofs is None or diagnostics.errors:
        return FAILED
    return OK if certificate is None else _certify(compiled, structures, certificate, form, color)


def _certify(
    compiled: Compiled, structures: StructureCompiler, path: Path, form: str, color: str
) -> int:
    """Write the certificate of proved claims."""
    with progress() as line:
        line("writing the certificate", 0, 1)
        content = certificate_file(compiled, structures)
    try:
        path.write_bytes(content)
    except OSError as problem:
        message = f"cannot write `{path}`: {problem.strerror or problem}"
        return _refused("SGL1103", message, form, color)
    return OK


def _refused(code: str, message: str, form: str, color: str) -> int:
    """Say which file cannot be read or written; the exit code."""
    diagnostics = Diagnostics()
    diagnostics.error(code, None, message)
    show(diagnostics, SourceMap(), form, color)
    return OUTPUT


def _show(
    compiled: Compiled,
    structures: StructureCompiler,
    proofs: Proofs,
    pattern: str | None,
    drawn: Drawn | None,
    as_json: bool,
    errors: int,
) -> None:
    if as_json:
        figures = known_figures(compiled, structures)
        _echo_json(proof_data(compiled, proofs, figures, drawn))
    elif pattern is not None:
        _echo(pattern_lines(reasoning(compiled, structures, proofs.of(pattern))))
    else:
        show_proofs(compiled, proofs, errors, drawn)


def _check_version(compiled: Compiled, drawn: Drawn | None) -> None:
    """Say if a dataset is not of this grammar: its numbers are then of another."""
    if drawn is not None and drawn.grammar != fingerprint(compiled.grammar, compiled.plan):
        click.echo("note: the dataset was drawn from another version of the grammar", err=True)


def _between(
    paths: tuple[Path, Path], settings: dict[str, str], as_json: bool, form: str, color: str
) -> int:
    opened: list[Compiled] = []
    for path in paths:
        sources, diagnostics = SourceMap(), Diagnostics()
        compiled = open_grammar(path, settings, sources, diagnostics)
        show(diagnostics, sources, form, color)
        if compiled is None:
            return FAILED
        opened.append(compiled)
    first, second = opened
    with progress() as line:
        line("comparing", 0, 1)
        between = Between(first, second)
        comparisons, departures = list(between.comparisons()), list(between.departures())
    if as_json:
        _echo_json(comparison_data(first, second, comparisons, departures))
    else:
        _echo(between_lines(first, second, comparisons, departures))
    return OK


def _echo(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)


def _echo_json(data: dict[str, Any]) -> None:
    click.echo(json.dumps(data, ensure_ascii=False, indent=1))
