"""The peers of the benchmark of drawing are given the distribution that SGL draws from."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

import drawing
from drawing_grammarinator import generator_of, write_antlr
from drawing_peers import Production, productions
from opening import opened
from sgl.sampling.engine import Tables

FARM = Path(__file__).parents[2] / "docs" / "examples" / "farm.sgl"


@cache
def farm() -> Tables:
    return drawing.tables_of(opened(FARM), "train/in_distribution")


def test_every_child_of_a_production_has_productions() -> None:
    states = productions(farm())
    children = {
        item
        for alternatives in states.values()
        for right, _ in alternatives
        for item in right
        if isinstance(item, int)
    }
    assert farm().strata[0].start == next(iter(states))
    assert children == set(states) - {farm().strata[0].start}


def test_the_alternatives_of_a_state_share_all_of_its_width() -> None:
    for number, alternatives in productions(farm()).items():
        assert sum(width for _, width in alternatives) == farm().states[number].bounds[-1]


def test_a_state_is_a_rule_of_antlr_with_words_in_quotes() -> None:
    states = {7: [Production(["the", 9], 60), Production([9], 40)], 9: [Production(["o'er\\"], 1)]}
    assert write_antlr(states) == ("grammar Stratum;\ns7 : 'the' s9 | s9 ;\ns9 : 'o\\'er\\\\' ;\n")


# Its own template has an escape that Python warns of.
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_grammarinator_writes_what_the_grammar_of_antlr_has(tmp_path: Path) -> None:
    pytest.importorskip("grammarinator")
    runtime = pytest.importorskip("grammarinator.runtime")
    states = {7: [Production(["the", 9], 60), Production([9], 40)], 9: [Production(["o'er\\"], 1)]}
    model = runtime.WeightedModel(runtime.DefaultModel(), weights={("s7", 0, 0): 0.0})
    start = generator_of(write_antlr(states), tmp_path).StratumGenerator(model=model).s7
    assert {runtime.simple_space_serializer(start()) for _ in range(20)} == {"o'er\\"}
