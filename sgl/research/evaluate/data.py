"""The result of an evaluation as plain data: what JSON, LaTeX and the page are made from.

A *table* has a row for each part of the split: all items, each group of patterns, each
pattern, each length.  A cell is the mean over the runs of a system, with the deviation of
the runs, and Wilson's interval where the metric judges items::

    {"name": "pp_in_subject", "items": 2000, "scores": {"exact": {"small": {"mean": 0.12, …}}}}

"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sgl.research.analyse.statistics import Difference, compare, corrected, wilson
from sgl.research.evaluate.benchmark import Benchmark, places_by
from sgl.research.evaluate.runs import Systems
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

if TYPE_CHECKING:
    from sgl.research.evaluate.command import EvaluationRequest

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

#: The tables by the shape of trees, and how many numbers a row is for.
_SHAPES = {"length": 5, "depth": 1, "nesting": 1}


@dataclass(frozen=True)
class Evaluation:
    """Everything that was found about some systems on one split.

    ``unavailable`` says of what was not computed why.
    """

    request: EvaluationRequest
    benchmark: Benchmark
    systems: Systems
    scores: Scores
    surface: Mapping[str, tuple[SurfaceScores, ...]]
    signatures: Mapping[str, str]
    shapes: tuple[TreeShape, ...]
    unavailable: Mapping[str, str]

    @property
    def metrics(self) -> list[str]:
        """The metrics in the order of tables: verdicts, BLEU and chrF++, shares."""
        surface = (BLEU_METRIC, CHRF_METRIC) if self.surface else ()
        scored = self.scores.scores
        shares = [metric for metric in scored if metric not in VERDICTS]
        return [*(metric for metric in scored if metric in VERDICTS), *surface, *shares]


def evaluation_data(evaluation: Evaluation) -> Json:
    """Return all tables and tests of an evaluation."""
    benchmark, scores = evaluation.benchmark, evaluation.scores
    partial = {
        "decided": {
            name: {why.value: number for why, number in counts.items()}
            for name, counts in scores.decided.items()
        },
        "gold": {
            pattern: {"checked": checked, "right": right}
            for pattern, (checked, right) in scores.gold.items()
        },
    }
    return {
        "format": FORMAT,
        "dataset": {
            **{key: getattr(benchmark, key) for key in ("name", "title", "signature", "split")},
            "source": benchmark.source,
            "target": benchmark.target,
            "items": len(benchmark.rows),
            "patterns": {
                name: {"title": pattern.title, "groups": list(pattern.groups)}
                for name, pattern in benchmark.patterns.items()
            },
        },
        "systems": [
            {
                "name": name,
                "runs": [
                    {
                        "file": run.file,
                        "missing": len(run.missing),
                        "empty": len(run.empty),
                        "shifted": run.shifted,
                    }
                    for run in runs
                ],
            }
            for name, runs in evaluation.systems.items()
        ],
        "metrics": {name: METRICS[name] for name in evaluation.metrics},
        "signatures": dict(evaluation.signatures),
        "not_computed": dict(evaluation.unavailable),
        "tables": _tables(evaluation),
        "partial_match": partial if PARTIAL in scores.scores else None,
        "mistakes": _mistakes(evaluation),
        "tests": _tests(evaluation),
    }


@dataclass(frozen=True)
class _TablePart:
    """A part of the split: some items, and the kinds if these are all items of some kinds."""

    name: str
    title: str
    items: NDArray[np.int64]
    kinds: tuple[str, ...] = ()


def _tables(evaluation: Evaluation) -> Json:
    rows, kinds = evaluation.benchmark.rows, evaluation.benchmark.patterns
    patterns = [
        _TablePart(name, kinds[name].title if name in kinds else name, items, (name,))
        for name, items in places_by((row.category,) for row in rows).items()
    ]
    present = tuple(part.name for part in patterns)
    in_groups = places_by(
        kinds[row.category].groups if row.category in kinds else () for row in rows
    )
    groups = [
        _TablePart(
            name,
            name.replace("_", " "),
            items,
            tuple(kind for kind in present if kind in kinds and name in kinds[kind].groups),
        )
        for name, items in in_groups.items()
    ]
    everything = _TablePart("all", "all items", np.arange(len(rows)), present)
    tables: Json = {
        "overall": _rows(evaluation, [everything]),
        "groups": _rows(evaluation, groups, patterns),
        "patterns": _rows(evaluation, patterns),
    }
    for name, step in _SHAPES.items() if evaluation.shapes else ():
        places = places_by((getattr(shape, name) // step * step,) for shape in evaluation.shapes)
        parts = [
            _TablePart(str(low), f"{low}–{low + step - 1}" if step > 1 else str(low), items)
            for low, items in sorted(places.items())
        ]
        tables[name] = _rows(evaluation, parts)
    return tables


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
                for metric in evaluation.metrics
                if (cells := _cells(evaluation, metric, part, inside))
            },
        }
        for part in parts
    ]


def _cells(
    evaluation: Evaluation, metric: str, part: _TablePart, inside: Sequence[_TablePart]
) -> dict[str, Json]:
    """Return the score of each system for the items of a part by one metric."""
    cells: dict[str, Json] = {}
    for system in evaluation.systems:
        if metric in (BLEU_METRIC, CHRF_METRIC):
            if part.kinds:
                runs = evaluation.surface[system]
                cells[system] = _spread([run.score(metric, part.kinds) for run in runs])
            continue
        scores = evaluation.scores.scores[metric][system]
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
        cells[system] = cell
    return cells


def _spread(runs: Sequence[float]) -> Json:
    return {
        "mean": fmean(runs),
        "deviation": stdev(runs) if len(runs) > 1 else None,
        "runs": list(runs),
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
    request, rows = evaluation.request, evaluation.benchmark.rows
    everything = "all", np.arange(len(rows))
    parts = [everything, *places_by((row.category,) for row in rows).items()]
    found = []
    for first, second in combinations(evaluation.systems, 2):
        for metric, scores in evaluation.scores.scores.items():
            if metric not in VERDICTS or metric == RAW:
                continue
            for part, items in parts:
                x, y = (scores[name][:, items].mean(axis=0) for name in (first, second))
                judged = ~np.isnan(x)
                if not judged.any():
                    continue
                figures = compare(x[judged], y[judged], request.test, request.samples, request.seed)
                size = int(judged.sum())
                found.append(Difference(first, second, metric, part, size, *figures))
    return {
        "test": request.test,
        "samples": request.samples,
        "seed": request.seed,
        "correction": "Holm",
        "differences": [asdict(difference) for difference in corrected(found)],
    }
