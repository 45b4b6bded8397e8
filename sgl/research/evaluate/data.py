"""The result of an evaluation as plain data: what JSON, LaTeX and the page are made from.

A *table* has a row for each part of the split: all items, each group of patterns, each
pattern, each length.  A cell is the mean over the runs of a system, with the deviation of
the runs, and Wilson's interval where the metric judges items::

    {"name": "pp_in_subject", "items": 2000, "scores": {"exact": {"small": {"mean": 0.12, …}}}}

"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sgl.research.analyse.statistics import Difference, compare, corrected, wilson
from sgl.research.evaluate import scoring
from sgl.research.evaluate.benchmark import places_by
from sgl.research.evaluate.surface import BLEU_METRIC, CHRF_METRIC

if TYPE_CHECKING:
    from sgl.research.evaluate.command import Evaluation

Json = dict[str, Any]

FORMAT = "sgl-evaluation/1"

METRICS = {
    scoring.EXACT: "Exact Match",
    scoring.RAW: "Exact Match, raw",
    scoring.PARTIAL: "Partial Match",
    scoring.EQUIVALENT: "Equivalent forms",
    scoring.REFORMATTED: "Reformatted Exact Match",
    scoring.EDGES: "Edge accuracy",
    BLEU_METRIC: "BLEU",
    CHRF_METRIC: "chrF++",
}

#: What is said of a dataset as it is.
_DATASET = ("name", "title", "signature", "split", "source", "target")

#: The tables by the shape of trees, and how many numbers a row is for.
_SHAPES = {"length": 5, "depth": 1, "nesting": 1}


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
            **{key: getattr(benchmark, key) for key in _DATASET},
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
        "partial_match": partial if scoring.PARTIAL in scores.scores else None,
        "mistakes": _mistakes(evaluation),
        "tests": _tests(evaluation),
    }


#: A part of the split: its name, its title and its items.
_Part = tuple[str, str, NDArray[np.int64]]


def _tables(evaluation: Evaluation) -> Json:
    rows, patterns = evaluation.benchmark.rows, evaluation.benchmark.patterns
    kinds = places_by((row.category,) for row in rows)
    groups = places_by(
        patterns[row.category].groups if row.category in patterns else () for row in rows
    )
    parts: dict[str, list[_Part]] = {
        "overall": [("all", "all items", np.arange(len(rows)))],
        "groups": [(name, name.replace("_", " "), items) for name, items in groups.items()],
        "patterns": [
            (name, patterns[name].title if name in patterns else name, items)
            for name, items in kinds.items()
        ],
    }
    for name, step in _SHAPES.items() if evaluation.shapes else ():
        places = places_by((getattr(shape, name) // step * step,) for shape in evaluation.shapes)
        parts[name] = [
            (str(low), f"{low}–{low + step - 1}" if step > 1 else str(low), items)
            for low, items in sorted(places.items())
        ]
    return {
        table: [_row(evaluation, table, part, kinds) for part in parts[table]] for table in parts
    }


def _row(
    evaluation: Evaluation, table: str, part: _Part, kinds: Mapping[str, NDArray[np.int64]]
) -> Json:
    """Return a row of a table: the scores of each system for a part by each metric."""
    name, title, items = part
    inside = {} if table in _SHAPES else kinds
    inside = {kind: places for kind, places in inside.items() if np.isin(places[0], items)}
    scores: dict[str, Json] = {metric: {} for metric in evaluation.metrics}
    for metric, cells in scores.items():
        for system in evaluation.systems:
            if metric in (BLEU_METRIC, CHRF_METRIC):
                if inside:
                    runs = evaluation.surface[system]
                    cells[system] = _spread([run.score(metric, inside) for run in runs])
                continue
            found = evaluation.scores.scores[metric][system]
            judged = found[:, items][:, ~np.isnan(found[0, items])]
            if not judged.shape[1]:
                continue
            cell = _spread([float(share) for share in judged.mean(axis=1)])
            cell["items"] = judged.shape[1]
            if metric in scoring.VERDICTS:
                low, high = wilson(float(judged.mean(axis=0).sum()), judged.shape[1])
                cell |= {"low": low, "high": high}
            if table == "groups":
                of_patterns = [found[:, places] for places in inside.values()]
                cell["mean_of_patterns"] = fmean(
                    float(np.nanmean(shares))
                    for shares in of_patterns
                    if not np.isnan(shares[0]).all()
                )
            cells[system] = cell
    shown = {metric: cells for metric, cells in scores.items() if cells}
    return {"name": name, "title": title, "items": len(items), "scores": shown}


def _spread(runs: Sequence[float]) -> Json:
    return {
        "mean": fmean(runs),
        "deviation": stdev(runs) if len(runs) > 1 else None,
        "runs": list(runs),
    }


def _mistakes(evaluation: Evaluation) -> Json:
    """For each system and kind of item how many predictions have which kind of mistake."""
    found: Json = {"kinds": [kind.value for kind in scoring.Mistake], "systems": {}}
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
            if metric not in scoring.VERDICTS or metric == scoring.RAW:
                continue
            for part, items in parts:
                x, y = (scores[name][:, items].mean(axis=0) for name in (first, second))
                judged = ~np.isnan(x)
                if not judged.any():
                    continue
                figures = compare(x[judged], y[judged], request.test, request.samples, request.seed)
                found.append(Difference(first, second, metric, part, int(judged.sum()), *figures))
    return {
        "test": request.test,
        "samples": request.samples,
        "seed": request.seed,
        "correction": "Holm",
        "differences": [asdict(difference) for difference in corrected(found)],
    }
