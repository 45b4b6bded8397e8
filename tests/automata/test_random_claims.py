"""On random grammars and patterns, streams and verdicts are what the documentation says.

The model that says so shares nothing with the compiler: ``tests/models/claims_trees.py``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

import claims_matches
from claims_deriving import DerivingMaker
from claims_grammar import Word
from claims_structures import Body
from harness import Difference
from random_claims import compare

#: A grammar with a kept rule and a restriction, which the kept rule does not escape.
KEPT_AND_RESTRICTED = 419
#: With a circle in a free layer that the head does not take part in, to be forbidden or with a clear head.
CIRCLES = (52, 113)
#: With a dataset that is proved.
WITH_A_DATASET = 3
#: With a condition on a word of which a `without` speaks in another layer.
CROSSING = 550


@pytest.mark.slow
def test_a_kept_rule_obeys_restrictions(tmp_path: Path) -> None:
    figures: Counter[str] = Counter()
    compare(KEPT_AND_RESTRICTED, tmp_path / "grammar", figures, dataset=False)
    assert figures["with a kept rule"] == figures["with a restriction"] == 1
    assert figures["verdicts"] > 0


@pytest.mark.slow
def test_streams_and_verdicts_are_those_of_the_model(tmp_path: Path) -> None:
    figures: Counter[str] = Counter()
    for seed in range(400, 420):
        compare(seed, tmp_path / str(seed), figures, dataset=True)
    assert figures["certificates accepted"] > 0
    assert figures["verdicts"] > 3_000


@pytest.mark.slow
def test_structures_on_several_layers_are_those_of_the_model(tmp_path: Path) -> None:
    figures: Counter[str] = Counter()
    for seed in (*range(1, 14), *CIRCLES, CROSSING):
        compare(seed, tmp_path / str(seed), figures, dataset=seed == 6, layered=True)
    assert figures["certificates accepted"] > 0
    assert figures["verdicts"] > 1_500
    assert figures["written graphs"] > 300


def check_derivations(seeds: Iterable[int], directory: Path, *, layered: bool) -> Counter[str]:
    figures: Counter[str] = Counter()
    for seed in seeds:
        place = directory / str(seed)
        compare(seed, place, figures, dataset=seed == WITH_A_DATASET, kind=DerivingMaker, layered=layered)
    assert figures["certificates accepted"] > 0
    assert figures["verdicts on derivations alone"] > 0
    return figures


@pytest.mark.slow
def test_structures_on_derivations_are_those_of_the_model(tmp_path: Path) -> None:
    figures = check_derivations(range(1, 17), tmp_path / "one", layered=False)
    figures += check_derivations(range(1, 9), tmp_path / "three", layered=True)
    assert figures["verdicts on derivations joined"] > 1_000


@pytest.mark.slow
def test_a_model_in_which_every_word_is_a_node_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Word, "speaks_of", lambda *_: True)
    with pytest.raises(Difference):
        compare(2, tmp_path / "grammar", Counter(), dataset=False, layered=True)


@pytest.mark.slow
def test_a_model_that_ignores_degrees_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison can fail."""
    node_passes = claims_matches.node_passes

    def careless(tree: object, body: Body, name: str, node: int) -> bool:
        plain = Body(body.variables, body.tests, {}, body.links)
        return node_passes(tree, plain, name, node)

    monkeypatch.setattr(claims_matches, "node_passes", careless)
    figures: Counter[str] = Counter()

    def differs(seed: int) -> bool:
        try:
            compare(seed, tmp_path / str(seed), figures, dataset=False)
        except Difference:
            return True
        return False

    assert any(differs(seed) for seed in range(400, 440))
