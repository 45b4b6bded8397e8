"""A dataset has the same bytes however its grammar is named and whatever surrounds the compiler."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from kept_farm import MAIN, edit, write_farm
from workplace import Workplace

from sgl.diagnostics import Diagnostics, SourceMap
from sgl.lang.project import load_project

ROOT = Path(__file__).parents[2]


@pytest.fixture
def farm(work: Workplace) -> Path:
    """A small dataset of a grammar with files of every kind; the directory has a telling name."""
    write_farm(work)
    edit(work, MAIN, "train 1000", "train 300")
    folder = work.directory / "stdlib"
    folder.mkdir()
    for path in list(work.directory.iterdir()):
        if path.is_file():
            path.rename(folder / path.name)
    return folder


def linked_file(farm: Path) -> str:
    (farm.parent / "elsewhere").mkdir()
    (farm.parent / "elsewhere" / "link.sgl").symlink_to(farm / MAIN)
    return "elsewhere/link.sgl"


def linked_directory(farm: Path) -> str:
    (farm.parent / "zoo").symlink_to(farm)
    return f"zoo/{MAIN}"


#: How one file can be named from the directory above it; the last is named from its own.
NAMES: dict[str, Callable[[Path], str]] = {
    "from above": lambda farm: f"{farm.name}/{MAIN}",
    "absolute": lambda farm: str(farm / MAIN),
    "with dots": lambda farm: f"{farm.name}/../{farm.name}/{MAIN}",
    "linked file": linked_file,
    "linked directory": linked_directory,
}


@pytest.mark.parametrize("naming", NAMES)
def test_files_have_the_same_names_however_the_grammar_is_named(
    naming: str, farm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def names(path: str) -> list[str]:
        found = load_project(Path(path), SourceMap(), Diagnostics())
        assert found is not None
        return [name for name, _ in found.files()]

    seen_from_above = names(NAMES[naming](farm))
    monkeypatch.chdir(farm)
    assert seen_from_above == names(MAIN)
    assert "stdlib/en/verb.sgl" in seen_from_above


#: What surrounds a run, all of it different.
SETTINGS = {
    "PYTHONOPTIMIZE": "2",
    "PYTHONHASHSEED": "12345",
    "TZ": "Pacific/Chatham",
    "LC_ALL": "tr_TR.UTF-8",
    "PYTHONIOENCODING": "latin-1",
    "NUMBA_DISABLE_JIT": "1",
    "SGL_CACHE_DIR": "",
}


@pytest.mark.slow
def test_a_dataset_does_not_depend_on_what_surrounds_the_compiler(farm: Path) -> None:
    def compiled(name: str, target: str, umask: int = 0o022, **settings: str) -> dict[str, bytes]:
        done = subprocess.run(
            [sys.executable, "-m", "sgl", "compile", name, "--out", target],
            cwd=farm.parent,
            env={**os.environ, "PYTHONPATH": str(ROOT), **settings},
            umask=umask,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        out = farm.parent / target
        return {p.relative_to(out).as_posix(): p.read_bytes() for p in out.rglob("*.*")}

    first = compiled(f"{farm.name}/{MAIN}", "first")
    assert "report.html" in first
    assert compiled(linked_directory(farm), "linked") == first
    assert compiled(str(farm / MAIN), "other", umask=0o077, **SETTINGS) == first
