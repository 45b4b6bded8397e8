r"""The tables of an evaluation, for the terminal and for papers (LaTeX with booktabs).

Shares are percentages with one decimal, with the deviation of the runs if there are several.  What
is shown is said by the templates ``evaluation.j2`` and ``evaluation.tex.j2``.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sgl.cli.terminal import print_table, say, text_table
from sgl.report.render import page_environment
from sgl.research.analyse.tables import latex_environment
from sgl.research.evaluate.surface import BLEU_METRIC, CHRF_METRIC

#: Columns of a terminal that titles have at least.
_TITLE = 12

Json = Mapping[str, Any]


def show_result(data: Json) -> None:
    """Show the scores of all items, groups and patterns, and what they rest on."""
    environment = page_environment("sgl.research.evaluate")
    environment.add_extension("jinja2.ext.do")
    given = {"score": score_text, "scale": scale, "say": say, "show": show_table}
    environment.get_template("evaluation.j2").render(data=data, **given)


def show_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write a table; in a narrow terminal heads and titles are broken, but no figure."""
    table = text_table()
    for number, head in enumerate(columns):
        longest = max((len(row[number]) for row in rows), default=0)
        width = longest if number else min(longest, _TITLE)
        table.add_column(head, justify="right" if number else "left", overflow="fold", min_width=width)
    for row in rows:
        table.add_row(*row)
    print_table(table)


def scale(metric: str) -> int:
    """Return what a score is multiplied with to be a percentage."""
    return 1 if metric in (BLEU_METRIC, CHRF_METRIC) else 100


def score_text(cell: Json, metric: str, sign: str = " ± {}") -> str:
    """Return a score with the deviation of its runs: ``83.0 ± 1.2``."""
    text = f"{scale(metric) * cell['mean']:.1f}"
    if cell["deviation"] is not None:
        text += sign.format(f"{scale(metric) * cell['deviation']:.1f}")
    return text


def latex(data: Json) -> str:
    """Return the tables of a result for papers; they need the package ``booktabs``."""
    environment = latex_environment("sgl.research.evaluate")
    return environment.get_template("evaluation.tex.j2").render(data=data, score=score_text)
