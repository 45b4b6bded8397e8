"""The verifier is a second opinion: it shares nothing with the rest."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

from tiny_dataset import tiny

import sgl.verify

#: Itself, how files of others are opened, and how processes start.
OWN = ("sgl.verify", "sgl.foreign", "sgl.children")


def test_the_verifier_imports_nothing_else_of_sgl() -> None:
    folder = Path(sgl.verify.__file__).parent
    imported = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path.name} has a relative import"
                imported |= {f"{node.module}.{alias.name}" for alias in node.names}
    own = {name for name in imported if name.partition(".")[0] == "sgl"}
    assert own
    assert all(name.startswith(OWN) for name in own), own


def test_verifying_loads_no_other_part_of_sgl(tmp_path: Path) -> None:
    tiny().write(tmp_path)
    program = (
        "import sys, pathlib, sgl; before = set(sys.modules); import sgl.verify; "
        "sgl.verify.verify(pathlib.Path(sys.argv[1])); "
        "print(*(m for m in set(sys.modules) - before if m.startswith('sgl.')))"
    )
    run = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True)
    assert all(module.startswith(OWN) for module in run.stdout.split())
