"""Slips that are known by name: those that change nothing, and those that every test of their package once passed."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from slips.draw import Slip, slips_of


@cache
def _known() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def equivalents() -> dict[str, str]:
    """Return the slips that change nothing that anybody could see, with the reasons."""
    return {entry["slip"]: entry["reason"] for entry in _known()["equivalent"]}


def fixed(root: Path) -> tuple[list[Slip], list[str]]:
    """Return the slips that have to be killed, as they stand in the tree, and the names that stand there no more."""
    names = _known()["fixed"]
    files = [file for file in dict.fromkeys(name.partition(" ")[0] for name in names) if (root / file).is_file()]
    found = {slip.name: slip for file in files for slip in slips_of(file, (root / file).read_text("utf-8"))}
    return [found[name] for name in names if name in found], [name for name in names if name not in found]
