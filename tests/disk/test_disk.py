"""The owner of files: what it creates is new, what it replaces is a file, and nothing is done through a link."""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from sgl.disk import Folder, InTheWayError, create, kind, make, send, unpack, write
from sgl.disk.stages import FolderLockedError, LockedFolder, staged_file

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links and pipes of this kind are those of POSIX")


def staged(path: Path) -> None:
    with staged_file(path) as new:
        write(new, "new")


WRITES: dict[str, Callable[[Path], object]] = {
    "write": lambda path: write(path, "new"),
    "create": lambda path: create(path).close(),
    "staged_file": staged,
    "make": make,
}


@pytest.mark.parametrize("write_to", WRITES.values(), ids=WRITES)
@pytest.mark.parametrize("leads_to", ["file", "directory", "nothing"])
def test_nothing_is_written_through_a_link(write_to: Callable[[Path], object], leads_to: str, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "directory").mkdir()
    (outside / "file").write_text("precious")
    link = tmp_path / "link"
    link.symlink_to(outside / leads_to)
    with pytest.raises(FileExistsError):
        write_to(link)
    assert sorted(path.name for path in outside.rglob("*")) == ["directory", "file"]
    assert (outside / "file").read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "outside"]


def test_a_file_that_has_another_name_elsewhere_keeps_its_content_there(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("chapter 1")
    (tmp_path / "result").hardlink_to(tmp_path / "thesis.tex")
    write(tmp_path / "result", "new")
    assert (tmp_path / "thesis.tex").read_text() == "chapter 1"


def test_a_replaced_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "private"
    path.write_text("old")
    path.chmod(0o600)
    staged(path)
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_failure_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Folder, "move", refuse)
    for write_to in (WRITES["write"], WRITES["staged_file"]):
        with pytest.raises(OSError, match="No space left"):
            write_to(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_tree_is_removed_without_what_its_links_lead_to(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_text("precious")
    (tmp_path / "tree" / "inner").mkdir(parents=True)
    (tmp_path / "tree" / "inner" / "link").symlink_to(tmp_path / "outside")
    with Folder(tmp_path) as folder:
        folder.remove_tree("tree")
    assert (tmp_path / "outside" / "file").read_text() == "precious"
    assert kind(tmp_path / "tree") is None


def test_a_folder_that_was_replaced_by_a_link_meanwhile_is_not_entered(tmp_path: Path) -> None:
    """Names are looked up in the directory that was opened, wherever its path leads now."""
    (tmp_path / "own").mkdir()
    (tmp_path / "outside").mkdir()
    with Folder(tmp_path / "own", own=True) as folder:
        (tmp_path / "own").rename(tmp_path / "moved")
        (tmp_path / "own").symlink_to(tmp_path / "outside")
        folder.write("file", b"new")
    assert (tmp_path / "moved" / "file").read_bytes() == b"new"
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_folder_of_another_user_is_not_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.raises(InTheWayError, match="belongs to another user"):
        Folder(tmp_path, own=True)


def test_a_locked_folder_is_cleared_of_the_names_that_were_given_to_it(tmp_path: Path) -> None:
    locked = LockedFolder.take(tmp_path / "run", "rows-[0-9]+")
    write(tmp_path / "run" / "rows-1", "ours")
    write(tmp_path / "run" / "mine.txt", "the user's")
    locked.delete()
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["mine.txt"]
    with pytest.raises(InTheWayError, match=r"that SGL did not write: mine\.txt"):
        LockedFolder.take(tmp_path / "run", "rows-[0-9]+")


@pytest.mark.parametrize("plant", [lambda p: p.symlink_to("/dev/null"), os.mkfifo, lambda p: p.mkdir()])
def test_a_lock_that_is_no_file_is_not_opened(plant: Callable[[Path], object], tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    plant(tmp_path / "run" / "lock")
    with pytest.raises(InTheWayError, match="lock` is in the way: it is a"):
        LockedFolder.take(tmp_path / "run", "")


def test_a_folder_is_locked_once(tmp_path: Path) -> None:
    held = LockedFolder.take(tmp_path / "run", "")
    with pytest.raises(FolderLockedError, match="another run is writing here: process"):
        LockedFolder.take(tmp_path / "run", "")
    held.leave()
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_that_nobody_reads_is_named_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InTheWayError, match="a named pipe that nobody reads"):
        send(tmp_path / "pipe", b"text")


@pytest.mark.parametrize("name", ["../evil", "/evil", "a/../../evil", "folder/"])
def test_an_archive_is_unpacked_below_its_place(name: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(name, "evil")
    (tmp_path / "place").mkdir()
    with pytest.raises(InTheWayError, match="an archive contains nothing but files"):
        unpack(tmp_path / "a.zip", tmp_path / "place")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.zip", "place"]
