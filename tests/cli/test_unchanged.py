"""A dataset that is in place already is not made again; whatever differs is made as an empty cache would make it."""

from __future__ import annotations

from collections.abc import Callable
from errno import ENOSPC
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import BinaryIO

import pytest
from kept_farm import MAIN, edit, write_farm
from workplace import Workplace

from sgl.cache import Cache
from sgl.cli.main import run
from sgl.dataset import DataFile
from sgl.dataset.rows import written
from sgl.pipeline import observers, production, proofs

OUT = "out/farm"


@pytest.fixture
def farm(work: Workplace, cache: Cache) -> Workplace:  # noqa: ARG001 - in use
    """The farm, with its dataset in place."""
    write_farm(work)
    assert not compiled(work)
    return work


def compiled(work: Workplace, *options: str, out: str = OUT) -> bool:
    """Compile the farm, and return whether the dataset is said to be unchanged."""
    assert run(["compile", MAIN, "--out", out, *options]) == 0
    return "unchanged" in work.capsys.readouterr().out


def state(work: Workplace, out: str = OUT) -> dict[str, bytes]:
    """The content of each file of a dataset."""
    home = work.directory / out
    return {str(path.relative_to(home)): path.read_bytes() for path in home.rglob("*") if path.is_file()}


def cold(work: Workplace, *options: str) -> dict[str, bytes]:
    """The files that are written without a cache."""
    assert not compiled(work, "--no-cache", *options, out="cold")
    return state(work, "cold")


def test_nothing_is_written_where_nothing_has_changed(farm: Workplace) -> None:
    before = {path: path.stat().st_ino for path in (farm.directory / OUT).rglob("*")}
    assert compiled(farm)
    assert {path: path.stat().st_ino for path in (farm.directory / OUT).rglob("*")} == before
    assert state(farm) == cold(farm)


def test_what_is_said_is_the_same(farm: Workplace) -> None:
    said = []
    for options in ([], ["--force"]):
        assert run(["compile", MAIN, "--out", OUT, *options]) == 0
        lines = farm.capsys.readouterr().out.replace("unchanged: the same files were there; ", "").splitlines()
        said.append([line for line in lines if not line.startswith("time ")])
    assert said[0] == said[1]


def append(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\n")


def swap(path: Path) -> None:
    """Leave a link to a file with the same content."""
    path.rename(path.parents[2] / "moved")
    path.symlink_to(path.parents[2] / "moved")


@pytest.mark.parametrize(
    ("name", "spoil"),
    [("data/train.tsv", append), ("data/train.tsv", Path.unlink), ("data/train.tsv", swap), ("SHA256SUMS", append)],
)
def test_a_directory_that_has_changed_is_written_again(
    name: str, spoil: Callable[[Path], None], farm: Workplace
) -> None:
    before = state(farm)
    spoil(farm.directory / OUT / name)
    assert not compiled(farm)
    assert state(farm) == before


def test_a_file_that_is_not_listed_is_no_part_of_it(farm: Workplace) -> None:
    farm.write(f"{OUT}/mine.txt", "keep me")
    assert run(["compile", MAIN, "--out", OUT]) != 0
    assert "mine.txt" in farm.capsys.readouterr().err


@pytest.mark.parametrize("options", [["--seed", "7"], ["--set", "weights=none"]])
def test_options_that_make_another_dataset(options: list[str], farm: Workplace) -> None:
    assert not compiled(farm, *options)
    assert state(farm) == cold(farm, *options)


class Note:
    """An observer of another package, which may be edited without a new version."""

    def __init__(self, *_: object) -> None:
        """Have no need for the grammar."""

    def __call__(self, _: object) -> None:
        """Take no note of a chunk."""

    def write(self, directory: Path) -> list[DataFile]:
        (directory / "note.json").write_text("[]", "utf-8")
        return [written(directory, directory / "note.json", 0)]


def test_what_another_package_observes_may_have_changed(farm: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("noted", f"{__name__}:Note", observers.GROUP)
    monkeypatch.setattr(observers, "entry_points", lambda group: [point] if group else [])
    assert compiled(farm)
    edit(farm, MAIN, '→ subject"', '→ subject" (noted)')
    for _ in range(2):
        assert not compiled(farm)
        assert state(farm)["note.json"] == b"[]"


def test_an_edited_grammar_and_then_the_old_one_are_noticed(farm: Workplace) -> None:
    before = state(farm)
    edit(farm, MAIN, "train 1000", "train 999")
    assert not compiled(farm)
    assert state(farm) == cold(farm)
    edit(farm, MAIN, "train 999", "train 1000")
    assert not compiled(farm)
    assert state(farm) == before


def test_a_comment_is_no_reason_to_draw_up_tables_and_certificate_again(
    farm: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(farm, MAIN, "layer en", "# a note\nlayer en")
    before = cold(farm)
    monkeypatch.setattr(production, "pack", lambda *_: pytest.fail("tables"))
    monkeypatch.setattr(proofs, "certificate_of", lambda *_: pytest.fail("certificate"))
    # The dataset has the grammar with its comments.
    assert not compiled(farm)
    assert state(farm) == before


#: Edits of the farm that change no meaning.
WORDINGS = {
    "a comment": (MAIN, "layer en", "# a note\nlayer en"),
    "layout": (MAIN, "layer en", "layer   en"),
    "a comment in a table": ("animals.yaml", "- {en: dog", "# a note\n- {en: dog"),
}


@pytest.mark.parametrize("wording", WORDINGS)
def test_of_a_grammar_in_other_words_the_text_alone_is_written_again(
    wording: str, farm: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(farm, *WORDINGS[wording])
    expected = cold(farm)
    monkeypatch.setattr(production, "write_items", lambda *_: pytest.fail("rows"))
    assert not compiled(farm)
    assert state(farm) == expected
    # Then this is what is known of the dataset.
    assert compiled(farm)


@pytest.mark.parametrize("name", ["data/train.tsv", "report.html", f"grammar/{MAIN}"])
def test_files_that_have_changed_are_not_taken_over(name: str, farm: Workplace) -> None:
    append(farm.directory / OUT / name)
    edit(farm, *WORDINGS["a comment"])
    assert not compiled(farm)
    assert state(farm) == cold(farm)


def test_an_empty_folder_is_no_part_of_a_dataset(farm: Workplace) -> None:
    """``sglc verify`` refuses it."""
    (farm.directory / OUT / "data" / "more").mkdir()
    assert not compiled(farm)
    assert not (farm.directory / OUT / "data" / "more").exists()


def test_a_copy_that_the_verifier_refuses_is_made_again(farm: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file changes after it was compared."""

    def spoilt(old: BinaryIO, new: BinaryIO, _: int) -> None:
        new.write(old.read() + b"\n")

    monkeypatch.setattr("sgl.pipeline.produced.shutil.copyfileobj", spoilt)
    edit(farm, *WORDINGS["a comment"])
    assert not compiled(farm)
    assert state(farm) == cold(farm)


def test_nothing_is_replaced_if_the_text_cannot_be_written(farm: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    before = state(farm)
    monkeypatch.setattr("sgl.pipeline.produced.describe", full)
    edit(farm, *WORDINGS["a comment"])
    assert run(["compile", MAIN, "--out", OUT]) != 0
    assert "no space left" in farm.capsys.readouterr().err
    assert state(farm) == before
    assert [path.name for path in (farm.directory / OUT).parent.iterdir()] == ["farm"]
