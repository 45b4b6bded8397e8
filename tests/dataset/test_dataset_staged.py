"""A directory is written completely or not at all."""

import errno
import json
from pathlib import Path

import pytest

from sgl import foreign
from sgl.dataset.staged import OutputError, check_target, dataset_of, listed_files, staged_directory
from sgl.disk import DIRECTORY, Folder
from sgl.disk.stages import staged_file

MANIFEST = json.dumps({"format": "sgl-dataset/3"})
LIST = "0  data/train.tsv\n0  manifest.json\n"


def names_in(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def write_dataset(directory: Path, content: str) -> None:
    (directory / "manifest.json").write_text(MANIFEST, encoding="utf-8")
    (directory / "SHA256SUMS").write_text(LIST, encoding="utf-8")
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
    assert listed_files(target)
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
    rename = Folder.move
    calls = []

    def failing(self: Folder, name: str, there: Folder, new: str) -> None:
        calls.extend([name] * (self.kind(name) == DIRECTORY))
        if len(calls) == fails:
            raise error
        rename(self, name, there, new)

    monkeypatch.setattr(Folder, "move", failing)
    expected = OutputError if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(expected), staged_directory(old) as directory:
        write_dataset(directory, "new\n")
    assert content_of(old)["data/train.tsv"] == "old\n"
    assert names_in(old.parent) == ["toy"]


def test_the_old_dataset_is_never_deleted_even_if_it_cannot_be_moved_back(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Folder.move

    def failing(self: Folder, name: str, there: Folder, new: str) -> None:
        if self.kind(name) == DIRECTORY and name != "toy":
            raise OSError(5, "Input/output error")
        rename(self, name, there, new)

    monkeypatch.setattr(Folder, "move", failing)
    with pytest.raises(OutputError, match="is now in") as caught, staged_directory(old) as new:
        write_dataset(new, "new\n")
    kept = Path(caught.value.reason.removeprefix("the dataset that it held is now in "))
    assert content_of(kept)["data/train.tsv"] == "old\n"


def test_an_empty_directory_may_be_filled(tmp_path: Path) -> None:
    target = tmp_path / "empty"
    target.mkdir()
    with staged_directory(target) as directory:
        write_dataset(directory, "new\n")
    assert listed_files(target)


def test_other_directories_are_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("chapter 1", encoding="utf-8")
    with pytest.raises(OutputError, match="is not an SGL dataset"), staged_directory(tmp_path):
        pytest.fail("the block was entered")
    assert names_in(tmp_path) == ["thesis.tex"]


@pytest.mark.parametrize("manifest", ["{", "[]", '{"format": "other/1"}', "\x00\xff"])
def test_a_manifest_of_another_kind_protects_its_directory(tmp_path: Path, manifest: str) -> None:
    (tmp_path / "manifest.json").write_text(manifest, encoding="latin-1")
    assert listed_files(tmp_path) is None
    with pytest.raises(OutputError, match="is not an SGL dataset"), staged_directory(tmp_path):
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


# ---- what is in a directory besides


def killed(target: Path, name: str = "0123abcd") -> Path:
    """What a process leaves that is killed while it writes to ``target``."""
    stage = target.parent / f".{target.name}-{name}.partial"
    (stage / "new").mkdir(parents=True)
    (stage / "new" / "half").write_text("half", encoding="utf-8")
    (stage / "lock").touch()
    (stage / "holder").touch()
    return stage


@pytest.mark.parametrize("name", ["farm.sgl", "data/mine.tsv", "notes/x", ".git/config"])
def test_a_dataset_with_files_of_its_author_is_not_replaced(old: Path, name: str) -> None:
    (old / name).parent.mkdir(exist_ok=True)
    (old / name).write_text("mine", encoding="utf-8")
    with pytest.raises(OutputError, match=f"that would be lost: {name}"), staged_directory(old):
        pytest.fail("the block was entered")
    assert (old / name).read_text(encoding="utf-8") == "mine"


def test_a_link_in_a_dataset_is_a_file_of_its_author(old: Path, tmp_path: Path) -> None:
    (old / "notes").symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(OutputError, match="that would be lost: notes"):
        check_target(old)


def test_a_file_that_comes_while_a_dataset_is_written_is_not_lost(old: Path) -> None:
    with pytest.raises(OutputError, match="would be lost: late"), staged_directory(old):
        (old / "late").write_text("mine", encoding="utf-8")
    assert (old / "late").read_text(encoding="utf-8") == "mine"


def test_what_programs_leave_behind_is_no_file_of_an_author(old: Path) -> None:
    (old / "__pycache__").mkdir()
    (old / "__pycache__" / "sampler.pyc").touch()
    (old / ".DS_Store").touch()
    check_target(old)


def test_a_dataset_that_was_read_in_the_run_is_not_replaced(old: Path) -> None:
    with foreign.remembering():
        foreign.read_text(old / "data" / "train.tsv", foreign.ROWS)
        with pytest.raises(OutputError, match="this run has read files from it"):
            check_target(old)
    check_target(old)


def test_a_file_knows_the_dataset_whose_list_names_it(old: Path) -> None:
    (old / "notes").touch()
    assert dataset_of(old / "data" / "train.tsv") == old
    assert dataset_of(old / "notes") is None
    assert dataset_of(old.parent / "none") is None


# ---- what processes leave that are killed


def test_the_stage_of_a_dead_process_is_deleted_by_the_next_run(old: Path) -> None:
    stage, other = killed(old), killed(old.parent / "toys")
    with staged_directory(old) as directory:
        assert not stage.exists()
        write_dataset(directory, "new\n")
    assert names_in(old.parent) == [other.name, "toy"]


def test_a_dataset_that_a_dead_process_has_moved_away_is_put_back(old: Path) -> None:
    stage = killed(old)
    old.rename(stage / "old")
    with staged_directory(old) as directory:
        assert content_of(old)["data/train.tsv"] == "old\n"
        write_dataset(directory, "new\n")
    assert names_in(old.parent) == ["toy"]


def test_the_stage_of_a_living_process_stays(old: Path) -> None:
    with staged_directory(old) as first:
        write_dataset(first, "first\n")
        with staged_directory(old) as second:
            write_dataset(second, "second\n")
        assert content_of(old)["data/train.tsv"] == "second\n"
    assert content_of(old)["data/train.tsv"] == "first\n"
    assert names_in(old.parent) == ["toy"]


def test_a_folder_that_is_only_called_like_a_stage_stays(old: Path) -> None:
    stage = killed(old)
    (stage / "thesis.tex").touch()
    with staged_directory(old) as directory:
        write_dataset(directory, "new\n")
    assert names_in(old.parent) == [stage.name, "toy"]


def test_a_file_system_without_locks_is_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr("filelock.FileLock.acquire", refuse)
    stage = killed(tmp_path / "toy")
    with staged_directory(tmp_path / "toy") as directory:
        write_dataset(directory, "new\n")
    assert names_in(tmp_path) == [stage.name, "toy"]


# ---- files


def test_a_file_is_written_completely_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    target.write_text("old", encoding="utf-8")
    stage = killed(target)
    with pytest.raises(UnicodeEncodeError), staged_file(target) as new:
        new.write_text("half\ud800", encoding="utf-8")
    assert target.read_text(encoding="utf-8") == "old"
    assert not stage.exists()
    with staged_file(target) as new:
        new.write_text("new", encoding="utf-8")
    assert target.read_text(encoding="utf-8") == "new"
    assert names_in(tmp_path) == ["a.json"]
