"""`sglc verify DIR --grammar FILE`: compiled again, the grammar gives every file bit by bit."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from diagnostics import BASE, MAIN
from workplace import PATTERN, Workplace, reseal

from sgl.cli.main import FAILED, OK, USAGE, run
from sgl.pipeline.release import compare
from sgl.verify import verify


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset."""
    home = tmp_path_factory.mktemp("made")
    (home / MAIN).write_text(BASE + PATTERN, "utf-8")
    assert run(["compile", str(home / MAIN), "--out", str(home / "farm")]) == OK
    return home / "farm"


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(made, tmp_path / "farm")


def differences(copy: Path, made: Path) -> dict[str, str]:
    """What differs, by file."""
    return {found.place: found.message for found in compare(copy, made).violations}


def content_of(directory: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path.relative_to(directory)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in directory.rglob("*")
        if path.is_file()
    }


# --- two directories ----------------------------------------------------------------------


def test_a_copy_is_the_same(copy: Path, made: Path) -> None:
    result = compare(copy, made)
    assert (result.status, result.checked, result.figures) == ("passed", 18, [])


def _nonsense(copy: Path) -> None:
    """The attack a02: other targets."""
    path = copy / "data/gen.tsv"
    rows = [line.split("\t") for line in path.read_text("utf-8").splitlines()]
    path.write_text("".join(f"{row[0]}\tx\t{row[2]}\n" for row in rows), "utf-8")


def _one_row_less(copy: Path) -> None:
    """The attack a03."""
    path = copy / "data/gen.tsv"
    path.write_text("".join(path.read_text("utf-8").splitlines(keepends=True)[1:]), "utf-8")


def _other_order(copy: Path) -> None:
    """The attack a05."""
    path = copy / "data/gen.tsv"
    path.write_text("".join(path.read_text("utf-8").splitlines(keepends=True)[::-1]), "utf-8")


@pytest.mark.parametrize("change", [_nonsense, _one_row_less, _other_order])
def test_rows_that_differ_are_named(change: Callable[[Path], None], copy: Path, made: Path) -> None:
    change(copy)
    reseal(copy)
    found = differences(copy, made)
    assert set(found) == {"data/gen.tsv", "manifest.json", "SHA256SUMS"}
    assert found["data/gen.tsv"].startswith("line 1 is ")
    assert found["manifest.json"].startswith("files.")


@pytest.mark.parametrize("name", ["README.md", "report.html", "sampler.py", "verification.json"])
def test_pages_and_programs_are_compared(name: str, copy: Path, made: Path) -> None:
    """The attack a20."""
    (copy / name).write_text("{}\n", "utf-8")
    reseal(copy)
    assert set(differences(copy, made)) == {name, "SHA256SUMS"}


def test_a_member_of_json_is_named(copy: Path, made: Path) -> None:
    path = copy / "certificate.json"
    content = json.loads(path.read_text("utf-8"))
    content["core"]["grammar"]["rules"][1]["weight"] = "0.25"
    path.write_text(json.dumps(content), "utf-8")
    message = differences(copy, made)["certificate.json"]
    assert message.startswith('core.grammar.rules.1.weight is "0.25", compiled again "')


def test_members_that_are_missing_or_more_are_named(copy: Path, made: Path) -> None:
    path = copy / "verification.json"
    content = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(content | {"results": content["results"][1:]}), "utf-8")
    found = differences(copy, made)["verification.json"]
    assert found.startswith("results has ")
    path.write_text(json.dumps(content | {"more": 1}), "utf-8")
    assert differences(copy, made)["verification.json"] == "the value: only one has more"


def test_the_same_values_in_other_bytes_differ(copy: Path, made: Path) -> None:
    path = copy / "verification.json"
    path.write_text(path.read_text("utf-8").replace("true", "1"), "utf-8")
    assert differences(copy, made)["verification.json"].startswith("line ")


def test_files_that_only_one_side_has_are_named(copy: Path, made: Path) -> None:
    (copy / "notes.txt").write_text("", "utf-8")
    (copy / "README.md").unlink()
    assert differences(copy, made) == {
        "README.md": "the file is missing",
        "notes.txt": "the grammar does not produce this file",
    }


# --- Parquet ------------------------------------------------------------------------------


def _rewrite(path: Path, table: pa.Table, **options: object) -> None:
    pq.write_table(table, path, **options)


def test_equal_rows_of_another_library_are_the_same(copy: Path, made: Path) -> None:
    """Their hashes stand in the manifest and in the list, which are otherwise equal."""
    path = copy / "parquet/train.parquet"
    _rewrite(path, pq.read_table(path), compression="none")
    content = path.read_bytes()
    mark = content.rindex(b"parquet-cpp-arrow version ") + len(b"parquet-cpp-arrow version ")
    path.write_bytes(content[:mark] + b"9" + content[mark + 1 :])
    reseal(copy)
    result = compare(copy, made)
    assert result.status == "passed"
    assert [figure.detail for figure in result.figures] == ["parquet/train.parquet", "manifest.json", "SHA256SUMS"]


def test_other_bytes_of_the_same_library_differ(copy: Path, made: Path) -> None:
    path = copy / "parquet/train.parquet"
    _rewrite(path, pq.read_table(path), compression="none")
    assert differences(copy, made)["parquet/train.parquet"].startswith("other bytes")


@pytest.mark.parametrize("column", ["id", "target", "derivation", "depth", "seed_stream"])
def test_every_column_is_compared(column: str, copy: Path, made: Path) -> None:
    """The attacks a11 and a12."""
    path = copy / "parquet/gen.parquet"
    table = pq.read_table(path)
    place = table.schema.get_field_index(column)
    cells = table[column].to_pylist()
    cells[1] = type(cells[1])()
    field = table.schema.field(column)
    _rewrite(path, table.set_column(place, field, pa.array(cells, field.type)))
    reseal(copy)
    assert differences(copy, made)["parquet/gen.parquet"].startswith(f"row 2: {column} is ")


def test_a_damaged_table_is_called_damaged_in_words(copy: Path, made: Path) -> None:
    path = copy / "parquet/gen.parquet"
    content = path.read_bytes()
    # The footer, in which Arrow looks for the columns.
    path.write_bytes(content[:-1200] + bytes(1000) + content[-200:])
    said = differences(copy, made)["parquet/gen.parquet"]
    assert said == "the file cannot be read: it is damaged or not a Parquet file"


def test_columns_and_rows_that_are_missing_are_named(copy: Path, made: Path) -> None:
    path = copy / "parquet/gen.parquet"
    table = pq.read_table(path)
    _rewrite(path, table.slice(0, table.num_rows - 1))
    assert f"row {table.num_rows}: " in differences(copy, made)["parquet/gen.parquet"]
    _rewrite(path, table.drop_columns(["features"]))
    assert differences(copy, made)["parquet/gen.parquet"] == "the columns differ"
    path.write_bytes(b"PAR1")
    assert "cannot be read" in differences(copy, made)["parquet/gen.parquet"]


# --- the command --------------------------------------------------------------------------


def test_the_command_compares_and_touches_nothing(
    made: Path, work: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    home = made.parent
    before = content_of(home)
    assert run(["verify", str(made), "--grammar", str(home / MAIN), "--no-cache"]) == OK
    assert "passed  G001  grammar                   18 checked" in capsys.readouterr().out
    assert content_of(home) == before
    assert list(work.directory.iterdir()) == []


def test_another_grammar_is_told_by_every_file(made: Path, work: Workplace, capsys: pytest.CaptureFixture[str]) -> None:
    work.write(MAIN, (BASE + PATTERN).replace('"dog"', '"frog"'))
    assert run(["verify", str(made), "--grammar", MAIN, "--json"]) == FAILED
    report = json.loads(capsys.readouterr().out)
    (failed,) = [result for result in report["results"] if result["status"] == "failed"]
    assert failed["code"] == "G001"
    places = [violation["place"] for violation in failed["violations"]]
    assert {"certificate.json", "data/train.tsv", "conllu/train.conllu"} <= set(places)


def test_the_seed_is_that_of_the_manifest(copy: Path, work: Workplace) -> None:
    """The attack a21: what the seed of the manifest gives is something else."""
    manifest = json.loads((copy / "manifest.json").read_text("utf-8"))
    seed = manifest["seed"]
    manifest["seed"] = seed + 6
    manifest["identity"] = manifest["identity"].replace(f"|seed:{seed}|", f"|seed:{seed + 6}|")
    (copy / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    reseal(copy)
    assert verify(copy).result("V028").status == "passed"
    work.write(MAIN, BASE + PATTERN)
    assert run(["verify", str(copy), "--grammar", MAIN]) == FAILED
    assert "failed  G001" in work.capsys.readouterr().out


def test_the_parameters_are_those_of_the_manifest(work: Workplace) -> None:
    grammar = "param items = 10\nparam share = 0.5\nparam style = on\n" + BASE + PATTERN
    work.write(MAIN, grammar.replace("size 10", "size items"))
    settings = ["--set", "items=5", "--set", "share=0.00001", "--set", "style=off"]
    assert run(["compile", MAIN, "--out", "farm", *settings]) == OK
    assert run(["verify", "farm", "--grammar", MAIN]) == OK


def test_a_grammar_without_these_parameters_is_an_error(work: Workplace, made: Path) -> None:
    manifest = made / "manifest.json"
    content = json.loads(manifest.read_text("utf-8"))
    shutil.copytree(made, work.directory / "farm")
    work.write("farm/manifest.json", json.dumps(content | {"parameters": {"more": 1}}))
    work.write(MAIN, BASE + PATTERN)
    assert run(["verify", "farm", "--grammar", MAIN]) == FAILED
    assert "more" in work.capsys.readouterr().err


def test_a_certificate_alone_is_not_compared(made: Path) -> None:
    certificate = str(made / "certificate.json")
    assert run(["verify", certificate, "--grammar", "farm.sgl"]) == USAGE
    assert run(["verify", certificate, "--signature", "sgl:0"]) == USAGE


def test_a_signature_is_compared(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", str(made)]) == OK
    signature = capsys.readouterr().out.splitlines()[-1].removeprefix("signature ")
    assert run(["verify", str(made), "--signature", signature]) == OK
    assert run(["verify", str(made), "--signature", signature[:-1] + "x"]) == FAILED
