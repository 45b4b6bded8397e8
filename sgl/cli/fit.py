"""``sglc fit``: the weights of a grammar from a corpus."""

import shlex
import time
from collections.abc import Mapping, Sequence
from math import exp
from pathlib import Path
from typing import Any, NoReturn

import click

from sgl.cli import arguments as args
from sgl.cli.files import WEIGHTS, force_option, json_file_option
from sgl.cli.session import Session, grammar_argument, grammar_options
from sgl.cli.terminal import count, json_text
from sgl.corpus import fit as fitting
from sgl.corpus import normalizer_of
from sgl.dataset import fingerprint
from sgl.parsing import Parser
from sgl.pipeline.expectations import SplitSelection

#: Changes that are shown; `--json` has more.
_CHANGES = 12

_DEFAULTS = fitting.Options()


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
    type=click.Choice(fitting.PRIORS),
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
    prior: fitting.Prior,
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
    core, plan, keys = compiled.grammar, compiled.plan, compiled.rule_keys
    names = args.listed(columns) or list(dict.fromkeys((plan.source, plan.target)))
    parsed, *_ = args.compared_layers(session, compiled, source, names)
    allowed = tuple(args.differences(session, normalise))
    session.check_names([given], list(dict.fromkeys(s.split for s in plan.strata if s.split != "gen")), "split")
    asked: dict[str, Any] = {"source": parsed, "only": only, "given": given or "", "normalise": allowed}
    asked |= {"smoothing": smoothing, "prior": prior}
    selection = SplitSelection(compiled, given) if given else None
    parser = Parser(core, core.text_layer(parsed))
    sample = fitting.collect(
        parser,
        corpora,
        args.file_bar(session),
        columns=len(names),
        place=names.index(parsed),
        kinds=only,
        normalizer=normalizer_of(core, parser.layer, allowed),
        admits=selection.admits if selection is not None else None,
    )
    if not sample.rows:
        _refuse_empty(session, sample, bool(only))
    fit = fitting.estimate(
        core,
        sample,
        fitting.Options(smoothing, prior),
        layer=parser.layer,
        selection=selection,
        progress=lambda done, nats: session.progress(f"round {done}: {nats:.4f}"),
    )
    likelihoods = {"declared": fit.before, "estimated": fit.after}
    session.present(
        "fit.j2",
        fit=fit,
        sample=sample,
        fates=[fate for fate in fitting.FATES if sample.fates[fate]],
        likelihoods={name: fitting.likelihood(nats, fit.tokens) for name, nats in likelihoods.items()},
        changes=fitting.changes(core, keys, fit, sample.rows, _CHANGES),
        seconds=time.monotonic() - started,
        exp=exp,
    )
    # Where the weights come from: plain values, the same on every computer.
    origin = {
        "grammar": compiled.project.name,
        "grammar_sha256": fingerprint(core, plan),
        "parameters": dict(sorted(compiled.parameters.items())),
        "corpora": sample.files,
        "rows_used": sample.rows,
        **asked,
        "rounds": fit.rounds,
        "log_likelihood": round(fit.after, 6),
    }
    if out is not None:
        lines = [*note, *_head(grammar, corpora, names[0], asked, session.settings, out)]
        session.write(out, fitting.weights_text(core, keys, fit, origin, lines))
    if json_file is not None:
        session.write(json_file, json_text({**origin, **fitting.fit_data(core, keys, fit, sample)}))
    args.report_unreadable(session, sample.fates["unreadable"], sample.unreadable)


def _refuse_empty(session: Session, sample: fitting.Sample, some: bool) -> NoReturn:
    """End the command, as no row says anything; only ``some`` kinds were asked for."""
    notes = [f"{count(rows, 'row')}: {fate}" for fate, rows in sample.fates.items() if rows]
    listed_rows = (*sample.unparsed[:3], *sample.unreadable[:3])
    notes += [f"{row.file}:{row.line}: {row.sentence} ({row.detail})" for row in listed_rows]
    known = ", ".join(f"`{kind}`" for kind in sorted(sample.kinds) if kind) or "none"
    hint = f"the kinds of rows are: {known}" if some else "`sglc audit` says more"
    session.fail("SGL1105", "no row of the corpus says anything about the weights", notes=notes, hint=hint)


def _head(
    grammar: Path, corpora: Sequence[Path], first: str, asked: Mapping[str, Any], settings: Mapping[str, str], out: Path
) -> list[str]:
    """Return the first lines of the file: what it is, and the command that makes it again."""
    words = ["sglc", "fit", _shown(grammar), *(path.name for path in corpora)]
    if first != asked["source"]:
        words += ["--layer", asked["source"]]
    for kind in asked["only"]:
        words += ["--only", kind]
    if asked["given"]:
        words += ["--given", asked["given"]]
    if asked["normalise"]:
        words += ["--normalise", ",".join(asked["normalise"])]
    for name, value in settings.items():
        words += ["--set", f"{name}={value}"]
    words += ["--smoothing", f"{asked['smoothing']:g}", "--prior", asked["prior"], "--out", _shown(out)]
    return ["Estimated from a corpus by", f"  {shlex.join(words)}"]


def _shown(path: Path) -> str:
    """Return a path as it was written, unless it is of one computer only."""
    return path.name if path.is_absolute() else path.as_posix()
