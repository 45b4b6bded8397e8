"""Fixtures for the whole suite."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from itertools import count
from pathlib import Path

import pytest
from workplace import Workplace

from sgl.cache import Cache, open_cache

#: Caches of the suite: one for all that runs outside of tests, and one for each test.
_CACHES = Path(tempfile.mkdtemp(prefix="sgl-test-caches-"))
_numbers = count(1)

# Fixtures of sessions and modules run commands as well, before any other fixture.
os.environ["SGL_CACHE_DIR"] = str(_CACHES / "shared")
atexit.register(shutil.rmtree, _CACHES, ignore_errors=True)


@pytest.fixture(autouse=True)
def cache_directory(monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache for each test, so that none finds what another has computed."""
    directory = _CACHES / str(next(_numbers))
    monkeypatch.setenv("SGL_CACHE_DIR", str(directory))
    return directory


@pytest.fixture
def cache(cache_directory: Path) -> Cache:
    """The cache of the test, opened."""
    found = open_cache()
    assert found is not None
    assert found.directory == cache_directory
    return found


@pytest.fixture
def work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Workplace:
    """An empty directory, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return Workplace(tmp_path, capsys)
