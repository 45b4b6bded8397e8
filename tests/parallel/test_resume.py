"""A run that was stopped is resumed to the file of an uninterrupted run."""

import errno
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from clusters import needs_dask, on_linux
from parallel import SIZES, Failing, PowerCut, sampled
from workplace import Workplace

from killing import Command, descendants, interrupted_run, is_worker
from sgl.cli.main import OUTPUT, run
from sgl.disk import InTheWayError
from sgl.disk.stages import put_back
from sgl.parallel.executor import BusyRunError, InterruptedRunError, Parallelism, open_run, partial_folder
from sgl.resources import grammars_dir

SGET = str(grammars_dir() / "sget.sgl")
FARM = str(Path(__file__).parents[2] / "docs" / "examples" / "farm.sgl")
RESUME, FORCE = Parallelism(resume=True), Parallelism(force=True)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[str]]:
    """What an uninterrupted run makes, and its tasks."""
    executor = Failing()
    return sampled(tmp_path_factory.mktemp("whole") / "file", executor=executor), executor.done


def stopped(target: Path, tasks: int) -> Path:
    """Stop a run at a task; return its folder."""
    with pytest.raises(PowerCut):
        sampled(target, executor=Failing(tasks))
    assert not target.exists()
    return partial_folder(target)


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.8, 0.99])
def test_a_run_that_stops_anywhere_is_resumed_to_the_same_file(
    tmp_path: Path, whole: tuple[bytes, list[str]], share: float
) -> None:
    expected, tasks = whole
    stopped(tmp_path / "file", int(share * len(tasks)))
    assert sampled(tmp_path / "file", RESUME, Failing()) == expected


def test_what_is_finished_is_not_done_again(tmp_path: Path, whole: tuple[bytes, list[str]]) -> None:
    stopped(tmp_path / "file", len(whole[1]) - 1)
    again = Failing()
    assert sampled(tmp_path / "file", RESUME, again) == whole[0]
    assert again.done == ["encode"]


@pytest.mark.parametrize("damage", ["torn result", "changed result", "lost result"])
@pytest.mark.parametrize("index", [0, -1])
def test_damage_is_found_and_done_again(
    tmp_path: Path, whole: tuple[bytes, list[str]], damage: str, index: int
) -> None:
    folder = stopped(tmp_path / "file", len(whole[1]) - 1)
    result = sorted(folder.glob("*-0*"))[index]
    if damage == "torn result":
        result.write_bytes(result.read_bytes()[:20])
    elif damage == "changed result":
        result.write_bytes(result.read_bytes()[:-1] + b"?")
    else:
        result.unlink()
    assert sampled(tmp_path / "file", RESUME, Failing()) == whole[0]


@pytest.mark.parametrize("tasks", [2, 3])
def test_what_was_settled_after_damage_is_not_taken_for_what_follows_the_repair(
    tmp_path: Path, whole: tuple[bytes, list[str]], tasks: int
) -> None:
    folder = stopped(tmp_path / "file", len(whole[1]) - 1)
    settled = sorted(folder.glob("settled-*"))
    assert len(settled) > 1
    settled[0].unlink()
    # What is done again is divided in another way, and stops before it is complete.
    others = SIZES._replace(batch=1_100, segment=1_300)
    with pytest.raises(PowerCut):
        sampled(tmp_path / "file", RESUME, Failing(tasks), sizes=others)
    assert sampled(tmp_path / "file", RESUME, Failing()) == whole[0]


# --- runs that are in the way ------------------------------------------------------------


def kept(target: Path, identity: dict[str, object]) -> None:
    """Leave an interrupted run."""
    with open_run(target, identity, Parallelism()) as begun:
        begun.put("rows-0", b"abc")


def test_a_run_of_another_kind_is_refused(tmp_path: Path) -> None:
    kept(tmp_path / "file", {"seed": 1, "number": 5})
    with pytest.raises(InterruptedRunError, match="an interrupted run"):
        open_run(tmp_path / "file", {"seed": 1, "number": 5}, Parallelism())
    with pytest.raises(InterruptedRunError, match="another seed"):
        open_run(tmp_path / "file", {"seed": 2, "number": 5}, RESUME)


@pytest.mark.parametrize("kept", ["", "{", "[]\n", '{"format": "other/1"}\n', "\x00\xff\n"])
def test_a_folder_that_does_not_say_what_the_run_is_is_refused(tmp_path: Path, kept: str) -> None:
    partial_folder(tmp_path / "file").mkdir()
    (partial_folder(tmp_path / "file") / "run.json").write_text(kept, "latin-1")
    for options in (Parallelism(), RESUME, FORCE):
        with pytest.raises(InTheWayError, match="no unfinished run of yours"):
            open_run(tmp_path / "file", {}, options)
    assert (partial_folder(tmp_path / "file") / "run.json").read_text("latin-1") == kept


def test_a_second_run_is_refused_while_the_first_has_the_folder(tmp_path: Path) -> None:
    with open_run(tmp_path / "file", {}, Parallelism()) as first:
        for options in (Parallelism(), RESUME, FORCE):
            with pytest.raises(BusyRunError, match=f"here: process {os.getpid()} on .* since 20"):
                open_run(tmp_path / "file", {}, options)
        first.discard()
    assert list(tmp_path.iterdir()) == []
    open_run(tmp_path / "file", {}, Parallelism()).discard()


def test_a_file_system_without_locks_is_reported(work: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr("filelock.FileLock.acquire", refuse)
    assert run(["sample", FARM, "-n", "5", "--out", "a.tsv"]) == OUTPUT
    said = work.capsys.readouterr().err
    assert "cannot write `a.tsv`: Function not implemented" in said


def test_the_dataset_that_a_killed_run_had_moved_away_survives_a_new_beginning(tmp_path: Path) -> None:
    target = tmp_path / "dataset"
    kept(target, {})
    stage = partial_folder(target) / "stage"
    (stage / "old").mkdir(parents=True)
    (stage / "old" / "manifest.json").write_text("precious")
    with open_run(target, {}, FORCE, partial(put_back, stage, target)):
        assert (target / "manifest.json").read_text() == "precious"


RACER = """
import sys, time
from pathlib import Path
from sgl.parallel.executor import Parallelism
from sgl.parallel.executor import BusyRunError, open_run

target, moment, times = Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
while time.time() < moment:
    pass
for _ in range(times):
    try:
        with open_run(target, {}, Parallelism(force=True)) as run:
            mine = run.path / "whole"
            mine.open("x").close()
            run.put("rows-0", b"abc")
            mine.unlink()
            assert run.get("rows-0") is not None
            run.discard()
        print("began")
    except BusyRunError as problem:
        print(problem)
"""


@pytest.mark.slow
def test_runs_that_begin_while_others_end_never_meet_in_the_folder(tmp_path: Path) -> None:
    words = [sys.executable, "-c", RACER, str(tmp_path / "file"), str(time.time() + 1.5), "100"]
    racers = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    said = [line for racer in racers for line in racer.communicate()[0].splitlines()]
    assert [racer.returncode for racer in racers] == [0] * 4
    assert len(said) == 400
    assert said.count("began") >= 4
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_second_run_that_starts_at_the_same_moment_is_told_who_writes(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "sgl", "sample", SGET, "train", "-n", "100000", "--distinct"]
    runs = [subprocess.Popen([*words, "--out", "pairs.tsv"], cwd=tmp_path, stderr=subprocess.PIPE) for _ in range(2)]
    said = [process.communicate()[1].decode() for process in runs]
    assert sorted(process.returncode for process in runs) == [0, OUTPUT]
    refused, finished = sorted(range(2), key=lambda number: -runs[number].returncode)
    writing = f"process {runs[finished].pid} on" in said[refused]
    assert writing or "another run has just written it" in said[refused]
    assert "--force" not in said[refused]
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.tsv"]
    assert (tmp_path / "pairs.tsv").read_bytes().count(b"\n") == 100_000


# --- killed outright ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Command:
    folder = tmp_path_factory.mktemp("killing")
    return Command("sample --workers", SGET, 200_000, folder).measured()


@on_linux
@pytest.mark.acceptance
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_killed_run_is_resumed_to_the_same_file(reference: Command, seed: int) -> None:
    outcome = interrupted_run(reference, random.Random(seed), 4)  # noqa: S311
    assert outcome.identical, outcome.problem
    assert outcome.left == []


@on_linux
@needs_dask
@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_finishes_with_the_same_file(reference: Command) -> None:
    on_cluster = replace(reference, kind="sample on Dask")
    process = on_cluster.start(again=False)
    wait_for_results(process, on_cluster.partial)
    workers = [child for child in descendants(process.pid) if is_worker(child)]
    assert len(workers) == 2
    os.kill(workers[0], signal.SIGKILL)
    _, said = process.communicate()
    assert process.returncode == 0, said.decode()
    assert b"Traceback" not in said
    assert on_cluster.taken() == reference.digest
    assert not on_cluster.partial.exists()


def wait_for_results(started: "subprocess.Popen[bytes]", folder: Path) -> None:
    """Wait until a run has finished something."""
    while len(list(folder.glob("*-0*"))) < 2:
        assert started.poll() is None
        time.sleep(0.01)


@on_linux
@pytest.mark.slow
def test_an_interrupted_run_is_in_the_way_until_it_is_resumed_or_replaced(work: Workplace) -> None:
    command = ["sample", SGET, "train", "-n", "300000", "--distinct", "--out", "pairs.parquet"]
    started = subprocess.Popen([sys.executable, "-m", "sgl", *command, "--workers", "2"])
    wait_for_results(started, work.directory / ".pairs.parquet.partial")
    children = [child for child in descendants(started.pid) if is_worker(child)]
    started.send_signal(signal.SIGKILL)
    started.wait()
    assert run(command) == OUTPUT
    assert "`--resume` continues it" in work.capsys.readouterr().err
    assert run([*command, "--seed", "5", "--resume"]) == OUTPUT
    assert "another seed" in work.capsys.readouterr().err
    until = time.monotonic() + 20
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < until, "workers outlive their driver"
        time.sleep(0.1)
    assert run([*command[:4], "10", *command[5:], "--force"]) == 0
    assert work.files() == ["pairs.parquet"]


@on_linux
@pytest.mark.slow
def test_an_interruption_from_the_keyboard_keeps_what_is_finished(tmp_path: Path) -> None:
    command = ["sample", SGET, "train", "-n", "2000000", "--distinct", "--out", "pairs.parquet"]
    started = subprocess.Popen(
        [sys.executable, "-m", "sgl", *command, "--workers", "2"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        start_new_session=True,
        # Background jobs of a shell ignore the interruption, and so would their children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL) and None,  # noqa: PLW1509
    )
    wait_for_results(started, tmp_path / ".pairs.parquet.partial")
    os.killpg(started.pid, signal.SIGINT)
    _, said = started.communicate()
    assert started.returncode == 130
    assert b"`--resume` continues it" in said
    assert b"Traceback" not in said
