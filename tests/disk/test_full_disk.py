"""A disk that is full: nothing stays, or the message names what stays, and how to go on."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from farm import FARM
from workplace import Workplace

from sgl.cli.main import OK, OUTPUT, run

SAMPLE = ["sample", str(FARM / "farm.sgl"), "-n", "3", "--out", "a.tsv"]
COMPILE = ["compile", str(FARM / "farm.sgl"), "--out", "ds"]


@contextmanager
def _full(*_: object) -> Iterator[None]:
    raise OSError(errno.ENOSPC, "No space left on device", "whole")
    yield


@pytest.mark.parametrize(
    ("command", "where", "folder"),
    [
        (SAMPLE, "sgl.parallel.dataset.SentenceWork.open_file", ".a.tsv.partial"),
        ([*COMPILE, "--workers", "2"], "sgl.pipeline.production.write_items", ".ds.partial"),
    ],
    ids=["sample", "compile --workers"],
)
def test_what_stays_on_a_full_disk_is_named(command: list[str], where: str, folder: str, work: Workplace) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(where, lambda *_: _full().__enter__())
        assert run(command) == OUTPUT
    said = " ".join(work.capsys.readouterr().err.split())
    assert "error[SGL0901]: cannot write" in said
    assert "no space left on device" in said.lower()
    assert f"finished work is kept in `{folder}`: `--resume` continues it, `--force` starts over" in said
    assert {Path(name).parts[0] for name in work.files()} == {folder}
    assert run([*command, "--resume"]) == OK
    assert not (work.directory / folder).exists()


def test_without_finished_work_nothing_stays(work: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sgl.pipeline.production.write_items", lambda *_: _full().__enter__())
    assert run(COMPILE) == OUTPUT
    assert "finished work" not in work.capsys.readouterr().err
    assert work.files() == []


def test_a_new_project_that_cannot_be_written_takes_back_its_own_files_alone(
    work: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody writes a file there at the same moment, with a name that the project has as well."""

    def full_at_the_second(path: Path, text: str) -> None:
        if path.name == "animals.yaml":
            (path.parent / "verbs.yaml").write_text("mine")
            raise OSError(errno.ENOSPC, "No space left on device")
        path.write_text(text)

    monkeypatch.setattr("sgl.cli.sources.write", full_at_the_second)
    assert run(["new", "project"]) == OUTPUT
    assert "no space left on device" in work.capsys.readouterr().err.lower()
    assert work.files() == ["project", "project/verbs.yaml"]
    assert (work.directory / "project" / "verbs.yaml").read_text() == "mine"
