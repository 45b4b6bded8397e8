"""Draw how long the sentences of each split are: one histogram below the other.

All share one axis, so that the shift from training to generalization shows::

    train   ▁▅█▆▃▂▁
    gen       ▁▃▅█▆▅▃▂▁
            5    10   15   tokens
"""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from sgl.report.model import Lengths
from sgl.report.svg import element, picture

_WIDTH = 640.0
_LEFT = 64.0
_PANEL = 62.0
_BARS = 44.0
_AXIS = 30.0
_TICK = 5


def draw_lengths(series: Sequence[Lengths], name: str) -> Markup:
    """Histograms of ``series`` as an ``svg`` element; ``name`` is unique on the page."""
    longest = max((length for split in series for length, _ in split.counts), default=1)
    unit = (_WIDTH - _LEFT) / (longest + 1)
    panels = [_panel(split, index * _PANEL, unit) for index, split in enumerate(series)]
    floor = len(series) * _PANEL
    ticks = [
        element("text", str(length), x=_LEFT + length * unit, y=floor + 14, class_="tick")
        for length in range(_TICK, longest + 1, _TICK)
    ]
    axis = element("text", "tokens", x=_WIDTH, y=floor + 28, class_="tick end")
    return picture(
        name,
        "Lengths of the sentences in each split",
        "; ".join(f"{s.split}: mean {s.mean:.1f} tokens, {s.items} sentences" for s in series),
        _WIDTH,
        floor + _AXIS,
        *panels,
        *ticks,
        axis,
    )


def _panel(split: Lengths, top: float, unit: float) -> Markup:
    floor = top + _PANEL - 6
    highest = max((count for _, count in split.counts), default=1)
    bars = []
    for length, count in split.counts:
        height = max(_BARS * count / highest, 1.0)
        bars.append(
            element(
                "rect",
                element("title", f"{length} tokens: {count} sentences"),
                x=_LEFT + (length - 0.42) * unit,
                y=floor - height,
                width=unit * 0.84,
                height=height,
                class_="bar",
            )
        )
    mean = _LEFT + split.mean * unit
    return element(
        "g",
        element("text", split.split, x=0.0, y=floor - 14, class_="split"),
        element("text", f"mean {split.mean:.1f}", x=0.0, y=floor - 1, class_="tick start"),
        *bars,
        element("line", x1=_LEFT, y1=floor, x2=_WIDTH, y2=floor, class_="axis"),
        element("line", x1=mean, y1=floor, x2=mean, y2=floor - _BARS - 4, class_="mean"),
    )
