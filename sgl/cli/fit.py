"""``sglc fit``: the weights of a grammar from a corpus."""

import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import exp, isfinite
from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from sgl.characters import visible
from sgl.cli import arguments as args
from sgl.cli.files import WEIGHTS, force_option, json_file_option
from sgl.cli.session import Session, grammar_argument, grammar_options, json_text
from sgl.cli.terminal import count, text_table
from sgl.corpus.fit import Collector, Fit, Options, Sample, estimate, fit_data, weights_text
from sgl.corpus.fit.estimate import PRIORS, Prior
from sgl.corpus.fit.report import FATES, Likelihood, changes
from sgl.corpus.rows import ListedRow
from sgl.dataset import fingerprint
from sgl.frontend import Compiled
from sgl.parsing import Parser
from sgl.pipeline.expectations import SplitSelection

#: Changes, and rows of each sort, that are shown; `--json` has more.
_CHANGES = 12
_ROWS = 5

_DEFAULTS = Options()


@click.command("fit")
@grammar_argument
@args.corpora_argument
@args.layer_option
@click.option(
    "--columns",
    metavar="LAYERS",
    help="The layers of the columns of the files, - for any other.  [default: source and target]",
)
@click.option("--only", metavar="KIND", multiple=True, help="Use rows of this kind only (repeatable).")
@click.option(
    "--given", metavar="SPLIT", help="The split that the rows were sampled from; corrects for what it leaves out."
)
@args.normalise_option
@click.option(
    "--smoothing",
    type=click.FloatRange(0, 1e6, min_open=True),
    default=_DEFAULTS.smoothing,
    help="Pseudo-counts for each rule of a category, on average.",
)
@click.option(
    "--prior",
    type=click.Choice(PRIORS),
    default=_DEFAULTS.prior,
    help="Whether pseudo-counts are equal or follow the declared weights.",
)
@click.option("-o", "--out", type=WEIGHTS, help="Write the weights to this file.  [default: none]")
@click.option("--note", multiple=True, help="A line for the head of the file (repeatable).")
@json_file_option
@force_option
@grammar_options
def command(
    session: Session,
    grammar: Path,
    corpora: tuple[Path, ...],
    source: str | None,
    columns: str | None,
    only: tuple[str, ...],
    given: str | None,
    normalise: str,
    smoothing: float,
    prior: Prior,
    out: Path | None,
    note: tuple[str, ...],
    json_file: Path | None,
) -> None:
    """Estimate the weights of GRAMMAR from the files CORPORA.

    A corpus has a sentence on each line, its translation after a tab, and perhaps a kind after another tab.  The
    grammar takes the weights from the file with `weights NAME from "FILE"`.
    """
    started = time.monotonic()
    compiled = session.open(grammar)
    names = args.listed(columns) or list(dict.fromkeys((compiled.plan.source, compiled.plan.target)))
    named = [name for name in names if name != args.IGNORED]
    parsed = source or next(iter(named), compiled.plan.source)
    session.check_names([*named, parsed], args.text_layers(compiled.grammar), "text layer")
    allowed = tuple(args.differences(session, normalise))
    args.check_column(session, parsed, names)
    splits = list(dict.fromkeys(s.split for s in compiled.plan.strata if s.split != "gen"))
    session.check_names([given], splits, "split")
    options = Options(smoothing=smoothing, prior=prior)
    request = FitRequest(parsed, tuple(names), only, given, allowed, options)
    fit, sample = _fit(session, compiled, corpora, request)
    show_fit(session, compiled, fit, sample, time.monotonic() - started)
    origin = _provenance(compiled, request, fit, sample)
    if out is not None:
        lines = [*note, *_head(grammar, corpora, request, session.settings, out)]
        session.write(out, weights_text(compiled.grammar, compiled.rule_keys, fit, origin, lines))
    if json_file is not None:
        data = {**origin, **fit_data(compiled.grammar, compiled.rule_keys, fit, sample)}
        session.write(json_file, json_text(data))
    args.report_unreadable(session, sample.fates["unreadable"], sample.unreadable)


@dataclass(frozen=True)
class FitRequest:
    """What the options ask for."""

    source: str
    columns: tuple[str, ...]
    kinds: tuple[str, ...]
    given: str | None
    normalise: tuple[str, ...]
    options: Options


def _fit(session: Session, compiled: Compiled, corpora: Sequence[Path], request: FitRequest) -> tuple[Fit, Sample]:
    selection = SplitSelection(compiled, request.given) if request.given else None
    parser = Parser(compiled.grammar, compiled.grammar.text_layer(request.source))
    collector = Collector(
        parser,
        columns=len(request.columns),
        place=request.columns.index(request.source),
        kinds=request.kinds,
        normalizer=args.normalizer_of(parser, request.normalise) if request.normalise else None,
        admits=selection.admits if selection is not None else None,
    )
    sample = collector.run(corpora, args.file_bar(session))
    if not sample.rows:
        known = ", ".join(f"`{kind}`" for kind in sorted(sample.kinds) if kind) or "none"
        notes = [f"{count(rows, 'row')}: {fate}" for fate, rows in sample.fates.items() if rows]
        listed_rows = (*sample.unparsed[:3], *sample.unreadable[:3])
        notes += [f"{row.file}:{row.line}: {row.sentence} ({row.detail})" for row in listed_rows]
        message = "no row of the corpus says anything about the weights"
        hint = f"the kinds of rows are: {known}" if request.kinds else "`sglc audit` says more"
        session.fail("SGL1105", message, notes=notes, hint=hint)
    fit = estimate(
        compiled.grammar,
        sample,
        request.options,
        layer=parser.layer,
        selection=selection,
        progress=lambda done, nats: session.progress(f"round {done}: {nats:.4f}"),
    )
    return fit, sample


def _provenance(compiled: Compiled, request: FitRequest, fit: Fit, sample: Sample) -> dict[str, Any]:
    """Return where the weights come from: plain values, the same on every computer."""
    return {
        "grammar": compiled.project.name,
        "grammar_sha256": fingerprint(compiled.grammar, compiled.plan),
        "parameters": dict(sorted(compiled.parameters.items())),
        "corpora": [asdict(file) for file in sample.files],
        "rows_used": sample.rows,
        "source": request.source,
        "only": list(request.kinds),
        "given": request.given or "",
        "normalise": list(request.normalise),
        "smoothing": request.options.smoothing,
        "prior": request.options.prior,
        "rounds": fit.rounds,
        "log_likelihood": round(fit.after, 6),
    }


def _head(
    grammar: Path, corpora: Sequence[Path], request: FitRequest, settings: Mapping[str, str], out: Path
) -> list[str]:
    """Return the first lines of the file: what it is, and the command that makes it again."""
    words = ["sglc", "fit", _shown(grammar), *(path.name for path in corpora)]
    if request.columns[0] != request.source:
        words += ["--layer", request.source]
    for kind in request.kinds:
        words += ["--only", kind]
    if request.given:
        words += ["--given", request.given]
    if request.normalise:
        words += ["--normalise", ",".join(request.normalise)]
    for name, value in settings.items():
        words += ["--set", f"{name}={value}"]
    words += ["--smoothing", f"{request.options.smoothing:g}", "--prior", request.options.prior]
    words += ["--out", _shown(out)]
    return ["Estimated from a corpus by", f"  {shlex.join(words)}"]


def _shown(path: Path) -> str:
    """Return a path as it was written, unless it is of one computer only."""
    return path.name if path.is_absolute() else path.as_posix()


# ---- what is said in the terminal


def show_fit(session: Session, compiled: Compiled, fit: Fit, sample: Sample, seconds: float) -> None:
    """Show the rows, the likelihood, the largest changes, and the rows that say nothing."""
    session.table(_rows(sample))
    session.echo()
    session.table(_likelihoods(fit))
    session.echo(_ending(fit, sample))
    session.echo()
    session.table(_changes(compiled, fit, sample))
    _show_rows(session, "without a reading", sample.fates["no reading"], sample.unparsed)
    _show_rows(session, "with what the split leaves out", sample.fates["held out"], sample.held_out)
    session.echo(f"\n{count(sum(sample.fates.values()), 'row')} in {seconds:.1f} s")


def _rows(sample: Sample) -> Table:
    fates = [fate for fate in FATES if sample.fates[fate]]
    table = text_table("rows", *fates, right=fates)
    if len(sample.kinds) > 1:
        for kind, tally in sorted(sample.kinds.items()):
            table.add_row(Text(visible(kind) or "–"), *(f"{tally[fate]:,}" for fate in fates))
    table.add_row("all", *(f"{sample.fates[fate]:,}" for fate in fates))
    return table


def _likelihoods(fit: Fit) -> Table:
    numbers = ("log-likelihood", "bits", "perplexity")
    table = text_table("weights", *numbers, right=numbers)
    for name, nats in (("declared", fit.before), ("estimated", fit.after)):
        found = Likelihood(nats, fit.tokens)
        if isfinite(nats):
            table.add_row(name, f"{nats:.4f}", f"{found.bits:.3f}", f"{found.perplexity:.3f}")
        else:
            table.add_row(name, "-∞", "∞", "∞")
    return table


def _ending(fit: Fit, sample: Sample) -> str:
    ambiguous = sum(rows for _, rows in sample.ambiguous.values())
    parts = [f"a sentence, on average over {count(sample.rows, 'row')}; perplexity of a token"]
    parts.append(f"{count(ambiguous, 'row')} ambiguous" if ambiguous else "none ambiguous")
    if fit.log_mass:
        parts.append(f"the split has {100 * exp(fit.log_mass):.1f} % of the grammar's texts")
    parts.append(count(fit.rounds, "round") + ("" if fit.converged else ", not at an end"))
    return "; ".join(parts)


def _changes(compiled: Compiled, fit: Fit, sample: Sample) -> Table:
    numbers = ("declared", "estimated", "in 1,000 sentences")
    table = text_table("largest changes", "category", *numbers, right=numbers)
    for change in changes(compiled.grammar, compiled.rule_keys, fit, sample.rows, _CHANGES):
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
    if number:
        session.echo(f"\n{count(number, 'row')} {what}")
        for row in rows[:_ROWS]:
            session.echo(f"  {row.file}:{row.line}: {visible(row.sentence)}")
            session.echo(f"    {visible(row.detail)}")
        if number > _ROWS:
            session.echo("  …")
