"""Run ``sglc eval``: score the predictions of systems for one split."""

import csv
import io
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from sgl.cli.files import FILE, GRAMMAR, ITEMS, PAGE, TABLES, force_option, json_file_option
from sgl.cli.main import FAILED, OK, OUTPUT
from sgl.cli.session import Session, grammar_options
from sgl.cli.terminal import count
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.research.analyse.command import SYSTEM, installed, write_results
from sgl.research.analyse.scoring import Json
from sgl.research.evaluate.answers import NAMED
from sgl.research.evaluate.data import latex, render_evaluation, show_result
from sgl.research.evaluate.evaluation import (
    LEFT_OUT,
    MOST_SAMPLES,
    NEEDED,
    SAMPLES,
    Evaluation,
    EvaluationRequest,
    evaluation_of,
)
from sgl.research.evaluate.meanings import kinds_of
from sgl.research.evaluate.runs import Given, Model
from sgl.research.evaluate.scoring import EXACT
from sgl.research.evaluate.surface import WAYS


@click.command("eval")
@click.argument("dataset", type=FILE)
@click.argument("predictions", type=SYSTEM, nargs=-1, required=True, metavar="[NAME=]PREDICTIONS...")
@click.option("--split", metavar="NAME", help="The predicted split.  [default: gen]")
@click.option("--target", metavar="NAME", help="The predicted target.  [default: the first]")
@click.option("--grammar", type=GRAMMAR, help="The grammar for Partial Match.  [default: the dataset's]")
@click.option("--language", metavar="CODE", help="Language of the target, for BLEU.")
@click.option(
    "--test",
    type=click.Choice(("bootstrap", "randomisation")),
    default="randomisation",
    help="The significance test for differences between systems.",
)
@click.option(
    "--samples", type=click.IntRange(100, MOST_SAMPLES), default=SAMPLES, help="Number of samples in the test."
)
@click.option("--seed", type=click.IntRange(min=0), default=1, help="Random seed.")
@click.option(
    "--slice", "slices", multiple=True, metavar="NAME=WHAT", help="Divide items: by {structure}, file, or `quota`."
)
@click.option(
    "--runs",
    type=click.Choice(("averaged", "pooled")),
    default="averaged",
    help="Average BLEU and chrF++ over several runs, or compute them on all outputs as one corpus.",
)
@click.option("--train", type=FILE, multiple=True, help="A variant that systems were trained on (repeatable).")
@click.option(
    "--missing", type=click.Choice(("wrong", LEFT_OUT)), default="wrong", help="How to treat rows without a prediction."
)
@click.option(
    "--answer",
    multiple=True,
    help=f"Where answers are in outputs: {', '.join(NAMED)}, tag:NAME, /REGEX/, a template with {{}} (repeatable).",
)
@click.option("--programs", is_flag=True, help="Predictions are programs, one for each pattern: run them.")
@click.option("--compounds", type=FILE, help="The compound of each row (CoGnition).")
@click.option("--lexicon", type=FILE, help="Translations of the atoms of compounds.")
@click.option("--published-rule", is_flag=True, help="Judge compounds as the published script does.")
@click.option("--judgements", type=FILE, multiple=True, help="What people or judges say of outputs (repeatable).")
@click.option("--segment", type=click.Choice(WAYS), help="How to segment texts into words.  [default: by language]")
@json_file_option
@click.option("--html", "html_file", type=PAGE, help="Write an HTML page.")
@click.option("--latex", "latex_file", type=TABLES, help="Write LaTeX tables.")
@click.option("--mistakes", "mistakes_file", type=ITEMS, help="Write the mistakes of each item as CSV.")
@force_option
@grammar_options
def command(session: Session, **options: Any) -> None:  # noqa: ANN401 - click decides
    """Score PREDICTIONS for DATASET, a directory of `sglc compile` or a file of rows.

    Predictions are one on a line, or have the names of rows before them (TSV, JSON lines).
    Files of one NAME are the runs of one system; without NAME each file is a system.
    """
    request = EvaluationRequest(settings=dict(session.settings), **options)
    if (request.compounds is None) != (request.lexicon is None):
        session.refuse("`--compounds` and `--lexicon` need each other")
    chinese = ("jieba",) if request.segment == "jieba" else ()
    for libraries, extra in ((chinese, "zh"), (NEEDED, "eval")):
        if not installed(libraries, extra, session.diagnostics):
            session.stop()
    session.stop(score(session, request, session.diagnostics))


def score(session: Session, request: EvaluationRequest, diagnostics: Diagnostics) -> int:
    """Score predictions, show the tables and write the files; return the exit status.

    With messages as JSON, standard output is theirs, and the tables are in the files only.
    """
    started = time.monotonic()
    if (found := evaluation_of(request, session.sources, diagnostics)) is not None:
        evaluation, data = found
        if session.form != "json":
            show_result(data)
            seconds = time.monotonic() - started
            click.echo(f"\n{count(data['dataset']['items'], 'item')} in {seconds:.1f} s")
        path = request.mistakes_file
        if path is not None and not session.write(path, items_text(evaluation)):
            return OUTPUT
        if not write_results(session, vars(request), data, render_evaluation, latex):
            return OUTPUT
    return FAILED if found is None or diagnostics.errors else OK


def evaluate(
    dataset: Path,
    given: Mapping[str, Given | Model],
    options: dict[str, Any],
    sources: SourceMap,
    diagnostics: Diagnostics,
) -> Json | None:
    """Do the same for ``sgl.evaluate``, with the options of the command."""
    if not installed(NEEDED, "eval", diagnostics):
        return None
    found = evaluation_of(EvaluationRequest(dataset, (), {}, given=given, **options), sources, diagnostics)
    return None if found is None else found[1]


#: The columns of the table, before the texts.
_COLUMNS = ("id", "pattern", "system", "run", "right", "answer", "kinds", "evidence", "source", "target", "prediction")


def items_text(evaluation: Evaluation) -> str:
    """Return the table as CSV; several kinds, and what shows them, are separated by semicolons."""
    text, scores = io.StringIO(), evaluation.scores
    table = csv.writer(text, lineterminator="\n")
    table.writerow(_COLUMNS)
    for system, runs in evaluation.systems.items():
        mistakes = scores.mistakes.get(system, [[()] * len(run.texts) for run in runs])
        rights = scores.scores[EXACT][system]
        for number, (run, own, right) in enumerate(zip(runs, mistakes, rights, strict=True), 1):
            rows = zip(evaluation.benchmark.rows, run.texts, run.faults, own, right, strict=True)
            for row, said, fault, found, good in rows:
                kinds = "; ".join(kind.value for kind in kinds_of(found))
                shown = "; ".join(f"{one.kind.value}: {one.gold} → {one.said}" for one in found)
                first = row.id, row.category, system, number, int(good)
                table.writerow((*first, fault or "", kinds, shown, row.source, row.target, said))
    return text.getvalue()
