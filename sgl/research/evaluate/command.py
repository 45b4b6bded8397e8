"""``sglc eval``: score the predictions of systems for a dataset."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from sgl.cli.common import Progress, compile_options, count, progress, show
from sgl.cli.files import may_write, write_results
from sgl.cli.main import FAILED, OK, OUTPUT, USAGE
from sgl.core.plan import IN_DISTRIBUTION
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.diagnostics.source import visible
from sgl.frontend import Compiled
from sgl.parsing import UnparsableLayerError
from sgl.research.analyse.libraries import installed
from sgl.research.analyse.predictions import PredictionsError
from sgl.research.analyse.systems import systems_of
from sgl.research.evaluate.benchmark import Benchmark, DatasetError, Kind, read_benchmark
from sgl.research.evaluate.command_compounds import Compounds, compounds_of
from sgl.research.evaluate.command_request import MOST_SAMPLES, SAMPLES, Request
from sgl.research.evaluate.command_tables import show_result
from sgl.research.evaluate.judging import grammar_of
from sgl.research.evaluate.latex import latex
from sgl.research.evaluate.page import render_evaluation
from sgl.research.evaluate.partial import PartialMatch
from sgl.research.evaluate.predictions import Predictions, read_predictions
from sgl.research.evaluate.result import METRICS, Evaluation, Json, result_data
from sgl.research.evaluate.scoring import EDGES, PARTIAL, Scored, Scorer, System
from sgl.research.evaluate.segment import WAYS
from sgl.research.evaluate.shape import Shape, ShapeError, shape, shapes
from sgl.research.evaluate.slips import lemmas_by_word
from sgl.research.evaluate.surface import BLEU_METRIC, Surface, SurfaceScores
from sgl.research.evaluate.surface import SacrebleuMissing as Missing

_NAMED = 5

#: Libraries of the extra `eval` that every evaluation needs; without sacreBLEU others go on.
_NEEDED = ("scipy", "statsmodels")
_HOW_TO_INSTALL = "pip install 'sgl-compiler[eval]'"


@click.command("eval")
@click.argument("dataset", type=click.Path(path_type=Path))
@click.argument("predictions", nargs=-1, required=True, metavar="[NAME=]PREDICTIONS...")
@click.option("--split", metavar="NAME", help="The split predicted.  [default: gen]")
@click.option("--target", metavar="NAME", help="The target predicted.  [default: the first]")
@click.option(
    "--grammar",
    type=click.Path(path_type=Path),
    help="The grammar for Partial Match.  [default: that of the manifest]",
)
@click.option("--language", metavar="CODE", help="Language of the target, for BLEU.")
@click.option(
    "--test",
    type=click.Choice(("bootstrap", "randomisation")),
    default="randomisation",
    show_default=True,
    help="How differences between systems are tested.",
)
@click.option(
    "--samples", type=click.IntRange(100, MOST_SAMPLES), default=SAMPLES, show_default=True
)
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True)
@click.option(
    "--compounds", type=click.Path(path_type=Path), help="The compound of each row (CoGnition)."
)
@click.option(
    "--lexicon", type=click.Path(path_type=Path), help="Translations of the atoms of compounds."
)
@click.option(
    "--published-rule", is_flag=True, help="Judge compounds as the published script does."
)
@click.option(
    "--segment",
    type=click.Choice(WAYS),
    help="How texts are cut into words.  [default: as the language needs]",
)
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write it all as JSON.")
@click.option("--html", "html_file", type=click.Path(path_type=Path), help="Write a page.")
@click.option("--latex", "latex_file", type=click.Path(path_type=Path), help="Write LaTeX tables.")
@compile_options
def command(**options: Any) -> int:  # noqa: ANN401 - click decides the types
    """Score PREDICTIONS for DATASET, a directory of `sglc compile` or a file of rows.

    Predictions are one on a line, or have the names of rows before them (TSV, JSON lines).
    Files of one NAME are the runs of one system; without NAME each file is a system.
    """
    request = Request(**options)
    if (request.compounds is None) != (request.lexicon is None):
        click.echo("error: `--compounds` and `--lexicon` need one another", err=True)
        return USAGE
    if not may_write(request.results, request.inputs):
        return USAGE
    sources, diagnostics = SourceMap(), Diagnostics()
    chinese = ("jieba",) if request.segment == "jieba" else ()
    there = installed(chinese, "zh", diagnostics) and installed(_NEEDED, "eval", diagnostics)
    status = score(request, sources, diagnostics) if there else FAILED
    show(diagnostics, sources, request.form, request.color)
    return status


def score(request: Request, sources: SourceMap, diagnostics: Diagnostics) -> int:
    """Score predictions, show the tables and write the files; the exit status.

    With messages as JSON, standard output is theirs, and the tables are in the files only.
    """
    started = time.monotonic()
    data = _evaluate(request, sources, diagnostics)
    if data is not None:
        if request.form != "json":
            show_result(data)
            click.echo(f"\n{count(data['dataset']['items'], 'item')} in {_seconds(started)}")
        _write(data, request, diagnostics)
    if any(diagnostic.code == "SGL1103" for diagnostic in diagnostics):
        return OUTPUT
    return FAILED if data is None or diagnostics.errors else OK


def _seconds(started: float) -> str:
    return f"{time.monotonic() - started:.1f} s"


def _evaluate(request: Request, sources: SourceMap, diagnostics: Diagnostics) -> Json | None:
    """The result as plain data; None after errors."""
    try:
        benchmark = read_benchmark(request.dataset, request.split, request.target)
    except DatasetError as problem:
        diagnostics.error("SGL1401", None, problem.message, notes=problem.notes, hint=problem.hint)
        return None
    language = request.language or benchmark.target
    systems = _systems(request.predictions, benchmark, language, diagnostics)
    if systems is None:
        return None
    unavailable: dict[str, str] = {}
    files = request.compounds, request.lexicon
    compounds = compounds_of(benchmark, files, request.segment, diagnostics)
    compiled = _grammar(request, benchmark, sources, diagnostics, unavailable)
    if compiled is not None and not benchmark.kinds:
        kinds = {pattern.name: Kind.of(pattern) for pattern in compiled.plan.patterns}
        benchmark = replace(benchmark, kinds=kinds)
    partial, lemmas = _partial(compiled, benchmark, unavailable)
    if compounds is None or diagnostics.errors:
        return None
    rates = compounds.rates(benchmark, systems, published=request.published_rule)
    with progress() as line:
        scored = Scorer(benchmark, partial, lemmas, line).score(systems)
        if partial is not None and PARTIAL not in scored.scores:
            unavailable[METRICS[PARTIAL]] = "no item is of a pattern of the grammar"
        surface, signatures = _surface(request, benchmark, systems, compounds, unavailable, line)
        line("testing differences", 0, 1)
        data = result_data(
            Evaluation(
                benchmark,
                systems,
                scored,
                surface,
                signatures,
                _shapes(benchmark, unavailable),
                unavailable,
                request.test,
                request.samples,
                request.seed,
            )
        )
    if _is_in_distribution(benchmark):
        # Of these items nobody expects it; the page says so all the same.
        unavailable.pop(METRICS[PARTIAL], None)
    _warn(scored, unavailable, diagnostics)
    return data | ({"compounds": rates} if rates is not None else {})


def _systems(
    names: Sequence[str], benchmark: Benchmark, language: str, diagnostics: Diagnostics
) -> tuple[System, ...] | None:
    """The systems with their runs; None after errors about any of the files."""
    runs: dict[str, list[Predictions]] = {}
    words = [tuple(word.form for word in sentence.words) for sentence in benchmark.sentences]
    for name, path in systems_of(names):
        try:
            read = read_predictions(path, benchmark.rows, language, words)
        except PredictionsError as problem:
            diagnostics.error(
                "SGL1402",
                None,
                f"`{path}` cannot be scored: {visible(problem.message)}",
                notes=[visible(detail) for detail in problem.details],
                hint=problem.hint,
            )
            continue
        runs.setdefault(name, []).append(read)
        _warn_about(path, read, diagnostics)
    if diagnostics.errors:
        return None
    return tuple(System(name, tuple(found)) for name, found in runs.items())


def _warn_about(path: Path, read: Predictions, diagnostics: Diagnostics) -> None:
    for what, names in (("missing", read.missing), ("empty", read.empty)):
        if names:
            more = ["…"] if len(names) > _NAMED else []
            diagnostics.warning(
                "SGL1403",
                None,
                f"`{path}`: {count(len(names), 'prediction')} {what}, counted as wrong",
                notes=[*names[:_NAMED], *more],
            )
    if read.shifted:
        diagnostics.warning(
            "SGL1403",
            None,
            f"`{path}` seems to be off by one line",
            notes=["most of its lines are right for the row before or after theirs"],
            hint="with the names of rows before the predictions this cannot happen",
        )


def _grammar(
    request: Request,
    benchmark: Benchmark,
    sources: SourceMap,
    diagnostics: Diagnostics,
    unavailable: dict[str, str],
) -> Compiled | None:
    """The grammar that judges partial matches; None if it is not at hand, or there are none."""
    why = _no_partial(request, benchmark)
    compiled: Compiled | None = None
    if not why:
        compiled = grammar_of(benchmark, request.grammar, request.settings, sources, diagnostics)
        why = "" if compiled is not None else "the grammar of the dataset is not at hand"
    if why:
        unavailable[METRICS[PARTIAL]] = why
    return compiled


def _partial(
    compiled: Compiled | None, benchmark: Benchmark, unavailable: dict[str, str]
) -> tuple[PartialMatch | None, Mapping[str, frozenset[str]]]:
    """What judges partial matches, and the lemmas of words."""
    if compiled is None:
        return None, {}
    core, plan = compiled.grammar, compiled.plan
    names = [layer.name for layer in core.text_layers]
    source = benchmark.source if benchmark.source in names else plan.source
    target = benchmark.target if benchmark.target in names else plan.target
    if target not in names or not plan.lemma_layer:
        unavailable[METRICS[PARTIAL]] = "the target of the grammar is no text layer"
        return None, {}
    try:
        judge = PartialMatch(core, plan.patterns, source, target, plan.lemma_layer)
    except UnparsableLayerError as problem:
        unavailable[METRICS[PARTIAL]] = str(problem)
        return None, {}
    layers = core.graph_layer(plan.lemma_layer), core.text_layer(target)
    return judge, lemmas_by_word(core, *layers)


def _is_in_distribution(benchmark: Benchmark) -> bool:
    """Whether the split of a dataset has no items of patterns, as `test` has none."""
    kinds = {row.category for row in benchmark.rows}
    return benchmark.directory is not None and kinds == {IN_DISTRIBUTION}


def _no_partial(request: Request, benchmark: Benchmark) -> str:
    """Why partial matches make no sense here; empty if they may."""
    if benchmark.view:
        return "the target is a logical form"
    if benchmark.sentences:
        return "the dataset is a treebank"
    if not benchmark.kinds and request.grammar is None:
        return "the dataset has no manifest; `--grammar` names its grammar"
    return ""


def _surface(
    request: Request,
    benchmark: Benchmark,
    systems: Sequence[System],
    compounds: Compounds,
    unavailable: dict[str, str],
    line: Progress,
) -> tuple[dict[str, tuple[SurfaceScores, ...]], dict[str, str]]:
    """BLEU and chrF++ of every run, with their signatures."""
    what = f"{METRICS[BLEU_METRIC]}, chrF++"
    if benchmark.view:
        unavailable[what] = "the target is a logical form"
        return {}, {}
    try:
        language, words = request.language or benchmark.target, compounds.surface
        surface = (
            Surface(language) if words is None else Surface(language, words.segment, words.name)
        )
    except Missing as problem:
        unavailable[what] = f"{problem} ({_HOW_TO_INSTALL})"
        return {}, {}
    places: dict[str, list[int]] = {}
    for place, row in enumerate(benchmark.rows):
        places.setdefault(row.category, []).append(place)
    gold = [row.target for row in benchmark.rows]
    found: dict[str, tuple[SurfaceScores, ...]] = {}
    for number, system in enumerate(systems):
        line("BLEU and chrF++", number, len(systems))
        found[system.name] = tuple(
            surface.count(
                {
                    name: ([gold[n] for n in chosen], [run.texts[n] for n in chosen])
                    for name, chosen in places.items()
                }
            )
            for run in system.runs
        )
    return found, surface.signatures


def _shapes(benchmark: Benchmark, unavailable: dict[str, str]) -> tuple[Shape, ...]:
    """The shapes of the items, if the dataset has its graphs."""
    what = "tables by length and depth"
    if benchmark.sentences:
        return tuple(
            shape(sentence.heads, [word.deprel for word in sentence.words])
            for sentence in benchmark.sentences
        )
    if benchmark.directory is None:
        unavailable[what] = "the dataset has no CoNLL-U file"
        return ()
    path = benchmark.directory / "conllu" / f"{benchmark.split}.conllu"
    try:
        found = tuple(shapes(path))
    except FileNotFoundError:
        unavailable[what] = "the dataset has no CoNLL-U file"
        return ()
    except (OSError, ShapeError, UnicodeDecodeError) as problem:
        unavailable[what] = f"`{path}`: {problem}"
        return ()
    if len(found) != len(benchmark.rows):
        unavailable[what] = f"`{path}` has {len(found):,} sentences"
        return ()
    return found


def _warn(scored: Scored, unavailable: Mapping[str, str], diagnostics: Diagnostics) -> None:
    """Say what was not computed although it could be, and where a metric falls short."""
    for what, why in unavailable.items():
        diagnostics.warning("SGL1405", None, f"not computed: {what}", notes=[why])
    if scored.edgeless:
        diagnostics.warning(
            "SGL1405",
            None,
            f"not computed: {METRICS[EDGES]} of {count(scored.edgeless, 'item')}",
            notes=["the grammar does not derive their gold texts; the others are counted"],
        )
    short = {name: pair for name, pair in scored.gold.items() if pair[0] != pair[1]}
    if short:
        diagnostics.warning(
            "SGL1407",
            None,
            "Partial Match does not accept all gold texts",
            notes=[f"{name}: {right} of {checked}" for name, (checked, right) in short.items()],
        )


def _write(data: Json, request: Request, diagnostics: Diagnostics) -> None:
    texts: list[tuple[Path, str]] = []
    if request.json_file is not None:
        texts.append((request.json_file, json.dumps(data, ensure_ascii=False, indent=1) + "\n"))
    if request.html_file is not None:
        texts.append((request.html_file, render_evaluation(data)))
    if request.latex_file is not None:
        texts.append((request.latex_file, latex(data)))
    write_results(texts, diagnostics)
