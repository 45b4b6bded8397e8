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
import numpy as np
from sgl.accel import announcing, is_kept
from sgl.pipeline.kernels import JOBS, compiling_kernels
if __name__ == "__main__":
    with compiling_kernels(1_000_000) as ready:
        assert "sgl.accel.jit" not in sys.modules
        ready()
    print(*filter(is_kept, JOBS))
    # A large dataset needs a larger table of hashes.
    from sgl.accel.machine import rehash
    with announcing(lambda: print("compiled again")):
        rehash(np.zeros((2, 3), np.uint64), np.zeros((4, 3), np.uint64))
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
