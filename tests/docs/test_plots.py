"""The plots of the documentation: what benchmarks have measured, and nothing else."""

from itertools import pairwise
from math import log10
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import plots
import scaling
from common import Json
from plots import MEASURED, PLOTS, Line, Plot, drawn, main

SVG = "{http://www.w3.org/2000/svg}"


def texts(picture: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(picture).iter(f"{SVG}text")]  # noqa: S314


def test_the_plots_of_the_documentation_are_those_of_the_figures(tmp_path: Path) -> None:
    assert main(["--out", str(tmp_path)]) == 0
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert made == {path.name: path.read_bytes() for path in PLOTS.iterdir()}
    pages = "".join(path.read_text("utf-8") for path in PLOTS.parent.glob("*.md"))
    for name in made:
        assert f"(plots/{name})" in pages


def test_a_plot_names_its_axes_and_its_lines() -> None:
    lines = [Line("one", [(1, 1), (10, 100)]), Line("two", [(1, 2), (10, 90)])]
    said = texts(drawn(Plot("p", "Cost", "rules", "seconds", lines)))
    assert {"Cost", "rules", "seconds", "one", "two", "1", "10", "100"} <= set(said)


@pytest.mark.parametrize("logarithmic", [True, False])
def test_a_line_that_grows_goes_up(logarithmic: bool) -> None:
    line = Line("one", [(1, 5), (2, 7), (3, 11)])
    picture = drawn(Plot("p", "Cost", "x", "y", [line], logarithmic=logarithmic))
    circles = list(ET.fromstring(picture).iter(f"{SVG}circle"))  # noqa: S314
    heights = [float(circle.attrib["cy"]) for circle in circles]
    assert heights == sorted(heights, reverse=True)
    assert len(set(heights)) == 3


def test_names_at_the_ends_of_lines_do_not_overlap() -> None:
    placed = sorted(plots.apart([50.0, 51.0, 49.0, 200.0]))
    assert all(upper - lower >= 14 for lower, upper in pairwise(placed))


def test_numbers_along_an_axis_that_have_no_room_are_left_out() -> None:
    marks = [1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6]
    assert plots.beside(marks, lambda mark: 500 * log10(mark)) == marks
    assert plots.beside(marks, lambda mark: 100 * log10(mark)) == [1e4, 1e5, 1e6]


def test_sizes_that_were_tried_with_most_workers_are_shown_by_workers() -> None:
    runs: list[Json] = [
        {"items": items, "engine": "local", "workers": workers, "processor": 1.0}
        for items, most in ((10, 2), (20, 6), (30, 4), (40, 3))
        for workers in range(1, most + 1)
    ]
    _, by_workers = plots.scaling_plots(runs)
    assert [line.name for line in by_workers.lines] == ["20 pairs", "30 pairs"]


def test_runs_that_are_added_take_the_place_of_those_of_their_kind() -> None:
    def run(items: int, workers: int, seconds: float) -> scaling.Measured:
        return scaling.Measured(items, "local", workers, seconds, 1.0, 1, 1, "")

    before = [run(10, 1, 1.0), run(20, 2, 2.0)]
    added = scaling.together(before, [run(20, 2, 3.0), run(10, 2, 4.0)])
    assert added == [run(10, 1, 1.0), run(10, 2, 4.0), run(20, 2, 3.0)]


def test_every_figure_is_positive() -> None:
    for plot in plots.plots_of(MEASURED):
        assert all(x > 0 and y > 0 for line in plot.lines for x, y in line.points)
