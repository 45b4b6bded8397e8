"""Whoever does the work, in whatever order, the file has the same bytes."""

import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from clusters import ADDRESS, needs_dask
from parallel import SIZES, Unloadable, added, dying, dying_once, failing, sample_work, sampled
from sampling import SMALL, plan_of, tables_of

from sgl.parallel.dataset import PARQUET, TSV, SentenceWork, sample_into
from sgl.parallel.executor import DASK, InProcess, Parallelism, WorkerLostError, open_executor, open_run, ordered
from sgl.parallel.processes import Processes
from sgl.sampling.acceptance import NotEnoughError, sample
from sgl.sampling.engine import joined, words_of

ENGINES = [
    pytest.param(Parallelism(1), id="here"),
    pytest.param(Parallelism(2), id="processes", marks=pytest.mark.slow),
    pytest.param(Parallelism(2, DASK), id="dask", marks=[needs_dask, pytest.mark.slow]),
]


@pytest.mark.parametrize("parallelism", ENGINES)
def test_results_come_in_the_order_of_the_tasks(parallelism: Parallelism) -> None:
    with open_executor(100, parallelism) as executor:
        tasks = (executor.submit(added, number) for number in range(9))
        assert list(ordered(tasks, executor.ahead)) == list(range(100, 109))
        with pytest.raises(ValueError, match="not with 100"):
            executor.submit(failing)()


@pytest.mark.slow
def test_a_task_whose_worker_is_killed_is_done_again(tmp_path: Path) -> None:
    with Processes(tmp_path / "done once", 2) as executor:
        tasks = (executor.submit(dying_once, number) for number in range(6))
        assert list(ordered(tasks, executor.ahead)) == list(range(6))


@pytest.mark.slow
def test_a_task_that_always_kills_its_worker_is_given_up() -> None:
    with Processes(0, 1) as executor, pytest.raises(WorkerLostError, match="each time"):
        executor.submit(dying)()


# --- one file ----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "parallelism",
    [Parallelism(2), Parallelism(3), pytest.param(Parallelism(2, DASK), marks=needs_dask)],
    ids=["2", "3", "dask"],
)
def test_the_file_is_the_same_from_any_workers(tmp_path: Path, parallelism: Parallelism) -> None:
    for form in (TSV, PARQUET):
        expected = sampled(tmp_path / "here", form=form)
        assert sampled(tmp_path / "there", parallelism, form=form) == expected


@pytest.mark.parametrize(("batch", "segment"), [(2_000, 1), (4_000, 500), (100_000, 100_000)])
def test_batches_of_any_size_make_the_same_file(tmp_path: Path, batch: int, segment: int) -> None:
    sizes = SIZES._replace(batch=batch, segment=segment)
    assert sampled(tmp_path / "a", sizes=sizes) == sampled(tmp_path / "b")


def test_the_file_has_the_items_of_the_plain_sampler_in_their_order(tmp_path: Path) -> None:
    plain = sample_work().tables
    expected = [
        joined(plain.source, words_of(plain.source, plain.arity, found.derivation))
        for found in next(sample(plain)).items
    ]
    rows = sampled(tmp_path / "a", form=TSV).decode().splitlines()
    assert [row.split("\t")[0] for row in rows] == expected
    assert len(set(expected)) == 3_000


def test_parquet_and_lines_hold_the_same_rows(tmp_path: Path) -> None:
    lines = sampled(tmp_path / "a", form=TSV).decode().splitlines()
    sampled(tmp_path / "b", form=PARQUET)
    file = pq.ParquetFile(tmp_path / "b")
    columns = file.read().to_pydict()
    assert ["\t".join(row) for row in zip(columns["en"], columns["ja"], strict=True)] == lines
    groups = [file.metadata.row_group(number).num_rows for number in range(5)]
    assert groups == [700, 700, 700, 700, 200]


def test_too_few_sentences_are_reported_and_leave_nothing(tmp_path: Path) -> None:
    plain = tables_of(SMALL, plan=plan_of({"sample": 8}, sentences=True))
    plain = plain._replace(strata=[plain.strata[0].of(9)])
    work = SentenceWork(plain, SMALL, ("en",), TSV)
    with pytest.raises(NotEnoughError, match="repeated sentence"), open_run(tmp_path / "a", {}, Parallelism()) as run:
        sample_into(tmp_path / "a", work, InProcess(work), run, lambda *_: None)
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - nothing at all


# --- clusters ----------------------------------------------------------------------------


@needs_dask
@pytest.mark.usefixtures("impatient")
@pytest.mark.slow
def test_a_cluster_that_does_not_answer_is_named() -> None:
    with pytest.raises(WorkerLostError, match="tcp://127"):
        open_executor(0, Parallelism(1, DASK, ADDRESS))


@needs_dask
@pytest.mark.slow
def test_a_cluster_without_workers_or_with_others_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import LocalCluster

    from sgl.parallel import cluster

    options = {"host": "127.0.0.1", "dashboard_address": None, "silence_logs": 50}
    with LocalCluster(n_workers=0, **options) as started:
        there = Parallelism(1, DASK, started.scheduler_address)
        monkeypatch.setattr(cluster, "_PATIENCE", 1)
        with pytest.raises(WorkerLostError, match="has no workers"):
            open_executor(0, there)
        monkeypatch.setattr(cluster, "_PATIENCE", 30)
        started.scale(1)
        with pytest.raises(WorkerLostError, match=r"cannot run sglc: .*no such work"):
            open_executor(Unloadable(), there)
        monkeypatch.setattr(cluster, "__version__", "0.0.0")
        with pytest.raises(WorkerLostError, match=r"have sglc .*, and this is 0.0.0"):
            open_executor(0, there)


@needs_dask
@pytest.mark.slow
def test_a_worker_that_dies_as_it_gets_the_work_is_not_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import Client, WorkerPlugin

    register, deaths = Client.register_plugin, [OSError("Stream is closed")] * 2

    def registering(client: Client, plugin: WorkerPlugin) -> object:
        if deaths:
            raise deaths.pop()
        return register(client, plugin)

    monkeypatch.setattr(Client, "register_plugin", registering)
    with open_executor(100, Parallelism(1, DASK)) as executor:
        assert not deaths
        assert executor.submit(added, 1)() == 101


def test_a_worker_that_dies_before_it_has_read_anything_is_lost_and_not_waited_for() -> None:
    """A pipe holds 64 KiB: what a process is given when it starts must never be more."""
    program = (
        "from multiprocessing import resource_tracker, spawn\n"
        "from sgl.parallel.executor import Parallelism, WorkerLostError, open_executor\n"
        "resource_tracker.ensure_running()\n"
        "spawn.set_executable('/bin/false')\n"
        "try:\n"
        "    with open_executor(bytes(1_000_000), Parallelism(workers=2)) as executor:\n"
        "        executor.submit(len)()\n"
        "except WorkerLostError:\n"
        "    print('lost')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == "lost\n", done.stderr
