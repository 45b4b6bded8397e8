"""Parquet of others: some kilobytes that stand for gigabytes are refused before they are unpacked."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tiny_dataset import tiny

import sgl
from sgl.cli.main import OUTPUT, run
from sgl.foreign import ForeignFileError
from sgl.foreign.parquet import LARGEST_PAGE, LARGEST_TABLE, MOST_ROWS, parquet, table_of
from sgl.verify import verify

COLUMNS = ("id", "source", "target", "category", "split_kind", "derivation")


def _rows(number: int, text: str, **columns: Any) -> pa.Table:  # noqa: ANN401 - arrays of Arrow
    """Rows that all have the same text, which a file has once."""
    places = pa.array(np.zeros(number, np.int32))
    shared = {name: pa.DictionaryArray.from_arrays(places, pa.array([text])) for name in COLUMNS}
    return pa.table(shared | columns)


def write(path: Path, table: pa.Table, **options: Any) -> Path:  # noqa: ANN401 - those of Arrow
    options = {"compression": "zstd", "store_schema": False} | options
    pq.write_table(table, path, data_page_size=1 << 30, **options)
    return path


#: Files of some kilobytes, each with the reason why it is not read.
BOMBS: dict[str, tuple[Callable[[Path], Path], str]] = {
    "rows": (
        lambda path: write(path, _rows(MOST_ROWS + 1, "a").select(["id", "derivation"])),
        f"it has {MOST_ROWS + 1:,} rows; it may have at most {MOST_ROWS:,}",
    ),
    "a text of all rows": (
        lambda path: write(path, _rows(3_000, "(a " + "b " * 499_000 + ")")),
        f"it has more than {LARGEST_TABLE:,} bytes when unpacked",
    ),
    "a page": (
        lambda path: write(path, _rows(1, "b" * LARGEST_PAGE).select(["id", "derivation"]), use_dictionary=False),
        "a page of it has 67,108,8",
    ),
    "texts that repeat the one before": (
        lambda path: write(
            path, _rows(2_000, "c" * 9_999).cast(_PLAIN), use_dictionary=False, column_encoding=_REPEATING
        ),
        "a column of it is written as differences of texts (DELTA_BYTE_ARRAY)",
    ),
    "a list": (
        lambda path: write(path, _rows(1, "a", list=pa.array([[0] * 1_000_000]))),
        "the column `list` has neither texts nor numbers",
    ),
    "brackets": (
        lambda path: write(path, _rows(1, "a", list=pa.nulls(1, _deep(99)))),
        "it is damaged or not a Parquet file",
    ),
}
_PLAIN = pa.schema([(name, pa.string()) for name in COLUMNS])
_REPEATING = dict.fromkeys(COLUMNS, "DELTA_BYTE_ARRAY")


def _deep(levels: int) -> pa.DataType:
    return pa.list_(_deep(levels - 1)) if levels else pa.string()


@pytest.fixture(scope="module")
def bombs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("bombs")
    return {name: make(place / f"{name.replace(' ', '-')}.parquet") for name, (make, _) in BOMBS.items()}


def refusal(path: Path) -> str:
    with pytest.raises(ForeignFileError) as refused:
        table_of(path)
    return refused.value.strerror


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_file_is_not_unpacked_to_gigabytes(name: str, bombs: dict[str, Path]) -> None:
    assert bombs[name].stat().st_size < 400_000
    assert BOMBS[name][1] in refusal(bombs[name])


def test_a_bomb_is_no_dataset(bombs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The verifier reads some rows at a time, and everybody else nothing."""
    directory = tiny().write(tmp_path / "ds")
    for path in bombs.values():
        (directory / "parquet" / "dev.parquet").write_bytes(path.read_bytes())
        assert "V002" in {result.code for result in verify(directory).failed}
        with pytest.raises(sgl.GrammarError, match="cannot read"):
            sgl.open_dataset(directory).to_arrow("dev")
        assert run(["split", str(path), "--out", str(tmp_path / "split")]) == OUTPUT
        assert "error[SGL1102]: cannot read" in capsys.readouterr().err


@pytest.mark.slow
def test_bombs_take_no_memory(bombs: dict[str, Path]) -> None:
    """In a process that has a gigabyte, which is enough to load the libraries."""
    program = """
import resource, sys
from pathlib import Path
from sgl.foreign import ForeignFileError
from sgl.foreign.parquet import table_of
import pyarrow.compute, pyarrow.parquet
resource.setrlimit(resource.RLIMIT_DATA, (1 << 30,) * 2)
for name in sys.argv[1:]:
    try:
        table_of(Path(name))
    except ForeignFileError as problem:
        print(problem.strerror)
"""
    words = [sys.executable, "-c", program, *map(str, bombs.values())]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line.startswith(reason) for line, (_, reason) in zip(said, BOMBS.values(), strict=True)] == [True] * 6


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"data_page_version": "2.0", "compression": "gzip"},
        {"use_dictionary": False, "write_page_index": True, "write_page_checksum": True},
        {"row_group_size": 7, "compression": "none"},
        {"store_schema": True},
    ],
)
def test_a_table_is_read_as_arrow_reads_it(options: dict[str, Any], tmp_path: Path) -> None:
    table = pa.table(
        {
            "text": pa.array(["犬", "", None, "a b"] * 25),
            "large": pa.array(["x", "y", None, "x"] * 25, pa.large_string()),
            "kind": pa.array(["a", "b", None, "b"] * 25).dictionary_encode(),
            "number": pa.array(range(100)),
            "share": pa.array([0.5, None, float("inf"), -1.0] * 25),
            "nothing": pa.nulls(100),
        }
    )
    path = write(tmp_path / "table.parquet", table, **options)
    found, expected = table_of(path), pq.read_table(path)
    assert found.schema.equals(expected.schema, check_metadata=True)
    assert found.equals(expected)


def test_a_file_whose_bytes_were_changed_is_a_table_or_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "table.parquet", _rows(5, "a").select(["id", "derivation"]))
    whole, chance, read = path.read_bytes(), random.Random(1), 0  # noqa: S311 - for a test
    for _ in range(2_000):
        changed = bytearray(whole)
        for place in chance.sample(range(len(whole)), chance.randint(1, 3)):
            changed[place] = chance.randrange(256)
        path.write_bytes(changed)
        with suppress(ForeignFileError):
            read += table_of(path).num_columns == 2
    assert 0 < read < 1_000


def test_what_goes_wrong_while_rows_are_read_has_a_name(tmp_path: Path) -> None:
    path = write(tmp_path / "table.parquet", _rows(5, "a"))
    with pytest.raises(ForeignFileError, match="it is damaged or not a Parquet file"), parquet(path) as file:
        file.read_row_group(7)
