"""Draw distributions over whole numbers: one histogram below the other.

All share one axis, so that the shift from training to generalization shows::

    train   ▁▅█▆▃▂▁
    gen       ▁▃▅█▆▅▃▂▁
            5    10   15   tokens
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from sgl.report.model import Heights, Lengths
from sgl.report.svg import element, picture

_WIDTH = 640.0
_LEFT = 64.0
_PANEL = 62.0
_BARS = 44.0
_AXIS = 30.0
_TICK = 5

#: Shares that are too small to be drawn.
_INVISIBLE = 5e-4


@dataclass(frozen=True, slots=True)
class _Series:
    """One histogram: its name, its mean, and (number, size, what to say) of each bar."""

    name: str
    mean: float
    bars: tuple[tuple[int, float, str], ...]


def draw_lengths(series: Sequence[Lengths], name: str) -> Markup:
    """Lengths of sentences as an ``svg`` element; ``name`` is unique on the page."""
    return _draw(
        [
            _Series(
                split.split,
                split.mean,
                tuple((n, count, f"{n} tokens: {count} sentences") for n, count in split.counts),
            )
            for split in series
        ],
        name,
        "tokens",
        "Lengths of the sentences in each split",
        "; ".join(f"{s.split}: mean {s.mean:.1f} tokens, {s.items} sentences" for s in series),
    )


def draw_heights(series: Sequence[Heights], name: str) -> Markup:
    """Heights of derivations as an ``svg`` element; ``name`` is unique on the page."""
    return _draw(
        [
            _Series(
                split.split,
                split.mean,
                tuple(
                    (n, share, f"height {n}: {100 * share:.1f} %")
                    for n, share in enumerate(split.shares)
                    if share >= _INVISIBLE
                ),
            )
            for split in series
        ],
        name,
        "rules above one another",
        "Heights of the derivations in each split",
        "; ".join(f"{s.split}: mean height {s.mean:.1f}" for s in series),
    )


def _draw(
    series: Sequence[_Series], name: str, unit_name: str, title: str, description: str
) -> Markup:
    longest = max((number for one in series for number, _, _ in one.bars), default=1)
    unit = (_WIDTH - _LEFT) / (longest + 1)
    panels = [_panel(one, index * _PANEL, unit) for index, one in enumerate(series)]
    floor = len(series) * _PANEL
    ticks = [
        element("text", str(length), x=_LEFT + length * unit, y=floor + 14, class_="tick")
        for length in range(_TICK, longest + 1, _TICK)
    ]
    axis = element("text", unit_name, x=_WIDTH, y=floor + 28, class_="tick end")
    return picture(name, title, description, _WIDTH, floor + _AXIS, *panels, *ticks, axis)


def _panel(series: _Series, top: float, unit: float) -> Markup:
    floor = top + _PANEL - 6
    highest = max((size for _, size, _ in series.bars), default=1.0)
    bars = []
    for number, size, text in series.bars:
        height = max(_BARS * size / highest, 1.0)
        bars.append(
            element(
                "rect",
                element("title", text),
                x=_LEFT + (number - 0.42) * unit,
                y=floor - height,
                width=unit * 0.84,
                height=height,
                class_="bar",
            )
        )
    mean = _LEFT + series.mean * unit
    return element(
        "g",
        element("text", series.name, x=0.0, y=floor - 14, class_="split"),
        element("text", f"mean {series.mean:.1f}", x=0.0, y=floor - 1, class_="tick start"),
        *bars,
        element("line", x1=_LEFT, y1=floor, x2=_WIDTH, y2=floor, class_="axis"),
        element("line", x1=mean, y1=floor, x2=mean, y2=floor - _BARS - 4, class_="mean"),
    )
