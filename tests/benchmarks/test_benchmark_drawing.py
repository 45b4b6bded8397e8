"""The peers of the benchmark of drawing are given the distribution that SGL draws from."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import drawing
from drawing_peers import productions
from opening import opened
from sgl.sampling.engine import Tables

FARM = Path(__file__).parents[2] / "docs" / "examples" / "farm.sgl"


@cache
def farm() -> Tables:
    return drawing.tables_of(opened(FARM), "train/in_distribution")


def test_every_child_of_a_production_has_productions() -> None:
    states = productions(farm())
    children = {
        item for alternatives in states.values() for right, _ in alternatives for item in right if isinstance(item, int)
    }
    assert farm().strata[0].start == next(iter(states))
    assert children == set(states) - {farm().strata[0].start}


def test_the_alternatives_of_a_state_share_all_of_its_width() -> None:
    for number, alternatives in productions(farm()).items():
        assert sum(width for _, width in alternatives) == farm().states[number].bounds[-1]
