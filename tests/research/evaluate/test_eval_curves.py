"""Exposure curves: scores of systems that were trained on more and more exposures."""

from __future__ import annotations

import json
import math
from random import Random
from typing import Any

import pytest
from workplace import Workplace

from sgl.cli.main import OK, run
from sgl.research.analyse.statistics import spread, wilson
from sgl.research.evaluate.data import curves, fitted

ITEMS = 1000
NUMBERS = (1, 5, 20, 100)


def share(number: float, start: float = -2.0, slope: float = 0.6) -> float:
    """A curve: so many right answers after so many exposures."""
    return 1 / (1 + math.exp(-start - slope * math.log2(number)))


def point(number: int, *runs: float) -> dict[str, Any]:
    low, high = wilson(ITEMS * sum(runs) / len(runs), ITEMS)
    return {"exposures": number, "place": math.log2(number), **spread(runs), "low": low, "high": high}


def test_a_curve_is_found_again() -> None:
    curve = fitted([point(number, share(number)) for number in NUMBERS])
    assert curve["odds"]["mean"] == pytest.approx(math.exp(0.6), abs=1e-4)
    assert curve["half"]["mean"] == pytest.approx(2 ** (2 / 0.6), abs=1e-3)
    ends = curve["curve"][0], curve["curve"][-1]
    assert [at["mean"] for at in ends] == pytest.approx([share(1), share(100)], abs=1e-5)
    assert all(at["low"] < at["mean"] < at["high"] for at in curve["curve"])


def test_the_interval_has_the_truth_as_often_as_it_says() -> None:
    random, inside = Random(1), 0  # noqa: S311 - no secret
    for _ in range(200):
        right = [(number, sum(random.random() < share(number) for _ in range(ITEMS))) for number in NUMBERS]
        odds = fitted([point(number, found / ITEMS) for number, found in right])["odds"]
        inside += odds["low"] < math.exp(0.6) < odds["high"]
    assert 180 <= inside < 200


def test_runs_that_differ_and_scores_off_the_curve_make_it_less_sure() -> None:
    def wide(points: list[dict[str, Any]]) -> float:
        odds = fitted(points)["odds"]
        return float(odds["high"] - odds["low"])

    sure = wide([point(number, share(number)) for number in NUMBERS])
    assert wide([point(number, share(number) - 0.08, share(number) + 0.08) for number in NUMBERS]) > 2 * sure
    off = [point(number, share(number) + step) for number, step in zip(NUMBERS, (0, 0.1, -0.1, 0), strict=True)]
    assert wide(off) > 2 * sure


def test_where_exposures_do_not_help_there_is_no_half() -> None:
    curve = fitted([point(number, 0.1) for number in NUMBERS])
    assert curve["half"] is None
    assert curve["odds"]["low"] < 1 < curve["odds"]["high"]


@pytest.mark.parametrize("scores", [(0, 0, 0, 0), (1, 1, 1, 1), (0, 0, 1, 1)])
def test_scores_without_a_curve_have_none(scores: tuple[float, ...]) -> None:
    curve = fitted([point(number, score) for number, score in zip(NUMBERS, scores, strict=True)])
    assert json.dumps(curve, allow_nan=False)


def test_a_curve_needs_three_numbers_of_one_system() -> None:
    cell = {key: value for key, value in point(1, 0.5).items() if key not in ("exposures", "place")}
    row = {"name": "all", "title": "all items", "scores": {"exact": dict.fromkeys(["a@1", "a@5", "b@20", "a"], cell)}}
    assert curves({"overall": [row], "groups": [], "patterns": []}, ["exact"]) == []
    # These are sizes of vocabularies (DBCA): no system has them as its exposures.
    row["scores"] = {"exact": dict.fromkeys(["500", "1000", "18000"], cell)}
    assert curves({"overall": [row], "groups": [], "patterns": []}, ["exact"]) == []


def test_the_page_and_the_terminal_show_curves(work: Workplace) -> None:
    random = Random(1)  # noqa: S311 - no secret
    work.write("rows.tsv", "".join(f"a {n}\tx {n}\tone\n" for n in range(300)))
    for number in NUMBERS:
        answers = (f"x {n}\n" if random.random() < share(number) else "y\n" for n in range(300))
        work.write(f"{number}.txt", "".join(answers))
    systems = [f"Small@{number}={number}.txt" for number in NUMBERS]
    assert run(["eval", "rows.tsv", *systems, "--html", "p.html", "--json", "p.json", "--samples", "100"]) == OK
    assert "half right at" in work.capsys.readouterr().out
    page = (work.directory / "p.html").read_text("utf-8")
    assert page.count('class="band"') == 1
    (curve, _) = json.loads((work.directory / "p.json").read_text("utf-8"))["curves"]
    assert (curve["name"], curve["title"]) == ("all/exact/Small", "all items, Small")
    assert [at["exposures"] for at in curve["points"]] == list(NUMBERS)
    assert 5 < curve["half"]["mean"] < 20
