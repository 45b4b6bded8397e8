"""``sglc fit``: the weights of a grammar from a corpus."""

import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import exp, isfinite
from pathlib import Path
from typing import Any

import click

from sgl.cli import arguments as args
from sgl.cli.files import WEIGHTS, force_option, json_file_option
from sgl.cli.session import Session, grammar_argument, grammar_options, json_text
from sgl.cli.terminal import count
from sgl.corpus.fit import Collector, Fit, Options, Sample, estimate, fit_data, weights_text
from sgl.corpus.fit.estimate import PRIORS, Prior
from sgl.corpus.fit.report import FATES, Likelihood, changes
from sgl.dataset import fingerprint
from sgl.frontend import Compiled
from sgl.parsing import Parser
from sgl.pipeline.expectations import SplitSelection

#: Changes that are shown; `--json` has more.
_CHANGES = 12

_DEFAULTS = Options()


@click.command("fit")
@grammar_argument
@args.corpora_argument
@args.layer_option
@args.columns_option
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
    parsed, *_ = args.compared_layers(session, compiled, source, names)
    allowed = tuple(args.differences(session, normalise))
    splits = list(dict.fromkeys(s.split for s in compiled.plan.strata if s.split != "gen"))
    session.check_names([given], splits, "split")
    request = FitRequest(parsed, only, given or "", allowed, smoothing, prior)
    fit, sample = _fit(session, compiled, corpora, names, request)
    session.present(
        "fit.j2",
        fit=fit,
        sample=sample,
        fates=[fate for fate in FATES if sample.fates[fate]],
        likelihoods={"declared": Likelihood(fit.before, fit.tokens), "estimated": Likelihood(fit.after, fit.tokens)},
        changes=changes(compiled.grammar, compiled.rule_keys, fit, sample.rows, _CHANGES),
        seconds=time.monotonic() - started,
        exp=exp,
        isfinite=isfinite,
    )
    origin = _provenance(compiled, request, fit, sample)
    if out is not None:
        lines = [*note, *_head(grammar, corpora, names[0], request, session.settings, out)]
        session.write(out, weights_text(compiled.grammar, compiled.rule_keys, fit, origin, lines))
    if json_file is not None:
        data = {**origin, **fit_data(compiled.grammar, compiled.rule_keys, fit, sample)}
        session.write(json_file, json_text(data))
    args.report_unreadable(session, sample.fates["unreadable"], sample.unreadable)


@dataclass(frozen=True)
class FitRequest:
    """What the options ask for, and the provenance says."""

    source: str
    only: tuple[str, ...]
    given: str
    normalise: tuple[str, ...]
    smoothing: float
    prior: Prior


def _fit(
    session: Session, compiled: Compiled, corpora: Sequence[Path], columns: Sequence[str], request: FitRequest
) -> tuple[Fit, Sample]:
    selection = SplitSelection(compiled, request.given) if request.given else None
    parser = Parser(compiled.grammar, compiled.grammar.text_layer(request.source))
    collector = Collector(
        parser,
        columns=len(columns),
        place=columns.index(request.source),
        kinds=request.only,
        normalizer=args.normalizer_of(parser.grammar, parser.layer, request.normalise) if request.normalise else None,
        admits=selection.admits if selection is not None else None,
    )
    sample = collector.run(corpora, args.file_bar(session))
    if not sample.rows:
        known = ", ".join(f"`{kind}`" for kind in sorted(sample.kinds) if kind) or "none"
        notes = [f"{count(rows, 'row')}: {fate}" for fate, rows in sample.fates.items() if rows]
        listed_rows = (*sample.unparsed[:3], *sample.unreadable[:3])
        notes += [f"{row.file}:{row.line}: {row.sentence} ({row.detail})" for row in listed_rows]
        message = "no row of the corpus says anything about the weights"
        hint = f"the kinds of rows are: {known}" if request.only else "`sglc audit` says more"
        session.fail("SGL1105", message, notes=notes, hint=hint)
    fit = estimate(
        compiled.grammar,
        sample,
        Options(request.smoothing, request.prior),
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
        **asdict(request),
        "rounds": fit.rounds,
        "log_likelihood": round(fit.after, 6),
    }


def _head(
    grammar: Path, corpora: Sequence[Path], first: str, request: FitRequest, settings: Mapping[str, str], out: Path
) -> list[str]:
    """Return the first lines of the file: what it is, and the command that makes it again."""
    words = ["sglc", "fit", _shown(grammar), *(path.name for path in corpora)]
    if first != request.source:
        words += ["--layer", request.source]
    for kind in request.only:
        words += ["--only", kind]
    if request.given:
        words += ["--given", request.given]
    if request.normalise:
        words += ["--normalise", ",".join(request.normalise)]
    for name, value in settings.items():
        words += ["--set", f"{name}={value}"]
    words += ["--smoothing", f"{request.smoothing:g}", "--prior", request.prior]
    words += ["--out", _shown(out)]
    return ["Estimated from a corpus by", f"  {shlex.join(words)}"]


def _shown(path: Path) -> str:
    """Return a path as it was written, unless it is of one computer only."""
    return path.name if path.is_absolute() else path.as_posix()
