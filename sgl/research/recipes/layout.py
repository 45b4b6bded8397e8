"""Lay out the tables of a recipe: in panels that fit the width of a page or a terminal, with the best figures marked.

A table for many systems is divided between systems where it can be; each panel repeats the titles of the rows.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
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
        least = page.width(system) / len(own)
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
