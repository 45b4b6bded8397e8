"""Over a hundred mistakes of authors, and what the compiler says of each; ``mistakes.yaml`` has them, with grades."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import yaml

from sgl.diagnostics import Severity
from sgl.engine import Workspace

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
MISTAKES = yaml.safe_load(Path(__file__).with_name("mistakes.yaml").read_text("utf-8"))

workspace = cache(Workspace)


@pytest.mark.parametrize("one", MISTAKES, ids=lambda one: one["mistake"])
def test_a_mistake_has_a_message_with_place_and_remedy(one: dict[str, str]) -> None:
    changed = EXAMPLES / one["file"]
    root = changed if changed.suffix == ".sgl" else EXAMPLES / "farm.sgl"
    text = changed.read_text("utf-8")
    assert one["old"] in text
    workspace().edit(changed, text.replace(one["old"], one["new"], 1) if one["old"] else text + one["new"])
    try:
        snapshot = workspace().open(root)
        told = list(snapshot.diagnostics)
        if not any(found.severity is Severity.ERROR for found in told):
            told += snapshot.claims().diagnostics
    finally:
        workspace().edit(changed, None)
    first = told[0]
    assert first.code == one["code"]
    assert first.span is not None
    assert snapshot.sources.files[first.span.file].text[first.span.start :].startswith(one["at"])
    assert one["says"] in (first.hint, first.message, *first.notes) or one["says"] in first.hint


def test_nothing_is_worse_than_b_and_a_hundred_are_right() -> None:
    assert {one.get("grade", "A") for one in MISTAKES} == {"A", "B"}
    assert sum("grade" not in one for one in MISTAKES) >= 100
