"""The page of an analysis: the JSON object of ``sglc analyse`` as one HTML file.

Correlations are drawn as a triangle of coloured squares.  The colour is the sign, its
strength the size of a coefficient.  The number is written as well, so that nothing depends
on seeing colours::

            length  depth  BLEU
    depth     0.81
    BLEU     -0.32  -0.28
    DEA      -0.35  -0.30   0.77
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from sgl.report.arcs_svg import draw_graph
from sgl.report.model import Arc, GraphWord
from sgl.report.render import page_environment
from sgl.report.svg import element, picture, text_width
from sgl.research.analyse.result import MEASURES, SCORES
from sgl.research.analyse.tables import p_value, stars

#: What measures and scores are called on the page.
TITLES: Mapping[str, str] = MEASURES | SCORES | {"distance": "distance", "entropy": "entropy"}

#: A sentence with more words is not drawn.
_LONGEST = 60


def render_analysis(data: Mapping[str, Any], title: str) -> str:
    """Return the page as HTML; equal data give equal pages.

    ``data`` is what :func:`sgl.research.analyse.result.analysis_data` gives.
    """
    environment = page_environment("sgl.research.analyse")
    environment.filters["p"] = p_value
    environment.globals.update(
        draw_correlations=draw_correlations, draw_example=draw_example, titles=TITLES
    )
    return environment.get_template("analysis.html.j2").render(data=data, title=title)


def draw_correlations(tests: Sequence[Mapping[str, Any]], title: str, name: str) -> Markup:
    """Draw the correlations of one system as a heat map."""
    names = list(dict.fromkeys(side for test in tests for side in (test["first"], test["second"])))
    cells = [_cell(test) for test in tests]
    return draw_heat(cells, [TITLES.get(entry, entry) for entry in names], title, name)


def _cell(test: Mapping[str, Any]) -> HeatCell:
    row, column = (TITLES.get(test[side], test[side]) for side in ("second", "first"))
    adjusted = test["adjusted"]
    rho = "not defined" if test["rho"] is None else f"ρ = {test['rho']:.3f}"
    note = f"{row} and {column}: {rho}, p = {p_value(adjusted)} (Holm), {test['pairs']:,} sentences"
    return HeatCell(row, column, test["rho"], stars(adjusted), note)


def draw_example(example: Mapping[str, Any], name: str) -> Markup:
    """Draw the tree of an example, with its structure set off; not that of a long sentence."""
    if len(example["words"]) > _LONGEST:
        return Markup("")
    marked = set(example["marked"])
    words = [
        GraphWord(word["form"], word["upos"], at in marked)
        for at, word in enumerate(example["words"])
    ]
    arcs = [Arc(arc["governor"], arc["label"], arc["dependent"]) for arc in example["arcs"]]
    return draw_graph(words, arcs, example["root"], name)


_CELL_WIDTH = 66.0
_CELL_HEIGHT = 34.0
_GAP = 2.0
_MARGIN = 8.0

#: The strongest colour still lets the number be read.
_STRONGEST = 0.45


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A coefficient between -1 and 1, with a mark behind it and a sentence about it."""

    row: str
    column: str
    value: float | None
    mark: str = ""
    note: str = ""


def draw_heat(cells: Sequence[HeatCell], names: Sequence[str], title: str, name: str) -> Markup:
    """Draw the triangle below the diagonal; ``name`` is unique on the page."""
    by_place = {(cell.row, cell.column): cell for cell in cells}
    left = _MARGIN + max((text_width(row) for row in names), default=0.0) + 10
    columns = names[:-1]
    # Names of columns stand above their first square, on steps, so that they do not collide.
    top = _MARGIN + 18
    drawn: list[Markup] = []
    for x, column in enumerate(columns):
        middle = left + (x + 0.5) * _CELL_WIDTH
        y = top + x * _CELL_HEIGHT
        drawn.append(element("text", column, x=middle, y=y + _CELL_HEIGHT - 9, class_="tick"))
    for y, row in enumerate(names[1:], 1):
        baseline = top + (y + 0.5) * _CELL_HEIGHT + 5
        drawn.append(element("text", row, x=left - 8, y=baseline, class_="end"))
        for x, column in enumerate(names[:y]):
            cell = by_place.get((row, column))
            if cell is not None:
                drawn.append(_square(cell, left + x * _CELL_WIDTH, top + y * _CELL_HEIGHT))
    width = left + len(columns) * _CELL_WIDTH + _CELL_WIDTH / 2 + _MARGIN
    height = top + len(names) * _CELL_HEIGHT + _MARGIN
    return picture(name, title, _described(cells), width, height, *drawn)


def _square(cell: HeatCell, x: float, y: float) -> Markup:
    value = cell.value
    kind = "none" if value is None else "negative" if value < 0 else "positive"
    opacity = 0.0 if value is None else _STRONGEST * abs(value)
    text = _text(cell)
    return element(
        "g",
        element("title", cell.note or f"{cell.row}, {cell.column}: {text}"),
        element(
            "rect",
            x=x + _GAP / 2,
            y=y + _GAP / 2,
            width=_CELL_WIDTH - _GAP,
            height=_CELL_HEIGHT - _GAP,
            rx=3.0,
            class_=f"heat {kind}",
            fill_opacity=f"{opacity:.3f}",
        ),
        element("text", text, x=x + _CELL_WIDTH / 2, y=y + _CELL_HEIGHT / 2 + 5, class_="value"),
    )


def _text(cell: HeatCell) -> str:
    """Return a coefficient with its mark, and no sign before zero."""
    return "–" if cell.value is None else f"{round(cell.value, 2) + 0.0:.2f}{cell.mark}"


def _described(cells: Sequence[HeatCell]) -> str:
    """Return the coefficients in words, for readers who do not see them."""
    return "; ".join(
        f"{cell.row} and {cell.column} " + ("not defined" if cell.value is None else _text(cell))
        for cell in cells
    )
