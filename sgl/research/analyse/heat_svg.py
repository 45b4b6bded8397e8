"""Draw coefficients of correlation: a triangle of coloured squares.

Colour says which way two measures go together, its strength how much, and the number is
written as well, so that nothing depends on seeing colours::

            length  depth  BLEU
    depth     0.81
    BLEU     -0.32  -0.28
    DEA      -0.35  -0.30   0.77
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from sgl.report.svg import element, picture, text_width

_CELL_WIDTH = 66.0
_CELL_HEIGHT = 34.0
_GAP = 2.0
_MARGIN = 8.0

#: The strongest colour still lets the number be read.
_STRONGEST = 0.45


@dataclass(frozen=True, slots=True)
class Cell:
    """A coefficient between -1 and 1, with a mark behind it and a sentence about it."""

    row: str
    column: str
    value: float | None
    mark: str = ""
    note: str = ""


def draw_heat(cells: Sequence[Cell], names: Sequence[str], title: str, name: str) -> Markup:
    """The triangle below the diagonal as an ``svg`` element; ``name`` is unique on the page."""
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


def _square(cell: Cell, x: float, y: float) -> Markup:
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


def _text(cell: Cell) -> str:
    """A coefficient with its mark, and no sign before zero."""
    return "–" if cell.value is None else f"{round(cell.value, 2) + 0.0:.2f}{cell.mark}"


def _described(cells: Sequence[Cell]) -> str:
    """The coefficients in words, for readers who do not see them."""
    return "; ".join(
        f"{cell.row} and {cell.column} " + ("not defined" if cell.value is None else _text(cell))
        for cell in cells
    )
