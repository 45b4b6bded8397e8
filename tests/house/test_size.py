"""The house stays small: so many lines in all, so many in a module.  A name is that of one thing, or two."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: Lines of Python that each package may have, and a module of one.
BUDGETS, MODULE = {"sgl": 73_700, "editors/sgl_editor": 2_010}, 400


@pytest.mark.parametrize("package", BUDGETS)
def test_a_package_stays_within_its_budget(package: str) -> None:
    lines = {path: len(path.read_bytes().splitlines()) for path in (ROOT / package).rglob("*.py")}
    assert 0 < sum(lines.values()) < BUDGETS[package]
    assert [str(path) for path, number in lines.items() if number > MODULE] == []


def test_no_two_modules_of_tests_have_the_same_name() -> None:
    """Pytest would refuse the second one, and every test after it."""
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, number in names.items() if number > 1] == []


def test_no_name_is_that_of_more_than_two_classes() -> None:
    paths = [path for package in BUDGETS for path in (ROOT / package).rglob("*.py")]
    names = Counter(name for path in paths for name in re.findall(r"(?m)^class (\w+)", path.read_text("utf-8")))
    assert len(names) > 500
    assert [name for name, number in names.items() if number > 2] == []
