"""The page of an evaluation: the JSON object of ``sglc eval`` as one HTML file.

Scores are drawn with their intervals: one line for each pattern, or a curve over numbers.
Systems have marks of different shapes, so that a picture can be read without colours::

    PP in direct obj → Subj     ├●┤        ├─■─┤
    Adj in direct obj → Subj                    ├●┤ ├■┤
                            0 %      25 %      50 %      75 %    100 %
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from sgl.report.render import page_environment
from sgl.report.svg import element, label_width, picture, wrapped
from sgl.research.evaluate.tables import score_text

_WIDTH = 760.0
_LINE = 11.0
_GAP = 8.0
_TOP, _BOTTOM = 8.0, 26.0
_HEIGHT = 190.0
_LEFT = 44.0
_SIZE = 4.5

#: The room for names: so many pixels, on so many lines of this height.
_LABEL, _LABEL_LINES, _LABEL_LINE = 270.0, 3, 14.0
_QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)

#: Shapes that can be told apart; more systems than these share them.
SHAPES = 6

ScoreRow = Mapping[str, Any]


def render_evaluation(data: Mapping[str, Any]) -> str:
    """Return the page as HTML; equal data give equal pages.

    ``data`` is what :func:`sgl.research.evaluate.data.evaluation_data` gives.
    """
    environment = page_environment("sgl.research.evaluate")
    drawing = {"draw_scores": draw_scores, "draw_curve": draw_curve, "draw_mark": draw_mark}
    environment.globals.update(drawing, score=score_text)
    return environment.get_template("evaluation.html.j2").render(data=data)


def draw_mark(number: int) -> Markup:
    """Return the mark of a system, for the legend."""
    return element(
        "svg",
        _mark(number, 7.0, 7.0),
        xmlns="http://www.w3.org/2000/svg",
        viewBox="0 0 14 14",
        width=14,
        height=14,
        aria_hidden="true",
        class_="legend",
    )


def draw_scores(rows: Sequence[ScoreRow], metric: str, systems: Sequence[str], name: str) -> Markup:
    """Draw the scores of each row by one metric; ``name`` is unique on the page."""
    labels = [wrapped(row["title"], _LABEL, _LABEL_LINES) for row in rows]
    left = max((label_width(line) for label in labels for line in label), default=0.0) + 14
    width = _WIDTH - left - 16
    lines: list[Markup] = []
    top = _TOP
    for row, label in zip(rows, labels, strict=True):
        height = max(_LINE * len(systems), _LABEL_LINE * len(label))
        lines.append(_label(row["title"], label, left - 10, top + height / 2))
        first = top + (height - _LINE * len(systems)) / 2
        for number, system in enumerate(systems):
            cell = row["scores"].get(metric, {}).get(system)
            if cell is not None:
                y = first + _LINE * (number + 0.5)
                low, high, mean = (left + cell[key] * width for key in ("low", "high", "mean"))
                whisker = {"x1": low, "y1": y, "x2": high, "y2": y}
                mark = _scored(cell, row["title"], system, whisker, _mark(number, mean, y))
                lines.append(element("g", *mark, class_=f"s{number % SHAPES}"))
        top += height + _GAP
    scale: list[Markup] = []
    for q in _QUARTERS:
        x = left + q * width
        line = element("line", x1=x, y1=_TOP, x2=x, y2=top, class_="grid")
        text = element("text", f"{100 * q:.0f} %", x=x, y=top + 14, class_="tick")
        scale.append(element("g", line, text))
    words = _words(rows, metric, systems)
    return picture(name, f"{metric} by pattern", words, _WIDTH, top + _BOTTOM, *scale, *lines)


def _label(title: str, lines: Sequence[str], x: float, middle: float) -> Markup:
    """Draw a name in one or several lines, with the whole name as its tooltip."""
    first = middle - _LABEL_LINE * (len(lines) - 1) / 2 + 4
    texts = [
        element("text", line, x=x, y=first + _LABEL_LINE * number, class_="end")
        for number, line in enumerate(lines)
    ]
    return element("g", element("title", title), *texts)


def draw_curve(
    rows: Sequence[ScoreRow], metric: str, systems: Sequence[str], name: str, unit: str
) -> Markup:
    """Draw the scores over the numbers that the rows are for; ``name`` is unique on the page."""
    step = (_WIDTH - _LEFT - 12) / max(len(rows), 1)
    floor = _TOP + _HEIGHT
    drawn: list[Markup] = []
    for q in _QUARTERS:
        y = floor - q * _HEIGHT
        drawn.append(element("line", x1=_LEFT, y1=y, x2=_WIDTH - 12, y2=y, class_="grid"))
        drawn.append(element("text", f"{100 * q:.0f} %", x=_LEFT - 6, y=y + 4, class_="tick end"))
    middles = [_LEFT + (place + 0.5) * step for place in range(len(rows))]
    for x, row in zip(middles, rows, strict=True):
        drawn.append(element("text", row["title"], x=x, y=floor + 15, class_="tick"))
    for number, system in enumerate(systems):
        # Systems stand side by side, so that intervals do not hide one another.
        aside = (number - (len(systems) - 1) / 2) * min(5.0, step / (len(systems) + 1))
        points: list[tuple[float, float]] = []
        marks: list[Markup] = []
        for middle, row in zip(middles, rows, strict=True):
            cell = row["scores"].get(metric, {}).get(system)
            if cell is not None:
                low, high, y = (floor - cell[key] * _HEIGHT for key in ("low", "high", "mean"))
                x = middle + aside
                points.append((x, y))
                whisker = {"x1": x, "y1": low, "x2": x, "y2": high}
                mark = _scored(cell, row["title"], system, whisker, _mark(number, x, y))
                marks.append(element("g", *mark))
        lines = [
            element("line", x1=a[0], y1=a[1], x2=b[0], y2=b[1], class_="curve")
            for a, b in pairwise(points)
        ]
        drawn.append(element("g", *lines, *marks, class_=f"s{number % SHAPES}"))
    drawn.append(element("text", unit, x=_WIDTH - 12, y=floor + 30, class_="tick end"))
    words = _words(rows, metric, systems)
    return picture(name, f"{metric} by {unit}", words, _WIDTH, floor + 36, *drawn)


def _scored(
    cell: ScoreRow, title: str, system: str, whisker: Mapping[str, float], mark: Markup
) -> list[Markup]:
    """Draw a score with its interval, and say both in the tooltip."""
    interval = f"{100 * cell['low']:.1f}–{100 * cell['high']:.1f} %"
    said = f"{title}, {system}: {100 * cell['mean']:.1f} % ({interval}, {cell['items']} items)"
    return [element("title", said), element("line", **whisker, class_="whisker"), mark]


def _words(rows: Sequence[ScoreRow], metric: str, systems: Sequence[str]) -> str:
    """Return the same in words, for those who do not see the picture."""
    return "; ".join(
        f"{row['title']}, {system}: {100 * cell['mean']:.1f} %"
        for row in rows
        for system in systems
        if (cell := row["scores"].get(metric, {}).get(system)) is not None
    )


def _mark(number: int, x: float, y: float) -> Markup:
    shape = number % SHAPES
    look = f"mark s{shape}"
    r = _SIZE
    if shape == 0:
        return element("circle", cx=x, cy=y, r=r, class_=look)
    if shape == 1:
        return element("rect", x=x - r, y=y - r, width=2 * r, height=2 * r, class_=look)
    corners = {
        2: [(0, -1.2), (1.1, 0.9), (-1.1, 0.9)],
        3: [(0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)],
        4: [(0, 1.2), (1.1, -0.9), (-1.1, -0.9)],
        5: [(-1.2, -0.4), (1.2, -0.4), (1.2, 0.4), (-1.2, 0.4)],
    }[shape]
    points = " ".join(f"{x + r * dx:.1f},{y + r * dy:.1f}" for dx, dy in corners)
    return element("polygon", points=points, class_=look)
