"""Evaluate the predictions of systems for one split, with everything that is at hand.

::

    predictions ─┐
    rows ────────┼── scores of items ──┐
    grammar ─────┘   BLEU, chrF++ ─────┼── the result as plain data
    compounds, graphs ─────────────────┘

What cannot be computed is named with the reason, and the rest is computed all the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sgl.cli.terminal import Progress, count, progress
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.diagnostics.source import visible
from sgl.frontend import Compiled
from sgl.parsing import UnparsableLayerError
from sgl.research.analyse.predictions import PredictionsError, systems_of
from sgl.research.evaluate.benchmark import Benchmark, PatternInfo, grammar_of
from sgl.research.evaluate.compound_rates import compounds_of
from sgl.research.evaluate.data import METRICS, Evaluation, Json, evaluation_data
from sgl.research.evaluate.partial import PartialMatch
from sgl.research.evaluate.runs import Run, SystemRuns, read_run
from sgl.research.evaluate.scoring import EDGES, PARTIAL, Scorer, Scores, lemmas_by_word
from sgl.research.evaluate.segmentation import Segmentation
from sgl.research.evaluate.surface import BLEU_METRIC, Surface, SurfaceScores
from sgl.research.evaluate.trees import TreeFileError, TreeShape, read_tree_shapes, tree_shape

if TYPE_CHECKING:
    from sgl.research.evaluate.command import EvaluationRequest

#: Rows that a message names.
_NAMED = 5


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
        partial, lemmas = self._partial_match(self._grammar())
        if compounds is None or self._diagnostics.errors:
            return None
        found, segmentation = compounds
        rates = found.rates(self._benchmark, systems, published=request.published_rule)
        with progress() as line:
            scores = Scorer(self._benchmark, partial, lemmas, line).score(systems)
            if partial is not None and PARTIAL not in scores.scores:
                self._unavailable[METRICS[PARTIAL]] = "no item is of a pattern of the grammar"
            surface, signatures = self._surface(systems, segmentation, line)
            line("testing differences", 0, 1)
            data = evaluation_data(
                Evaluation(
                    self._benchmark,
                    systems,
                    scores,
                    surface,
                    signatures,
                    self._tree_shapes(),
                    self._unavailable,
                    request.test,
                    request.samples,
                    request.seed,
                )
            )
        if self._benchmark.is_in_distribution:
            # Nobody expects partial matches of these items; the page says why there are none.
            self._unavailable.pop(METRICS[PARTIAL], None)
        self._warn(scores)
        return data | ({"compounds": rates} if rates is not None else {})

    def _systems(self) -> tuple[SystemRuns, ...] | None:
        """Return the systems with their runs; None after errors about any of the files."""
        benchmark = self._benchmark
        runs: dict[str, list[Run]] = {}
        words = [tuple(word.form for word in sentence.words) for sentence in benchmark.sentences]
        for name, path in systems_of(self._request.predictions):
            try:
                run = read_run(path, benchmark.rows, self._language, words)
            except PredictionsError as problem:
                self._diagnostics.error(
                    "SGL1402",
                    None,
                    f"`{path}` cannot be scored: {visible(problem.message)}",
                    notes=[visible(detail) for detail in problem.details],
                    hint=problem.hint,
                )
                continue
            runs.setdefault(name, []).append(run)
            self._warn_about(str(path), run)
        if self._diagnostics.errors:
            return None
        return tuple(SystemRuns(name, tuple(found)) for name, found in runs.items())

    def _warn_about(self, path: str, run: Run) -> None:
        for what, names in (("missing", run.missing), ("empty", run.empty)):
            if names:
                more = ["…"] if len(names) > _NAMED else []
                self._diagnostics.warning(
                    "SGL1403",
                    None,
                    f"`{path}`: {count(len(names), 'prediction')} {what}, counted as wrong",
                    notes=[*names[:_NAMED], *more],
                )
        if run.shifted:
            self._diagnostics.warning(
                "SGL1403",
                None,
                f"`{path}` seems to be off by one line",
                notes=["most of its lines are right for the row before or after theirs"],
                hint="with the names of rows before the predictions this cannot happen",
            )

    def _grammar(self) -> Compiled | None:
        """Return the grammar for partial matches; None if it is not at hand, or there are none."""
        request, benchmark = self._request, self._benchmark
        compiled: Compiled | None = None
        if benchmark.view:
            why = "the target is a logical form"
        elif benchmark.sentences:
            why = "the dataset is a treebank"
        elif not benchmark.patterns and request.grammar is None:
            why = "the dataset has no manifest; `--grammar` names its grammar"
        else:
            compiled = grammar_of(
                benchmark, request.grammar, request.settings, self._sources, self._diagnostics
            )
            why = "" if compiled is not None else "the grammar of the dataset is not at hand"
        if why:
            self._unavailable[METRICS[PARTIAL]] = why
        return compiled

    def _partial_match(
        self, compiled: Compiled | None
    ) -> tuple[PartialMatch | None, Mapping[str, frozenset[str]]]:
        """Return what decides about partial matches, and the lemmas of words."""
        if compiled is None:
            return None, {}
        core, plan, benchmark = compiled.grammar, compiled.plan, self._benchmark
        if not benchmark.patterns:
            patterns = {pattern.name: PatternInfo.of(pattern) for pattern in plan.patterns}
            self._benchmark = replace(benchmark, patterns=patterns)
        names = [layer.name for layer in core.text_layers]
        source = benchmark.source if benchmark.source in names else plan.source
        target = benchmark.target if benchmark.target in names else plan.target
        if target not in names or not plan.lemma_layer:
            self._unavailable[METRICS[PARTIAL]] = "the target of the grammar is no text layer"
            return None, {}
        try:
            partial = PartialMatch(core, plan.patterns, source, target, plan.lemma_layer)
        except UnparsableLayerError as problem:
            self._unavailable[METRICS[PARTIAL]] = str(problem)
            return None, {}
        layers = core.graph_layer(plan.lemma_layer), core.text_layer(target)
        return partial, lemmas_by_word(core, *layers)

    def _surface(
        self, systems: Sequence[SystemRuns], segmentation: Segmentation | None, line: Progress
    ) -> tuple[dict[str, tuple[SurfaceScores, ...]], dict[str, str]]:
        """Return BLEU and chrF++ of every run, and the signatures of both."""
        what = f"{METRICS[BLEU_METRIC]}, chrF++"
        if self._benchmark.view:
            self._unavailable[what] = "the target is a logical form"
            return {}, {}
        try:
            surface = Surface(self._language, segmentation)
        except ImportError as problem:
            self._unavailable[what] = f"{problem} (pip install 'sgl-compiler[eval]')"
            return {}, {}
        places: dict[str, list[int]] = {}
        for place, row in enumerate(self._benchmark.rows):
            places.setdefault(row.category, []).append(place)
        gold = [row.target for row in self._benchmark.rows]
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

    def _tree_shapes(self) -> tuple[TreeShape, ...]:
        """Return the shapes of the trees of the items, if the dataset has them."""
        benchmark = self._benchmark
        what = "tables by length and depth"
        if benchmark.sentences:
            return tuple(
                tree_shape(sentence.heads, [word.deprel for word in sentence.words])
                for sentence in benchmark.sentences
            )
        if benchmark.directory is None:
            self._unavailable[what] = "the dataset has no CoNLL-U file"
            return ()
        path = benchmark.directory / "conllu" / f"{benchmark.split}.conllu"
        try:
            found = tuple(read_tree_shapes(path))
        except FileNotFoundError:
            self._unavailable[what] = "the dataset has no CoNLL-U file"
            return ()
        except (OSError, TreeFileError, UnicodeDecodeError) as problem:
            self._unavailable[what] = f"`{path}`: {problem}"
            return ()
        if len(found) != len(benchmark.rows):
            self._unavailable[what] = f"`{path}` has {len(found):,} sentences"
            return ()
        return found

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
