"""The published logical forms, read from beside the repository; absent in most places."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

SHARED = Path(__file__).parents[3] / "shared"
PUBLISHED = SHARED / "data"
COGS = ("cogs/train.tsv", "cogs/dev.tsv")
SLOG = ("slog/dev.cogs.tsv",)

needs_published = pytest.mark.skipif(not (PUBLISHED / SLOG[0]).exists(), reason=f"COGS and SLOG are not in {PUBLISHED}")


@cache
def rows(name: str) -> list[tuple[str, str]]:
    """The sentences of a file with their logical forms."""
    with (PUBLISHED / name).open(encoding="utf-8") as stream:
        return [(row[0], row[1]) for row in (line.rstrip("\n").split("\t") for line in stream)]
