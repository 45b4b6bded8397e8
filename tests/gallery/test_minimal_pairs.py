"""Minimal pairs: each differs in its one point, and training shows the construction all the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from described import lines_of
from gallery import checked, compiled, grammar, rows, translated


def test_the_page_has_at_most_300_lines() -> None:
    assert lines_of(grammar("minimal_pairs")) <= 300


@pytest.mark.slow
def test_all_patterns_are_proved() -> None:
    checked("minimal_pairs")


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("The boys near the queen sleep.", "The boys near the queen sleeps."),
        ("The boy who greets the girls sleeps.", "The boy who greets the girls sleep."),
        ("Are the kings happy?", "Is the kings happy?"),
        ("Anna smiles and dances.", "Anna smiles and dance."),
        ("Clara thanks herself.", "Clara thanks himself."),
        ("Anna admires them.", "Anna admires they."),
        ("No waiter has ever thanked Ben.", "The waiter has ever thanked Ben."),
        ("Ben was thanked by Anna.", "Ben was smiled by Anna."),
        ("There seems to be a king here.", "There tries to be a king here."),
        ("There is a king here.", "There is every king here."),
        ("Anna knows who Ben greets.", "Anna knows that Ben greets."),
        ("Anna knows that Ben greets Clara.", "Anna knows who Ben greets Clara."),
        ("Anna knows who Ben says that Clara teases.", "Anna knows who Ben says why Clara teases."),
        ("Anna knows who Ben hopes that Clara teases.", "Anna knows who Ben hopes because Clara teases."),
        ("Anna wonders who Ben greets with Clara.", "Anna wonders who Ben greets and Clara."),
        ("Anna remembers whose doctor Ben thanks.", "Anna remembers whose Ben thanks doctor."),
        ("Anna is happy and the boys are too.", "Anna is happy and the boys do too."),
        ("Anna sleeps and the boys do too.", "Anna sleeps and the boys does too."),
    ],
)
def test_a_paradigm(good: str, bad: str) -> None:
    assert translated("minimal_pairs", good, "bad") == [bad]


@pytest.mark.acceptance
def test_what_is_asked_is_not_in_training_but_its_words_are(tmp_path: Path) -> None:
    directory = compiled("minimal_pairs", tmp_path / "pairs")
    pairs = [json.loads(line) for line in (directory / "pairs" / "gen.jsonl").read_text("utf-8").splitlines()]
    assert len({pair["pattern"] for pair in pairs}) == 19
    known = {sentence for sentence, _, _ in rows(directory, "", "train")}
    assert not known & {pair["sentence_good"] for pair in pairs}
    words = {word for sentence in known for word in sentence.lower().rstrip(".?").split()}
    asked = {word for pair in pairs for word in pair["sentence_bad"].lower().rstrip(".?").split()}
    assert asked <= words
