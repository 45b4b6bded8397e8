"""``sglc fit``: the weights of a grammar from a corpus."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path

import click

from sgl.cli.common import compile_options, count, grammar_argument, progress, show
from sgl.cli.corpora import (
    FileBar,
    corpora_argument,
    normalise_option,
    report_unreadable,
    source_option,
)
from sgl.cli.files import may_write, report_unread, write_results
from sgl.cli.fit_request import Request, head, may_replace, provenance, read_request
from sgl.cli.fit_tables import show_fit
from sgl.cli.main import FAILED, OK, OUTPUT, USAGE
from sgl.corpus import Normalizer
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
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.frontend import Compiled
from sgl.parsing import Parser
from sgl.pipeline.deciding import deciding
from sgl.pipeline.selection import SplitSelection
from sgl.pipeline.session import open_grammar

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
@compile_options
def command(
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
    settings: dict[str, str],
    form: str,
    color: str,
) -> int:
    """Estimate the weights of GRAMMAR from the files CORPORA.

    A corpus has a sentence on each line, its translation after a tab, and perhaps a
    kind after another tab.  The grammar takes the weights from the file with
    `weights NAME from "FILE"`.
    """
    started = time.monotonic()
    sources, diagnostics = SourceMap(), Diagnostics()
    compiled = open_grammar(grammar, settings, sources, diagnostics)
    show(diagnostics, sources, form, color)
    if compiled is None:
        return FAILED
    options = Options(smoothing=smoothing, prior=prior)
    request = read_request(compiled, source, columns, only, given, normalise, options)
    results = [path for path in (out, json_file) if path is not None]
    if request is None or not may_write(results, (*corpora, grammar)) or not may_replace(out):
        return USAGE
    found = Diagnostics()
    fitted = _fit(compiled, corpora, request, found)
    if fitted is not None:
        fit, sample = fitted
        show_fit(compiled.grammar, compiled.rule_keys, fit, sample, time.monotonic() - started)
        texts = []
        if out is not None:
            lines = [*note, *head(grammar, corpora, request, settings, out)]
            origin = provenance(compiled, request, fit, sample)
            text = weights_text(compiled.grammar, compiled.rule_keys, fit, origin, lines)
            texts.append((out, text))
        if json_file is not None:
            data = {
                **provenance(compiled, request, fit, sample),
                **fit_data(compiled.grammar, compiled.rule_keys, fit, sample),
            }
            texts.append((json_file, json.dumps(data, ensure_ascii=False, indent=1) + "\n"))
        write_results(texts, found)
        rows = [f"{row.file}:{row.line}: {row.reason}" for row in sample.unreadable]
        report_unreadable(sample.fates["unreadable"], rows, found)
    show(found, sources, form, color)
    codes = {diagnostic.code for diagnostic in found}
    if codes & {"SGL1102", "SGL1103"}:
        return OUTPUT
    return FAILED if codes else OK


def _fit(
    compiled: Compiled, corpora: Sequence[Path], request: Request, diagnostics: Diagnostics
) -> tuple[Fit, Sample] | None:
    """The estimated weights and what they rest on; None after a report."""
    with deciding(compiled, diagnostics), progress() as line:
        selection = SplitSelection(compiled, request.given) if request.given else None
        parser = Parser(compiled.grammar, compiled.grammar.text_layer(request.source))
        try:
            sample = _collector(parser, request, selection).run(corpora, FileBar(line))
            if sample.rows:
                fit = estimate(
                    compiled.grammar,
                    sample,
                    request.options,
                    layer=parser.layer,
                    selection=selection,
                    progress=lambda done, nats: line(f"round {done}: {nats:.4f}", 0, 1),
                )
                return fit, sample
            _report_nothing(sample, request, diagnostics)
        except OSError as problem:
            report_unread(problem, diagnostics)
    return None


def _collector(parser: Parser, request: Request, selection: SplitSelection | None) -> Collector:
    """What reads the corpora as the options say."""
    normalizer = None
    if request.normalise:
        layer = parser.grammar.text_layers[parser.layer]
        normalizer = Normalizer(layer, parser.vocabulary, request.normalise)
    return Collector(
        parser,
        columns=len(request.columns),
        place=request.columns.index(request.source),
        kinds=request.kinds,
        normalizer=normalizer,
        admits=selection.admits if selection is not None else None,
    )


def _report_nothing(sample: Sample, request: Request, diagnostics: Diagnostics) -> None:
    """Say why no row could be used."""
    known = ", ".join(f"`{kind}`" for kind in sorted(sample.kinds) if kind) or "none"
    reasons = [f"{count(rows, 'row')}: {fate}" for fate, rows in sample.fates.items() if rows]
    first = [f"{row.file}:{row.line}: {row.sentence} ({row.reason})" for row in sample.unparsed[:3]]
    diagnostics.error(
        "SGL1105",
        None,
        "no row of the corpus says anything about the weights",
        notes=[*reasons, *first],
        hint=f"the kinds of rows are: {known}" if request.kinds else "`sglc audit` says more",
    )
