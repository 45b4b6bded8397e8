"""Treebanks pass the validator of Universal Dependencies: levels 1 to 3."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("udtools", reason="the validator of Universal Dependencies is not installed")

ROOT = Path(__file__).parents[2]

#: What the validator says of all treebanks whose grammar has no enhanced edges: they are copies of the trees.
COPIES = "edeps-identical-to-basic-trees"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("grammar", "excluded"),
    [("docs/examples/farm.sgl", [COPIES]), ("grammars/sget.sgl", []), ("grammars/german.sgl", [COPIES])],
)
def test_the_validator_of_universal_dependencies_finds_no_error(
    grammar: str, excluded: list[str], tmp_path: Path
) -> None:
    sample = [sys.executable, "-m", "sgl", "sample", str(ROOT / grammar), "-n", "300", "--show", "graph"]
    trees = subprocess.run(sample, capture_output=True, check=True, cwd=tmp_path).stdout
    (tmp_path / "trees.conllu").write_bytes(trees)
    validator = [sys.executable, "-m", "udtools.cli", "--lang", "en", "--level", "3", "--no-warnings"]
    for name in excluded:
        validator += ["--exclude", name]
    done = subprocess.run([*validator, "trees.conllu"], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert "*** PASSED ***" in done.stdout + done.stderr, done.stdout
