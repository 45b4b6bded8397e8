"""The page of an analysis: the JSON object of ``sglc analyse`` as one HTML file.

Correlations are drawn as a triangle of coloured squares.  The colour is the sign, its strength the
size of a coefficient.  The number is written as well, so that nothing depends on seeing colours::

            length  depth  BLEU
    depth     0.81
    BLEU     -0.32  -0.28
    DEA      -0.35  -0.30   0.77
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from sgl.report.arcs_svg import draw_graph
from sgl.report.model import Arc, GraphWord
from sgl.report.render import page_environment
from sgl.report.svg import element, picture, text_width
from sgl.research.analyse.tables import p_value, stars
from sgl.research.analyse.tables import title as long_title

#: A sentence with more words is not drawn.
_LONGEST = 60


def render_analysis(data: Mapping[str, Any], title: str) -> str:
    """Return the page as HTML; equal data give equal pages.

    ``data`` is that of :class:`sgl.research.analyse.analysis.Analysis`.
    """
    environment = page_environment("sgl.research.analyse")
    environment.filters["p"] = p_value
    environment.filters["measure"] = _measure
    environment.globals.update(draw_correlations=draw_correlations, draw_example=draw_example)
    return environment.get_template("analysis.html.j2").render(data=data, title=title)


def _measure(name: str) -> str:
    """Return what the page calls a measure or score; it has less room than tables."""
    return long_title(name).removeprefix("dependency ")


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


def draw_correlations(tests: Sequence[Mapping[str, Any]], title: str, name: str) -> Markup:
    """Draw the triangle of coefficients below the diagonal; ``name`` is unique on the page."""
    sides = list(dict.fromkeys(test[side] for test in tests for side in ("first", "second")))
    titles = list(map(_measure, sides))
    left = _MARGIN + max(map(text_width, titles), default=0.0) + 10
    # Names of columns stand above their first square, on steps, so that they do not collide.
    top = _MARGIN + 18
    drawn: list[Markup] = []
    for x, column in enumerate(titles[:-1]):
        middle = left + (x + 0.5) * _CELL_WIDTH
        y = top + x * _CELL_HEIGHT
        drawn.append(element("text", column, x=middle, y=y + _CELL_HEIGHT - 9, class_="tick"))
    by_pair = {(test["first"], test["second"]): test for test in tests}
    for y, row in enumerate(sides[1:], 1):
        baseline = top + (y + 0.5) * _CELL_HEIGHT + 5
        drawn.append(element("text", titles[y], x=left - 8, y=baseline, class_="end"))
        for x, column in enumerate(sides[:y]):
            place = left + x * _CELL_WIDTH, top + y * _CELL_HEIGHT
            drawn.append(_square(by_pair[column, row], f"{titles[y]} and {titles[x]}", *place))
    # The coefficients in words, for readers who do not see them.
    words = "; ".join(
        f"{_measure(test['second'])} and {_measure(test['first'])} "
        + ("not defined" if test["rho"] is None else _coefficient(test))
        for test in tests
    )
    width = left + (len(titles) - 1) * _CELL_WIDTH + _CELL_WIDTH / 2 + _MARGIN
    return picture(name, title, words, width, top + len(titles) * _CELL_HEIGHT + _MARGIN, *drawn)


def _square(test: Mapping[str, Any], pair: str, x: float, y: float) -> Markup:
    """Draw a coefficient, with its p-value as the tooltip."""
    rho = test["rho"]
    said = "not defined" if rho is None else f"ρ = {rho:.3f}"
    p = f"p = {p_value(test['adjusted'])} (Holm), {test['pairs']:,} sentences"
    kind = "none" if rho is None else "negative" if rho < 0 else "positive"
    square = element(
        "rect",
        x=x + _GAP / 2,
        y=y + _GAP / 2,
        width=_CELL_WIDTH - _GAP,
        height=_CELL_HEIGHT - _GAP,
        rx=3.0,
        class_=f"heat {kind}",
        fill_opacity=f"{_STRONGEST * abs(rho or 0.0):.3f}",
    )
    middle = {"x": x + _CELL_WIDTH / 2, "y": y + _CELL_HEIGHT / 2 + 5}
    value = element("text", _coefficient(test), **middle, class_="value")
    return element("g", element("title", f"{pair}: {said}, {p}"), square, value)


def _coefficient(test: Mapping[str, Any]) -> str:
    """Return a coefficient with its stars, and no sign before zero."""
    rho = test["rho"]
    return "–" if rho is None else f"{round(rho, 2) + 0.0:.2f}{stars(test['adjusted'])}"
