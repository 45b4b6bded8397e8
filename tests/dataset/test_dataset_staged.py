"""A directory is written completely or not at all."""

import json
from pathlib import Path

import pytest

from sgl.dataset.staged import OutputError, check_target, is_dataset, staged_directory

MANIFEST = json.dumps({"format": "sgl-dataset/2"})


def names_in(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def write_dataset(directory: Path, content: str) -> None:
    (directory / "manifest.json").write_text(MANIFEST, encoding="utf-8")
    (directory / "data").mkdir()
    (directory / "data" / "train.tsv").write_text(content, encoding="utf-8")


def content_of(directory: Path) -> dict[str, str]:
    return {
        path.relative_to(directory).as_posix(): path.read_text(encoding="utf-8")
        for path in directory.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A finished dataset."""
    target = tmp_path / "out" / "toy"
    with staged_directory(target) as directory:
        write_dataset(directory, "old\n")
    return target


def test_nothing_is_under_the_final_name_before_the_end(tmp_path: Path) -> None:
    target = tmp_path / "out" / "toy"
    with staged_directory(target) as directory:
        write_dataset(directory, "new\n")
        assert not target.exists()
        assert directory.parent.parent == target.parent
        assert directory.parent.name.startswith(".toy-")
    assert is_dataset(target)
    assert names_in(target.parent) == ["toy"]


def test_a_dataset_is_replaced_as_a_whole(old: Path) -> None:
    with staged_directory(old) as directory:
        (directory / "manifest.json").write_text(MANIFEST, encoding="utf-8")
        assert content_of(old)["data/train.tsv"] == "old\n"
    assert content_of(old) == {"manifest.json": MANIFEST}
    assert names_in(old.parent) == ["toy"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, MemoryError])
def test_whatever_happens_the_old_dataset_stays(old: Path, error: type[BaseException]) -> None:

    def interrupted() -> None:
        with staged_directory(old) as directory:
            write_dataset(directory, "new\n")
            raise error

    with pytest.raises(error):
        interrupted()
    assert content_of(old)["data/train.tsv"] == "old\n"
    assert names_in(old.parent) == ["toy"]


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), KeyboardInterrupt()])
@pytest.mark.parametrize("fails", [1, 2])
def test_a_failure_while_renaming_brings_the_old_dataset_back(
    old: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, fails: int
) -> None:
    rename = Path.rename
    calls = []

    def failing(self: Path, target: Path) -> Path:
        calls.append(self)
        if len(calls) == fails:
            raise error
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    expected = OutputError if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(expected), staged_directory(old) as directory:
        write_dataset(directory, "new\n")
    assert content_of(old)["data/train.tsv"] == "old\n"
    assert names_in(old.parent) == ["toy"]


def test_the_old_dataset_is_never_deleted_even_if_it_cannot_be_moved_back(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Path.rename

    def failing(self: Path, target: Path) -> Path:
        if self.name != "toy":
            raise OSError(5, "Input/output error")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(OutputError, match="is now in") as caught, staged_directory(old) as new:
        write_dataset(new, "new\n")
    kept = Path(caught.value.reason.removeprefix("the dataset that it held is now in "))
    assert content_of(kept)["data/train.tsv"] == "old\n"


def test_an_empty_directory_may_be_filled(tmp_path: Path) -> None:
    target = tmp_path / "empty"
    target.mkdir()
    with staged_directory(target) as directory:
        write_dataset(directory, "new\n")
    assert is_dataset(target)


def test_other_directories_are_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("chapter 1", encoding="utf-8")
    with pytest.raises(OutputError, match="not a dataset"), staged_directory(tmp_path):
        pytest.fail("the block was entered")
    assert names_in(tmp_path) == ["thesis.tex"]


@pytest.mark.parametrize("manifest", ["{", "[]", '{"format": "other/1"}', "\x00\xff"])
def test_a_manifest_of_another_kind_protects_its_directory(tmp_path: Path, manifest: str) -> None:
    (tmp_path / "manifest.json").write_text(manifest, encoding="latin-1")
    assert not is_dataset(tmp_path)
    with pytest.raises(OutputError, match="not a dataset"), staged_directory(tmp_path):
        pytest.fail("the block was entered")


def test_files_are_not_overwritten(tmp_path: Path) -> None:
    target = tmp_path / "toy"
    target.write_text("precious", encoding="utf-8")
    with pytest.raises(OutputError, match="a file of that name"), staged_directory(target):
        pytest.fail("the block was entered")
    assert target.read_text(encoding="utf-8") == "precious"


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    target = tmp_path / "file" / "toy"
    with pytest.raises(OutputError, match="is not a directory") as caught, staged_directory(target):
        pytest.fail("the block was entered")
    assert caught.value.path == target


def test_a_full_disk_is_reported_and_leaves_nothing(tmp_path: Path) -> None:
    target = tmp_path / "toy"
    with pytest.raises(OutputError, match="no space left"), staged_directory(target):
        raise OSError(28, "No space left on device")
    assert names_in(tmp_path) == []


def test_directories_made_for_nothing_are_removed(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b" / "toy"
    with pytest.raises(RuntimeError), staged_directory(target):
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_checking_a_target_writes_nothing(tmp_path: Path) -> None:
    check_target(tmp_path / "a" / "toy")
    assert list(tmp_path.iterdir()) == []
