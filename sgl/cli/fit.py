"""``sglc fit``: the weights of a grammar from a corpus."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from sgl.build.deciding import deciding
from sgl.build.selection import SplitSelection
from sgl.build.session import open_grammar
from sgl.cli.common import Progress, compile_options, count, grammar_argument, progress, show
from sgl.cli.files import write_results
from sgl.cli.fit_tables import show_fit
from sgl.cli.layers import are_known, differences, listed, text_layers
from sgl.cli.main import FAILED, OK, OUTPUT, USAGE
from sgl.compile import Compiled
from sgl.corpus import DIFFERENCES, Speller
from sgl.dataset import fingerprint
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.fit import (
    PRIORS,
    PROVENANCE,
    Collector,
    Fit,
    Options,
    Prior,
    Sample,
    estimate,
    fit_data,
    weights_text,
)
from sgl.parse import Parser

#: Cells of the progress bar.
_BAR = 20

#: Unreadable rows that are named.
_NOTED = 10

#: A column that is not looked at.
_IGNORED = "-"

_DEFAULTS = Options()


@click.command("fit")
@grammar_argument
@click.argument("corpora", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--source", metavar="LAYER", help="The layer that is parsed.  [default: the source]")
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
@click.option(
    "--normalise",
    metavar="LIST",
    default="",
    help=f"What to put right if need be: all, or {', '.join(DIFFERENCES)}.",
)
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
    request = _request(compiled, source, columns, only, given, normalise, options)
    results = [path for path in (out, json_file) if path is not None]
    if request is None or not _may_write(results, out, (*corpora, grammar)):
        return USAGE
    found = Diagnostics()
    fitted = _fit(compiled, corpora, request, found)
    if fitted is not None:
        fit, sample = fitted
        show_fit(compiled.grammar, compiled.rule_keys, fit, sample, time.monotonic() - started)
        texts = []
        if out is not None:
            head = [*note, *_head(grammar, corpora, request, settings, out)]
            origin = _provenance(compiled, request, fit, sample)
            text = weights_text(compiled.grammar, compiled.rule_keys, fit, origin, head)
            texts.append((out, text))
        if json_file is not None:
            data = {
                **_provenance(compiled, request, fit, sample),
                **fit_data(compiled.grammar, compiled.rule_keys, fit, sample),
            }
            texts.append((json_file, json.dumps(data, ensure_ascii=False, indent=1) + "\n"))
        write_results(texts, found)
        _report_unreadable(sample, found)
    show(found, sources, form, color)
    codes = {diagnostic.code for diagnostic in found}
    if codes & {"SGL1102", "SGL1103"}:
        return OUTPUT
    return FAILED if codes else OK


@dataclass(frozen=True)
class _Request:
    """What the options ask for."""

    source: str
    columns: tuple[str, ...]
    kinds: tuple[str, ...]
    given: str | None
    normalise: tuple[str, ...]
    options: Options


def _request(
    compiled: Compiled,
    source: str | None,
    columns: str | None,
    only: tuple[str, ...],
    given: str | None,
    normalise: str,
    options: Options,
) -> _Request | None:
    """What the options ask for; None after a message."""
    plan = compiled.plan
    names = listed(columns) or list(dict.fromkeys((plan.source, plan.target)))
    parsed = source or next((name for name in names if name != _IGNORED), plan.source)
    asked = differences(normalise, DIFFERENCES)
    mentioned = [*(name for name in names if name != _IGNORED), parsed]
    if not are_known(mentioned, text_layers(compiled.grammar), "text layer") or asked is None:
        return None
    if parsed not in names:
        shown = ", ".join(names)
        click.echo(
            f"error: no column has the layer `{parsed}`; the columns are {shown} "
            "(`--columns` says otherwise)",
            err=True,
        )
        return None
    splits = list(dict.fromkeys(s.split for s in plan.strata if s.split != "gen"))
    if given is not None and not are_known([given], splits, "split"):
        return None
    return _Request(parsed, tuple(names), only, given, tuple(asked), options)


def _may_write(results: Sequence[Path], out: Path | None, inputs: Sequence[Path]) -> bool:
    """Whether the results would replace nothing but results."""
    for path in results:
        message = ""
        if any(path.resolve() == other.resolve() for other in inputs):
            message = f"`{path}` is one of the files to be read"
        elif not path.resolve().parent.is_dir():
            message = f"there is no directory `{path.parent}`"
        elif path == out and path.exists() and not _has_weights(path):
            message = f"`{path}` is there and has no weights in it; choose another file"
        if message:
            click.echo(f"error: {message}", err=True)
            return False
    return True


def _has_weights(path: Path) -> bool:
    """Whether a file was written by this command."""
    try:
        text = path.read_text("utf-8", errors="replace")
    except OSError:
        return False
    return f"\n{PROVENANCE}:\n" in f"\n{text}"


def _fit(
    compiled: Compiled, corpora: Sequence[Path], request: _Request, diagnostics: Diagnostics
) -> tuple[Fit, Sample] | None:
    """The estimated weights and what they rest on; None after a report."""
    with deciding(compiled, diagnostics), progress() as line:
        selection = SplitSelection(compiled, request.given) if request.given else None
        parser = Parser(compiled.grammar, compiled.grammar.text_layer(request.source))
        try:
            sample = _collector(parser, request, selection).run(corpora, _Bar(line))
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
            reason = problem.strerror or str(problem)
            diagnostics.error("SGL1102", None, f"cannot read `{problem.filename}`: {reason}")
    return None


def _collector(parser: Parser, request: _Request, selection: SplitSelection | None) -> Collector:
    """What reads the corpora as the options say."""
    speller = None
    if request.normalise:
        layer = parser.grammar.text_layers[parser.layer]
        speller = Speller(layer, parser.vocabulary, request.normalise)
    return Collector(
        parser,
        columns=len(request.columns),
        place=request.columns.index(request.source),
        kinds=request.kinds,
        speller=speller,
        admits=selection.admits if selection is not None else None,
    )


@dataclass(frozen=True)
class _Bar:
    """The progress through the files."""

    line: Progress

    def __call__(self, file: str, rows: int, share: float) -> None:
        done = round(_BAR * share)
        bar = "█" * done + "░" * (_BAR - done)
        self.line(f"{bar} {100 * share:3.0f} %  {Path(file).name}, {rows:,} rows", 0, 1)


def _report_nothing(sample: Sample, request: _Request, diagnostics: Diagnostics) -> None:
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


def _report_unreadable(sample: Sample, diagnostics: Diagnostics) -> None:
    """Say which rows were not looked at."""
    number = sample.fates["unreadable"]
    if number:
        rows = [f"{row.file}:{row.line}: {row.reason}" for row in sample.unreadable[:_NOTED]]
        diagnostics.error(
            "SGL1104",
            None,
            f"{count(number, 'row')} cannot be read",
            notes=[*rows, *(["…"] if number > len(rows) else [])],
        )


def _provenance(compiled: Compiled, request: _Request, fit: Fit, sample: Sample) -> dict[str, Any]:
    """Where the weights come from: plain values, the same on every computer."""
    return {
        "grammar": compiled.project.name,
        "grammar_sha256": fingerprint(compiled.grammar, compiled.plan),
        "parameters": dict(sorted(compiled.parameters.items())),
        "corpora": [
            {"file": file.name, "sha256": file.sha256, "rows": file.rows} for file in sample.files
        ],
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
    grammar: Path,
    corpora: Sequence[Path],
    request: _Request,
    settings: dict[str, str],
    out: Path,
) -> list[str]:
    """The first lines of the file: what it is, and the command that makes it again."""
    words = ["sglc", "fit", _shown(grammar), *(path.name for path in corpora)]
    if request.columns[0] != request.source:
        words += ["--source", request.source]
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
    """A path as it was written, unless it is of one computer only."""
    return path.name if path.is_absolute() else path.as_posix()
