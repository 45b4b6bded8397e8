"""Commands with many workers: files are written whole, and options that go together."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from clusters import SCHEDULER, needs_dask
from diagnostics import BASE
from workplace import Workplace

from sgl.cli.main import FAILED, OUTPUT, USAGE, run
from sgl.dataset.maker import ChunkMaker
from sgl.dataset.rows import Chunk, Selection
from sgl.parallel.executor import Parallelism, open_run
from sgl.rendering.meaning import Meaning, ViewError
from sgl.rendering.views import VIEWS
from sgl.resources import grammars_dir

FARM = str(Path(__file__).parents[2] / "docs" / "examples" / "farm.sgl")
COGS = str(grammars_dir() / "cogs.sgl")


def test_the_command_writes_a_file_and_leaves_nothing_else(work: Workplace) -> None:
    assert run(["sample", FARM, "train", "-n", "200", "--distinct", "--out", "pairs.tsv"]) == 0
    rows = (work.directory / "pairs.tsv").read_text("utf-8").splitlines()
    assert len(set(rows)) == 200
    assert all(row.count("\t") == 1 for row in rows)
    assert work.files() == ["pairs.tsv"]


def test_a_file_that_is_there_is_replaced_only_on_request(work: Workplace) -> None:
    work.write("pairs.tsv", "precious\n")
    command = ["sample", FARM, "train", "-n", "5", "--out", "pairs.tsv"]
    assert run(command) == OUTPUT
    assert (work.directory / "pairs.tsv").read_text() == "precious\n"
    assert run([*command, "--force"]) == 0
    assert (work.directory / "pairs.tsv").read_text("utf-8").count("\n") == 5


@pytest.mark.parametrize(
    ("options", "status", "reason"),
    [
        (["--out", "pairs.csv"], USAGE, "has no known format"),
        (["--out", "no/such/folder/pairs.tsv"], OUTPUT, "there is no directory"),
        (["--out", "a.tsv", "--show", "en,tree"], USAGE, "`tree` is not one line"),
        (["--workers", "2"], USAGE, "name one with `--out`"),
        (["--out", "a" * 300 + ".tsv"], OUTPUT, "File name too long"),
        (["--out", "a" * 250 + ".tsv"], OUTPUT, "File name too long"),
    ],
)
def test_what_cannot_be_done_is_said(work: Workplace, options: list[str], status: int, reason: str) -> None:
    assert run(["sample", FARM, "train", *options]) == status
    assert reason in work.capsys.readouterr().err
    assert work.files() == []


@pytest.mark.slow
def test_views_can_be_columns(work: Workplace) -> None:
    cogs = str(grammars_dir() / "cogs.sgl")
    command = ["sample", cogs, "-n", "20", "--show", "en,cogs"]
    assert run([*command, "--out", "forms.tsv"]) == 0
    assert run(command) == 0
    assert (
        work.capsys.readouterr().out.splitlines()[-20:]
        == (work.directory / "forms.tsv").read_text("utf-8").splitlines()
    )


def test_a_text_without_a_form_is_no_row(work: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_meaning: Meaning) -> str:
        raise ViewError("it is too large")

    monkeypatch.setitem(VIEWS, "cogs", VIEWS["cogs"]._replace(write=refuse))
    cogs = str(grammars_dir() / "cogs.sgl")
    assert run(["sample", cogs, "-n", "5", "--show", "en,cogs", "--out", "forms.tsv"]) == FAILED
    assert "cannot be rendered in the view `cogs`: it is too large" in work.capsys.readouterr().err
    assert work.files() == []


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (SCHEDULER, "add --engine dask"),
        ([*SCHEDULER, "--engine", "local", "--workers", "2"], "add --engine dask"),
        ([*SCHEDULER, "--engine", "dask", "--workers", "2"], "leave out --workers"),
        (["--resume", "--force"], "choose one"),
        (["--resume", "--force", "--workers", "2", "--no-cache"], "choose one"),
        (["--engine", "ray"], "'ray' is not one of"),
        (["--workers", "0"], "0 is not in the range"),
    ],
)
@pytest.mark.parametrize("command", [["sample", COGS, "-n", "5", "--out", "a.tsv"], ["compile", COGS, "--out", "a"]])
def test_options_that_say_nothing_together_are_a_slip(
    work: Workplace, command: list[str], options: list[str], reason: str
) -> None:
    assert run([*command, *options]) == USAGE
    assert reason in work.capsys.readouterr().err
    assert work.files() == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        ["--workers", "1", "--engine", "local", "--resume"],
        ["--workers", "2", "--force", "--no-cache"],
        pytest.param(["--engine", "dask", "--resume"], marks=needs_dask),
    ],
    ids=" ".join,
)
def test_other_options_go_together_and_change_nothing(work: Workplace, options: list[str]) -> None:
    assert run(["sample", COGS, "-n", "50", "--out", "expected.tsv"]) == 0
    assert run(["sample", COGS, "-n", "50", "--out", "a.tsv", *options]) == 0
    found = (work.directory / "a.tsv").read_bytes()
    assert found == (work.directory / "expected.tsv").read_bytes()
    assert work.files() == ["a.tsv", "expected.tsv"]


@needs_dask
@pytest.mark.usefixtures("impatient")
@pytest.mark.slow
@pytest.mark.parametrize("command", ["sample", "compile"])
def test_a_cluster_that_does_not_answer_is_no_traceback(work: Workplace, command: str) -> None:
    path = work.write("farm.sgl", BASE)
    words = [command, str(path), "--out", "a.tsv", "--engine", "dask", *SCHEDULER]
    assert run(words) == FAILED
    assert "no scheduler answers at `tcp://127.0.0.1:9`" in work.capsys.readouterr().err
    assert work.files() == ["farm.sgl"]


@pytest.mark.slow
def test_an_interrupted_compilation_is_in_the_way_of_a_plain_one(work: Workplace) -> None:
    path = str(work.write("farm.sgl", BASE))
    with open_run(work.directory / "a", {"version": "another"}, Parallelism()):
        pass
    assert run(["compile", path, "--out", "a"]) == OUTPUT
    said = work.capsys.readouterr().err
    assert "error[SGL0902]: `a`: there is an interrupted run of it" in said
    assert "hint: `--resume` continues it" in said
    assert run(["compile", path, "--out", "a", "--resume"]) == OUTPUT
    assert "another version" in work.capsys.readouterr().err
    assert run(["compile", path, "--out", "a", "--force"]) == 0
    assert not (work.directory / ".a.partial").exists()
    assert (work.directory / "a" / "manifest.json").is_file()


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [["--workers", "2"], ["--resume"], pytest.param(["--engine", "dask", "--workers", "2"], marks=needs_dask)],
    ids=" ".join,
)
def test_a_dataset_has_the_same_bytes_from_any_workers(work: Workplace, options: list[str]) -> None:
    assert run(["compile", FARM, "--out", "expected"]) == 0
    assert run(["compile", FARM, "--out", "found", *options]) == 0
    expected, found = work.directory / "expected", work.directory / "found"
    files = sorted(path.relative_to(expected) for path in expected.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(found) for path in found.rglob("*") if path.is_file())
    for file in files:
        assert (found / file).read_bytes() == (expected / file).read_bytes(), file
    assert sorted(path.name for path in work.directory.iterdir()) == ["expected", "found"]


@pytest.mark.slow
def test_a_compilation_that_stops_between_two_chunks_is_resumed(
    work: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    make = ChunkMaker.chunk

    def chunk(maker: ChunkMaker, split: str, first: int, selections: Sequence[Selection]) -> Chunk:
        made.append(split)
        if len(made) == 3:
            raise OSError(28, "No space left on device")
        return make(maker, split, first, selections)

    assert run(["compile", FARM, "--out", "expected"]) == 0
    monkeypatch.setattr(ChunkMaker, "chunk", chunk)
    assert run(["compile", FARM, "--out", "found", "--resume"]) == OUTPUT
    assert (work.directory / ".found.partial" / "run.json").is_file()
    assert run(["compile", FARM, "--out", "found", "--resume"]) == 0
    # What was finished is not made again.
    assert len(made) == len(set(made)) + 1
    for name in ("data/train.tsv", "manifest.json", "verification.json", "SHA256SUMS"):
        expected = work.directory / "expected" / name
        assert (work.directory / "found" / name).read_bytes() == expected.read_bytes(), name
