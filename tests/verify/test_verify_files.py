"""The verifier on files that are changed, missing or damaged: a failed check, no traceback."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_dataset import failed, tiny, verify, write_manifest

from sgl.foreign import ForeignFileError
from sgl.verify import VerifyError
from sgl.verify.parquet import read_columns

# --- files ------------------------------------------------------------------------------


def rewrite(path: Path, change: Callable[[bytes], bytes]) -> None:
    path.write_bytes(change(path.read_bytes()))


def test_a_changed_byte_is_noticed(tmp_path: Path) -> None:
    tiny().write(tmp_path)
    rewrite(tmp_path / "data/dev.tsv", lambda text: text.replace(b"girl", b"boys"))
    assert failed(verify(tmp_path)) == {"V002"}


def test_a_swapped_label_with_a_new_hash_is_noticed(tmp_path: Path) -> None:
    data = tiny()
    data.write(tmp_path)
    rewrite(tmp_path / "conllu/train.conllu", lambda text: text.replace(b"\t5\tnmod\t5:nmod", b"\t5\tobl\t5:obl", 1))
    write_manifest(tmp_path, data.manifest())
    assert failed(verify(tmp_path)) == {"V012"}


def test_a_missing_conllu_file_fails_and_nothing_crashes(tmp_path: Path) -> None:
    tiny().write(tmp_path)
    (tmp_path / "conllu/train.conllu").unlink()
    assert {"V002", "V005"} <= failed(verify(tmp_path))


def test_an_unlisted_file_is_noticed(tmp_path: Path) -> None:
    tiny().write(tmp_path)
    (tmp_path / "data/extra.tsv").write_text("a\tb\tc\n", encoding="utf-8")
    assert failed(verify(tmp_path)) == {"V002"}


def test_a_split_that_the_manifest_leaves_out_is_noticed(tmp_path: Path) -> None:
    home = tiny().write(tmp_path)
    manifest = json.loads((home / "manifest.json").read_text(encoding="utf-8"))
    del manifest["splits"]["dev"]
    write_manifest(home, manifest)
    violations = verify(home).result("V002").violations
    assert {v.message for v in violations} == {"no split has this file"}


def test_a_tool_may_put_a_json_file_beside_the_rows_and_its_hash_counts(tmp_path: Path) -> None:
    home = tiny().write(tmp_path)
    (home / "compounds.json").write_bytes(b"{}")
    manifest = json.loads((home / "manifest.json").read_text(encoding="utf-8"))
    entry = {"path": "compounds.json", "sha256": sha256(b"{}").hexdigest(), "rows": 0}
    manifest["files"].append(entry)
    write_manifest(home, manifest)
    assert verify(home).result("V002").violations == []
    (home / "compounds.json").write_bytes(b"{ }")
    (violation,) = verify(home).result("V002").violations
    assert "another SHA-256" in violation.message


@pytest.mark.parametrize(
    "path", ["./data/dev.tsv", "data//dev.tsv", "data/./dev.tsv", "README.md", "data", "notes.txt"]
)
def test_a_manifest_lists_data_files_by_their_names_and_nothing_else(path: str, tmp_path: Path) -> None:
    home = tiny().write(tmp_path)
    for name in ("README.md", "notes.txt"):
        (home / name).write_text("", encoding="utf-8")
    manifest = json.loads((home / "manifest.json").read_text(encoding="utf-8"))
    manifest["files"].append({"path": path, "sha256": sha256(b"").hexdigest(), "rows": 9})
    write_manifest(home, manifest)
    assert [v.message for v in verify(home).result("V002").violations] == ["no split has this file"]


def test_a_listed_path_cannot_leave_the_dataset(tmp_path: Path) -> None:
    data = tiny()
    home = data.write(tmp_path / "home")
    (tmp_path / "secret.tsv").write_text("", encoding="utf-8")
    manifest = json.loads((home / "manifest.json").read_text(encoding="utf-8"))
    manifest["files"].append({"path": "../secret.tsv", "sha256": "", "rows": 0})
    write_manifest(home, manifest)
    (violation,) = verify(home).result("V002").violations
    assert violation.message == "no split has this file"


def test_wrong_row_counts_are_noticed(tmp_path: Path) -> None:
    tiny().write(tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    for file in manifest["files"]:
        file["rows"] += file["path"].endswith("dev.conllu")
    write_manifest(tmp_path, manifest)
    assert failed(verify(tmp_path)) == {"V003"}


@pytest.mark.parametrize("column", ["source", "split_kind"])
def test_a_long_text_that_many_rows_share_is_refused_before_it_is_read(column: str, tmp_path: Path) -> None:
    """A file of 200 kB would be texts of 400 GB."""
    data = tiny()
    path = data.write(tmp_path) / "parquet/test.parquet"
    rows = 100_000
    table = pa.table({name: ["a"] * rows for name in pq.read_schema(path).names})
    index = table.column_names.index(column)
    shared = pa.DictionaryArray.from_arrays([0] * rows, ["a" * (1 << 22)])
    pq.write_table(table.set_column(index, column, shared), path, store_schema=False)
    assert path.stat().st_size < 200_000
    with pytest.raises(ForeignFileError) as refused:
        list(read_columns(path, {column: "string"}))
    assert refused.value.strerror == "a value has more than 1,048,576 bytes"


def test_parquet_may_be_absent(tmp_path: Path) -> None:
    data = tiny()
    data.parquet = False
    assert verify(data.write(tmp_path)).ok


def test_a_parquet_file_of_rubbish_fails_without_a_traceback(tmp_path: Path) -> None:
    tiny().write(tmp_path)
    (tmp_path / "parquet/test.parquet").write_bytes(b"PAR1 rubbish PAR1")
    assert failed(verify(tmp_path)) == {"V002"}


# --- damaged input is a failed check, never a traceback ----------------------------------


def test_what_is_no_dataset_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VerifyError, match="not a dataset"):
        verify(tmp_path)
    with pytest.raises(VerifyError, match="not a directory"):
        verify(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "line 1, column 2"),
        (b"[]", "manifest: an object expected, found a list"),
        (b'{"format": "other/3"}', "'other/3' is not"),
        (b"\xff{}", "it is not UTF-8 (line 1, column 1)"),
        (b"[" * 100_000, "nested more than 100 deep"),
        (b"{}", "format: missing"),
        (b'{"format": "\\ud800"}', "half of a surrogate pair"),
    ],
)
def test_a_damaged_manifest_fails_the_first_check(content: bytes, message: str, tmp_path: Path) -> None:
    tiny().write(tmp_path)
    (tmp_path / "manifest.json").write_bytes(content)
    report = verify(tmp_path)
    assert failed(report) == {"V001"}
    assert message in report.result("V001").violations[0].message
    assert report.result("V009").status == "skipped"


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["patterns", 0, "need", 0, "minimum"], "ten", "patterns[0].need[0].minimum: a whole number"),
        (["patterns", 1, "quotas", 0, "extent", "count"], -1, "patterns[1].quotas[0].extent.count: a whole number"),
        (["distinct", "sentences"], 1, "distinct.sentences: true or false expected, found 1"),
        (["ambiguous", "policy"], "fair", "ambiguous.policy: one of reject, list, report, ignore expected"),
        (["distinct", "layer"], "sem", "there is no graph layer 'sem'"),
        (["files", 0, "path"], None, "files[0].path: a string expected, found null"),
        (["splits", "../dev"], {"items": 0, "strata": []}, "a split is one of"),
        (["patterns", 1, "name"], "pp_in_subject", "occurs twice"),
        (["patterns", 0, "allow"], ["nobody"], "there is no pattern 'nobody'"),
        (["parts", 0, "allow"], ["nobody"], "parts[0].allow: there is no pattern 'nobody'"),
    ],
)
def test_a_wrong_value_in_the_manifest_is_named(
    path: list[str | int], value: object, message: str, tmp_path: Path
) -> None:
    tiny().write(tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    place = manifest
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    write_manifest(tmp_path, manifest)
    report = verify(tmp_path)
    assert failed(report) == {"V001"}
    assert message in report.result("V001").violations[0].message


@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from(["manifest.json", "conllu/train.conllu", "data/gen.tsv", "parquet/dev.parquet"]),
    place=st.floats(0, 1),
    patch=st.binary(max_size=8),
    cut=st.booleans(),
)
def test_damaged_files_never_raise(name: str, place: float, patch: bytes, cut: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        directory = tiny().write(Path(folder))
        content = (directory / name).read_bytes()
        at = int(place * len(content))
        damaged = content[:at] + patch + (b"" if cut else content[at + len(patch) :])
        (directory / name).write_bytes(damaged)
        report = verify(directory)
        if name != "manifest.json":
            assert report.ok == (damaged == content)
