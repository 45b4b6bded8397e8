"""Lay out the tables of a recipe: in panels that fit the width of a page or a terminal, with the best figures marked.

A table for many systems is divided between systems where it can be; each panel repeats the titles of the rows.

Figures have rows of points: ``scores`` by part, on a line each; a ``curve`` over steps; ``exposures`` on a logarithmic
axis, with the fitted curve; or the triangle of ``heat``, a number for each pair of rows.  Pages draw them as SVG,
papers by pgfplots.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from typing import Any, NamedTuple

from sgl.research.analyse.scoring import Json

#: Metrics of which more is better, and rates of errors, of which less is.
_HIGH = ("exact", "exact_raw", "bleu", "chrf", "partial", "reformatted", "equivalent", "edges", "dea")
_LOW = ("instance", "aggregate")

#: Widths of characters of Computer Modern at 9 points, in points: the usual one, and the others.
_USUAL, _WIDTHS = 4.7, {**dict.fromkeys("ijlt.,:;|'!()[] ", 3.2), **dict.fromkeys("mwMW—±%", 8.0), "–": 4.6}
_UPPER = 6.8

#: The room between two columns, in points, and how much wider a column may be in bold.
_BETWEEN, _BOLD = 8.0, 1.13


class PanelColumn(NamedTuple):
    """A column of a table: its system, its title, its cells, and which of them are the best of their rows."""

    system: str
    title: str
    cells: Sequence[str]
    best: Sequence[bool]


def points(text: str) -> float:
    """Return about how wide a text is on a page, in points."""
    return sum(_UPPER if c.isupper() and c not in _WIDTHS else _WIDTHS.get(c, _USUAL) for c in text) + _BETWEEN


class Page(NamedTuple):
    """A page or a terminal: how wide a text is on it, its own width, and the most of it that titles of rows have."""

    width: Callable[[str], float]
    limit: float
    titles: float
    each: bool = False  # the name of a system stands above each of its columns, not once above all


#: A page of an article.
ARTICLE = Page(points, 345.0, 110.0)


def panels(
    table: Json, shown: Callable[[Any], str], titled: Callable[[Json], str], page: Page
) -> Iterator[list[PanelColumn]]:
    """Yield the columns of a table in groups that fit a page beside the titles of the rows."""
    longest = max((page.width(titled(row)) for row in table["rows"]), default=0.0)
    room, panel, used = page.limit - min(longest, page.titles), list[PanelColumn](), 0.0
    for system, columns in groupby(_columns(table, shown, titled), key=lambda column: column.system):
        own = [*columns]
        least = page.width(system) / (1 if page.each else len(own))
        group = [(column, max(least, _BOLD * max(map(page.width, (column.title, *column.cells))))) for column in own]
        # A system stays in one panel if it fits into one.
        if panel and used + sum(size for _, size in group) > room:
            yield panel
            panel, used = [], 0.0
        for column, size in group:
            if panel and used + size > room:
                yield panel
                panel, used = [], 0.0
            panel.append(column)
            used += size
    if panel:
        yield panel


def _columns(table: Json, shown: Callable[[Any], str], titled: Callable[[Json], str]) -> Iterator[PanelColumn]:
    """Yield the columns with a figure, the published ones last."""
    rows = table["rows"]
    best = [_best(table, row["cells"]) for row in rows]
    for place, column in enumerate(table["columns"]):
        if any(row["cells"][place] for row in rows):
            cells = [shown(row["cells"][place]) for row in rows]
            yield PanelColumn(column["system"], titled(column), cells, [place in own for own in best])
    for place, column in enumerate(table["beside"]):
        if any(row["published"][place] for row in rows):
            cells = [shown(row["published"][place]) for row in rows]
            yield PanelColumn(f"{column['system']} (paper)", column["title"], cells, [False] * len(rows))


def _best(table: Json, cells: Sequence[Any]) -> set[int]:
    """Return the places of the best figures of a row, of several systems by one metric."""
    found = set[int]()
    for metric in {column["metric"] for column in table["columns"]}:
        of = [p for p, column in enumerate(table["columns"]) if column["metric"] == metric and cells[p]]
        means = {place: cells[place]["mean"] for place in of if cells[place]["mean"] is not None}
        if len(means) > 1 and metric in (*_HIGH, *_LOW):
            top = (min if metric in _LOW else max)(means.values())
            found |= {place for place, mean in means.items() if mean == top}
    return found


#: Scores of systems, or lines, at a place: their ``mean``, ``low`` and ``high`` as shares.  A coefficient is no share.
_Scores = dict[str, Mapping[str, Any]]


class Figure(NamedTuple):
    """A figure: its kind, its title, what its axis counts, its rows with the scores of each system, and its range."""

    kind: str
    title: str
    unit: str
    systems: Sequence[str]
    rows: Sequence[tuple[str, _Scores]]
    bottom: float = 0.0
    top: float = 1.0


def figures_of(table: Json) -> list[Figure]:
    """Return the figures of a table, in the order of a page."""
    found = [*_curves(table)] if table.get("curve") else []
    if metric := table.get("figure"):
        rows = [(row["title"], _scores(table, row, metric)) for row in table["rows"]]
        found.append(Figure("scores", table["title"], "", _systems(rows), rows))
    if table.get("heat"):
        cells = [(row["title"], {"": row["cells"][0]}) for row in table["rows"] if row["cells"][0]]
        found.append(Figure("heat", table["title"], "", [""], cells))
    return found


def _scores(table: Json, row: Json, metric: str) -> _Scores:
    pairs = zip(table["columns"], row["cells"], strict=True)
    return {column["system"]: _share(cell) for column, cell in pairs if cell and column["metric"] == metric}


def _share(cell: Json) -> Json:
    """Return a figure in percent, with its interval if it has one, as shares."""
    ends = {end: cell["mean"] if cell[end] is None else cell[end] for end in ("low", "high")}
    return {key: number / 100 for key, number in {"mean": cell["mean"], **ends}.items()}


def _systems(rows: Sequence[tuple[str, _Scores]]) -> list[str]:
    return list(dict.fromkeys(system for _, scores in rows for system in scores))


def _curves(table: Json) -> Iterator[Figure]:
    """Yield a figure for each panel; a row of the table is a line, or a point of a seed."""
    panels: dict[str, dict[str, _Scores]] = {}
    for panel, tick, line, share in _points(table):
        panels.setdefault(panel, {}).setdefault(tick, {})[line] = share
    for panel, ticks in panels.items():
        rows = [*ticks.items()]
        shares = [share for _, scores in rows for share in scores.values()]
        bottom = min(math.floor(100 * share["low"]) / 100 for share in shares)
        top = max(math.ceil(100 * share["high"]) / 100 for share in shares)
        yield Figure("curve", panel, table["curve"], _systems(rows), rows, bottom, max(top, bottom + 0.01))


def _points(table: Json) -> Iterator[tuple[str, str, str, Json]]:
    """Yield the panel, the tick, the line and the share of each point."""
    for row in table["rows"]:
        for column, cell in zip(table["columns"], row["cells"], strict=True):
            if not cell or " - " in column["metric"]:
                continue
            of_system = bool(column["system"])
            line, point, known = (
                (column["system"], row["title"], row["reached"])
                if of_system
                else (row["title"], column["metric"], column["reached"])
            )
            # A point is where its split is, and equal splits are one.
            if known and known[0]["name"] != known[0]["same"]:
                continue
            step, _, seed = point.partition("-")
            panel = f"{table['title']}: {column['title']}, seed {seed}" if of_system else table["title"]
            yield panel, step + (f" ({known[0]['value']:.2f})" if known else ""), line, _share(cell)


def exposure_figures(curves: Sequence[Json], counted: str) -> list[Figure]:
    """Return a figure for each part whose scores by exposures, or whatever is ``counted``, are known."""
    found = []
    shown = [curve for curve in curves if curve["metric"] == "exact" and curve["table"] != "patterns"]
    for part, own in groupby(sorted(shown, key=lambda curve: curve["part"]), key=lambda curve: curve["part"]):
        rows = [(curve["system"], {"points": curve["points"], "fit": curve["curve"] or ()}) for curve in own]
        found.append(Figure("exposures", f"Exact Match, {part}", counted, [system for system, _ in rows], rows))
    return found


def figures(made: Json) -> list[Figure]:
    """Return all figures of a recipe: those of its tables, and those by exposures."""
    return [*chain.from_iterable(map(figures_of, made["tables"])), *exposure_figures(made["curves"], made["counted"])]
