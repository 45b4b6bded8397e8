"""The result of an evaluation as plain data: what JSON, LaTeX and the page are made from.

A *table* has a row for each part of the split: all items, each group of patterns, each
pattern, each length.  A cell is the mean over the runs of a system, with the deviation of
the runs, and Wilson's interval where the metric judges items::

    {"name": "pp_in_subject", "items": 2000, "scores": {"exact": {"small": {"mean": 0.12, …}}}}

"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from statistics import fmean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgl.research.analyse.statistics import (
    Difference,
    DifferenceTest,
    compare,
    corrected,
    wilson,
)
from sgl.research.evaluate.benchmark import Benchmark
from sgl.research.evaluate.runs import SystemRuns
from sgl.research.evaluate.scoring import (
    EDGES,
    EQUIVALENT,
    EXACT,
    PARTIAL,
    RAW,
    REFORMATTED,
    VERDICTS,
    Mistake,
    Scores,
)
from sgl.research.evaluate.surface import BLEU_METRIC, CHRF_METRIC, SurfaceScores
from sgl.research.evaluate.trees import TreeShape

Json = dict[str, Any]

FORMAT = "sgl-evaluation/1"

METRICS = {
    EXACT: "Exact Match",
    RAW: "Exact Match, raw",
    PARTIAL: "Partial Match",
    EQUIVALENT: "Equivalent forms",
    REFORMATTED: "Reformatted Exact Match",
    EDGES: "Edge accuracy",
    BLEU_METRIC: "BLEU",
    CHRF_METRIC: "chrF++",
}

#: Lengths are counted in steps of so many words.
_LENGTH_STEP = 5


@dataclass(frozen=True)
class Evaluation:
    """Everything that was found about some systems on one split."""

    benchmark: Benchmark
    systems: tuple[SystemRuns, ...]
    scores: Scores
    surface: Mapping[str, tuple[SurfaceScores, ...]]
    signatures: Mapping[str, str]
    shapes: tuple[TreeShape, ...] = ()
    unavailable: Mapping[str, str] | None = None
    test: DifferenceTest = "randomisation"
    samples: int = 100_000
    seed: int = 1


def evaluation_data(evaluation: Evaluation) -> Json:
    """Return all tables and tests of an evaluation."""
    return {
        "format": FORMAT,
        "dataset": _dataset(evaluation.benchmark),
        "systems": [_system(system) for system in evaluation.systems],
        "metrics": {name: METRICS[name] for name in _metrics(evaluation)},
        "signatures": dict(evaluation.signatures),
        "not_computed": dict(evaluation.unavailable or {}),
        "tables": _tables(evaluation),
        "partial_match": _partial(evaluation),
        "mistakes": _mistakes(evaluation),
        "tests": _tests(evaluation),
    }


def _dataset(benchmark: Benchmark) -> Json:
    return {
        "name": benchmark.name,
        "title": benchmark.title,
        "signature": benchmark.signature,
        "split": benchmark.split,
        "source": benchmark.source,
        "target": benchmark.target,
        "items": len(benchmark.rows),
        "patterns": {
            kind.name: {"title": kind.title, "groups": list(kind.groups)}
            for kind in benchmark.patterns.values()
        },
    }


def _system(system: SystemRuns) -> Json:
    return {
        "name": system.name,
        "runs": [
            {
                "file": run.file,
                "missing": len(run.missing),
                "empty": len(run.empty),
                "shifted": run.shifted,
            }
            for run in system.runs
        ],
    }


def _metrics(evaluation: Evaluation) -> list[str]:
    surface = (BLEU_METRIC, CHRF_METRIC) if evaluation.surface else ()
    scored = evaluation.scores.scores
    shares = [metric for metric in scored if metric not in VERDICTS]
    return [*(metric for metric in scored if metric in VERDICTS), *surface, *shares]


@dataclass(frozen=True)
class _TablePart:
    """A part of the split: some items, and the kinds if these are all items of some kinds."""

    name: str
    title: str
    items: NDArray[np.int64]
    kinds: tuple[str, ...] = ()


def _tables(evaluation: Evaluation) -> Json:
    rows = evaluation.benchmark.rows
    kinds = evaluation.benchmark.patterns
    everything = np.arange(len(rows))
    patterns = [
        _TablePart(name, kinds[name].title if name in kinds else name, items, (name,))
        for name, items in _places((row.category,) for row in rows).items()
    ]
    present = tuple(part.name for part in patterns)
    groups = [
        _TablePart(
            name,
            name.replace("_", " "),
            items,
            tuple(kind for kind in present if kind in kinds and name in kinds[kind].groups),
        )
        for name, items in _places(
            kinds[row.category].groups if row.category in kinds else () for row in rows
        ).items()
    ]
    tables: Json = {
        "overall": _rows(evaluation, [_TablePart("all", "all items", everything, present)]),
        "groups": _rows(evaluation, groups, patterns),
        "patterns": _rows(evaluation, patterns),
    }
    if evaluation.shapes:
        tables |= {name: _rows(evaluation, parts) for name, parts in _by_shape(evaluation)}
    return tables


def _by_shape(evaluation: Evaluation) -> Iterable[tuple[str, list[_TablePart]]]:
    labels = {
        "length": [
            (first := shape.length // _LENGTH_STEP * _LENGTH_STEP, first + _LENGTH_STEP - 1)
            for shape in evaluation.shapes
        ],
        "depth": [(shape.depth, shape.depth) for shape in evaluation.shapes],
        "nesting": [(shape.nesting, shape.nesting) for shape in evaluation.shapes],
    }
    for table, found in labels.items():
        places: dict[tuple[int, int], list[int]] = {}
        for place, label in enumerate(found):
            places.setdefault(label, []).append(place)
        yield (
            table,
            [
                _TablePart(str(low), str(low) if low == high else f"{low}–{high}", np.array(items))
                for (low, high), items in sorted(places.items())
            ],
        )


def _places(labels: Iterable[Sequence[str]]) -> dict[str, NDArray[np.int64]]:
    found: dict[str, list[int]] = {}
    for place, names in enumerate(labels):
        for name in names:
            found.setdefault(name, []).append(place)
    return {name: np.array(places) for name, places in found.items()}


def _rows(
    evaluation: Evaluation, parts: Sequence[_TablePart], inside: Sequence[_TablePart] = ()
) -> list[Json]:
    """Return the rows of a table; with the mean over the parts that are ``inside`` each."""
    return [
        {
            "name": part.name,
            "title": part.title,
            "items": len(part.items),
            "scores": {
                metric: cells
                for metric in _metrics(evaluation)
                if (cells := _cells(evaluation, metric, part, inside))
            },
        }
        for part in parts
    ]


def _cells(
    evaluation: Evaluation, metric: str, part: _TablePart, inside: Sequence[_TablePart]
) -> dict[str, Json]:
    cells: dict[str, Json] = {}
    for system in evaluation.systems:
        if metric in (BLEU_METRIC, CHRF_METRIC):
            if part.kinds:
                runs = evaluation.surface[system.name]
                cells[system.name] = _spread([run.score(metric, part.kinds) for run in runs])
            continue
        scores = evaluation.scores.scores[metric][system.name]
        chosen = scores[:, part.items]
        judged = chosen[:, ~np.isnan(chosen[0])]
        if not judged.shape[1]:
            continue
        cell = _spread([float(share) for share in judged.mean(axis=1)])
        cell["items"] = judged.shape[1]
        if metric in VERDICTS:
            low, high = wilson(float(judged.mean(axis=0).sum()), judged.shape[1])
            cell |= {"low": low, "high": high}
        within = [
            p.items
            for p in inside
            if np.isin(p.items[0], part.items) and not np.isnan(scores[0, p.items]).all()
        ]
        if within:
            cell["mean_of_patterns"] = fmean(float(np.nanmean(scores[:, n])) for n in within)
        cells[system.name] = cell
    return cells


def _spread(runs: Sequence[float]) -> Json:
    return {
        "mean": fmean(runs),
        "deviation": stdev(runs) if len(runs) > 1 else None,
        "runs": list(runs),
    }


def _partial(evaluation: Evaluation) -> Json | None:
    """Return what decided about partial matches, and the score of the gold texts."""
    scored = evaluation.scores
    if PARTIAL not in scored.scores:
        return None
    return {
        "decided": {
            name: {why.value: number for why, number in counts.items()}
            for name, counts in scored.decided.items()
        },
        "gold": {
            pattern: {"checked": checked, "right": right}
            for pattern, (checked, right) in scored.gold.items()
        },
    }


def _mistakes(evaluation: Evaluation) -> Json:
    """For each system and kind of item how many predictions have which kind of mistake."""
    found: Json = {"kinds": [kind.value for kind in Mistake], "systems": {}}
    for name, runs in evaluation.scores.mistakes.items():
        counts: dict[str, Counter[str]] = {}
        for kinds in runs:
            for row, kind in zip(evaluation.benchmark.rows, kinds, strict=True):
                if kind is not None:
                    counts.setdefault(row.category, Counter())[kind.value] += 1
        found["systems"][name] = {category: dict(c) for category, c in counts.items()}
    return found


def _tests(evaluation: Evaluation) -> Json:
    """Return the differences between all pairs of systems, as a whole and for each pattern."""
    parts = [("all", np.arange(len(evaluation.benchmark.rows)))]
    parts += list(_places((row.category,) for row in evaluation.benchmark.rows).items())
    found = [
        _difference(evaluation, first.name, second.name, metric, part, items)
        for first, second in combinations(evaluation.systems, 2)
        for metric in evaluation.scores.scores
        if metric in VERDICTS and metric != RAW
        for part, items in parts
    ]
    family = corrected([difference for difference in found if difference is not None])
    return {
        "test": evaluation.test,
        "samples": evaluation.samples,
        "seed": evaluation.seed,
        "correction": "Holm",
        "differences": [asdict(difference) for difference in family],
    }


def _difference(
    evaluation: Evaluation,
    first: str,
    second: str,
    metric: str,
    part: str,
    items: NDArray[np.int64],
) -> Difference | None:
    scores = evaluation.scores.scores[metric]
    means = [scores[name][:, items].mean(axis=0) for name in (first, second)]
    judged = ~np.isnan(means[0])
    if not judged.any():
        return None
    mean, low, high, p = compare(
        means[0][judged], means[1][judged], evaluation.test, evaluation.samples, evaluation.seed
    )
    return Difference(first, second, metric, part, int(judged.sum()), mean, low, high, p)
