"""``sglc fit``: the weights of a grammar from a corpus."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import click

from sgl.cli.common import count
from sgl.cli.corpora import (
    corpora_argument,
    file_bar,
    normalise_option,
    normalizer_of,
    report_unreadable,
    source_option,
)
from sgl.cli.fit_request import FitRequest, check_weights_file, head, provenance, read_request
from sgl.cli.fit_tables import show_fit
from sgl.cli.session import Session, grammar_argument, grammar_options, json_text
from sgl.corpus.fit import (
    PRIORS,
    Collector,
    Fit,
    Options,
    Prior,
    Sample,
    estimate,
    fit_data,
    weights_text,
)
from sgl.frontend import Compiled
from sgl.parsing import Parser
from sgl.pipeline.selection import SplitSelection

_DEFAULTS = Options()


@click.command("fit")
@grammar_argument
@corpora_argument
@source_option
@click.option(
    "--columns",
    metavar="LAYERS",
    help="The layers of the columns of the files, - for any other.  [default: source and target]",
)
@click.option("--only", metavar="KIND", multiple=True, help="Rows of this kind (repeatable).")
@click.option(
    "--given",
    metavar="SPLIT",
    help="The split that the rows were drawn from: what it leaves out is made up for.",
)
@normalise_option
@click.option(
    "--smoothing",
    type=click.FloatRange(0, 1e6, min_open=True),
    default=_DEFAULTS.smoothing,
    show_default=True,
    help="Pseudo-counts for each rule of a category, on average.",
)
@click.option(
    "--prior",
    type=click.Choice(PRIORS),
    default=_DEFAULTS.prior,
    show_default=True,
    help="Whether pseudo-counts are equal or follow the declared weights.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), help="The file of weights.  [default: none]"
)
@click.option("--note", multiple=True, help="A line for the head of the file (repeatable).")
@click.option(
    "--json", "json_file", type=click.Path(path_type=Path), help="Write everything as JSON."
)
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

    A corpus has a sentence on each line, its translation after a tab, and perhaps a
    kind after another tab.  The grammar takes the weights from the file with
    `weights NAME from "FILE"`.
    """
    started = time.monotonic()
    compiled = session.open(grammar)
    options = Options(smoothing=smoothing, prior=prior)
    request = read_request(session, source, columns, only, given, normalise, options)
    results = [path for path in (out, json_file) if path is not None]
    session.check_results(results, (*corpora, grammar))
    if out is not None:
        check_weights_file(session, out)
    fit, sample = _fit(session, compiled, corpora, request)
    show_fit(session, compiled, fit, sample, time.monotonic() - started)
    origin = provenance(compiled, request, fit, sample)
    if out is not None:
        lines = [*note, *head(grammar, corpora, request, session.settings, out)]
        text = weights_text(compiled.grammar, compiled.rule_keys, fit, origin, lines)
        session.write(out, text)
    if json_file is not None:
        data = {**origin, **fit_data(compiled.grammar, compiled.rule_keys, fit, sample)}
        session.write(json_file, json_text(data))
    rows = [f"{row.file}:{row.line}: {row.reason}" for row in sample.unreadable]
    report_unreadable(session, sample.fates["unreadable"], rows)


def _fit(
    session: Session, compiled: Compiled, corpora: Sequence[Path], request: FitRequest
) -> tuple[Fit, Sample]:
    """Return the estimated weights and what they rest on."""
    selection = SplitSelection(compiled, request.given) if request.given else None
    parser = Parser(compiled.grammar, compiled.grammar.text_layer(request.source))
    collector = Collector(
        parser,
        columns=len(request.columns),
        place=request.columns.index(request.source),
        kinds=request.kinds,
        normalizer=normalizer_of(parser, request.normalise) if request.normalise else None,
        admits=selection.admits if selection is not None else None,
    )
    with session.reading():
        sample = collector.run(corpora, file_bar(session))
    if not sample.rows:
        _fail_without_rows(session, sample, request)
    fit = estimate(
        compiled.grammar,
        sample,
        request.options,
        layer=parser.layer,
        selection=selection,
        progress=lambda done, nats: session.progress(f"round {done}: {nats:.4f}"),
    )
    return fit, sample


def _fail_without_rows(session: Session, sample: Sample, request: FitRequest) -> NoReturn:
    """Say why no row could be used."""
    known = ", ".join(f"`{kind}`" for kind in sorted(sample.kinds) if kind) or "none"
    reasons = [f"{count(rows, 'row')}: {fate}" for fate, rows in sample.fates.items() if rows]
    first = [f"{row.file}:{row.line}: {row.sentence} ({row.reason})" for row in sample.unparsed[:3]]
    session.fail(
        "SGL1105",
        "no row of the corpus says anything about the weights",
        notes=[*reasons, *first],
        hint=f"the kinds of rows are: {known}" if request.kinds else "`sglc audit` says more",
    )
