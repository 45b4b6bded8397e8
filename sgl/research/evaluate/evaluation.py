"""Evaluate the predictions of systems for one split, with everything that is at hand.

::

    predictions ─┐
    rows ────────┼── scores of items ──┐
    grammar ─────┘   BLEU, chrF++ ─────┼── the result as plain data
    compounds, graphs ─────────────────┘

What cannot be computed is named with the reason, and the rest is computed all the same.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sgl.cli.terminal import Progress, count, progress
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.parsing import UnparsableLayerError
from sgl.research.analyse.command import report_fault
from sgl.research.analyse.predictions import PredictionsError, systems_of
from sgl.research.evaluate.benchmark import Benchmark, PatternInfo, grammar_of, places_by
from sgl.research.evaluate.compound_rates import compounds_of
from sgl.research.evaluate.data import METRICS, Evaluation, Json, evaluation_data
from sgl.research.evaluate.partial import PartialMatch
from sgl.research.evaluate.runs import Run, Systems, read_run
from sgl.research.evaluate.scoring import EDGES, PARTIAL, Scores
from sgl.research.evaluate.surface import BLEU_METRIC, Segmentation, Surface, SurfaceScores
from sgl.research.evaluate.trees import TreeFileError, TreeShape, read_tree_shapes, tree_shape

if TYPE_CHECKING:
    from sgl.research.evaluate.command import EvaluationRequest

#: Rows that a message names.
_NAMED = 5

_BLEU_AND_CHRF = f"{METRICS[BLEU_METRIC]}, chrF++"
_SHAPES = "tables by length and depth"


class Evaluator:
    """Evaluates one request; ``unavailable`` says why something is not computed."""

    def __init__(
        self,
        request: EvaluationRequest,
        benchmark: Benchmark,
        sources: SourceMap,
        diagnostics: Diagnostics,
    ) -> None:
        self._request = request
        self._benchmark = benchmark
        self._language = request.language or benchmark.target
        self._sources = sources
        self._diagnostics = diagnostics
        self._unavailable: dict[str, str] = {}

    def evaluate(self) -> Json | None:
        """Return the result as plain data; None after errors."""
        request = self._request
        systems = self._systems()
        if systems is None:
            return None
        files = request.compounds, request.lexicon
        compounds = compounds_of(self._benchmark, files, request.segment, self._diagnostics)
        partial = self._partial_match()
        if compounds is None or self._diagnostics.errors:
            return None
        rates = compounds.rates(self._benchmark, systems, published=request.published_rule)
        with progress() as line:
            scores = Scores(self._benchmark, systems)
            scores.judge(trees=partial is None)
            if partial is not None:
                scores.match(partial, line)
            if partial is not None and PARTIAL not in scores.scores:
                self._unavailable[METRICS[PARTIAL]] = "no item is of a pattern of the grammar"
            surface, signatures = self._surface(systems, compounds.chosen, line)
            line("testing differences", 0, 1)
            data = evaluation_data(
                Evaluation(
                    request,
                    self._benchmark,
                    systems,
                    scores,
                    surface,
                    signatures,
                    self._tree_shapes(),
                    self._unavailable,
                )
            )
        if self._benchmark.is_in_distribution:
            # Nobody expects partial matches of these items; the page says why there are none.
            self._unavailable.pop(METRICS[PARTIAL], None)
        self._warn(scores)
        return data | ({"compounds": rates} if rates is not None else {})

    def _systems(self) -> Systems | None:
        """Return the systems with their runs; None after errors about any of the files."""
        benchmark = self._benchmark
        runs: dict[str, list[Run]] = {}
        words = [tuple(word.form for word in sentence.words) for sentence in benchmark.sentences]
        for name, path in systems_of(self._request.predictions):
            try:
                run = read_run(path, benchmark.rows, self._language, words)
            except PredictionsError as problem:
                report_fault(path, problem, self._diagnostics)
                continue
            runs.setdefault(name, []).append(run)
            for what, names in (("missing", run.missing), ("empty", run.empty)):
                if names:
                    self._diagnostics.warning(
                        "SGL1403",
                        None,
                        f"`{path}`: {count(len(names), 'prediction')} {what}, counted as wrong",
                        notes=[*names[:_NAMED], *(["…"] if len(names) > _NAMED else [])],
                    )
            if run.shifted:
                self._diagnostics.warning(
                    "SGL1403",
                    None,
                    f"`{path}` seems to be off by one line",
                    notes=["most of its lines are right for the row before or after theirs"],
                    hint="with the names of rows before the predictions this cannot happen",
                )
        return None if self._diagnostics.errors else runs

    def _partial_match(self) -> PartialMatch | None:
        """Return what decides about partial matches; without a grammar for them, None."""
        request, benchmark, compiled = self._request, self._benchmark, None
        if benchmark.view:
            why = "the target is a logical form"
        elif benchmark.sentences:
            why = "the dataset is a treebank"
        elif not benchmark.patterns and request.grammar is None:
            why = "the dataset has no manifest; `--grammar` names its grammar"
        else:
            why = "the grammar of the dataset is not at hand"
            compiled = grammar_of(
                benchmark, request.grammar, request.settings, self._sources, self._diagnostics
            )
        if compiled is not None:
            core, plan = compiled.grammar, compiled.plan
            if not benchmark.patterns:
                patterns = {p.name: PatternInfo(p.title, p.groups) for p in plan.patterns}
                self._benchmark = replace(benchmark, patterns=patterns)
            names = [layer.name for layer in core.text_layers]
            source = benchmark.source if benchmark.source in names else plan.source
            target = benchmark.target if benchmark.target in names else plan.target
            why = "the target of the grammar is no text layer"
            if target in names and plan.lemma_layer:
                try:
                    return PartialMatch(core, plan.patterns, source, target, plan.lemma_layer)
                except UnparsableLayerError as problem:
                    why = str(problem)
        self._unavailable[METRICS[PARTIAL]] = why
        return None

    def _surface(
        self, systems: Systems, segmentation: Segmentation | None, line: Progress
    ) -> tuple[dict[str, tuple[SurfaceScores, ...]], dict[str, str]]:
        """Return BLEU and chrF++ of every run, and the signatures of both."""
        if self._benchmark.view:
            self._unavailable[_BLEU_AND_CHRF] = "the target is a logical form"
            return {}, {}
        try:
            surface = Surface(self._language, segmentation)
        except ImportError as problem:
            self._unavailable[_BLEU_AND_CHRF] = f"{problem} (pip install 'sgl-compiler[eval]')"
            return {}, {}
        places = places_by((row.category,) for row in self._benchmark.rows)
        gold = [row.target for row in self._benchmark.rows]
        found: dict[str, tuple[SurfaceScores, ...]] = {}
        for number, (name, runs) in enumerate(systems.items()):
            line("BLEU and chrF++", number, len(systems))
            found[name] = tuple(
                surface.count(
                    {
                        kind: ([gold[n] for n in chosen], [run.texts[n] for n in chosen])
                        for kind, chosen in places.items()
                    }
                )
                for run in runs
            )
        return found, surface.signatures

    def _tree_shapes(self) -> tuple[TreeShape, ...]:
        """Return the shapes of the trees of the items, if the dataset has them."""
        benchmark = self._benchmark
        if benchmark.sentences:
            return tuple(
                tree_shape(sentence.heads, tuple([word.deprel for word in sentence.words]))
                for sentence in benchmark.sentences
            )
        why = "the dataset has no CoNLL-U file"
        if benchmark.directory is not None:
            path = benchmark.directory / "conllu" / f"{benchmark.split}.conllu"
            try:
                found = tuple(read_tree_shapes(path))
                if len(found) == len(benchmark.rows):
                    return found
                why = f"`{path}` has {len(found):,} sentences"
            except FileNotFoundError:
                pass
            except (OSError, TreeFileError) as problem:
                why = f"`{path}`: {problem}"
        self._unavailable[_SHAPES] = why
        return ()

    def _warn(self, scores: Scores) -> None:
        """Say what was not computed although it could be, and where a metric falls short."""
        for what, why in self._unavailable.items():
            self._diagnostics.warning("SGL1405", None, f"not computed: {what}", notes=[why])
        if scores.edgeless:
            self._diagnostics.warning(
                "SGL1405",
                None,
                f"not computed: {METRICS[EDGES]} of {count(scores.edgeless, 'item')}",
                notes=["the grammar does not derive their gold texts; the others are counted"],
            )
        short = {name: pair for name, pair in scores.gold.items() if pair[0] != pair[1]}
        if short:
            self._diagnostics.warning(
                "SGL1407",
                None,
                "Partial Match does not accept all gold texts",
                notes=[f"{name}: {right} of {checked}" for name, (checked, right) in short.items()],
            )
