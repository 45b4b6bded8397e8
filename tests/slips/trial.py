"""Try slips: one copy of the tree, one slip at a time, and the quick tests of the package that has it.

    copy of the tree ──> write the slip ──> pytest -x tests/PACKAGE ──> killed by TEST, or survived
            ^                                                                  │
            └────────────────── write the file as it was <─────────────────────┘

A run that takes much longer than the tests take on the program as it is has been killed too: somebody would notice.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from slips.draw import Slip

KILLED, SURVIVED = "killed", "survived"
#: What pytest exits with if all tests pass, and with a test that fails, or a file that cannot be read.
_PASSED, _FAILED, _BROKEN = 0, 1, 2
#: What stays where it is: the history, the environment, and what tools keep.
_NOT_COPIED = (".git", ".venv", ".*_cache", ".hypothesis", "__pycache__", "*.egg-info", "build", "dist", "site", "out")
#: A slip may ask for all memory there is.
_MOST_MEMORY = 8 << 30


@dataclass(frozen=True, slots=True)
class Trial:
    """What has become of a slip: by which test it was killed, if by any, after how many seconds."""

    slip: str
    verdict: str
    test: str
    seconds: float


class Bench:
    """A copy of the tree in which slips are tried."""

    def __init__(self, root: Path, folder: Path) -> None:
        """Copy the tree without its history, its environment and what tools keep."""
        self.root = folder / "tree"
        shutil.copytree(root, self.root, ignore=shutil.ignore_patterns(*_NOT_COPIED))
        self._usual: dict[str, float] = {}

    def patience(self, package: str) -> float:
        """Return how many seconds the tests of a package are given; they have to pass without a slip."""
        if package not in self._usual:
            code, said, seconds = self._tests(package, 900)
            if code != _PASSED:
                raise RuntimeError(f"the tests of {package} fail without a slip:\n{said[-2000:]}")
            self._usual[package] = seconds
        return 60 + 4 * self._usual[package]

    def trial(self, slip: Slip) -> Trial:
        """Try a slip against the tests of its package."""
        package = slip.file.split("/")[1]
        patience = self.patience(package)
        path = self.root / slip.file
        right = path.read_text("utf-8")
        path.write_text(slip.written(right), "utf-8")
        try:
            code, said, seconds = self._tests(package, patience)
        finally:
            path.write_text(right, "utf-8")
        verdict = SURVIVED if code == _PASSED else KILLED
        return Trial(slip.name, verdict, _killer(code, said), round(seconds, 1))

    def _tests(self, package: str, patience: float) -> tuple[int | None, str, float]:
        """Run the quick tests of a package until one fails; None if they do not come to an end."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "--tb=no", "--ff", "-n", "0"]
        started = time.monotonic()
        process = subprocess.Popen(
            [*command, f"tests/{package}"],
            cwd=self.root,
            env={**os.environ, "PYTHONPATH": f"{self.root}{os.pathsep}{self.root / 'editors'}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=_with_little_memory,  # noqa: PLW1509 - there are no threads here
        )
        code: int | None
        try:
            said, _ = process.communicate(timeout=patience)
            code = process.returncode
        except subprocess.TimeoutExpired:
            code, said = None, ""
        _end(process)
        return code, said, time.monotonic() - started


def _with_little_memory() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (_MOST_MEMORY, _MOST_MEMORY))


def _end(process: subprocess.Popen[str]) -> None:
    """End what the tests have started and left."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _killer(code: int | None, said: str) -> str:
    if code is None:
        return "no end"
    found = re.search(r"^(?:FAILED|ERROR) (\S+)", said, re.MULTILINE)
    return found[1] if found else "" if code in (_PASSED, _FAILED, _BROKEN) else f"exit status {code}"
