"""``sglc analyse``: the trees of a treebank, and which of them systems fail at."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sgl.cli.common import bar, count, message_options, print_table, progress, show
from sgl.cli.files import may_write, report_unread, write_results
from sgl.cli.main import FAILED, OK, OUTPUT, USAGE
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.diagnostics.source import visible
from sgl.research.analyse.predictions import systems_of

if TYPE_CHECKING:
    from sgl.research.analyse.result import Analysis, AnalysisSettings, SystemScores
    from sgl.research.analyse.tables import ResultTable

#: Malformed sentences that are named.
_NOTED = 10

#: The most words of a structure; the number of structures grows with each word.
_LARGEST = 5

_TOKENIZERS = ("marks", "space", "13a", "intl", "zh", "char")
_VIEWS = ("dep", "pos", "pos-dep")


@click.command("analyse")
@click.argument("gold", type=click.Path(path_type=Path))
@click.argument("predictions", nargs=-1)
@click.option(
    "--compare",
    "column",
    type=click.Choice(("form", "lemma")),
    default="form",
    show_default=True,
    help="Which words of the treebank outputs have.",
)
@click.option(
    "--tokenize",
    "tokenizer",
    type=click.Choice(_TOKENIZERS),
    default="marks",
    show_default=True,
    help="How texts are cut into words.",
)
@click.option("--keep-case", is_flag=True, help="Capital letters matter.")
@click.option("--keep-punctuation", is_flag=True, help="Punctuation is part of the trees.")
@click.option("--by", metavar="KEY", help="Group sentences by the value of the comment # KEY = …")
@click.option(
    "--view",
    "views",
    type=click.Choice(_VIEWS),
    multiple=True,
    help="Mine structures with these labels (repeatable).  [default: all]",
)
@click.option(
    "--nodes",
    metavar="MIN:MAX",
    default="2:3",
    show_default=True,
    help="How many words mined structures have.",
)
@click.option(
    "--support",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Mine structures of at least so many sentences.",
)
@click.option(
    "--rounds",
    type=click.IntRange(0, 1000),
    default=3,
    show_default=True,
    help="How often blame is divided again.",
)
@click.option(
    "--failure",
    metavar="WHICH",
    default="quartile",
    show_default=True,
    help="What has failed: quartile, inexact, or all below this BLEU (0 to 1).",
)
@click.option(
    "--json", "json_file", type=click.Path(path_type=Path), help="Write everything as JSON."
)
@click.option(
    "--html", "html_file", type=click.Path(path_type=Path), help="Write a page for people."
)
@click.option(
    "--latex", "latex_file", type=click.Path(path_type=Path), help="Write the tables as LaTeX."
)
@message_options
def command(
    gold: Path,
    predictions: tuple[str, ...],
    json_file: Path | None,
    html_file: Path | None,
    latex_file: Path | None,
    form: str,
    color: str,
    **options: Any,  # noqa: ANN401 - click decides the types
) -> int:
    """Analyse the trees of GOLD, a treebank in CoNLL-U, and the PREDICTIONS of systems.

    A file of predictions has a text on each line, for the sentences in order; or ids and
    texts (.tsv, .jsonl); or sentences (.conllu).  NAME=PREDICTIONS names a system.
    """
    diagnostics = Diagnostics()
    if not installed(("scipy", "statsmodels", "sacrebleu"), "eval", diagnostics):
        show(diagnostics, SourceMap(), form, color)
        return FAILED
    from sgl.research.analyse.result import AnalysisSettings

    failure, nodes = _failure(options.pop("failure")), _nodes(options.pop("nodes"))
    results = [path for path in (json_file, html_file, latex_file) if path is not None]
    systems = systems_of(predictions)
    inputs = (gold, *(path for _, path in systems))
    if failure is None or nodes is None or not may_write(results, inputs):
        return USAGE
    if twice := [name for name, uses in Counter(name for name, _ in systems).items() if uses > 1]:
        click.echo(f"error: two files are those of `{twice[0]}`; a system has one here", err=True)
        return USAGE
    views = options.pop("views") or _VIEWS
    settings = AnalysisSettings(**options, views=views, nodes=nodes, failure=failure)
    started = time.monotonic()
    found = _analyse(gold, systems, settings, diagnostics)
    if found is not None:
        _report(found, diagnostics)
        if found.treebank.sentences:
            if form != "json":
                _show(found, time.monotonic() - started)
            _write(found, json_file, html_file, latex_file, diagnostics)
    show(diagnostics, SourceMap(), form, color)
    if {diagnostic.code for diagnostic in diagnostics} & {"SGL1102", "SGL1103"}:
        return OUTPUT
    return FAILED if diagnostics.errors else OK


def installed(libraries: Sequence[str], extra: str, diagnostics: Diagnostics) -> bool:
    """Tell whether the libraries of an extra of the package are there; report those missing."""
    missing = [name for name in libraries if find_spec(name) is None]
    if missing:
        diagnostics.error(
            "SGL0904",
            None,
            f"no {' and no '.join(missing)}",
            hint=f"pip install 'sgl-compiler[{extra}]'",
        )
    return not missing


def _failure(text: str) -> str | float | None:
    """Read ``--failure``; None after a message."""
    if text in ("quartile", "inexact"):
        return text
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if 0 <= value <= 1:
        return value
    click.echo(
        f"error: `--failure {text}` is none of quartile, inexact, or a number from 0 to 1", err=True
    )
    return None


def _nodes(text: str) -> tuple[int, int] | None:
    """Read ``--nodes``; None after a message."""
    first, _, last = text.partition(":")
    numbers = [part for part in (first, last or first) if part.isascii() and part.isdigit()]
    if len(numbers) == 2 and all(len(part) == 1 for part in numbers):
        smallest, largest = map(int, numbers)
        if 1 <= smallest <= largest <= _LARGEST:
            return smallest, largest
    click.echo(f"error: `--nodes {text}` is no range within 1:{_LARGEST}", err=True)
    return None


def _analyse(
    gold: Path,
    systems: Sequence[tuple[str, Path]],
    settings: AnalysisSettings,
    diagnostics: Diagnostics,
) -> Analysis | None:
    """Return the analysis; None after a report."""
    from sgl.research.analyse import analyse
    from sgl.research.treebank import unreadable_kind

    for path in (gold, *(path for _, path in systems)):
        if not path.is_file():
            reason = "it is a directory" if path.is_dir() else "there is no such file"
            diagnostics.error("SGL1102", None, f"cannot read `{path}`: {reason}")
    if diagnostics.errors:
        return None
    try:
        other = unreadable_kind(gold)
    except OSError as problem:
        other = problem.strerror or str(problem)
    if other:
        diagnostics.error("SGL1102", None, f"cannot read `{gold}`: {other}")
        return None
    with progress() as line:

        def advance(done: int, size: int) -> None:
            share = done / size if size else 1.0
            line(f"{bar(share)}  {gold.name}", 0, 1)

        try:
            return analyse(gold, systems, settings, advance)
        except OSError as problem:
            report_unread(problem, diagnostics)
    return None


def _report(found: Analysis, diagnostics: Diagnostics) -> None:
    """Say what was not looked at, and what was counted as wrong."""
    bank = found.treebank
    if bank.malformed:
        places = [
            visible(f"{bank.path}:{block.line}: {block.reason}") for block in bank.listed[:_NOTED]
        ]
        more = ["…"] if bank.malformed > len(places) else []
        diagnostics.error(
            "SGL1501",
            None,
            f"{count(bank.malformed, 'sentence')} cannot be read",
            notes=[*places, *more],
        )
    elif not bank.sentences:
        diagnostics.error("SGL1502", None, f"`{bank.path}` has no sentence")
    for failed in found.failed_systems:
        diagnostics.error(
            "SGL1402",
            None,
            f"`{failed.path}` cannot be scored: {visible(failed.message)}",
            notes=[visible(detail) for detail in failed.details],
            hint=failed.hint,
        )
    for system in found.systems:
        _report_outputs(system, diagnostics)
    for mined in found.mined:
        if mined.too_broad:
            diagnostics.warning(
                "SGL1506",
                None,
                f"{count(mined.too_broad, 'sentence')} left out of mining ({mined.view}): "
                "too many structures",
                hint="`--nodes` with a smaller maximum has fewer",
            )


def _report_outputs(system: SystemScores, diagnostics: Diagnostics) -> None:
    if system.missing:
        diagnostics.warning(
            "SGL1403",
            None,
            f"`{system.path}`: {count(system.missing, 'prediction')} missing, counted as wrong",
        )
    if system.foreign is not None:
        foreign = system.foreign
        diagnostics.warning(
            "SGL1507",
            None,
            f"`{system.path}` is not in the language of the treebank, by its letters: "
            f"{', '.join(foreign.outputs)}, not {', '.join(foreign.treebank)}",
            notes=[f"of its first {count(foreign.words, 'word')} {foreign.known:,} are in there"],
            hint="is it a file of sources, or for another target?",
        )
    if system.glued:
        diagnostics.warning(
            "SGL1505",
            None,
            f"{count(system.glued, 'output')} of `{system.path}` have the text of the sentence, "
            "but not its words",
            hint="`--tokenize` says how texts are cut into words; CoNLL-U and lists in JSON "
            "have them as they are",
        )


def _show(found: Analysis, seconds: float) -> None:
    from sgl.research.analyse.tables import tables

    for table in tables(found):
        _show_table(table)
    bank = found.treebank
    words = count(bank.words, "word")
    left_out = "" if found.settings.keep_punctuation else " without punctuation"
    click.echo(f"{count(bank.sentences, 'sentence')}, {words}{left_out}, in {seconds:.1f} s")


def _show_table(table: ResultTable) -> None:
    from rich import table as rich_table
    from rich.text import Text

    shown = rich_table.Table(
        title=Text(visible(table.title)),
        title_justify="left",
        box=None,
        pad_edge=False,
        header_style="bold",
    )
    for number, name in enumerate(table.columns):
        shown.add_column(Text(visible(name)), justify="left" if number < table.texts else "right")
    for row in table.rows:
        shown.add_row(*(Text(visible(cell), no_wrap=True) for cell in row))
    print_table(shown)
    click.echo()


def _write(
    found: Analysis,
    json_file: Path | None,
    html_file: Path | None,
    latex_file: Path | None,
    diagnostics: Diagnostics,
) -> None:
    from sgl.research.analyse.data import analysis_data
    from sgl.research.analyse.tables import latex, tables

    texts: list[tuple[Path, str]] = []
    data = analysis_data(found)
    if json_file is not None:
        text = json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False)
        texts.append((json_file, text + "\n"))
    if html_file is not None:
        from sgl.research.analyse.page import render_analysis

        texts.append((html_file, render_analysis(data, Path(found.treebank.path).name)))
    if latex_file is not None:
        texts.append((latex_file, latex(tables(found))))
    write_results(texts, diagnostics)
