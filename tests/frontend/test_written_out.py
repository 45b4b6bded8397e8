"""The short notation means what its rules mean written out: random grammars against a model.

``tests/models/notation.py`` runs as many as one likes.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from notation import compare

#: A few grammars that compile, with sentences, parts and readings to compare.
SEEDS = (1, 3, 5, 7)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_grammar_is_what_it_is_written_out(seed: int, tmp_path: Path) -> None:
    figures: Counter[str] = Counter()
    assert list(compare(seed, tmp_path / "grammar", 500, figures)) == []


def test_the_grammars_compare_something(tmp_path: Path) -> None:
    figures: Counter[str] = Counter()
    for seed in SEEDS:
        list(compare(seed, tmp_path / str(seed), 500, figures))
    assert figures["grammars"] >= 2
    assert min(figures["verdicts"], figures["probabilities"]) > 1_000


def test_a_difference_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("notation.parts_of", lambda _: Counter())
    found = [compare(seed, tmp_path / str(seed), 0, Counter()) for seed in SEEDS]
    assert any(list(differences) for differences in found)
