"""``sglc eval``: score the predictions of systems for a dataset."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import click

from sgl.cli.files import FILE, JSON, PAGE, TABLES, force_option
from sgl.cli.main import FAILED, OK, OUTPUT
from sgl.cli.session import Session, grammar_options, json_text
from sgl.cli.terminal import count
from sgl.diagnostics import Diagnostics
from sgl.research.analyse.command import SYSTEM, installed
from sgl.research.evaluate.benchmark import DatasetError, read_benchmark
from sgl.research.evaluate.data import Json
from sgl.research.evaluate.evaluation import Evaluation
from sgl.research.evaluate.page import render_evaluation
from sgl.research.evaluate.surface import WAYS
from sgl.research.evaluate.tables import latex, show_result

#: Samples of a test of differences; more than the most would fill the memory.
SAMPLES, MOST_SAMPLES = 100_000, 10_000_000

#: Libraries of the extra `eval` that every evaluation needs; it can do without sacreBLEU.
_NEEDED = ("scipy",)


@dataclass(frozen=True)
class EvaluationRequest:
    """What is to be scored and how: the options of the command line."""

    dataset: Path
    predictions: tuple[str, ...]
    settings: dict[str, str]
    form: str
    split: str | None = None
    target: str | None = None
    grammar: Path | None = None
    language: str | None = None
    test: Literal["bootstrap", "randomisation"] = "randomisation"
    samples: int = SAMPLES
    seed: int = 1
    compounds: Path | None = None
    lexicon: Path | None = None
    published_rule: bool = False
    segment: str | None = None
    json_file: Path | None = None
    html_file: Path | None = None
    latex_file: Path | None = None


@click.command("eval")
@click.argument("dataset", type=FILE)
@click.argument(
    "predictions", type=SYSTEM, nargs=-1, required=True, metavar="[NAME=]PREDICTIONS..."
)
@click.option("--split", metavar="NAME", help="The split predicted.  [default: gen]")
@click.option("--target", metavar="NAME", help="The target predicted.  [default: the first]")
@click.option(
    "--grammar", type=FILE, help="The grammar for Partial Match.  [default: that of the manifest]"
)
@click.option("--language", metavar="CODE", help="Language of the target, for BLEU.")
@click.option(
    "--test",
    type=click.Choice(("bootstrap", "randomisation")),
    default="randomisation",
    help="How differences between systems are tested.",
)
@click.option("--samples", type=click.IntRange(100, MOST_SAMPLES), default=SAMPLES)
@click.option("--seed", type=click.IntRange(min=0), default=1)
@click.option("--compounds", type=FILE, help="The compound of each row (CoGnition).")
@click.option("--lexicon", type=FILE, help="Translations of the atoms of compounds.")
@click.option(
    "--published-rule", is_flag=True, help="Judge compounds as the published script does."
)
@click.option(
    "--segment",
    type=click.Choice(WAYS),
    help="How texts are cut into words.  [default: as the language needs]",
)
@click.option("--json", "json_file", type=JSON, help="Write it all as JSON.")
@click.option("--html", "html_file", type=PAGE, help="Write a page.")
@click.option("--latex", "latex_file", type=TABLES, help="Write LaTeX tables.")
@force_option
@grammar_options
def command(session: Session, **options: Any) -> None:  # noqa: ANN401 - click decides
    """Score PREDICTIONS for DATASET, a directory of `sglc compile` or a file of rows.

    Predictions are one on a line, or have the names of rows before them (TSV, JSON lines).
    Files of one NAME are the runs of one system; without NAME each file is a system.
    """
    request = EvaluationRequest(settings=dict(session.settings), form=session.form, **options)
    if (request.compounds is None) != (request.lexicon is None):
        session.refuse("`--compounds` and `--lexicon` need one another")
    chinese = ("jieba",) if request.segment == "jieba" else ()
    for libraries, extra in ((chinese, "zh"), (_NEEDED, "eval")):
        if not installed(libraries, extra, session.diagnostics):
            session.stop()
    session.stop(score(session, request, session.diagnostics))


def score(session: Session, request: EvaluationRequest, diagnostics: Diagnostics) -> int:
    """Score predictions, show the tables and write the files; return the exit status.

    With messages as JSON, standard output is theirs, and the tables are in the files only.
    """
    started = time.monotonic()
    try:
        benchmark = read_benchmark(request.dataset, request.split, request.target)
    except DatasetError as fault:
        diagnostics.error("SGL1401", None, fault.message, notes=fault.details, hint=fault.hint)
        return FAILED
    data = Evaluation(request, benchmark, session.sources, diagnostics).evaluate()
    if data is not None:
        if request.form != "json":
            show_result(data)
            seconds = time.monotonic() - started
            click.echo(f"\n{count(data['dataset']['items'], 'item')} in {seconds:.1f} s")
        writers: list[tuple[Path | None, Callable[[Json], str]]] = [
            (request.json_file, json_text),
            (request.html_file, render_evaluation),
            (request.latex_file, latex),
        ]
        texts = [(path, text(data)) for path, text in writers if path is not None]
        written = [session.write(path, text) for path, text in texts]
        if not all(written):
            return OUTPUT
    return FAILED if data is None or diagnostics.errors else OK
