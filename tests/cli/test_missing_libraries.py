"""A library that is not installed is named, with the command that installs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sgl.cli.main import OUTPUT, installing, refusal

FARM = Path(__file__).parents[2] / "docs" / "examples" / "farm.sgl"


def without(library: str, *arguments: str, directory: Path) -> subprocess.CompletedProcess[str]:
    code = f"import sys; sys.modules[{library!r}] = None; from sgl.cli import main; main({list(arguments)!r})"
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, encoding="utf-8", check=False)


@pytest.mark.parametrize("arguments", [("compile", "--out", "data"), ("sample", "--out", "sample.parquet")])
def test_without_pyarrow_the_command_says_what_to_install(arguments: tuple[str, ...], tmp_path: Path) -> None:
    name, *options = arguments
    done = without("pyarrow", name, str(FARM), *options, directory=tmp_path)
    assert done.returncode == OUTPUT
    assert "error[SGL0904]: the library pyarrow is not installed; pip install" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_needs_no_pyarrow_works_without_it(tmp_path: Path) -> None:
    assert without("pyarrow", "sample", str(FARM), directory=tmp_path).returncode == 0


def test_the_smallest_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        'numba<1,>=0.61; extra == "fast"',
        'scipy>=1.14; extra == "baselines"',
        'torch>=2.6; extra == "baselines"',
        "scipy>=1.14; extra == 'eval'",
        'numba<1,>=0.61; extra == "test"',
        "numpy<3,>=2.0",
    ]
    monkeypatch.setattr("importlib.metadata.requires", lambda _: lines)
    assert installing("scipy") == "pip install 'sgl-compiler[eval]'"
    assert installing("numba") == "pip install 'sgl-compiler[fast]'"
    assert installing("pandas") == "pip install pandas"


def test_a_module_of_our_own_that_is_missing_is_our_mistake() -> None:
    assert refusal(ModuleNotFoundError("No module named 'sgl.x'", name="sgl.x")) is None
