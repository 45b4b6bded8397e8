"""Ctrl-C reaches all processes of a terminal, and what is said of it is said once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has no groups of processes")

VERIFIER = """
from sgl.verify.reading import standing_by
with standing_by(2) as pool:
    print(*pool._processes, flush=True)
    wait()
"""

WORKERS = """
from multiprocessing import active_children
from sgl.parallel.processes import Processes
with Processes(0, 1) as workers:
    workers.submit(abs)
    print(*(child.pid for child in active_children()), flush=True)
    wait()
"""

DRIVER = """
import signal
import time
# A shell has its background jobs ignore the signal.
signal.signal(signal.SIGINT, signal.default_int_handler)
def wait():
    time.sleep(60)
try:
{work}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("work", [VERIFIER, WORKERS], ids=["verify", "sample"])
@pytest.mark.parametrize("moment", [0.0, 0.5, 2.5])
def test_processes_that_work_for_another_leave_it_to_that_one_to_speak(work: str, moment: float) -> None:
    lines = "\n".join(f"    {line}" for line in work.splitlines())
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER.format(work=lines)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    assert driver.stdout is not None
    others = driver.stdout.readline().split()
    assert others
    time.sleep(moment)
    os.killpg(driver.pid, signal.SIGINT)
    said, complained = driver.communicate(timeout=60)
    assert said == "interrupted\n"
    assert complained == ""
    assert driver.returncode == 0
    assert not any(is_running(process) for process in others)


def is_running(process: str) -> bool:
    """Whether a process is there and has not ended."""
    state = Path(f"/proc/{process}/stat")
    return state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z"


ALONE = """
from sgl.children import process_in
with process_in("tasks", "wait") as process:
    print(process.pid, flush=True)
    wait()
"""

TASKS = """
import time
from pathlib import Path
def wait(folder):
    Path("folder").write_text(str(folder))
    time.sleep(600)
"""

BUSY = """
from multiprocessing import active_children
from pathlib import Path
from sgl.parallel.processes import Processes
import tasks
with Processes(Path("some"), 1) as workers:
    workers.submit(tasks.wait)
    print(*(child.pid for child in active_children()), flush=True)
    wait()
"""


@pytest.mark.slow
@pytest.mark.parametrize("work", [VERIFIER, BUSY, ALONE], ids=["verify", "sample", "kernels"])
@pytest.mark.parametrize("moment", [0.0, 1.5])
def test_processes_end_with_the_one_they_work_for(work: str, moment: float, tmp_path: Path) -> None:
    """Also if it is killed while they have much to do; this would take ten minutes."""
    (tmp_path / "tasks.py").write_text(TASKS)
    lines = "\n".join(f"    {line}" for line in work.splitlines())
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER.format(work=lines)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{Path(__file__).parents[2]}{os.pathsep}{tmp_path}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert driver.stdout is not None
    others = driver.stdout.readline().split()
    assert others
    time.sleep(moment)
    driver.kill()
    driver.communicate()
    deadline = time.monotonic() + 60
    while any(map(is_running, others)):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    if work == ALONE and (tmp_path / "folder").exists():
        assert not Path((tmp_path / "folder").read_text()).exists()
