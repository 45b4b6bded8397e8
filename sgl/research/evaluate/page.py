"""The page of an evaluation: the JSON object of ``sglc eval`` as one HTML file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sgl.report.render import page_environment
from sgl.research.evaluate.scores_svg import draw_curve, draw_mark, draw_scores

#: Metrics whose figures are not shares.
_POINTS = ("bleu", "chrf")


def render_evaluation(data: Mapping[str, Any]) -> str:
    """The page as HTML; equal data give equal pages.

    ``data`` is what :func:`sgl.research.evaluate.result_data` gives.
    """
    environment = page_environment()
    environment.globals["draw_scores"] = draw_scores
    environment.globals["draw_curve"] = draw_curve
    environment.globals["draw_mark"] = draw_mark
    environment.globals["score"] = _score
    return environment.get_template("evaluation.html.j2").render(data=data)


def _score(cell: Mapping[str, Any], metric: str) -> str:
    """A figure with the deviation of its runs: ``83.0 ± 1.2``."""
    scale = 1 if metric in _POINTS else 100
    text = f"{scale * cell['mean']:.1f}"
    if cell["deviation"] is not None:
        text += f" ± {scale * cell['deviation']:.1f}"
    return text
