"""Draw what benchmarks have measured, as small SVG files for the documentation.

    python benchmarks/scaling.py --json benchmarks/measured/scaling.json
    python benchmarks/plots.py

The files of ``benchmarks/measured`` are read and those of ``docs/plots`` written, the same
bytes from the same figures::

    measured/scaling.json        plots/sentences.svg    CPU time by sentences and workers
                                 plots/workers.svg      CPU time by workers
    measured/growing.json        plots/rules.svg        compiling by rules
                                 plots/patterns.svg     compiling by patterns
                                 plots/grammar.svg      a sentence, by rules of the grammar
                                 plots/longer.svg       a sentence, by the mean length of all
    measured/parsing_*.json      plots/length.svg       parsing by length

A plot is lines over two axes, each linear or logarithmic; a line has its name at its end.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from markupsafe import Markup

from common import Json
from sgl.report.svg import element, picture, text_width

HERE = Path(__file__).parent
MEASURED = HERE / "measured"
PLOTS = HERE.parent / "docs" / "plots"

Points = list[tuple[float, float]]
Scale = Callable[[float], float]

_WIDTH, _HEIGHT = 560.0, 300.0
_LEFT, _TOP, _BOTTOM = 56.0, 34.0, 44.0
_FONT = 12.0

#: Names of lines that are nearer than that are moved apart.
_APART = 14.0

#: Colours that are told apart by all eyes (Okabe & Ito 2008).
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")

#: A line of sizes has more points than that.
_SEVERAL = 2

#: Linear axes have about so many marks.
_MARKS = 5


@dataclass(frozen=True)
class Line:
    """A line and what it is called."""

    name: str
    points: Points


@dataclass(frozen=True)
class Plot:
    """Lines over two axes."""

    name: str
    title: str
    across: str
    upwards: str
    lines: Sequence[Line]
    logarithmic: bool = True


def plots_of(measured: Path) -> Iterator[Plot]:
    """The plots for which there are figures."""
    scaling = _content(measured / "scaling.json")
    if scaling:
        yield from scaling_plots(scaling["runs"])
    growing = _content(measured / "growing.json")
    if growing:
        yield from _growing(growing)
    parsing = [_content(path) for path in sorted(measured.glob("parsing_*.json"))]
    if parsing:
        lines = [Line(_grammar(one), _points(one["lengths"], "tokens")) for one in parsing]
        title = "Parsing a sentence, by its length"
        yield Plot("length", title, "tokens", "µs", lines, logarithmic=False)


def scaling_plots(runs: Sequence[Json]) -> Iterator[Plot]:
    """CPU time by sentences, and by workers for the sizes that were tried with most of them."""
    every = Counter((run["engine"] != "local", run["workers"]) for run in runs)
    # How workers compare is the other plot's; here are those that were given several sizes.
    kinds = sorted(kind for kind, times in every.items() if times > _SEVERAL)
    by_items = [
        Line(
            _who(elsewhere, workers),
            [
                (run["items"], run["processor"])
                for run in runs
                if (run["engine"] != "local", run["workers"]) == (elsewhere, workers)
            ],
        )
        for elsewhere, workers in kinds
    ]
    title = "Distinct pairs to Parquet"
    yield Plot("sentences", title, "pairs", "CPU seconds", by_items)
    tried = Counter(run["items"] for run in runs if run["engine"] == "local")
    largest = sorted(sorted(tried, key=lambda items: (tried[items], items))[-2:])
    by_workers = [
        Line(
            f"{items:,} pairs",
            [
                (run["workers"], run["processor"])
                for run in runs
                if run["engine"] == "local" and run["items"] == items
            ],
        )
        for items in largest
    ]
    title = "What it costs to divide the work"
    yield Plot("workers", title, "workers", "CPU seconds", by_workers, logarithmic=False)


def _growing(growing: Json) -> Iterator[Plot]:
    phases = (("reading", "read_seconds"), ("proving", "prove_seconds"))
    for axis in ("rules", "patterns"):
        lines = [Line(name, _points(growing[axis], axis, value)) for name, value in phases]
        title = f"Compiling without a cache, by {axis}"
        yield Plot(axis, title, axis, "CPU seconds", lines)
    uses = (("drawing", "draw_microseconds"), ("parsing", "parse_microseconds"))
    lines = [Line(name, _points(growing["rules"], "rules", value)) for name, value in uses]
    title = "A sentence, by the rules of the grammar"
    yield Plot("grammar", title, "rules", "µs", lines)
    lines = [Line(name, _points(growing["length"], "tokens", value)) for name, value in uses]
    title = "A sentence of SGET, by the mean length of all"
    yield Plot("longer", title, "tokens", "µs", lines, logarithmic=False)


def _who(elsewhere: bool, workers: int) -> str:
    return f"{workers} worker{'s' if workers > 1 else ''}{' of Dask' if elsewhere else ''}"


def _grammar(parsing: Json) -> str:
    return str(parsing["grammar"]).removesuffix(".sgl").upper()


def _points(rows: Sequence[Json], across: str, upwards: str = "microseconds") -> Points:
    return [(row[across], row[upwards]) for row in rows]


def _content(path: Path) -> Json:
    if not path.is_file():
        return {}
    content: Json = json.loads(path.read_text("utf-8"))
    return content


# --- drawing -----------------------------------------------------------------------------


def drawn(plot: Plot) -> str:
    """A plot as an SVG file."""
    margin = max(text_width(line.name, _FONT) for line in plot.lines) + 20
    right, floor = _WIDTH - margin, _HEIGHT - _BOTTOM
    every = [point for line in plot.lines for point in line.points]
    xs, ys = [x for x, _ in every], [y for _, y in every]
    across = _scale(xs, _LEFT + 8, right, logarithmic=plot.logarithmic)
    upwards = _scale(ys, floor, _TOP + 10, logarithmic=plot.logarithmic)
    content = [
        element("rect", width=_WIDTH, height=_HEIGHT, rx=6, fill="#fff"),
        _text(plot.title, _WIDTH / 2, 18, anchor="middle", weight="bold"),
        _text(plot.upwards, 8, _TOP, anchor="start"),
        _text(plot.across, right, _HEIGHT - 8, anchor="end"),
    ]
    for mark in _marks(ys, logarithmic=plot.logarithmic):
        y = upwards(mark)
        content.append(_rule(_LEFT, y, right, y, "#ddd"))
        content.append(_text(_said(mark), _LEFT - 6, y + 4, anchor="end"))
    for mark in beside(_marks(xs, logarithmic=plot.logarithmic), across):
        x = across(mark)
        content.append(_rule(x, floor, x, floor + 4, "#888"))
        content.append(_text(_said(mark), x, floor + 18, anchor="middle"))
    content.append(_rule(_LEFT, floor, right, floor, "#888"))
    ends = apart([upwards(line.points[-1][1]) for line in plot.lines])
    for line, colour, end in zip(plot.lines, _COLOURS, ends, strict=False):
        places = [(across(x), upwards(y)) for x, y in line.points]
        content.append(_line(places, colour))
        content.append(_text(line.name, places[-1][0] + 8, end + 4, anchor="start", fill=colour))
    said = "; ".join(
        f"{line.name}: {_said(line.points[0][1])} to {_said(line.points[-1][1])} {plot.upwards}"
        for line in plot.lines
    )
    return str(picture(plot.name, plot.title, said, _WIDTH, _HEIGHT, *content)) + "\n"


def _line(places: Points, colour: str) -> Markup:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = [element("circle", cx=x, cy=y, r=2.5, fill=colour) for x, y in places]
    stroke: dict[str, str | float] = {"fill": "none", "stroke": colour, "stroke_width": 2}
    return element("g", element("polyline", points=path, **stroke), *dots)


def _rule(x1: float, y1: float, x2: float, y2: float, colour: str) -> Markup:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=colour)


def _text(
    text: str, x: float, y: float, *, anchor: str, fill: str = "#333", weight: str = "normal"
) -> Markup:
    return element(
        "text",
        text,
        x=x,
        y=y,
        fill=fill,
        text_anchor=anchor,
        font_size=_FONT,
        font_weight=weight,
        font_family="system-ui, sans-serif",
    )


def _scale(values: Sequence[float], start: float, end: float, *, logarithmic: bool) -> Scale:
    """A map from values to pixels; a linear axis begins at 0."""
    if logarithmic:
        low, high = math.log(min(values)), math.log(max(values))
        return lambda value: start + (end - start) * (math.log(value) - low) / (high - low or 1)
    return lambda value: start + (end - start) * value / max(values)


def _marks(values: Sequence[float], *, logarithmic: bool) -> list[float]:
    """Where an axis has numbers: powers of ten, or multiples of a round number."""
    low, high = min(values), max(values)
    if logarithmic:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        factors = (1,) if len(powers) > _MARKS - 1 else (1, 2, 5)
        every = (factor * 10.0**power for power in powers for factor in factors)
        return [mark for mark in every if low * (1 - 1e-9) <= mark <= high * (1 + 1e-9)]
    size = 10 ** math.floor(math.log10(high / _MARKS))
    step = next(size * factor for factor in (1, 2, 5, 10) if high / (size * factor) <= _MARKS)
    return [step * number for number in range(int(high / step) + 1)]


def beside(marks: Sequence[float], place: Scale) -> list[float]:
    """The marks whose numbers have room beside one another: all, or the powers of ten."""
    halves = [text_width(_said(mark), _FONT) / 2 for mark in marks]
    ends = [
        (place(mark) - half, place(mark) + half) for mark, half in zip(marks, halves, strict=True)
    ]
    if all(start - end >= _FONT / 2 for (_, end), (start, _) in pairwise(ends)):
        return list(marks)
    return [mark for mark in marks if mark == 10.0 ** round(math.log10(mark))]


def _said(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.2g}"


def apart(heights: Sequence[float]) -> list[float]:
    """The heights of names, moved down where two would overlap."""
    placed = list(heights)
    last = -math.inf
    for number in sorted(range(len(placed)), key=lambda number: heights[number]):
        last = placed[number] = max(placed[number], last + _APART)
    return placed


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw all plots."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--measured", type=Path, default=MEASURED)
    parser.add_argument("--out", type=Path, default=PLOTS)
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    for plot in plots_of(options.measured):
        path = options.out / f"{plot.name}.svg"
        path.write_text(drawn(plot), "utf-8")
        print(path, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
