"""``sglc fit``: the weights of a grammar from a corpus."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NoReturn

import click

from sgl.cli.arguments import (
    IGNORED,
    check_column,
    corpora_argument,
    differences,
    file_bar,
    json_file_option,
    listed,
    normalise_option,
    normalizer_of,
    report_unreadable,
    source_option,
    text_layers,
)
from sgl.cli.fit_tables import show_fit
from sgl.cli.session import Session, grammar_argument, grammar_options, json_text
from sgl.cli.terminal import count
from sgl.corpus.fit import Collector, Fit, Options, Sample, estimate, fit_data, weights_text
from sgl.corpus.fit.estimate import PRIORS, Prior
from sgl.corpus.fit.report import PROVENANCE
from sgl.dataset import fingerprint
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
@click.option(
    "--only", metavar="KIND", multiple=True, help="Use rows of this kind only (repeatable)."
)
@click.option(
    "--given",
    metavar="SPLIT",
    help="The split that the rows were sampled from; corrects for what it leaves out.",
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
    "--out",
    type=click.Path(path_type=Path),
    help="Write the weights to this file.  [default: none]",
)
@click.option("--note", multiple=True, help="A line for the head of the file (repeatable).")
@json_file_option
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
    rows = [f"{row.file}:{row.line}: {row.detail}" for row in sample.unreadable]
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
    first = [f"{row.file}:{row.line}: {row.sentence} ({row.detail})" for row in sample.unparsed[:3]]
    session.fail(
        "SGL1105",
        "no row of the corpus says anything about the weights",
        notes=[*reasons, *first],
        hint=f"the kinds of rows are: {known}" if request.kinds else "`sglc audit` says more",
    )


@dataclass(frozen=True)
class FitRequest:
    """What the options ask for."""

    source: str
    columns: tuple[str, ...]
    kinds: tuple[str, ...]
    given: str | None
    normalise: tuple[str, ...]
    options: Options


def read_request(
    session: Session,
    source: str | None,
    columns: str | None,
    only: tuple[str, ...],
    given: str | None,
    normalise: str,
    options: Options,
) -> FitRequest:
    """Return what the options ask for."""
    compiled = session.compiled
    assert compiled is not None
    plan = compiled.plan
    names = listed(columns) or list(dict.fromkeys((plan.source, plan.target)))
    parsed = source or next((name for name in names if name != IGNORED), plan.source)
    mentioned = [*(name for name in names if name != IGNORED), parsed]
    session.check_names(mentioned, text_layers(compiled.grammar), "text layer")
    allowed = differences(session, normalise)
    check_column(session, parsed, names)
    splits = list(dict.fromkeys(s.split for s in plan.strata if s.split != "gen"))
    session.check_names([given] if given is not None else [], splits, "split")
    return FitRequest(parsed, tuple(names), only, given, tuple(allowed), options)


def check_weights_file(session: Session, out: Path) -> None:
    """End the command if the file of weights would replace anything but weights."""
    try:
        text = out.read_text("utf-8", errors="replace") if out.exists() else None
    except OSError:
        text = ""
    if text is not None and f"\n{PROVENANCE}:\n" not in f"\n{text}":
        session.refuse(f"`{out}` is there and has no weights in it; choose another file")


def provenance(compiled: Compiled, request: FitRequest, fit: Fit, sample: Sample) -> dict[str, Any]:
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


def head(
    grammar: Path,
    corpora: Sequence[Path],
    request: FitRequest,
    settings: Mapping[str, str],
    out: Path,
) -> list[str]:
    """Return the first lines of the file: what it is, and the command that makes it again."""
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
    """Return a path as it was written, unless it is of one computer only."""
    return path.name if path.is_absolute() else path.as_posix()
