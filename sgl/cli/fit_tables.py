"""What ``sglc fit`` says in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, isfinite

from rich.table import Table
from rich.text import Text

from sgl.cli.session import Session
from sgl.cli.terminal import count, number_table
from sgl.corpus.fit import Fit, Sample
from sgl.corpus.fit.report import FATES, Change, Likelihood, changes
from sgl.corpus.rows import ListedRow
from sgl.diagnostics.source import visible
from sgl.frontend import Compiled

#: Changes, and rows of each sort, that are shown; `--json` has more.
_CHANGES = 12
_ROWS = 5


def show_fit(
    session: Session, compiled: Compiled, fit: Fit, sample: Sample, seconds: float
) -> None:
    """Show the rows, the likelihood, the largest changes, and the rows that say nothing."""
    session.table(_rows(sample))
    session.echo()
    session.table(_likelihoods(fit))
    session.echo(_ending(fit, sample))
    session.echo()
    found = changes(compiled.grammar, compiled.rule_keys, fit, sample.rows, _CHANGES)
    session.table(_changes(found))
    _show_rows(session, "without a reading", sample.fates["no reading"], sample.unparsed)
    _show_rows(session, "with what the split leaves out", sample.fates["held out"], sample.held_out)
    session.echo(f"\n{count(sum(sample.fates.values()), 'row')} in {seconds:.1f} s")


def _rows(sample: Sample) -> Table:
    """Return how many rows of each kind were used, and what became of the others."""
    fates = [fate for fate in FATES if sample.fates[fate]]
    table = number_table("rows", *fates)
    if len(sample.kinds) > 1:
        for kind, tally in sorted(sample.kinds.items()):
            table.add_row(Text(visible(kind) or "–"), *(f"{tally[fate]:,}" for fate in fates))
    table.add_row("all", *(f"{sample.fates[fate]:,}" for fate in fates))
    return table


def _likelihoods(fit: Fit) -> Table:
    table = number_table("weights", "log-likelihood", "bits", "perplexity")
    for name, nats in (("declared", fit.before), ("estimated", fit.after)):
        found = Likelihood(nats, fit.tokens)
        if isfinite(nats):
            table.add_row(name, f"{nats:.4f}", f"{found.bits:.3f}", f"{found.perplexity:.3f}")
        else:
            table.add_row(name, "-∞", "∞", "∞")
    return table


def _ending(fit: Fit, sample: Sample) -> str:
    """Return how the rounds ended, in a sentence."""
    ambiguous = sum(rows for _, rows in sample.ambiguous.values())
    parts = [f"a sentence, on average over {count(sample.rows, 'row')}; perplexity of a token"]
    parts.append(f"{count(ambiguous, 'row')} ambiguous" if ambiguous else "none ambiguous")
    if fit.log_mass:
        parts.append(f"the split has {100 * exp(fit.log_mass):.1f} % of the grammar's texts")
    parts.append(count(fit.rounds, "round") + ("" if fit.converged else ", not at an end"))
    return "; ".join(parts)


def _changes(found: Sequence[Change]) -> Table:
    numbers = ("declared", "estimated", "in 1,000 sentences")
    table = number_table(("largest changes", "category"), *numbers)
    for change in found:
        key = change.key
        name = f"{key.name} {key.part}" if key.section == "lexicons" else key.name
        table.add_row(
            Text(visible(name)),
            Text(key.category),
            f"{change.before:.4g}",
            f"{change.after:.4g}",
            f"{1000 * change.effect:+.1f}",
        )
    return table


def _show_rows(session: Session, what: str, number: int, rows: Sequence[ListedRow]) -> None:
    if not number:
        return
    session.echo(f"\n{count(number, 'row')} {what}")
    for row in rows[:_ROWS]:
        session.echo(f"  {row.file}:{row.line}: {visible(row.sentence)}")
        session.echo(f"    {visible(row.detail)}")
    if number > _ROWS:
        session.echo("  …")
