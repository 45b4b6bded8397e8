"""Runs that are killed: what is finished is kept, and the whole is as if nothing had happened."""

import json
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
from sampling import plan_of, tables_of
from toy import TOY
from workplace import Workplace

from killing import Command, interrupted_run, workers_of
from sgl.cli.main import OUTPUT, run
from sgl.dataset import put_back
from sgl.parallel.executor import Function, InProcess
from sgl.parallel.export import Sizes, assemble, export
from sgl.parallel.journal import (
    BusyRunError,
    InterruptedRunError,
    Journal,
    begin,
    open_journal,
    resume,
)
from sgl.parallel.sentences import PARQUET, SentenceWork
from sgl.resources import grammars_dir
from sgl.sampling.seen import SeenSentences

SGET = str(grammars_dir() / "sget.sgl")
SIZES = Sizes(chunk=500, batch=2_000, segment=800)


def job() -> SentenceWork:
    plan = plan_of({"sample": 4_000}, lemmas=("NOUN",), sentences=True)
    return SentenceWork(tables_of(TOY, plan=plan), TOY, ("en", "ja"), PARQUET)


class Power(Exception):
    """The power goes off."""


class Failing(InProcess):
    """Stops the run at some task, and counts the tasks."""

    def __init__(self, job: SentenceWork, last: int = 1_000_000) -> None:
        super().__init__(job)
        self.last = last
        self.done: list[str] = []

    def submit(self, function: Function, *arguments: object):  # type: ignore[no-untyped-def]  # noqa: ANN201
        if len(self.done) == self.last:
            raise Power
        self.done.append(function.__name__)
        return super().submit(function, *arguments)


def go(journal: Journal, executor: Failing, target: Path, sizes: Sizes = SIZES) -> bytes:
    with journal, executor:
        export(job(), executor, SeenSentences(), journal, lambda *_: None, sizes)
        assemble(job(), journal, target, sizes)
    return target.read_bytes()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[str]]:
    """What an uninterrupted run makes, and what it does."""
    folder = tmp_path_factory.mktemp("whole")
    executor = Failing(job())
    return go(begin(folder / "partial", {}), executor, folder / "file"), executor.done


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.8, 0.99])
def test_a_run_that_stops_anywhere_is_resumed_to_the_same_file(
    tmp_path: Path, whole: tuple[bytes, list[str]], share: float
) -> None:
    expected, done = whole
    stopped = Failing(job(), int(share * len(done)))
    with pytest.raises(Power):
        go(begin(tmp_path / "partial", {}), stopped, tmp_path / "file")
    assert not (tmp_path / "file").exists()
    again = Failing(job())
    assert go(resume(tmp_path / "partial", {}), again, tmp_path / "file") == expected


def test_what_is_finished_is_not_done_again(tmp_path: Path, whole: tuple[bytes, list[str]]) -> None:
    _, done = whole
    with pytest.raises(Power):
        go(begin(tmp_path / "partial", {}), Failing(job(), len(done) - 1), tmp_path / "file")
    again = Failing(job())
    go(resume(tmp_path / "partial", {}), again, tmp_path / "file")
    assert len(again.done) < len(done) / 2


@pytest.mark.parametrize("damage", ["torn line", "no end", "changed shard", "lost shard"])
def test_damage_is_found_and_done_again(
    tmp_path: Path, whole: tuple[bytes, list[str]], damage: str
) -> None:
    expected, done = whole
    folder = tmp_path / "partial"
    with pytest.raises(Power):
        go(begin(folder, {}), Failing(job(), len(done) - 1), tmp_path / "file")
    journal = folder / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    shard = folder / json.loads(lines[2])["key"]
    if damage == "torn line":
        journal.write_bytes(b"".join(lines) + lines[2][:20])
    elif damage == "no end":
        journal.write_bytes(b"".join(lines)[:-1])
    elif damage == "changed shard":
        shard.write_bytes(shard.read_bytes()[:-1] + b"?")
    else:
        shard.unlink()
    assert go(resume(folder, {}), Failing(job()), tmp_path / "file") == expected


@pytest.mark.parametrize("steps", [2, 4, 6])
def test_what_was_settled_after_damage_is_not_taken_for_what_follows_the_repair(
    tmp_path: Path, whole: tuple[bytes, list[str]], steps: int
) -> None:
    expected, done = whole
    folder = tmp_path / "partial"
    with pytest.raises(Power):
        go(begin(folder, {}), Failing(job(), len(done) - 1), tmp_path / "file")
    settled = sorted(path for path in folder.iterdir() if path.name.startswith("settled"))
    assert len(settled) > 2
    settled[0].unlink()
    # What is done again is divided in another way, and stops before it is complete.
    others = SIZES._replace(batch=1_100, segment=1_300)
    with pytest.raises(Power):
        go(resume(folder, {}), Failing(job(), steps), tmp_path / "file", others)
    assert go(resume(folder, {}), Failing(job()), tmp_path / "file") == expected


# --- journals that do not fit ------------------------------------------------------------


def test_a_journal_of_another_run_is_refused(tmp_path: Path) -> None:
    with begin(tmp_path / "partial", {"seed": 1, "number": 5}):
        pass
    with pytest.raises(InterruptedRunError, match="another seed"):
        resume(tmp_path / "partial", {"seed": 2, "number": 5})


@pytest.mark.parametrize("first", ["", "{", "[]\n", '{"format": "other/1"}\n', "\x00\xff\n"])
def test_a_file_that_is_no_journal_is_refused(tmp_path: Path, first: str) -> None:
    (tmp_path / "journal.jsonl").write_text(first, "latin-1")
    with pytest.raises(InterruptedRunError, match="cannot be read"):
        resume(tmp_path, {})


def test_a_journal_cannot_name_a_file_elsewhere(tmp_path: Path) -> None:
    with begin(tmp_path / "partial", {}):
        pass
    line = {"key": "../secret", "sha256": "00", "rows": 1}
    with (tmp_path / "partial" / "journal.jsonl").open("a") as stream:
        stream.write(json.dumps(line) + "\n")
    with resume(tmp_path / "partial", {}) as journal:
        assert journal.finished == 0


def test_two_runs_do_not_work_in_one_folder(tmp_path: Path) -> None:
    with begin(tmp_path / "partial", {}):
        with pytest.raises(BusyRunError, match=f"writing here: process {os.getpid()} on"):
            begin(tmp_path / "partial", {})
        with pytest.raises(BusyRunError, match="since 20"):
            resume(tmp_path / "partial", {})


def test_a_run_that_is_refused_leaves_the_journal_of_the_other_alone(tmp_path: Path) -> None:
    journal = tmp_path / "partial" / "journal.jsonl"
    with begin(tmp_path / "partial", {}):
        with journal.open("ab") as stream:
            stream.write(b'{"key": "half a li')
        before = journal.read_bytes()
        with pytest.raises(BusyRunError):
            resume(tmp_path / "partial", {})
        assert journal.read_bytes() == before


def test_the_dataset_that_a_killed_run_had_moved_away_survives_a_new_beginning(
    tmp_path: Path,
) -> None:
    stage, target = tmp_path / "partial" / "stage", tmp_path / "dataset"
    with begin(tmp_path / "partial", {}):
        (stage / "old").mkdir(parents=True)
        (stage / "old" / "manifest.json").write_text("precious")
    rescue = partial(put_back, stage, target)
    with open_journal(tmp_path / "partial", {}, anew=True, when_held=rescue):
        assert (target / "manifest.json").read_text() == "precious"


# --- killed outright ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Command:
    return Command.measured(SGET, 400_000, tmp_path_factory.mktemp("killing"))


@on_linux
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_killed_run_is_resumed_to_the_same_file(reference: Command, seed: int) -> None:
    outcome = interrupted_run(reference, random.Random(seed))  # noqa: S311
    assert outcome.identical


@on_linux
@needs_dask
def test_a_cluster_that_loses_a_worker_finishes_with_the_same_file(reference: Command) -> None:
    on_cluster = replace(reference, engine="dask")
    process = on_cluster.start(resume=False)
    wait_for_shards(process, on_cluster.partial)
    workers = workers_of(process.pid)
    assert len(workers) == 2
    os.kill(workers[0], signal.SIGKILL)
    _, said = process.communicate()
    assert process.returncode == 0, said.decode()
    assert b"Traceback" not in said
    assert on_cluster.taken() == reference.digest
    assert not on_cluster.partial.exists()


def wait_for_shards(started: "subprocess.Popen[bytes]", partial: Path) -> None:
    """Wait until the journal of a run names something."""
    journal = partial / "journal.jsonl"
    while not journal.exists() or journal.read_bytes().count(b"\n") < 3:
        assert started.poll() is None
        time.sleep(0.01)


@on_linux
def test_an_interrupted_run_is_in_the_way_until_it_is_resumed_or_replaced(
    work: Workplace,
) -> None:
    command = ["sample", SGET, "train", "-n", "1000000", "--distinct", "--out", "pairs.parquet"]
    partial = work.directory / ".pairs.parquet.partial"
    started = subprocess.Popen([sys.executable, "-m", "sgl", *command, "--workers", "2"])
    wait_for_shards(started, partial)
    children = workers_of(started.pid)
    started.send_signal(signal.SIGKILL)
    started.wait()
    assert run(command) == OUTPUT
    assert "`--resume` goes on with it" in work.capsys.readouterr().err
    assert run([*command, "--seed", "5", "--resume"]) == OUTPUT
    assert "another seed" in work.capsys.readouterr().err
    until = time.monotonic() + 20
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < until, "workers outlive their driver"
        time.sleep(0.1)
    assert run([*command[:4], "10", *command[5:], "--force"]) == 0
    assert work.files() == ["pairs.parquet"]


@on_linux
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
    wait_for_shards(started, tmp_path / ".pairs.parquet.partial")
    os.killpg(started.pid, signal.SIGINT)
    _, said = started.communicate()
    assert started.returncode == 130
    assert b"`--resume` goes on with it" in said
    assert b"Traceback" not in said
