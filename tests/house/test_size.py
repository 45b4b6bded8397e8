"""The house stays small: so many lines in all, so many in a module."""

from __future__ import annotations

from pathlib import Path

SOURCES = Path(__file__).parent.parent.parent / "sgl"
#: Lines of Python that the package may have, and one module of it.
BUDGET, MODULE = 60_000, 400


def test_the_package_stays_within_its_budget() -> None:
    lines = {path: len(path.read_bytes().splitlines()) for path in SOURCES.rglob("*.py")}
    assert sum(lines.values()) < BUDGET
    assert [str(path) for path, number in lines.items() if number > MODULE] == []
