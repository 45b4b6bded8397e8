"""Columns of texts as rows and as arrays of Arrow, also where there are too many bytes for one."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sampling import plan_of, tables_of
from toy import TOY

from sgl.core.arrays import Column
from sgl.dataset import rows
from sgl.dataset.rows import arrow_array, parquet_writer, rows_of
from sgl.dataset.staged import TextTooLongError
from sgl.parallel.dataset import PARQUET, TSV, SentenceWork, encode

TEXTS = ["", "a dog", "犬が走った。", "x" * 30, "", "the end"]


def table(texts: list[str]) -> pa.Table:
    return pa.table({"source": arrow_array(Column.of(texts)), "features": pa.array(texts)})


def test_a_column_within_the_limit_is_one_array_over_all_its_texts() -> None:
    array = arrow_array(Column.of(TEXTS))
    assert array.num_chunks == 1
    assert array.to_pylist() == TEXTS
    assert arrow_array(Column.of([])).to_pylist() == []


@pytest.mark.parametrize("limit", [30, 31, 36, 48, 1_000])
def test_a_column_beyond_the_limit_is_several_arrays_and_the_same_column_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr(rows, "MOST_BYTES", limit)
    array = arrow_array(Column.of(TEXTS))
    assert array.to_pylist() == TEXTS
    for chunk in array.chunks:
        assert sum(len(text.encode()) for text in chunk.to_pylist()) <= limit
    with parquet_writer(tmp_path / "a.parquet", table(TEXTS).schema) as file:
        file.write_table(table(TEXTS))
    assert pq.read_table(tmp_path / "a.parquet").to_pylist() == [{"source": text, "features": text} for text in TEXTS]


def test_a_part_of_a_column_does_not_begin_at_the_first_byte() -> None:
    whole = Column.of(TEXTS)
    assert arrow_array(Column(whole.data, whole.offsets[2:])).to_pylist() == TEXTS[2:]


def test_a_text_that_no_array_can_hold_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "MOST_BYTES", 29)
    with pytest.raises(TextTooLongError, match="too many for a column"):
        arrow_array(Column.of(TEXTS))


def encoded(form: str) -> Any:  # noqa: ANN401
    """The first sentences of a sample, as a worker writes them."""
    plan = plan_of({"sample": 300}, lemmas=("NOUN",), sentences=True)
    work = SentenceWork(tables_of(TOY, plan=plan), TOY, ("en", "ja"), form)
    return encode(work, np.arange(300, dtype=np.int64))


def test_columns_that_are_several_arrays_are_the_same_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = encoded(TSV)
    monkeypatch.setattr(rows, "MOST_BYTES", 500)
    assert encoded(TSV) == expected
    lines = [line.split("\t") for line in expected.decode().splitlines()]
    found = encoded(PARQUET).to_pydict()
    assert [list(pair) for pair in zip(found["en"], found["ja"], strict=True)] == lines


# --- what a row cannot hold --------------------------------------------------------------


def test_quotation_marks_and_dots_do_not_make_rows_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: object) -> None:
        pytest.fail("row by row")

    monkeypatch.setattr(rows, "row_of", slow)
    source, target = Column.of(["“Run…”", "a"]), Column.of(["「走れ…」―犬", "é «b»"])
    assert rows_of(source, target, Column.of(["c", "c"])).decode() == "“Run…”\t「走れ…」―犬\tc\na\té «b»\tc\n"


@pytest.mark.parametrize("text", ["a\tb", "a\nb", "a\rb", "a\x0bb", "a\x1cb", "a\x85b", "a\u2028b"])
def test_a_text_that_breaks_a_row_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="cannot hold"):
        rows_of(Column.of(["a"]), Column.of([text]), Column.of(["c"]))
