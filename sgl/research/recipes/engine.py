"""Fill the tables of a recipe from the results of evaluations and analyses.

A row says where its figures are in the results, as a path of steps: a key of an object, or the element of a list with
this ``name`` or with these values (``by=kind,kind=NP``).  The cell of a system is below that, as ``cell`` says; several
elements are runs.  ``mean`` averages elements weighted by their items, or if the table is ``over: cases`` over each run
of each; ``each`` makes a row for each element, whose name is the ``key`` of cells ``at`` another place.  With
``every: system`` there is a row for each system; then columns may be anything, including a difference ``0.0 - 1.0``.

A figure *departs* from the published one if they differ by more than the 95 % interval, or two deviations of the runs,
and two deviations of the paper's runs.

A *campaign* combines many runs, each of a system on a corpus.  Relations are universal ones, without their subtypes.
The coverage of a mined structure is the share of runs for which it is suspicious.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from statistics import fmean, median
from typing import Any

import numpy as np

from sgl.research.analyse.scoring import Json
from sgl.research.analyse.statistics import spearman, spread
from sgl.research.evaluate.data import scale

FORMAT = "sgl-recipe/1"


def fill(recipe: Json, results: Json, systems: Sequence[str], reached: Json | None = None) -> Json:
    """Return all tables of a recipe, except those without any figure.

    ``reached`` has what evaluations reached of what their names say: a ``value``, and the first of the ``same`` value.
    """
    pairs = [(table, _table(table, results, systems)) for table in recipe["tables"]]
    kept = [made for _, made in pairs if any(_cells(made))]
    known: Json = reached or {}
    for part in (part for table in kept for part in (*table["columns"], *table["rows"])):
        names = part.get("metric", part["title"]).split(" - ")
        part["reached"] = [{"name": name, **known[name]} for name in names if name in known]
    cells = [cell for table in kept for cell in _cells(table)]
    return {
        "format": FORMAT,
        "title": recipe["title"],
        "paper": recipe["paper"],
        "notes": recipe.get("notes", []),
        "counted": recipe.get("counted", "exposures"),
        "systems": list(systems),
        "tables": kept,
        "curves": _curves(results),
        "missing": [_missing(given, results) for given, made in pairs if made not in kept],
        "compared": sum(cell["published"] is not None for cell in cells),
        "departing": sum(cell["departs"] for cell in cells),
        "tested": _tested(results) if any(cell["sure"] for cell in cells) else "",
    }


def _cells(table: Json) -> list[Json]:
    """Return the figures of a table."""
    return [cell for row in table["rows"] for cell in row["cells"] if cell]


def _missing(table: Json, results: Json) -> Json:
    """Say why a table has no figures: there are no outputs for what its rows are of, or those have no such figures."""
    paths = (row[step] for row in table.get("rows", ()) for step in ("at", "each", "mean") if row.get(step))
    lacking = {path.partition(" > ")[0] for path in paths}
    why = table.get("needs", "figures of its rows")
    if lacking and lacking.isdisjoint(results):
        why = f"outputs for {', '.join(sorted(lacking))}"
    return {"name": f"{table['name']} ({table['title']})", "needs": why}


def _table(table: Json, results: Json, systems: Sequence[str]) -> Json:
    metrics: Mapping[str, str] = table["metrics"]
    published: Mapping[str, Any] = table.get("published", {})
    alone = not table.get("systems", True)
    shown = [""] if alone else list(systems)
    known = {name.casefold(): rows for name, rows in published.items()}
    beside = [] if alone else [name for name in published if name.casefold() not in map(str.casefold, systems)]
    rows: list[Json] = []
    for row in _rows(table, results, systems):
        cells, best = [], {metric: _surely_best(row, results, metric, systems) for metric in metrics}
        for system, (place, metric) in product(shown, enumerate(metrics)):
            theirs = published if alone else known.get(system.casefold(), {})
            figure = _published(theirs.get(row["key"]), place)
            found = [_found(row, table, results, system, name) for name in metric.split(" - ")]
            if len(found) > 1:
                found = [[first["mean"] - second["mean"] for first, second in zip(*found, strict=False)]]
            cell = _cell(found[0], figure, table, metric)
            cells.append(cell and {**cell, "sure": bool(system) and system == best[metric]})
        further = [_published(published[n].get(row["key"]), place) for n, place in product(beside, range(len(metrics)))]
        rows.append({"title": row["title"], "total": row["key"] == "all", "cells": cells, "published": further})
    columns, others = (
        [{"system": system, "metric": metric, "title": title} for system in of for metric, title in metrics.items()]
        for of in (shown, beside)
    )
    made = {"name": table["name"], "title": table["title"], "columns": columns, "beside": others, "rows": rows}
    drawn = {kind: table.get(kind) for kind in ("figure", "curve", "heat")}
    return made | drawn | {"agreement": _agreement(made)}


def _rows(table: Json, results: Json, systems: Sequence[str]) -> Iterator[Json]:
    if table.get("every") == "system":
        yield from ({"key": name, "title": name, "at": ""} for name in systems)
    for row in table.get("rows", ()):
        if "each" not in row:
            yield {"key": row["title"], **row}
            continue
        for at in _steps(results, row["each"]):
            inside = at.items() if isinstance(at, Mapping) else [(str(part["name"]), part) for part in at]
            for name, part in list(inside)[: row.get("first")]:
                if re.fullmatch(row.get("named", ".*"), name):
                    title = part.get("title", name) if isinstance(part, Mapping) else name
                    yield {**row, "key": name, "title": title, "part": part}


def _found(row: Json, table: Json, results: Json, system: str, metric: str) -> list[Any]:
    """Return the figures of a cell; several figures come from several runs."""
    path = str(row.get("cell", table.get("cell", "scores > {metric} > {system}"))).format(
        metric=metric, system=system or row["key"], key=row.get("key")
    )
    if "mean" in row:
        parts = [part for at in _steps(results, row["mean"]) for part in at if part["name"] in row["of"]]
        found = [(part["items"], leaf) for part in parts for leaf in _steps(part, path)]
        # For each run, take the mean over parts, weighted by their items.
        runs = zip(*([number * run for run in cell["runs"]] for number, cell in found), strict=False)
        items = sum(number for number, _ in found)
        if table.get("over") == "cases" and len(found) == len(row["of"]):
            return [spread([run for _, cell in found for run in cell["runs"]])]
        return [spread([sum(of) / items for of in runs])] if len(found) == len(row["of"]) else []
    if "part" in row and "at" not in row:
        return _steps(row["part"], path)
    return _steps(results, f"{row['at']} > {path}")


def _surely_best(row: Json, results: Json, metric: str, systems: Sequence[str]) -> str | None:
    """Return the system that the tests of an evaluation find better than all others on the items of a row, if any."""
    at = row.get("at") or f"{row.get('each')} > {row['key']}"
    name, kind, _, part = (*at.split(" > "), "", "", "", "")[:4]
    tests = results.get(name, {}).get("tests", {}).get("differences", ()) if kind == "tables" else ()
    won = Counter[str]()
    for test in tests:
        sure = test["adjusted"] is not None and test["adjusted"] < 0.05
        if sure and (test["metric"], test["part"]) == (metric, part):
            won[test["second" if test["mean"] > 0 else "first"]] += 1
    return next((system for system, wins in won.items() if wins == len(systems) - 1), None)


def _curves(results: Json) -> list[Json]:
    """Return the curves of all evaluations, with the name of the evaluation if several have some."""
    found = {name: of["curves"] for name, of in results.items() if isinstance(of, Mapping) and of.get("curves")}
    if len(found) < 2:
        return [curve for own in found.values() for curve in own]
    named = ((f"{name}: ", curve) for name, own in found.items() for curve in own)
    return [curve | {key: name + curve[key] for key in ("title", "part")} for name, curve in named]


def _tested(results: Json) -> str:
    """Say by which test systems were compared; nothing if they were not."""
    found = {name: of["tests"] for name, of in results.items() if isinstance(of, Mapping) and "tests" in of}
    tests = next(iter(found.values()), None)
    if tests is None:
        return ""
    kind = "paired bootstrap" if tests["test"] == "bootstrap" else "paired approximate randomisation"
    numbers = [f"{len(own['differences'])} ({name})" for name, own in found.items() if own["differences"]]
    number = " and ".join(numbers) if len(numbers) > 1 else str(len(tests["differences"]))
    return f"{kind}, {tests['samples']:,} samples, {tests['correction']} over {number} tests, p < 0.05"


def _steps(value: Any, path: str) -> list[Any]:  # noqa: ANN401 - JSON
    """Return the values at the end of a path, or an empty list."""
    values = [value]
    for step in filter(None, map(str.strip, path.split(" > "))):
        wanted = dict(pair.split("=", 1) for pair in step.split(",")) if re.match(r"\w+=", step) else {"name": step}
        inside: list[Any] = []
        for at in values:
            if isinstance(at, Mapping):
                inside += [at[step]] if step in at else []
            elif isinstance(at, list):
                inside += [part for part in at if all(str(part.get(key)) == text for key, text in wanted.items())]
        values = inside
    return [value for value in values if value is not None]


def _cell(found: Sequence[Any], published: Json | None, table: Json, metric: str) -> Json | None:
    if not found:
        return None
    given = found[0] if isinstance(found[0], Mapping) else spread(found)
    figure = {key: given.get(key) for key in ("mean", "deviation", "low", "high")}
    by = float(table.get("scale", scale(metric)))
    value = {key: None if number is None else by * number for key, number in figure.items()}
    # If ± shows how sentences differ, it does not show how certain a mean is.
    sure = table.get("spread", False)
    # Counts have no decimals.
    digits = given.get("digits", 0 if all(isinstance(one, int) for one in found) else table.get("digits", 1))
    value |= {"digits": digits, "interval": table.get("interval", False)}
    return {**value, "published": published, "departs": published is not None and _departs(value, published, sure=sure)}


def _departs(value: Mapping[str, Any], published: Json, *, sure: bool) -> bool:
    room = 0.5 * 10.0 ** -published["digits"]
    if not sure:
        room += 2 * (published["deviation"] or 0.0)
        if value["low"] is not None:
            room += value["high"] - value["mean"] if published["mean"] > value["mean"] else value["mean"] - value["low"]
        elif value["deviation"] is not None and not math.isnan(value["deviation"]):
            room += 2 * value["deviation"]
    return bool(abs(value["mean"] - published["mean"]) > room + 1e-9)


def _published(figures: Any, place: int) -> Json | None:  # noqa: ANN401 - YAML
    """Return a published figure, written ``93.4±3.4``, with its number of digits; None without one."""
    if isinstance(figures, str | float | int):
        figures = [figures]
    if not figures or place >= len(figures) or figures[place] is None:
        return None
    mean, _, deviation = str(figures[place]).partition("±")
    digits = len(mean.partition(".")[2])
    return {"mean": float(mean), "deviation": float(deviation) if deviation else None, "digits": digits}


def _agreement(table: Json) -> list[Json]:
    """Return the rank correlations of columns with published columns of their metric, over all rows but a total."""
    found, rows = [], [row for row in table["rows"] if not row["total"]]
    for place, column in enumerate(table["columns"]):
        ours = [row["cells"][place] for row in rows]
        theirs = [(column["system"], [cell and cell["published"] for cell in ours])]
        theirs += [
            (other["system"], [row["published"][at] for row in rows])
            for at, other in enumerate(table["beside"])
            if other["metric"] == column["metric"]
        ]
        for name, figures in theirs:
            pairs = [(a["mean"], b["mean"]) for a, b in zip(ours, figures, strict=True) if a and b]
            if len(pairs) > 4:
                test = spearman("", "", *np.array(pairs, np.float64).T)
                found.append({**column, "published": name, "rows": test.pairs, "rho": test.rho, "p": test.p})
    return found


def campaign(corpora: Mapping[str, Json]) -> Json:
    """Return the tables of a campaign from the analyses of its corpora."""
    runs = [(name, system, data) for name, data in corpora.items() for system in data["systems"]]
    return {
        "runs": len(runs),
        "corpora": [
            *(_corpus(name, data) for name, data in corpora.items()),
            {
                "name": "all",
                "systems": len(runs),
                "sentences": sum(data["treebank"]["sentences"] for data in corpora.values()),
            },
        ],
        "relations": _relations(runs),
        # Projectivity is tested only in corpora with a larger share of non-projective sentences.
        "projectivity": [
            {"name": f"{system}/{name}", "title": f"{system}, {name}", "tests": tests}
            for name, data in corpora.items()
            if 1 - data["treebank"]["projective"] / data["treebank"]["sentences"] > 0.05
            for system, tests in _tests(data).items()
        ],
        "correlations": _medians(corpora),
        "mined": {view: _mined(view, corpora, len(runs)) for view in ("dep", "pos", "pos-dep")},
    }


def _corpus(name: str, data: Json) -> Json:
    bank = data["treebank"]
    measures = {key: {part: found[part] for part in ("mean", "deviation")} for key, found in bank["measures"].items()}
    share = 100 * (1 - bank["projective"] / bank["sentences"])
    counts = {"systems": len(data["systems"]), "sentences": bank["sentences"]}
    scores = {
        system["name"]: {"bleu": 100 * system["bleu"]["mean"], "dea": 100 * system["edges"]["dea"]}
        for system in data["systems"]
    }
    return {"name": name, **counts, "non_projective": share, "scores": scores, **measures}


def _relations(runs: Iterable[tuple[str, Json, Json]]) -> list[Json]:
    """Return the number of edges of each relation in all runs, and the share kept; the hardest come first."""
    kept, edges = Counter[str](), Counter[str]()
    for label, found in (pair for _, system, _ in runs for pair in system["relations"].items()):
        kept[label.partition(":")[0]] += found["kept"]
        edges[label.partition(":")[0]] += found["edges"]
    order = sorted(filter(edges.get, edges), key=lambda name: kept[name] / edges[name])
    edges["all"], kept["all"] = edges.total(), kept.total()
    return [{"name": n, "count": edges[n], "accuracy": 100 * kept[n] / max(edges[n], 1)} for n in [*order, "all"]]


def _tests(data: Json) -> dict[str, Json]:
    return {
        system: {
            test["measure"]: {"projective": test["medians"][0], "others": test["medians"][1], "p": test["adjusted"]}
            for test in tests
            if test["u"] is not None
        }
        for system, tests in data["projectivity"].items()
    }


def _medians(corpora: Mapping[str, Json]) -> list[Json]:
    """Return the median correlation of each pair of measures: over all runs, by corpus, by system."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for name, data in corpora.items():
        for system, tests in data["correlations"].items():
            for test in tests:
                if test["rho"] is not None:
                    for of in ("all", name, system or name):
                        found[f"{test['first']} and {test['second']}"][of].append(test["rho"])
    return [
        {"name": pair, "median": {of: median(values) for of, values in given.items()}} for pair, given in found.items()
    ]


def _mined(view: str, corpora: Mapping[str, Json], runs: int) -> list[Json]:
    scores: dict[str, list[float]] = defaultdict(list)
    for data in corpora.values():
        for mined in data["mined"]:
            for suspect in mined["suspects"] if mined["view"] == view else ():
                scores[suspect["structure"]] += [blame["score"] for blame in suspect["systems"]]
    found = [
        {"name": name, "coverage": 100 * len(given) / runs, "score": fmean(given)} for name, given in scores.items()
    ]
    return sorted(found, key=lambda row: (-row["coverage"], -row["score"]))
