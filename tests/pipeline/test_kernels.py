"""Kernels are compiled by another process while claims are proved."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from pathlib import Path

import pytest

from sgl.pipeline.kernels import JOBS, compiling_kernels

PROGRAM = """
import sys
from sgl.accel import is_kept
from sgl.pipeline.kernels import JOBS, compiling_kernels
if __name__ == "__main__":
    with compiling_kernels(1_000_000):
        assert "sgl.accel.jit" not in sys.modules
    print(*filter(is_kept, JOBS))
"""


def test_a_small_dataset_starts_no_process() -> None:
    before = multiprocessing.active_children()
    with compiling_kernels(100):
        assert multiprocessing.active_children() == before


@pytest.mark.acceptance
def test_afterwards_the_machine_code_of_every_job_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.setenv("SGL_CACHE_DIR", str(tmp_path / "cache"))
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, "utf-8")
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (list(JOBS), "")
