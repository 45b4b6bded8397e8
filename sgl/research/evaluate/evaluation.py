"""Evaluate the predictions of systems for one split, with all available files.

What cannot be computed is named with the reason, and the rest is computed all the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from pathlib import Path
from typing import Literal

from sgl.cli.terminal import Progress, count
from sgl.diagnostics import Diagnostics, SourceMap, UserError
from sgl.foreign import ForeignFileError
from sgl.frontend import Compiled
from sgl.frontend.passes import read_structure
from sgl.parsing import UnparsableLayerError
from sgl.pipeline.variants import Variant, read_variant
from sgl.research.analyse.command import report_fault
from sgl.research.analyse.outputs import PredictionsError
from sgl.research.analyse.predictions import first_of, systems_of
from sgl.research.analyse.scoring import Json
from sgl.research.evaluate.benchmark import Benchmark, DatasetError, PatternInfo, all_of, grammar_of, read_benchmark
from sgl.research.evaluate.compound_rates import compounds_of
from sgl.research.evaluate.data import METRICS, evaluation_data
from sgl.research.evaluate.judgements import Columns, Judgements, read_verdicts
from sgl.research.evaluate.partial import PartialMatch
from sgl.research.evaluate.programs import outputs_of
from sgl.research.evaluate.realization import TreeShape, tree_shape
from sgl.research.evaluate.runs import Given, Model, Run, read_runs, report_run
from sgl.research.evaluate.scoring import EDGES, PARTIAL, Scores
from sgl.research.evaluate.scoring import Progress as Advance
from sgl.research.evaluate.slices import Slice, SliceError, read_slice
from sgl.research.evaluate.surface import BLEU_METRIC, Segmentation, Surface, SurfaceCounts
from sgl.research.treebank import TreebankReader

#: What becomes of rows that lack a prediction, if they are not counted as wrong.
LEFT_OUT = "left-out"

#: Samples of a test of differences; more than the most would fill the memory.
SAMPLES, MOST_SAMPLES = 100_000, 10_000_000

#: Words that are named in a message.
_NAMED = 8

#: Libraries of the extra `eval` that every evaluation needs; it can do without sacreBLEU.
NEEDED = ("scipy",)


@dataclass(frozen=True)
class EvaluationRequest:
    """What is to be scored and how: the options of the command line."""

    dataset: Path
    predictions: tuple[str, ...]
    settings: dict[str, str]
    split: str | None = None
    target: str | None = None
    grammar: Path | Compiled | None = None
    language: str | None = None
    test: Literal["bootstrap", "randomisation"] = "randomisation"
    samples: int = SAMPLES
    seed: int = 1
    compounds: Path | None = None
    lexicon: Path | None = None
    published_rule: bool = False
    judgements: tuple[Path, ...] = ()
    segment: str | None = None
    slices: tuple[str, ...] = ()
    all_slices: bool = True
    published_names: bool = False
    train: tuple[Path, ...] = ()
    missing: Literal["wrong", "left-out"] = "wrong"
    answer: tuple[str, ...] = ()
    programs: bool = False
    given: Mapping[str, Given | Model] = field(default_factory=dict)
    progress: Advance | None = None
    runs: Literal["averaged", "pooled"] = "averaged"
    json_file: Path | None = None
    html_file: Path | None = None
    latex_file: Path | None = None
    mistakes_file: Path | None = None


_BLEU_AND_CHRF = f"{METRICS[BLEU_METRIC]}, chrF++"


class Evaluation:
    """Everything that is found about some systems on one split.

    ``unavailable`` says of what is not computed why.
    """

    scores: Scores

    def __init__(
        self, request: EvaluationRequest, benchmark: Benchmark, sources: SourceMap, diagnostics: Diagnostics
    ) -> None:
        self.request = request
        self.benchmark = benchmark
        self.systems: dict[str, list[Run]] = {}
        self.surface: SurfaceCounts = {}
        self.signatures: dict[str, str] = {}
        self.shapes: list[TreeShape] = []
        self.slices: list[Slice] = []
        self.unavailable: dict[str, str] = {}
        self.judged: Judgements = {}
        self.compounds: Columns = {}
        self.left_out = 0
        #: The variants that systems were trained on, by their settings.
        self.variants: dict[str, Variant] = {}
        self._compiled: Compiled | None = None
        self._language = request.language or benchmark.target
        self._sources = sources
        self._diagnostics = diagnostics

    @property
    def metrics(self) -> list[str]:
        """The metrics that there are scores by, in the order of tables."""
        return [metric for metric in METRICS if metric in self.scores.scores or metric in self.surface]

    def evaluate(self) -> Json | None:
        """Return the result as plain data; None after errors, or raise one."""
        request = self.request
        with Progress() as shown:
            line: Advance = request.progress or shown
            self._read_variants()
            self._read_systems(line)
            files = request.compounds, request.lexicon
            table, chosen = compounds_of(self.benchmark, files, request.segment, self._diagnostics)
            partial = None if self._diagnostics.errors else self._partial_match()
            if self._diagnostics.errors:
                return None
            self._read_shapes()
            self._read_slices()
            if partial is None and table is not None:
                self.benchmark = table.typed(self.benchmark)
            self._leave_out()
            if request.judgements:
                self.judged = read_verdicts(request.judgements, self.benchmark.rows, self.systems, self._diagnostics)
            self.scores = Scores(self.benchmark, self.systems)
            self.scores.judge(trees=partial is None)
            if partial is not None:
                self.scores.match(partial, line)
                if PARTIAL not in self.scores.scores:
                    self.unavailable[METRICS[PARTIAL]] = "no item belongs to a pattern of the grammar"
            self._count_surface(chosen, line)
            rates: Json | None = None
            if table is not None:
                given = self.benchmark, self.systems, self.slices, self.judged
                rates, self.compounds = table.rates(*given, published=request.published_rule)
            data = evaluation_data(self, line)
        if self.benchmark.is_in_distribution:
            # Nobody expects partial matches of these items; the page says why there are none.
            self.unavailable.pop(METRICS[PARTIAL], None)
        self._warn()
        return data | ({"compounds": rates} if rates is not None else {})

    def _read_variants(self) -> None:
        """Read the variants that systems were trained on; raises ``DatasetError`` for variants of another dataset."""
        for path in self.request.train:
            if self.benchmark.directory is None:
                raise DatasetError("only a dataset of `sglc compile` has variants")
            try:
                variant = read_variant(path, self.benchmark.directory)
            except ForeignFileError as problem:
                raise DatasetError(str(problem)) from None
            self.variants[variant.settings] = variant
            paths = self.benchmark.variants | {variant.settings: path}
            self.benchmark = replace(self.benchmark, variants=paths)

    def _read_systems(self, line: Advance) -> None:
        """Read the runs of all systems; report files that cannot be used."""
        benchmark = self.benchmark
        words = [tuple(word.form for word in sentence.words) for sentence in benchmark.sentences]
        for name, given in (*systems_of(self.request.predictions), *self.request.given.items()):
            path = given if isinstance(given, Path) else Path(name)
            try:
                said = self._asked(name, given, line) if callable(given) else given
                names, readers = benchmark.other_names, self.request.answer
                if self.request.programs:
                    said, readers = self._printed(path, said), ()
                runs = read_runs(said, benchmark.rows, self._language, words, names, readers)
            except PredictionsError as problem:
                report_fault(path, problem, self._diagnostics)
                continue
            self.systems.setdefault(name, []).extend(runs)
            for run in runs:
                report_run(path, run, skipped=self.request.missing == LEFT_OUT, diagnostics=self._diagnostics)

    def _printed(self, path: Path, given: Given) -> dict[str, list[str]]:
        """Return what the programs in predictions print for each row; report those that print nothing."""
        printed, faults = outputs_of(given, self.benchmark.rows, self.request.answer)
        if faults:
            message = f"`{path}`: {count(len(faults), 'program')} without outputs"
            self._diagnostics.warning("SGL1419", None, message, notes=faults[:5])
        return printed

    def _asked(self, name: str, model: Model, line: Advance) -> Given:
        """Return what a function makes of the source of each row, or its program for each pattern by its name."""
        rows, said = self.benchmark.rows, list[str | Sequence[str]]()
        patterns = list(dict.fromkeys(row.category for row in rows)) if self.request.programs else []
        asked = patterns or [row.source for row in rows]
        for number, question in enumerate(asked):
            line(f"asking {name}", number, len(asked))
            said.append(model(question))
        return dict(zip(patterns, said, strict=True)) if patterns else said

    def _leave_out(self) -> None:
        """Leave out the rows without a prediction of every run, if that was asked for; ``PredictionsError`` if all."""
        lacking = {name for runs in self.systems.values() for run in runs for name in run.missing}
        own = self.benchmark
        lacking = (lacking if self.request.missing == LEFT_OUT else set()) | self._unseen()
        if not lacking:
            return
        kept = [row.id not in lacking for row in own.rows]
        if not any(kept):
            raise PredictionsError("no row has a prediction of every run, and words that every training set shows")
        rows, sentences = tuple(compress(own.rows, kept)), tuple(compress(own.sentences, kept))
        self.left_out, self.benchmark = len(lacking), replace(own, rows=rows, sentences=sentences)
        self.systems = {name: [run.only(kept) for run in runs] for name, runs in self.systems.items()}
        self.shapes = list(compress(self.shapes, kept))
        self.slices = [cut._replace(labels=tuple(compress(cut.labels, kept))) for cut in self.slices]

    def _unseen(self) -> set[str]:
        """Return the rows with words that the training set of a variant does not show; name them."""
        found = set[str]()
        for settings, variant in self.variants.items():
            own = {row.id for row in self.benchmark.rows}.intersection(variant.items)
            if own:
                rows, words = count(len(own), "row"), count(len(variant.unseen), "word")
                message = f"{rows} with words that training with `{settings}` does not show: left out"
                note = f"{words}: {', '.join(first_of(variant.unseen, _NAMED))}"
                self._diagnostics.warning("SGL1480", None, message, notes=[note])
            found |= own
        return found

    @property
    def _notation(self) -> str:
        computed = self.benchmark.view in ("column", "template")
        return "the target is computed by a template" if computed else "the target is a logical form"

    def _partial_match(self) -> PartialMatch | None:
        """Return what decides about partial matches; without a grammar for them, None."""
        request, benchmark, compiled = self.request, self.benchmark, None
        if benchmark.view:
            why = self._notation
        elif benchmark.sentences:
            why = "the dataset is a treebank"
        elif not benchmark.patterns and request.grammar is None:
            why = "the dataset has no manifest; name its grammar with `--grammar`"
        else:
            why = "the dataset has no folder `grammar`; name its grammar with `--grammar`"
            compiled = grammar_of(benchmark, request.grammar, request.settings, self._sources, self._diagnostics)
        if compiled is not None:
            self._compiled = compiled
            core, plan = compiled.grammar, compiled.plan
            if not benchmark.patterns:
                patterns = {p.name: PatternInfo(p.title, p.groups) for p in plan.patterns}
                self.benchmark = replace(benchmark, patterns=patterns)
            names = [layer.name for layer in core.text_layers]
            source = benchmark.source if benchmark.source in names else plan.source
            target = benchmark.target if benchmark.target in names else plan.target
            why = "the target of the grammar is not a text layer"
            if target in names and plan.lemma_layer:
                try:
                    return PartialMatch(core, plan.patterns, source, target, plan.lemma_layer)
                except UnparsableLayerError as problem:
                    why = str(problem)
        self.unavailable[METRICS[PARTIAL]] = why
        return None

    def _count_surface(self, segmentation: Segmentation | None, line: Advance) -> None:
        if self.benchmark.view:
            self.unavailable[_BLEU_AND_CHRF] = self._notation
            return
        try:
            surface = Surface(self._language, segmentation)
        except ImportError as problem:
            self.unavailable[_BLEU_AND_CHRF] = f"{problem} (pip install 'sgl-compiler[eval]')"
            return
        line("BLEU and chrF++", 0, 1)
        outputs = {name: [run.texts for run in runs] for name, runs in self.systems.items()}
        self.surface = surface.count([row.target for row in self.benchmark.rows], outputs)
        self.signatures = surface.signatures

    def _read_shapes(self) -> None:
        """Find the shapes of the trees of the items, if the dataset has them."""
        benchmark = self.benchmark
        sentences, why = benchmark.sentences, "the dataset has no CoNLL-U file"
        folder = (
            benchmark.directory / "conllu" if benchmark.directory else benchmark.lexicon and benchmark.lexicon.parent
        )
        if folder is not None:
            path = folder / f"{benchmark.split}.conllu"
            try:
                blocks = TreebankReader().read(path, benchmark.directory or folder)
                sentences = tuple(all_of(path, blocks, "sentences"))
                why = f"`{path}` has {len(sentences):,} sentences"
            except ForeignFileError as problem:
                why = why if problem.is_missing else str(problem)
            except DatasetError as problem:
                why = "; ".join([str(problem), *problem.notes])
        if len(sentences) == len(benchmark.rows):
            self.shapes = list(map(tree_shape, sentences))
        else:
            self.unavailable["tables by length and depth"] = why

    def _read_slices(self) -> None:
        """Divide the items as was asked for; a structure may use what the grammar declares."""
        grammar = self._compiled

        def reader(text: str) -> str | None:
            found = grammar and read_structure(grammar, text, self._sources, self._diagnostics)
            return None if found is None else str(found)

        for text in self.request.slices:
            try:
                self.slices.append(read_slice(text, self.benchmark, reader if grammar else None))
            except SliceError as problem:
                if self.request.all_slices:
                    raise
                self.unavailable["slices"] = str(problem)

    def _warn(self) -> None:
        """Say what was not computed although it could be, and where a metric falls short."""
        if self.scores.edgeless:
            what = f"{METRICS[EDGES]} of {count(self.scores.edgeless, 'item')}"
            self.unavailable[what] = "the grammar does not derive their gold texts; the others are counted"
        for what, why in self.unavailable.items():
            self._diagnostics.warning("SGL1405", None, f"not computed: {what}", notes=[why])
        gold = self.scores.gold.items()
        if short := [f"{name}: {right} of {checked}" for name, (checked, right) in gold if right != checked]:
            self._diagnostics.warning("SGL1407", None, "Partial Match does not accept all gold texts", notes=short)


def evaluation_of(
    request: EvaluationRequest, sources: SourceMap, diagnostics: Diagnostics
) -> tuple[Evaluation, Json] | None:
    """Return the evaluation, and its result as plain data; None after errors."""
    try:
        benchmark = read_benchmark(request.dataset, request.split, request.target)
        if request.published_names:
            # Published categories, as this grammar writes them: `PP_5-12`, `Q_iobj_ditransV`.
            rows = (row._replace(category=row.category.casefold().replace("-", "_")) for row in benchmark.rows)
            benchmark = replace(benchmark, rows=tuple(rows))
        evaluation = Evaluation(request, benchmark, sources, diagnostics)
        data = evaluation.evaluate()
        return None if data is None else (evaluation, data)
    except UserError as problem:
        if not diagnostics.errors:
            diagnostics.add(problem.diagnostic)
        return None
