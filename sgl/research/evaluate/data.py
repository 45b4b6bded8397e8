"""Give the result of an evaluation as plain data, and as tables for JSON, pages, papers and the terminal.

A *table* has a row for each part of the split: all items, each group of patterns, each pattern,
each length.  A cell is the mean over the runs of a system, with the deviation of the runs, and
Wilson's interval if the metric judges items, or a bootstrap interval if it scores the corpus.
Templates choose what is shown; shares are percentages with one decimal.

``NAME@1``, ``NAME@5`` and so on are one system, trained on nested sets with these numbers of *exposures*.  The *curve*
of a score is a logistic function of the logarithm of the number, fitted by least squares; each score is weighted by its
precision, over items or over runs.  Intervals follow from the covariance of the fit, widened if scores lie off it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
from jinja2 import Environment
from numpy.typing import NDArray

from sgl.cli.terminal import print_table, say, text_table
from sgl.report.render import label_width, page_environment, wrapped
from sgl.research.analyse.scoring import Json
from sgl.research.analyse.statistics import WIDTH, Difference, compare, contrast, corrected, places_by, spread, wilson
from sgl.research.analyse.tables import latex_environment
from sgl.research.evaluate import scoring
from sgl.research.evaluate.benchmark import Benchmark
from sgl.research.evaluate.judgements import Part, judgements_data
from sgl.research.evaluate.meanings import Mistake, kinds_of
from sgl.research.evaluate.realization import TreeShape
from sgl.research.evaluate.runs import Run, answers_data
from sgl.research.evaluate.slices import Slice
from sgl.research.evaluate.surface import BLEU_METRIC, CHRF_METRIC, DRAWS, SCORERS, CorpusDraws

if TYPE_CHECKING:
    from sgl.research.evaluate.evaluation import Evaluation

FORMAT = "sgl-evaluation/1"

#: The metrics in the order of tables: verdicts, BLEU and chrF++, shares.
METRICS = {
    scoring.EXACT: "Exact Match",
    scoring.RAW: "Exact Match, raw",
    scoring.PARTIAL: "Partial Match",
    scoring.EQUIVALENT: "Equivalent forms",
    scoring.REFORMATTED: "Reformatted Exact Match",
    BLEU_METRIC: "BLEU",
    CHRF_METRIC: "chrF++",
    scoring.EDGES: "Edge accuracy",
}

#: The tables by the shape of trees, without BLEU and chrF++, and how many numbers a row is for.
_SHAPES = {"length": 5, "depth": 1, "nesting": 1}

#: The whole part of a number.
_WHOLE = re.compile(r"(?<![\d.])\d+")

#: Random divisions of items into a slice and the rest.
_CONTRAST = 10_000


def evaluation_data(evaluation: Evaluation, advance: Callable[[str, int, int], None]) -> Json:
    """Return all tables and tests of an evaluation."""
    benchmark, scores, request = evaluation.benchmark, evaluation.scores, evaluation.request
    differences: list[Difference] = []
    tables: dict[str, list[Json]] = {}
    divided = _parts(evaluation)
    for name, parts in divided.items():
        tables[name] = []
        for number, part in enumerate(parts):
            advance("comparing systems", number, len(parts))
            tables[name].append(_row(evaluation, name, part, differences))
    mistakes = _mistakes(evaluation)
    for row in tables["patterns"]:
        row["mistakes"] = _shares(row, mistakes["systems"])
    return {
        "format": FORMAT,
        "dataset": _dataset(benchmark) | ({"left_out": evaluation.left_out} if evaluation.left_out else {}),
        "systems": [{"name": name, "runs": list(map(_run, runs))} for name, runs in evaluation.systems.items()],
        "metrics": {name: METRICS[name] for name in evaluation.metrics},
        "signatures": dict(evaluation.signatures),
        "not_computed": dict(evaluation.unavailable),
        "tables": tables,
        "curves": curves(tables, [metric for metric, _ in _compared(evaluation)]),
        "partial_match": _partial_match(scores) if scoring.PARTIAL in scores.scores else None,
        "answers": answers_data(evaluation.systems, benchmark.rows, scores.scores[scoring.EXACT]),
        "mistakes": mistakes,
        "examples": _examples(evaluation),
        "tests": {
            "test": request.test,
            "samples": request.samples,
            "seed": request.seed,
            "draws": DRAWS,
            "correction": "Holm",
            "differences": [test._asdict() for test in corrected(differences)],
            "slices": [test._asdict() for test in corrected(_contrasts(evaluation))],
        },
        **({"judgements": _judged(evaluation, divided)} if evaluation.judged else {}),
    }


def _judged(evaluation: Evaluation, divided: Mapping[str, Sequence[Part]]) -> Json:
    """Return the verdicts of judges, with each metric of items; BLEU and chrF++ are computed per sentence."""
    metrics = {**evaluation.scores.scores, "compounds": evaluation.compounds}
    del metrics[scoring.RAW]
    for metric, counts in evaluation.surface.items():
        metrics[metric] = {name: np.array([SCORERS[metric](run * 1.0) for run in of]) for name, of in counts.items()}
    parts = [part for name, of in divided.items() if name not in _SHAPES for part in of]
    return judgements_data(evaluation.judged, parts, metrics)


def _dataset(benchmark: Benchmark) -> Json:
    named = {key: getattr(benchmark, key) for key in ("name", "title", "signature", "split", "source", "target")}
    patterns = {name: {"title": p.title, "groups": list(p.groups)} for name, p in benchmark.patterns.items()}
    return {**named, "items": len(benchmark.rows), "patterns": patterns}


def _run(run: Run) -> Json:
    return {"file": run.file, "missing": len(run.missing), "empty": len(run.empty), "shifted": run.shifted}


def _shares(row: Json, mistakes: Json) -> Json:
    """Return for each system the share of each kind of mistake in the wrong predictions of a pattern."""
    cells = row["scores"][scoring.EXACT].items()
    wrong = {system: row["items"] * sum(1 - run for run in cell["runs"]) for system, cell in cells}
    kinds = {system: counts.get(row["name"], {}) for system, counts in mistakes.items()}
    return {system: {kind: n / wrong[system] for kind, n in counts.items()} for system, counts in kinds.items()}


def _partial_match(scores: scoring.Scores) -> Json:
    decided = {name: {why.value: n for why, n in counts.items()} for name, counts in scores.decided.items()}
    gold = {pattern: {"checked": checked, "right": right} for pattern, (checked, right) in scores.gold.items()}
    return {"decided": decided, "gold": gold}


def _parts(evaluation: Evaluation) -> dict[str, list[Part]]:
    rows, patterns = evaluation.benchmark.rows, evaluation.benchmark.patterns
    kinds = places_by((row.category,) for row in rows)
    groups = places_by(patterns[row.category].groups if row.category in patterns else () for row in rows)
    titles = {name: patterns[name].title if name in patterns else name for name in kinds}
    parts: dict[str, list[Part]] = {
        "overall": [("all", "all items", np.arange(len(rows)))],
        "groups": [(name, name.replace("_", " "), items) for name, items in groups.items()],
        "patterns": [(name, titles[name], items) for name, items in kinds.items()],
    }
    if evaluation.slices:
        parts["slices"] = [part for cut in evaluation.slices for part in _sliced(cut, parts["patterns"])]
    if evaluation.shapes:
        parts |= {name: _shaped(evaluation.shapes, name, step) for name, step in _SHAPES.items()}
    return parts


def _sliced(cut: Slice, patterns: Sequence[Part]) -> list[Part]:
    """Return the sides of a slice, and of each pattern that has several of them."""
    # Numbers in labels are compared as numbers.
    labels = sorted(places_by(cut.labels).items(), key=lambda each: _WHOLE.sub(lambda n: n[0].zfill(20), each[0]))
    parts: list[Part] = [(label, label, items) for label, items in labels]
    for name, title, inside in patterns:
        common = [(label, np.intersect1d(inside, items)) for label, items in labels]
        crossed = [(f"{name}/{label}", f"{title}: {label}", items) for label, items in common if len(items)]
        parts += crossed if len(crossed) > 1 else []
    return parts


def _shaped(shapes: Sequence[TreeShape], name: str, step: int) -> list[Part]:
    places = sorted(places_by((getattr(shape, name) // step * step,) for shape in shapes).items())
    return [(str(low), f"{low}–{low + step - 1}" if step > 1 else str(low), items) for low, items in places]


def _row(evaluation: Evaluation, table: str, part: Part, differences: list[Difference]) -> Json:
    """Return a row of a table: the scores of each system for a part by each metric; add what differs."""
    name, title, items = part
    draws = None
    if evaluation.surface and table not in _SHAPES:
        draws = CorpusDraws(evaluation.surface, items, pooled=evaluation.request.runs == "pooled")
    if table in ("overall", "patterns", "slices"):
        differences += _differences(evaluation, part, draws)
    scores: dict[str, Json] = {}
    for metric, system in product(evaluation.metrics, evaluation.systems):
        if metric not in SCORERS:
            cell = _item_scores(evaluation, metric, system, items, in_groups=table == "groups")
        else:
            cell = {} if draws is None else draws.cell(metric, system)
        if cell:
            scores.setdefault(metric, {})[system] = cell
    return {"name": name, "title": title, "items": len(items), "scores": scores}


def _item_scores(
    evaluation: Evaluation, metric: str, system: str, items: NDArray[np.int64], *, in_groups: bool
) -> Json:
    """Return the scores of items by a metric that judges some of them; nothing if it judges none."""
    found = evaluation.scores.scores[metric][system][:, items]
    judged = found[:, ~np.isnan(found[0])]
    if not judged.shape[1]:
        return {}
    cell = spread(judged.mean(axis=1).tolist()) | {"items": judged.shape[1]}
    if metric in scoring.VERDICTS:
        low, high = wilson(float(judged.mean(axis=0).sum()), judged.shape[1])
        cell |= {"low": low, "high": high}
    if in_groups:
        inside = places_by((evaluation.benchmark.rows[item].category,) for item in items).values()
        shares = [found[:, places] for places in inside]
        cell["mean_of_patterns"] = fmean(float(np.nanmean(s)) for s in shares if not np.isnan(s[0]).all())
    return cell


def _mistakes(evaluation: Evaluation) -> Json:
    """For each system and kind of item how many answers have which kinds of mistakes."""
    systems: dict[str, dict[str, Counter[str]]] = {}
    for name, runs in evaluation.scores.mistakes.items():
        counts = systems[name] = {}
        for kinds, run in zip(runs, evaluation.systems[name], strict=True):
            for row, found, fault in zip(evaluation.benchmark.rows, kinds, run.faults, strict=True):
                if found and (fault is None or found[0].kind is Mistake.SOURCE):
                    counts.setdefault(row.category, Counter()).update(kind.value for kind in kinds_of(found))
    return {"kinds": [kind.value for kind in Mistake], "systems": systems}


def _examples(evaluation: Evaluation) -> Json:
    """For each kind of item and each system the first item that its first run got wrong."""
    rows, exact = evaluation.benchmark.rows, evaluation.scores.scores[scoring.EXACT]
    found: Json = {}
    for category, items in places_by((row.category,) for row in rows).items():
        for name, runs in evaluation.systems.items():
            for place in items[exact[name][0][items] < 1][:1]:
                row = {key: getattr(rows[place], key) for key in ("id", "source", "target")}
                found.setdefault(category, {})[name] = {**row, "prediction": runs[0].texts[place]}
    return found


def _differences(evaluation: Evaluation, part: Part, draws: CorpusDraws | None) -> list[Difference]:
    """Return the differences between all pairs of systems on some items."""
    request, found = evaluation.request, []
    name, _, items = part
    pairs = list(combinations(evaluation.systems, 2))
    for (metric, scores), (first, second) in product(_compared(evaluation), pairs):
        x, y = (scores[system][:, items].mean(axis=0) for system in (first, second))
        judged = ~np.isnan(x)
        if judged.any():
            figures = compare(x[judged], y[judged], request.test, request.samples, request.seed)
            found.append(Difference(first, second, metric, name, int(judged.sum()), *figures))
    if draws is not None and pairs:
        for metric in SCORERS:
            for (first, second), figures in zip(pairs, draws.differences(metric, pairs, request.test), strict=True):
                found.append(Difference(first, second, metric, name, len(items), *figures))
    return found


def _contrasts(evaluation: Evaluation) -> list[Difference]:
    """Return for each system how the two sides of a slice differ, in all items and each pattern."""
    request, rows = evaluation.request, evaluation.benchmark.rows
    kinds = {"all": np.arange(len(rows)), **places_by((row.category,) for row in rows)}
    found = []
    for cut, (kind, items) in product(evaluation.slices, kinds.items()):
        labels = places_by(cut.labels[item] for item in items)
        sides = sorted((label, items[places]) for label, places in labels.items())
        for metric, scores in _compared(evaluation) if len(sides) == 2 and max(map(len, cut.labels)) == 1 else ():
            for system, of in scores.items():
                x, y = (of[:, inside].mean(axis=0) for _, inside in sides)
                x, y = x[~np.isnan(x)], y[~np.isnan(y)]
                if len(x) and len(y):
                    names = sides[0][0], sides[1][0], metric, f"{system}/{kind}"
                    figures = contrast(x, y, min(request.samples, _CONTRAST), request.seed)
                    found.append(Difference(*names, len(x) + len(y), *figures))
    return found


def _compared(evaluation: Evaluation) -> list[tuple[str, dict[str, NDArray[np.float64]]]]:
    """Return the metrics by which systems and slices are compared, with the scores of each system."""
    scores = evaluation.scores.scores.items()
    return [(metric, of) for metric, of in scores if metric in scoring.VERDICTS and metric != scoring.RAW]


#: Least number of scores for a curve; points that a curve is drawn through; widest useful interval of a slope.
_FEWEST, _PLACES, _WIDEST = 3, 33, 20.0


def curves(tables: Mapping[str, Sequence[Json]], metrics: Sequence[str]) -> list[Json]:
    """Return the curves for all items, groups and patterns, by metrics that judge items."""
    found = []
    for table, metric in product(("overall", "groups", "patterns"), metrics):
        for row in tables[table]:
            given = defaultdict(list)
            for name, cell in row["scores"].get(metric, {}).items():
                system, _, number = name.rpartition("@")
                if system and number.isdecimal() and 0 < int(number) < 10**9:
                    given[system].append({"exposures": int(number), "place": float(np.log2(int(number))), **cell})
            for system, points in given.items():
                if len(points) >= _FEWEST:
                    points.sort(key=lambda point: point["exposures"])
                    names = {"name": f"{row['name']}/{metric}/{system}", "title": f"{row['title']}, {system}"}
                    names |= {"table": table, "metric": metric, "part": row["title"], "system": system}
                    found.append({**names, "points": points, **fitted(points)})
    return found


def fitted(points: Sequence[Json]) -> Json:
    """Return the curve, the factor of the odds (``odds``), and where half is right (``half``), if that is sure."""
    from scipy.optimize import least_squares
    from scipy.special import expit

    x, y, low, high = (np.array([point[key] for point in points]) for key in ("place", "mean", "low", "high"))
    errors = np.maximum((high - low) / 2 / WIDTH, [(p["deviation"] or 0.0) / len(p["runs"]) ** 0.5 for p in points])

    def off(at: Any) -> Any:  # noqa: ANN401 - numbers
        return (expit(at[0] + at[1] * x) - y) / errors

    fit: Any = least_squares(off, (0.0, 0.0))
    a, b = map(float, fit.x)
    # Where the curve is a step nothing is known of its slope: a little is added, lest that be all.
    covariance = np.linalg.inv(fit.jac.T @ fit.jac + 1e-9 * np.eye(2)) * max(1.0, 2 * fit.cost / (len(x) - 2))

    def half_width(gradient: Any) -> Any:  # noqa: ANN401 - numbers or columns
        return WIDTH * np.sqrt(np.einsum("i...,ij,j...->...", gradient, covariance, gradient))

    def around(middle: float, wide: float, base: float) -> Json:
        sides = {"mean": middle, "low": middle - wide, "high": middle + wide}
        return {"deviation": None} | {name: float(base ** np.clip(side, -30, 30)) for name, side in sides.items()}

    slope = half_width(np.array([0.0, 1.0]))
    if not slope < _WIDEST:
        return {"odds": None, "half": None, "curve": []}
    places = np.linspace(x[0], x[-1], _PLACES)
    line, wide = a + b * places, half_width(np.stack([np.ones(_PLACES), places]))
    drawn = np.stack([places, expit(line), expit(line - wide), expit(line + wide)], axis=1).tolist()
    return {
        "odds": around(b, slope, np.e),
        "half": around(-a / b, half_width(np.array([-1 / b, a / b**2])), 2.0) if abs(b) > slope else None,
        "curve": [dict(zip(("place", "mean", "low", "high"), at, strict=True)) for at in drawn],
    }


def render_evaluation(data: Json) -> str:
    """Return the page of an evaluation's data as HTML; equal data give equal pages."""
    return evaluation_environment().get_template("evaluation.html.j2").render(data=data)


def evaluation_environment(*packages: str) -> Environment:
    """Return the environment of pages with scores, which ``figures.html.j2`` draws."""
    environment = page_environment("sgl.research.evaluate", *packages)
    environment.add_extension("jinja2.ext.do")
    environment.globals.update(score=score_text, scale=scale, wrapped=wrapped, label_width=label_width)
    return environment


def show_result(data: Json) -> None:
    """Show the scores of all items, groups and patterns, and what they rest on."""
    evaluation_environment().get_template("evaluation.j2").render(data=data, say=say, show=show_table)


def show_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write a table; in a narrow terminal heads and titles are broken, but no figure.

    Heads and titles are plain text: a name such as ``[red]`` is shown as it is.
    """
    from rich.text import Text

    table = text_table()
    for number, head in enumerate(columns):
        longest = max((len(row[number]) for row in rows), default=0)
        # Columns of a terminal that titles have at least.
        width = longest if number else min(longest, 12)
        table.add_column(Text(head), justify="right" if number else "left", overflow="fold", min_width=width)
    for row in rows:
        table.add_row(*map(Text, row))
    print_table(table)


def scale(metric: str) -> int:
    """Return what a score is multiplied with to be a percentage."""
    return 1 if metric in (BLEU_METRIC, CHRF_METRIC) else 100


def score_text(cell: Json, metric: str, sign: str = " ± {}") -> str:
    """Return a score with the deviation of its runs: ``83.0 ± 1.2``."""
    text = f"{scale(metric) * cell['mean']:.1f}"
    return text if cell["deviation"] is None else text + sign.format(f"{scale(metric) * cell['deviation']:.1f}")


def latex(data: Json) -> str:
    """Return the tables of a result for papers; they need the package ``booktabs``."""
    template = latex_environment("sgl.research.evaluate").get_template("evaluation.tex.j2")
    return template.render(data=data, score=score_text)
