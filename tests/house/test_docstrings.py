"""Docstrings are for those who read the code: ``python -OO`` drops them, and nothing may change."""

from __future__ import annotations

import re
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "sgl"

#: How a program reads a docstring that Python holds; the text of a source file is another matter.
READS_ONE = re.compile(r"\b__doc__\b|\binspect\.getdoc\b|\bimport .*\bgetdoc\b")


def test_no_docstring_is_data() -> None:
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if READS_ONE.search(path.read_text("utf-8"))
    }
    assert found == set()
