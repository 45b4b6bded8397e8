"""Slips are made where code runs, go by names, and a few of them are tried; ``benchmarks/mutations.py`` tries many."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from slips.draw import Slip, drawn, package_slips, slips_of
from slips.known import equivalents, fixed
from slips.trial import KILLED, SURVIVED, Bench

ROOT = Path(__file__).parents[2]

TEXT = '''\
"""A module: é < 1."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    number: int = 3

    def near(self, other: "Place", most: int = 1) -> bool:
        """Whether 1 < 2."""
        assert most > 0
        if not other:
            raise ValueError(f"no {other + 1}")
        self.note()
        self.count = 0
        self.count += 1
        between = 0 <= self.number - other.number < most
        return "é" in "été" and between
'''


def names(text: str) -> list[str]:
    return [slip.name.removeprefix("a.py ") for slip in slips_of("a.py", text)]


def test_slips_are_what_a_hand_does_that_types_too_fast() -> None:
    assert sorted(names(TEXT)) == sorted(
        [
            "Place: 3 → 4",
            "Place.near: 1 → 2",
            "Place.near: not other → False",
            "Place.near: not other → (other)",
            "Place.near: self.note() → pass",
            "Place.near: 0 → 1",
            "Place.near: self.count += 1 → self.count -= 1",
            "Place.near: 1 → 2 #1",
            "Place.near: 'é' in 'été' and between → ('é' in 'été' or between)",
            "Place.near: 'é' in 'été' → ('é' not in 'été')",
            "Place.near: 0 <= self.number - other.number < most → (0 < self.number - other.number < most)",
            "Place.near: 0 <= self.number - other.number < most → (0 <= self.number - other.number <= most)",
            "Place.near: 0 → 1 #1",
            "Place.near: self.number - other.number → (self.number + other.number)",
        ]
    )


def test_a_slip_changes_its_own_place_and_no_other() -> None:
    for slip in slips_of("a.py", TEXT):
        changed = slip.written(TEXT)
        assert changed != TEXT
        whole = TEXT.encode()
        assert changed.encode().startswith(whole[: slip.start])
        assert changed.encode().endswith(whole[slip.end :])
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(TEXT))


def test_a_change_elsewhere_leaves_the_draw_as_it_is() -> None:
    moved = TEXT.replace("@dataclass(", 'A = "a new line"\n\n\n@dataclass(').replace("    number: int = 3\n", "")
    first, second = (drawn(slips_of("a.py", text), 6, 1) for text in (TEXT, moved))
    assert {slip.name for slip in first if "3 → 4" not in slip.name} <= {slip.name for slip in second}
    assert drawn(slips_of("a.py", TEXT), 6, 2) != first


def test_slips_have_names_of_their_own() -> None:
    for package in ("core", "parsing"):
        found = package_slips(ROOT, package)
        assert len({slip.name for slip in found}) == len(found) > 300


def test_what_is_known_has_a_reason_or_is_killed_below() -> None:
    found, _ = fixed(ROOT)
    assert {slip.file.split("/")[1] for slip in found} >= {"core", "parsing"}
    assert all(reason for reason in equivalents().values())
    assert not equivalents().keys() & {slip.name for slip in found}


@pytest.mark.slow
def test_slips_in_the_core_are_killed_by_its_own_tests(tmp_path: Path) -> None:
    bench = Bench(ROOT, tmp_path)
    found = [slip for slip in fixed(ROOT)[0] if slip.file.startswith("sgl/core/")]
    assert len(found) == 4
    trials = [bench.trial(slip) for slip in found]
    assert [(trial.verdict, trial.test.partition("/test_")[0]) for trial in trials] == [(KILLED, "tests/core")] * 4


@pytest.mark.slow
def test_a_slip_that_changes_nothing_survives(tmp_path: Path) -> None:
    bench = Bench(ROOT, tmp_path)
    file = "sgl/core/rounds.py"
    text = (ROOT / file).read_text("utf-8").encode()
    start = text.index(b"now + (number")
    same = Slip(file, "Rounds.grew", "now", "(now)", 0, start, start + 3, 1)
    assert bench.trial(same).verdict == SURVIVED
    assert (bench.root / file).read_bytes() == text
