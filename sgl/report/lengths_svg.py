"""Draw distributions over whole numbers: one histogram below the other.

All share one axis, so that the shift from training to generalization shows::

    train   ▁▅█▆▃▂▁
    gen       ▁▃▅█▆▅▃▂▁
            5    10   15   tokens
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from sgl.report.svg import element, picture

_WIDTH = 640.0
_LEFT = 64.0
_PANEL = 62.0
_BARS = 44.0
_AXIS = 30.0
_TICK = 5

#: Shares that are too small to be drawn.
_INVISIBLE = 5e-4


class _Histogram(NamedTuple):
    """One histogram: its name, its mean, and (number, size, what to say) of each bar."""

    name: str
    mean: float
    bars: Sequence[tuple[int, float, str]]


def draw_lengths(splits: Mapping[str, Mapping[int, int]], name: str) -> Markup:
    """Draw how many sentences of each split have which number of tokens.

    Args:
        splits: the number of sentences of each length, by split.
        name: the name of the ``svg`` element, unique on the page.
    """
    drawn, said = [], []
    for split, counts in splits.items():
        sentences = sum(counts.values())
        mean = sum(n * count for n, count in counts.items()) / max(sentences, 1)
        bars = [(n, counts[n], f"{n} tokens: {counts[n]} sentences") for n in sorted(counts)]
        drawn.append(_Histogram(split, mean, bars))
        said.append(f"{split}: mean {mean:.1f} tokens, {sentences} sentences")
    title = "Lengths of the sentences in each split"
    return _draw(drawn, name, "tokens", title, "; ".join(said))


def draw_heights(splits: Mapping[str, Sequence[float]], name: str) -> Markup:
    """Draw the probability of each height, from 0 upwards, of the derivations of each split."""
    drawn = []
    for split, shares in splits.items():
        mean = sum(height * share for height, share in enumerate(shares))
        bars = [
            (height, share, f"height {height}: {100 * share:.1f} %")
            for height, share in enumerate(shares)
            if share >= _INVISIBLE
        ]
        drawn.append(_Histogram(split, mean, bars))
    said = "; ".join(f"{one.name}: mean height {one.mean:.1f}" for one in drawn)
    title = "Heights of the derivations in each split"
    return _draw(drawn, name, "rules above one another", title, said)


def _draw(
    series: Sequence[_Histogram], name: str, unit_name: str, title: str, description: str
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


def _panel(series: _Histogram, top: float, unit: float) -> Markup:
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
