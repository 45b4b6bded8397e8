"""Workers of a cluster make the same file, and die at any moment, also as the cluster starts."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest
from clusters import ADDRESS, needs_dask, on_linux
from sampling import plan_of, tables_of
from toy import TOY

from killing import workers_of
from sgl.parallel.executor import ATTEMPTS, Executor, WorkerLostError, open_executor, ordered
from sgl.parallel.export import Sizes, assemble, export
from sgl.parallel.journal import begin
from sgl.parallel.sentences import PARQUET, SentenceWork
from sgl.sampling.seen import SeenSentences

SIZES = Sizes(chunk=700, batch=2_000, segment=1_000)
CLOSED = OSError("Stream is closed")


def work_of() -> SentenceWork:
    plan = plan_of({"sample": 3_000}, lemmas=("NOUN",), sentences=True)
    return SentenceWork(tables_of(TOY, plan=plan), TOY, ("en", "ja"), PARQUET)


def file_of(folder: Path, work: SentenceWork, executor: Executor) -> bytes:
    folder.mkdir()
    with begin(folder / "partial", {}) as journal, executor:
        export(work, executor, SeenSentences(), journal, lambda *_: None, SIZES)
        assemble(work, journal, folder / "file", SIZES)
    return (folder / "file").read_bytes()


def added(work: int, number: int) -> int:
    return work + number


@needs_dask
def test_the_file_is_the_same_from_a_cluster(tmp_path: Path) -> None:
    here, there = work_of(), work_of()
    expected = file_of(tmp_path / "here", here, open_executor(here))
    assert file_of(tmp_path / "there", there, open_executor(there, 2, "dask")) == expected


@needs_dask
@pytest.mark.usefixtures("impatient")
def test_a_cluster_that_does_not_answer_is_named() -> None:
    with pytest.raises(WorkerLostError, match="tcp://127"):
        open_executor(0, 1, "dask", ADDRESS)


@needs_dask
def test_a_cluster_without_workers_or_with_others_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from distributed import LocalCluster

    from sgl.parallel import cluster

    options = {"host": "127.0.0.1", "dashboard_address": None, "silence_logs": 50}
    with LocalCluster(n_workers=0, **options) as started:
        monkeypatch.setattr(cluster, "_PATIENCE", 1)
        with pytest.raises(WorkerLostError, match="has no workers"):
            open_executor(0, 1, "dask", started.scheduler_address)
        monkeypatch.setattr(cluster, "_PATIENCE", 30)
        started.scale(1)
        with pytest.raises(WorkerLostError, match=r"cannot run sglc: .*no such work"):
            open_executor(Unloadable(), 1, "dask", started.scheduler_address)
        monkeypatch.setattr(cluster, "__version__", "0.0.0")
        with pytest.raises(WorkerLostError, match=r"have sglc .*, and this is 0.0.0"):
            open_executor(0, 1, "dask", started.scheduler_address)


@on_linux
@needs_dask
def test_a_cluster_starts_although_a_worker_dies_as_it_joins() -> None:
    seen: list[int] = []

    def kill_one() -> None:
        while not (found := workers_of(os.getpid())):
            time.sleep(0.01)
        os.kill(found[0], signal.SIGKILL)
        seen.extend(found)

    killer = Thread(target=kill_one)
    killer.start()
    with open_executor(100, 2, "dask") as executor:
        killer.join()
        results = list(ordered(executor, ((added, (number,)) for number in range(9))))
    assert seen
    assert results == list(range(100, 109))


@needs_dask
def test_a_worker_that_dies_as_it_gets_the_work_is_not_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from distributed import Client, WorkerPlugin

    register, deaths = Client.register_plugin, [CLOSED, CLOSED]

    def registering(client: Client, plugin: WorkerPlugin) -> object:
        if deaths:
            raise deaths.pop()
        return register(client, plugin)

    monkeypatch.setattr(Client, "register_plugin", registering)
    with open_executor(100, 1, "dask") as executor:
        assert not deaths
        assert executor.submit(added, 1).result() == 101
    deaths.extend([CLOSED] * ATTEMPTS)
    with pytest.raises(WorkerLostError, match="Stream is closed"):
        open_executor(100, 1, "dask")


class Unloadable:
    """Cannot be loaded by a worker."""

    def __reduce__(self) -> tuple[Callable[[], object], tuple[()]]:
        return unloadable, ()


def unloadable() -> object:
    raise ImportError("no such work")
