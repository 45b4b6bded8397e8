r"""Show the object of ``sglc analyse --json`` as tables, in the terminal and in LaTeX, and as a page.

Numbers are right-aligned; ``–`` marks undefined values.  In LaTeX, the contents of cells are plain text: special
characters are escaped, and those that its fonts may lack are replaced.  On the page, correlations are a triangle of
squares.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from sgl.report.model import Arc, GraphWord
from sgl.report.render import draw_graph, page_environment, text_width

Json = Mapping[str, Any]

_NOTHING = "–"

#: The titles of measures and scores that differ from their names in the object.
_TITLES = {"distance": "dependency distance", "bleu": "BLEU", "dea": "DEA"}

#: The fewest pairs whose correlation has stars.
_FEWEST_TESTED = 10

#: The most words of a sentence that is drawn.
_LONGEST = 60


class ResultTable(NamedTuple):
    """A table of finished cells; all but the first ``texts`` columns are numbers."""

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: int = 1


def tables(data: Json) -> list[ResultTable]:
    """Return all non-empty tables, as ``tables.j2`` makes them."""
    made: list[ResultTable] = []

    def plain(text: str) -> str:
        return text.unescape() if isinstance(text, Markup) else text

    def add(name: str, title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], texts: int = 1) -> None:
        made.append(ResultTable(name, plain(title), columns, [list(map(plain, row)) for row in rows], texts))

    analysis_environment().get_template("tables.j2").render(data=data, add=add)
    return [table for table in made if table.rows]


def _p_value(value: float | None) -> str:
    """Return a p-value as text: ``0.013``, or ``2e-09`` for a small one."""
    if value is None:
        return _NOTHING
    return "<1e-300" if value == 0 else f"{value:.3f}" if value >= 0.001 else f"{value:.0e}"


def _title(name: str) -> str:
    return _TITLES.get(name, name.replace("_", " "))


def _coefficient(test: Json) -> str:
    if test["rho"] is None:
        return _NOTHING
    # A median has no test; that of few pairs is only approximate.
    tested = test.get("pairs", 0) >= _FEWEST_TESTED
    stars = sum(tested and test["adjusted"] < limit for limit in (0.001, 0.01, 0.05))
    # Zero has no sign.
    return f"{round(test['rho'], 2) + 0.0:.2f}{'*' * stars}"


_SPELT = str.maketrans(
    {
        **{mark: rf"\{mark}" for mark in "{}$&#%_"},
        "\\": r"\textbackslash{}",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "–": "--",
        "ρ": r"$\rho$",
        "→": r"$\rightarrow$",
        **{chr(code): " " for code in (*range(0x20), 0x7F)},
    }
)


def latex(tables: Sequence[ResultTable]) -> str:
    """Return all tables, one below the other; they need the package ``booktabs``."""
    return latex_environment("sgl.research.analyse").get_template("tables.tex.j2").render(tables=tables)


def latex_environment(package: str) -> Environment:
    """Return the environment of templates for LaTeX, which leaves LaTeX's own braces alone."""
    environment = Environment(  # noqa: S701 - it is not HTML; texts are escaped by a filter
        loader=PackageLoader(package),
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["tex"] = escaped
    environment.filters["comment"] = lambda text: " ".join(text.split())
    environment.filters["label"] = lambda name: re.sub("[^a-zA-Z0-9]", "-", name)
    return environment


def escaped(text: str) -> str:
    """Return a text escaped for LaTeX."""
    # At the beginning of a row, a bracket or star would belong to the preceding line break.
    return ("{}" if text.startswith(("[", "*")) else "") + text.translate(_SPELT)


def analysis_environment() -> Environment:
    """Return the environment of the page of an analysis."""
    environment = page_environment("sgl.research.analyse")
    environment.add_extension("jinja2.ext.do")
    environment.filters |= MEASURES
    environment.globals["draw_example"] = draw_example
    return environment


#: How templates write measures, and figures about them.
MEASURES: Mapping[str, Callable[..., Any]] = {
    "p": _p_value,
    "title_of": _title,
    "text_width": text_width,
    "coefficient": _coefficient,
    "measure": lambda name: _title(name).removeprefix("dependency "),
}


def render_analysis(data: Mapping[str, Any], title: str) -> str:
    """Return the page of the ``data`` of an analysis as HTML."""
    return analysis_environment().get_template("analysis.html.j2").render(data=data, title=title)


def draw_example(example: Mapping[str, Any], name: str) -> Markup:
    """Draw the tree of an example with its structure highlighted, or nothing for a long sentence."""
    if len(example["words"]) > _LONGEST:
        return Markup("")
    marked = set(example["marked"])
    words = [GraphWord(word["form"], word["upos"], at in marked) for at, word in enumerate(example["words"])]
    arcs = [Arc(arc["governor"], arc["label"], arc["dependent"]) for arc in example["arcs"]]
    return draw_graph(words, arcs, example["root"], name)
