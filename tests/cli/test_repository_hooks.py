"""What other repositories use of this one: hooks for pre-commit, and an action for GitHub."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from diagnostics import BASE
from workplace import Workplace

from sgl.cli.main import run
from sgl.cli.registry import OWN

ROOT = Path(__file__).parents[2]
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: str(hook["id"]))
def test_each_hook_runs_a_command_on_the_files_that_changed(hook: dict[str, Any], work: Workplace) -> None:
    program, command = shlex.split(hook["entry"])
    assert program == "sglc"
    assert command in OWN
    for name in ("a.sgl", "b.sgl"):
        work.write(name, BASE.replace("module farm", f"module {name[0]}"))
    assert run([command, "a.sgl", "b.sgl"]) == 0


@pytest.mark.slow
def test_the_action_shows_what_is_wrong_at_its_line(tmp_path: Path) -> None:
    (tmp_path / "good.sgl").write_text(BASE, "utf-8")
    (tmp_path / "wrong.sgl").write_text(BASE + "rule r: NP -> Mouse\n", "utf-8")
    (tmp_path / "sglc").write_text(f'#!/bin/sh\nexec {sys.executable} -m sgl "$@"\n', "utf-8")
    (tmp_path / "sglc").chmod(0o755)
    step = ACTION["runs"]["steps"][-1]
    inputs = {"COMMAND": ACTION["inputs"]["command"]["default"], "GRAMMARS": "*.sgl"}
    assert set(step["env"]) == set(inputs)
    done = subprocess.run(
        ["bash", "-e", "-c", step["run"]],
        cwd=tmp_path,
        env={**os.environ, **inputs, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("::error file=wrong.sgl,line=70,endLine=70,col=15,endColumn=20,title=SGL0201::")


def test_no_input_of_the_action_becomes_a_part_of_a_script() -> None:
    assert not [step for step in ACTION["runs"]["steps"] if "${{" in step.get("run", "")]
