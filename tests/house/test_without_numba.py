"""Numba is an extra: everything works without it, and nothing loads it before it pays."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FARM = ROOT / "docs" / "examples" / "farm.sgl"

BLOCKED = """
import sys
sys.modules["numba"] = sys.modules["llvmlite"] = None
"""

#: Imports all modules but those of the annex and of compiled code.
EVERYTHING = """
import importlib
from pathlib import Path
root = Path("sgl")
for path in sorted(root.rglob("*.py")):
    parts = path.with_suffix("").parts
    if parts[1] not in {"research", "__main__"} and (parts[1] != "accel" or len(parts) < 3):
        importlib.import_module(".".join(parts).removesuffix(".__init__"))
"""

COMMANDS = """
import sys
from sgl.cli.main import run
for arguments in ARGUMENTS:
    assert run(arguments) == 0, arguments
"""


def run(code: str, folder: Path = ROOT) -> None:
    words = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_every_module_is_imported_without_numba() -> None:
    run(BLOCKED + EVERYTHING)


@pytest.mark.slow
def test_the_tutorial_is_compiled_sampled_parsed_and_audited_without_numba(tmp_path: Path) -> None:
    grammar = str(FARM)
    arguments = [
        ["compile", grammar, "--out", "data"],
        ["sample", grammar, "--out", "sample.tsv", "-n", "200", "--distinct"],
        ["parse", grammar, "The dog saw the cat."],
        ["audit", grammar, "data/data/dev.tsv"],
        ["verify", "data"],
    ]
    run(BLOCKED + COMMANDS.replace("ARGUMENTS", repr(arguments)), tmp_path)
