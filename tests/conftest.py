"""Fixtures for the whole suite."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser import BROWSER, launched
from hypothesis import settings
from workplace import Workplace

from sgl.cache import Cache, open_cache

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Not the user's own cache: this one has the compiled kernels, and what programs that tests
# start keep; all of it goes by contents, so that it can serve many runs of the suite.
os.environ["SGL_CACHE_DIR"] = str(Path(tempfile.gettempdir()) / "sgl-test-cache")

# A suite that passed passes again: laws are tried on the same examples every time.  Others
# are drawn with `--hypothesis-profile default`.
settings.register_profile("same", derandomize=True)
settings.load_profile("same")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Function]) -> None:
    """With several processes, tests that share a fixture of their module run in one of them."""
    for item in items:
        fixtures = item._fixtureinfo.name2fixturedefs.values()  # noqa: SLF001
        if any(found[-1].scope == "module" for found in fixtures):
            item.add_marker(pytest.mark.xdist_group(item.module.__name__))


@pytest.fixture(autouse=True)
def computed_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that run in the process of a test have no cache: tests replace functions."""
    monkeypatch.setattr("sgl.cli.session.open_cache", lambda: None)


@pytest.fixture
def cache_directory(
    computed_anew: None,  # noqa: ARG001 - which is undone here
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """The directory of a cache of the test's own, which does not exist yet."""
    directory = tmp_path_factory.mktemp("home") / "cache"
    monkeypatch.setenv("SGL_CACHE_DIR", str(directory))
    monkeypatch.setattr("sgl.cli.session.open_cache", open_cache)
    return directory


@pytest.fixture
def cache(cache_directory: Path) -> Cache:
    """The cache of the test, opened."""
    found = open_cache()
    assert found is not None
    assert found.directory == cache_directory
    return found


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Workplace:
    """An empty directory, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return Workplace(tmp_path, capsys)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for a cluster for long."""
    from sgl.parallel import cluster

    monkeypatch.setattr(cluster, "_PATIENCE", 1)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser of this machine."""
    pytest.importorskip("playwright.sync_api")
    if BROWSER is None:
        pytest.skip("there is no Chromium on this machine")
    with launched() as found:
        yield found
