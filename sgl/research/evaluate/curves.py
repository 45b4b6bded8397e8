"""Exposure curves: how does a score grow with the number of exposures that a system was trained on?

``NAME@1``, ``NAME@5`` and so on are one system, trained on nested sets.  The curve is a logistic function of the
logarithm of the number, fitted by least squares; a score counts by how sure it is, over items or over runs.  Intervals
follow from the covariance of the fit, which is widened where the scores lie off the curve.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from sgl.research.analyse.scoring import Json
from sgl.research.analyse.statistics import WIDTH

#: Fewer scores lie on any curve; a curve is drawn through so many places; a wider interval of a slope says nothing.
_FEWEST, _PLACES, _WIDEST = 3, 33, 20.0


def curves(tables: Mapping[str, Sequence[Json]], metrics: Sequence[str]) -> list[Json]:
    """Return the curves for all items, groups and patterns, by metrics that judge items."""
    found = []
    for table, metric in product(("overall", "groups", "patterns"), metrics):
        for row in tables[table]:
            given = defaultdict(list)
            for name, cell in row["scores"].get(metric, {}).items():
                system, _, number = name.rpartition("@")
                if number.isdecimal() and 0 < int(number) < 10**9:
                    given[system].append({"exposures": int(number), "place": float(np.log2(int(number))), **cell})
            for system, points in given.items():
                if len(points) >= _FEWEST:
                    points.sort(key=lambda point: point["exposures"])
                    names = {"name": f"{row['name']}/{metric}/{system}", "title": f"{row['title']}, {system}"}
                    names |= {"table": table, "metric": metric, "part": row["title"], "system": system}
                    found.append({**names, "points": points, **fitted(points)})
    return found


def fitted(points: Sequence[Json]) -> Json:
    """Return the curve, the factor of the odds (``odds``), and where half is right (``half``), if that is sure."""
    from scipy.optimize import least_squares
    from scipy.special import expit

    x, y, low, high = (np.array([point[key] for point in points]) for key in ("place", "mean", "low", "high"))
    errors = np.maximum((high - low) / 2 / WIDTH, [(p["deviation"] or 0.0) / len(p["runs"]) ** 0.5 for p in points])

    def off(at: Any) -> Any:  # noqa: ANN401 - numbers
        return (expit(at[0] + at[1] * x) - y) / errors

    fit: Any = least_squares(off, (0.0, 0.0))
    a, b = map(float, fit.x)
    # Where the curve is a step nothing is known of its slope: a little is added, lest that be all.
    covariance = np.linalg.inv(fit.jac.T @ fit.jac + 1e-9 * np.eye(2)) * max(1.0, 2 * fit.cost / (len(x) - 2))

    def half_width(gradient: Any) -> Any:  # noqa: ANN401 - numbers or columns
        return WIDTH * np.sqrt(np.einsum("i...,ij,j...->...", gradient, covariance, gradient))

    def around(middle: float, wide: float, base: float) -> Json:
        sides = {"mean": middle, "low": middle - wide, "high": middle + wide}
        return {"deviation": None} | {name: float(base ** np.clip(side, -30, 30)) for name, side in sides.items()}

    slope = half_width(np.array([0.0, 1.0]))
    if not slope < _WIDEST:
        return {"odds": None, "half": None, "curve": []}
    places = np.linspace(x[0], x[-1], _PLACES)
    line, wide = a + b * places, half_width(np.stack([np.ones(_PLACES), places]))
    drawn = np.stack([places, expit(line), expit(line - wide), expit(line + wide)], axis=1).tolist()
    return {
        "odds": around(b, slope, np.e),
        "half": around(-a / b, half_width(np.array([-1 / b, a / b**2])), 2.0) if abs(b) > slope else None,
        "curve": [dict(zip(("place", "mean", "low", "high"), at, strict=True)) for at in drawn],
    }
