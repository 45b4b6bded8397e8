"""``sglc prove``: what the patterns claim, proved on the grammar."""

from __future__ import annotations

from pathlib import Path

import click
from rich.table import Table

from sgl.automata import PatternProofs, Proofs, StructureCompiler, Verdict
from sgl.build.claims import establish
from sgl.build.session import open_grammar
from sgl.cli.common import compile_options, count, grammar_argument, print_table, progress, show
from sgl.cli.main import FAILED, OK, USAGE
from sgl.compile import Compiled
from sgl.core.interpret import Derivation, interpret
from sgl.diagnostics import Diagnostics, SourceMap, suggest


@click.command("prove")
@grammar_argument
@click.option("--pattern", metavar="NAME", help="Show the reasoning for one pattern.")
@compile_options
def command(
    grammar: Path, pattern: str | None, settings: dict[str, str], form: str, color: str
) -> int:
    """Prove the claims of all patterns of GRAMMAR: held out, instance, licensed."""
    sources, diagnostics = SourceMap(), Diagnostics()
    compiled = open_grammar(grammar, settings, sources, diagnostics)
    proofs = None
    if compiled is not None:
        names = [lowered.pattern.name for lowered in compiled.patterns]
        if pattern is not None and pattern not in names:
            click.echo(
                f"error: there is no pattern `{pattern}` {suggest(pattern, names)}".rstrip(),
                err=True,
            )
            return USAGE
        with progress() as line:
            structures = StructureCompiler(compiled.grammar)
            proofs = establish(
                compiled,
                structures,
                diagnostics,
                lambda name: line(f"proving {name}", 0, 1),
                pattern,
            )
    show(diagnostics, sources, form, color)
    if compiled is not None and proofs is not None and form == "full":
        if pattern is not None:
            _show_pattern(compiled, proofs, pattern)
        else:
            show_proofs(proofs, diagnostics.errors)
    return OK if proofs is not None and diagnostics.errors == 0 else FAILED


def show_proofs(proofs: Proofs, errors: int = 0) -> None:
    """One line for each pattern, and what was left out of training."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("pattern", "held out", "instance", "licensed", "disjoint"):
        table.add_column(heading, no_wrap=heading == "pattern")
    table.add_column("mass", justify="right")
    table.add_column("in train", justify="right")
    for pattern in proofs.patterns:
        table.add_row(*_row(pattern))
    print_table(table)
    proved = sum(pattern.proved for pattern in proofs.patterns)
    but = f", but there {'is' if errors == 1 else 'are'} {count(errors, 'error')}" if errors else ""
    click.echo(f"{proved} of {count(len(proofs.patterns), 'pattern')} proved{but}")


def _row(pattern: PatternProofs) -> tuple[str, ...]:
    before = sum(claim.mass for claim in pattern.held_out)
    after = sum(claim.train_mass for claim in pattern.held_out)
    return (
        pattern.name,
        _verdict([claim.verdict for claim in pattern.held_out]),
        _verdict([claim.verdict for claim in pattern.instances]) if pattern.instances else "–",
        _verdict([claim.verdict for claim in pattern.licences]) if pattern.licences else "–",
        _verdict([claim.verdict for claim in pattern.disjoint]) if pattern.disjoint else "–",
        f"{before:.1e}",
        f"{after:.1e}" if after else "0",
    )


def _verdict(verdicts: list[Verdict]) -> str:
    refuted = sum(verdict is Verdict.REFUTED for verdict in verdicts)
    return f"REFUTED ×{refuted}" if refuted else "proved"


def _show_pattern(compiled: Compiled, proofs: Proofs, name: str) -> None:
    """The claims of one pattern, each with its figures and a smallest sentence."""
    pattern = proofs.of(name)
    click.echo(f"{name}: {'proved' if pattern.proved else 'REFUTED'}")
    for held in pattern.held_out:
        click.echo(f"\nheld out: {held.verdict.value}")
        click.echo(f"  {held.structure}")
        click.echo(
            f"  probability in the whole grammar {held.mass:.3e}, in training {held.train_mass:.3e}"
        )
        _show_sentence(compiled, "witness", held.witness)
    for licence in pattern.licences:
        click.echo(f"\nneeded in training: {licence.verdict.value}")
        click.echo(f"  {licence.structure}")
        click.echo(
            f"  probability in training {licence.mass:.3e}; about {licence.expected:,.0f} "
            f"sentences expected, {licence.minimum:,} asked for"
        )
        _show_sentence(compiled, "smallest", licence.example)
    for instance in pattern.instances:
        click.echo(f"\nitems of {instance.stream}: {instance.verdict.value}")
        click.echo(
            f"  probability {instance.mass:.3e}; rejection sampling would draw "
            f"{1 / instance.mass:,.0f} sentences for one item"
            if instance.mass
            else "  no sentence of the grammar qualifies"
        )
        click.echo(
            f"  spectral radius {instance.spectral_radius:.3f}, "
            f"expected length {instance.expected_tokens:.1f} tokens"
        )
        _show_sentence(compiled, "smallest", instance.example)
        _show_sentence(compiled, "witness", instance.witness)
    for disjoint in pattern.disjoint:
        click.echo(f"\nnot in training, {disjoint.stream}: {disjoint.verdict.value}")
        _show_sentence(compiled, "witness", disjoint.witness)


def _show_sentence(compiled: Compiled, what: str, derivation: Derivation | None) -> None:
    if derivation is None:
        return
    texts = interpret(compiled.grammar, derivation).texts
    click.echo(f"  {what}: {' | '.join(texts)}")
