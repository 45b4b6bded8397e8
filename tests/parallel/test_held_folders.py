"""Runs that start at the same moment in one folder: one of them has it, the others say who."""

import errno
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest
from workplace import Workplace

from sgl.cli.main import OUTPUT, run
from sgl.parallel.journal import BusyRunError, resume
from sgl.parallel.lock import HeldError, HeldFolder
from sgl.resources import grammars_dir

SGET = str(grammars_dir() / "sget.sgl")

RACER = """
import sys, time
from pathlib import Path
from sgl.parallel.journal import BusyRunError, begin

folder, moment, held = Path(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
while time.time() < moment:
    pass
for _ in range(int(sys.argv[4])):
    try:
        with begin(folder, {}) as journal:
            mine = folder / "mine"
            mine.open("x").close()
            journal.put("a", b"abc", 1)
            time.sleep(held)
            mine.unlink()
            assert journal.get("a") is not None
            journal.discard()
        print("began")
    except BusyRunError as problem:
        print(problem)
"""


def racing(folder: Path, processes: int, held: float, times: int = 1) -> list[str]:
    """What processes say that begin a run in one folder at the same moment."""
    words = [sys.executable, "-c", RACER, str(folder), str(time.time() + 1.5), str(held)]
    racers = [
        subprocess.Popen([*words, str(times)], stdout=subprocess.PIPE, text=True)
        for _ in range(processes)
    ]
    said = [racer.communicate()[0] for racer in racers]
    assert [racer.returncode for racer in racers] == [0] * processes
    return [line for lines in said for line in lines.splitlines()]


def test_of_runs_that_start_at_the_same_moment_one_begins(tmp_path: Path) -> None:
    said = racing(tmp_path / "partial", 4, held=1.0)
    assert sorted(line.partition(":")[0] for line in said) == [
        *["another run is writing here"] * 3,
        "began",
    ]
    assert not (tmp_path / "partial").exists()


def test_runs_that_begin_while_others_end_never_meet_in_the_folder(tmp_path: Path) -> None:
    said = racing(tmp_path / "partial", 4, held=0.0, times=100)
    assert len(said) == 400
    assert said.count("began") >= 4
    assert not (tmp_path / "partial").exists()


def sign_later(stream: BinaryIO) -> None:
    """What a process does that is slow to write who it is."""
    line = json.dumps({"process": 4711, "host": "ada", "since": "noon"}).encode()
    threading.Timer(0.1, lambda: (stream.write(line), stream.flush())).start()


@pytest.mark.parametrize(
    ("sign", "said"),
    [
        (sign_later, r"^another run is writing here: process 4711 on ada, since noon$"),
        (lambda _: None, r"^another run is writing here$"),
    ],
    ids=["signs later", "never signs"],
)
def test_a_folder_is_held_before_its_holder_has_signed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sign: Callable[[BinaryIO], None], said: str
) -> None:
    monkeypatch.setattr("sgl.parallel.lock._sign", sign)
    held = HeldFolder.take(tmp_path / "partial")
    with pytest.raises(HeldError, match=said):
        HeldFolder.take(tmp_path / "partial")
    held.delete()


def test_a_second_run_that_starts_at_the_same_moment_is_told_who_writes(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "sgl", "sample", SGET, "train", "-n", "300000", "--distinct"]
    runs = [
        subprocess.Popen([*words, "--out", "pairs.tsv"], cwd=tmp_path, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    said = [process.communicate()[1].decode() for process in runs]
    assert sorted(process.returncode for process in runs) == [0, OUTPUT]
    refused, finished = sorted(range(2), key=lambda number: -runs[number].returncode)
    writing = f"process {runs[finished].pid} on" in said[refused]
    assert writing or "another run has just written it" in said[refused]
    assert "--force" not in said[refused]
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.tsv"]
    assert (tmp_path / "pairs.tsv").read_bytes().count(b"\n") == 300_000


def test_a_file_system_without_locks_is_reported(
    work: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def take(_: object) -> None:
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr("sgl.parallel.lock._take", take)
    assert run(["sample", SGET, "train", "-n", "5", "--out", "a.tsv"]) == OUTPUT
    said = work.capsys.readouterr().err
    assert "cannot write `a.tsv`: its file system locks no files (Function not impl" in said


def contents(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are killed by signals")
def test_the_lock_of_a_killed_process_is_nobodys(tmp_path: Path) -> None:
    folder = tmp_path / "partial"
    words = [sys.executable, "-c", RACER, str(folder), "0", "60", "1"]
    started = subprocess.Popen(words)
    while not (folder / "journal.jsonl").exists() or b"abc" not in contents(folder / "a"):
        assert started.poll() is None
        time.sleep(0.01)
    time.sleep(0.1)
    with pytest.raises(BusyRunError, match=f"process {started.pid}"):
        resume(folder, {})
    started.kill()
    started.wait()
    with resume(folder, {}) as journal:
        assert journal.finished == 1
