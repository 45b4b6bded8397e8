"""Work in shards: whoever does it, in whatever order, the file has the same bytes."""

import io
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sampling import SMALL as SMALL_GRAMMAR
from sampling import plan_of, tables_of
from toy import TOY

from sgl.dataset.parquet_join import ParquetJoin
from sgl.dataset.thrift import ThriftError, decode, encode
from sgl.parallel.executor import Executor, WorkerLostError, open_executor, ordered
from sgl.parallel.export import Sizes, assemble, export
from sgl.parallel.journal import Journal, begin
from sgl.parallel.partitions import PartitionedSentences, Table
from sgl.parallel.processes import Processes
from sgl.parallel.sentences import PARQUET, TSV, SentenceWork
from sgl.sampling.distinct import Judge, NotEnoughError, draw_stratum
from sgl.sampling.engine import Tables, joined, words_of
from sgl.sampling.seen import SeenSentences

SMALL = Sizes(chunk=700, batch=2_000, segment=1_000)
NOTHING_SHOWN: Callable[[str, int, int], None] = lambda *_: None  # noqa: E731


def tables(number: int = 3_000) -> Tables:
    plan = plan_of({"sample": number}, lemmas=("NOUN",), sentences=True)
    return tables_of(TOY, plan=plan)


def work_of(form: str = TSV, number: int = 3_000) -> SentenceWork:
    return SentenceWork(tables(number), TOY, ("en", "ja"), form)


def written(folder: Path, work: SentenceWork, executor: Executor, sizes: Sizes = SMALL) -> bytes:
    """The file that a run makes."""
    folder.mkdir(exist_ok=True)
    target = folder / "file"
    with begin(folder / "partial", {}) as journal, executor:
        export(work, executor, SeenSentences(), journal, NOTHING_SHOWN, sizes)
        assemble(work, journal, target, sizes)
    return target.read_bytes()


# --- executors ---------------------------------------------------------------------------


def added(work: int, number: int) -> int:
    return work + number


def failing(work: int) -> None:
    raise ValueError(f"not with {work}")


def dying_once(work: Path, number: int) -> int:
    """Kill the process that does this, but only the first time."""
    if not work.exists():
        work.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def dying(work: int) -> None:  # noqa: ARG001
    os.kill(os.getpid(), signal.SIGKILL)


def process(work: object, seconds: float) -> int:  # noqa: ARG001
    time.sleep(seconds)
    return os.getpid()


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_the_tasks(workers: int) -> None:
    with open_executor(100, workers) as executor:
        results = list(ordered(executor, ((added, (number,)) for number in range(9))))
    assert results == list(range(100, 109))


def test_what_a_task_raises_is_raised_where_its_result_is_wanted() -> None:
    with Processes(7, 2) as executor:
        future = executor.submit(failing)
        with pytest.raises(ValueError, match="not with 7"):
            future.result()
        assert executor.submit(added, 1).result() == 8


def test_a_task_whose_worker_is_killed_is_done_again(tmp_path: Path) -> None:
    with Processes(tmp_path / "done once", 2) as executor:
        results = list(ordered(executor, ((dying_once, (number,)) for number in range(6))))
    assert results == list(range(6))


def test_a_task_that_always_kills_its_worker_is_given_up() -> None:
    with Processes(0, 1) as executor:
        future = executor.submit(dying)
        with pytest.raises(WorkerLostError, match="each time"):
            future.result()


def test_workers_end_with_the_executor_whatever_they_are_doing() -> None:
    with Processes(0, 2) as executor:
        pids = {executor.submit(process, 0.2).result() for _ in range(2)}
        executor.submit(process, 600)
        pids |= set(executor.processes())
        begun = time.monotonic()
    assert time.monotonic() - begun < 30
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


# --- one file ----------------------------------------------------------------------------


@pytest.mark.parametrize("form", [TSV, PARQUET])
def test_the_file_is_the_same_from_any_number_of_workers(tmp_path: Path, form: str) -> None:
    files = {
        written(tmp_path / str(workers), work_of(form), open_executor(work_of(form), workers))
        for workers in (1, 2, 4)
    }
    assert len(files) == 1


def test_the_file_has_the_items_of_the_plain_sampler_in_their_order(tmp_path: Path) -> None:
    plain = tables()
    items = draw_stratum(plain, plain.strata[0], Judge(plain)).items
    expected = [
        joined(plain.source, words_of(plain.source, plain.arity, found.derivation))
        for found in items
    ]
    work = work_of(TSV)
    rows = written(tmp_path, work, open_executor(work)).decode().splitlines()
    assert [row.split("\t")[0] for row in rows] == expected
    assert len(set(expected)) == 3_000


def test_batches_of_any_size_make_the_same_file(tmp_path: Path) -> None:
    files = {
        written(
            tmp_path / str(batch),
            work_of(),
            open_executor(work_of()),
            SMALL._replace(batch=batch, segment=segment),
        )
        for batch, segment in ((2_000, 1), (4_000, 500), (100_000, 100_000))
    }
    assert len(files) == 1


def test_parquet_and_lines_hold_the_same_rows(tmp_path: Path) -> None:
    lines = written(tmp_path / "a", work_of(TSV), open_executor(work_of(TSV))).decode()
    data = written(tmp_path / "b", work_of(PARQUET), open_executor(work_of(PARQUET)))
    file = pq.ParquetFile(io.BytesIO(data))
    columns = file.read().to_pydict()
    rows = ["\t".join(row) for row in zip(columns["en"], columns["ja"], strict=True)]
    assert rows == lines.splitlines()
    groups = [file.metadata.row_group(number).num_rows for number in range(5)]
    assert groups == [700, 700, 700, 700, 200]


def test_too_few_sentences_are_reported(tmp_path: Path) -> None:
    plain = tables_of(SMALL_GRAMMAR, plan=plan_of({"sample": 8}, sentences=True))
    plain = plain._replace(strata=[plain.strata[0]._replace(wanted=9)])
    work = SentenceWork(plain, SMALL_GRAMMAR, ("en",), TSV)
    with (
        pytest.raises(NotEnoughError, match="repeated_sentence"),
        begin(tmp_path / "partial", {}) as journal,
        open_executor(work) as executor,
    ):
        export(work, executor, SeenSentences(), journal, NOTHING_SHOWN)


# --- Parquet put together ----------------------------------------------------------------

OPTIONS = {
    "version": "2.6",
    "compression": "zstd",
    "use_dictionary": ["kind"],
    "write_statistics": False,
    "store_schema": False,
}


def piece(*rows: int) -> pa.Table:
    texts = [f"row {row}, which is {row * row}" for row in rows]
    return pa.table({"text": texts, "kind": ["odd" if row % 2 else "even" for row in rows]})


def test_pieces_are_put_together_as_one_writer_would_have_written_them() -> None:
    tables = [piece(*range(900)), piece(3), piece(*range(50, 70))] * 7
    whole = io.BytesIO()
    with pq.ParquetWriter(whole, tables[0].schema, **OPTIONS) as writer:
        for table in tables:
            writer.write_table(table)
    together = io.BytesIO()
    join = ParquetJoin(together)
    for table in tables:
        alone = io.BytesIO()
        with pq.ParquetWriter(alone, table.schema, **OPTIONS) as writer:
            writer.write_table(table)
        join.append(alone.getvalue())
    join.close()
    assert together.getvalue() == whole.getvalue()


def test_other_bytes_are_no_piece() -> None:
    join = ParquetJoin(io.BytesIO())
    with pytest.raises(ValueError, match="not a Parquet file"):
        join.append(b"PAR1 and no more")


def test_a_footer_that_ends_early_is_noticed() -> None:
    stream = io.BytesIO()
    pq.write_table(piece(1, 2), stream)
    data = stream.getvalue()
    footer = data[-8 - int.from_bytes(data[-8:-4], "little") : -8]
    assert encode(decode(footer)) == footer
    with pytest.raises(ThriftError):
        decode(footer[:40])


# --- tables that are divided -------------------------------------------------------------


class Breakable(SeenSentences):
    """A table that is lost with its worker, now and then."""

    def __init__(self, losses: list[int]) -> None:
        super().__init__()
        self._losses = losses

    def _lost(self) -> bool:
        self._losses[0] -= 1
        return self._losses[0] == 0

    def earlier(self, hashes, asked):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
        if self._lost():
            raise WorkerLostError("gone")
        found = super().earlier(hashes, asked)
        return lambda: found

    def add(self, hashes, accepted, stratum):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
        super().add(hashes, accepted, stratum)
        if self._lost():
            raise WorkerLostError("gone")
        return lambda: None


@pytest.mark.parametrize("loss", [0, 1, 2, 5, 8])
def test_divided_tables_say_what_one_table_says_also_after_a_loss(
    tmp_path: Path, loss: int
) -> None:
    losses = [loss]

    def start(number: int) -> Table:  # noqa: ARG001
        return Breakable(losses)

    one = SeenSentences()
    divided = PartitionedSentences(start, 3, tmp_path / "log")
    random = np.random.default_rng(5)
    for stratum in range(4):
        words = random.integers(0, 2_000, 1_500).astype(np.uint64)
        hashes = np.stack([words * np.uint64(0x9E3779B97F4A7C15), words << np.uint64(20)], axis=1)
        asked = random.random(1_500) < 0.9
        expected, found = one.earlier(hashes, asked), divided.earlier(hashes, asked)
        assert np.array_equal(found.stratum, expected.stratum)
        assert np.array_equal(found.candidate, expected.candidate)
        accepted = asked & (expected.stratum < 0) & (expected.candidate < 0)
        one.add(hashes, accepted, stratum)
        divided.add(hashes, accepted, stratum)


# --- journals ----------------------------------------------------------------------------


def test_a_journal_names_what_it_holds(tmp_path: Path) -> None:
    with begin(tmp_path / "partial", {"seed": 1}) as journal:
        assert isinstance(journal, Journal)
        journal.put("a", b"abc", 3)
        shard = journal.get("a")
        assert shard is not None
        assert shard.rows == 3
        (tmp_path / "partial" / "a").write_bytes(b"abd")
        assert journal.get("a") is None
