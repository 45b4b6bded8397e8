"""The benchmark that kills notices what is left, what differs and who is still alive."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from killing import KINDS, Command, Outcome, descendants, interrupted_run, orphans, started_at

#: Starts a process of its own, says so, and waits.
PARENT = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(30)"])
print(child.pid, flush=True)
time.sleep(30)
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at /proc")
def test_a_child_that_outlives_its_killed_parent_is_an_orphan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("killing._ORPHANED", 0.1)
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert descendants(parent.pid) == [child]
        own = {child: started_at(child)}
        parent.kill()
    assert orphans(own) == [child]
    subprocess.run(["kill", "-9", str(child)], check=True)
    monkeypatch.setattr("killing._ORPHANED", 10.0)
    assert orphans(own) == []


def test_a_run_is_good_if_it_is_identical_and_leaves_nothing() -> None:
    assert Outcome(["driver"], identical=True).good
    assert not Outcome(["driver"], identical=False).good
    assert not Outcome(["driver"], identical=True, left=[".x.partial"]).good
    assert not Outcome(["driver"], identical=True, orphans=1).good


def test_there_are_the_kinds_that_are_asked_for() -> None:
    assert [kind.partition(" ")[0] for kind in KINDS] == ["compile", "compile", "sample", "sample"]


@pytest.mark.slow
def test_a_compilation_that_is_killed_is_the_same_and_leaves_nothing(tmp_path: Path) -> None:
    grammar = Path(__file__).parents[2] / "docs" / "examples" / "farm.sgl"
    command = Command("compile", str(grammar), 0, tmp_path).measured()
    # Beside other tests one run may take twice as long as the next.
    hasty = replace(command, seconds=command.seconds / 3)
    outcome = interrupted_run(hasty, random.Random(3), 2)  # noqa: S311
    assert outcome.identical
    assert "driver" in outcome.killed
