"""Programs that are started for this process: they find no modules of strangers, and end when nobody waits."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from pathlib import Path

import pytest

from sgl.children import program


@pytest.mark.parametrize("name", ["click.py", "sgl/__init__.py", "json.py"])
def test_what_lies_in_the_current_directory_is_not_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = tmp_path / name
    planted.parent.mkdir(exist_ok=True)
    planted.write_text(f"open({str(tmp_path / 'run')!r}, 'w')\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    code, said = asyncio.run(program("sgl", "--version"))
    assert code == 0
    assert said.startswith("sglc ")
    assert not (tmp_path / "run").exists()


def test_a_program_that_nobody_waits_for_ends(tmp_path: Path) -> None:
    begun, new = tmp_path / "begun", tmp_path / "new"
    says = f"open({str(new)!r}, 'w').write(str(os.getpid())); os.rename({str(new)!r}, {str(begun)!r})"
    works = f"import os, time; {says}; time.sleep(600)"

    async def leave() -> None:
        task = asyncio.create_task(program("timeit", "-n", "1", "-r", "1", works))
        while not begun.exists():
            assert not task.done()
            await asyncio.sleep(0.05)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    asyncio.run(leave())
    with pytest.raises(ProcessLookupError):
        os.kill(int(begun.read_text("utf-8")), 0)


def test_a_program_that_fails_says_why(tmp_path: Path) -> None:
    code, said = asyncio.run(program("sgl", "check", str(tmp_path / "nowhere.sgl")))
    assert code == 1
    assert "SGL0001" in said
