"""An installed wheel works without the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from sgl import resources

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the contents of the wheel."""
    directory = tmp_path_factory.mktemp("wheel")
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(directory), versions=["standard"])
    target = directory / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    return target


def run(installed: Path, *arguments: str, directory: Path) -> subprocess.CompletedProcess[str]:
    """Run Python on the installed package alone, in another directory."""
    return subprocess.run(
        [sys.executable, "-P", *arguments],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(installed), "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.parametrize("folder", ["stdlib", "grammars"])
def test_the_wheel_has_every_file_of_the_library(installed: Path, folder: str) -> None:
    def files(top: Path) -> set[Path]:
        return {path.relative_to(top) for path in top.rglob("*") if path.is_file()}

    assert files(ROOT / folder)
    assert files(installed / "sgl" / "_data" / folder) == files(ROOT / folder)


def test_the_wheel_has_the_page_of_every_diagnostic_code(installed: Path) -> None:
    pages = Path("sgl") / "diagnostics" / "pages"
    assert {page.name for page in (installed / pages).iterdir()} == {page.name for page in (ROOT / pages).iterdir()}


def test_the_installed_package_finds_its_own_library(installed: Path, tmp_path: Path) -> None:
    code = "from sgl.resources import *; print(stdlib_dir()); print(grammars_dir())"
    done = run(installed, "-c", code, directory=tmp_path)
    data = installed / "sgl" / "_data"
    assert done.stdout.splitlines() == [str(data / "stdlib"), str(data / "grammars")], done.stderr


@pytest.mark.slow
def test_the_installed_compiler_reads_a_grammar_that_uses_the_library(installed: Path, tmp_path: Path) -> None:
    grammar = str(ROOT / "docs" / "examples" / "farm.sgl")
    done = run(installed, "-m", "sgl", "check", grammar, directory=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_installed_compiler_knows_its_grammars_by_name(installed: Path, tmp_path: Path) -> None:
    done = run(installed, "-m", "sgl", "grammars", "--path", directory=tmp_path)
    assert str(installed / "sgl" / "_data" / "grammars" / "cogs.sgl") in done.stdout, done.stderr
    done = run(installed, "-m", "sgl", "parse", "cogs", "Emma smiled .", directory=tmp_path)
    assert "1 reading" in done.stdout, done.stderr


def test_a_checkout_finds_the_library_beside_the_package() -> None:
    assert resources.stdlib_dir() == ROOT / "stdlib"
    assert resources.grammars_dir() == ROOT / "grammars"


def test_a_broken_installation_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "sgl")
    with pytest.raises(FileNotFoundError, match="no directory 'stdlib'"):
        resources.stdlib_dir()


def test_entry_points_lead_to_what_they_name() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    from sgl.cli import main
    from sgl_editor.pygments_lexer import SglLexer

    assert project["scripts"] == {"sglc": f"{main.__module__.removesuffix('.main')}:main"}
    lexers = project["entry-points"]["pygments.lexers"]
    assert lexers == {"sgl": f"{SglLexer.__module__}:{SglLexer.__name__}"}
