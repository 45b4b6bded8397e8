"""The page of an analysis: the JSON object of ``sglc analyse`` as one HTML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from sgl.report.arcs_svg import draw_graph
from sgl.report.model import Arc, Word
from sgl.report.render import page_environment
from sgl.research.analyse.heat_svg import Cell, draw_heat

#: What measures and scores are called on the page.
TITLES: Mapping[str, str] = {
    "length": "length",
    "depth": "depth",
    "distance": "distance",
    "flux_size": "flux size",
    "flux_weight": "flux weight",
    "arity": "arity",
    "bleu": "BLEU",
    "dea": "DEA",
    "entropy": "entropy",
}

#: A sentence with more words is not drawn.
_LONGEST = 60

_STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))


def render_analysis(data: Mapping[str, Any], title: str) -> str:
    """The page as HTML; equal data give equal pages.

    ``data`` is what :func:`sgl.research.analyse.data.analysis_data` gives.
    """
    environment = page_environment()
    environment.filters["p"] = p_value
    environment.globals.update(
        draw_correlations=draw_correlations, draw_example=draw_example, titles=TITLES
    )
    return environment.get_template("analysis.html.j2").render(data=data, title=title)


def p_value(value: float | None) -> str:
    """A p-value: ``0.013``, or ``2e-09`` for a small one."""
    if value is None:
        return "–"
    return "< 1e-300" if value == 0 else f"{value:.3f}" if value >= 0.001 else f"{value:.0e}"


def draw_correlations(tests: Sequence[Mapping[str, Any]], title: str, name: str) -> Markup:
    """The correlations of one system as a heat map."""
    names = list(dict.fromkeys(side for test in tests for side in (test["first"], test["second"])))
    cells = [_cell(test) for test in tests]
    return draw_heat(cells, [TITLES.get(entry, entry) for entry in names], title, name)


def _cell(test: Mapping[str, Any]) -> Cell:
    row, column = (TITLES.get(test[side], test[side]) for side in ("second", "first"))
    adjusted = test["adjusted"]
    mark = "" if adjusted is None else next((m for limit, m in _STARS if adjusted < limit), "")
    rho = "not defined" if test["rho"] is None else f"ρ = {test['rho']:.3f}"
    note = f"{row} and {column}: {rho}, p = {p_value(adjusted)} (Holm), {test['pairs']:,} sentences"
    return Cell(row, column, test["rho"], mark, note)


def draw_example(example: Mapping[str, Any], name: str) -> Markup:
    """The tree of an example, its structure set off; nothing for a very long sentence."""
    if len(example["words"]) > _LONGEST:
        return Markup("")
    marked = set(example["marked"])
    words = [
        Word(word["form"], word["upos"], at in marked) for at, word in enumerate(example["words"])
    ]
    arcs = [Arc(arc["governor"], arc["label"], arc["dependent"]) for arc in example["arcs"]]
    return draw_graph(words, arcs, example["root"], name)
