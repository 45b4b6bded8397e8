"""The messages as an author sees them: the cases in ``tests/golden/*.md``.

A case is a section: ```` ```sgl ```` is a piece of grammar to which the base grammar of
the diagnostic pages is added (unless it is marked ``alone``), blocks with a title are
other files, and ```` ```text ```` is what the compiler says.

``SGL_UPDATE_GOLDEN=1 pytest tests/diagnostics/test_diagnostics_golden.py`` writes what it says now.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from diagnostics import BASE, MAIN, Outcome, check_rendering, diagnose

GOLDEN = Path(__file__).parent.parent / "golden"
UPDATE = bool(os.environ.get("SGL_UPDATE_GOLDEN"))
BLOCK = re.compile(
    r'^```(?P<kind>\w+)(?P<alone> alone)?(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Case:
    """One section of a golden file."""

    path: Path
    title: str
    text: str

    def __str__(self) -> str:
        return f"{self.path.stem}: {self.title}"

    def files(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for block in BLOCK.finditer(self.text):
            if block["kind"] == "sgl" and not block["title"]:
                found[MAIN] = block["text"] + ("" if block["alone"] else "\n" + BASE)
            elif block["kind"] != "text":
                found[block["title"]] = block["text"]
        return found

    @property
    def expected(self) -> str:
        (found,) = (block["text"] for block in BLOCK.finditer(self.text) if block["kind"] == "text")
        return found


def cases() -> list[Case]:
    found = []
    for path in sorted(GOLDEN.glob("*.md")):
        _, *sections = re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for section in sections:
            title, _, text = section.partition("\n")
            found.append(Case(path, title, text))
    return found


CASES = cases()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_compiler_says_what_the_page_shows(case: Case, tmp_path: Path) -> None:
    outcome = diagnose(case.files(), tmp_path)
    check_rendering(outcome)
    said = shown(outcome)
    if UPDATE:
        update(case, said)
    else:
        assert said == case.expected


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 20
    assert len({str(case) for case in CASES}) == len(CASES)


def shown(outcome: Outcome) -> str:
    """All messages, without the spaces at the ends of lines."""
    return "\n".join(line.rstrip() for line in outcome.rendered().splitlines()) + "\n"


def update(case: Case, said: str) -> None:
    page = case.path.read_text(encoding="utf-8")
    start = page.index(f"## {case.title}\n")
    opening = page.index("```text\n", start) + len("```text\n")
    closing = page.index("```", opening)
    case.path.write_text(page[:opening] + said + page[closing:], encoding="utf-8")
