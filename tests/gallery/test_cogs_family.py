"""COGS, SLOG and ReCOGS beside each other, and COGS with the Japanese of SGET."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from gallery import checked, compiled, rows, translated

from sgl.cli.main import OK, run
from sgl.resources import grammars_dir

FORMS = ("", "varfree", "recogs", "recogs_v1", "recogs_v2", "penman")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("cogs_forms", marks=pytest.mark.slow),
        *(pytest.param(name, marks=pytest.mark.acceptance) for name in ("cogs_ja", "slog_forms")),
    ],
)
def test_all_patterns_are_proved(name: str) -> None:
    checked(name)


def test_one_sentence_in_the_notations() -> None:
    forms = translated("cogs_forms", "Emma ate the cake .", "cogs", "varfree", "recogs", "penman")
    assert forms == [
        "* cake ( x _ 3 ) ; eat . agent ( x _ 1 , Emma ) AND eat . theme ( x _ 1 , x _ 3 )",
        "eat ( agent = Emma , theme = * cake )",
        "Emma ( 0 ) ; * cake ( 3 ) ; eat ( 1 ) AND agent ( 1 , 0 ) AND theme ( 1 , 3 )",
        '(e / eat :agent (n / name :op1 "Emma") :theme (c / cake :definite +))',
    ]


def test_japanese_of_sget_for_a_sentence_of_cogs() -> None:
    assert translated("cogs_ja", "A rose was given to Emma by the girl .", "ja", "varfree") == [
        "バラが少女によってエマにあげられた。",
        "give ( theme = rose , recipient = Emma , agent = * girl )",
    ]


@pytest.mark.acceptance
def test_the_notations_are_aligned_and_drawn_again(tmp_path: Path) -> None:
    """Row by row the sentences are the same, and the sampler of the dataset writes all of them."""
    directory = compiled("cogs_forms", tmp_path / "cogs_forms")
    for split in ("train", "gen"):
        first, *others = ([row[::2] for row in rows(directory, form, split)] for form in FORMS)
        assert all(other == first for other in others)
    again = subprocess.run(
        [sys.executable, "sampler.py", "--check"], cwd=directory, capture_output=True, text=True, check=True
    )
    assert again.stdout.count("identical") == 4 * len(FORMS)


@pytest.mark.acceptance
@pytest.mark.parametrize("split", ["train", "dev", "test", "gen"])
def test_what_both_share_means_in_cogs_what_it_means_in_sget(split: str, shared: Path, tmp_path: Path) -> None:
    """COGS's own grammar parses each row, and writes exactly the form that the rules of SGET made."""
    report = tmp_path / "audit.json"
    path = shared / "data" / f"{split}.tsv"
    cogs = grammars_dir() / "cogs.sgl"
    assert run(["audit", str(cogs), str(path), "--target", "cogs", "--json", str(report)]) == OK
    totals = json.loads(report.read_text("utf-8"))["files"][0]
    assert totals["rows"] == totals["parsed"] == totals["exact"]["cogs"]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled("cogs_ja", tmp_path_factory.mktemp("cogs_ja") / "out")


@pytest.mark.acceptance
def test_no_japanese_is_left_in_english(shared: Path) -> None:
    for english, japanese, _ in rows(shared, "ja", "gen"):
        assert english.isascii()
        assert not re.search(r"[A-Za-z]", japanese)
