"""Machine code on disk is used if it is what was kept, and compiled anew if anything is wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sgl.accel import KIND
from sgl.cache import Cache, open_cache

pytest.importorskip("numba")

ROOT = Path(__file__).parents[2]


def plus(one: int, other: int) -> int:
    return one + other


@pytest.fixture
def kept(cache_directory: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:  # noqa: ARG001 - in use
    found = open_cache(lambda: "0" * 64)
    assert found is not None
    monkeypatch.setattr("sgl.accel.jit.kernel_cache", lambda: found)
    return found


def loaded() -> bool:
    """Whether a kernel in a new process would be loaded; it is used in any case."""
    from sgl.accel.jit import kernel

    compiled = kernel(plus)
    assert compiled(1, 2) == 3
    return bool(compiled.stats.cache_hits)  # type: ignore[attr-defined]


def flipped(content: bytes) -> bytes:
    changed = bytearray(content)
    for place in range(0, len(content), 1 + len(content) // 8):
        changed[place] ^= 4
    return bytes(changed)


@pytest.mark.parametrize(
    "damage",
    [flipped, lambda _: b"", lambda content: content[:50], lambda content: os.urandom(len(content))],
    ids=["bits", "empty", "cut", "noise"],
)
def test_damaged_machine_code_is_compiled_anew(damage: Callable[[bytes], bytes], kept: Cache) -> None:
    assert not loaded()
    assert loaded()
    assert {entry.kind for entry in kept.entries()} == {KIND}
    for entry in kept.entries():
        entry.path.write_bytes(damage(entry.path.read_bytes()))
    assert not loaded()
    assert loaded()


def test_what_numba_cannot_read_is_compiled_anew(kept: Cache) -> None:
    """As when it is of another build of the same version; its hash is right."""
    assert not loaded()
    for entry in kept.entries():
        kept.put(b"no pickle", "other")
        (written,) = (each for each in kept.entries() if each.kind == "other")
        written.path.replace(entry.path)
    assert not loaded()


def test_cleared_kernels_are_compiled_anew(kept: Cache) -> None:
    assert not loaded()
    number = len(kept.entries())
    assert kept.clear() == number > 0
    assert list(kept.directory.iterdir()) == []
    assert not loaded()


@pytest.mark.parametrize("variable", ["NUMBA_DISABLE_JIT", ""])
def test_where_numba_does_not_compile_nothing_is_compiled(variable: str, tmp_path: Path) -> None:
    if not variable:
        (tmp_path / "numba.py").write_text("raise OSError('libLLVM.so: cannot open')")
    program = "from sgl.accel import pays; print(pays('draw', 1000))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}", **({variable: "1"} if variable else {})},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("False\n", "")


def test_the_digest_has_every_module_that_kernels_are_written_in() -> None:
    from sgl.accel import sources

    names = {path.name for path in sources()}
    assert {"jit.py", "screening.py", "chart_kernel.py", "search_kernel.py"} <= names
