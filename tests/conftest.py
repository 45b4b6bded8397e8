"""Fixtures for the whole suite."""

from __future__ import annotations

from pathlib import Path

import pytest
from workplace import Workplace


@pytest.fixture
def work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Workplace:
    """An empty directory, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return Workplace(tmp_path, capsys)
