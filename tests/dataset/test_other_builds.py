"""A dataset that another build of SGL wrote is read as any other; where something differs, the build is named."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from diagnostics import BASE, MAIN
from workplace import PATTERN, Workplace, reseal

import sgl
from sgl import __version__
from sgl.cache import build
from sgl.cli.main import FAILED, OK, run

OTHER = "0123456789ab"
NOTE = f"note: SGL {__version__}+{OTHER} wrote this dataset, and SGL {__version__}+{build()} reads it"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with two datasets of one grammar: of this build, and of another."""
    home = tmp_path_factory.mktemp("builds")
    (home / MAIN).write_text(BASE + PATTERN, "utf-8")
    with pytest.MonkeyPatch.context() as patched:
        for name, own in {"this": build(), "other": OTHER}.items():
            patched.setattr("sgl.pipeline.production.build", lambda own=own: own)
            assert run(["compile", str(home / MAIN), "--out", str(home / name)]) == OK
    return home


def said(work: Workplace, status: int, *arguments: object) -> str:
    assert run(list(map(str, arguments))) == status
    captured = work.capsys.readouterr()
    return captured.out + captured.err


def test_its_signature_names_the_build(home: Path) -> None:
    assert sgl.open_dataset(home / "other").signature.startswith(f"sgl:{__version__}+{OTHER}|")


def test_it_is_a_grammar_and_is_scored_and_verified(home: Path, work: Workplace) -> None:
    other = home / "other"
    assert [*map(str, sgl.load(other).sample(3))] == [*map(str, sgl.load(home / "this").sample(3))]
    rows = (other / "data" / "gen.tsv").read_text("utf-8").splitlines()
    work.write("gold.txt", "".join(row.split("\t")[1] + "\n" for row in rows))
    assert sgl.evaluate(other, {"gold": "gold.txt"}, samples=100).flat("gold")["exact"] == 1
    assert "note:" not in said(work, OK, "verify", other)


def test_the_builds_are_told_where_they_may_be_the_reason(home: Path, work: Workplace) -> None:
    assert NOTE in said(work, OK, "verify", home / "other", "--grammar")
    assert "note:" not in said(work, OK, "verify", home / "this", "--grammar")
    told = said(work, OK, "diff", home / "other", home / "this")
    assert "no row and no claim has changed" in told
    assert f"SGL {__version__}+{OTHER} wrote A, SGL {__version__}+{build()} wrote B" in told
    assert "wrote A" not in said(work, OK, "diff", home / "this", home / "this")


def test_columns_of_an_older_build_are_named_with_their_types(home: Path, work: Workplace) -> None:
    """As features were JSON in a text once."""
    copy = shutil.copytree(home / "other", work.directory / "copy")
    path = copy / "parquet" / "gen.parquet"
    rows = pq.read_table(path)
    place = rows.schema.get_field_index("features")
    texts = pa.array([json.dumps(row) for row in rows["features"].to_pylist()])
    pq.write_table(rows.set_column(place, "features", texts), path)
    reseal(copy)
    told = said(work, FAILED, "verify", copy)
    assert "other types, order or notes: features (string); expected: features (struct<" in told
    assert NOTE in told


def test_a_dataset_of_a_build_before_grammars_travelled_says_so(home: Path, work: Workplace) -> None:
    copy = shutil.copytree(home / "other", work.directory / "copy")
    shutil.rmtree(copy / "grammar")
    with pytest.raises(sgl.GrammarError, match="is a dataset without its grammar, of an older version of SGL"):
        sgl.load(copy)
